//! Hashers and challengers of Plonky3 for which there are gadgets.

use std::fmt::Debug;

use droste_gadgets::suites::baby_bear::OverBabyBear;
use droste_gadgets::suites::hash::{Challenger, Hash};
use droste_gadgets::suites::keccak_sponge::KeccakSponge;
use droste_gadgets::suites::{blake3, bytes, keccak, poseidon2_16, poseidon2_24};
use droste_native::field::{BabyBear, BaseField};
use droste_native::hash::poseidon2::Constants;
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

use super::constants::{ConstantsError, RoundConstants, check_constants};
use crate::tape::TreesId;

/// An authentication path for each query.
type Paths<D> = Vec<Vec<D>>;

/// Merkle trees of Plonky3 over rows of the field `V` that can be verified in-circuit, with a
/// transcript of type `C`:
///
/// | `V` | leaf | parent | transcript |
/// |---|---|---|---|
/// | `KoalaBear` or `BabyBear` | Blake3 or Keccak-256 of the row's bytes | the same hash of 64 bytes | bytes, in the same hash |
/// | `KoalaBear` or `BabyBear` | `PaddingFreeSponge<KeccakF, 25, 17, 4>` of the row's 64-bit words | the same sponge | bytes, in Keccak-256 |
/// | `KoalaBear` | `PaddingFreeSponge<Poseidon2KoalaBear<24>, 24, 16, 8>` | `TruncatedPermutation<Poseidon2KoalaBear<16>, 2, 8, 16>` | `DuplexChallenger` of width 24 and rate 16 |
/// | `KoalaBear` | `PaddingFreeSponge<Poseidon2KoalaBear<16>, 16, 8, 8>` | `TruncatedPermutation<Poseidon2KoalaBear<16>, 2, 8, 16>` | `DuplexChallenger` of width 16 and rate 8 |
///
/// Poseidon2 over `BabyBear` is not among them: the machine has no table for it. Types do not show
/// the round constants of Poseidon2, so circuits are given them.
pub trait Known<V: BaseField, C>:
    Mmcs<
        V,
        Commitment = MerkleCap<V, <Self as Known<V, C>>::Digest>,
        MultiProof: Sync,
        Error = MerkleTreeError,
    > + sealed::Sealed<C>
    + 'static
{
    /// Names trees and transcript.
    const TREES: TreesId;

    /// Their round constants, if types do not show them.
    type Constants: RoundConstants;

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
        rows: &[Vec<Vec<V>>],
        proof: &Self::MultiProof,
    ) -> Result<Paths<<Self as Known<V, C>>::Digest>, MerkleTreeError>;

    /// A digest, as blocks of the machine.
    fn digest_blocks(digest: &<Self as Known<V, C>>::Digest) -> Vec<[F; 8]>;

    /// Compares the constants of the trees and of a new challenger with these.
    ///
    /// # Errors
    /// If they are others.
    fn check_constants(
        &self,
        challenger: C,
        constants: &Self::Constants,
    ) -> Result<(), ConstantsError>;
}

/// Only the combinations of this file have the gadgets that their names say.
mod sealed {
    pub trait Sealed<C> {}
}

/// Implements [`Known`] over a field for trees of a type with a challenger of a type.
macro_rules! known {
    (
        $field:ty: $trees:ty, $challenger:ty: $id:expr,
        constants = $constants:ty, check = $check:expr,
        digest = $digest:ty, blocks = $blocks:expr,
        gadgets = $gadget:ty, $transcript:ty
    ) => {
        impl sealed::Sealed<$challenger> for $trees {}

        impl Known<$field, $challenger> for $trees {
            const TREES: TreesId = $id;

            type Constants = $constants;
            type Digest = $digest;
            type Gadget = $gadget;
            type Transcript = $transcript;

            fn restore_paths(
                &self,
                dimensions: &[Dimensions],
                indices: &[usize],
                rows: &[Vec<Vec<$field>>],
                proof: &Self::MultiProof,
            ) -> Result<Paths<$digest>, MerkleTreeError> {
                let paths = self.restore_and_recompute_paths(dimensions, indices, rows, proof)?;
                Ok(paths.into_iter().map(|path| path.siblings).collect())
            }

            fn digest_blocks(digest: &$digest) -> Vec<[F; 8]> {
                $blocks(digest)
            }

            fn check_constants(
                &self,
                challenger: $challenger,
                constants: &$constants,
            ) -> Result<(), ConstantsError> {
                $check(self, challenger, constants)
            }
        }
    };
}

