//! Shared by the tests: the vectors of another implementation, and a small scheme.

mod batch;
mod bytes;
mod encoding;
mod key;
mod stored;
mod verify;

use std::sync::LazyLock;

use super::*;
use crate::field::F;

/// Four signatures that were made by another implementation: leanMultisig, in its Poseidon snapshot
/// of May 2026.
const VECTORS: &str = include_str!("../../../tests/xmss.json");

fn elements<const N: usize>(values: [u32; N]) -> [F; N] {
    values.map(F::new)
}

fn vectors() -> Vec<SignedMessage> {
    serde_json::from_str(VECTORS).unwrap()
}

fn verify(scheme: &Xmss, signed: &SignedMessage) -> Result<(), VerifyError> {
    let claim = signed.claim();
    scheme.verify(claim.public_key, claim.slot, claim.message, claim.signature)
}

/// A scheme whose keys take little work: about one message of ten has the sum.
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
fn signed(key: &SecretKey, slot: u32, message: [F; 8]) -> SignedMessage {
    SignedMessage {
        public_key: key.public_key(),
        slot,
        message,
        signature: key.sign(slot, &message).unwrap(),
    }
}
