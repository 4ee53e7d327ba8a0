//! `droste key`: prints the digest of a program's key.

use std::path::PathBuf;

use clap::Args;
use droste_native::HashId;
use droste_verifier::proofs;
use droste_vm::heights::Heights;
use serde::Serialize;

use crate::error::CommandError;
use crate::output::{Format, Report, print, row};
use crate::parameters::ProofParameters;
use crate::program;

/// Arguments of `droste key`.
#[derive(Debug, Args)]
pub struct Key {
    /// File of the zk-DSL program.
    file: PathBuf,
    /// Hash of the commitments and the transcript: poseidon16, poseidon2, blake3 or keccak.
    #[arg(long, default_value_t = HashId::Poseidon16)]
    hash: HashId,
    #[command(flatten)]
    parameters: ProofParameters,
}

#[derive(Serialize)]
struct Digest {
    key: String,
    hash: HashId,
    tables: Vec<String>,
}

impl Report for Digest {
    fn rows(&self) -> Vec<Vec<String>> {
        vec![
            row("key", &self.key),
            row("hash", self.hash),
            row("tables", self.tables.join(",")),
        ]
    }
}

impl Key {
    /// Compiles the program, computes its key and prints the key's digest.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let settings = self.parameters.settings(self.hash)?;
        let compiled = program::compile(&self.file)?;
        let (key, tables) = proofs::key(self.hash, compiled, settings, Heights::Minimal)?;
        let digest = Digest {
            key: key.to_string(),
            hash: self.hash,
            tables,
        };
        Ok(print(&digest, format)?)
    }
}
