//! Keccak-256 with padding 0x01, as in Ethereum.
//!
//! Digests are identical to those of `sha3::Keccak256`. Besides the general sponge there are two
//! functions that take one permutation each and build the state directly from their input: for
//! messages of 0 to 135 bytes, and for the 64 bytes of a Merkle parent. Many messages of equal
//! length are hashed in the lanes of Plonky3's packed permutation.
//!
//! There is no such function for rows of a trace, since they are longer than a block and are hashed
//! by the thousand: on AVX-512, a leaf of 256 bytes (two permutations) takes 87 ns in the lanes of
//! the packed permutation, while a single permutation takes 270 ns, however its state is built.

mod permutation;
#[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
mod planes;
mod sponge;
#[cfg(test)]
mod tests;

pub use permutation::{ROTATIONS, ROUND_CONSTANTS, keccak_f};
pub use sponge::Keccak256Stream;

use p3_keccak::Keccak256Hash;
use p3_symmetric::{CryptographicHasher, PseudoCompressionFunction};

/// Number of bytes absorbed per permutation.
pub const RATE: usize = 136;

/// First byte of the padding; [`LAST_PAD`] is added to the last byte of the rate.
const FIRST_PAD: u64 = 0x01;

/// Last bit of the padding, as it stands in word 16 of the state, which contains the last byte of
/// the rate.
const LAST_PAD: u64 = 0x80 << 56;

/// The Keccak-256 hash function. A zero-size handle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keccak256;

impl Keccak256 {
    /// Returns the digest of a message.
    #[inline]
    pub fn hash(&self, message: &[u8]) -> [u8; 32] {
        if message.len() < RATE {
            single_block(message)
        } else {
            let mut stream = Keccak256Stream::default();
            stream.update(message);
            stream.finalize()
        }
    }

    /// Returns the digest of the 64 bytes `left || right`, a Merkle parent.
    #[inline]
    pub fn parent(&self, left: &[u8; 32], right: &[u8; 32]) -> [u8; 32] {
        let mut state = [0; 25];
        let words = left.as_chunks().0.iter().chain(right.as_chunks().0);
        for (word, bytes) in state.iter_mut().zip(words) {
            *word = u64::from_le_bytes(*bytes);
        }
        state[8] = FIRST_PAD;
        state[16] = LAST_PAD;
        keccak_f(&mut state);
        digest(&state)
    }
}

/// Returns the digest of a message of 0 to 135 bytes, which fits one block.
#[inline]
fn single_block(message: &[u8]) -> [u8; 32] {
    debug_assert!(message.len() < RATE);
    let mut state = [0u64; 25];
    let (words, tail) = message.as_chunks::<8>();
    for (word, bytes) in state.iter_mut().zip(words) {
        *word = u64::from_le_bytes(*bytes);
    }
    let mut last = [0u8; 8];
    last[..tail.len()].copy_from_slice(tail);
    state[words.len()] = u64::from_le_bytes(last) | FIRST_PAD << (8 * tail.len());
    state[16] |= LAST_PAD;
    keccak_f(&mut state);
    digest(&state)
}

/// The digest: the first 32 bytes of the state.
#[inline]
pub(crate) fn digest(state: &[u64; 25]) -> [u8; 32] {
    let mut digest = [0; 32];
    for (bytes, word) in digest.as_chunks_mut::<8>().0.iter_mut().zip(state) {
        *bytes = word.to_le_bytes();
    }
    digest
}

impl CryptographicHasher<u8, [u8; 32]> for Keccak256 {
    const LANES: usize = <Keccak256Hash as CryptographicHasher<u8, [u8; 32]>>::LANES;

    fn hash_iter<I: IntoIterator<Item = u8>>(&self, input: I) -> [u8; 32] {
        let mut stream = Keccak256Stream::default();
        p3_util::apply_to_chunks::<RATE, _, _>(input, |bytes| stream.update(bytes));
        stream.finalize()
    }

    fn hash_iter_slices<'a, I: IntoIterator<Item = &'a [u8]>>(&self, input: I) -> [u8; 32] {
        let mut stream = Keccak256Stream::default();
        for bytes in input {
            stream.update(bytes);
        }
        stream.finalize()
    }

    fn hash_slice(&self, input: &[u8]) -> [u8; 32] {
        self.hash(input)
    }

    fn hash_many(&self, input: &[u8], out: &mut [[u8; 32]]) {
        if let [digest] = out {
            *digest = self.hash(input);
        } else {
            Keccak256Hash.hash_many(input, out);
        }
    }
}

impl PseudoCompressionFunction<[u8; 32], 2> for Keccak256 {
    const LANES: usize = <Self as CryptographicHasher<u8, [u8; 32]>>::LANES;

    #[inline]
    fn compress(&self, [left, right]: [[u8; 32]; 2]) -> [u8; 32] {
        self.parent(&left, &right)
    }

    fn compress_many(&self, inputs: &[[[u8; 32]; 2]], out: &mut [[u8; 32]]) {
        assert_eq!(inputs.len(), out.len(), "one output per pair of children");
        match (inputs, out) {
            ([[left, right]], [parent]) => *parent = self.parent(left, right),
            (inputs, out) => self.hash_many(inputs.as_flattened().as_flattened(), out),
        }
    }
}
