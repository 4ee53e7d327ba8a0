//! A Poseidon instance as published: rounds, power, round constants, matrix.

use ark_ff::PrimeField;
use thiserror::Error;

/// Parameters that do not make a permutation.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum ParameterError {
    /// No published instance has this width.
    #[error("width {width}, expected {min} to {max}")]
    Width {
        /// Width asked for.
        width: usize,
        /// Smallest width of the family.
        min: usize,
        /// Largest width of the family.
        max: usize,
    },
    /// The number of full rounds is odd or zero.
    #[error("{rounds} full rounds, expected an even number above zero")]
    FullRounds {
        /// Number of full rounds.
        rounds: usize,
    },
    /// Not one round constant for every word of every round.
    #[error("{found} round constants, expected {expected}")]
    Constants {
        /// Number given.
        found: usize,
        /// Width times rounds.
        expected: usize,
    },
    /// The power is not a permutation of the field, or is 0 or 1.
    #[error("x^{alpha} does not permute the field")]
    Power {
        /// The power.
        alpha: u64,
    },
    /// The matrix, or a minor that the sparse form inverts, is singular: not an MDS matrix.
    #[error("the matrix is not MDS")]
    Matrix,
    /// A hash was given another number of inputs than it takes.
    #[error("{found} inputs, expected {expected}")]
    Inputs {
        /// Number given.
        found: usize,
        /// The width less the capacity.
        expected: usize,
    },
}

/// Everything that defines a Poseidon permutation of width `T` (ePrint 2019/458).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters<F, const T: usize> {
    /// The power of the S-box.
    pub alpha: u64,
    /// Full rounds: half of them before the partial rounds, half after.
    pub full_rounds: usize,
    /// Partial rounds: the S-box goes to word 0 only.
    pub partial_rounds: usize,
    /// Constants added before the S-boxes, by round.
    pub constants: Vec<[F; T]>,
    /// The matrix, by row: word `i` of the new state is row `i` times the state.
    pub matrix: [[F; T]; T],
}

impl<F: PrimeField, const T: usize> Parameters<F, T> {
    /// Checks what can be checked without the security analysis.
    ///
    /// # Errors
    ///
    /// Returns [`ParameterError`] if the counts do not fit together or the power is not coprime to
    /// the order of the multiplicative group.
    pub fn check(&self) -> Result<(), ParameterError> {
        let rounds = self.full_rounds;
        if rounds == 0 || !rounds.is_multiple_of(2) {
            return Err(ParameterError::FullRounds { rounds });
        }
        let (found, expected) = (self.constants.len(), rounds + self.partial_rounds);
        if found != expected {
            return Err(ParameterError::Constants {
                found: found * T,
                expected: expected * T,
            });
        }
        let alpha = self.alpha;
        if alpha < 2 || greatest_common_divisor(alpha, order_modulo::<F>(alpha)) != 1 {
            return Err(ParameterError::Power { alpha });
        }
        Ok(())
    }
}

/// `p - 1` modulo `divisor`.
fn order_modulo<F: PrimeField>(divisor: u64) -> u64 {
    let divisor = u128::from(divisor);
    let words = F::MODULUS;
    let value = words.as_ref().iter().rev().fold(0u128, |rest, &word| {
        ((rest << 64) | u128::from(word)) % divisor
    });
    ((value + divisor - 1) % divisor) as u64
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 {
        a
    } else {
        greatest_common_divisor(b, a % b)
    }
}

/// The Cauchy matrix `1 / (x_i + y_j)`, if no sum is zero.
pub(super) fn cauchy<F: PrimeField, const T: usize>(
    x: &[F],
    y: &[F],
) -> Result<[[F; T]; T], ParameterError> {
    let mut matrix = [[F::ZERO; T]; T];
    for (row, x) in matrix.iter_mut().zip(x) {
        for (entry, y) in row.iter_mut().zip(y) {
            *entry = (*x + y).inverse().ok_or(ParameterError::Matrix)?;
        }
    }
    Ok(matrix)
}
