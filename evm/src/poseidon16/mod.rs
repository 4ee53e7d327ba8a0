//! The permutation Poseidon-16, and claims and statements that are hashed with it.
//!
//! A state is four words of four lanes of 64 bits: element `r + 4 k` is lane `k` of word `r`. With
//! `Y = X^4`, word `r` is a polynomial `A_r(Y)`, and the state is the sum of `X^r A_r(X^4)`. The
//! circulant matrix multiplies it modulo `X^16 - 1`, so a word of the product is the sum of four
//! products modulo `Y^4 - 1`, each of which is one `mulmod` by `2^256 - 1`: the entries are so
//! small that lanes do not overflow. Lanes are reduced one by one, in S-boxes and every third of
//! the partial rounds.
//!
//! The first block of a claim is often a key that is known when code is generated. Then so is the
//! state after it.

mod claim;
#[cfg(test)]
mod tests;

use droste_native::F;
use droste_native::hash::poseidon16::{
    HALF_FULL_ROUNDS, MDS_COLUMN, PARTIAL_ROUNDS, ROUND_CONSTANTS, WIDTH, sparse_partial_rounds,
};
use p3_field::PrimeField32;

pub use self::claim::Claims;

use crate::assembler::{Assembler, Expr, Op, Word, load, take, var};
use crate::field::P;

/// Bytes of a word.
const WORD: u64 = 32;

/// Words of a state.
const WORDS: usize = 4;

/// Bits of a lane.
const LANE: u32 = 64;

/// Bytes of a state.
pub const STATE_BYTES: u64 = WORD * WORDS as u64;

/// Bytes of the constants of all rounds: a state for each full round and before the partial rounds,
/// and a word for each partial round.
pub const CONSTANTS_BYTES: u64 =
    STATE_BYTES * (2 * HALF_FULL_ROUNDS as u64 + 1) + WORD * PARTIAL_ROUNDS as u64;

/// Bytes of the constants of the full rounds at the beginning.
const BEGINNING: u64 = STATE_BYTES * HALF_FULL_ROUNDS as u64;

/// Partial rounds after which lanes are reduced; of those at the beginning there are fewer.
const REDUCED: u64 = 3;
const REDUCED_FIRST: u64 = PARTIAL_ROUNDS as u64 % REDUCED;

/// The names of a state's words.
const STATE: [&str; WORDS] = ["a", "b", "c", "d"];

/// Largest value of a lane of the permutation's input.
pub const INPUT_MAX: u64 = OUTPUT_MAX;

/// Largest value of a lane of its output, which is congruent to the element.
pub const OUTPUT_MAX: u64 = MDS_SUM * (P - 1);

const MDS_SUM: u64 = {
    let (mut sum, mut rest) = (0, MDS_COLUMN.as_slice());
    while let [first, others @ ..] = rest {
        sum += *first as u64;
        rest = others;
    }
    sum
};

const _: () = {
    // Three of these are multiplied without reduction.
    assert!(INPUT_MAX + P < 1 << 42 && u32::MAX as u64 <= INPUT_MAX);
    // The first element is below `2 p` after its S-box, the others are what they were.
    assert!((OUTPUT_MAX + P) as u128 * (MDS_SUM as u128).pow(REDUCED_FIRST as u32) < 1 << LANE);
    assert!((2 * P) as u128 * (MDS_SUM as u128).pow(REDUCED as u32) < 1 << LANE);
    assert!(REDUCED_FIRST > 0);
};

/// Places in memory.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// The state, of [`STATE_BYTES`].
    pub state: u64,
    /// The constants, of [`CONSTANTS_BYTES`].
    pub constants: u64,
}

impl Memory {
    /// Where a word of the state is.
    const fn word(self, index: usize) -> u64 {
        self.state + WORD * index as u64
    }
}

/// The words of a state.
fn packed(state: &[F; WIDTH]) -> [Word; WORDS] {
    let mut words = [Word::ZERO; WORDS];
    for (row, word) in words.iter_mut().enumerate() {
        let lanes = state.iter().skip(row).step_by(WORDS);
        let lanes: Vec<u64> = lanes.map(|lane| lane.as_canonical_u32().into()).collect();
        *word = Word::from_lanes(LANE, &lanes);
    }
    words
}

/// The constants of all rounds, in the order in which they are added.
fn constants() -> Vec<Word> {
    let (beginning, rest) = ROUND_CONSTANTS.split_at(HALF_FULL_ROUNDS);
    let (_, ending) = rest.split_at(PARTIAL_ROUNDS);
    let partial = sparse_partial_rounds();
    let states = beginning.iter().chain([&partial.first_constants]);
    let mut words: Vec<Word> = states.flat_map(packed).collect();
    let first = partial.constants.iter();
    words.extend(first.map(|constant| Word::from(u64::from(constant.as_canonical_u32()))));
    words.extend(ending.iter().flat_map(packed));
    words
}

