//! XMSS signatures by keys of a registry: batches of them, natively and in the machine, and folds of
//! batches.

mod batches;
mod folds;

use droste_native::F;
use droste_native::hash_signature::{Parameters, SecretKey, SignedMessage, Xmss};

/// Seven chains' digits would be three pairs and a half, so four pairs: a whole element; ten chains
/// have an element that is used in part.
const SMALL: Parameters = Parameters {
    chains: 10,
    bits: 3,
    levels: 3,
    target_sum: 44,
};

const MESSAGE: [F; 8] = F::new_array([7, 8, 11, 16, 23, 32, 43, 56]);

/// A key of a scheme that signs the message in the slot.
fn signed(scheme: Xmss, seed: u8, slot: u32) -> SignedMessage {
    let key = SecretKey::generate(scheme, &[seed; 32], slot..=slot).expect("a key");
    SignedMessage::new(&key, slot, MESSAGE).expect("a signature")
}
