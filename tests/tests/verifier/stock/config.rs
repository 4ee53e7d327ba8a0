//! Configurations made of Plonky3's own types, over KoalaBear and over BabyBear: the field is that
//! of the coefficients of the challenges.
//!
//! Plonky3's examples over these fields have challenges of degree 4. They commit in the sponge over
//! the 64-bit lanes of Keccak-f ([`stock_sponge`] is this configuration, type by type), or in
//! Poseidon2 of widths 24 and 16 with round constants from a random generator ([`stock_drawn`], over
//! KoalaBear). [`stock_poseidon2`] has Plonky3's default constants instead. p3-uni-stark's tests
//! commit in Poseidon2 of width 16 alone, over BabyBear; [`stock_narrow`] does so over KoalaBear. No
//! example over these fields hashes bytes as [`stock`] does with Keccak-256 and Blake3; it has the
//! types with which the examples hash bytes otherwise.
//!
//! Every configuration comes with its trees and with the round constants that its types do not
//! show.

use std::fmt::Debug;

use droste_native::field::AnyChallenge;
use droste_native::hash::poseidon2::Constants;
use droste_native::{Challenge, EF, F, FriSettings};
use p3_blake3::Blake3;
use p3_challenger::{DuplexChallenger, HashChallenger, SerializingChallenger32};
use p3_commit::ExtensionMmcs;
use p3_dft::Radix2DitParallel;
use p3_field::Field;
use p3_fri::TwoAdicFriPcs;
use p3_keccak::{Keccak256Hash, KeccakF, VECTOR_LEN};
use p3_koala_bear::{
    Poseidon2KoalaBear, default_koalabear_poseidon2_16, default_koalabear_poseidon2_24,
};
use p3_merkle_tree::MerkleTreeMmcs;
use p3_symmetric::{
    CompressionFunctionFromHasher, CryptographicHasher, PaddingFreeSponge, SerializingHasher,
    TruncatedPermutation,
};
use p3_uni_stark::StarkConfig;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// The field over which proofs with challenges in `E` are.
pub type Base<E> = <E as AnyChallenge>::Base;

/// A configuration of two-adic FRI with these trees, challenges and transcript.
pub type FriStark<Trees, E, C> = StarkConfig<
    TwoAdicFriPcs<Base<E>, Radix2DitParallel<Base<E>>, Trees, ExtensionMmcs<Base<E>, E, Trees>>,
    E,
    C,
>;

/// The configuration, its trees and its constants, with these settings. There is no proof of work at
/// the two sites that its examples do not set.
macro_rules! made {
    ($settings:expr, $trees:expr, $challenger:expr, $constants:expr) => {{
        let trees = $trees;
        let parameters = $settings.parameters(ExtensionMmcs::new(trees.clone()));
        let pcs = TwoAdicFriPcs::new(Radix2DitParallel::default(), trees.clone(), parameters);
        (StarkConfig::new(pcs, $challenger), trees, $constants)
    }};
}

/// One of Plonky3's hashes from bytes to 32 bytes.
pub trait ByteHash:
    CryptographicHasher<u8, [u8; 32]> + Copy + Debug + Send + Sync + 'static
{
    const HASHER: Self;
}

impl ByteHash for Blake3 {
    const HASHER: Self = Self;
}

impl ByteHash for Keccak256Hash {
    const HASHER: Self = Self;
}

/// Trees of a hash of bytes.
pub type ByteTrees<B, V = F> =
    MerkleTreeMmcs<V, u8, SerializingHasher<B>, CompressionFunctionFromHasher<B, 2, 32>, 2, 32>;

/// The transcript of a hash of bytes.
pub type ByteChallenger<B, V = F> = SerializingChallenger32<V, HashChallenger<u8, B, 32>>;

/// Plonky3's configuration of a hash of bytes.
pub type Stock<B, E = EF> = FriStark<ByteTrees<B, Base<E>>, E, ByteChallenger<B, Base<E>>>;

/// The configuration and the trees of a hash of bytes.
pub fn stock<B: ByteHash, E: AnyChallenge>(
    settings: &FriSettings,
) -> (Stock<B, E>, ByteTrees<B, Base<E>>, ()) {
    let trees = ByteTrees::<B, Base<E>>::new(
        SerializingHasher::new(B::HASHER),
        CompressionFunctionFromHasher::new(B::HASHER),
        settings.cap_height,
    );
    let challenger = ByteChallenger::<B, Base<E>>::from_hasher(vec![], B::HASHER);
    made!(settings, trees, challenger, ())
}

/// The sponge over the 64-bit lanes of Keccak-f.
pub type U64Hash = PaddingFreeSponge<KeccakF, 25, 17, 4>;

/// Trees of that sponge: several leaves are hashed at once.
pub type SpongeTrees<V = F> = MerkleTreeMmcs<
    [V; VECTOR_LEN],
    [u64; VECTOR_LEN],
    SerializingHasher<U64Hash>,
    CompressionFunctionFromHasher<U64Hash, 2, 4>,
    2,
    4,
>;

/// With challenges of degree 4, the configuration of `prove_poseidon2_koala_bear_keccak` and of
/// `prove_prime_field_31` with `-f koala-bear -m keccak`, or of `prove_poseidon1_baby_bear_keccak`
/// and of `prove_prime_field_31` with `-f baby-bear -m keccak`.
pub type StockSponge<E> = FriStark<SpongeTrees<Base<E>>, E, ByteChallenger<Keccak256Hash, Base<E>>>;

