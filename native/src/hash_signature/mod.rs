//! Signatures from a hash function alone: XMSS over a tweakable hash, with Winternitz chains of a
//! fixed sum.
//!
//! A key is a Merkle tree whose leaves are one-time keys, one per *slot*. A one-time key is a list
//! of hash chains. The message's digest is read as one digit per chain; the signature opens each
//! chain at its digit, and the verifier goes on to the chain's end, then to the leaf, then up the
//! tree to the root.
//!
//! The digits of a signed message have a given sum, and the signer draws randomness until they do.
//! Of two messages with the same sum and different digits, each has a digit below the other's, so
//! the signature of one does not lead to that of the other; a checksum is not needed, and every
//! verification takes the same number of steps. This is the target-sum encoding of Drake,
//! Khovratovich, Kudinov and Wagner, "Hash-Based Multi-Signatures for Post-Quantum Ethereum"
//! (ePrint 2025/055). The tree of one-time keys, and what its state demands of a signer, are those
//! of XMSS (RFC 8391).
//!
//! **A slot must be signed once.** Two messages signed in one slot give away enough of its chains
//! to sign others. A [`SecretKey`] does not remember what it signed; a [`StoredKey`] does.
//!
//! ```
//! use droste_native::F;
//! use droste_native::hash_signature::{Parameters, SecretKey, Xmss};
//!
//! # let small = Parameters { chains: 8, bits: 2, levels: 5, target_sum: 15 };
//! # let scheme: Xmss = Xmss::new(small)?; // less work than `Xmss::DEFAULT`
//! # let seed = [7; 32];
//! let key = SecretKey::generate(scheme, &seed, 16..=23)?; // the seed: 32 secret, random bytes
//! let message = [1, 2, 3, 4, 5, 6, 7, 8].map(F::new);
//! let signature = key.sign(17, &message)?;
//! scheme.verify(&key.public_key(), 17, &message, &signature)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - [`Parameters`], [`Xmss`]: the scheme, generic over a [`TweakableHash`].
//! - [`TweakablePoseidon16`]: the hash, compatible with leanMultisig's of May 2026 at
//!   [`Xmss::DEFAULT`].
//! - [`SecretKey`]: one-time keys of a range of slots, from a seed.
//! - [`StoredKey`]: such a key in files, which refuses to sign a slot twice.
//! - [`SignedMessage`]: a message with its signature, and their JSON.
//! - [`Steps`]: the intermediate values of a verification, for a proof of it.

mod bytes;
pub mod json;
mod key;
mod parameters;
mod poseidon16;
mod pseudorandom;
mod scheme;
mod signed_message;
mod steps;
mod stored;
#[cfg(test)]
mod tests;
mod tweakable;

pub use bytes::DecodeError;
pub use key::{KeyError, MAX_ATTEMPTS, MAX_SLOTS, SecretKey, SignError};
pub use parameters::{ParameterError, Parameters};
pub use poseidon16::{
    DIGITS_BITS, TweakKind, TweakablePoseidon16, chain_input, leaf_start_input, message_inputs,
    parent_input, tweak,
};
pub use scheme::{Claim, PublicKey, Signature, VerifyError, Xmss};
pub use signed_message::SignedMessage;
pub use steps::Steps;
pub use stored::{KeyFiles, StoreError, StoredKey};
pub use tweakable::{Chain, Fixed, Leaf, Message, Parent, TweakableHash};
