//! Trace of Keccak-f over bits.

use std::borrow::BorrowMut;

use droste_native::F;
use droste_native::hash::keccak::{ROTATIONS, ROUND_CONSTANTS};
use p3_field::PrimeCharacteristicRing;

use super::columns::{IOTA_BITS, KeccakCols, LANES, ROUNDS, RoundBits};
use crate::TraceResult;
use crate::limb::bits;
use crate::steps;

/// The state of Keccak-f, 1600 bits: lanes in the order `x + 5 y`.
pub type State = [u64; LANES];

/// The values in one round.
pub(super) struct Round {
    c: [u64; 5],
    c_prime: [u64; 5],
    pub(super) a_prime: State,
    /// The state after rho and pi.
    pub(super) b: State,
    /// Lane 0 after chi, before iota.
    chi: u64,
    pub(super) output: State,
}

impl Round {
    pub(super) fn bits(&self) -> RoundBits<F> {
        RoundBits {
            c: self.c.map(bits),
            c_prime: self.c_prime.map(bits),
            a_prime: self.a_prime.map(bits),
        }
    }
}

/// The column parities of a state.
pub(super) fn parities(state: &State) -> [u64; 5] {
    std::array::from_fn(|x| (0..5).fold(0, |sum, y| sum ^ state[x + 5 * y]))
}

/// Computes round `index` (FIPS 202, section 3.2).
pub(super) fn round(input: &State, index: usize) -> Round {
    round_with(input, index, parities(input))
}

/// Computes round `index` as if `c` were the column parities.
pub(super) fn round_with(input: &State, index: usize, c: [u64; 5]) -> Round {
    let d: [u64; 5] = std::array::from_fn(|x| c[(x + 4) % 5] ^ c[(x + 1) % 5].rotate_left(1));
    let c_prime = std::array::from_fn(|x| c[x] ^ d[x]);
    let a_prime: State = std::array::from_fn(|lane| input[lane] ^ d[lane % 5]);
    let b: State = std::array::from_fn(|lane| {
        let (x, y) = (lane % 5, lane / 5);
        let (from_x, from_y) = ((x + 3 * y) % 5, x);
        a_prime[from_x + 5 * from_y].rotate_left(ROTATIONS[from_x + 5 * from_y])
    });
    let mut output: State = std::array::from_fn(|lane| {
        let (x, row) = (lane % 5, lane - lane % 5);
        b[lane] ^ (!b[row + (x + 1) % 5] & b[row + (x + 2) % 5])
    });
    let chi = output[0];
    output[0] ^= ROUND_CONSTANTS[index];
    Round {
        c,
        c_prime,
        a_prime,
        b,
        chi,
        output,
    }
}

/// The permutation Keccak-f of 1600 bits.
pub fn permute(state: State) -> State {
    (0..ROUNDS).fold(state, |state, index| round(&state, index).output)
}

/// The inputs of the permutations of a message's Keccak-256, each of which takes 24 rows of the
/// table. The first 4 lanes of the last permutation's output are the digest, as little-endian
/// words.
///
/// This table does not prove that each permutation continues from the previous one; the table of
/// [`sponge`](super::sponge) does.
pub fn rows_of(message: &[u8]) -> Vec<State> {
    let inputs = super::sponge::permutations(&[message]).into_iter();
    inputs
        .map(|[state, block]| std::array::from_fn(|lane| state[lane] ^ block[lane]))
        .collect()
}

/// The limbs of a lane, low first.
pub fn limbs(lane: u64) -> [F; 4] {
    std::array::from_fn(|i| F::from_u16((lane >> (16 * i)) as u16))
}

fn fill_row(preimage: &State, state: &State, index: usize, row: &mut KeccakCols<F>) -> State {
    let round = round(state, index);
    row.steps[index] = F::ONE;
    row.preimage = preimage.map(limbs);
    row.bits = round.bits();
    row.iota = IOTA_BITS.map(|z| F::from_bool(round.chi >> z & 1 == 1));
    row.output = round.output.map(limbs);
    round.output
}

/// Trace of [`KeccakAir`](super::KeccakAir): an idle row, 24 rows per permutation, and idle rows up
/// to `height` or, without one, to the next power of two.
///
/// # Errors
///
/// The error says when there is no such trace. The height must be at least that of the
/// [rows](crate::steps::rows), idle ones included.
pub fn generate_permutations(inputs: &[State], height: Option<usize>) -> TraceResult {
    let width = KeccakCols::<u8>::WIDTH;
    generate(inputs, height, width, |preimage, state, index, row| {
        fill_row(preimage, state, index, row.borrow_mut())
    })
}

/// A trace of permutations between idle rows. Each row is filled by `fill(input, state, round,
/// row)`, which returns the state after the round.
pub(super) fn generate(
    inputs: &[State],
    height: Option<usize>,
    width: usize,
    fill: impl Fn(&State, &State, usize, &mut [F]) -> State + Sync,
) -> TraceResult {
    let mut idle = F::zero_vec(width);
    fill(&[0; LANES], &[0; LANES], 0, &mut idle);
    steps::generate(ROUNDS, inputs.len(), height, &idle, |input, rows| {
        let preimage = &inputs[input];
        let mut state = *preimage;
        for (index, row) in rows.chunks_exact_mut(width).enumerate() {
            state = fill(preimage, &state, index, row);
        }
    })
}
