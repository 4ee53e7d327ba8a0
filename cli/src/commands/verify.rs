//! `droste verify` and `droste inspect`: check a proof or an aggregate and print what it says.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use droste_native::{codec, files};
use droste_verifier::aggregate::{AggregateOptions, UnverifiedAggregate};
use droste_verifier::claim::AcceptedLeaves;
use droste_verifier::file::{self, member::is_membership};
use droste_verifier::keys::{Cache, Deriver};
use droste_verifier::proofs::{self, Known};
use droste_verifier::summary::{
    AggregateSummary, Evidence, ProofSummary, SecuritySummary, milliseconds,
};
use droste_vm::key::KeyDigest;
use droste_vm::verifier::VerifyOptions;
use serde::Serialize;

use crate::commands::aggregate::Summary;
use crate::commands::tree;
use crate::error::CommandError;
use crate::fields::field_list;
use crate::output::{Format, Report, list, print, row};
use crate::program;
use crate::progress::Progress;
use crate::trust::{LeafKeys, Trust};

/// Arguments of `droste verify`.
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("what").required(true).multiple(true).args(["programs", "key"])))]
pub struct Verify {
    /// The proof, or the aggregate of proofs.
    proof: PathBuf,
    /// File of the program of which it must be a proof; parameters are taken from the proof. For an
    /// aggregate: of a program of which leaves may be proofs. May then be given several times.
    #[arg(long = "program", value_name = "FILE")]
    programs: Vec<PathBuf>,
    /// Digest of the key under which it must be a proof, as `droste key` prints it; it binds
    /// program and parameters. For an aggregate: digest of the set of its recursion keys, as
    /// `droste keys` prints it.
    #[arg(long)]
    key: Option<KeyDigest>,
    /// Claim that an aggregate must make: 64 hexadecimal digits.
    #[arg(long, conflicts_with = "public")]
    claim: Option<KeyDigest>,
    /// Elements that its statement must begin with, public inputs before outputs: comma-separated
    /// integers below the field's order.
    #[arg(long, default_value = "")]
    public: String,
    /// Proven bits of security that the proof must have at least; in an aggregate, each proof of
    /// the tree.
    #[arg(long, default_value_t = 100)]
    min_bits: usize,
    /// Proven bits of security that all proofs of an aggregate must have together at least, by the
    /// union bound: 100, unless --min-bits asks for less of each.
    #[arg(long, conflicts_with = "public")]
    min_tree_bits: Option<usize>,
    #[command(flatten)]
    leaves: LeafKeys,
    /// Largest number of rows, blowup included, of the commitments to each program that the
    /// parameters of the proof, or of the leaves, may require: this bounds the work of verifying.
    #[arg(long, default_value_t = VerifyOptions::DEFAULT.limit, requires = "programs")]
    limit: usize,
}

/// Arguments of `droste inspect`.
#[derive(Debug, Args)]
pub struct Inspect {
    /// The proof, or the aggregate of proofs.
    proof: PathBuf,
    /// Show what an aggregate claims without deriving its recursion keys. What is printed proves
    /// nothing.
    #[arg(long, conflicts_with = "key")]
    claimed: bool,
    /// Show all leaves of an aggregate. By default the table shows the first 64; `--format json`
    /// always has all.
    #[arg(long)]
    all: bool,
    /// Also write the tree of an aggregate's keys and statements to this file, a web page that
    /// needs no network.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    #[command(flatten)]
    trust: Trust,
}

/// What a proof says, and what is known of the work on it.
#[derive(Debug, Serialize)]
pub struct Verified {
    #[serde(flatten)]
    pub says: ProofSummary,
    /// Cycles of the run, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycles: Option<usize>,
    /// Time to prove, if this command proved it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prove_ms: Option<f64>,
    /// Whether the table has every term of the bits, as `--format json` does.
    #[serde(skip)]
    pub shows_terms: bool,
}

impl Verified {
    /// What a proof says that another command made.
    pub const fn new(says: ProofSummary) -> Self {
        Self {
            says,
            cycles: None,
            prove_ms: None,
            shows_terms: false,
        }
    }
}

impl Report for Verified {
    fn rows(&self) -> Vec<Vec<String>> {
        let says = &self.says;
        let (stack, blowup, queries) = (says.stack, says.blowup, says.queries);
        let parameters = format!("{stack}, blowup {blowup}, {queries} queries");
        let mut rows = vec![
            row("key", &says.key),
            row("hash", says.hash),
            row("statement", list(&says.statement)),
            row("parameters", parameters),
            row("proven bits", says.proven_bits),
        ];
        rows.extend(security_rows(&says.security, self.shows_terms));
        let milliseconds = |value: f64| format!("{value:.1} ms");
        rows.extend(self.cycles.map(|cycles| row("cycles", cycles)));
        rows.extend(self.prove_ms.map(|time| row("prove", milliseconds(time))));
        rows.extend([
            row("verify", milliseconds(says.verify_ms)),
            row("proof", format!("{} bytes", says.proof_bytes)),
            row("fft_cost", says.fft_cost),
            row("opened per query", says.opened_per_query),
        ]);
        rows.extend(says.tables.iter().map(|table| {
            let text = format!(
                "height {}, main {}, preprocessed {}, lookup {}, degree {}, fft_cost {}",
                table.height,
                table.main,
                table.preprocessed,
                table.lookup,
                table.degree,
                table.fft_cost
            );
            row(format!("table {}", table.name), text)
        }));
        rows
    }
}

