//! The opening of the polynomial that was committed to.
//!
//! Takes the claim about its sum with weights, and leaves the same claim at one point: the value of
//! the last polynomial there, times the weight that the claim had and those that the queries added
//! ([`crate::verify::batch::queries`]), must be what is left of the claim. As
//! `droste_batch::opening`.

use crate::bits::Bits;
use crate::hash::Hash;
use crate::packing::hint_row;
use crate::poseidon16::Poseidon16;
use crate::prelude::*;
use crate::verify::batch::binary::{constant, dot, equality, multilinear, powers, product};
use crate::verify::batch::shape::{FOLDED, Round, Shape};
use crate::verify::batch::sumcheck;
use crate::verify::batch::transcript::Transcript;

/// The queries of a round, whose rows joined the claim by the powers of a challenge, from the first
/// on.
#[derive(Clone)]
pub struct Queries {
    /// Variables of the folded polynomial.
    pub variables: usize,
    /// Logarithm of the number of positions.
    pub log_rows: usize,
    /// The challenge.
    pub batching: Block,
    /// The positions: numbers of `log_rows` bits, and those above.
    pub positions: Vec<Bits>,
}

/// What is left to check.
pub struct Opened {
    /// The point, the coordinate of the lowest variable first.
    pub point: Vec<Block>,
    /// The value of the polynomial there, after all folds.
    pub value: Block,
    /// What is left of the claim.
    pub claim: Block,
    /// The queries of all rounds.
    pub queries: Vec<Queries>,
}

/// Rows that are combined without multiplying those before: rows of an even number of elements
/// leave no room for one more product.
const GROUP: usize = 3;

/// What a query reads.
struct Places {
    /// The root.
    root: Slice,
    /// What the elements of a row weigh, then the factor of the rows before.
    columns: Slice,
    /// Whether they have one. Otherwise it is one.
    scales: bool,
}

/// Returns what the queries of a round read, by their numbers in a group: those of a group weigh
/// as much as the challenge's powers say, and the first to come, which is the last one, multiplies
/// those before.
fn places(round: &Round, root: Slice, columns: &[Block], batching: Block) -> Vec<Places> {
    let n = round.columns;
    let group = if n % 2 == 0 { GROUP } else { 1 };
    let powers = powers(batching, batching, group);
    let mut all = Vec::new();
    for i in 0..group {
        let mut weights = Vec::new();
        for j in 0..n {
            weights.push(if i == 0 {
                columns[j]
            } else {
                product(columns[j], powers[i - 1])
            });
        }
        weights.push(powers[group - 1]);
        all.push(Places {
            root,
            columns: Slice::from_blocks(weights),
            scales: i + 1 == group,
        });
    }
    all
}

/// A row's answer.
struct Answer {
    /// The combination of rows up to this one.
    sum: Block,
    /// The position.
    bits: Bits,
}

/// Reads and verifies the opening of the polynomial below `root`, whose sum is claimed to be
/// `claim`.
pub fn open(shape: &Shape, t: &mut Transcript, root: Slice, claim: Block) -> Opened {
    let number = constant(&[shape.variables() as u32]);
    t.observe(Slice::from_blocks([number, claim]), 2);
    let mut claim = claim;
    let mut root = root;
    let mut last = root;
    let mut challenges = Vec::new();
    let mut queries = Vec::new();
    for i in 0..shape.rounds.len() {
        let round = &shape.rounds[i];
        let folding = sumcheck::rounds(t, FOLDED, 2, &mut claim);
        for j in 0..FOLDED {
            challenges.push(folding[FOLDED - 1 - j]);
        }
        let is_last = i + 1 == shape.rounds.len();
        last = t.read(if is_last {
            1usize << shape.last_variables
        } else {
            1
        });
        let mut words = Vec::new();
        for _j in 0..round.queries {
            words.push(t.sample_felt());
        }
        let batching = t.sample();
        let columns = equality(&folding);
        let places = places(round, root, &columns, batching);
        // By Horner's rule, so that the last query comes first.
        let mut positions = Vec::new();
        let mut sum = Block::ZERO;
        for j in 0..round.queries {
            let number = round.queries - 1 - j;
            let answer = query(round, &places[number % places.len()], words[number], sum);
            sum = answer.sum;
            positions.push(answer.bits);
        }
        claim = binary_product(sum, batching, claim);
        let mut ordered = Vec::new();
        for j in 0..round.queries {
            ordered.push(positions[round.queries - 1 - j]);
        }
        queries.push(Queries {
            variables: round.variables,
            log_rows: round.log_rows,
            batching,
            positions: ordered,
        });
        root = last;
    }
    let lowest = sumcheck::rounds(t, shape.last_variables, 2, &mut claim);
    let value = multilinear(last, &lowest);
    let mut point = lowest;
    for i in 0..challenges.len() {
        point.push(challenges[challenges.len() - 1 - i]);
    }
    Opened {
        point,
        value,
        claim,
        queries,
    }
}

/// Answers one query: adds its folded row to the combination of those before.
#[inline(never)]
fn query(round: &Round, places: &Places, word: Felt, before: Block) -> Answer {
    let n = round.columns;
    let bits = Bits::new(word, 4);
    // Row and path are bound by the comparison with the root.
    let data = hint_row::<Poseidon16>(5 * n).any();
    let leaf = Poseidon16::leaf(data, 5 * n);
    let path = hint_slice(round.log_rows).any();
    let index = bits.part(0, round.log_rows);
    let root = poseidon16_merkle(leaf, index, path, round.log_rows);
    assert_eq!(places.root.block(0), root);
    // Five lanes each. That they are elements is seen when they are multiplied.
    let row = unpack(data, 0, n);
    let sum = if !places.scales {
        dot(row, places.columns, n, before)
    } else if n % 2 == 0 {
        let start = product(before, places.columns.block(n));
        dot(row, places.columns, n, start)
    } else {
        let end = Slice::from_blocks([row.block(n - 1), before]);
        let start = binary_dot(end, 1, places.columns.skip(n - 1), Block::ZERO);
        dot(row, places.columns, n - 1, start)
    };
    Answer { sum, bits }
}
