//! The opening of the polynomial that was committed to.
//!
//! Takes the claim about its sum with weights, and leaves the same claim at one point: the value of
//! the last polynomial there, times the weight that the claim had and those that the queries added,
//! must be what is left of the claim. As `droste_binary::opening`, but that the rows are read later
//! ([`crate::verify::binary::queries`]). They are no part of the transcript, and a round makes of a
//! claim `c` an affine function of it, `c` times the challenge and known summands. So the rows of a
//! round join what is left of the claim at the end, scaled by all later challenges.

use crate::prelude::*;
use crate::verify::binary::field::{constant, equality, multilinear, product};
use crate::verify::binary::shape::{FOLDED, Shape};
use crate::verify::binary::sumcheck;
use crate::verify::binary::transcript::Transcript;

/// The queries of a round, whose rows join the claim by the powers of a challenge, from the first
/// on.
#[derive(Clone)]
pub struct Queries {
    /// Variables of the folded polynomial.
    pub variables: usize,
    /// Logarithm of the number of positions.
    pub log_rows: usize,
    /// Elements of a row.
    pub columns: usize,
    /// The root of the rows.
    pub root: Slice,
    /// What the elements of a row weigh.
    pub weights: Vec<Block>,
    /// The challenge.
    pub batching: Block,
    /// What is sampled for each query. Its low bits are the position.
    pub words: Vec<Felt>,
}

/// What is left to check.
pub struct Opened {
    /// The point, the coordinate of the lowest variable first.
    pub point: Vec<Block>,
    /// The value of the polynomial there, after all folds.
    pub value: Block,
    /// What is left of the claim, but for the rows.
    pub claim: Block,
    /// The queries of all rounds.
    pub queries: Vec<Queries>,
}

/// Reads and verifies the opening of the polynomial below `root`, whose sum is claimed to be
/// `claim`, but for the rows.
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
        queries.push(Queries {
            variables: round.variables,
            log_rows: round.log_rows,
            columns: round.columns,
            root,
            weights: equality(&folding),
            batching: t.sample(),
            words,
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

impl Opened {
    /// Returns what the sum of a round's rows, by the powers of its challenge from one on, weighs in
    /// what is left of the claim: the first power, and all challenges after it, which are as many
    /// first coordinates of the point as the folded polynomial has variables.
    pub fn scales(&self) -> Vec<Block> {
        let n = self.queries.len();
        let mut scales = vec![Block::ZERO; n];
        let mut later = self.point[0];
        let mut known = 1usize;
        for i in 0..n {
            let queries = &self.queries[n - 1 - i];
            while known < queries.variables {
                later = product(later, self.point[known]);
                known += 1;
            }
            scales[n - 1 - i] = if queries.variables == 0 {
                queries.batching
            } else {
                product(later, queries.batching)
            };
        }
        scales
    }
}
