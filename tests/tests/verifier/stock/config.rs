//! Configurations made of Plonky3's own types, over KoalaBear, as its examples assemble them.
//!
//! Its examples use an extension of degree 4 for challenges; here it is degree 5, as everywhere in
//! Droste.

use std::fmt::Debug;

use droste_native::stark::suite::Dft;
use droste_native::{EF, F, FriSettings};
use p3_blake3::Blake3;
use p3_challenger::{DuplexChallenger, HashChallenger, SerializingChallenger32};
use p3_commit::ExtensionMmcs;
use p3_field::Field;
use p3_fri::TwoAdicFriPcs;
use p3_keccak::Keccak256Hash;
use p3_koala_bear::{
    Poseidon2KoalaBear, default_koalabear_poseidon2_16, default_koalabear_poseidon2_24,
};
use p3_merkle_tree::MerkleTreeMmcs;
use p3_symmetric::{
    CompressionFunctionFromHasher, CryptographicHasher, PaddingFreeSponge, SerializingHasher,
    TruncatedPermutation,
};
use p3_uni_stark::StarkConfig;

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

type ValMmcs<B> =
    MerkleTreeMmcs<F, u8, SerializingHasher<B>, CompressionFunctionFromHasher<B, 2, 32>, 2, 32>;
type ChallengeMmcs<B> = ExtensionMmcs<F, EF, ValMmcs<B>>;
type Challenger<B> = SerializingChallenger32<F, HashChallenger<u8, B, 32>>;
type Pcs<B> = TwoAdicFriPcs<F, Dft, ValMmcs<B>, ChallengeMmcs<B>>;

/// Plonky3's configuration of a hash.
pub type Stock<B> = StarkConfig<Pcs<B>, EF, Challenger<B>>;

/// The configuration with these settings. There is no proof of work at the two sites that its
/// examples do not set.
pub fn stock<B: ByteHash>(settings: &FriSettings) -> Stock<B> {
    let mmcs = ValMmcs::<B>::new(
        SerializingHasher::new(B::HASHER),
        CompressionFunctionFromHasher::new(B::HASHER),
        settings.cap_height,
    );
    let parameters = settings.parameters(ChallengeMmcs::<B>::new(mmcs.clone()));
    StarkConfig::new(
        Pcs::<B>::new(Dft::default(), mmcs, parameters),
        Challenger::<B>::from_hasher(vec![], B::HASHER),
    )
}

type Poseidon2Mmcs = MerkleTreeMmcs<
    <F as Field>::Packing,
    <F as Field>::Packing,
    PaddingFreeSponge<Poseidon2KoalaBear<24>, 24, 16, 8>,
    TruncatedPermutation<Poseidon2KoalaBear<16>, 2, 8, 16>,
    2,
    8,
>;
type Poseidon2Challenger = DuplexChallenger<F, Poseidon2KoalaBear<24>, 24, 16>;
type Poseidon2Pcs = TwoAdicFriPcs<F, Dft, Poseidon2Mmcs, ExtensionMmcs<F, EF, Poseidon2Mmcs>>;

/// Plonky3's configuration of Poseidon2, with the two permutations of its examples.
pub fn stock_poseidon2(
    settings: &FriSettings,
) -> StarkConfig<Poseidon2Pcs, EF, Poseidon2Challenger> {
    let wide = default_koalabear_poseidon2_24();
    let mmcs = Poseidon2Mmcs::new(
        PaddingFreeSponge::new(wide.clone()),
        TruncatedPermutation::new(default_koalabear_poseidon2_16()),
        settings.cap_height,
    );
    let parameters = settings.parameters(ExtensionMmcs::new(mmcs.clone()));
    StarkConfig::new(
        Poseidon2Pcs::new(Dft::default(), mmcs, parameters),
        DuplexChallenger::new(wide),
    )
}
