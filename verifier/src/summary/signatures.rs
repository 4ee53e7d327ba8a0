//! What keys, lists of signatures and claims about signatures say.

use droste_native::hash_signature::{StoredKey, VerifyError};
use serde::Serialize;

use super::{Evidence, integers};
use crate::aggregate::Aggregate;
use crate::xmss::SignatureClaims;

/// A signing key.
#[derive(Clone, Debug, Serialize)]
pub struct StoredKeySummary {
    /// Root of its public part.
    pub root: Vec<u32>,
    /// Parameter of its public part.
    pub public_param: Vec<u32>,
    /// First slot in which it could sign.
    pub first_slot: u32,
    /// Last slot in which it can sign.
    pub last_slot: u32,
    /// The first slot that is not spent.
    pub next_slot: Option<u32>,
}

impl StoredKeySummary {
    /// Says what is left of a key.
    pub fn new(key: &StoredKey) -> Self {
        let (public, slots) = (key.public_key(), key.slots());
        Self {
            root: integers(&public.root),
            public_param: integers(&public.parameter),
            first_slot: *slots.start(),
            last_slot: *slots.end(),
            next_slot: key.next_slot(),
        }
    }
}

/// Which signatures of a list are valid.
#[derive(Clone, Debug, Serialize)]
pub struct SignaturesSummary {
    /// Number of signatures.
    pub signatures: usize,
    /// Those that are not valid.
    pub invalid: Vec<InvalidSignature>,
}

/// A signature that is not valid.
#[derive(Clone, Debug, Serialize)]
pub struct InvalidSignature {
    /// Index of the signature in the list, from 0.
    pub index: usize,
    /// Why it is not valid.
    pub reason: String,
}

impl SignaturesSummary {
    /// Gathers the results of verifying the signatures of a list.
    pub fn new(results: &[Result<(), VerifyError>]) -> Self {
        let invalid = results.iter().enumerate().filter_map(|(index, result)| {
            let reason = result.as_ref().err()?.to_string();
            Some(InvalidSignature { index, reason })
        });
        Self {
            signatures: results.len(),
            invalid: invalid.collect(),
        }
    }
}

/// Which batches of signatures an aggregate proves.
#[derive(Clone, Debug, Serialize)]
pub struct ClaimsSummary {
    /// Why the aggregate's keys are trusted.
    pub keys_are: Evidence,
    /// Proven bits that every proof of the tree has at least.
    pub proven_bits: usize,
    /// Proven bits of all proofs of the tree together.
    pub tree_bits: usize,
    /// Number of signatures.
    pub signatures: usize,
    /// The batches, in order.
    pub batches: Vec<BatchSummary>,
}

/// A batch of signatures.
#[derive(Clone, Debug, Serialize)]
pub struct BatchSummary {
    /// The slot.
    pub slot: u32,
    /// The message.
    pub message: Vec<u32>,
    /// Number of keys.
    pub keys: usize,
}

impl ClaimsSummary {
    /// Gathers what claims say that were checked against this aggregate.
    pub fn new(claims: &SignatureClaims, aggregate: &Aggregate, evidence: Evidence) -> Self {
        let accepted = aggregate.accepted();
        let batches = claims.batches.iter().map(|batch| BatchSummary {
            slot: batch.slot,
            message: integers(&batch.message),
            keys: batch.keys.len(),
        });
        Self {
            keys_are: evidence,
            proven_bits: accepted.bits,
            tree_bits: accepted.tree_bits,
            signatures: claims.batches.iter().map(|batch| batch.keys.len()).sum(),
            batches: batches.collect(),
        }
    }
}
