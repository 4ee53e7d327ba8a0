//! What a set of recursion keys consists of.

use droste_native::HashId;
use droste_native::stark::security::DIGEST_COLLISION_BITS;
use droste_vm::key::KeyDigest;
use serde::Serialize;

use crate::keys::{Children, DigestKind, KeySet};

/// A set of recursion keys.
#[derive(Clone, Debug, Serialize)]
pub struct KeysSummary {
    /// Digest of the set.
    pub key: String,
    /// A key set.
    pub key_is: DigestKind,
    /// The keys, ascending.
    pub keys: Vec<KeySummary>,
    /// Bits against collisions of digests, which these keys are.
    pub digest_collision_bits: f64,
    /// Time to derive them.
    pub derive_ms: f64,
}

/// A recursion key.
#[derive(Clone, Debug, Serialize)]
pub struct KeySummary {
    /// Its digest.
    pub key: String,
    /// Hash of the proofs that the key's program verifies; none if it verifies proofs of other
    /// AIRs.
    pub hash: Option<HashId>,
    /// Number of proofs that the program verifies.
    pub children: usize,
    /// Proven bits of each of them.
    pub bits_of_children: usize,
}

impl KeysSummary {
    /// Gathers what a set of keys consists of.
    pub fn new(keys: &KeySet, derive_ms: f64) -> Self {
        let line = |key: KeyDigest, bits, children: &Children| {
            let (hash, children) = match children {
                Children::Programs { shape, count } => (Some(shape.hash), *count),
                Children::OwnMachine { shape, .. } | Children::Opened { shape } => {
                    (Some(shape.hash), 1)
                }
                Children::Airs { .. } | Children::OpenedAirs { .. } => (None, 1),
                Children::Paths(_) | Children::Calls(_) => (Some(HashId::Poseidon16), 1),
            };
            KeySummary {
                key: key.to_string(),
                hash,
                children,
                bits_of_children: bits,
            }
        };
        let lines = keys.claimed().iter();
        let lines = lines.map(|(key, listed)| line(key, listed.bits, &listed.recipe.children));
        Self {
            key: keys.digest().to_string(),
            key_is: DigestKind::KeySet,
            keys: lines.collect(),
            digest_collision_bits: DIGEST_COLLISION_BITS,
            derive_ms,
        }
    }
}
