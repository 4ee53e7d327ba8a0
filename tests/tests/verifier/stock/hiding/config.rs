//! Hiding configurations made of Plonky3's own types: those of [`super::super`]'s `config`, with
//! salts of four elements and as many random codewords as challenges have coefficients. Over
//! BabyBear, [`sponge`] is the configuration of `prove_poseidon2_baby_bear_keccak_zk`, type by type.

use droste_native::field::AnyChallenge;
use droste_native::hash::poseidon2::Constants;
use droste_native::{Challenge, F, FriSettings};
use droste_verifier::airs::{HidingTrees, Salted};
use p3_blake3::Blake3;
use p3_challenger::DuplexChallenger;
use p3_commit::ExtensionMmcs;
use p3_dft::Radix2DitParallel;
use p3_field::{BasedVectorSpace, Field};
use p3_fri::HidingFriPcs;
use p3_keccak::{Keccak256Hash, KeccakF, VECTOR_LEN};
use p3_koala_bear::{
    Poseidon2KoalaBear, default_koalabear_poseidon2_16, default_koalabear_poseidon2_24,
};
use p3_merkle_tree::{MerkleTreeHidingMmcs, MerkleTreeMmcs};
use p3_symmetric::{
    CompressionFunctionFromHasher, PaddingFreeSponge, SerializingHasher, TruncatedPermutation,
};
use p3_uni_stark::StarkConfig;
use rand::rngs::{SmallRng, StdRng};
use rand::{RngExt, SeedableRng};

use crate::stock::config::{Base, ByteChallenger, Poseidon2Constants, SpongeTrees, U64Hash};

/// Number of random elements after each row.
pub const SALTS: usize = 4;

/// A hiding configuration with these trees, challenges and transcript.
pub type HidingStark<Trees, E, C> = StarkConfig<
    HidingFriPcs<
        Base<E>,
        Radix2DitParallel<Base<E>>,
        Trees,
        ExtensionMmcs<Base<E>, E, Trees>,
        StdRng,
    >,
    E,
    C,
>;

/// What a test proves with: a configuration, its trees, and the round constants that its types do
/// not show.
pub type Made<Trees, E, C, Constants> = (HidingStark<Trees, E, C>, HidingTrees<Trees>, Constants);

/// Where random numbers begin. Tests repeat them; a prover must not.
fn rng(seed: u64) -> StdRng {
    StdRng::seed_from_u64(seed)
}

/// Number of random codewords of configurations with challenges in `E`.
pub const fn codewords<E: AnyChallenge>() -> usize {
    <E as BasedVectorSpace<Base<E>>>::DIMENSION
}

/// The configuration of trees and a transcript.
pub fn configuration<Trees: Salted, E: AnyChallenge, C: Clone>(
    settings: &FriSettings,
    trees: &Trees,
    challenger: C,
    seed: u64,
) -> HidingStark<Trees, E, C> {
    let parameters = settings.parameters(ExtensionMmcs::new(trees.clone()));
    let dft = Radix2DitParallel::default();
    let (codewords, rng) = (codewords::<E>(), rng(seed));
    let pcs = HidingFriPcs::new(dft, trees.clone(), parameters, codewords, rng);
    StarkConfig::new(pcs, challenger)
}

/// The configuration of trees, of the same without salts, and a transcript.
fn made<Trees: Salted, E: AnyChallenge, C: Clone, Constants>(
    settings: &FriSettings,
    (trees, plain): (Trees, Trees::Plain),
    challenger: C,
    constants: Constants,
    seed: u64,
) -> Made<Trees, E, C, Constants> {
    let config = configuration(settings, &trees, challenger, seed);
    let trees = HidingTrees::new(trees, plain, codewords::<E>());
    (config, trees, constants)
}

/// Trees with salts and trees without, of a hash of leaves and a compression.
type Both<P, W, Leaf, Parent, const DIGEST: usize> = (
    MerkleTreeHidingMmcs<P, W, Leaf, Parent, StdRng, 2, DIGEST, SALTS>,
    MerkleTreeMmcs<P, W, Leaf, Parent, 2, DIGEST>,
);

fn trees<P, W, Leaf: Clone, Parent: Clone, const DIGEST: usize>(
    settings: &FriSettings,
    leaf: Leaf,
    parent: Parent,
    seed: u64,
) -> Both<P, W, Leaf, Parent, DIGEST> {
    let (cap, rng) = (settings.cap_height, rng(seed + 1));
    (
        MerkleTreeHidingMmcs::new(leaf.clone(), parent.clone(), cap, rng),
        MerkleTreeMmcs::new(leaf, parent, cap),
    )
}

/// Salted trees of a hash of bytes.
type SaltedBytes<B> = MerkleTreeHidingMmcs<
    F,
    u8,
    SerializingHasher<B>,
    CompressionFunctionFromHasher<B, 2, 32>,
    StdRng,
    2,
    32,
    SALTS,