/// Implements [`Known`] for trees in hashes of bytes over a field, with these gadgets: each time what
/// verifies trees in Blake3, in Keccak-256 and in the sponge, then the transcripts.
macro_rules! known_bytes {
    (
        $field:ty,
        trees = $blake3:ty, $keccak:ty, $sponge:ty,
        transcripts = $by_blake3:ty, $by_keccak:ty
    ) => {
        known! {
            $field: ByteTrees<Blake3, $field>, ByteChallenger<Blake3, $field>:
                TreesId::Suite(HashId::Blake3),
            constants = (), check = no_constants,
            digest = [u8; 32], blocks = of_bytes,
            gadgets = $blake3, $by_blake3
        }

        known! {
            $field: ByteTrees<Keccak256Hash, $field>, ByteChallenger<Keccak256Hash, $field>:
                TreesId::Suite(HashId::Keccak),
            constants = (), check = no_constants,
            digest = [u8; 32], blocks = of_bytes,
            gadgets = $keccak, $by_keccak
        }

        known! {
            $field: SpongeTrees<[$field; VECTOR_LEN], [u64; VECTOR_LEN]>,
                ByteChallenger<Keccak256Hash, $field>: TreesId::KeccakSponge,
            constants = (), check = no_constants,
            digest = [u64; 4], blocks = of_lanes,
            gadgets = $sponge, $by_keccak
        }

        known! {
            $field: SpongeTrees<$field, u64>, ByteChallenger<Keccak256Hash, $field>:
                TreesId::KeccakSponge,
            constants = (), check = no_constants,
            digest = [u64; 4], blocks = of_lanes,
            gadgets = $sponge, $by_keccak
        }
    };
}

/// Merkle trees in a hash of bytes.
pub(super) type ByteTrees<B, V = F> =
    MerkleTreeMmcs<V, u8, SerializingHasher<B>, CompressionFunctionFromHasher<B, 2, 32>, 2, 32>;

/// The transcript in a hash of bytes.
pub(super) type ByteChallenger<B, V = F> = SerializingChallenger32<V, HashChallenger<u8, B, 32>>;

/// The gadget for the transcript of proofs over BabyBear in a hash of bytes.
type OverBabyBearBy<B> = bytes::ByteChallenger<B, bytes::BabyBear>;

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

/// Merkle trees in Poseidon2, whose leaves have width `WIDTH` and rate `RATE`.
type Poseidon2Trees<const WIDTH: usize, const RATE: usize> = MerkleTreeMmcs<
    <F as Field>::Packing,
    <F as Field>::Packing,
    PaddingFreeSponge<Poseidon2KoalaBear<WIDTH>, WIDTH, RATE, 8>,
    TruncatedPermutation<Poseidon2KoalaBear<16>, 2, 8, 16>,
    2,
    8,
>;

/// The transcript in Poseidon2 of this width and rate.
type Poseidon2Challenger<const WIDTH: usize, const RATE: usize> =
    DuplexChallenger<F, Poseidon2KoalaBear<WIDTH>, WIDTH, RATE>;

/// Merkle trees in Poseidon2 of width 16.
pub(super) type NarrowTrees = Poseidon2Trees<16, 8>;

/// Their transcript.
pub(super) type NarrowChallenger = Poseidon2Challenger<16, 8>;

/// Merkle trees in Poseidon2 with leaves of width 24.
pub(super) type WideTrees = Poseidon2Trees<24, 16>;

/// Their transcript.
pub(super) type WideChallenger = Poseidon2Challenger<24, 16>;

known_bytes! {
    F,
    trees = blake3::Blake3, keccak::Keccak, KeccakSponge,
    transcripts = blake3::Blake3Challenger, keccak::KeccakChallenger
}

known_bytes! {
    BabyBear,
    trees = OverBabyBear<blake3::Blake3>, OverBabyBear<keccak::Keccak>, OverBabyBear<KeccakSponge>,
    transcripts = OverBabyBearBy<blake3::Blake3>, OverBabyBearBy<keccak::Keccak>
}

known! {
    F: NarrowTrees, NarrowChallenger: TreesId::Poseidon2Narrow,
    constants = Constants<16>, check = check_narrow,
    digest = [F; 8], blocks = of_elements,
    gadgets = poseidon2_16::Poseidon2Narrow, poseidon2_16::Poseidon2NarrowChallenger
}

known! {
    F: WideTrees, WideChallenger: TreesId::Poseidon2Wide,
    constants = (Constants<24>, Constants<16>), check = check_wide,
    digest = [F; 8], blocks = of_elements,
    gadgets = poseidon2_24::Poseidon2Wide, poseidon2_24::Poseidon2WideChallenger
}

/// Types show everything.
fn no_constants<T, C>(_: &T, _: C, (): &()) -> Result<(), ConstantsError> {
    Ok(())
}

