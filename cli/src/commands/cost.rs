//! `droste cost`: what verifying a program's proof costs in-circuit, beside proving it natively, by
//! hash and by number of queries.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::{Args, value_parser};
use droste_native::security::Preset;
use droste_native::{
    Blake3Family, FriSettings, HashFamily, HashId, KeccakFamily, Poseidon16Family,
};
use droste_verifier::aggregate::{Aggregator, VerifiedProof};
use droste_verifier::cost::{Cost as Figures, Request, leaf, measure};
use droste_verifier::tape::TapeFamily;
use droste_vm::executor::{Tape, execute};
use droste_vm::machine::{Provable, StandardTables};
use serde::{Deserialize, Serialize};

use crate::commands::aggregate::StepLine;
use crate::error::CommandError;
use crate::family::{InHash, in_hash};
use crate::fields::field_list;
use crate::output::{Format, Report, print};
use crate::parameters::Parameters;
use crate::program::{self, LARGEST_LIMIT};
use crate::progress::Progress;

/// Arguments of `droste cost`.
#[derive(Debug, Args)]
pub struct Cost {
    #[command(flatten)]
    what: What,
    /// Hash of the inner proof: poseidon16, blake3, keccak or all.
    #[arg(long, default_value = "all")]
    inner_hash: String,
    /// Security of the inner proof: proven-100, proven-120 or toy.
    #[arg(long, default_value_t = Preset::Proven100)]
    preset: Preset,
    /// Numbers of queries of the inner proof, comma-separated, without grinding, instead of a preset.
    #[arg(long, conflicts_with = "preset", value_delimiter = ',')]
    queries: Vec<usize>,
    /// Blowup factor of the inner proof: 2, 4, 8 or 16.
    #[arg(long, default_value_t = 4)]
    blowup: usize,
}

/// Arguments of one row, which is measured in a process of its own.
#[derive(Debug, Args)]
pub struct CostRow {
    #[command(flatten)]
    what: What,
    #[arg(long)]
    inner_hash: HashId,
    #[command(flatten)]
    inner: Parameters,
}

#[derive(Debug, Args)]
struct What {
    /// The program.
    #[arg(long)]
    program: PathBuf,
    /// Public inputs: comma-separated integers below the field's order.
    #[arg(long, default_value = "")]
    public: String,
    /// Security of the outer proof: proven-100, proven-120 or toy.
    #[arg(long, default_value_t = Preset::Proven100)]
    outer_preset: Preset,
    /// Blowup factor of the outer proof: 2, 4, 8 or 16.
    #[arg(long, default_value_t = 4)]
    outer_blowup: usize,
    /// Hash of the outer proof: poseidon16, blake3 or keccak.
    #[arg(long, default_value_t = HashId::Poseidon16)]
    outer_hash: HashId,
    /// Leave out the outer proof.
    #[arg(long)]
    execute_only: bool,
    /// Bring the inner proof home to the recursion machine too, and say what that costs.
    #[arg(long, conflicts_with = "execute_only")]
    home: bool,
    /// Most instructions to execute.
    #[arg(long, default_value_t = 1 << 24, value_parser = value_parser!(u64).range(..=LARGEST_LIMIT))]
    limit: u64,
}

/// One row, as its process hands it over.
#[derive(Debug, Serialize, Deserialize)]
struct Row {
    #[serde(flatten)]
    figures: Figures,
    /// Steps from the inner proof to one on the recursion machine, where they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    home: Option<Vec<StepLine>>,
}

/// What a row's process writes.
#[derive(Debug, Serialize, Deserialize)]
struct Measured {
    row: Row,
    outer_estimate_bytes: usize,
}

#[derive(Serialize)]
#[serde(transparent)]
struct Rows(Vec<Row>);

