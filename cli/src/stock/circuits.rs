//! What verifies described proofs: Plonky3's configuration, made of its own types, and a circuit.

use std::path::Path;

use droste_native::field::{BabyBear, BabyBear4, ChallengeField};
use droste_native::stark::security::Security;
use droste_native::{EF, EF4, F};
use droste_verifier::airs::{AirError, StockConfig, StockUni, StockUniAir};
use droste_verifier::circuit::{Openings, Run};
use droste_verifier::cost::{calls_at_queries, cheaper_openings};
use droste_verifier::keys::Deriver;
use droste_vm::key::KeyDigest;
use p3_blake3::Blake3;
use p3_challenger::{HashChallenger, SerializingChallenger32};
use p3_commit::ExtensionMmcs;
use p3_dft::Radix2DitParallel;
use p3_fri::TwoAdicFriPcs;
use p3_keccak::{Keccak256Hash, KeccakF};
use p3_merkle_tree::MerkleTreeMmcs;
use p3_symmetric::{CompressionFunctionFromHasher, PaddingFreeSponge, SerializingHasher};
use p3_uni_stark::{Proof, StarkConfig};

use super::StockCircuit;
use super::air::{HashAir, HashField};
use super::config::{Config, HashName};
use super::format::ProofFormat;
use crate::error::CommandError;

/// Trees in a hash of bytes.
type ByteTrees<B, K> =
    MerkleTreeMmcs<K, u8, SerializingHasher<B>, CompressionFunctionFromHasher<B, 2, 32>, 2, 32>;

/// The transcript in a hash of bytes.
type ByteChallenger<B, K> = SerializingChallenger32<K, HashChallenger<u8, B, 32>>;

/// The sponge over the 64-bit lanes of Keccak-f.
type Sponge = PaddingFreeSponge<KeccakF, 25, 17, 4>;

/// Trees in that sponge.
type SpongeTrees<K> = MerkleTreeMmcs<
    K,
    u64,
    SerializingHasher<Sponge>,
    CompressionFunctionFromHasher<Sponge, 2, 4>,
    2,
    4,
>;

/// A circuit, and how its proofs are encoded.
struct Stock<SC: StockConfig<Val: HashField>> {
    circuit: StockUni<SC, HashAir<SC::Val>>,
    log_height: usize,
    format: ProofFormat,
}

impl<SC: StockConfig<Val: HashField> + 'static> StockCircuit for Stock<SC>
where
    HashAir<SC::Val>: StockUniAir<SC>,
{
    fn key(&self) -> KeyDigest {
        self.circuit.air_key().digest()
    }

    fn statement(&self) -> Result<[F; 8], CommandError> {
        let leaf = self.circuit.leaf(&[vec![]]).map_err(AirError::from)?;
        Ok(leaf.claim.statement())
    }

    fn security(&self) -> &Security {
        self.circuit.security()
    }

    fn openings(&self) -> Openings {
        self.circuit.openings()
    }

    fn in_batch(self: Box<Self>) -> Result<Box<dyn StockCircuit>, CommandError> {
        let circuit = self.circuit.in_batch()?;
        Ok(Box::new(Self { circuit, ..*self }))
    }

    fn calls_at_queries(&self) -> Option<usize> {
        calls_at_queries(&self.circuit)
    }

    fn cheaper_openings(&self) -> Openings {
        cheaper_openings(&self.circuit)
    }

    fn known_to(&self, deriver: Deriver) -> Result<Deriver, CommandError> {
        Ok(deriver.with_airs(&self.circuit)?)
    }

    fn run(&self, bytes: &[u8]) -> Result<Run, CommandError> {
        let proof = self.format.decode::<Proof<SC>>(bytes);
        let proof = proof.map_err(CommandError::failed)?;
        // Plonky3's verifier takes the height from the proof.
        let (found, expected) = (proof.degree_bits, self.log_height);
        if found != expected {
            let message = format!("the proof is of 2^{found} rows, expected 2^{expected}");
            return Err(CommandError::failed(message));
        }
        Ok(self.circuit.run(&proof, &[])?)
    }
}

/// What verifies the proofs that the file at `path` describes, their openings by tables.
///
/// # Errors
/// If it cannot be read, or describes no proofs that can be verified.
pub fn open(path: &Path) -> Result<Box<dyn StockCircuit>, CommandError> {
    let config = Config::read(path)?;
    circuit(&config).map_err(CommandError::about(path.display()))
}

/// What verifies described proofs.
fn circuit(config: &Config) -> Result<Box<dyn StockCircuit>, CommandError> {
    let settings = config.settings().map_err(CommandError::failed)?;
    let log_height = config.log_height().map_err(CommandError::failed)?;
    let cap_height = settings.cap_height;
    // The circuit of trees and a transcript in a hash, over a field with challenges in another.
    macro_rules! of {
        ($base:ty, $field:ty, $trees:expr, $hash:expr) => {{
            let air = config.air::<$base>().map_err(CommandError::failed)?;
            let trees = $trees;
            let folding = ExtensionMmcs::<$base, $field, _>::new(trees.clone());
            let parameters = settings.parameters(folding);
            let dft = Radix2DitParallel::<$base>::default();
            let pcs = TwoAdicFriPcs::<$base, _, _, _>::new(dft, trees.clone(), parameters);
            let challenger = ByteChallenger::<_, $base>::from_hasher(vec![], $hash);
            let stark = StarkConfig::<_, $field, _>::new(pcs, challenger)
                .with_ood_proof_of_work_bits(settings.ood_grinding_bits);
            let circuit: Box<dyn StockCircuit> = Box::new(Stock {
                circuit: StockUni::new(stark, trees, (), settings, air, log_height)?,
                log_height,
                format: config.format,
            });
            Ok(circuit)
        }};
    }
    // The circuit of the hash.
    macro_rules! over {
        ($base:ty, $field:ty) => {
            match config.hash {
                HashName::KeccakSponge => {
                    let trees = sponge_trees::<$base>(cap_height);
                    of!($base, $field, trees, Keccak256Hash)
                }
                HashName::Keccak => {
                    let trees = byte_trees::<_, $base>(Keccak256Hash, cap_height);
                    of!($base, $field, trees, Keccak256Hash)
                }
                HashName::Blake3 => {
                    let trees = byte_trees::<_, $base>(Blake3, cap_height);
                    of!($base, $field, trees, Blake3)
                }
            }
        };
    }
    match config.challenges().map_err(CommandError::failed)? {
        ChallengeField::Quintic => over!(F, EF),
        ChallengeField::Quartic => over!(F, EF4),
        ChallengeField::BabyBear => over!(BabyBear, BabyBear4),
    }
}

/// The trees in a hash of bytes.
fn byte_trees<B: Copy, K>(hash: B, cap_height: usize) -> ByteTrees<B, K> {
    ByteTrees::new(
        SerializingHasher::new(hash),
        CompressionFunctionFromHasher::new(hash),
        cap_height,
    )
}

/// The trees in the sponge.
fn sponge_trees<K>(cap_height: usize) -> SpongeTrees<K> {
    let sponge = Sponge::new(KeccakF);
    SpongeTrees::new(
        SerializingHasher::new(sponge),
        CompressionFunctionFromHasher::new(sponge),
        cap_height,
    )
}
