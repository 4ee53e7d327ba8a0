//! What a key draws from its seed.
//!
//! The function is BLAKE3's keyed mode with extended output. Its key is derived from the seed in
//! BLAKE3's mode for that, together with the parameters and the range of slots: keys that differ in
//! any of these have nothing in common, even if their seeds are the same.

use std::ops::RangeInclusive;

use super::{Fixed, Parameters};

/// The context of the derivation, which no other use of BLAKE3 shares.
const CONTEXT: &str = "droste 2026 hash_signature pseudorandom function of a key";

/// What is drawn, and for what.
#[derive(Clone, Copy, Debug)]
pub(super) enum Draw<'a> {
    /// The public parameter.
    Parameter,
    /// The first values of all chains of a slot, in order.
    Chains { slot: u32 },
    /// A Merkle node that has no slot of the key below it.
    Node { level: u32, index: u32 },
    /// Randomness for a message's digest.
    Randomness {
        slot: u32,
        message: &'a [u8],
        attempt: u32,
    },
}

/// A pseudorandom function with its key.
#[derive(Clone)]
pub(super) struct Pseudorandom {
    key: [u8; 32],
}

impl Pseudorandom {
    /// The function for keys of the hash of this name.
    pub(super) fn new(
        hash: &str,
        seed: &[u8; 32],
        parameters: &Parameters,
        slots: &RangeInclusive<u32>,
    ) -> Self {
        let Parameters {
            chains,
            bits,
            levels,
            target_sum,
        } = *parameters;
        let mut hasher = blake3::Hasher::new_derive_key(CONTEXT);
        hasher.update(seed);
        for number in [
            chains,
            bits,
            levels,
            target_sum,
            *slots.start(),
            *slots.end(),
        ] {
            hasher.update(&number.to_le_bytes());
        }
        // Everything before the name has a fixed length.
        hasher.update(hash.as_bytes());
        Self {
            key: hasher.finalize().into(),
        }
    }

    /// A stream of uniform words.
    pub(super) fn words(&self, draw: Draw<'_>) -> impl FnMut() -> [u8; 4] {
        // The first byte, which `code` continues, tells the inputs of one kind from the others';
        // the message, which alone has another length, is last.
        let (kind, numbers, message): (u8, [u32; 2], &[u8]) = match draw {
            Draw::Parameter => (0, [0, 0], &[]),
            Draw::Chains { slot } => (1, [slot, 0], &[]),
            Draw::Node { level, index } => (2, [level, index], &[]),
            Draw::Randomness {
                slot,
                message,
                attempt,
            } => (3, [slot, attempt], message),
        };
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher.update(&[kind]);
        hasher.update(numbers.map(u32::to_le_bytes).as_flattened());
        hasher.update(message);
        let mut output = hasher.finalize_xof();
        move || {
            let mut word = [0; 4];
            output.fill(&mut word);
            word
        }
    }

    /// A message authentication code of bytes that the key's owner stored.
    pub(super) fn code(&self, bytes: &[u8]) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher.update(&[4]);
        hasher.update(bytes);
        hasher.finalize().into()
    }

    /// A uniform value.
    pub(super) fn draw<T: Fixed>(&self, draw: Draw<'_>) -> T {
        T::draw(&mut self.words(draw))
    }
}
