//! Aggregation: wraps bring proofs of any shape to the canonical shape, and joins combine those.
//!
//! The recursion machine R has the tables of [`PRECOMPILES`](crate::circuit::PRECOMPILES). A proof
//! on R at the settings and heights of an [`Aggregator`] has the *canonical shape*: one program
//! joins all such proofs, whether they are wraps or joins. [`Aggregator::wrap`] brings any proof to
//! the canonical shape, through *intermediate shapes* if one step is not enough: a proof in Blake3
//! or Keccak is first verified on R extended by that hash's tables, and a proof whose verification
//! does not fit R's heights is first verified on R at larger heights.
//!
//! [`UnverifiedAggregate::verify`] is the last step of a chain of proofs: the caller checks one
//! proof against one digest of the accepted recursion keys ([`KeySet`](crate::keys::KeySet)) and
//! one claim. Only proofs that have been verified natively are wrapped and joined:
//! [`VerifiedProof`] and [`Aggregate`] can be made only by verifying a proof or by making one here.

#[cfg(feature = "prover")]
mod aggregator;
mod error;
#[cfg(feature = "prover")]
mod exit;
#[cfg(feature = "prover")]
mod leaves;
#[cfg(feature = "prover")]
mod level;
#[cfg(feature = "prover")]
mod outlook;
#[cfg(feature = "prover")]
mod preset;
#[cfg(feature = "prover")]
mod proof;
#[cfg(feature = "prover")]
mod shape;
#[cfg(feature = "prover")]
mod step;
mod verified;

#[cfg(feature = "prover")]
pub use aggregator::{AggregateError, Aggregator};
pub use error::{AcceptError, BitsError};
#[cfg(feature = "prover")]
pub use exit::{Exit, exit_settings, exit_statement};
#[cfg(feature = "prover")]
pub use level::{Level, NotCanonical};
#[cfg(feature = "prover")]
pub(crate) use outlook::permutations_of;
#[cfg(feature = "prover")]
pub use outlook::{RunFigures, StepOutlook};
#[cfg(feature = "prover")]
pub use proof::VerifiedProof;
#[cfg(feature = "prover")]
pub(crate) use shape::{least_heights, longer_rows, machine_of_r, settings_for, tables_of_r};
#[cfg(feature = "prover")]
pub use step::Step;
pub use verified::{Accepted, Aggregate, AggregateOptions, UnverifiedAggregate};
