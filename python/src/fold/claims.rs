//! Folds that are leaves of aggregates.

use std::collections::BTreeSet;

use droste_verifier::aggregate::{Aggregate, AggregateOptions};
use droste_verifier::fold::FoldClaim;
use droste_verifier::summary::AggregateSummary;
use droste_vm::key::KeyDigest;
use pyo3::prelude::*;

use crate::error::Error;
use crate::extract;
use crate::trust::digest;

/// What leaves of an aggregate say that are folds, and the fold keys that the caller accepts.
pub struct FoldLeaves {
    claims: Vec<FoldClaim>,
    keys: Vec<KeyDigest>,
}

impl FoldLeaves {
    /// Takes claims as `Folded.claim` returns them, and keys as text; no keys without claims.
    pub fn new(claims: Option<&Bound<'_, PyAny>>, keys: &[String]) -> PyResult<Self> {
        let claims = claims.map(|claims| extract::record(claims, "claims of folds"));
        let claims: Vec<FoldClaim> = claims.transpose()?.unwrap_or_default();
        // They would be compared with nothing.
        if claims.is_empty() && !keys.is_empty() {
            let message = "fold_keys are those of folds which fold_claims open: give the claims";
            return Err(Error::usage(message).into());
        }
        let keys = keys.iter().map(|key| digest(key));
        Ok(Self {
            claims,
            keys: keys.collect::<Result<_, _>>()?,
        })
    }

    /// Whether there are any.
    pub fn are_given(&self) -> bool {
        !self.claims.is_empty()
    }

    /// The keys of their rules.
    pub fn rules(&self) -> BTreeSet<KeyDigest> {
        let keys = self.claims.iter().flat_map(|claim| &claim.family.keys);
        keys.copied().collect()
    }

    /// Adds them, and counts the proofs below them, in what an aggregate says.
    ///
    /// # Errors
    /// If a claim is of no leaf or has another fold key, or there are too few bits.
    pub fn count(
        &self,
        aggregate: &Aggregate,
        options: AggregateOptions,
        says: AggregateSummary,
    ) -> Result<AggregateSummary, Error> {
        if !self.are_given() {
            return Ok(says);
        }
        let accepted = aggregate.with_folds(&self.claims, &self.keys)?;
        accepted.check(options)?;
        Ok(says.with_folds(&accepted, &self.claims))
    }
}