/// What is proven of a proof, without the newest bound on proximity gaps and with it.
pub fn security_rows(security: &SecuritySummary, terms: bool) -> Vec<Vec<String>> {
    let bounds = security.rows().map(|(name, value)| row(name, value));
    let mut rows = bounds.to_vec();
    if terms {
        let terms = security.terms().into_iter();
        rows.extend(terms.map(|(name, value)| row(format!("term {name}"), value)));
    }
    rows
}

/// Reads the file of a proof or an aggregate.
fn read(path: &Path) -> Result<Vec<u8>, CommandError> {
    let bytes = codec::read_file(path).map_err(CommandError::file(path))?;
    if is_membership(&bytes) {
        let message = "this is a membership: `droste verify-member` verifies it";
        return Err(CommandError::usage(message));
    }
    Ok(bytes)
}

impl Verify {
    /// Verifies the proof or aggregate and prints what it says.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let progress = Progress::spinner("verifying");
        let bytes = read(&self.proof)?;
        if file::is_aggregate(&bytes) {
            let (Some(key), Some(claim)) = (self.key, self.claim) else {
                let message = "this is an aggregate: verify it against --key and --claim";
                return Err(CommandError::usage(message));
            };
            let aggregate = file::decode(&bytes)?;
            let leaves = self.accepted_leaves(&aggregate, key)?;
            let start = Instant::now();
            let options = AggregateOptions::min_bits(self.min_bits);
            let options = options.with_min_tree_bits(self.min_tree_bits);
            let aggregate = aggregate.verify(key, &claim.0, options, &leaves)?;
            let verify_ms = milliseconds(start.elapsed());
            let deriver = Deriver::new().with_cache(Cache::of_user());
            let hidden = deriver.hidden_leaves(&aggregate)?;
            let says = AggregateSummary::new(&aggregate, Evidence::Pinned, verify_ms)?;
            let summary = Summary::new(says.with_hidden_leaves(&hidden));
            drop(progress);
            return Ok(print(&summary, format)?);
        }
        if self.min_tree_bits.is_some() || self.leaves.are_given() {
            let message = "--min-tree-bits, --leaf and --any-leaf are for aggregates of proofs";
            return Err(CommandError::usage(message));
        }
        if self.claim.is_some() {
            return Err(CommandError::usage(
                "--claim is for aggregates of proofs, not for the proof of one program",
            ));
        }
        let public = field_list(&self.public)?;
        let program = match (self.programs.as_slice(), self.key) {
            ([], _) => None,
            ([program], None) => Some(program::compile(program)?),
            _ => {
                let message =
                    "this is the proof of one program: give either --key or one --program";
                return Err(CommandError::usage(message));
            }
        };
        let known = match (&program, self.key) {
            (Some(compiled), _) => Known::Program(&compiled.program),
            (None, Some(key)) => Known::Key(key),
            (None, None) => Known::Nothing,
        };
        let verified = Verified::new(proofs::verify(&bytes, known, &public, self.options())?);
        drop(progress);
        Ok(print(&verified, format)?)
    }

    const fn options(&self) -> VerifyOptions {
        VerifyOptions::min_bits(self.min_bits).with_limit(self.limit)
    }

    /// The leaves that the options accept. The keys of programs depend on the parameters of the
    /// aggregate's leaves.
    fn accepted_leaves(
        &self,
        aggregate: &UnverifiedAggregate,
        key: KeyDigest,
    ) -> Result<AcceptedLeaves, CommandError> {
        // Before any work that the file determines.
        aggregate.check_key(key)?;
        let mut keys = (!self.programs.is_empty()).then(BTreeSet::new);
        for path in &self.programs {
            let compiled = program::compile(path)?;
            let of_program = aggregate.keys_of_leaves(&compiled, self.options());
            let of_program = of_program.map_err(CommandError::about(path.display()))?;
            keys.get_or_insert_default().extend(of_program);
        }
        self.leaves.accepted(keys)
    }
}

impl Inspect {
    /// Prints what a proof says, after verifying it under the key it carries; or what an aggregate
    /// says, after deriving its recursion keys unless they are pinned or only claimed.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let progress = Progress::spinner("verifying");
        let bytes = read(&self.proof)?;
        if file::is_aggregate(&bytes) {
            let start = Instant::now();
            let aggregate = file::decode(&bytes)?;
            let elapsed_ms = || milliseconds(start.elapsed());
            let says = if self.claimed {
                let accepted = aggregate.check()?;
                AggregateSummary::claimed(&aggregate, &accepted, elapsed_ms())?
            } else {
                let deriver = self.trust.deriver();
                let (aggregate, evidence) = self.trust.accept(aggregate, &deriver)?;
                let hidden = deriver.hidden_leaves(&aggregate)?;
                AggregateSummary::new(&aggregate, evidence, elapsed_ms())?
                    .with_hidden_leaves(&hidden)
            };
            let summary = Summary {
                says,
                shows_all_leaves: self.all,
                shows_terms: true,
            };
            drop(progress);
            print(&summary, format)?;
            if let Some(path) = &self.report {
                let page = tree::page(&self.proof, &summary.says)?;
                files::write(path, page.as_bytes()).map_err(CommandError::file(path))?;
            }
            return Ok(());
        }
        if self.report.is_some() {
            let message = "--report is for aggregates of proofs";
            return Err(CommandError::usage(message));
        }
        let insecure = VerifyOptions::min_bits(0);
        let says = proofs::verify(&bytes, Known::Nothing, &[], insecure)?;
        let verified = Verified {
            shows_terms: true,
            ..Verified::new(says)
        };
        drop(progress);
        Ok(print(&verified, format)?)
    }
}
