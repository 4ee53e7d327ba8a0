//! Multi-scalar multiplication `sum_i k_i P_i`, in stages.
//!
//! [`msm`] stands where `VariableBaseMSM::msm` stood:
//!
//! ```
//! use ark_bn254::{Fr, G1Affine, G1Projective};
//! use ark_ec::{AffineRepr, PrimeGroup};
//!
//! let bases = [G1Affine::generator(); 3];
//! let scalars = [Fr::from(2u64), Fr::from(3u64), -Fr::from(4u64)];
//! let sum = droste_native::msm::msm(&bases, &scalars)?;
//! assert_eq!(sum, G1Projective::generator());
//! # Ok::<(), droste_native::msm::MsmError>(())
//! ```
//!
//! The stages, one module each: `scan` (which terms count, how long scalars are), `small` (few
//! terms), `duplicates` (equal scalars), `endomorphism` (split scalars), `recode` (signed windows), `window` (their size, by a cost model), `schedule` (counting
//! sort into buckets), `accumulate` (batch-affine sums of buckets), `reduce` (affine bucket
//! reduction), `combine` (one pass of doublings). Their memory is one `arena`. No input is special to the caller: identities,
//! repeats, opposite points and any scalar are handled on every path. Nothing here runs in constant
//! time: scalars must not be secret.

mod accumulate;
mod arena;
mod backend;
mod call;
mod combine;
mod curve;
mod driver;
mod duplicates;
mod endomorphism;
pub(crate) mod field;
#[cfg(target_arch = "x86_64")]
mod ifma;
mod options;
mod parallel;
mod portable;
mod prefetch;
mod recode;
mod reduce;
mod scan;
mod schedule;
mod small;
#[cfg(target_arch = "x86_64")]
mod split_ifma;
mod table;
#[cfg(test)]
mod tests;
mod trace;
mod window;

use ark_ec::short_weierstrass::{Affine, Projective};
use ark_ff::BigInt;
use thiserror::Error;

pub use curve::MsmCurve;
pub use field::KernelField;
pub use options::{FieldBackend, Msm, Toggle};
pub use trace::{Record, Stages};
pub use window::CostModel;

/// Most terms of one call: positions carry a sign in 32 bits, and the endomorphism doubles them.
pub const MAX_TERMS: usize = 1 << 30;

/// Inputs that no sum can be made of.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum MsmError {
    /// Not one scalar for every base.
    #[error("{bases} bases and {scalars} scalars, expected as many of both")]
    LengthMismatch {
        /// Number of bases.
        bases: usize,
        /// Number of scalars.
        scalars: usize,
    },
    /// More than [`MAX_TERMS`].
    #[error("{terms} terms, expected at most {MAX_TERMS}")]
    TooManyTerms {
        /// Number of terms.
        terms: usize,
    },
    /// This machine, or the curve's field, does not allow the backend asked for.
    #[error("backend {backend:?} is not available here for this curve")]
    Unavailable {
        /// The backend.
        backend: FieldBackend,
    },
    /// A window outside its range.
    #[error("window of {window} bits, expected 2 to 20")]
    Window {
        /// Bits asked for.
        window: u32,
    },
}

/// `sum_i scalars[i] bases[i]` with the default options.
///
/// # Errors
///
/// Returns [`MsmError`] if the lengths differ or exceed [`MAX_TERMS`].
pub fn msm<C: MsmCurve>(
    bases: &[Affine<C>],
    scalars: &[C::ScalarField],
) -> Result<Projective<C>, MsmError> {
    Msm::default().sum(bases, scalars)
}

/// As [`msm`], for scalars as integers, which may exceed the group's order.
///
/// # Errors
///
/// As for [`msm`].
pub fn msm_bigint<C: MsmCurve>(
    bases: &[Affine<C>],
    scalars: &[BigInt<4>],
) -> Result<Projective<C>, MsmError> {
    Msm::default().sum_bigint(bases, scalars)
}

/// One sum for each vector of scalars, over a common prefix of bases, with the default options.
///
/// # Errors
///
/// As for [`Msm::sum_batch`].
pub fn msm_batch<C: MsmCurve>(
    bases: &[Affine<C>],
    vectors: &[&[C::ScalarField]],
) -> Result<Vec<Projective<C>>, MsmError> {
    Msm::default().sum_batch(bases, vectors)
}
