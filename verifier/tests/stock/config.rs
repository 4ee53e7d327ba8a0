//! Configurations made of Plonky3's own types, over KoalaBear, as its examples assemble them.
//!
//! Its examples use an extension of degree 4 for challenges; here it is degree 5, as everywhere in
//! Droste.

use std::fmt::Debug;

use droste_native::stark::suite::Dft;
use droste_native::{EF, F, FriSettings};
use p3_blake3::Blake3;
use p3_challenger::{HashChallenger, SerializingChallenger32};
use p3_commit::ExtensionMmcs;
use p3_fri::TwoAdicFriPcs;
use p3_keccak::Keccak256Hash;
use p3_merkle_tree::MerkleTreeMmcs;
use p3_symmetric::{CompressionFunctionFromHasher, CryptographicHasher, SerializingHasher};
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
