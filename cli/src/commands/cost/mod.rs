//! `droste cost`: what verifying a program's proof costs in-circuit, beside proving it natively, by
//! hash and by number of queries.

mod measure;
mod read;
mod report;
mod rows;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::{Args, value_parser};
use droste_native::stark::security::Preset;
use droste_native::{HashId, files};
use droste_verifier::aggregate::Aggregator;
use droste_verifier::cost::WrapRequest;
use droste_vm::stack::Stack;

pub use self::measure::CostRow;
use self::measure::Measured;
use self::rows::{Row, Rows, Run};
pub use self::rows::{wrap_details, wrap_summary};
use crate::error::CommandError;
use crate::fields::field_list;
use crate::output::{Format, print};
use crate::page;
use crate::parameters::Parameters;
use crate::program::{self, LARGEST_LIMIT};
use crate::progress::Progress;

/// Arguments of `droste cost`.
#[derive(Debug, Args)]
pub struct Cost {
    /// File of the zk-DSL program. It must not need hints.
    #[arg(long, required_unless_present = "from")]
    program: Option<PathBuf>,
    #[command(flatten)]
    what: What,
    /// Hash of the inner proof: poseidon16, poseidon2, blake3, keccak or all.
    #[arg(long, default_value = "all")]
    inner_hash: String,
    /// Proof stack of the inner proof: fri, whir or both, of which all have a row per hash.
    #[arg(long, default_value = "fri")]
    inner_stack: String,
    /// Security level of the inner proof: proven-100, proven-120, proven-128 or toy (insecure).
    #[arg(long, default_value_t)]
    preset: Preset,
    /// Numbers of queries of the inner proof, comma-separated, instead of a preset: each is
    /// measured, without grinding.
    #[arg(long, conflicts_with = "preset", value_delimiter = ',')]
    queries: Vec<usize>,
    /// Blowup factor of the inner proof: 2, 4, 8 or 16.
    #[arg(long, default_value_t = 4)]
    blowup: usize,
    /// Measure nothing: read the rows from files that `--format json` wrote, for instance on
    /// several machines.
    #[arg(
        long,
        num_args = 1..,
        value_name = "FILE",
        conflicts_with_all = ["program", "What", "Outer", "inner_hash", "inner_stack", "preset", "queries", "blowup"]
    )]
    from: Vec<PathBuf>,
    /// Also write a report with charts to this file, a web page that needs no network.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct What {
    /// Public inputs: comma-separated integers below the field's order.
    #[arg(long, default_value = "")]
    public: String,
    #[command(flatten)]
    outer: Outer,
    /// Largest number of instructions that the program may execute.
    #[arg(long, default_value_t = 1 << 24, value_parser = value_parser!(u64).range(..=LARGEST_LIMIT))]
    limit: u64,
}

/// The wrap, whose proof is the outer one.
#[derive(Debug, Args)]
pub struct Outer {
    /// Security level of the outer proof: proven-100, proven-120, proven-128 or toy (insecure).
    #[arg(long, default_value_t)]
    outer_preset: Preset,
    /// GiB of memory that a proof may take, by an estimate made before it is proved.
    #[arg(long, default_value_t = 12, value_name = "GIB")]
    memory: usize,
    /// Only execute the verifier of the inner proof in the machine, without proving that run.
    #[arg(long)]
    execute_only: bool,
    /// Also bring the inner proof to the canonical shape of the recursion machine, and print what
    /// each step costs.
    #[arg(long, conflicts_with = "execute_only")]
    canonical: bool,
}

