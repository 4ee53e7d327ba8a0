//! `droste key`: prints the digest of a program's key, or of its keys for runs of all lengths; or of
//! the key of proofs that Plonky3's own code makes.

use clap::Args;
use droste_native::HashId;
use droste_native::stark::security::Preset;
use droste_verifier::proofs;
use droste_verifier::summary::{SecuritySummary, integers};
use droste_vm::heights::Heights;
use droste_vm::stack::{Parameters, Stack, StackSettings};
use serde::Serialize;

use crate::calling::Calls;
use crate::commands::verify::security_rows;
use crate::error::CommandError;
use crate::output::{Format, Report, list, print, row};
use crate::parameters::ProofParameters;
use crate::paths::Input;
use crate::progress::Progress;
use crate::stock::{OBLIGATION, StockCircuit, open};

/// Arguments of `droste key`.
#[derive(Debug, Args)]
pub struct Key {
    /// File of the zk-DSL program.
    #[arg(required_unless_present = "stock")]
    file: Option<Input>,
    /// TOML file that describes proofs which Plonky3's own code makes, as for `droste wrap`: prints
    /// the key and the statement that such a proof has as a leaf.
    #[arg(long, value_name = "CONFIG", conflicts_with_all = [
        "file", "calls", "library", "hash", "stack", "preset", "queries", "blowup", "log_block", "all",
    ])]
    stock: Option<Input>,
    #[command(flatten)]
    calls: Calls,
    /// Hash of the commitments and the transcript: poseidon16, poseidon2, blake3 or keccak.
    #[arg(long, default_value_t = HashId::Poseidon16)]
    hash: HashId,
    #[command(flatten)]
    parameters: ProofParameters,
    /// Also print the keys for longer runs, up to the longest that can be proved.
    #[arg(long, conflicts_with = "log_block")]
    all: bool,
}

/// A key, and what it depends on beside the program.
#[derive(Serialize)]
struct Digest {
    key: String,
    hash: HashId,
    stack: Stack,
    /// None if a number of queries was given.
    preset: Option<Preset>,
    blowup: usize,
    /// Largest number of rows of a table in proofs under the key.
    rows: usize,
    tables: Vec<String>,
    /// The keys for longer runs, if they were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    longer: Vec<Longer>,
    #[serde(skip)]
    parameters: Parameters,
}

/// The key for longer runs.
#[derive(Serialize)]
struct Longer {
    rows: usize,
    key: String,
}

impl Report for Digest {
    fn rows(&self) -> Vec<Vec<String>> {
        let mut rows = vec![
            row("program key", &self.key),
            row("holds at", self.parameters),
            row("tables", self.tables.join(",")),
        ];
        let longer = self.longer.iter();
        rows.extend(
            longer.map(|one| row(format!("of up to 2^{} rows", one.rows.ilog2()), &one.key)),
        );
        rows
    }
}

/// The leaf that a proof is which Plonky3's own code made.
#[derive(Serialize)]
struct StockLeaf {
    key: String,
    statement: Vec<u32>,
    proven_bits: usize,
    security: SecuritySummary,
}

impl Report for StockLeaf {
    fn rows(&self) -> Vec<Vec<String>> {
        let mut rows = vec![
            row("program key", &self.key),
            row("statement", list(&self.statement)),
            row("it means", OBLIGATION),
            row("proven bits", self.proven_bits),
        ];
        rows.extend(security_rows(&self.security, false));
        rows
    }
}

impl StockLeaf {
    fn new(circuit: &dyn StockCircuit) -> Result<Self, CommandError> {
        let security = circuit.security();
        Ok(Self {
            key: circuit.key().to_string(),
            statement: integers(&circuit.statement()?),
            proven_bits: security.bits(),
            security: SecuritySummary::new(security),
        })
    }
}

impl Key {
    /// Computes and prints the key's digest, of a program or of proofs that Plonky3's own code makes.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        match (&self.stock, &self.file) {
            (Some(stock), _) => {
                let progress = Progress::spinner("compiling what verifies such proofs");
                let leaf = StockLeaf::new(&*open(stock)?)?;
                progress.finish();
                Ok(print(&leaf, format)?)
            }
            (None, Some(file)) => self.of_program(file, format),
            // Arguments of which one is required.
            (None, None) => Err(CommandError::usage("name a program, or --stock")),
        }
    }

    /// Compiles the program, computes its key and prints the key's digest, and those for longer
    /// runs if they are asked for.
    fn of_program(&self, file: &Input, format: Format) -> Result<(), CommandError> {
        self.parameters.settings(self.hash)?;
        let compiled = self.calls.compile(file)?;
        let settings = self.parameters.for_program(self.hash, &compiled)?;
        let progress = Progress::spinner("committing to the program");
        let (key, tables) = proofs::key(self.hash, &compiled, settings, Heights::Minimal)?;
        let mut longer = vec![];
        if self.all {
            let lengths = self.parameters.for_all_lengths(self.hash, &compiled)?;
            for settings in lengths.into_iter().skip(1) {
                let parameters = self.at(settings);
                let (key, _) = proofs::key(self.hash, &compiled, settings, Heights::Minimal)?;
                longer.push(Longer {
                    rows: 1 << parameters.log_rows(),
                    key: key.to_string(),
                });
            }
        }
        progress.finish();
        let parameters = self.at(settings);
        let digest = Digest {
            key: key.to_string(),
            hash: self.hash,
            stack: settings.stack(),
            preset: parameters.preset(),
            blowup: 1 << settings.log_blowup(),
            rows: 1 << parameters.log_rows(),
            tables,
            longer,
            parameters,
        };
        Ok(print(&digest, format)?)
    }

    const fn at(&self, settings: StackSettings) -> Parameters {
        Parameters {
            hash: self.hash,
            settings,
        }
    }
}
