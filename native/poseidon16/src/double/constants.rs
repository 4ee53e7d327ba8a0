//! The constants of the kernels, in Montgomery form.

use std::sync::LazyLock;

use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::super::constants::{
    HALF_FULL_ROUNDS, MDS_COLUMN, PARTIAL_ROUNDS, ROUND_CONSTANTS, WIDTH, partial_constants,
};
use crate::field::{F, MODULUS};

/// First column of the square of the matrix, which is circulant as well.
pub(super) const SQUARE_COLUMN: [i64; WIDTH] = {
    let mut column = [0; WIDTH];
    let mut i = 0;
    while i < WIDTH {
        let mut j = 0;
        while j < WIDTH {
            column[(i + j) % WIDTH] += MDS_COLUMN[i] * MDS_COLUMN[j];
            j += 1;
        }
        i += 1;
    }
    column
};

/// All constants that do not depend on how the matrix product is computed.
pub(super) struct Constants {
    /// The constants of full round 0, minus `p`, modulo `2^32`: added to a canonical element they
    /// make a signed integer between `-p` and `p`.
    pub first: [u32; WIDTH],
    /// For full rounds 0 to 3, the constants that follow: those of the next round, and none where
    /// that is partial.
    pub initial: [[f64; WIDTH]; HALF_FULL_ROUNDS],
    /// The constants added to element 0 before each S-box, for each two partial rounds.
    pub partial: [[f64; 2]; PARTIAL_ROUNDS / 2],
    /// The constants added after the partial rounds: what remains of theirs, and those of full
    /// round 24.
    pub middle: [f64; WIDTH],
    /// Like [`Self::initial`], for full rounds 24 to 27.
    pub terminal: [[f64; WIDTH]; HALF_FULL_ROUNDS],
}

/// First full round after the partial rounds.
const TERMINAL_START: usize = HALF_FULL_ROUNDS + PARTIAL_ROUNDS;

impl Constants {
    /// Computes the constants, those that a matrix product adds in the form that `split` returns.
    pub fn new(split: impl Fn([f64; WIDTH]) -> [f64; WIDTH]) -> Self {
        let (scalars, residual) = partial_constants();
        let next = |rounds: &[[F; WIDTH]], round: usize| {
            let constants = rounds.get(round + 1).copied().unwrap_or_default();
            split(constants.map(signed))
        };
        let initial = &ROUND_CONSTANTS[..HALF_FULL_ROUNDS];
        let terminal = &ROUND_CONSTANTS[TERMINAL_START..];
        Self {
            first: initial[0].map(|constant| montgomery(constant).wrapping_sub(MODULUS)),
            initial: std::array::from_fn(|round| next(initial, round)),
            partial: std::array::from_fn(|pair| [0, 1].map(|i| signed(scalars[2 * pair + i]))),
            middle: std::array::from_fn(|i| signed(residual[i] + terminal[0][i])),
            terminal: std::array::from_fn(|round| next(terminal, round)),
        }
    }
}

/// The constants of the kernel for packed states.
#[cfg(any(test, poseidon16 = "avx512", poseidon16 = "avx2"))]
pub(super) fn packed() -> &'static Constants {
    static CONSTANTS: LazyLock<Constants> = LazyLock::new(|| Constants::new(super::packed::split));
    &CONSTANTS
}

/// The constants of the kernel for one state.
pub(super) fn single() -> &'static Constants {
    static CONSTANTS: LazyLock<Constants> = LazyLock::new(|| Constants::new(super::single::split));
    &CONSTANTS
}

/// `2^32 x mod p`.
fn montgomery(x: F) -> u32 {
    (x * F::TWO.exp_u64(32)).as_canonical_u32()
}

/// The Montgomery form, between `-p / 2` and `p / 2`.
fn signed(x: F) -> f64 {
    let value = f64::from(montgomery(x));
    if value > f64::from(MODULUS / 2) {
        value - f64::from(MODULUS)
    } else {
        value
    }
}

/// A column of integers as doubles.
pub(super) const fn doubles<const N: usize>(column: &[i64; N]) -> [f64; N] {
    let mut result = [0.0; N];
    let mut i = 0;
    while i < N {
        result[i] = column[i] as f64;
        i += 1;
    }
    result
}
