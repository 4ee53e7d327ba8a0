//! The two suites of byte hashes: digests of 32 bytes, with the byte conventions of Plonky3 0.8.0.

use std::fmt::Debug;
use std::marker::PhantomData;

use p3_field::PrimeCharacteristicRing;
use p3_matrix::Dimensions;
use p3_merkle_tree::{MerkleTreeError, MerkleTreeMmcs};
use p3_symmetric::{CryptographicHasher, PseudoCompressionFunction, SerializingHasher};

use super::scheme::compiled_scheme;
use super::{HashId, HashSuite, MultiProof};
use crate::field::F;
use crate::hash::blake3::Blake3;
use crate::hash::keccak::Keccak256;
use crate::stark::challenger::{ByteChallenger, ByteTranscript};

/// A hash of bytes with 32 bytes of output, on which a [`ByteSuite`] can be built. The compression
/// of two digests is the hash of their 64 bytes.
pub trait ByteHash:
    CryptographicHasher<u8, [u8; 32]>
    + PseudoCompressionFunction<[u8; 32], 2>
    + Copy
    + Debug
    + Send
    + Sync
    + 'static
{
    /// See [`HashSuite::NAME`].
    const NAME: &'static str;
    /// See [`HashSuite::ID`].
    const ID: HashId;
    /// The hasher.
    const HASHER: Self;
}

impl ByteHash for Blake3 {
    const NAME: &'static str = "blake3";
    const ID: HashId = HashId::Blake3;
    const HASHER: Self = Self;
}

impl ByteHash for Keccak256 {
    const NAME: &'static str = "keccak";
    const ID: HashId = HashId::Keccak;
    const HASHER: Self = Self;
}

/// Merkle trees in a byte hash: a leaf is the hash of the row's bytes (see
/// [`crate::hash::encoding`]), a parent the hash of its children's 64 bytes.
pub type ByteMmcs<B> = MerkleTreeMmcs<F, u8, SerializingHasher<B>, B, 2, 32>;

/// The suite of a byte hash.
pub struct ByteSuite<B>(PhantomData<B>);

/// BLAKE3: natively the fastest suite.
pub type Blake3Suite = ByteSuite<Blake3>;

/// Keccak-256 (padding 0x01, as in Ethereum).
pub type KeccakSuite = ByteSuite<Keccak256>;

impl<B> Clone for ByteSuite<B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B> Copy for ByteSuite<B> {}

impl<B> Default for ByteSuite<B> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<B: ByteHash> Debug for ByteSuite<B> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ByteSuite({})", B::NAME)
    }
}

/// Implements [`HashSuite`] for one byte hash. A generic implementation for all of them would be
/// compiled in every crate that uses it instead of in this one (see [`scheme`](super::scheme)).
macro_rules! byte_suite {
    ($($hash:ty),+) => {$(
        impl HashSuite for ByteSuite<$hash> {
            const NAME: &'static str = <$hash as ByteHash>::NAME;
            const ID: HashId = <$hash as ByteHash>::ID;
            const COLLISION_BITS: f64 = 128.0;

            type Digest = [u8; 32];
            type ValMmcs = ByteMmcs<$hash>;
            type Challenger = ByteChallenger<$hash>;

            fn val_mmcs(cap_height: usize) -> Self::ValMmcs {
                let hasher = <$hash as ByteHash>::HASHER;
                MerkleTreeMmcs::new(SerializingHasher::new(hasher), hasher, cap_height)
            }

            fn challenger() -> Self::Challenger {
                ByteChallenger::new(ByteTranscript::new(<$hash as ByteHash>::HASHER))
            }

            fn restore_paths(
                mmcs: &Self::ValMmcs,
                dimensions: &[Dimensions],
                indices: &[usize],
                rows: &[Vec<Vec<F>>],
                proof: &MultiProof<Self>,
            ) -> Result<Vec<Vec<Self::Digest>>, MerkleTreeError> {
                let paths = mmcs.restore_and_recompute_paths(dimensions, indices, rows, proof)?;
                Ok(paths.into_iter().map(|path| path.siblings).collect())
            }

            fn digest_elements(digest: &Self::Digest) -> Vec<F> {
                digest
                    .as_chunks()
                    .0
                    .iter()
                    .map(|&limb| F::from_u16(u16::from_le_bytes(limb)))
                    .collect()
            }

            compiled_scheme!();
        }
    )+};
}

byte_suite!(Blake3, Keccak256);
