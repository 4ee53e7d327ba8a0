//! `droste cost`: what verifying a program's proof costs in-circuit, beside proving it natively, by
//! hash and by number of queries.

mod jobs;
mod measure;
mod read;
mod report;
mod rows;

use clap::{Args, value_parser};
use droste_native::files;
use droste_native::stark::security::Preset;
use droste_verifier::aggregate::Aggregator;
use droste_verifier::circuit::Openings;
use droste_verifier::cost::WrapRequest;

use self::jobs::Job;
pub use self::measure::CostRow;
use self::rows::{Row, Rows, Run};
pub use self::rows::{wrap_details, wrap_summary};
use crate::error::CommandError;
use crate::output::{Format, print};
use crate::parameters::{default_preset, preset_of};
use crate::paths::{Input, Output};
use crate::program::LARGEST_LIMIT;
use crate::progress::{Progress, note};

/// Arguments of `droste cost`.
#[derive(Debug, Args)]
pub struct Cost {
    /// File of the zk-DSL program. For a list of hash calls or Merkle paths instead:
    /// `droste hashes cost`.
    #[arg(long, required_unless_present_any = ["from", "proof"])]
    program: Option<Input>,
    /// File of a proof that `droste prove` wrote, or of a fold, whose wrap is measured. What proving
    /// it took is then not known.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["program", "public", "hints", "limit", "inner_hash", "inner_stack", "preset", "queries", "blowup"]
    )]
    proof: Option<Input>,
    #[command(flatten)]
    what: What,
    /// Hashes of the inner proof, comma-separated: poseidon16, poseidon2, blake3, keccak or all.
    #[arg(long, default_value = "all", value_delimiter = ',')]
    inner_hash: Vec<String>,
    /// Proof stack of the inner proof: fri, whir or both, of which all have a row per hash. The
    /// default is that of `droste prove`: whir, and fri with --queries.
    #[arg(long)]
    inner_stack: Option<String>,
    /// Security level of the inner proof: proven-100, proven-120, proven-128 or toy (insecure). The
    /// default of every command is $DROSTE_PRESET, or else proven-120.
    #[arg(long, default_value = default_preset(), value_parser = preset_of)]
    preset: Preset,
    /// Numbers of queries of the inner proof, comma-separated, instead of a preset: each is
    /// measured, without grinding.
    #[arg(long, conflicts_with = "preset", value_delimiter = ',')]
    queries: Vec<usize>,
    /// Blowup factor of the inner proof: 2, 4, 8 or 16.
    #[arg(long, default_value_t = 4)]
    blowup: usize,
    /// How the wrap verifies the openings at the queries of an inner proof over FRI in Blake3 or
    /// Keccak: tables, in a batch over GF(2^128) (batch), or both, of which all have a row. The
    /// default is tables, and both where there are so many calls of the hash that a batch costs
    /// less.
    #[arg(long, value_name = "WAY")]
    openings: Option<String>,
    /// Measure nothing: read the rows from files that `--format json` wrote, for instance on
    /// several machines.
    #[arg(
        long,
        num_args = 1..,
        value_name = "FILE",
        conflicts_with_all = ["program", "proof", "What", "Outer", "inner_hash", "inner_stack", "preset", "queries", "blowup", "openings"]
    )]
    from: Vec<Input>,
    /// Also write a report with charts to this file, a web page that needs no network.
    #[arg(long, value_name = "FILE")]
    report: Option<Output>,
}

#[derive(Debug, Args)]
struct What {
    /// Public inputs: comma-separated integers below the field's order.
    #[arg(long, default_value = "")]
    public: String,
    /// JSON file of hints, as for `droste run`.
    #[arg(long)]
    hints: Option<Input>,
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
    #[arg(long, default_value = default_preset(), value_parser = preset_of)]
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
        let mut failed = 0;
        let measured: Vec<(Option<String>, Row)> = if self.from.is_empty() {
            let rows = self.measure()?;
            let all = rows.len();
            let rows: Vec<Row> = rows.into_iter().flatten().collect();
            failed = all - rows.len();
            rows.into_iter().map(|row| (None, row)).collect()
        } else {
            read::files(&self.from)?
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
    fn measure(&self) -> Result<Vec<Option<Row>>, CommandError> {
        let (jobs, ways) = (self.jobs()?, self.ways()?);
        let progress = Progress::bar(jobs.len() as u64);
        let run = Run::this();
        let mut rows = vec![];
        for job in &jobs {
            let first = self.row(job, ways.first(), &run, &progress);
            let has_batch = first.as_ref().is_some_and(|row| ways.has_batch_beside(row));
            rows.push(first);
            if has_batch {
                rows.push(self.row(job, Openings::Batch, &run, &progress));
            }
            progress.step();
        }
        progress.finish();
        Ok(rows)
    }

    /// Measures one row, with openings verified in one way. None if it cannot be measured, the reason
    /// for which is printed.
    fn row(&self, job: &Job, openings: Openings, run: &Run, progress: &Progress) -> Option<Row> {
        let name = match openings {
            Openings::Tables => job.name.clone(),
            Openings::Batch => format!("{}, openings in a batch", job.name),
        };
        progress.stage(name.clone());
        let measured = match job.measure(openings) {
            Ok(measured) => measured,
            Err(error) => {
                progress.fail();
                progress.suspend(|| CommandError::about(&name)(error).print());
                return None;
            }
        };
        if self.what.outer.execute_only {
            let gib = measured.outer_estimate_bytes as f64 / f64::from(1 << 30);
            note(format_args!(
                "{name}: proving the wrap would take about {gib:.1} GiB"
            ));
        }
        if let Some(reason) = &measured.row.figures.wrap.left_out {
            note(format_args!(
                "{name}: the wrap was not proved: {reason} (--memory)"
            ));
        }
        Some(Row {
            run: Some(run.clone()),
            ..measured.row
        })
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