impl Cost {
    /// Measures every row and prints them.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let hashes = match self.inner_hash.as_str() {
            "all" => HashId::ALL.to_vec(),
            name => {
                let hash = name.parse::<HashId>();
                vec![hash.map_err(|error| CommandError::usage(error.to_string()))?]
            }
        };
        let inner: Vec<Vec<String>> = if self.queries.is_empty() {
            vec![option("preset", self.preset)]
        } else {
            let queries = self.queries.iter();
            queries.map(|queries| option("queries", queries)).collect()
        };
        // Wrong usage is found here, not by each process.
        field_list(&self.what.public)?;
        program::compile(&self.what.program)?;
        for inner in &inner {
            self.check(inner)?;
        }
        self.what.outer()?;

        let progress = Progress::bar((hashes.len() * inner.len()) as u64);
        let mut rows = vec![];
        for &hash in &hashes {
            for inner in &inner {
                let name = format!("{hash}, {}", inner.join(" ").replace("--", ""));
                progress.message(name.clone());
                let mut arguments = self.what.arguments();
                arguments.extend(option("inner-hash", hash));
                arguments.extend(inner.iter().cloned());
                arguments.extend(option("blowup", self.blowup));
                let measured = measure_in_process(&self.what.program, &arguments)
                    .map_err(|error| CommandError::failed(format!("{name}: {error}")))?;
                if self.what.execute_only {
                    let gib = measured.outer_estimate_bytes as f64 / f64::from(1 << 30);
                    eprintln!("{name}: proving the wrap needs about {gib:.1} GiB, left out");
                }
                rows.push(measured.row);
                progress.step();
            }
        }
        drop(progress);
        Ok(print(&Rows(rows), format)?)
    }

    /// Settings in range.
    fn check(&self, inner: &[String]) -> Result<(), CommandError> {
        let queries = match inner {
            [name, queries] if name == "--queries" => queries.parse().ok(),
            _ => None,
        };
        let parameters = Parameters {
            preset: self.preset,
            queries,
            blowup: self.blowup,
        };
        parameters.settings().map(|_| ())
    }
}

fn option(name: &str, value: impl ToString) -> Vec<String> {
    vec![format!("--{name}"), value.to_string()]
}

impl What {
    /// The arguments of a row, its program apart.
    fn arguments(&self) -> Vec<String> {
        let mut arguments = vec!["--public".to_owned(), self.public.clone()];
        arguments.extend(option("outer-preset", self.outer_preset));
        arguments.extend(option("outer-blowup", self.outer_blowup));
        arguments.extend(option("outer-hash", self.outer_hash));
        arguments.extend(option("limit", self.limit));
        arguments.extend(self.execute_only.then(|| "--execute-only".to_owned()));
        arguments.extend(self.home.then(|| "--home".to_owned()));
        arguments
    }

    fn outer(&self) -> Result<FriSettings, CommandError> {
        Parameters {
            preset: self.outer_preset,
            queries: None,
            blowup: self.outer_blowup,
        }
        .settings()
    }
}

/// Runs this very program for one row: peak memory is that of a process.
fn measure_in_process(program: &Path, arguments: &[String]) -> Result<Measured, CommandError> {
    let output = Command::new(std::env::current_exe()?)
        .arg("cost-row")
        .arg("--program")
        .arg(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err(CommandError::failed(output.status));
    }
    serde_json::from_slice(&output.stdout).map_err(CommandError::failed)
}

impl CostRow {
    /// Measures one row and writes it as JSON.
    pub fn run(self) -> Result<(), CommandError> {
        let inner = self.inner.settings()?;
        let outer = self.what.outer()?;
        let public = field_list(&self.what.public)?;
        let compiled = program::compile(&self.what.program)?;
        let execution = execute(&compiled, &public, &Tape::default(), self.what.limit)
            .map_err(|error| CommandError::Diagnostic(Box::new(error)))?;
        let name = self.what.program.file_stem().unwrap_or_default();
        let work = Measure {
            request: Request {
                name: &name.to_string_lossy(),
                program: &compiled.program,
                execution: &execution,
                inner,
                outer,
                execute_only: self.what.execute_only,
            },
            outer_hash: self.what.outer_hash,
            home: self.what.home.then_some(self.what.outer_preset),
        };
        let measured = in_hash(self.inner_hash, work)?;
        println!(
            "{}",
            serde_json::to_string(&measured).map_err(CommandError::failed)?
        );
        Ok(())
    }
}

struct Measure<'a> {
    request: Request<'a>,
    outer_hash: HashId,
    home: Option<Preset>,
}

impl InHash for Measure<'_> {
    type Output = Result<Measured, CommandError>;

    fn run<H: TapeFamily>(self) -> Self::Output
    where
        StandardTables: Provable<H>,
    {
        let (figures, outer_estimate_bytes) = match self.outer_hash {
            HashId::Poseidon16 => self.outer::<H, Poseidon16Family>(),
            HashId::Blake3 => self.outer::<H, Blake3Family>(),
            HashId::Keccak => self.outer::<H, KeccakFamily>(),
        }?;
        let home = self.home.map(|preset| self.bring_home::<H>(preset));
        Ok(Measured {
            row: Row {
                figures,
                home: home.transpose()?,
            },
            outer_estimate_bytes,
        })
    }
}

