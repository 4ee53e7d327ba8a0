//! `droste verify` and `droste inspect`: what a proof or an aggregate says, and whether it is so.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use droste_native::{F, HashFamily, HashId};
use droste_verifier::file;
use droste_verifier::tape::TapeFamily;
use droste_vm::codec;
use droste_vm::isa::Program;
use droste_vm::key::KeyDigest;
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::prover::Proof;
use droste_vm::verifier::{self, DEFAULT_LIMIT, VerifyError};
use p3_field::PrimeField32;
use serde::Serialize;

use crate::commands::aggregate::Summary;
use crate::error::CommandError;
use crate::family::{InHash, in_hash};
use crate::fields::field_list;
use crate::output::{Format, Report, print};
use crate::program;
use crate::progress::Progress;
use crate::trust::{Evidence, Trust};

/// Arguments of `droste verify`.
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("what").required(true).args(["program", "key"])))]
pub struct Verify {
    /// The proof, or the aggregate of proofs.
    proof: PathBuf,
    /// The program it must be of; the parameters are those that the proof states.
    #[arg(long)]
    program: Option<PathBuf>,
    /// The digest of the key it must be of, which binds program and parameters; of an aggregate, the
    /// digest of the recursion keys in it, as `droste keys` prints it.
    #[arg(long)]
    key: Option<KeyDigest>,
    /// What an aggregate must claim: 64 hexadecimal digits.
    #[arg(long, conflicts_with_all = ["program", "public"])]
    claim: Option<KeyDigest>,
    /// Public values its statement must begin with: comma-separated integers below the field's order.
    #[arg(long, default_value = "")]
    public: String,
    /// Proven bits it must have, and in an aggregate every single proof below it.
    #[arg(long, default_value_t = 100)]
    min_bits: usize,
    /// Proven bits that all proofs of an aggregate must have together, by the union bound.
    #[arg(long, conflicts_with_all = ["program", "public"])]
    min_tree_bits: Option<usize>,
    /// Keys of the programs that may stand at the leaves of an aggregate, any other is refused. Without
    /// them a leaf is taken for an ordinary program: the bits are those of the proofs that are shown.
    /// May be given several times.
    #[arg(long = "leaf", conflicts_with_all = ["program", "public"])]
    leaves: Vec<KeyDigest>,
    /// Most rows, extended by the blowup, of a commitment to the program that the proof may ask for.
    #[arg(long, default_value_t = DEFAULT_LIMIT, requires = "program")]
    limit: usize,
}

/// Arguments of `droste inspect`.
#[derive(Debug, Args)]
pub struct Inspect {
    /// The proof, or the aggregate of proofs.
    proof: PathBuf,
    /// Say what an aggregate claims, without deriving its recursion keys: nothing of it is evidence.
    #[arg(long, conflicts_with = "key")]
    claimed: bool,
    #[command(flatten)]
    trust: Trust,
}

/// What a proof says.
#[derive(Debug, Serialize)]
pub struct Verified {
    key: String,
    hash: HashId,
    statement: Vec<u32>,
    blowup: usize,
    queries: usize,
    proven_bits: usize,
    /// Cycles of the run, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycles: Option<usize>,
    /// Time to prove, where it was proved just now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prove_ms: Option<f64>,
    /// Time to verify, where it was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verify_ms: Option<f64>,
    proof_bytes: usize,
    fft_cost: u64,
    opened_per_query: usize,
    tables: Vec<TableLine>,
}

#[derive(Debug, Serialize)]
struct TableLine {
    name: &'static str,
    height: usize,
    main: usize,
    preprocessed: usize,
    lookup: usize,
    degree: usize,
    fft_cost: u64,
}

impl Verified {
    /// From a proof and the report of its verification.
    pub fn new<H: HashFamily>(
        proof: &Proof<H>,
        report: &verifier::Report,
        proof_bytes: usize,
    ) -> Self {
        let settings = &proof.key.settings;
        let tables = report.tables.iter();
        Self {
            key: report.key.to_string(),
            hash: H::ID,
            statement: report.statement.iter().map(F::as_canonical_u32).collect(),
            blowup: settings.blowup(),
            queries: settings.num_queries,
            proven_bits: report.security.bits(),
            cycles: None,
            prove_ms: None,
            verify_ms: None,
            proof_bytes,
            fft_cost: tables.clone().map(|table| table.fft_cost()).sum(),
            opened_per_query: tables.clone().map(|table| table.opened_elements()).sum(),
            tables: tables
                .map(|table| TableLine {
                    name: table.name,
                    height: table.height(),
                    main: table.shape.main_width,
                    preprocessed: table.shape.preprocessed_width,
                    lookup: table.lookup_width(),
                    degree: table.shape.degree,
                    fft_cost: table.fft_cost(),
                })
                .collect(),
        }
    }
}

