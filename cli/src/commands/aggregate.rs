//! `droste wrap` and `droste join`, and what an aggregate of proofs says.

use std::path::PathBuf;

use clap::Args;
use droste_native::security::Preset;
use droste_native::{F, HashId, Poseidon16Family};
use droste_verifier::aggregate::{
    Accepted, Aggregate, Aggregator, Step, UnverifiedAggregate, VerifiedProof,
};
use droste_verifier::claim::{Claim, ClaimTree};
use droste_verifier::cost::peak_memory;
use droste_verifier::file;
use droste_verifier::keys::ClaimedKeys;
use droste_verifier::tape::TapeFamily;
use droste_vm::codec;
use droste_vm::isa::Program;
use droste_vm::key::KeyDigest;
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::prover::Proof;
use droste_vm::verifier::DEFAULT_LIMIT;
use p3_field::PrimeField32;
use serde::{Deserialize, Serialize};

use crate::error::CommandError;
use crate::family::{InHash, in_hash};
use crate::fields::field_list;
use crate::output::{Format, Report, print};
use crate::program;
use crate::progress::Progress;
use crate::trust::{Evidence, Trust};

/// Arguments of `droste wrap`.
#[derive(Debug, Args)]
pub struct Wrap {
    /// The proof, in any hash; or an aggregate of another preset or arity.
    proof: PathBuf,
    /// The program it must be of, unless it is an aggregate.
    #[arg(long)]
    program: Option<PathBuf>,
    /// Public values its statement must begin with: comma-separated integers below the field's order.
    #[arg(long, default_value = "")]
    public: String,
    /// Most rows, extended by the blowup, of a commitment to the program that the proof may ask for.
    #[arg(long, default_value_t = DEFAULT_LIMIT)]
    limit: usize,
    #[command(flatten)]
    trust: Trust,
    #[command(flatten)]
    output: Output,
}

/// Arguments of `droste join`.
#[derive(Debug, Args)]
pub struct Join {
    /// What `droste wrap` or `droste join` wrote, with the same preset and arity.
    #[arg(required = true)]
    aggregates: Vec<PathBuf>,
    #[command(flatten)]
    trust: Trust,
    #[command(flatten)]
    output: Output,
}

#[derive(Debug, Args)]
struct Output {
    /// Security of the proofs made: proven-100, proven-120 or toy.
    #[arg(long, default_value_t = Preset::Proven100)]
    preset: Preset,
    /// Most proofs that one join takes: the same for all that are to be joined.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=64))]
    arity: u16,
    /// The file to write.
    #[arg(short, long)]
    output: PathBuf,
}

/// What an aggregate says.
#[derive(Debug, Serialize)]
pub struct Summary {
    key: String,
    claim: String,
    keys_are: Evidence,
    proven_bits: usize,
    tree_bits: usize,
    proofs: u64,
    blowup: usize,
    queries: usize,
    verify_ms: f64,
    proof_bytes: usize,
    peak_rss_bytes: Option<usize>,
    steps: Vec<StepLine>,
    recursion_keys: Vec<RecursionKey>,
    tree: Node,
}

/// One step, as the tables of commands show it.
#[derive(Debug, Serialize, Deserialize)]
pub struct StepLine {
    hash: HashId,
    children: usize,
    home: bool,
    cycles: usize,
    fft_cost: u64,
    compile_ms: f64,
    execute_ms: f64,
    prove_ms: f64,
    verify_ms: f64,
    proven_bits: usize,
}

#[derive(Debug, Serialize)]
struct RecursionKey {
    key: String,
    bits_of_children: usize,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Node {
    Leaf { key: String, statement: Vec<u32> },
    Inner { key: String, children: Vec<Node> },
}

impl Node {
    fn new(tree: &ClaimTree) -> Self {
        let key = tree.key.to_string();
        match &tree.claim {
            Claim::Statement(statement) => Self::Leaf {
                key,
                statement: statement.iter().map(F::as_canonical_u32).collect(),
            },
            Claim::Children(children) => Self::Inner {
                key,
                children: children.iter().map(Self::new).collect(),
            },
        }
    }

    /// One line a node, each under its parent.
    fn lines(&self, indent: usize, lines: &mut Vec<String>) {
        let space = "  ".repeat(indent);
        match self {
            Self::Leaf { key, statement } => {
                let statement: Vec<String> = statement.iter().map(u32::to_string).collect();
                lines.push(format!("{space}{key} says {}", statement.join(",")));
            }
            Self::Inner { key, children } => {
                lines.push(format!("{space}{key} verifies {}", children.len()));
                children
                    .iter()
                    .for_each(|child| child.lines(indent + 1, lines));
            }
        }
    }
}

impl StepLine {
    /// From a step.
    pub fn new(step: &Step) -> Self {
        let ms = |duration: std::time::Duration| duration.as_secs_f64() * 1e3;
        let tables = step.report.tables.iter();
        Self {
            hash: step.hash,
            children: step.children,
            home: step.home,
            cycles: step.cycles,
            fft_cost: tables.map(|table| table.fft_cost()).sum(),
            compile_ms: ms(step.compile),
            execute_ms: ms(step.execute),
            prove_ms: ms(step.prove),
            verify_ms: ms(step.verify),
            proven_bits: step.report.security.bits(),
        }
    }

