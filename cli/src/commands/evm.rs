//! `droste evm`: contracts that verify the last proof of a chain.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use droste_evm::calldata;
use droste_evm::contract::Contract;
use droste_evm::contract::deploy::{ABI, DEPLOYER, call_data, deploy_data, statement_bytes};
use droste_native::KeccakSuite;
use droste_vm::files;
use droste_vm::key::KeyDigest;
use droste_vm::machine::StandardTables;
use droste_vm::verifier::VerifyOptions;
use droste_vm::whir::{self, Proof, Verifier};
use serde::Serialize;

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
    /// Folder to write to: of each contract the transaction that deploys it and its code as text,
    /// the verifier's interface, and the call that verifies the proof.
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
        let contract = Contract::new(&verifier, &proof.log_heights);
        let contract = contract.map_err(CommandError::failed)?;
        let contracts = contract.deployed_by(&DEPLOYER);
        let contracts = contracts.map_err(CommandError::failed)?;

        fs::create_dir_all(&self.output).map_err(CommandError::file(&self.output))?;
        let mut shown = vec![];
        let numbered = contracts.evaluators.iter().enumerate();
        let evaluators = numbered.map(|(index, made)| (format!("evaluator{index}"), made));
        let all = evaluators.chain([("verifier".to_owned(), &contracts.verifier)]);
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
        let call = call_data(&statement, &calldata::encode(&proof));
        self.write("call.hex", &hex(&call))?;
        self.write("verifier.json", ABI)?;
        let made = Made {
            key: digest.to_string(),
            statement: hex(&statement),
            proven_bits: report.bits(),
            deployer: hex(&DEPLOYER),
            contracts: shown,
            call_bytes: call.len(),
        };
        Ok(print(&made, format)?)
    }

    fn write(&self, name: &str, text: &str) -> Result<(), CommandError> {
        let path: &Path = &self.output.join(name);
        files::write(path, text.as_bytes()).map_err(CommandError::file(path))
    }
}
