//! The two byte families: digests of 32 bytes, the byte conventions of Plonky3 0.8.0.

use std::fmt::Debug;
use std::marker::PhantomData;

use p3_field::PrimeCharacteristicRing;
use p3_matrix::Dimensions;
use p3_merkle_tree::{MerkleTreeError, MerkleTreeMmcs};
use p3_symmetric::{CryptographicHasher, PseudoCompressionFunction, SerializingHasher};

use super::scheme::compiled_scheme;
use super::{HashFamily, HashId, MultiProof};
use crate::blake3::Blake3;
use crate::challenger::{ByteChallenger, ByteTranscript};
use crate::field::F;
use crate::keccak::Keccak256;

/// A hash from bytes to 32 bytes that a [`ByteFamily`] can be built on; its compression is the hash of
/// the 64 bytes of two digests.
pub trait ByteHash:
    CryptographicHasher<u8, [u8; 32]>
    + PseudoCompressionFunction<[u8; 32], 2>
    + Copy
    + Debug
    + Send
    + Sync
    + 'static
{
    /// See [`HashFamily::NAME`].
    const NAME: &'static str;
    /// See [`HashFamily::ID`].
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

/// Merkle trees in a byte hash: a leaf is the hash of the row's bytes (see [`crate::encoding`]), a
/// parent the hash of its children's 64 bytes.
pub type ByteMmcs<B> = MerkleTreeMmcs<F, u8, SerializingHasher<B>, B, 2, 32>;

/// The family of a byte hash.
pub struct ByteFamily<B>(PhantomData<B>);

/// BLAKE3: the fastest family natively.
pub type Blake3Family = ByteFamily<Blake3>;

/// Keccak-256 (pad 0x01, as in Ethereum).
pub type KeccakFamily = ByteFamily<Keccak256>;

impl<B> Clone for ByteFamily<B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B> Copy for ByteFamily<B> {}

impl<B> Default for ByteFamily<B> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<B: ByteHash> Debug for ByteFamily<B> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ByteFamily({})", B::NAME)
    }
}

/// For each hash by itself, not for all at once, so that what is large is compiled in this crate (see
/// [`scheme`](super::scheme)).
macro_rules! byte_family {
    ($($hash:ty),+) => {$(
        impl HashFamily for ByteFamily<$hash> {
            const NAME: &'static str = <$hash as ByteHash>::NAME;
            const ID: HashId = <$hash as ByteHash>::ID;
            const COLLISION_BITS: usize = 128;

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

byte_family!(Blake3, Keccak256);
