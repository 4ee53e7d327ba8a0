//! A multilinear commitment scheme: the columns of all tables as one polynomial, opened by WHIR
//! (ePrint 2024/1586), in any of the hash suites.
//!
//! The *stack* ([`Layout`]) is a multilinear polynomial `f` whose cells are those of all columns.
//! Its rows, of `2^log_block` cells each, are encoded and committed to as one codeword of vectors
//! ([`Scheme::commit`]); main and preprocessed columns have rows of their own, and a commitment
//! each. An opening proves weighted sums of the cells ([`Claim`]), such as the values of columns at
//! points.
//!
//! Numbers of queries, samples outside the domain and grinding are those of Plonky3's
//! `p3_whir::WhirConfig`. The protocol is WHIR's, with a first fold that binds the variables which
//! choose a row: before it, the prover handles `2^row_variables` partial sums of each claim instead
//! of all cells with weights of the extension field.
//!
//! - [`settings`]: settings, and the schedule of commitments.
//! - [`layout`]: where columns lie.
//! - [`claims`]: claims and their weights.
//! - [`proof`]: what the prover sends.
//! - `commit`, `prover`, `verifier`: the protocol. [`Scheme::verify`] lists what it checks.
//! - [`security`]: the terms of the proven security.

pub mod claims;
#[cfg(feature = "prover")]
#[allow(
    clippy::indexing_slicing,
    reason = "the prover's own rows, of lengths that are checked when they are committed to"
)]
mod commit;
#[cfg(feature = "prover")]
#[allow(
    clippy::indexing_slicing,
    reason = "packed rows and weights of the prover, whose lengths are powers of two"
)]
mod kernels;
pub mod layout;
pub mod proof;
#[cfg(feature = "prover")]
mod prover;
mod scheme;
pub mod security;
pub mod settings;
#[cfg(feature = "prover")]
#[allow(
    clippy::indexing_slicing,
    reason = "the prover's own tables, whose lengths are powers of two"
)]
mod sumcheck;
#[cfg(feature = "prover")]
#[allow(
    clippy::indexing_slicing,
    reason = "the prover's own claims, whose variables are counted before"
)]
mod sums;
#[cfg(test)]
mod tests;
mod verifier;
#[cfg(feature = "prover")]
#[allow(
    clippy::indexing_slicing,
    reason = "the prover's own claims, whose variables are counted before"
)]
mod weights;

pub use claims::{Claim, Rows};
#[cfg(feature = "prover")]
pub use commit::Committed;
pub use layout::{Layout, LayoutError, MAX_ROW_VARIABLES, Region, TableRegions, TableShape};
pub use proof::{OpenedTree, Opening, Queries, Round, Sumcheck};
#[cfg(feature = "prover")]
pub use prover::{OpenError, Outside};
pub use scheme::{Scheme, check_work, grind};
pub use security::{LIST_DECODING, field_bits};
pub use settings::{CommitmentStep, Parameters, Schedule, WhirSettings, WhirSettingsError};
pub use verifier::OpeningError;

#[cfg(feature = "prover")]
crate::compiled! {
    H: Scheme::<H>::new, Scheme::<H>::commit, Scheme::<H>::outside, Scheme::<H>::open,
    Scheme::<H>::sample_outside, Scheme::<H>::verify, Scheme::<H>::restore_paths,
    Scheme::<H>::security,
}
