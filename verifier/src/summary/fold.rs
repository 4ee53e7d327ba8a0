//! What a fold says, and what its rules are.

use droste_native::codec::EncodeError;
use droste_native::stark::security::DIGEST_COLLISION_BITS;
use droste_vm::whir;
use serde::Serialize;

#[cfg(feature = "prover")]
use super::StepSummary;
use super::{SecuritySummary, integers};
use crate::fold::{Accepted, Counters, Family, FoldClaim, Folded, UnverifiedFold};
use crate::keys::{DigestKind, Evidence};
#[cfg(feature = "prover")]
use crate::resources::peak_memory;

/// What a fold says.
#[derive(Clone, Debug, Serialize)]
pub struct FoldSummary {
    /// Digest of its rules and their bits.
    pub key: String,
    /// A fold key.
    pub key_is: DigestKind,
    /// Why the key is trusted.
    pub keys_are: Evidence,
    /// Key of the rule at the root.
    pub rule: String,
    /// Keys of all rules, ascending.
    pub rules: Vec<String>,
    /// What it says: blocks of eight elements.
    pub state: Vec<Vec<u32>>,
    /// What its proof states: the digest of key, counters and state.
    pub statement: Vec<u32>,
    /// What is counted of its proofs, which the proof shows.
    pub counters: Counters,
    /// Number of its proofs.
    pub proofs: u64,
    /// Proven bits that every proof has at least, without ePrint 2026/2056.
    pub proven_bits: usize,
    /// Proven bits of all proofs together.
    pub tree_bits: usize,
    /// Proven bits of each proof of canonical shape below the root.
    pub bits_of_rules: u16,
    /// Proven bits that each proof behind a wrap has at least.
    pub bits_behind: u16,
    /// Every term of the bits of the proof at the root.
    pub root_security: SecuritySummary,
    /// Blowup of the proof at the root.
    pub blowup: usize,
    /// Queries of the proof at the root to the commitment to its tables; later ones have fewer.
    pub queries: usize,
    /// Time to verify it.
    pub verify_ms: f64,
    /// Bytes of the proof at the root.
    pub proof_bytes: usize,
    /// Largest resident memory of the process so far.
    #[cfg(feature = "prover")]
    pub peak_rss_bytes: Option<usize>,
    /// The step that made it; none if it was read.
    #[cfg(feature = "prover")]
    pub steps: Vec<StepSummary>,
}

/// The rules of a fold.
#[derive(Clone, Debug, Serialize)]
pub struct FamilySummary {
    /// Digest of the rules and their bits.
    pub key: String,
    /// A fold key.
    pub key_is: DigestKind,
    /// Keys of the rules, ascending.
    pub rules: Vec<String>,
    /// Proven bits of each proof of canonical shape that a rule verifies.
    pub bits_of_rules: u16,
    /// Proven bits that each proof behind a wrap has at least.
    pub bits_behind: u16,
    /// Bits against collisions of digests, which these keys are.
    pub digest_collision_bits: f64,
}

/// What a leaf of an aggregate says that is a fold.
#[derive(Clone, Debug, Serialize)]
pub struct FoldLeafSummary {
    /// Its fold key.
    pub key: String,
    /// What its proof states: the digest of key, counters and state.
    pub statement: Vec<u32>,
    /// What is counted of its proofs.
    pub counters: Counters,
    /// What it says: blocks of eight elements.
    pub state: Vec<Vec<u32>>,
}

impl FoldLeafSummary {
    /// Says what a claim says that opened a leaf.
    pub fn new(claim: &FoldClaim) -> Self {
        Self {
            key: claim.key().to_string(),
            statement: integers(&claim.statement()),
            counters: claim.counters,
            state: claim.state.iter().map(|block| integers(block)).collect(),
        }
    }
}

impl FamilySummary {
    /// Says what a fold's rules are.
    pub fn new(family: &Family) -> Self {
        Self {
            key: family.key().to_string(),
            key_is: DigestKind::FoldKey,
            rules: rules(family),
            bits_of_rules: family.bits,
            bits_behind: family.bits_behind,
            digest_collision_bits: DIGEST_COLLISION_BITS,
        }
    }
}

/// Keys of rules as text.
fn rules(family: &Family) -> Vec<String> {
    let keys = family.keys.iter();
    keys.map(ToString::to_string).collect()
}

impl FoldSummary {
    /// Gathers what an accepted fold says, and why its key is trusted.
    ///
    /// # Errors
    /// If its proof cannot be encoded, so its bytes cannot be counted.
    pub fn new(folded: &Folded, verify_ms: f64) -> Result<Self, EncodeError> {
        let (fold, accepted) = (folded.unverified(), folded.accepted());
        Ok(Self {
            #[cfg(feature = "prover")]
            steps: folded.steps().iter().map(StepSummary::new).collect(),
            ..Self::of(fold, accepted, folded.evidence(), verify_ms)?
        })
    }

    /// Summary of a fold whose rules were not checked, only claimed by its file.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn claimed(
        fold: &UnverifiedFold,
        accepted: &Accepted,
        verify_ms: f64,
    ) -> Result<Self, EncodeError> {
        Self::of(fold, accepted, Evidence::Claimed, verify_ms)
    }

    fn of(
        fold: &UnverifiedFold,
        accepted: &Accepted,
        evidence: Evidence,
        verify_ms: f64,
    ) -> Result<Self, EncodeError> {
        let (family, proof) = (&fold.family, &fold.proof);
        Ok(Self {
            key: family.key().to_string(),
            key_is: DigestKind::FoldKey,
            keys_are: evidence,
            rule: proof.key.digest().to_string(),
            rules: rules(family),
            state: fold.state.iter().map(|block| integers(block)).collect(),
            statement: integers(&proof.statement),
            counters: fold.counters,
            proofs: fold.counters.proofs(),
            proven_bits: accepted.bits,
            tree_bits: accepted.tree_bits,
            bits_of_rules: family.bits,
            bits_behind: family.bits_behind,
            root_security: SecuritySummary::new(&accepted.root.security),
            blowup: 1 << proof.key.settings.log_blowup,
            queries: proof.stark.opening.first_queries(),
            verify_ms,
            proof_bytes: whir::encoded_length(proof)?,
            #[cfg(feature = "prover")]
            peak_rss_bytes: peak_memory(),
            #[cfg(feature = "prover")]
            steps: vec![],
        })
    }
}