fn check_narrow(
    trees: &NarrowTrees,
    challenger: NarrowChallenger,
    constants: &Constants<16>,
) -> Result<(), ConstantsError> {
    let permutation = constants.permutation();
    let leaf = PaddingFreeSponge::new(permutation.clone());
    let parent = TruncatedPermutation::new(permutation.clone());
    let expected = NarrowTrees::new(leaf, parent, trees.cap_height());
    let challengers = (challenger, NarrowChallenger::new(permutation));
    check_constants((trees, &expected), trees.cap_height(), challengers)
}

fn check_wide(
    trees: &WideTrees,
    challenger: WideChallenger,
    (wide, narrow): &(Constants<24>, Constants<16>),
) -> Result<(), ConstantsError> {
    let permutation = wide.permutation();
    let leaf = PaddingFreeSponge::new(permutation.clone());
    let parent = TruncatedPermutation::new(narrow.permutation());
    let expected = WideTrees::new(leaf, parent, trees.cap_height());
    let challengers = (challenger, WideChallenger::new(permutation));
    check_constants((trees, &expected), trees.cap_height(), challengers)
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
    use p3_challenger::CanObserve;

    use super::*;

    /// Trees of suites are those of the suites, on whose names keys depend.
    #[test]
    fn known_suites_have_their_names() {
        fn of<T: Known<F, C>, C>(constants: &T::Constants) -> TreesId {
            T::TREES.with(&constants.blocks())
        }
        fn suite<H: HashSuite>() -> TreesId {
            assert_eq!(TreesId::Suite(H::ID).name(), H::NAME);
            TreesId::Suite(H::ID)
        }
        let blake3 = of::<ByteTrees<Blake3>, ByteChallenger<Blake3>>(&());
        assert_eq!(blake3, suite::<Blake3Suite>());
        let keccak = of::<ByteTrees<Keccak256Hash>, ByteChallenger<Keccak256Hash>>(&());
        assert_eq!(keccak, suite::<KeccakSuite>());
        let default = (Constants::<24>::default(), Constants::<16>::default());
        let poseidon2 = of::<WideTrees, WideChallenger>(&default);
        assert_eq!(poseidon2, suite::<Poseidon2Suite>());
        let names = [
            of::<SpongeTrees<F, u64>, ByteChallenger<Keccak256Hash>>(&()),
            of::<NarrowTrees, NarrowChallenger>(&default.1),
            of::<WideTrees, WideChallenger>(&(default.0, drawn())),
        ]
        .map(TreesId::name);
        assert_eq!(names, ["keccak-sponge", "poseidon2-16", "poseidon2-24"]);
        let suites = HashId::ALL.iter().map(|hash| hash.name());
        assert!(suites.into_iter().all(|name| !names.contains(&name)));
    }

    /// Constants that are not Plonky3's.
    fn drawn() -> Constants<16> {
        let mut next = F::ZERO;
        Constants::<16>::drawn(|| {
            next += F::ONE;
            next
        })
    }

    /// Each of the three places at which a configuration has constants is compared.
    #[test]
    fn other_constants_are_refused() {
        let [own, other] = [drawn(), Constants::<16>::default()];
        let trees = |leaf: &Constants<16>, parent: &Constants<16>, cap_height| {
            let leaf = PaddingFreeSponge::new(leaf.permutation());
            let parent = TruncatedPermutation::new(parent.permutation());
            NarrowTrees::new(leaf, parent, cap_height)
        };
        let challenger = |of: &Constants<16>| NarrowChallenger::new(of.permutation());
        for cap_height in [0, 3] {
            let check = |leaf, parent, transcript| {
                trees(leaf, parent, cap_height).check_constants(challenger(transcript), &own)
            };
            assert_eq!(check(&own, &own, &own), Ok(()));
            assert_eq!(check(&other, &own, &own), Err(ConstantsError::Leaf));
            assert_eq!(check(&own, &other, &own), Err(ConstantsError::Parent));
            assert_eq!(check(&own, &own, &other), Err(ConstantsError::Challenger));
        }
        let mut observed = challenger(&own);
        observed.observe(F::ONE);
        let error = trees(&own, &own, 0).check_constants(observed, &own);
        assert_eq!(error, Err(ConstantsError::Challenger));

        let wide = (Constants::<24>::default(), own.clone());
        let leaf = || PaddingFreeSponge::new(wide.0.permutation());
        let challenger = || WideChallenger::new(wide.0.permutation());
        for (parent, expected) in [(&own, Ok(())), (&other, Err(ConstantsError::Parent))] {
            let parent = TruncatedPermutation::new(parent.permutation());
            let trees = WideTrees::new(leaf(), parent, 1);
            assert_eq!(trees.check_constants(challenger(), &wide), expected);
        }
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
