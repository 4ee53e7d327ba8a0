//! Hashers and challengers of Plonky3 for which there are gadgets.

use std::fmt::Debug;

use droste_gadgets::suites::hash::{Challenger, Hash};
use droste_gadgets::suites::keccak_sponge::KeccakSponge;
use droste_gadgets::suites::{blake3, keccak, poseidon2};
use droste_native::{F, HashId};
use p3_blake3::Blake3;
use p3_challenger::{DuplexChallenger, HashChallenger, SerializingChallenger32};
use p3_commit::Mmcs;
use p3_field::{Field, PrimeCharacteristicRing};
use p3_keccak::{Keccak256Hash, KeccakF, VECTOR_LEN};
use p3_koala_bear::Poseidon2KoalaBear;
use p3_matrix::Dimensions;
use p3_merkle_tree::{MerkleCap, MerkleTreeError, MerkleTreeMmcs};
use p3_symmetric::{
    CompressionFunctionFromHasher, PaddingFreeSponge, SerializingHasher, TruncatedPermutation,
};

use crate::tape::TreesId;

/// Merkle trees of Plonky3 that can be verified in-circuit, with a transcript of type `C`:
///
/// | leaf | parent | transcript |
/// |---|---|---|
/// | Blake3 or Keccak-256 of the row's bytes | the same hash of 64 bytes | bytes, in the same hash |
/// | `PaddingFreeSponge<KeccakF, 25, 17, 4>` of the row's 64-bit words | the same sponge | bytes, in Keccak-256 |
/// | `PaddingFreeSponge<Poseidon2KoalaBear<24>, 24, 16, 8>` | `TruncatedPermutation<Poseidon2KoalaBear<16>, 2, 8, 16>` | `DuplexChallenger` of width 24 and rate 16 |
///
/// The constants of Poseidon2 must be Plonky3's default ones. Proofs with others are rejected:
/// types do not show them.
pub trait Known<C>:
    Mmcs<
        F,
        Commitment = MerkleCap<F, <Self as Known<C>>::Digest>,
        MultiProof: Sync,
        Error = MerkleTreeError,
    > + sealed::Sealed<C>
    + 'static
{
    /// Names trees and transcript.
    const TREES: TreesId;

    /// A digest.
    type Digest: Copy + Debug + Eq + Send + Sync;

    /// The gadget for digests and trees.
    type Gadget: Hash;

    /// The gadget for the transcript.
    type Transcript: Challenger;

    /// Restores one full authentication path per query
    /// ([`HashSuite::restore_paths`](droste_native::HashSuite::restore_paths)).
    ///
    /// # Errors
    /// If the proof does not fit the tree that the dimensions and indices describe.
    fn restore_paths(
        &self,
        dimensions: &[Dimensions],
        indices: &[usize],
        rows: &[Vec<Vec<F>>],
        proof: &Self::MultiProof,
    ) -> Result<Vec<Vec<<Self as Known<C>>::Digest>>, MerkleTreeError>;

    /// A digest, as blocks of the machine.
    fn digest_blocks(digest: &<Self as Known<C>>::Digest) -> Vec<[F; 8]>;
}

/// Only the combinations of this file have the gadgets that their names say.
mod sealed {
    pub trait Sealed<C> {}
}

/// Implements [`Known`] for trees of a type with a challenger of a type.
macro_rules! known {
    (
        $trees:ty, $challenger:ty: $id:expr,
        digest = $digest:ty, blocks = $blocks:expr,
        gadgets = $gadget:ty, $transcript:ty
    ) => {
        impl sealed::Sealed<$challenger> for $trees {}

        impl Known<$challenger> for $trees {
            const TREES: TreesId = $id;

            type Digest = $digest;
            type Gadget = $gadget;
            type Transcript = $transcript;

            fn restore_paths(
                &self,
                dimensions: &[Dimensions],
                indices: &[usize],
                rows: &[Vec<Vec<F>>],
                proof: &Self::MultiProof,
            ) -> Result<Vec<Vec<$digest>>, MerkleTreeError> {
                let paths = self.restore_and_recompute_paths(dimensions, indices, rows, proof)?;
                Ok(paths.into_iter().map(|path| path.siblings).collect())
            }

            fn digest_blocks(digest: &$digest) -> Vec<[F; 8]> {
                $blocks(digest)
            }
        }
    };
}

/// Merkle trees in a hash of bytes.
pub(super) type ByteTrees<B> =
    MerkleTreeMmcs<F, u8, SerializingHasher<B>, CompressionFunctionFromHasher<B, 2, 32>, 2, 32>;

/// The transcript in a hash of bytes.
pub(super) type ByteChallenger<B> = SerializingChallenger32<F, HashChallenger<u8, B, 32>>;

/// The sponge over the 64-bit lanes of Keccak-f.
type Sponge = PaddingFreeSponge<KeccakF, 25, 17, 4>;

