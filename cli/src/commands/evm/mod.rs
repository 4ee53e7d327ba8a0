//! `droste evm`: contracts that verify the last proof of a chain.

mod build;
#[cfg(feature = "revm")]
mod gas;
mod registry;
mod verify;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use droste_evm::assembler::Code;
use droste_evm::contract::Contract;
use droste_evm::contract::deploy::{Address, Contracts, DEPLOYER};
use droste_native::{KeccakSuite, files};
use droste_vm::key::KeyDigest;
use droste_vm::machine::StandardTables;
use droste_vm::verifier::VerifyOptions;
use droste_vm::whir::{self, Proof, Verifier};

use self::registry::Leaves;
use crate::error::CommandError;
use crate::output::Format;

/// What to do with contracts.
#[derive(Debug, Subcommand)]
pub enum Evm {
    /// Write contracts that verify the last proof of an aggregate, and the call for one.
    Build(build::Build),
    /// Verify a last proof in its contracts, and print what that takes.
    Verify(verify::Verify),
}

impl Evm {
    /// Runs the command.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        run! { self, format: Build Verify }
    }
}

/// What contracts are made for.
#[derive(Debug, Args)]
struct Source {
    /// The proof, which `droste exit` wrote. The contracts verify all proofs of its key.
    proof: PathBuf,
    /// Digest of the key that the proof must have.
    #[arg(long)]
    key: Option<KeyDigest>,
    /// Proven bits of security that the proof must have at least.
    #[arg(long, default_value_t = 100)]
    min_bits: usize,
    /// The leaves, which `droste exit --leaf-root` wrote with the proof. Also makes a registry,
    /// which verifies leaf roots that were made with the same keys, and a contract that uses it.
    #[arg(long, value_name = "FILE", requires = "leaf")]
    leaf_root: Option<PathBuf>,
    /// Digest of a key that leaves of a leaf root may have; may be repeated.
    #[arg(long, value_name = "KEY", requires = "leaf_root")]
    leaf: Vec<KeyDigest>,
}

/// A proof that the native verifier accepts, and its contracts.
struct Made {
    proof: Proof<KeccakSuite>,
    #[cfg_attr(not(feature = "revm"), allow(dead_code, reason = "nothing is run"))]
    verifier: Verifier<StandardTables, KeccakSuite>,
    proven_bits: usize,
    contracts: Contracts,
    /// The leaf root, with the registry and the consumer.
    leaves: Option<(Leaves, [(Address, Code); 2])>,
}

impl Source {
    fn make(&self) -> Result<Made, CommandError> {
        let limit = whir::MAX_BYTES as u64;
        let bytes = files::read(&self.proof, limit).map_err(CommandError::file(&self.proof))?;
        let proof: Proof<KeccakSuite> = whir::decode(&bytes).map_err(CommandError::failed)?;
        let digest = proof.key.digest();
        if let Some(expected) = self.key.filter(|&key| key != digest) {
            let message = format!("the proof was made with key {digest}, expected {expected}");
            return Err(CommandError::failed(message));
        }
        let verifier = Verifier::new(proof.key.clone())?;
        let options = VerifyOptions::min_bits(self.min_bits);
        let report = verifier.verify(&proof.statement, options, &proof)?;
        let leaves = self.leaf_root.as_ref();
        let leaves = leaves.map(|path| Leaves::read(path, &proof.statement, &self.leaf));
        let leaves = leaves.transpose()?;
        let contract = Contract::new(&verifier, &proof.log_heights);
        let contract = contract.map_err(CommandError::failed)?;
        let contracts = contract.deployed_by(&DEPLOYER);
        let contracts = contracts.map_err(CommandError::failed)?;
        let with_contracts = |leaves: Leaves| {
            let of_leaves = leaves.contracts(contracts.verifier.0)?;
            Ok::<_, CommandError>((leaves, of_leaves))
        };
        Ok(Made {
            leaves: leaves.map(with_contracts).transpose()?,
            proven_bits: report.bits(),
            proof,
            verifier,
            contracts,
        })
    }
}

impl Made {
    /// All contracts, by their names.
    fn all(&self) -> impl Iterator<Item = (String, &(Address, Code))> {
        let numbered = self.contracts.evaluators.iter().enumerate();
        let evaluators = numbered.map(|(index, made)| (format!("evaluator{index}"), made));
        let of_leaves = self.leaves.iter().flat_map(|(_, contracts)| contracts);
        let names = ["verifier", "registry", "consumer"].map(str::to_owned);
        let others = [&self.contracts.verifier].into_iter().chain(of_leaves);
        evaluators.chain(names.into_iter().zip(others))
    }
}

/// Bytes in hexadecimal digits.
fn hex(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("0x{digits}")
}