impl Measure<'_> {
    fn outer<H: TapeFamily, O: HashFamily>(&self) -> Result<(Figures, usize), CommandError>
    where
        StandardTables: Provable<H> + Provable<O>,
    {
        measure::<H, O>(&self.request).map_err(CommandError::failed)
    }

    fn bring_home<H: TapeFamily>(&self, preset: Preset) -> Result<Vec<StepLine>, CommandError>
    where
        StandardTables: Provable<H>,
    {
        let leaf = leaf::<H>(&self.request).map_err(CommandError::failed)?;
        let proof = VerifiedProof::under_its_own_key(leaf.proof).map_err(CommandError::failed)?;
        let aggregate = Aggregator::for_preset(preset, 2)
            .map_err(CommandError::failed)?
            .wrap(&proof, |_| ())
            .map_err(CommandError::failed)?;
        Ok(aggregate.steps().iter().map(StepLine::new).collect())
    }
}

impl Report for Rows {
    fn rows(&self) -> Vec<Vec<String>> {
        let header = [
            "program",
            "hash",
            "queries",
            "blowup",
            "bits",
            "leaf prove",
            "leaf fft_cost",
            "cycles",
            "permutations",
            "fft_cost",
            "opened",
            "outer bits",
            "execute",
            "prove",
            "verify",
            "proof",
            "peak memory",
            "ns/unit",
            "p3 ns/unit",
        ];
        let mut rows = vec![header.map(str::to_owned).to_vec()];
        rows.extend(self.0.iter().map(|row| summary(&row.figures)));
        for row in &self.0 {
            rows.push(vec![]);
            rows.extend(details(row));
        }
        rows
    }
}

/// A figure that may be missing.
fn optional<T>(value: Option<T>, show: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| "-".to_owned(), show)
}

fn ms(value: f64) -> String {
    format!("{value:.0} ms")
}

fn summary(cost: &Figures) -> Vec<String> {
    let permutations = &cost.permutations;
    let mib = |bytes: usize| format!("{} MiB", bytes >> 20);
    vec![
        cost.program.clone(),
        cost.inner_hash.to_string(),
        cost.queries.to_string(),
        cost.blowup.to_string(),
        cost.proven_bits_inner.to_string(),
        ms(cost.leaf_prove_ms),
        format!("{:.2e}", cost.leaf_fft_cost as f64),
        cost.cycles.to_string(),
        format!(
            "{} + {} + {}",
            permutations.poseidon16, permutations.blake3, permutations.keccak
        ),
        format!("{:.2e}", cost.fft_cost as f64),
        cost.opened_per_query.to_string(),
        cost.proven_bits_outer.to_string(),
        ms(cost.execute_ms),
        optional(cost.outer_prove_ms, ms),
        optional(cost.outer_verify_ms, ms),
        optional(cost.outer_proof_bytes, |bytes| {
            format!("{} KiB", bytes >> 10)
        }),
        optional(cost.peak_rss_bytes, mib),
        optional(cost.cpu_ns_per_fft_unit, |ns| format!("{ns:.2}")),
        optional(cost.peer_cpu_ns_per_fft_unit, |ns| format!("{ns:.2}")),
    ]
}

fn details(row: &Row) -> Vec<Vec<String>> {
    let cost = &row.figures;
    let line = |name: String, text: String| vec![name, text];
    let of = format!("{}, {} queries", cost.inner_hash, cost.queries);
    let mut rows = vec![vec![of]];
    rows.extend(cost.tables.iter().map(|table| {
        let text = format!(
            "{} of {} rows ({:.0}%), main {}, lookup {}, fft_cost {:.2e}",
            table.rows,
            table.height,
            100.0 * table.fill,
            table.main,
            table.lookup,
            table.fft_cost as f64
        );
        line(table.name.clone(), text)
    }));
    rows.push(line(
        "transforms".to_owned(),
        format!("{:.2e}", cost.transform_cost as f64),
    ));
    rows.extend(cost.stages_ms.map(|stages| {
        let text = format!(
            "execute {:.0}, trace {:.0}, commit {:.0}, lookup {:.0}, quotient {:.0}, open {:.0}, \
             grind {:.0} ms",
            stages.execute,
            stages.trace,
            stages.commit,
            stages.lookup,
            stages.quotient,
            stages.open,
            stages.grind
        );
        line("stages".to_owned(), text)
    }));
    let home = row.home.iter().flatten();
    rows.extend(home.map(|step| line("to R".to_owned(), step.text())));
    rows
}
