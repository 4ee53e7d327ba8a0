//! `droste evm build`: contracts, and calls that verify a proof.

use std::fs;
use std::path::Path;

use clap::Args;
use droste_evm::calldata;
use droste_evm::contract::deploy::{ABI, DEPLOYER, call_data, deploy_data, statement_bytes};
use droste_evm::registry::{CONSUMER_ABI, REGISTRY_ABI};
use droste_native::files;
use serde::Serialize;

use super::fold::{KeptRoot, RootRows};
use super::{ProofRows, Source, hex, warn_of_large};
use crate::error::CommandError;
use crate::output::{Format, Report, print, row};
use crate::paths::{Kept, is_same};

/// Arguments of `droste evm build`.
#[derive(Debug, Args)]
pub struct Build {
    #[command(flatten)]
    source: Source,
    /// Folder to write to: of each contract the transaction that deploys it, its code as text and
    /// its interface, and calls that verify the proof.
    #[arg(short, long)]
    output: Kept,
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
struct Built {
    #[serde(flatten)]
    proof: ProofRows,
    deployer: String,
    contracts: Vec<Shown>,
    call_bytes: usize,
    /// Of a leaf root: the root, and the digest of the recursion keys that the registry accepts.
    #[serde(skip_serializing_if = "Option::is_none")]
    leaf_root: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recursion_keys_digest: Option<String>,
    /// Of a contract that keeps a root.
    #[serde(skip_serializing_if = "Option::is_none")]
    state_root: Option<RootRows>,
}

impl Report for Built {
    fn rows(&self) -> Vec<Vec<String>> {
        let mut rows = self.proof.rows();
        rows.push(row("deployer", &self.deployer));
        rows.extend(self.contracts.iter().map(|contract| {
            let Shown { address, bytes, .. } = contract;
            row(&contract.name, format!("{address}, {bytes} bytes"))
        }));
        rows.push(row("call", format!("{} bytes", self.call_bytes)));
        if let (Some(root), Some(keys)) = (&self.leaf_root, &self.recursion_keys_digest) {
            rows.extend([row("leaf root", root), row("recursion keys", keys)]);
        }
        rows.extend(self.state_root.iter().flat_map(RootRows::rows));
        rows
    }
}

impl Build {
    /// Makes the contracts and writes them.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let made = self.source.make()?;
        let (mut contracts, mut texts) = (vec![], vec![]);
        for (name, (address, code)) in made.all() {
            texts.push((format!("{name}.hex"), hex(&deploy_data(code))));
            texts.push((format!("{name}.yul"), code.yul.clone()));
            contracts.push(Shown {
                name,
                address: hex(address),
                bytes: code.bytes.len(),
            });
        }
        let statement = statement_bytes(&made.proof.statement);
        let proof_bytes = calldata::encode(&made.proof);
        let call = call_data(&statement, &proof_bytes);
        let root = made.root.as_ref();
        if let Some(root) = root {
            root.warn();
        }
        let advance = root.and_then(|root| root.advance_data(&proof_bytes));
        warn_of_large(advance.as_ref().unwrap_or(&call).len());
        let mut add = |name: &str, text: String| texts.push((name.to_owned(), text));
        add("call.hex", hex(&call));
        add("verifier.json", ABI.to_owned());
        let leaves = made.leaves.as_ref().map(|(leaves, _)| leaves);
        if let Some(leaves) = leaves {
            add("registry.json", REGISTRY_ABI.to_owned());
            add("consumer.json", CONSUMER_ABI.to_owned());
            add("accept.hex", hex(&leaves.accept_data(&proof_bytes)));
            add("openings.json", leaves.openings_json()?);
        }
        if let Some(root) = root {
            add("state_root.json", root.abi());
        }
        if let Some(advance) = &advance {
            add("advance.hex", hex(advance));
        }
        self.write(&texts)?;
        let built = Built {
            proof: made.proof(),
            deployer: hex(&DEPLOYER),
            contracts,
            call_bytes: call.len(),
            leaf_root: leaves.map(|leaves| hex(&leaves.root())),
            recursion_keys_digest: leaves.map(|leaves| leaves.recursion_keys().to_string()),
            state_root: root.map(KeptRoot::rows),
        };
        Ok(print(&built, format)?)
    }

    /// Writes files of these names, none if one would replace what is read.
    fn write(&self, texts: &[(String, String)]) -> Result<(), CommandError> {
        for (name, _) in texts {
            let path: &Path = &self.output.join(name);
            if self.source.reads().any(|read| is_same(read, path)) {
                let path = path.display();
                let message = format!("{path} is read by this command: write to another folder");
                return Err(CommandError::usage(message));
            }
        }
        fs::create_dir_all(&self.output).map_err(CommandError::file(&self.output))?;
        for (name, text) in texts {
            let path: &Path = &self.output.join(name);
            files::write(path, text.as_bytes()).map_err(CommandError::file(path))?;
        }
        Ok(())
    }
}
