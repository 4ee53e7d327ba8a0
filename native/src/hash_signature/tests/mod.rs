//! Shared by the tests: the vectors of another implementation, and a small scheme.

mod batch;
mod encoding;
mod key;
mod verify;

use std::sync::LazyLock;

use serde::Deserialize;

use super::*;
use crate::field::F;

/// Four signatures that leanMultisig made, in its Poseidon snapshot of May 2026.
const VECTORS: &str = include_str!("../../../tests/xmss.json");

/// An entry of the vectors.
#[derive(Deserialize)]
struct Entry {
    slot: u32,
    message: [u32; 8],
    root: [u32; 4],
    public_param: [u32; 4],
    randomness: [u32; 6],
    encoding: Vec<u8>,
    chain_tips: Vec<[u32; 4]>,
    path: Vec<[u32; 4]>,
}

/// A message that a key signed in a slot.
#[derive(Clone, Debug)]
struct Signed {
    public_key: PublicKey,
    slot: u32,
    message: [F; 8],
    signature: Signature,
    digits: Vec<u8>,
}

impl Signed {
    fn claim(&self) -> Claim<'_> {
        Claim {
            public_key: &self.public_key,
            slot: self.slot,
            message: &self.message,
            signature: &self.signature,
        }
    }

    fn verify(&self, scheme: &Xmss) -> Result<(), VerifyError> {
        scheme.verify(&self.public_key, self.slot, &self.message, &self.signature)
    }
}

fn elements<const N: usize>(values: [u32; N]) -> [F; N] {
    values.map(F::new)
}

fn vectors() -> Vec<Signed> {
    let entries: Vec<Entry> = serde_json::from_str(VECTORS).unwrap();
    let signed = entries.into_iter().map(|entry| Signed {
        public_key: PublicKey {
            root: elements(entry.root),
            parameter: elements(entry.public_param),
        },
        slot: entry.slot,
        message: elements(entry.message),
        signature: Signature {
            randomness: elements(entry.randomness),
            chain_values: entry.chain_tips.into_iter().map(elements).collect(),
            path: entry.path.into_iter().map(elements).collect(),
        },
        digits: entry.encoding,
    });
    signed.collect()
}

/// A scheme whose keys take little work: about one message of six has the sum.
const SMALL: Parameters = Parameters {
    chains: 8,
    bits: 2,
    levels: 4,
    target_sum: 14,
};

fn small() -> Xmss {
    Xmss::new(SMALL).unwrap()
}

fn small_key() -> &'static SecretKey {
    static KEY: LazyLock<SecretKey> =
        LazyLock::new(|| SecretKey::generate(small(), &[1; 32], 3..=8).unwrap());
    &KEY
}

fn message(start: u32) -> [F; 8] {
    std::array::from_fn(|i| F::new(start + i as u32))
}

/// A message, signed by the key.
fn signed(key: &SecretKey, slot: u32, message: [F; 8]) -> Signed {
    Signed {
        public_key: key.public_key(),
        slot,
        message,
        signature: key.sign(slot, &message).unwrap(),
        digits: Vec::new(),
    }
}
