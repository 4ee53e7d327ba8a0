//! The definition of a Poseidon instance: rounds, power, round constants, matrix.

use ark_ff::PrimeField;
use thiserror::Error;

/// Why parameters do not define a permutation, or a hash cannot be computed.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum ParameterError {
    /// No published instance has this width.
    #[error("no instance has width {width}, expected {min} to {max}")]
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
    /// There is not one round constant for every word of every round.
    #[error("{found} round constants, expected {expected}")]
    Constants {
        /// Number given.
        found: usize,
        /// Width times rounds.
        expected: usize,
    },
    /// The power does not permute the field, or is 0 or 1.
    #[error("the power x^{alpha} is not a permutation of the field")]
    Power {
        /// The power.
        alpha: u64,
    },
    /// The matrix, or a minor that the sparse form inverts, is singular, so the matrix is not MDS.
    #[error("the matrix is not MDS: it or one of its minors is singular")]
    Matrix,
    /// A hash was given more or fewer inputs than it takes.
    #[error("{found} inputs to hash, expected {expected}")]
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
    /// Number of full rounds: half of them come before the partial rounds, half after.
    pub full_rounds: usize,
    /// Number of partial rounds, in which only word 0 passes the S-box.
    pub partial_rounds: usize,
    /// The constants that each round adds before its S-boxes.
    pub constants: Vec<[F; T]>,
    /// The matrix, by rows: word `i` of the new state is the product of row `i` and the state.
    pub matrix: [[F; T]; T],
}

impl<F: PrimeField, const T: usize> Parameters<F, T> {
    /// Checks everything but the security of the parameters, which needs an analysis of its own.
    ///
    /// # Errors
    /// Returns [`ParameterError`] if the counts are inconsistent or the power is not coprime to the
    /// order of the multiplicative group.
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

    /// The number of squarings in the power, for those that have kernels: `x^5` and `x^17`.
    pub(super) fn squarings(&self) -> Option<u32> {
        match self.alpha {
            5 => Some(2),
            17 => Some(4),
            _ => None,
        }
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

/// The Cauchy matrix `1 / (x_i + y_j)`, unless one of the sums is zero.
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
