//! What proofs, aggregates, folds and sets of keys say, as values that serialize to named fields.
//!
//! The command prints these with `--format json`, and the Python package returns them as
//! dictionaries. They hold figures for people: what is verified, and against what, is up to whoever
//! makes them.

mod aggregate;
mod fold;
mod keys;
#[cfg(feature = "prover")]
mod leaf_root;
#[cfg(feature = "prover")]
mod proof;
mod security;
#[cfg(feature = "prover")]
mod signatures;
#[cfg(feature = "prover")]
mod step;

use std::error::Error;
use std::time::Duration;

use droste_native::F;
use p3_field::PrimeField32;

pub use crate::keys::{DigestKind, Evidence};
pub use aggregate::{AggregateSummary, Node, RecursionKey};
pub use fold::{FamilySummary, FoldLeafSummary, FoldSummary};
pub use keys::{KeySummary, KeysSummary};
#[cfg(feature = "prover")]
pub use leaf_root::{ExitKeysSummary, LeafRootSummary, LeafSummary, RegistrySummary};
#[cfg(feature = "prover")]
pub(crate) use proof::kind_of_key;
#[cfg(feature = "prover")]
pub use proof::{ProofSummary, TableSummary};
pub use security::{SecuritySummary, digests};
#[cfg(feature = "prover")]
pub use signatures::{InvalidSignature, SignaturesSummary, SignersSummary, StoredKeySummary};
#[cfg(feature = "prover")]
pub use step::StepSummary;

/// Milliseconds of a duration.
pub const fn milliseconds(duration: Duration) -> f64 {
    duration.as_nanos() as f64 / 1e6
}

/// An error and its causes, outermost first, joined by colons. A cause whose text an error already
/// contains is not repeated.
pub fn causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let words = cause.to_string();
        if !text.ends_with(&words) {
            text = format!("{text}: {words}");
        }
        next = cause.source();
    }
    text
}

/// The canonical integers of field elements.
pub fn integers(elements: &[F]) -> Vec<u32> {
    elements.iter().map(F::as_canonical_u32).collect()
}
