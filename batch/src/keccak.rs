//! Keccak-f\[1600\] as rows of bits (FIPS 202, section 3).
//!
//! A call is 32 rows of 1,600 columns. Row `i` up to 24 is the state before round `i`, so row 24 is the
//! output; the other rows are zero. Column `64 l + z` is bit `z` of lane `l = x + 5 y`.
//!
//! One round is chi and iota after the linear map `B = pi(rho(theta(A)))`: with `x` modulo 5,
//! `A'[x, y] = B[x, y] + (1 + B[x + 1, y]) B[x + 2, y]`, and the constant on lane 0.

use crate::field::K;

/// Lanes of a state.
pub const LANES: usize = 25;

/// Bits of a lane.
pub const BITS: usize = 64;

/// Rounds of the permutation.
pub const ROUNDS: usize = 24;

/// Base-two logarithm of the rows of a call.
pub const LOG_ROWS: usize = 5;

/// A state: lane `x + 5 y` in FIPS 202's order, bit `z` of it in bit `z` of the word.
pub type State = [u64; LANES];

/// The constants of iota, `RC[i]` (FIPS 202, algorithm 5: a register of feedback `x^8 + x^6 + x^5 +
/// x^4 + 1`, of which bit `2^j - 1` of the lane gets the output at time `j + 7 i`).
pub const ROUND_CONSTANTS: [u64; ROUNDS] = {
    let mut constants = [0; ROUNDS];
    let mut register = 1u16;
    let mut time = 0;
    while time < 7 * ROUNDS {
        if register & 1 == 1 {
            constants[time / 7] |= 1 << ((1u64 << (time % 7)) - 1);
        }
        register <<= 1;
        if register & 0x100 != 0 {
            register ^= 0x171;
        }
        time += 1;
    }
    constants
};

/// Offsets of rho by lane (FIPS 202, algorithm 2).
const OFFSETS: [u32; LANES] = {
    let mut offsets = [0; LANES];
    let (mut x, mut y, mut t) = (1, 0, 0);
    while t < 24 {
        offsets[x + 5 * y] = ((t + 1) * (t + 2) / 2 % 64) as u32;
        (x, y) = (y, (2 * x + 3 * y) % 5);
        t += 1;
    }
    offsets
};

/// The lane that pi moves lane `x + 5 y` to: `B[y, 2 x + 3 y] = A[x, y]`.
const fn pi(lane: usize) -> usize {
    let (x, y) = (lane % 5, lane / 5);
    y + 5 * ((2 * x + 3 * y) % 5)
}

/// The lane `by` columns to the right in the same row.
pub const fn right_of(lane: usize, by: usize) -> usize {
    lane / 5 * 5 + (lane + by) % 5
}

/// `pi(rho(theta(state)))`.
pub fn linear(state: &State) -> State {
    let parity: [u64; 5] = std::array::from_fn(|x| (0..5).fold(0, |sum, y| sum ^ state[x + 5 * y]));
    let mut mixed = [0; LANES];
    for (lane, &word) in state.iter().enumerate() {
        let x = lane % 5;
        let theta = word ^ parity[(x + 4) % 5] ^ parity[(x + 1) % 5].rotate_left(1);
        mixed[pi(lane)] = theta.rotate_left(OFFSETS[lane]);
    }
    mixed
}

/// The transpose of [`linear`] over weights of bits: if `weights` weigh the bits of `B`, the result
/// weighs the bits of `A` so that both sums are equal for every `A`.
pub fn transposed_linear(weights: &[[K; BITS]; LANES]) -> [[K; BITS]; LANES] {
    // Weights of the bits after theta.
    let theta: [[K; BITS]; LANES] = std::array::from_fn(|lane| {
        let offset = OFFSETS[lane] as usize;
        std::array::from_fn(|z| weights[pi(lane)][(z + offset) % BITS])
    });
    let columns: [[K; BITS]; 5] =
        std::array::from_fn(|x| std::array::from_fn(|z| (0..5).map(|y| theta[x + 5 * y][z]).sum()));
    std::array::from_fn(|lane| {
        let x = lane % 5;
        // Lane x is in the parities that lanes x + 1 and, one bit further, x - 1 take.
        std::array::from_fn(|z| {
            theta[lane][z] + columns[(x + 1) % 5][z] + columns[(x + 4) % 5][(z + 1) % BITS]
        })
    })
}

/// The state after round `round`.
pub fn next(state: &State, round: usize) -> State {
    let mixed = linear(state);
    let mut next: State = std::array::from_fn(|lane| {
        mixed[lane] ^ (!mixed[right_of(lane, 1)] & mixed[right_of(lane, 2)])
    });
    next[0] ^= ROUND_CONSTANTS[round];
    next
}

/// The states before each round and after the last one.
pub fn states(input: &State) -> [State; ROUNDS + 1] {
    let mut states = [*input; ROUNDS + 1];
    for round in 0..ROUNDS {
        states[round + 1] = next(&states[round], round);
    }
    states
}

#[cfg(test)]
mod tests {
    use p3_binary_field::TowerLevel;
    use p3_keccak::KeccakF;
    use p3_symmetric::Permutation;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn permutes_as_plonky3(input in any::<[u64; LANES]>()) {
            prop_assert_eq!(states(&input)[ROUNDS], KeccakF.permute(input));
        }

        #[test]
        fn transposed(input in any::<[u64; LANES]>(), seed in any::<u128>()) {
            let weights: [[K; BITS]; LANES] = std::array::from_fn(|lane| {
                std::array::from_fn(|z| K::from_repr(seed.wrapping_mul((64 * lane + z) as u128 * 2 + 1)))
            });
            let sum = |weights: &[[K; BITS]; LANES], state: &State| -> K {
                (0..64 * LANES)
                    .filter(|&j| state[j / 64] >> (j % 64) & 1 == 1)
                    .map(|j| weights[j / 64][j % 64])
                    .sum()
            };
            prop_assert_eq!(
                sum(&weights, &linear(&input)),
                sum(&transposed_linear(&weights), &input)
            );
        }
    }
}
