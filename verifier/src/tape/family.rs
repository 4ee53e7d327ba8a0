//! What recursion needs from a hash family beside what proving does.

use droste_gadgets::hash::{Challenger, Hash};
use droste_gadgets::{blake3, keccak, poseidon16};
use droste_native::precompile::digest_to_limbs;
use droste_native::{Blake3Family, F, HashFamily, KeccakFamily, Poseidon16Family};
use p3_field::PrimeField32;

/// A hash family whose proofs can be verified in-circuit.
pub trait TapeFamily: HashFamily {
    /// Its digests in the program.
    type Gadget: Hash;
    /// Its transcript in the program.
    type Transcript: Challenger;

    /// The blocks of a digest.
    fn digest_blocks(digest: &Self::Digest) -> Vec<[F; 8]>;

    /// The integer whose low bits are the index of a query, of a word that the transcript sampled.
    fn integer(word: [F; 2]) -> u32;
}

impl TapeFamily for Poseidon16Family {
    type Gadget = poseidon16::Poseidon16;
    type Transcript = poseidon16::Poseidon16Challenger;

    fn digest_blocks(digest: &[F; 8]) -> Vec<[F; 8]> {
        vec![*digest]
    }

    fn integer([word, _]: [F; 2]) -> u32 {
        word.as_canonical_u32()
    }
}

/// Of a word of a byte digest, which is two limbs: its bytes in reverse.
fn reversed(word: [F; 2]) -> u32 {
    let [low, high] = word.map(|limb| limb.as_canonical_u32());
    (low | high << 16).swap_bytes()
}

impl TapeFamily for Blake3Family {
    type Gadget = blake3::Blake3;
    type Transcript = blake3::Blake3Challenger;

    fn digest_blocks(digest: &[u8; 32]) -> Vec<[F; 8]> {
        digest_to_limbs(*digest).to_vec()
    }

    fn integer(word: [F; 2]) -> u32 {
        reversed(word)
    }
}

impl TapeFamily for KeccakFamily {
    type Gadget = keccak::Keccak;
    type Transcript = keccak::KeccakChallenger;

    fn digest_blocks(digest: &[u8; 32]) -> Vec<[F; 8]> {
        digest_to_limbs(*digest).to_vec()
    }

    fn integer(word: [F; 2]) -> u32 {
        reversed(word)
    }
}
