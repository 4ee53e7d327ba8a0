//! What keys, lists of signatures and folds of signatures say.

use droste_native::hash_signature::{StoredKey, VerifyError};
use droste_vm::key::KeyDigest;
use serde::Serialize;

use super::{FoldSummary, integers};
use crate::xmss::{Registry, Signers, SignersClaim};

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

/// Which keys of a registry a fold shows to have signed.
#[derive(Clone, Debug, Serialize)]
pub struct SignersSummary {
    /// The slot.
    pub slot: u32,
    /// The message.
    pub message: Vec<u32>,
    /// Root of the registry.
    pub registry: String,
    /// Number of keys of the registry, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keys: Option<usize>,
    /// Number of keys that have signed, each counted once.
    pub count: u32,
    /// Digest of the set of these keys.
    pub signers_digest: String,
    /// Their places in the registry, from 0, if they were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signers: Option<Vec<usize>>,
    /// What was verified.
    #[serde(flatten)]
    pub fold: FoldSummary,
}

impl SignersSummary {
    /// Gathers what a fold says, with the registry and the signers with which it was compared, if
    /// it was.
    pub fn new(
        claim: &SignersClaim,
        registry: Option<&Registry>,
        signers: Option<&Signers>,
        fold: FoldSummary,
    ) -> Self {
        Self {
            slot: claim.slot,
            message: integers(&claim.message),
            registry: KeyDigest(claim.registry).to_string(),
            keys: registry.map(|registry| registry.keys().len()),
            count: claim.count,
            signers_digest: KeyDigest(claim.signers).to_string(),
            signers: signers.map(|signers| signers.places().collect()),
            fold,
        }
    }
}
