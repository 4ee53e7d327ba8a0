//! What verifies described proofs: Plonky3's configuration, made of its own types, and a circuit.

use std::path::Path;

use droste_native::stark::security::Security;
use droste_native::stark::suite::Dft;
use droste_native::{EF, EF4, F};
use droste_verifier::airs::{StockConfig, StockUni, StockUniAir};
use droste_verifier::circuit::Run;
use droste_verifier::keys::Deriver;
use droste_vm::key::KeyDigest;
use p3_blake3::Blake3;
use p3_challenger::{HashChallenger, SerializingChallenger32};
use p3_commit::ExtensionMmcs;
use p3_fri::TwoAdicFriPcs;
use p3_keccak::{Keccak256Hash, KeccakF};
use p3_merkle_tree::MerkleTreeMmcs;
use p3_symmetric::{CompressionFunctionFromHasher, PaddingFreeSponge, SerializingHasher};
use p3_uni_stark::{Proof, StarkConfig};

use super::StockCircuit;
use super::air::HashAir;
use super::config::{Config, Degree, HashName};
use super::format::ProofFormat;
use crate::error::CommandError;

/// Trees in a hash of bytes.
type ByteTrees<B> =
    MerkleTreeMmcs<F, u8, SerializingHasher<B>, CompressionFunctionFromHasher<B, 2, 32>, 2, 32>;

/// The transcript in a hash of bytes.
type ByteChallenger<B> = SerializingChallenger32<F, HashChallenger<u8, B, 32>>;

/// The sponge over the 64-bit lanes of Keccak-f.
type Sponge = PaddingFreeSponge<KeccakF, 25, 17, 4>;

/// Trees in that sponge.
type SpongeTrees = MerkleTreeMmcs<
    F,
    u64,
    SerializingHasher<Sponge>,
    CompressionFunctionFromHasher<Sponge, 2, 4>,
    2,
    4,
>;

/// A circuit, and how its proofs are encoded.
struct Stock<SC: StockConfig> {
    circuit: StockUni<SC, HashAir>,
    log_height: usize,
    format: ProofFormat,
}

impl<SC: StockConfig> StockCircuit for Stock<SC>
where
    HashAir: StockUniAir<SC>,
{
    fn key(&self) -> KeyDigest {
        self.circuit.air_key().digest()
    }

    fn statement(&self) -> [F; 8] {
        self.circuit.leaf(&[vec![]]).claim.statement()
    }

    fn security(&self) -> &Security {
        self.circuit.security()
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

/// What verifies the proofs that the file at `path` describes.
///
/// # Errors
/// If it cannot be read, or describes no proofs that can be verified.
pub fn open(path: &Path) -> Result<Box<dyn StockCircuit>, CommandError> {
    let config = Config::read(path)?;
    circuit(&config).map_err(CommandError::about(path.display()))
}

/// What verifies described proofs.
fn circuit(config: &Config) -> Result<Box<dyn StockCircuit>, CommandError> {
    let air = config.air().map_err(CommandError::failed)?;
    let settings = config.settings().map_err(CommandError::failed)?;
    let log_height = config.log_height().map_err(CommandError::failed)?;
    // The circuit of trees and a transcript, with challenges in a field.
    macro_rules! of {
        ($trees:expr, $challenger:expr, $field:ty) => {{
            let trees = $trees;
            let folding = ExtensionMmcs::<F, $field, _>::new(trees.clone());
            let parameters = settings.parameters(folding);
            let pcs = TwoAdicFriPcs::<F, _, _, _>::new(Dft::default(), trees.clone(), parameters);
            let stark = StarkConfig::<_, $field, _>::new(pcs, $challenger)
                .with_ood_proof_of_work_bits(settings.ood_grinding_bits);
            let circuit: Box<dyn StockCircuit> = Box::new(Stock {
                circuit: StockUni::new(stark, trees, (), settings, air, log_height)?,
                log_height,
                format: config.format,
            });
            Ok(circuit)
        }};
    }
    let cap_height = settings.cap_height;
    let in_sponge = || sponge_trees(cap_height);
    let in_keccak = || byte_trees(Keccak256Hash, cap_height);
    let in_blake3 = || byte_trees(Blake3, cap_height);
    let by_keccak = || ByteChallenger::from_hasher(vec![], Keccak256Hash);
    let by_blake3 = || ByteChallenger::from_hasher(vec![], Blake3);
    match (config.hash, config.degree) {
        (HashName::KeccakSponge, Degree::Four) => of!(in_sponge(), by_keccak(), EF4),
        (HashName::KeccakSponge, Degree::Five) => of!(in_sponge(), by_keccak(), EF),
        (HashName::Keccak, Degree::Four) => of!(in_keccak(), by_keccak(), EF4),
        (HashName::Keccak, Degree::Five) => of!(in_keccak(), by_keccak(), EF),
        (HashName::Blake3, Degree::Four) => of!(in_blake3(), by_blake3(), EF4),
        (HashName::Blake3, Degree::Five) => of!(in_blake3(), by_blake3(), EF),
    }
}

/// The trees in a hash of bytes.
fn byte_trees<B: Copy>(hash: B, cap_height: usize) -> ByteTrees<B> {
    ByteTrees::new(
        SerializingHasher::new(hash),
        CompressionFunctionFromHasher::new(hash),
        cap_height,
    )
}

/// The trees in the sponge.
fn sponge_trees(cap_height: usize) -> SpongeTrees {
    let sponge = Sponge::new(KeccakF);
    SpongeTrees::new(
        SerializingHasher::new(sponge),
        CompressionFunctionFromHasher::new(sponge),
        cap_height,
    )
}