impl Cost {
    /// Measures every row, or reads them, prints them and writes the report.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        if let Some(path) = &self.report {
            page::check_writable(path)?;
        }
        let mut failed = 0;
        let measured: Vec<(Option<String>, Row)> = match &self.program {
            Some(program) => {
                let rows = self.measure(program)?;
                let all = rows.len();
                let rows: Vec<Row> = rows.into_iter().flatten().collect();
                failed = all - rows.len();
                rows.into_iter().map(|row| (None, row)).collect()
            }
            None => read::files(&self.from)?,
        };
        if measured.is_empty() {
            return Err(CommandError::failed("no row could be measured"));
        }
        let (sources, rows): (Vec<_>, Vec<_>) = measured.into_iter().unzip();
        let rows = Rows(rows);
        // What took hours to measure is printed even if the report cannot be written.
        print(&rows, format)?;
        if let Some(path) = &self.report {
            let page = report::page(&sources, &rows)?;
            files::write(path, page.as_bytes()).map_err(CommandError::file(path))?;
        }
        if failed > 0 {
            let all = failed + rows.0.len();
            let message = format!("{failed} of {all} rows could not be measured");
            return Err(CommandError::failed(message));
        }
        Ok(())
    }

    /// Measures every row. Prints why one cannot be measured, and goes on with the next, since
    /// those before it may have taken hours.
    fn measure(&self, program: &Path) -> Result<Vec<Option<Row>>, CommandError> {
        let hashes = match self.inner_hash.as_str() {
            "all" => HashId::ALL.to_vec(),
            name => vec![name.parse().map_err(CommandError::usage)?],
        };
        let parameters = |queries| Parameters {
            preset: self.preset,
            queries,
            blowup: self.blowup,
        };
        let inner: Vec<Parameters> = match self.queries.as_slice() {
            [] => vec![parameters(None)],
            queries => queries.iter().copied().map(Some).map(parameters).collect(),
        };
        // Wrong usage is reported once, before a process per row is started.
        field_list(&self.what.public)?;
        program::compile(program)?;
        let stacks = match self.inner_stack.as_str() {
            "both" => Stack::ALL.to_vec(),
            name => {
                let stack = name.parse::<Stack>();
                vec![stack.map_err(|error| CommandError::usage(format!("{error}, or both")))?]
            }
        };
        for &stack in &stacks {
            for inner in &inner {
                // What is refused does not depend on the hash.
                inner.over(stack, HashId::Poseidon16)?;
            }
        }
        self.what.outer.memory()?;

        let inner = stacks
            .iter()
            .flat_map(|&stack| inner.iter().map(move |inner| (stack, inner)));
        let inner: Vec<(Stack, &Parameters)> = inner.collect();
        let progress = Progress::bar((hashes.len() * inner.len()) as u64);
        let run = Run::this();
        let mut rows = vec![];
        for &hash in &hashes {
            for &(stack, inner) in &inner {
                let (level, value) = match inner.queries {
                    None => ("preset", inner.preset.to_string()),
                    Some(queries) => ("queries", queries.to_string()),
                };
                let name = format!("{hash} over {stack}, {level} {value}");
                progress.message(name.clone());
                let mut arguments = self.what.arguments();
                arguments.extend(option("inner-hash", hash));
                arguments.extend(option("inner-stack", stack));
                arguments.extend(option(level, value));
                arguments.extend(option("blowup", self.blowup));
                let measured = measure_in_process(program, &arguments);
                progress.step();
                let measured = match measured {
                    Ok(measured) => measured,
                    Err(error) => {
                        progress.suspend(|| CommandError::about(&name)(error).print());
                        rows.push(None);
                        continue;
                    }
                };
                if self.what.outer.execute_only {
                    let gib = measured.outer_estimate_bytes as f64 / f64::from(1 << 30);
                    eprintln!("{name}: proving the wrap would take about {gib:.1} GiB");
                }
                if let Some(reason) = &measured.row.figures.wrap.left_out {
                    eprintln!("{name}: the wrap was not proved: {reason} (--memory)");
                }
                rows.push(Some(Row {
                    run: Some(run.clone()),
                    ..measured.row
                }));
            }
        }
        Ok(rows)
    }
}

fn option(name: &str, value: impl ToString) -> Vec<String> {
    vec![format!("--{name}"), value.to_string()]
}

impl What {
    /// Arguments for the process that measures one row, without the program.
    fn arguments(&self) -> Vec<String> {
        let outer = &self.outer;
        let mut arguments = option("public", &self.public);
        arguments.extend(option("outer-preset", outer.outer_preset));
        arguments.extend(option("memory", outer.memory));
        arguments.extend(option("limit", self.limit));
        arguments.extend(outer.execute_only.then(|| "--execute-only".to_owned()));
        arguments.extend(outer.canonical.then(|| "--canonical".to_owned()));
        arguments
    }
}

impl Outer {
    /// An aggregator at the level of the outer proof.
    pub fn aggregator(&self) -> Aggregator {
        Aggregator::for_preset(self.outer_preset, 2)
    }

    /// How the wrap is measured by this aggregator.
    pub fn request(&self, aggregator: &Aggregator) -> Result<WrapRequest, CommandError> {
        Ok(WrapRequest {
            settings: *aggregator.intermediate_settings(),
            memory: self.memory()?,
            execute_only: self.execute_only,
        })
    }

    /// Whether the proof is brought to the canonical shape, too.
    pub const fn canonical(&self) -> bool {
        self.canonical
    }

    /// Bytes that a proof may take.
    fn memory(&self) -> Result<usize, CommandError> {
        let bytes = self.memory.checked_mul(1 << 30).filter(|&bytes| bytes > 0);
        bytes.ok_or_else(|| CommandError::usage("--memory: expected a number of GiB from 1"))
    }
}

/// Measures one row by running this executable again, because peak memory can only be read for a
/// whole process.
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
        let mut message = format!("the process that measures ended with {}", output.status);
        if output.status.code().is_none() {
            message.push_str(", perhaps for want of memory: --memory says what a proof may take");
        }
        return Err(CommandError::failed(message));
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}