/// Copies the constants to memory, and defines the function `permute`.
pub fn define(a: &mut Assembler, memory: Memory) {
    let bytes: Vec<u8> = constants()
        .into_iter()
        .flat_map(Word::to_be_bytes)
        .collect();
    a.table("rounds", bytes);
    let place = memory.constants;
    let arguments = [
        place.into(),
        Expr::Data("rounds".into()),
        CONSTANTS_BYTES.into(),
    ];
    a.run(Op::CodeCopy, arguments);
    define_full_rounds(a, memory);
    define_partial_rounds(a, memory);
    a.function("permute", [], |a| {
        a.call("full_rounds", [place.into()]);
        a.call("partial_rounds", [(place + BEGINNING).into()]);
        a.call(
            "full_rounds",
            [(place + CONSTANTS_BYTES - BEGINNING).into()],
        );
        None
    });
}

/// Binds the words of the state, and the modulus of [`mix`].
fn bind_state(a: &mut Assembler, word: impl Fn(usize) -> Expr) {
    a.bind("modulus", Word::from_limbs([u64::MAX; 4]));
    for (index, name) in STATE.into_iter().enumerate() {
        a.bind(name, word(index));
    }
}

fn store_state(a: &mut Assembler, memory: Memory) {
    for (index, name) in STATE.into_iter().enumerate() {
        a.store(memory.word(index), var(name));
    }
}

/// `full_rounds(constants)`: half of the full rounds.
fn define_full_rounds(a: &mut Assembler, memory: Memory) {
    a.function("full_rounds", ["constants"], |a| {
        bind_state(a, |index| load(memory.word(index)));
        a.bind("end", var("constants") + BEGINNING);
        a.repeat_while(|a| {
            for name in STATE {
                a.set(name, var(name) + load(var("constants")));
                a.advance("constants", WORD);
                each_lane(a, name, cube_top);
            }
            mix(a);
            var("constants").lt(var("end"))
        });
        store_state(a, memory);
        None
    });
}

/// `partial_rounds(constants)`: all partial rounds. With constants moved through the linear layers,
/// a round adds one to element 0 alone.
fn define_partial_rounds(a: &mut Assembler, memory: Memory) {
    a.function("partial_rounds", ["constants"], |a| {
        bind_state(a, |index| {
            load(memory.word(index)) + load(var("constants") + WORD * index as u64)
        });
        a.advance("constants", STATE_BYTES);
        a.bind("end", var("constants") + WORD * PARTIAL_ROUNDS as u64);
        a.bind("reduced", var("constants") + WORD * REDUCED_FIRST);
        a.repeat_while(|a| {
            a.repeat_while(|a| {
                a.push(P);
                a.push(var("a") & u64::MAX);
                cube_top(a);
                a.op(Op::Mod);
                a.rename("cube");
                let others = Word::from_limbs([0, u64::MAX, u64::MAX, u64::MAX]);
                let sum = take("cube") + load(var("constants"));
                a.set("a", sum + (var("a") & others));
                mix(a);
                a.advance("constants", WORD);
                var("constants").lt(var("reduced"))
            });
            for name in STATE {
                each_lane(a, name, |_| ());
            }
            a.advance("reduced", WORD * REDUCED);
            var("constants").lt(var("end"))
        });
        store_state(a, memory);
        None
    });
}

/// A lane of a word.
fn lane(word: Expr, lane: usize) -> Expr {
    let word = match lane {
        0 => word,
        _ => word >> (LANE * lane as u32),
    };
    if lane == WORDS - 1 {
        word
    } else {
        word & u64::MAX
    }
}

/// Changes each lane of a variable, and reduces it modulo `p`.
fn each_lane(a: &mut Assembler, name: &'static str, change_top: impl Fn(&mut Assembler)) {
    for index in (0..WORDS).rev() {
        a.push(P);
        a.push(lane(var(name), index));
        change_top(a);
        a.op(Op::Mod);
        if index > 0 {
            a.push(u64::from(LANE) * index as u64);
            a.op(Op::Shl);
        }
        if index < WORDS - 1 {
            a.op(Op::Or);
        }
    }
    a.rename("lanes");
    a.set(name, take("lanes"));
}

/// The cube of the top of the stack.
fn cube_top(a: &mut Assembler) {
    a.rename("x");
    a.push(var("x") * var("x"));
    a.op(Op::Mul);
}

/// The matrix's entries between words whose numbers have this difference.
fn matrix(difference: usize) -> Word {
    let entries = MDS_COLUMN.iter().cycle().skip(difference).step_by(WORDS);
    let lanes: Vec<u64> = entries.take(WORDS).map(|&entry| entry as u64).collect();
    Word::from_lanes(LANE, &lanes)
}

/// Multiplies the state by the matrix.
fn mix(a: &mut Assembler) {
    const PRODUCT: [&str; WORDS] = ["e", "f", "g", "h"];
    for (row, name) in PRODUCT.into_iter().enumerate() {
        let term = |column: usize, name: &'static str| {
            let entries = matrix((WIDTH + row - column) % WIDTH);
            Expr::Op(Op::MulMod, vec![var(name), entries.into(), var("modulus")])
        };
        let [first, rest @ ..] = STATE;
        let rest = (1..).zip(rest);
        // The sum is evaluated first, so that the stack does not grow.
        let product = rest.fold(term(0, first), |sum, (column, name)| {
            term(column, name) + sum
        });
        a.bind(name, product);
    }
    for (name, product) in STATE.into_iter().zip(PRODUCT).rev() {
        a.set(name, take(product));
    }
}
