//! The two suites of byte hashes: digests of 32 bytes, with the byte conventions of Plonky3 0.8.0.

use p3_field::PrimeCharacteristicRing;
use p3_merkle_tree::MerkleTreeMmcs;
use p3_symmetric::SerializingHasher;

use super::HashId;
use super::scheme::hash_suite;
use crate::field::F;
use crate::hash::blake3::Blake3;
use crate::hash::keccak::Keccak256;
use crate::stark::challenger::{ByteChallenger, ByteTranscript};

/// Merkle trees in a byte hash: a leaf is the hash of the row's bytes (see
/// [`crate::hash::encoding`]), a parent the hash of its children's 64 bytes.
pub type ByteMmcs<B> = MerkleTreeMmcs<F, u8, SerializingHasher<B>, B, 2, 32>;

/// BLAKE3: natively the fastest suite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Blake3Suite;

/// Keccak-256 (padding 0x01, as in Ethereum).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeccakSuite;

hash_suite! {
    Blake3Suite: ("blake3", HashId::Blake3, collisions = 128.0),
    digest = [u8; 32], elements = limbs,
    trees = ByteMmcs<Blake3>: (SerializingHasher::new(Blake3), Blake3),
    challenger = ByteChallenger<Blake3>: ByteChallenger::new(ByteTranscript::new(Blake3))
}

hash_suite! {
    KeccakSuite: ("keccak", HashId::Keccak, collisions = 128.0),
    digest = [u8; 32], elements = limbs,
    trees = ByteMmcs<Keccak256>: (SerializingHasher::new(Keccak256), Keccak256),
    challenger = ByteChallenger<Keccak256>: ByteChallenger::new(ByteTranscript::new(Keccak256))
}

/// The 16-bit limbs of a digest, little-endian.
fn limbs(digest: &[u8; 32]) -> Vec<F> {
    let limbs = digest.as_chunks().0.iter();
    let limbs = limbs.map(|&limb| F::from_u16(u16::from_le_bytes(limb)));
    limbs.collect()
}
