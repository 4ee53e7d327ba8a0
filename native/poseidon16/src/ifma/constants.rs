//! The constants of the kernels, each multiplied by the scale that the state has where it is used.

use std::sync::LazyLock;

use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::super::constants::{
    HALF_FULL_ROUNDS, PARTIAL_ROUNDS, ROUND_CONSTANTS, WIDTH, partial_constants,
};
use super::super::mds::{EIGENVALUES, INVERSE_TWIDDLES, TWIDDLES};
use crate::field::{F, MODULUS};

/// The modulus.
pub(super) const P: u64 = MODULUS as u64;

/// A constant to multiply by, prepared for Shoup's method.
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

/// All constants that the kernel for packed states reads.
pub(super) struct Constants {
    /// The constants of full round 0, added to the canonical input, at the input's scale.
    pub first: [u64; WIDTH],
    /// For full rounds 0 to 2, the constants of the next round, which the matrix product adds, in
    /// the form that [`split`] returns.
    pub initial: [[u64; WIDTH]; HALF_FULL_ROUNDS - 1],
    /// Powers 1 to 7 of the root of unity. Entry 0 is not used.
    pub twiddles: [Multiplier; 8],
    /// The inverses of [`Self::twiddles`].
    pub inverse_twiddles: [Multiplier; 8],
    /// Eigenvalues times the change of scale at the start of the partial rounds, in bit-reversed
    /// order.
    pub entry: [Multiplier; WIDTH],
    /// The constant added to element 0 before the S-box of each partial round.
    pub partial: [u64; PARTIAL_ROUNDS],
    /// Eigenvalues, in bit-reversed order.
    pub eigenvalues: [Multiplier; WIDTH],
    /// Eigenvalues times the change of scale at the end of the partial rounds, in bit-reversed
    /// order.
    pub exit: [Multiplier; WIDTH],
    /// The constants added after the partial rounds: what remains of theirs, and those of full
    /// round 24.
    pub middle: [u64; WIDTH],
    /// Like [`Self::initial`], for full rounds 24 to 27; zeros for the last one.
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

/// The scale of the state at each point of the permutation.
pub(super) struct Scales {
    /// The scales before full rounds 0 to 3. The first one is the radix of Plonky3's Montgomery
    /// form.
    pub initial: [F; HALF_FULL_ROUNDS],
    /// The factor from the scale after the cubes of round 3 to [`Self::partial`].
    pub entry: F,
    /// The scale during the partial rounds, `R / 4`.
    pub partial: F,
    /// The factor from [`Self::partial`] to the scale before round 24.
    pub exit: F,
    /// The scales before full rounds 24 to 27, chosen so that the scale after the last one is
    /// Plonky3's radix.
    pub terminal: [F; HALF_FULL_ROUNDS],
}

impl Scales {
    /// The scales for a kernel whose matrix product returns `multiple` times the product.
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

/// The constants of a full round, at the scale of the state before it; zeros for the round after
/// the last one.
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

/// The constants added between the partial rounds and round 24, at the scale of round 24.
pub(super) fn middle_constants(residual: &[F; WIDTH], scales: &Scales) -> [F; WIDTH] {
    let constants = round_constants(TERMINAL_START, scales);
    std::array::from_fn(|i| residual[i] * scales.terminal[0] + constants[i])
}

pub(super) fn canonical(x: F) -> u64 {
    u64::from(x.as_canonical_u32())
}

/// The cube root of `x`, which is unique since 3 does not divide `p - 1`.
fn cube_root(x: F) -> F {
    // The exponent inverts 3 modulo p - 1: 3 (2p - 1) / 3 = 2 (p - 1) + 1.
    x.exp_u64((2 * P - 1) / 3)
}

/// Returns values that, added to the five parts of the convolution, add `constants` to its 16
/// results.
///
/// Recombining the parts doubles four times without halving, so the values here are constants
/// divided by powers of two. Representatives divisible by 16 make these divisions exact.
/// Differences are taken modulo `2^64`; only their low 52 bits matter.
fn split(constants: &[F; WIDTH]) -> [u64; WIDTH] {
    let mut parts = constants.map(|constant| {
        let value = canonical(constant) as i64;
        // The multiple of p makes the value divisible by 16, since p = 1 mod 16.
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