    /// The figures in one line.
    pub fn text(&self) -> String {
        let Self {
            hash,
            children,
            home,
            cycles,
            fft_cost,
            compile_ms,
            execute_ms,
            prove_ms,
            verify_ms,
            proven_bits,
        } = self;
        let home = if *home { " on R" } else { "" };
        let fft_cost = *fft_cost as f64;
        format!(
            "{children} of {hash}{home}: {cycles} cycles, fft_cost {fft_cost:.2e}, \
             compile {compile_ms:.0} ms, execute {execute_ms:.0} ms, prove {prove_ms:.0} ms, \
             verify {verify_ms:.1} ms, {proven_bits} bits"
        )
    }
}

/// An aggregate, and what is known of it.
struct View<'a> {
    proof: &'a Proof<Poseidon16Family>,
    tree: &'a ClaimTree,
    keys: &'a ClaimedKeys,
    accepted: &'a Accepted,
    steps: &'a [Step],
    evidence: Evidence,
    verify_ms: f64,
}

impl Summary {
    /// Of an aggregate that was accepted in `verify_ms`, its keys trusted for this reason.
    pub fn new(
        aggregate: &Aggregate,
        evidence: Evidence,
        verify_ms: f64,
    ) -> Result<Self, CommandError> {
        Self::of(&View {
            proof: aggregate.proof(),
            tree: aggregate.tree(),
            keys: aggregate.keys().claimed(),
            accepted: aggregate.accepted(),
            steps: aggregate.steps(),
            evidence,
            verify_ms,
        })
    }

    /// Of an aggregate whose keys are only claimed.
    pub fn claimed(
        aggregate: &UnverifiedAggregate,
        accepted: &Accepted,
        verify_ms: f64,
    ) -> Result<Self, CommandError> {
        Self::of(&View {
            proof: &aggregate.proof,
            tree: &aggregate.tree,
            keys: &aggregate.keys,
            accepted,
            steps: &[],
            evidence: Evidence::Claimed,
            verify_ms,
        })
    }

    fn of(view: &View<'_>) -> Result<Self, CommandError> {
        let settings = &view.proof.key.settings;
        let proof = codec::encode(view.proof).map_err(CommandError::failed)?;
        Ok(Self {
            key: view.keys.digest().to_string(),
            claim: KeyDigest(view.proof.statement).to_string(),
            keys_are: view.evidence,
            proven_bits: view.accepted.bits,
            tree_bits: view.accepted.tree_bits,
            proofs: view.accepted.proofs,
            blowup: settings.blowup(),
            queries: settings.num_queries,
            verify_ms: view.verify_ms,
            proof_bytes: proof.len(),
            peak_rss_bytes: peak_memory(),
            steps: view.steps.iter().map(StepLine::new).collect(),
            recursion_keys: view
                .keys
                .iter()
                .map(|(key, listed)| RecursionKey {
                    key: key.to_string(),
                    bits_of_children: listed.bits,
                })
                .collect(),
            tree: Node::new(view.tree),
        })
    }
}

impl Report for Summary {
    fn rows(&self) -> Vec<Vec<String>> {
        let parameters = format!("blowup {}, {} queries", self.blowup, self.queries);
        let doubt = match self.keys_are {
            Evidence::Claimed => ", as the file claims",
            Evidence::Derived | Evidence::Pinned => "",
        };
        let mut rows = vec![
            vec!["key".to_owned(), self.key.clone()],
            vec!["claim".to_owned(), self.claim.clone()],
            vec!["recursion keys".to_owned(), self.keys_are.text().to_owned()],
            vec![
                "proven bits".to_owned(),
                format!("{} of each proof{doubt}", self.proven_bits),
            ],
            vec![
                "of the tree".to_owned(),
                format!(
                    "{} bits, by the union bound over {} proofs{doubt}",
                    self.tree_bits, self.proofs
                ),
            ],
            vec!["parameters".to_owned(), parameters],
            vec!["proof".to_owned(), format!("{} bytes", self.proof_bytes)],
            vec!["verify".to_owned(), format!("{:.1} ms", self.verify_ms)],
        ];
        if let Some(bytes) = self.peak_rss_bytes {
            let gib = bytes as f64 / f64::from(1 << 30);
            rows.push(vec!["memory".to_owned(), format!("{gib:.2} GiB at most")]);
        }
        for step in &self.steps {
            rows.push(vec!["step".to_owned(), step.text()]);
        }
        for key in &self.recursion_keys {
            rows.push(vec![
                "recursion key".to_owned(),
                format!(
                    "{}, children of {} bits{doubt}",
                    key.key, key.bits_of_children
                ),
            ]);
        }
        let mut lines = vec![];
        self.tree.lines(0, &mut lines);
        rows.extend(lines.into_iter().enumerate().map(|(index, line)| {
            let name = if index == 0 { "tree" } else { "" };
            vec![name.to_owned(), line]
        }));
        rows
    }
}

