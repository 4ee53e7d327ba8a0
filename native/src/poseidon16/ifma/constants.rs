//! The constants of the kernels, each with the scale of the place where it is used.

use std::sync::LazyLock;

use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_poseidon1::utils::{circulant_to_dense, forward_constant_substitution};

use super::super::constants::{
    HALF_FULL_ROUNDS, MDS_COLUMN, PARTIAL_ROUNDS, ROUND_CONSTANTS, WIDTH,
};
use super::super::mds::{EIGENVALUES, INVERSE_TWIDDLES, TWIDDLES};
use crate::field::{F, MODULUS};

/// The modulus.
pub(super) const P: u64 = MODULUS as u64;

/// A constant multiplicand after Shoup.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Multiplier {
    /// The constant `w`.
    pub value: u64,
    /// `floor(2^52 w / p)`.
    pub quotient: u64,
}

impl Multiplier {
    pub fn new(constant: F) -> Self {
        let value = u64::from(constant.as_canonical_u32());
        Self {
            value,
            quotient: (u128::from(value) << 52).div_euclid(u128::from(P)) as u64,
        }
    }
}

/// Everything the kernels read.
pub(super) struct Constants {
    /// Added to the input, canonical, at the input's scale.
    pub first: [u64; WIDTH],
    /// What the matrix product of full rounds 0 to 2 adds for the round that follows, in the form of
    /// [`split`].
    pub initial: [[u64; WIDTH]; HALF_FULL_ROUNDS - 1],
    /// Powers 1 to 7 of the root of unity; entry 0 is not used.
    pub twiddles: [Multiplier; 8],
    /// Their inverses.
    pub inverse_twiddles: [Multiplier; 8],
    /// Eigenvalues times the change of scale into the partial rounds, bit-reversed.
    pub entry: [Multiplier; WIDTH],
    /// Added to element 0 before the S-box of each partial round.
    pub partial: [u64; PARTIAL_ROUNDS],
    /// Eigenvalues, bit-reversed.
    pub eigenvalues: [Multiplier; WIDTH],
    /// Eigenvalues times the change of scale out of the partial rounds, bit-reversed.
    pub exit: [Multiplier; WIDTH],
    /// Added after the partial rounds: their residual and the constants of full round 24.
    pub middle: [u64; WIDTH],
    /// As [`Self::initial`], for full rounds 24 to 27; nothing follows the last.
    pub terminal: [[u64; WIDTH]; HALF_FULL_ROUNDS],
}

/// The constants, computed once.
pub(super) fn constants() -> &'static Constants {
    static CONSTANTS: LazyLock<Constants> = LazyLock::new(Constants::new);
    &CONSTANTS
}

impl Constants {
    fn new() -> Self {
        let scales = Scales::new(F::from_u8(16));
        let (scalars, residual) = partial_constants();
        let eigenvalues = EIGENVALUES.map(|eigenvalue| eigenvalue * F::from_u8(16));
        let scaled = |factor: F| eigenvalues.map(|eigenvalue| Multiplier::new(eigenvalue * factor));
        Self {
            first: round_constants(0, &scales).map(canonical),
            initial: std::array::from_fn(|round| split(&round_constants(round + 1, &scales))),
            twiddles: TWIDDLES.map(Multiplier::new),
            inverse_twiddles: INVERSE_TWIDDLES.map(Multiplier::new),
            entry: scaled(scales.entry / F::from_u8(16)),
            partial: scalars.map(|scalar| canonical(scalar * scales.partial)),
            eigenvalues: scaled(F::ONE),
            exit: scaled(scales.exit),
            middle: middle_constants(&residual, &scales).map(canonical),
            terminal: std::array::from_fn(|round| {
                split(&round_constants(TERMINAL_START + round + 1, &scales))
            }),
        }
    }
}

/// First full round after the partial rounds.
const TERMINAL_START: usize = HALF_FULL_ROUNDS + PARTIAL_ROUNDS;

