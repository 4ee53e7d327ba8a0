//! What keys, lists of signatures and claims about signatures say.

use std::collections::HashMap;

use droste_native::F;
use droste_native::hash_signature::{StoredKey, VerifyError};
use serde::Serialize;

use super::{Evidence, integers};
use crate::aggregate::Aggregate;
use crate::xmss::{SignatureBatchClaim, SignatureClaims};

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

/// Which signatures an aggregate proves.
#[derive(Clone, Debug, Serialize)]
pub struct ClaimsSummary {
    /// Why the aggregate's keys are trusted.
    pub keys_are: Evidence,
    /// Proven bits that every proof of the tree has at least.
    pub proven_bits: usize,
    /// Proven bits of all proofs of the tree together.
    pub tree_bits: usize,
    /// Number of signatures. A key may have been given more than once.
    pub signatures: usize,
    /// Number of batches.
    pub batches: usize,
    /// What was signed, in the order of the batches that say it first.
    pub signed: Vec<SignedSummary>,
}

/// A message in a slot, and how many keys signed it.
#[derive(Clone, Debug, Serialize)]
pub struct SignedSummary {
    /// The slot.
    pub slot: u32,
    /// The message.
    pub message: Vec<u32>,
    /// Number of keys, each counted once.
    pub keys: usize,
    /// Number of signatures.
    pub signatures: usize,
    /// The keys that were given more than once, in the order in which they were given first.
    pub repeated: Vec<RepeatedKey>,
}

/// A key that was given more than once.
#[derive(Clone, Debug, Serialize)]
pub struct RepeatedKey {
    /// Its root.
    pub root: Vec<u32>,
    /// Its parameter.
    pub public_param: Vec<u32>,
    /// Number of times.
    pub times: usize,
}

impl SignedSummary {
    /// Counts the keys of batches of one message in one slot.
    fn new(slot: u32, message: &[F; 8], batches: &[&SignatureBatchClaim]) -> Self {
        let keys = || batches.iter().flat_map(|batch| &batch.keys);
        let mut times = HashMap::new();
        for key in keys() {
            *times.entry((key.root, key.parameter)).or_insert(0_usize) += 1;
        }
        let distinct = times.len();
        // What was listed is taken out, so that it is listed once.
        let repeated = keys().filter_map(|key| {
            let times = times.remove(&(key.root, key.parameter))?;
            if times == 1 {
                return None;
            }
            Some(RepeatedKey {
                root: integers(&key.root),
                public_param: integers(&key.parameter),
                times,
            })
        });
        Self {
            slot,
            message: integers(message),
            repeated: repeated.collect(),
            keys: distinct,
            signatures: keys().count(),
        }
    }
}

impl ClaimsSummary {
    /// Gathers what claims say that were checked against this aggregate.
    pub fn new(claims: &SignatureClaims, aggregate: &Aggregate, evidence: Evidence) -> Self {
        let accepted = aggregate.accepted();
        let signed = signed(&claims.batches);
        Self {
            keys_are: evidence,
            proven_bits: accepted.bits,
            tree_bits: accepted.tree_bits,
            signatures: signed.iter().map(|signed| signed.signatures).sum(),
            batches: claims.batches.len(),
            signed,
        }
    }
}

/// Puts the batches of one message in one slot together.
fn signed(batches: &[SignatureBatchClaim]) -> Vec<SignedSummary> {
    let mut groups: Vec<Vec<&SignatureBatchClaim>> = vec![];
    let mut places = HashMap::new();
    for batch in batches {
        let place = *places
            .entry((batch.slot, batch.message))
            .or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(batch),
            None => groups.push(vec![batch]),
        }
    }
    let groups = groups.iter().filter_map(|group| {
        let first = group.first()?;
        Some(SignedSummary::new(first.slot, &first.message, group))
    });
    groups.collect()
}

#[cfg(test)]
mod tests {
    use droste_native::hash_signature::PublicKey;
    use p3_field::PrimeCharacteristicRing;

    use super::*;

    #[test]
    fn keys_are_counted_once() {
        let key = |n: u32| PublicKey {
            root: [F::from_u32(n); 4],
            parameter: [F::ONE; 4],
        };
        let batch = |slot, keys: &[u32]| SignatureBatchClaim {
            slot,
            message: [F::TWO; 8],
            keys: keys.iter().map(|&n| key(n)).collect(),
        };
        let signed = signed(&[batch(5, &[1, 2, 1]), batch(6, &[1]), batch(5, &[3, 1, 2])]);
        let [five, six] = signed.as_slice() else {
            panic!("{signed:?}");
        };
        assert_eq!((five.slot, five.keys, five.signatures), (5, 3, 6));
        let repeated = five.repeated.iter().map(|key| (key.root[0], key.times));
        assert_eq!(repeated.collect::<Vec<_>>(), [(1, 3), (2, 2)]);
        assert_eq!((six.slot, six.keys, six.signatures), (6, 1, 1));
        assert!(six.repeated.is_empty());
    }
}
