//! The constants of the kernel.

use std::sync::LazyLock;

use p3_field::{Field, PrimeCharacteristicRing, PrimeField32};

use super::super::constants::{
    HALF_FULL_ROUNDS, MDS_COLUMN, PARTIAL_ROUNDS, ROUND_CONSTANTS, ROUNDS, WIDTH, partial_constants,
};
use super::{VECTORS, halves};
use crate::field::{F, MODULUS};

/// The parts of the matrix that multiply pairs of elements: that of rows `4 i` to `4 i + 3` and
/// columns `2 j` and `2 j + 1` is entry `2 i - j` modulo 8.
const MATRIX: [[i32; 4]; 8] = {
    let mut matrix = [[0; 4]; 8];
    let mut i = 0;
    while i < 8 {
        let mut row = 0;
        while row < 4 {
            let even = (2 * i + row) % WIDTH;
            let odd = (even + WIDTH - 1) % WIDTH;
            matrix[i][row] = halves(MDS_COLUMN[even] as i32, MDS_COLUMN[odd] as i32);
            row += 1;
        }
        i += 1;
    }
    matrix
};

/// What the sums of a product by the matrix start with: the halves of the constants before the next
/// round, times `2^16`, and `2^15` in each low one.
pub(super) struct Round {
    pub low: [[i32; 4]; VECTORS],
    pub high: [[i32; 4]; VECTORS],
}

/// All constants.
pub(super) struct Constants {
    pub matrix: [[i32; 4]; 8],
    /// The constants of the first round, minus `p`: added to a canonical element they make an
    /// integer between `-p` and `p`.
    pub first: [[i32; 4]; VECTORS],
    pub rounds: [Round; ROUNDS],
    /// The factors of the cubes of partial rounds.
    pub factors: [i32; PARTIAL_ROUNDS],
    /// The factor that removes the scale at the end.
    pub last: i32,
}

/// First full round after the partial rounds.
const TERMINAL_START: usize = HALF_FULL_ROUNDS + PARTIAL_ROUNDS;

impl Constants {
    fn new() -> Self {
        let (scalars, residual) = partial_constants();
        // What is added after a round, which is what the next one begins with.
        let after = |round: usize| -> [F; WIDTH] {
            let constants = ROUND_CONSTANTS.get(round + 1);
            match (round + 1).checked_sub(HALF_FULL_ROUNDS) {
                Some(partial) if partial < PARTIAL_ROUNDS => {
                    std::array::from_fn(|i| if i == 0 { scalars[partial] } else { F::ZERO })
                }
                Some(PARTIAL_ROUNDS) => {
                    std::array::from_fn(|i| residual[i] + ROUND_CONSTANTS[TERMINAL_START][i])
                }
                _ => constants.copied().unwrap_or_default(),
            }
        };
        let shift = F::TWO.exp_u64(16);
        let mut scale = F::ONE;
        let mut factors = [0; PARTIAL_ROUNDS];
        let rounds = std::array::from_fn(|round| {
            let partial = round.checked_sub(HALF_FULL_ROUNDS);
            match partial.and_then(|partial| factors.get_mut(partial)) {
                Some(factor) => *factor = signed(scale.square().inverse()),
                None => scale = scale.cube(),
            }
            scale /= shift;
            Round::new(after(round).map(|constant| signed(constant * scale * shift)))
        });
        Self {
            matrix: MATRIX,
            first: parts(
                ROUND_CONSTANTS[0]
                    .map(|constant| montgomery(constant).wrapping_sub(MODULUS).cast_signed()),
            ),
            rounds,
            factors,
            last: signed(scale.inverse()),
        }
    }
}

impl Round {
    fn new(constants: [i32; WIDTH]) -> Self {
        let low = constants.map(|constant| i32::from(constant as i16));
        let high: [i32; WIDTH] = std::array::from_fn(|i| (constants[i] - low[i]) >> 16);
        Self {
            low: parts(low.map(|low| low + (1 << 15))),
            high: parts(high),
        }
    }
}

/// The constants.
pub(super) fn constants() -> &'static Constants {
    static CONSTANTS: LazyLock<Constants> = LazyLock::new(Constants::new);
    &CONSTANTS
}

fn parts(values: [i32; WIDTH]) -> [[i32; 4]; VECTORS] {
    std::array::from_fn(|part| std::array::from_fn(|i| values[4 * part + i]))
}

/// `2^32 x mod p`.
fn montgomery(x: F) -> u32 {
    (x * F::TWO.exp_u64(32)).as_canonical_u32()
}

/// The Montgomery form, between `-p / 2` and `p / 2`.
fn signed(x: F) -> i32 {
    let value = montgomery(x);
    let negative = value > MODULUS / 2;
    value
        .wrapping_sub(if negative { MODULUS } else { 0 })
        .cast_signed()
}
