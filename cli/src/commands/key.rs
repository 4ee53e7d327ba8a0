//! `droste key`: prints the digest of a program's key.

use std::path::PathBuf;

use clap::Args;
use droste_native::{FriSettings, HashId};
use droste_verifier::tape::TapeSuite;
use droste_vm::heights::Heights;
use droste_vm::isa::Program;
use droste_vm::key::ProvingKey;
use droste_vm::machine::{Provable, StandardTables};
use serde::Serialize;

use crate::error::CommandError;
use crate::output::{Format, Report, print};
use crate::parameters::Parameters;
use crate::program;
use crate::suite::{InHash, in_hash};

/// Arguments of `droste key`.
#[derive(Debug, Args)]
pub struct Key {
    /// File of the zk-DSL program.
    file: PathBuf,
    /// Hash of the commitments and the transcript: poseidon16, poseidon2, blake3 or keccak.
    #[arg(long, default_value_t = HashId::Poseidon16)]
    hash: HashId,
    #[command(flatten)]
    parameters: Parameters,
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
            vec!["key".to_owned(), self.key.clone()],
            vec!["hash".to_owned(), self.hash.to_string()],
            vec!["tables".to_owned(), self.tables.join(",")],
        ]
    }
}

impl Key {
    /// Compiles the program, computes its key and prints the key's digest.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let settings = self.parameters.settings()?;
        let compiled = program::compile(&self.file)?;
        let work = Make {
            program: &compiled.program,
            settings,
        };
        Ok(print(&in_hash(self.hash, work)?, format)?)
    }
}

struct Make<'a> {
    program: &'a Program,
    settings: FriSettings,
}

impl InHash for Make<'_> {
    type Output = Result<Digest, CommandError>;

    fn run<H: TapeSuite>(self) -> Self::Output
    where
        StandardTables: Provable<H>,
    {
        let key =
            ProvingKey::<H, StandardTables>::new(self.program, self.settings, Heights::Minimal)
                .map_err(CommandError::failed)?;
        Ok(Digest {
            key: key.key().digest().to_string(),
            hash: H::ID,
            tables: key.key().tables.clone(),
        })
    }
}
