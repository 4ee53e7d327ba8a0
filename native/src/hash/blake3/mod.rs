//! BLAKE3, computed by the kernels of the `blake3` crate.
//!
//! Hashes one message, a stream, many messages of equal length in SIMD lanes, or the 64 bytes of a
//! Merkle parent. All digests are identical to those of `blake3::hash`.

use ::blake3::platform::Platform;
use p3_symmetric::{CryptographicHasher, PseudoCompressionFunction};

#[cfg(test)]
mod tests;

/// Initial chaining value (the BLAKE3 paper, section 2.2).
#[rustfmt::skip]
pub const IV: [u32; 8] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a,
    0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
];

/// Domain flag of a chunk's first block.
pub const CHUNK_START: u8 = 1 << 0;
/// Domain flag of a chunk's last block.
pub const CHUNK_END: u8 = 1 << 1;
/// Domain flag of a parent node.
pub const PARENT: u8 = 1 << 2;
/// Domain flag of the compression whose output is the digest.
pub const ROOT: u8 = 1 << 3;

/// The BLAKE3 hash function with 32 bytes of output. A zero-size handle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Blake3;

impl Blake3 {
    /// Returns the digest of a message.
    #[inline]
    pub fn hash(&self, message: &[u8]) -> [u8; 32] {
        ::blake3::hash(message).into()
    }

    /// Returns the digest of the 64 bytes `left || right`, a Merkle parent, in one compression.
    ///
    /// This is the hash of a 64-byte message, not the parent node inside BLAKE3's own tree.
    #[inline]
    pub fn parent(&self, left: &[u8; 32], right: &[u8; 32]) -> [u8; 32] {
        let mut block = [0; 64];
        block[..32].copy_from_slice(left);
        block[32..].copy_from_slice(right);
        let mut chaining_value = IV;
        let flags = CHUNK_START | CHUNK_END | ROOT;
        Platform::detect().compress_in_place(&mut chaining_value, &block, 64, 0, flags);
        let mut digest = [0; 32];
        for (bytes, word) in digest.as_chunks_mut().0.iter_mut().zip(chaining_value) {
            *bytes = word.to_le_bytes();
        }
        digest
    }
}

/// BLAKE3 of a message that arrives in pieces.
#[derive(Clone, Debug, Default)]
pub struct Blake3Stream(::blake3::Hasher);

impl Blake3Stream {
    /// Appends bytes to the message.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns the digest of the message.
    pub fn finalize(self) -> [u8; 32] {
        self.0.finalize().into()
    }
}

impl CryptographicHasher<u8, [u8; 32]> for Blake3 {
    const LANES: usize = <p3_blake3::Blake3 as CryptographicHasher<u8, [u8; 32]>>::LANES;

    fn hash_iter<I: IntoIterator<Item = u8>>(&self, input: I) -> [u8; 32] {
        p3_blake3::Blake3.hash_iter(input)
    }

    fn hash_iter_slices<'a, I: IntoIterator<Item = &'a [u8]>>(&self, input: I) -> [u8; 32] {
        let mut stream = Blake3Stream::default();
        for bytes in input {
            stream.update(bytes);
        }
        stream.finalize()
    }

    fn hash_slice(&self, input: &[u8]) -> [u8; 32] {
        self.hash(input)
    }

    fn hash_many(&self, input: &[u8], out: &mut [[u8; 32]]) {
        p3_blake3::Blake3.hash_many(input, out);
    }
}

impl PseudoCompressionFunction<[u8; 32], 2> for Blake3 {
    const LANES: usize = <Self as CryptographicHasher<u8, [u8; 32]>>::LANES;

    #[inline]
    fn compress(&self, [left, right]: [[u8; 32]; 2]) -> [u8; 32] {
        self.parent(&left, &right)
    }

    fn compress_many(&self, inputs: &[[[u8; 32]; 2]], out: &mut [[u8; 32]]) {
        assert_eq!(inputs.len(), out.len(), "one output per pair of children");
        self.hash_many(inputs.as_flattened().as_flattened(), out);
    }
}