/// The scale of the state at each place.
pub(super) struct Scales {
    /// Before full rounds 0 to 3. The first is the radix of Plonky3's Montgomery form.
    pub initial: [F; HALF_FULL_ROUNDS],
    /// From after the cubes of round 3 to [`Self::partial`].
    pub entry: F,
    /// During the partial rounds, `R / 4`.
    pub partial: F,
    /// From [`Self::partial`] to before round 24.
    pub exit: F,
    /// Before full rounds 24 to 27, such that Plonky3's radix comes after the last.
    pub terminal: [F; HALF_FULL_ROUNDS],
}

impl Scales {
    /// For a matrix product that comes out as `multiple` times the product.
    pub fn new(multiple: F) -> Self {
        let radix = F::TWO.exp_u64(52);
        let plonky3 = F::TWO.exp_u64(32);
        let after_cube = |scale: F| scale.cube() / radix.square();
        let mut initial = [plonky3; HALF_FULL_ROUNDS];
        for round in 1..HALF_FULL_ROUNDS {
            initial[round] = multiple * after_cube(initial[round - 1]);
        }
        let mut terminal = [plonky3; HALF_FULL_ROUNDS];
        let mut next = plonky3;
        for scale in terminal.iter_mut().rev() {
            *scale = cube_root(next * radix.square() / multiple);
            next = *scale;
        }
        let partial = radix / F::from_u8(4);
        Self {
            initial,
            entry: partial / after_cube(initial[HALF_FULL_ROUNDS - 1]),
            partial,
            exit: terminal[0] / partial,
            terminal,
        }
    }
}

/// Constants of a full round, at the scale of the state before it; zeros after the last round.
pub(super) fn round_constants(round: usize, scales: &Scales) -> [F; WIDTH] {
    let scale = match round.checked_sub(TERMINAL_START) {
        Some(terminal) => scales.terminal.get(terminal),
        None => scales.initial.get(round),
    };
    match (ROUND_CONSTANTS.get(round), scale) {
        (Some(constants), Some(&scale)) => constants.map(|constant| constant * scale),
        _ => [F::ZERO; WIDTH],
    }
}

/// What the partial rounds add to element 0 before each S-box, and to the state after the last.
pub(super) fn partial_constants() -> ([F; PARTIAL_ROUNDS], [F; WIDTH]) {
    let rounds = &ROUND_CONSTANTS[HALF_FULL_ROUNDS..TERMINAL_START];
    let (scalars, residual) =
        forward_constant_substitution(&circulant_to_dense(&MDS_COLUMN), rounds);
    (std::array::from_fn(|round| scalars[round]), residual)
}

/// The constants between the partial rounds and round 24, at the scale of the latter.
pub(super) fn middle_constants(residual: &[F; WIDTH], scales: &Scales) -> [F; WIDTH] {
    let constants = round_constants(TERMINAL_START, scales);
    std::array::from_fn(|i| residual[i] * scales.terminal[0] + constants[i])
}

pub(super) fn canonical(x: F) -> u64 {
    u64::from(x.as_canonical_u32())
}

/// The cube root, unique since 3 does not divide `p - 1`.
fn cube_root(x: F) -> F {
    // 3 (2p - 1) / 3 = 2 (p - 1) + 1.
    x.exp_u64((2 * P - 1) / 3)
}

/// Values that, added to the five parts of the convolution, add `constants` to its 16 results.
///
/// Recombination doubles four times without halving; representatives divisible by 16 let the halves
/// be exact. Differences are taken modulo `2^64`, of which the low 52 bits count.
fn split(constants: &[F; WIDTH]) -> [u64; WIDTH] {
    let mut parts = constants.map(|constant| {
        let value = canonical(constant) as i64;
        // p = 1 mod 16.
        value + (-value).rem_euclid(16) * P as i64
    });
    let mut length = WIDTH;
    while length > 1 {
        let half = length / 2;
        for i in 0..half {
            let (low, high) = (parts[i], parts[i + half]);
            parts[i] = (low + high) / 2;
            parts[i + half] = (low - high) / 2;
        }
        length = half;
    }
    parts.map(|part| part as u64)
}
