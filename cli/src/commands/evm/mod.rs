//! `droste evm`: contracts that verify the last proof of a chain.

mod registry;

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use droste_evm::calldata;
use droste_evm::contract::Contract;
use droste_evm::contract::deploy::{ABI, DEPLOYER, call_data, deploy_data, statement_bytes};
use droste_evm::registry::{CONSUMER_ABI, REGISTRY_ABI};
use droste_native::KeccakSuite;
use droste_vm::files;
use droste_vm::key::KeyDigest;
use droste_vm::machine::StandardTables;
use droste_vm::verifier::VerifyOptions;
use droste_vm::whir::{self, Proof, Verifier};
use serde::Serialize;

use self::registry::Leaves;
use crate::error::CommandError;
use crate::output::{Format, Report, print, row};

/// Arguments of `droste evm`.
#[derive(Debug, Args)]
pub struct MakeContracts {
    /// The proof, which `droste exit` wrote. The contracts verify all proofs of its key.
    proof: PathBuf,
    /// Digest of the key that the proof must have.
    #[arg(long)]
    key: Option<KeyDigest>,
    /// Proven bits of security that the proof must have at least.
    #[arg(long, default_value_t = 100)]
    min_bits: usize,
    /// The leaves, which `droste exit --leaf-root` wrote with the proof. Also makes a registry, which
    /// verifies leaf roots that were made with the same keys, and a contract that uses it.
    #[arg(long, value_name = "FILE", requires = "leaf")]
    leaf_root: Option<PathBuf>,
    /// Digest of a key that leaves of a leaf root may have; may be repeated.
    #[arg(long, value_name = "KEY", requires = "leaf_root")]
    leaf: Vec<KeyDigest>,
    /// Folder to write to: of each contract the transaction that deploys it, its code as text and its
    /// interface, and calls that verify the proof.
    #[arg(short, long)]
    output: PathBuf,
}

/// One contract.
#[derive(Debug, Serialize)]
struct Shown {
    name: String,
    address: String,
    bytes: usize,
}

/// What was made.
#[derive(Debug, Serialize)]
struct Made {
    key: String,
    statement: String,
    proven_bits: usize,
    deployer: String,
    contracts: Vec<Shown>,
    call_bytes: usize,
    /// Of a leaf root: the root, and the digest of the recursion keys that the registry accepts.
    #[serde(skip_serializing_if = "Option::is_none")]
    leaf_root: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recursion_keys_digest: Option<String>,
}

impl Report for Made {
    fn rows(&self) -> Vec<Vec<String>> {
        let mut rows = vec![
            row("key", &self.key),
            row("statement", &self.statement),
            row("proven bits", self.proven_bits),
            row("deployer", &self.deployer),
        ];
        rows.extend(self.contracts.iter().map(|contract| {
            let Shown { address, bytes, .. } = contract;
            row(&contract.name, format!("{address}, {bytes} bytes"))
        }));
        rows.push(row("call", format!("{} bytes", self.call_bytes)));
        if let (Some(root), Some(keys)) = (&self.leaf_root, &self.recursion_keys_digest) {
            rows.extend([row("leaf root", root), row("recursion keys", keys)]);
        }
        rows
    }
}

/// Bytes in hexadecimal digits.
fn hex(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("0x{digits}")
}

impl MakeContracts {
    /// Makes the contracts and writes them.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let limit = whir::MAX_BYTES as u64;
        let bytes = files::read(&self.proof, limit).map_err(CommandError::file(&self.proof))?;
        let proof: Proof<KeccakSuite> = whir::decode(&bytes).map_err(CommandError::failed)?;
        let digest = proof.key.digest();
        if self.key.is_some_and(|key| key != digest) {
            let message = format!("the proof was made with key {digest}");
            return Err(CommandError::failed(message));
        }
        let verifier = Verifier::<StandardTables, KeccakSuite>::new(proof.key.clone())?;
        let options = VerifyOptions::min_bits(self.min_bits);
        let report = verifier.verify(&proof.statement, options, &proof)?;
        let leaves = self.leaf_root.as_ref();
        let leaves = leaves.map(|path| Leaves::read(path, &proof.statement, &self.leaf));
        let leaves = leaves.transpose()?;
        let contract = Contract::new(&verifier, &proof.log_heights);
        let contract = contract.map_err(CommandError::failed)?;
        let contracts = contract.deployed_by(&DEPLOYER);
        let contracts = contracts.map_err(CommandError::failed)?;

        fs::create_dir_all(&self.output).map_err(CommandError::file(&self.output))?;
        let mut shown = vec![];
        let numbered = contracts.evaluators.iter().enumerate();
        let evaluators = numbered.map(|(index, made)| (format!("evaluator{index}"), made));
        let of_leaves = leaves.as_ref();
        let of_leaves = of_leaves.map(|leaves| leaves.contracts(contracts.verifier.0));
        let of_leaves = of_leaves.transpose()?;
        let names = ["registry", "consumer"].map(str::to_owned);
        let all = evaluators
            .chain([("verifier".to_owned(), &contracts.verifier)])
            .chain(names.into_iter().zip(of_leaves.iter().flatten()));
        for (name, (address, code)) in all {
            self.write(&format!("{name}.hex"), &hex(&deploy_data(code)))?;
            self.write(&format!("{name}.txt"), &code.text)?;
            shown.push(Shown {
                name,
                address: hex(address),
                bytes: code.bytes.len(),
            });
        }
        let statement = statement_bytes(&proof.statement);
        let proof_bytes = calldata::encode(&proof);
        let call = call_data(&statement, &proof_bytes);
        self.write("call.hex", &hex(&call))?;
        self.write("verifier.json", ABI)?;
        if let Some(leaves) = &leaves {
            self.write("registry.json", REGISTRY_ABI)?;
            self.write("consumer.json", CONSUMER_ABI)?;
            self.write("accept.hex", &hex(&leaves.accept_data(&proof_bytes)))?;
            self.write("openings.json", &leaves.openings()?)?;
        }
        let made = Made {
            key: digest.to_string(),
            statement: hex(&statement),
            proven_bits: report.bits(),
            deployer: hex(&DEPLOYER),
            contracts: shown,
            call_bytes: call.len(),
            leaf_root: leaves.as_ref().map(|leaves| hex(&leaves.root())),
            recursion_keys_digest: leaves.map(|leaves| leaves.recursion_keys().to_string()),
        };
        Ok(print(&made, format)?)
    }

    fn write(&self, name: &str, text: &str) -> Result<(), CommandError> {
        let path: &Path = &self.output.join(name);
        files::write(path, text.as_bytes()).map_err(CommandError::file(path))
    }
}