impl Report for Verified {
    fn rows(&self) -> Vec<Vec<String>> {
        let statement: Vec<String> = self.statement.iter().map(u32::to_string).collect();
        let parameters = format!("blowup {}, {} queries", self.blowup, self.queries);
        let mut rows = vec![
            vec!["key".to_owned(), self.key.clone()],
            vec!["hash".to_owned(), self.hash.to_string()],
            vec!["statement".to_owned(), statement.join(",")],
            vec!["parameters".to_owned(), parameters],
            vec!["proven bits".to_owned(), self.proven_bits.to_string()],
        ];
        let mut optional = |name: &str, value: Option<String>| {
            rows.extend(value.map(|value| vec![name.to_owned(), value]));
        };
        let milliseconds = |value: f64| format!("{value:.1} ms");
        optional("cycles", self.cycles.map(|cycles| cycles.to_string()));
        optional("prove", self.prove_ms.map(milliseconds));
        optional("verify", self.verify_ms.map(milliseconds));
        optional("proof", Some(format!("{} bytes", self.proof_bytes)));
        optional("fft_cost", Some(self.fft_cost.to_string()));
        optional("opened a query", Some(self.opened_per_query.to_string()));
        for table in &self.tables {
            rows.push(vec![
                format!("table {}", table.name),
                format!(
                    "height {}, main {}, preprocessed {}, lookup {}, degree {}, fft_cost {}",
                    table.height,
                    table.main,
                    table.preprocessed,
                    table.lookup,
                    table.degree,
                    table.fft_cost
                ),
            ]);
        }
        rows
    }
}

impl Verify {
    /// Verifies and prints.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let progress = Progress::spinner("verifying");
        let bytes = codec::read_file(&self.proof).map_err(CommandError::file(&self.proof))?;
        if file::is_aggregate(&bytes) {
            let (Some(key), Some(claim)) = (self.key, self.claim) else {
                let message = "an aggregate is verified against --key and --claim";
                return Err(CommandError::usage(message));
            };
            let aggregate = file::decode(&bytes).map_err(CommandError::failed)?;
            let start = Instant::now();
            let aggregate = aggregate
                .verify(key, &claim.0, self.min_bits)
                .map_err(CommandError::failed)?;
            let verify_ms = start.elapsed().as_secs_f64() * 1e3;
            if !self.leaves.is_empty() {
                let checked = aggregate.tree().check_leaves(&self.leaves);
                checked.map_err(CommandError::failed)?;
            }
            let found = aggregate.accepted().tree_bits;
            if let Some(expected) = self.min_tree_bits
                && found < expected
            {
                let message = format!(
                    "the tree has {found} proven bits of security, at least {expected} expected"
                );
                return Err(CommandError::failed(message));
            }
            let summary = Summary::new(&aggregate, Evidence::Pinned, verify_ms)?;
            drop(progress);
            return Ok(print(&summary, format)?);
        }
        if self.min_tree_bits.is_some() || !self.leaves.is_empty() {
            let message = "--min-tree-bits and --leaf are for aggregates of proofs";
            return Err(CommandError::usage(message));
        }
        if self.claim.is_some() {
            return Err(CommandError::usage("--claim is for aggregates of proofs"));
        }
        let public = field_list(&self.public)?;
        let program = self.program.as_deref().map(program::compile).transpose()?;
        let hash = codec::hash_of(&bytes).map_err(CommandError::failed)?;
        let work = Check {
            bytes: &bytes,
            program: program.as_ref().map(|compiled| &compiled.program),
            key: self.key,
            public: &public,
            min_bits: self.min_bits,
            limit: self.limit,
        };
        let verified = in_hash(hash, work)?;
        drop(progress);
        Ok(print(&verified, format)?)
    }
}

impl Inspect {
    /// Prints what the proof says, after verifying it under the key it carries; of an aggregate, after
    /// deriving its recursion keys.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let progress = Progress::spinner("verifying");
        let bytes = codec::read_file(&self.proof).map_err(CommandError::file(&self.proof))?;
        if file::is_aggregate(&bytes) {
            let start = Instant::now();
            let aggregate = file::decode(&bytes).map_err(CommandError::failed)?;
            let elapsed_ms = || start.elapsed().as_secs_f64() * 1e3;
            let summary = if self.claimed {
                let accepted = aggregate.check().map_err(CommandError::failed)?;
                Summary::claimed(&aggregate, &accepted, elapsed_ms())?
            } else {
                let (aggregate, evidence) = self.trust.accept(aggregate, &self.trust.deriver())?;
                Summary::new(&aggregate, evidence, elapsed_ms())?
            };
            drop(progress);
            return Ok(print(&summary, format)?);
        }
        let hash = codec::hash_of(&bytes).map_err(CommandError::failed)?;
        let work = Check {
            bytes: &bytes,
            program: None,
            key: None,
            public: &[],
            min_bits: 0,
            limit: 0,
        };
        let verified = in_hash(hash, work)?;
        drop(progress);
        Ok(print(&verified, format)?)
    }
}

struct Check<'a> {
    bytes: &'a [u8],
    program: Option<&'a Program>,
    key: Option<KeyDigest>,
    public: &'a [F],
    min_bits: usize,
    limit: usize,
}

impl InHash for Check<'_> {
    type Output = Result<Verified, CommandError>;

    fn run<H: TapeFamily>(self) -> Self::Output
    where
        StandardTables: Provable<H>,
    {
        let proof = codec::decode::<H>(self.bytes).map_err(CommandError::failed)?;
        if let Some(expected) = self.key {
            let found = proof.key.digest();
            if expected != found {
                return Err(CommandError::failed(VerifyError::Key { expected, found }));
            }
        }
        let start = Instant::now();
        let (public, min_bits) = (self.public, self.min_bits);
        let report = match self.program {
            Some(program) => verifier::verify_program::<H, StandardTables>(
                program, public, min_bits, self.limit, &proof,
            ),
            None => verifier::verify::<H, StandardTables>(&proof.key, public, min_bits, &proof),
        }
        .map_err(CommandError::failed)?;
        let verify_ms = start.elapsed().as_secs_f64() * 1e3;
        let mut verified = Verified::new(&proof, &report, self.bytes.len());
        verified.verify_ms = Some(verify_ms);
        Ok(verified)
    }
}