/// Merkle trees in that sponge, whose leaves are hashed as `P` and `W`.
pub(super) type SpongeTrees<P, W> = MerkleTreeMmcs<
    P,
    W,
    SerializingHasher<Sponge>,
    CompressionFunctionFromHasher<Sponge, 2, 4>,
    2,
    4,
>;

/// Merkle trees in Poseidon2, with leaves of width 24.
type Poseidon2Trees = MerkleTreeMmcs<
    <F as Field>::Packing,
    <F as Field>::Packing,
    PaddingFreeSponge<Poseidon2KoalaBear<24>, 24, 16, 8>,
    TruncatedPermutation<Poseidon2KoalaBear<16>, 2, 8, 16>,
    2,
    8,
>;

known! {
    ByteTrees<Blake3>, ByteChallenger<Blake3>: TreesId::Suite(HashId::Blake3),
    digest = [u8; 32], blocks = of_bytes,
    gadgets = blake3::Blake3, blake3::Blake3Challenger
}

known! {
    ByteTrees<Keccak256Hash>, ByteChallenger<Keccak256Hash>: TreesId::Suite(HashId::Keccak),
    digest = [u8; 32], blocks = of_bytes,
    gadgets = keccak::Keccak, keccak::KeccakChallenger
}

known! {
    SpongeTrees<[F; VECTOR_LEN], [u64; VECTOR_LEN]>, ByteChallenger<Keccak256Hash>:
        TreesId::KeccakSponge,
    digest = [u64; 4], blocks = of_lanes,
    gadgets = KeccakSponge, keccak::KeccakChallenger
}

known! {
    SpongeTrees<F, u64>, ByteChallenger<Keccak256Hash>: TreesId::KeccakSponge,
    digest = [u64; 4], blocks = of_lanes,
    gadgets = KeccakSponge, keccak::KeccakChallenger
}

known! {
    Poseidon2Trees, DuplexChallenger<F, Poseidon2KoalaBear<24>, 24, 16>:
        TreesId::Suite(HashId::Poseidon2),
    digest = [F; 8], blocks = of_elements,
    gadgets = poseidon2::Poseidon2, poseidon2::Poseidon2Challenger
}

/// A digest of elements is one block.
fn of_elements(digest: &[F; 8]) -> Vec<[F; 8]> {
    vec![*digest]
}

/// The little-endian limbs of 16 bits of 32 bytes, in two blocks.
fn of_bytes(digest: &[u8; 32]) -> Vec<[F; 8]> {
    let (limbs, _) = digest.as_chunks();
    let limbs: Vec<F> = limbs
        .iter()
        .map(|&limb| F::from_u16(u16::from_le_bytes(limb)))
        .collect();
    limbs.as_chunks().0.to_vec()
}

/// The blocks of four words of 64 bits, which are those of their little-endian bytes.
fn of_lanes(digest: &[u64; 4]) -> Vec<[F; 8]> {
    let mut bytes = [0; 32];
    for (bytes, word) in bytes.as_chunks_mut().0.iter_mut().zip(digest) {
        *bytes = word.to_le_bytes();
    }
    of_bytes(&bytes)
}

#[cfg(test)]
mod tests {
    use droste_native::{Blake3Suite, HashSuite, KeccakSuite, Poseidon2Suite};

    use super::*;

    /// Trees of suites are those of the suites, on whose names keys depend.
    #[test]
    fn known_suites_have_their_names() {
        fn of<T: Known<C>, C>() -> TreesId {
            T::TREES
        }
        fn suite<H: HashSuite>() -> TreesId {
            assert_eq!(TreesId::Suite(H::ID).name(), H::NAME);
            TreesId::Suite(H::ID)
        }
        let blake3 = of::<ByteTrees<Blake3>, ByteChallenger<Blake3>>();
        assert_eq!(blake3, suite::<Blake3Suite>());
        let keccak = of::<ByteTrees<Keccak256Hash>, ByteChallenger<Keccak256Hash>>();
        assert_eq!(keccak, suite::<KeccakSuite>());
        let poseidon2 = of::<Poseidon2Trees, DuplexChallenger<F, Poseidon2KoalaBear<24>, 24, 16>>();
        assert_eq!(poseidon2, suite::<Poseidon2Suite>());
        let name = of::<SpongeTrees<F, u64>, ByteChallenger<Keccak256Hash>>().name();
        assert!(HashId::ALL.iter().all(|hash| hash.name() != name));
    }

    #[test]
    fn digests_are_little_endian_limbs() {
        let limbs = of_lanes(&[0x0004_0003_0002_0001, 5, 0, 0x0006_0000_0000_0000]);
        let expected = [1, 2, 3, 4, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6].map(F::from_u16);
        assert_eq!(limbs.as_flattened(), expected);
        let digest: [u8; 32] = std::array::from_fn(|i| i as u8 + 1);
        assert_eq!(
            of_bytes(&digest).into_flattened(),
            KeccakSuite::digest_elements(&digest)
        );
    }
}
