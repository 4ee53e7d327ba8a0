//! Commitments over elliptic curves, built on [`msm`](crate::msm).
//!
//! - [`pedersen`]: commitments to vectors, over bases between which nobody knows a linear relation.
//! - [`ipa`]: openings of Pedersen commitments, read as polynomials, at a point, by inner-product
//!   argument; meant for Grumpkin in the first place.
//! - [`kzg`]: polynomial commitments over BN254, with openings of many polynomials at once.
//! - [`srs`]: the powers of a secret that KZG needs, from a `.ptau` file or, for tests, from a
//!   seed.
//!
//! Challenges come from a Merlin transcript that absorbs the protocol's name, the statement and
//! everything sent so far. Commitments are binding but not hiding, except Pedersen commitments with
//! a blinding factor.

pub mod ipa;
pub mod kzg;
pub mod pedersen;
pub mod srs;
#[cfg(test)]
mod tests;
mod transcript;

use ark_ec::AffineRepr;
use ark_ec::short_weierstrass::{Affine, SWCurveConfig};
use ark_ff::PrimeField;
use ark_serialize::{CanonicalDeserialize, CanonicalSerialize};
use thiserror::Error;

use crate::msm::MsmError;

/// Why a commitment, an opening or a file of powers is refused.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum CommitError {
    /// More values were given than the key has bases.
    #[error("{len} values to commit to, but the key has bases for at most {max}")]
    TooLong {
        /// Number of values.
        len: usize,
        /// Number of bases.
        max: usize,
    },
    /// A length is not a power of two, as it must be.
    #[error("the length is {0}, expected a power of two")]
    NotPowerOfTwo(usize),
    /// Two lists that must have the same length differ in length.
    #[error("{found} {what}, expected {expected}")]
    Length {
        /// What was counted.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// The bytes do not encode a proof.
    #[error("{what} at byte {at} is not a canonical encoding")]
    Encoding {
        /// What was expected there.
        what: &'static str,
        /// Position of its first byte.
        at: usize,
    },
    /// The proof is well formed but does not prove the statement.
    #[error("the opening proof does not verify for this commitment, point and value")]
    Rejected,
    /// A file does not contain powers of a secret for this curve.
    #[error("powers of tau: {0}")]
    Srs(#[from] srs::SrsError),
    /// The multi-scalar multiplication failed.
    #[error(transparent)]
    Msm(#[from] MsmError),
}

/// Checks that two lists have the same length.
fn check_count(what: &'static str, found: usize, expected: usize) -> Result<(), CommitError> {
    if found == expected {
        return Ok(());
    }
    Err(CommitError::Length {
        what,
        found,
        expected,
    })
}

/// Appends the compressed form of a value.
fn write(value: &impl CanonicalSerialize, out: &mut Vec<u8>) {
    // Writing to memory does not fail.
    let _ = value.serialize_compressed(out);
}

/// Reads values from bytes and accepts only their canonical encoding.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    fn read<T: CanonicalSerialize + CanonicalDeserialize>(
        &mut self,
        what: &'static str,
        size: usize,
    ) -> Result<T, CommitError> {
        let error = CommitError::Encoding { what, at: self.at };
        let end = self.at.checked_add(size).ok_or_else(|| error.clone())?;
        let chunk = self.bytes.get(self.at..end).ok_or_else(|| error.clone())?;
        let value = T::deserialize_compressed(chunk).map_err(|_| error.clone())?;
        let mut again = Vec::with_capacity(size);
        write(&value, &mut again);
        if again != chunk {
            return Err(error);
        }
        self.at = end;
        Ok(value)
    }

    fn point<C: SWCurveConfig>(&mut self) -> Result<Affine<C>, CommitError> {
        self.read("a point", point_size::<C>())
    }

    fn scalar<F: PrimeField>(&mut self) -> Result<F, CommitError> {
        self.read("a scalar", F::ZERO.compressed_size())
    }

    fn finish(self) -> Result<(), CommitError> {
        if self.at == self.bytes.len() {
            return Ok(());
        }
        let (what, at) = ("the end", self.at);
        Err(CommitError::Encoding { what, at })
    }
}

fn point_size<C: SWCurveConfig>() -> usize {
    Affine::<C>::zero().compressed_size()
}

/// The value at `at` of a polynomial given by its coefficients, from the constant one up.
pub fn evaluate<F: PrimeField>(coefficients: &[F], at: F) -> F {
    coefficients
        .iter()
        .rev()
        .fold(F::ZERO, |sum, c| sum * at + c)
}
