//! Configurations of Plonky3's own types, as its examples assemble them, over KoalaBear.
//!
//! Its examples take challenges of degree 4; here they are of degree 5, as everywhere in Droste.

use std::fmt::Debug;

use droste_native::family::Dft;
use droste_native::{EF, F, FriSettings};
use p3_blake3::Blake3;
use p3_challenger::{HashChallenger, SerializingChallenger32};
use p3_commit::ExtensionMmcs;
use p3_fri::TwoAdicFriPcs;
use p3_keccak::Keccak256Hash;
use p3_merkle_tree::MerkleTreeMmcs;
use p3_symmetric::{CompressionFunctionFromHasher, CryptographicHasher, SerializingHasher};
use p3_uni_stark::StarkConfig;

/// A hash of bytes to 32 bytes, of Plonky3's.
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

/// The configuration with these settings; at the two sites that its examples know nothing of, nothing
/// is ground.
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
