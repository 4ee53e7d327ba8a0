//! Commitments over curves, all on [`msm`](crate::msm).
//!
//! - [`pedersen`]: vector commitments with bases nobody knows a relation of.
//! - [`ipa`]: openings of them at a point, by inner-product argument; Grumpkin in the first place.
//! - [`kzg`]: polynomial commitments over BN254, with openings of many polynomials at once.
//! - [`srs`]: where KZG's powers come from: a `.ptau` file, or a seed for tests.
//!
//! Challenges come from a Merlin transcript that is bound to the protocol's name, the statement and
//! everything sent so far. Commitments bind and do not hide, except Pedersen's with a blinding factor.

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

/// What is wrong with an input, a proof or a file.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum CommitError {
    /// More values than the key has bases.
    #[error("{len} values, expected at most {max}")]
    TooLong {
        /// Number of values.
        len: usize,
        /// Number of bases.
        max: usize,
    },
    /// A length that must be a power of two is not.
    #[error("length {len}, expected a power of two")]
    NotPowerOfTwo {
        /// The length.
        len: usize,
    },
    /// Two lists that belong together differ in length.
    #[error("{found} {what}, expected {expected}")]
    Length {
        /// What there are too many or too few of.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// Bytes that encode no proof.
    #[error("{what} at byte {at} is not a canonical encoding")]
    Encoding {
        /// What was expected there.
        what: &'static str,
        /// Position of its first byte.
        at: usize,
    },
    /// A well-formed proof of something else.
    #[error("the opening proof does not verify")]
    Rejected,
    /// A file that is no set of powers for this curve.
    #[error("powers of tau: {0}")]
    Srs(#[from] srs::SrsError),
    /// From the multiplication.
    #[error(transparent)]
    Msm(#[from] MsmError),
}

/// Appends the compressed form of a value.
fn write(value: &impl CanonicalSerialize, out: &mut Vec<u8>) {
    // Writing to memory does not fail.
    let _ = value.serialize_compressed(out);
}

/// Reads values from bytes, and insists on their canonical form.
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

/// Value of a polynomial, coefficients from the constant one up.
pub fn evaluate<F: PrimeField>(coefficients: &[F], at: F) -> F {
    coefficients
        .iter()
        .rev()
        .fold(F::ZERO, |sum, c| sum * at + c)
}
