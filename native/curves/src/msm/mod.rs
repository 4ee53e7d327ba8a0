//! Multi-scalar multiplication `sum_i k_i P_i`, in stages.
//!
//! [`msm`] can replace `VariableBaseMSM::msm`:
//!
//! ```
//! use ark_bn254::{Fr, G1Affine, G1Projective};
//! use ark_ec::{AffineRepr, PrimeGroup};
//!
//! let bases = [G1Affine::generator(); 3];
//! let scalars = [Fr::from(2u64), Fr::from(3u64), -Fr::from(4u64)];
//! let sum = droste_curves::msm::msm(&bases, &scalars)?;
//! assert_eq!(sum, G1Projective::generator());
//! # Ok::<(), droste_curves::msm::MsmError>(())
//! ```
//!
//! The stages have one module each: `scan` (which terms count, how long scalars are), `small` (few
//! terms), `duplicates` (equal scalars), `endomorphism` (split scalars), `recode` (signed windows),
//! `window` (their size, by a cost model), `schedule` (counting sort into buckets), `accumulate`
//! (batch-affine sums of buckets), `halves` (joins the bucket sums of split scalars), `reduce`
//! (affine bucket reduction), `combine` (one pass of doublings). Scalars are kept in `planes`, and
//! each worker takes its memory from an `arena`.
//!
//! Every path accepts any input: identities, repeated points, opposite points and any scalar.
//! Nothing here runs in constant time, so scalars must not be secret.

mod accumulate;
mod arena;
mod backend;
mod combine;
mod curve;
mod duplicates;
mod endomorphism;
mod execute;
pub(crate) mod field;
mod halves;
#[cfg(target_arch = "x86_64")]
mod ifma;
mod options;
mod parallel;
mod plan;
mod planes;
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

/// Largest number of terms of one call. Positions share 32 bits with a sign, and sums of terms with
/// equal scalars have positions, too.
pub const MAX_TERMS: usize = 1 << 30;

/// Why a sum cannot be computed.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum MsmError {
    /// The numbers of scalars and bases differ.
    #[error("{bases} bases and {scalars} scalars, expected as many bases as scalars")]
    LengthMismatch {
        /// Number of bases.
        bases: usize,
        /// Number of scalars.
        scalars: usize,
    },
    /// There are more than [`MAX_TERMS`] terms.
    #[error("{0} terms, expected at most {MAX_TERMS}")]
    TooManyTerms(usize),
    /// The backend asked for does not run on this machine, or does not support the curve's field.
    #[error("backend {0:?} does not run on this machine or does not support this curve")]
    Unavailable(FieldBackend),
    /// The window asked for is too small or too large.
    #[error("a window of {0} bits was asked for, expected 2 to 20")]
    Window(u32),
}

/// Returns `sum_i scalars[i] bases[i]`, with the default options.
///
/// # Errors
/// Returns [`MsmError`] if the lengths differ or exceed [`MAX_TERMS`].
pub fn msm<C: MsmCurve>(
    bases: &[Affine<C>],
    scalars: &[C::ScalarField],
) -> Result<Projective<C>, MsmError> {
    Msm::default().sum(bases, scalars)
}

/// Like [`msm`], for scalars given as integers, which may exceed the group's order.
pub fn msm_bigint<C: MsmCurve>(
    bases: &[Affine<C>],
    scalars: &[BigInt<4>],
) -> Result<Projective<C>, MsmError> {
    Msm::default().sum_bigint(bases, scalars)
}

/// Returns one sum for each vector of scalars, over a common prefix of the bases, with the default
/// options.
pub fn msm_batch<C: MsmCurve>(
    bases: &[Affine<C>],
    vectors: &[&[C::ScalarField]],
) -> Result<Vec<Projective<C>>, MsmError> {
    Msm::default().sum_batch(bases, vectors)
}
