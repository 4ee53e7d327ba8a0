//! What an aggregate says.

use std::collections::BTreeSet;

use droste_native::codec::EncodeError;
use droste_vm::key::KeyDigest;
use droste_vm::whir;
use serde::Serialize;

#[cfg(feature = "prover")]
use super::StepSummary;
use super::{FoldLeafSummary, SecuritySummary, integers};
use crate::aggregate::{Accepted, Aggregate, UnverifiedAggregate};
use crate::claim::{AcceptedLeaves, Claim, ClaimTree};
use crate::fold::FoldClaim;
use crate::keys::{ClaimedKeys, DigestKind, Evidence};
#[cfg(feature = "prover")]
use crate::resources::peak_memory;

/// What an aggregate says.
#[derive(Clone, Debug, Serialize)]
pub struct AggregateSummary {
    /// Digest of its recursion keys.
    pub key: String,
    /// A key set.
    pub key_is: DigestKind,
    /// Its claim.
    pub claim: String,
    /// Why the keys are trusted.
    pub keys_are: Evidence,
    /// Proven bits that every proof of the tree has at least, without ePrint 2026/2056.
    pub proven_bits: usize,
    /// Proven bits of all proofs of the tree together.
    pub tree_bits: usize,
    /// Every term of the bits of the proof at the root.
    pub root_security: SecuritySummary,
    /// Number of proofs in the tree.
    pub proofs: u64,
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
    /// The steps that made it from its children; none if it was read.
    #[cfg(feature = "prover")]
    pub steps: Vec<StepSummary>,
    /// Its recursion keys.
    pub recursion_keys: Vec<RecursionKey>,
    /// Number of leaves of the tree.
    pub leaves: usize,
    /// The keys that the leaves were allowed to have.
    pub accepted_leaves: AcceptedLeaves,
    /// Keys of leaves that are known as keys of recursion programs
    /// ([`crate::keys::Deriver::hidden_leaves`]).
    pub hidden_leaves: Vec<String>,
    /// What leaves say that are folds, if claims opened them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub folds: Vec<FoldLeafSummary>,
    /// Keys and statements of its proofs.
    pub tree: Node,
}

/// A recursion key of an aggregate.
#[derive(Clone, Debug, Serialize)]
pub struct RecursionKey {
    /// Its digest.
    pub key: String,
    /// Proven bits of the proofs that its program verifies.
    pub bits_of_children: usize,
}

/// A proof of the tree.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Node {
    /// One that shows no children.
    Leaf {
        /// Digest of its key.
        key: String,
        /// What it says.
        statement: Vec<u32>,
    },
    /// A recursion proof.
    Inner {
        /// Digest of its key.
        key: String,
        /// The proofs that it verified.
        children: Vec<Node>,
    },
}

impl Node {
    /// The keys and statements of a tree.
    pub fn new(tree: &ClaimTree) -> Self {
        let key = tree.key.to_string();
        match &tree.claim {
            Claim::Statement(statement) => Self::Leaf {
                key,
                statement: integers(statement),
            },
            Claim::Children(children) => Self::Inner {
                key,
                children: children.iter().map(Self::new).collect(),
            },
        }
    }
}

impl AggregateSummary {
    /// Summary of an aggregate that was accepted in `verify_ms` milliseconds, because of
    /// `evidence`.
    ///
    /// # Errors
    /// If its proof cannot be encoded, so its bytes cannot be counted.
    pub fn new(
        aggregate: &Aggregate,
        evidence: Evidence,
        verify_ms: f64,
    ) -> Result<Self, EncodeError> {
        let (proof, tree) = (aggregate.proof(), aggregate.tree());
        let parts = (proof, tree, aggregate.keys().claimed());
        Ok(Self {
            #[cfg(feature = "prover")]
            steps: aggregate.steps().iter().map(StepSummary::new).collect(),
            ..Self::of(parts, aggregate.accepted(), evidence, verify_ms)?
        })
    }

    /// Summary of an aggregate whose recursion keys were not checked, only claimed by its file.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn claimed(
        aggregate: &UnverifiedAggregate,
        accepted: &Accepted,
        verify_ms: f64,
    ) -> Result<Self, EncodeError> {
        let parts = (&aggregate.proof, &aggregate.tree, &aggregate.keys);
        Self::of(parts, accepted, Evidence::Claimed, verify_ms)
    }

    /// Lists leaves that hide what they verified.
    #[must_use]
    pub fn with_hidden_leaves(self, keys: &BTreeSet<KeyDigest>) -> Self {
        Self {
            hidden_leaves: keys.iter().map(KeyDigest::to_string).collect(),
            ..self
        }
    }

    /// Lists the folds that claims opened, and counts the proofs below them: `accepted` is what
    /// [`Aggregate::with_folds`] returned for these claims.
    #[must_use]
    pub fn with_folds(self, accepted: &Accepted, claims: &[FoldClaim]) -> Self {
        // A claim that is given twice says no more than once.
        let mut said = BTreeSet::new();
        let claims = claims.iter().filter(|claim| said.insert(claim.statement()));
        Self {
            proven_bits: accepted.bits,
            tree_bits: accepted.tree_bits,
            proofs: accepted.proofs,
            folds: claims.map(FoldLeafSummary::new).collect(),
            ..self
        }
    }

    fn of(
        (proof, tree, keys): (&whir::Proof, &ClaimTree, &ClaimedKeys),
        accepted: &Accepted,
        evidence: Evidence,
        verify_ms: f64,
    ) -> Result<Self, EncodeError> {
        let recursion_keys = keys.iter().map(|(key, listed)| RecursionKey {
            key: key.to_string(),
            bits_of_children: listed.bits,
        });
        Ok(Self {
            key: keys.digest().to_string(),
            key_is: DigestKind::KeySet,
            claim: KeyDigest(proof.statement).to_string(),
            keys_are: evidence,
            proven_bits: accepted.bits,
            tree_bits: accepted.tree_bits,
            root_security: SecuritySummary::new(&accepted.root.security),
            proofs: accepted.proofs,
            blowup: 1 << proof.key.settings.log_blowup,
            queries: proof.stark.opening.first_queries(),
            verify_ms,
            proof_bytes: whir::encoded_length(proof)?,
            #[cfg(feature = "prover")]
            peak_rss_bytes: peak_memory(),
            #[cfg(feature = "prover")]
            steps: vec![],
            recursion_keys: recursion_keys.collect(),
            leaves: tree.leaves().len(),
            accepted_leaves: accepted.leaves.clone(),
            hidden_leaves: vec![],
            folds: vec![],
            tree: Node::new(tree),
        })
    }
}