impl Wrap {
    /// Verifies, wraps, writes and prints.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let bytes = codec::read_file(&self.proof).map_err(CommandError::file(&self.proof))?;
        let aggregator = self.output.aggregator()?;
        let progress = Progress::spinner("wrapping");
        let (aggregate, evidence) = match (file::is_aggregate(&bytes), &self.program) {
            (true, None) => self.bring_home(&bytes, &aggregator)?,
            (false, Some(program)) => {
                let public = field_list(&self.public)?;
                let compiled = program::compile(program)?;
                let hash = codec::hash_of(&bytes).map_err(CommandError::failed)?;
                progress.message(format!("wrapping a proof in {hash}"));
                let work = Work {
                    bytes: &bytes,
                    program: &compiled.program,
                    public: &public,
                    limit: self.limit,
                    aggregator,
                    progress: &progress,
                };
                (in_hash(hash, work)?, Evidence::Derived)
            }
            (true, Some(_)) => {
                let message = "--program is for proofs of programs, this is an aggregate of proofs";
                return Err(CommandError::usage(message));
            }
            (false, None) => {
                let message = "the proof of a program is wrapped against its --program";
                return Err(CommandError::usage(message));
            }
        };
        let summary = self.output.write(&aggregate, evidence)?;
        drop(progress);
        Ok(print(&summary, format)?)
    }

    /// Brings an aggregate of another shape home.
    fn bring_home(
        &self,
        bytes: &[u8],
        aggregator: &Aggregator,
    ) -> Result<(Aggregate, Evidence), CommandError> {
        let aggregate = file::decode(bytes).map_err(CommandError::failed)?;
        let (aggregate, evidence) = self.trust.accept(aggregate, &self.trust.deriver())?;
        let home = aggregator.bring_home(aggregate, |_| ());
        Ok((home.map_err(CommandError::failed)?, evidence))
    }
}

struct Work<'a> {
    bytes: &'a [u8],
    program: &'a Program,
    public: &'a [F],
    limit: usize,
    aggregator: Aggregator,
    progress: &'a Progress,
}

impl InHash for Work<'_> {
    type Output = Result<Aggregate, CommandError>;

    fn run<H: TapeFamily>(self) -> Self::Output
    where
        StandardTables: Provable<H>,
    {
        let proof = codec::decode::<H>(self.bytes).map_err(CommandError::failed)?;
        let proof = VerifiedProof::of_program(proof, self.program, self.public, 0, self.limit)
            .map_err(CommandError::failed)?;
        self.aggregator
            .wrap(&proof, |_| self.progress.message("bringing the wrap home"))
            .map_err(CommandError::failed)
    }
}

impl Join {
    /// Joins, writes and prints.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let aggregator = self.output.aggregator()?;
        let progress = Progress::spinner(format!("joining {} proofs", self.aggregates.len()));
        let deriver = self.trust.deriver();
        let children = self.aggregates.iter();
        let children: Vec<(Aggregate, Evidence)> = children
            .map(|path| self.trust.read(path, &deriver))
            .collect::<Result<_, _>>()?;
        let (children, evidence): (Vec<_>, Vec<_>) = children.into_iter().unzip();
        let joined = aggregator.join(children).map_err(CommandError::failed)?;
        // The join's own key was derived by making it.
        let evidence = evidence.into_iter().max().unwrap_or(Evidence::Derived);
        let summary = self.output.write(&joined, evidence)?;
        drop(progress);
        Ok(print(&summary, format)?)
    }
}

impl Output {
    /// What makes proofs of the shape that is asked for.
    fn aggregator(&self) -> Result<Aggregator, CommandError> {
        Aggregator::for_preset(self.preset, self.arity.into()).map_err(CommandError::failed)
    }

    /// Writes the aggregate that was just made; what it says, its keys trusted for this reason.
    fn write(&self, aggregate: &Aggregate, evidence: Evidence) -> Result<Summary, CommandError> {
        let steps = aggregate.steps().iter();
        let verify_ms = steps
            .last()
            .map_or(0.0, |step| step.verify.as_secs_f64() * 1e3);
        let summary = Summary::new(aggregate, evidence, verify_ms)?;
        let bytes = file::encode(aggregate).map_err(CommandError::failed)?;
        codec::write_file(&self.output, &bytes).map_err(CommandError::file(&self.output))?;
        Ok(summary)
    }
}