/// The configuration and the trees of that sponge.
pub fn stock_sponge<E: AnyChallenge>(
    settings: &FriSettings,
) -> (StockSponge<E>, SpongeTrees<Base<E>>, ()) {
    let hash = U64Hash::new(KeccakF {});
    let trees = SpongeTrees::<Base<E>>::new(
        SerializingHasher::new(hash),
        CompressionFunctionFromHasher::new(hash),
        settings.cap_height,
    );
    let challenger =
        ByteChallenger::<Keccak256Hash, Base<E>>::from_hasher(vec![], Keccak256Hash {});
    made!(settings, trees, challenger, ())
}

/// Trees of Poseidon2 of widths 24 and 16.
pub type Poseidon2Trees = MerkleTreeMmcs<
    <F as Field>::Packing,
    <F as Field>::Packing,
    PaddingFreeSponge<Poseidon2KoalaBear<24>, 24, 16, 8>,
    TruncatedPermutation<Poseidon2KoalaBear<16>, 2, 8, 16>,
    2,
    8,
>;

/// The configuration of `prove_prime_field_31` with `-f koala-bear -m poseidon2`.
pub type StockPoseidon2<E> =
    FriStark<Poseidon2Trees, E, DuplexChallenger<F, Poseidon2KoalaBear<24>, 24, 16>>;

/// Round constants of width 24, and of width 16.
pub type Poseidon2Constants = (Constants<24>, Constants<16>);

/// The configuration and the trees of these permutations, with these constants.
pub fn stock_poseidon2_of<E: Challenge>(
    settings: &FriSettings,
    narrow: Poseidon2KoalaBear<16>,
    wide: Poseidon2KoalaBear<24>,
    constants: Poseidon2Constants,
) -> (StockPoseidon2<E>, Poseidon2Trees, Poseidon2Constants) {
    let trees = Poseidon2Trees::new(
        PaddingFreeSponge::new(wide.clone()),
        TruncatedPermutation::new(narrow),
        settings.cap_height,
    );
    made!(settings, trees, DuplexChallenger::new(wide), constants)
}

/// The configuration and the trees of Poseidon2 with Plonky3's default constants.
pub fn stock_poseidon2<E: Challenge>(
    settings: &FriSettings,
) -> (StockPoseidon2<E>, Poseidon2Trees, Poseidon2Constants) {
    let (narrow, wide) = (
        default_koalabear_poseidon2_16(),
        default_koalabear_poseidon2_24(),
    );
    let constants = (Constants::<24>::default(), Constants::<16>::default());
    stock_poseidon2_of(settings, narrow, wide, constants)
}

/// The configuration and the trees that `prove_prime_field_31` draws from its generator.
pub fn stock_drawn<E: Challenge>(
    settings: &FriSettings,
) -> (StockPoseidon2<E>, Poseidon2Trees, Poseidon2Constants) {
    stock_drawn_from(settings, SmallRng::seed_from_u64(1))
}

/// The configuration and the trees that `prove_prime_field_31` draws from its generator, in this
/// state.
pub fn stock_drawn_from<E: Challenge>(
    settings: &FriSettings,
    mut rng: SmallRng,
) -> (StockPoseidon2<E>, Poseidon2Trees, Poseidon2Constants) {
    let mut same = rng.clone();
    let narrow = Poseidon2KoalaBear::<16>::new_from_rng_128(&mut rng);
    let wide = Poseidon2KoalaBear::<24>::new_from_rng_128(&mut rng);
    let of_16 = Constants::<16>::drawn(|| same.random());
    let of_24 = Constants::<24>::drawn(|| same.random());
    stock_poseidon2_of(settings, narrow, wide, (of_24, of_16))
}

/// Trees of Poseidon2 of width 16.
pub type NarrowTrees = MerkleTreeMmcs<
    <F as Field>::Packing,
    <F as Field>::Packing,
    PaddingFreeSponge<Poseidon2KoalaBear<16>, 16, 8, 8>,
    TruncatedPermutation<Poseidon2KoalaBear<16>, 2, 8, 16>,
    2,
    8,
>;

/// The configuration of p3-uni-stark's tests, over KoalaBear.
pub type StockNarrow<E> =
    FriStark<NarrowTrees, E, DuplexChallenger<F, Poseidon2KoalaBear<16>, 16, 8>>;

/// The configuration and the trees of Poseidon2 of width 16, with constants of this seed.
pub fn stock_narrow_of<E: Challenge>(
    settings: &FriSettings,
    seed: u64,
) -> (StockNarrow<E>, NarrowTrees, Constants<16>) {
    let [mut rng, mut same] = [seed, seed].map(SmallRng::seed_from_u64);
    let permutation = Poseidon2KoalaBear::<16>::new_from_rng_128(&mut rng);
    let constants = Constants::<16>::drawn(|| same.random());
    let trees = NarrowTrees::new(
        PaddingFreeSponge::new(permutation.clone()),
        TruncatedPermutation::new(permutation.clone()),
        settings.cap_height,
    );
    made!(
        settings,
        trees,
        DuplexChallenger::new(permutation),
        constants
    )
}

/// The configuration and the trees of Poseidon2 of width 16, with the constants of p3-uni-stark's
/// tests.
pub fn stock_narrow<E: Challenge>(
    settings: &FriSettings,
) -> (StockNarrow<E>, NarrowTrees, Constants<16>) {
    stock_narrow_of(settings, 1)
}
