//! `droste wrap` and `droste join`, and what an aggregate of proofs says.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use droste_native::security::Preset;
use droste_native::{F, HashId};
use droste_verifier::aggregate::{Accepted, Aggregate, Aggregator, Step};
use droste_verifier::claim::{Claim, ClaimTree};
use droste_verifier::cost::peak_memory;
use droste_verifier::file;
use droste_verifier::tape::TapeFamily;
use droste_vm::codec;
use droste_vm::isa::Program;
use droste_vm::key::KeyDigest;
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::verifier::{DEFAULT_LIMIT, verify_program};
use p3_field::PrimeField32;
use serde::{Deserialize, Serialize};

use crate::error::CommandError;
use crate::family::{InHash, in_hash};
use crate::fields::field_list;
use crate::output::{Format, Report, print};
use crate::program;
use crate::progress::Progress;

/// Arguments of `droste wrap`.
#[derive(Debug, Args)]
pub struct Wrap {
    /// The proof, in any hash.
    proof: PathBuf,
    /// The program it must be of.
    #[arg(long)]
    program: PathBuf,
    /// Public values its statement must begin with: comma-separated integers below the field's order.
    #[arg(long, default_value = "")]
    public: String,
    /// Most rows, extended by the blowup, of a commitment to the program that the proof may ask for.
    #[arg(long, default_value_t = DEFAULT_LIMIT)]
    limit: usize,
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
    output: Output,
}

#[derive(Debug, Args)]
struct Output {
    /// Security of the proofs made: proven-100, proven-120 or toy.
    #[arg(long, default_value_t = Preset::Proven100)]
    preset: Preset,
    /// Most proofs that one join takes: the same for all that are to be joined.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=1024))]
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
    proven_bits: usize,
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

impl Summary {
    /// From an aggregate that was accepted in `verify_ms`.
    pub fn new(
        aggregate: &Aggregate,
        accepted: &Accepted,
        verify_ms: f64,
    ) -> Result<Self, CommandError> {
        let settings = &aggregate.proof.key.settings;
        let proof = codec::encode(&aggregate.proof).map_err(CommandError::failed)?;
        Ok(Self {
            key: aggregate.key().to_string(),
            claim: KeyDigest(aggregate.claim()).to_string(),
            proven_bits: accepted.bits,
            blowup: settings.blowup(),
            queries: settings.num_queries,
            verify_ms,
            proof_bytes: proof.len(),
            peak_rss_bytes: peak_memory(),
            steps: aggregate.steps.iter().map(StepLine::new).collect(),
            recursion_keys: aggregate
                .keys
                .iter()
                .map(|(key, bits)| RecursionKey {
                    key: key.to_string(),
                    bits_of_children: bits,
                })
                .collect(),
            tree: Node::new(&aggregate.tree),
        })
    }
}

impl Report for Summary {
    fn rows(&self) -> Vec<Vec<String>> {
        let parameters = format!("blowup {}, {} queries", self.blowup, self.queries);
        let mut rows = vec![
            vec!["key".to_owned(), self.key.clone()],
            vec!["claim".to_owned(), self.claim.clone()],
            vec!["proven bits".to_owned(), self.proven_bits.to_string()],
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
                format!("{}, children of {} bits", key.key, key.bits_of_children),
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
        let public = field_list(&self.public)?;
        let compiled = program::compile(&self.program)?;
        let bytes = codec::read_file(&self.proof).map_err(CommandError::file(&self.proof))?;
        let hash = codec::hash_of(&bytes).map_err(CommandError::failed)?;
        let progress = Progress::spinner(format!("wrapping a proof in {hash}"));
        let work = Work {
            bytes: &bytes,
            program: &compiled.program,
            public: &public,
            limit: self.limit,
            aggregator: self.output.aggregator()?,
            progress: &progress,
        };
        let aggregate = in_hash(hash, work)?;
        let summary = self.output.write(&aggregate)?;
        drop(progress);
        Ok(print(&summary, format)?)
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
        verify_program::<H, StandardTables>(self.program, self.public, 0, self.limit, &proof)
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
        let children = self.aggregates.iter().map(|path| read(path));
        let children: Vec<Aggregate> = children.collect::<Result<_, _>>()?;
        let progress = Progress::spinner(format!("joining {} proofs", children.len()));
        let joined = aggregator.join(children).map_err(CommandError::failed)?;
        let summary = self.output.write(&joined)?;
        drop(progress);
        Ok(print(&summary, format)?)
    }
}

/// The aggregate in a file.
///
/// # Errors
/// If it cannot be read, or is no aggregate.
fn read(path: &Path) -> Result<Aggregate, CommandError> {
    let bytes = codec::read_file(path).map_err(CommandError::file(path))?;
    file::decode(&bytes)
        .map_err(|error| CommandError::failed(format!("{}: {error}", path.display())))
}

impl Output {
    fn aggregator(&self) -> Result<Aggregator, CommandError> {
        Aggregator::for_preset(self.preset, self.arity.into()).map_err(CommandError::failed)
    }

    /// Accepts the aggregate, as its verifier will, and writes it.
    fn write(&self, aggregate: &Aggregate) -> Result<Summary, CommandError> {
        let summary = accept(aggregate, aggregate.key(), &aggregate.claim(), 0)?;
        let bytes = file::encode(aggregate).map_err(CommandError::failed)?;
        codec::write_file(&self.output, &bytes).map_err(CommandError::file(&self.output))?;
        Ok(summary)
    }
}

/// Verifies an aggregate; what it says.
///
/// # Errors
/// Why it is rejected.
pub fn accept(
    aggregate: &Aggregate,
    key: KeyDigest,
    claim: &[F; 8],
    min_bits: usize,
) -> Result<Summary, CommandError> {
    let start = Instant::now();
    let accepted = aggregate
        .verify(key, claim, min_bits)
        .map_err(CommandError::failed)?;
    let verify_ms = start.elapsed().as_secs_f64() * 1e3;
    Summary::new(aggregate, &accepted, verify_ms)
}