>;

/// The configuration of Blake3.
pub fn blake3<E: Challenge>(
    settings: &FriSettings,
    seed: u64,
) -> Made<SaltedBytes<Blake3>, E, ByteChallenger<Blake3>, ()> {
    let trees = trees(
        settings,
        SerializingHasher::new(Blake3),
        CompressionFunctionFromHasher::new(Blake3),
        seed,
    );
    let challenger = ByteChallenger::from_hasher(vec![], Blake3);
    made(settings, trees, challenger, (), seed)
}

/// The configuration of Keccak-256.
pub fn keccak<E: Challenge>(
    settings: &FriSettings,
    seed: u64,
) -> Made<SaltedBytes<Keccak256Hash>, E, ByteChallenger<Keccak256Hash>, ()> {
    let trees = trees(
        settings,
        SerializingHasher::new(Keccak256Hash {}),
        CompressionFunctionFromHasher::new(Keccak256Hash {}),
        seed,
    );
    let challenger = ByteChallenger::from_hasher(vec![], Keccak256Hash {});
    made(settings, trees, challenger, (), seed)
}

/// Salted trees of the sponge over the 64-bit lanes of Keccak-f.
pub type SaltedSponge<V = F> = MerkleTreeHidingMmcs<
    [V; VECTOR_LEN],
    [u64; VECTOR_LEN],
    SerializingHasher<U64Hash>,
    CompressionFunctionFromHasher<U64Hash, 2, 4>,
    StdRng,
    2,
    4,
    SALTS,
>;

/// The transcript of proofs with that sponge.
type SpongeChallenger<V> = ByteChallenger<Keccak256Hash, V>;

/// The configuration of that sponge.
pub fn sponge<E: AnyChallenge>(
    settings: &FriSettings,
    seed: u64,
) -> Made<SaltedSponge<Base<E>>, E, SpongeChallenger<Base<E>>, ()>
where
    SaltedSponge<Base<E>>: Salted<Plain = SpongeTrees<Base<E>>>,
{
    let hash = U64Hash::new(KeccakF {});
    let trees = trees(
        settings,
        SerializingHasher::new(hash),
        CompressionFunctionFromHasher::new(hash),
        seed,
    );
    let challenger = ByteChallenger::from_hasher(vec![], Keccak256Hash {});
    made(settings, trees, challenger, (), seed)
}

/// Salted trees of Poseidon2 with leaves of this width and rate.
type SaltedPoseidon2<const WIDTH: usize, const RATE: usize> = MerkleTreeHidingMmcs<
    <F as Field>::Packing,
    <F as Field>::Packing,
    PaddingFreeSponge<Poseidon2KoalaBear<WIDTH>, WIDTH, RATE, 8>,
    TruncatedPermutation<Poseidon2KoalaBear<16>, 2, 8, 16>,
    StdRng,
    2,
    8,
    SALTS,
>;

/// The transcript of Poseidon2 of this width and rate.
type Duplex<const WIDTH: usize, const RATE: usize> =
    DuplexChallenger<F, Poseidon2KoalaBear<WIDTH>, WIDTH, RATE>;

/// The configuration of Poseidon2 of widths 24 and 16, with Plonky3's default constants.
pub fn poseidon2<E: Challenge>(
    settings: &FriSettings,
    seed: u64,
) -> Made<SaltedPoseidon2<24, 16>, E, Duplex<24, 16>, Poseidon2Constants> {
    let wide = default_koalabear_poseidon2_24();
    let trees = trees(
        settings,
        PaddingFreeSponge::new(wide.clone()),
        TruncatedPermutation::new(default_koalabear_poseidon2_16()),
        seed,
    );
    let constants = (Constants::<24>::default(), Constants::<16>::default());
    made(
        settings,
        trees,
        DuplexChallenger::new(wide),
        constants,
        seed,
    )
}

/// The configuration of Poseidon2 of width 16, with random constants.
pub fn narrow<E: Challenge>(
    settings: &FriSettings,
    seed: u64,
) -> Made<SaltedPoseidon2<16, 8>, E, Duplex<16, 8>, Constants<16>> {
    let [mut rng_of_plonky3, mut rng_of_ours] = [1, 1].map(SmallRng::seed_from_u64);
    let permutation = Poseidon2KoalaBear::<16>::new_from_rng_128(&mut rng_of_plonky3);
    let constants = Constants::<16>::drawn(|| rng_of_ours.random());
    let trees = trees(
        settings,
        PaddingFreeSponge::new(permutation.clone()),
        TruncatedPermutation::new(permutation.clone()),
        seed,
    );
    made(
        settings,
        trees,
        DuplexChallenger::new(permutation),
        constants,
        seed,
    )
}
