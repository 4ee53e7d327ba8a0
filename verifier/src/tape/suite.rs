//! What recursion needs from a hash suite beyond what proving needs.

use droste_gadgets::suites::hash::{Challenger, Hash};
use droste_gadgets::suites::{blake3, keccak, poseidon2, poseidon16};
use droste_native::{
    Blake3Suite, F, HashId, HashSuite, KeccakSuite, Poseidon2Suite, Poseidon16Suite,
};
use p3_field::PrimeField32;

/// A hash suite whose proofs can be verified in-circuit.
pub trait TapeSuite: HashSuite {
    /// The gadget for its digests and Merkle trees.
    type Gadget: Hash;
    /// The gadget for its transcript.
    type Transcript: Challenger;
    /// The gadget for the transcript of proofs over WHIR.
    type WhirTranscript: Challenger + Clone;

    /// A digest, as blocks of the machine.
    fn digest_blocks(digest: &Self::Digest) -> Vec<[F; 8]> {
        Self::digest_elements(digest).as_chunks().0.to_vec()
    }

    /// The integer whose low bits are a query index, from a word that the transcript sampled.
    fn integer(word: [F; 2]) -> u32 {
        integer(Self::ID, word)
    }
}

/// The integer whose low bits are a query index, from a word that the transcript of a suite
/// sampled. A word of a byte hash is two limbs of 16 bits, and its bytes are reversed.
pub(super) fn integer(hash: HashId, word: [F; 2]) -> u32 {
    let [low, high] = word.map(|limb| limb.as_canonical_u32());
    if hash.is_of_bytes() {
        (low | high << 16).swap_bytes()
    } else {
        low
    }
}

impl TapeSuite for Poseidon16Suite {
    type Gadget = poseidon16::Poseidon16;
    type Transcript = poseidon16::Poseidon16Challenger;
    type WhirTranscript = poseidon16::Poseidon16Challenger;
}

impl TapeSuite for Poseidon2Suite {
    type Gadget = poseidon2::Poseidon2;
    type Transcript = poseidon2::Poseidon2Challenger;
    type WhirTranscript = poseidon2::Poseidon2Challenger;
}

impl TapeSuite for Blake3Suite {
    type Gadget = blake3::Blake3;
    type Transcript = blake3::Blake3Challenger;
    type WhirTranscript = blake3::Blake3WhirChallenger;
}

impl TapeSuite for KeccakSuite {
    type Gadget = keccak::Keccak;
    type Transcript = keccak::KeccakChallenger;
    type WhirTranscript = keccak::KeccakWhirChallenger;
}
