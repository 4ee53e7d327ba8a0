//! Rows of `droste cost`: one for each hash and number of queries.

use droste_verifier::circuit::Openings;
use droste_verifier::cost::{Cost as Figures, Machine, WrapCost};
use droste_verifier::summary::StepSummary;
use serde::{Deserialize, Serialize};

use crate::output::{Report, row};

/// One row.
#[derive(Debug, Serialize, Deserialize)]
pub struct Row {
    #[serde(flatten)]
    pub figures: Figures,
    /// Steps that brought the inner proof to the canonical shape, if `--canonical` asked for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canonical: Option<Vec<StepSummary>>,
    /// The run of the command that measured it. The process that measures a row leaves it to the
    /// one that started it, and rows of early versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<Run>,
}

/// A run of the command.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    /// Version of Droste.
    pub version: String,
    /// The command line, quoted for a shell.
    pub command: String,
    /// Where it ran.
    pub machine: Machine,
}

impl Run {
    /// The run of this process.
    pub fn this() -> Self {
        let arguments: Vec<String> = std::env::args_os()
            .map(|argument| argument.to_string_lossy().into_owned())
            .collect();
        let arguments: Vec<_> = arguments
            .iter()
            .map(|argument| shlex::try_quote(argument).unwrap_or(argument.into()))
            .collect();
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: arguments.join(" "),
            machine: Machine::this(),
        }
    }
}

/// All rows.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct Rows(pub Vec<Row>);

impl Report for Rows {
    fn rows(&self) -> Vec<Vec<String>> {
        let summaries = self.0.iter().map(|row| {
            let figures = summary(&row.figures).into_iter();
            figures
                .map(|(name, figure)| (name.to_owned(), figure))
                .unzip()
        });
        let (names, figures): (Vec<Vec<String>>, Vec<_>) = summaries.unzip();
        let mut rows: Vec<_> = names.into_iter().take(1).chain(figures).collect();
        for row in &self.0 {
            rows.push(vec![]);
            rows.extend(details(row));
        }
        rows
    }
}

/// Shows a figure, or `-` if it was not measured.
fn optional<T>(value: Option<T>, show: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| "-".to_owned(), show)
}

fn ms(value: f64) -> String {
    format!("{value:.0} ms")
}

fn kib(bytes: usize) -> String {
    format!("{} KiB", bytes >> 10)
}

fn scientific(value: u64) -> String {
    format!("{:.2e}", value as f64)
}

/// How a wrap verifies the openings of the proof's trees.
const fn openings(wrap: &WrapCost) -> Openings {
    match wrap.openings {
        None => Openings::Tables,
        Some(_) => Openings::Batch,
    }
}

/// The figures of a row, by the heads of their columns.
fn summary(cost: &Figures) -> Vec<(&'static str, String)> {
    let leaf = [
        ("program", cost.program.clone()),
        ("hash", cost.inner_hash.to_string()),
        ("stack", cost.inner_stack.to_string()),
        ("openings", openings(&cost.wrap).to_string()),
        ("queries", cost.queries.to_string()),
        ("blowup", cost.blowup.to_string()),
        ("bits", cost.proven_bits_inner.to_string()),
        ("leaf prove", optional(cost.leaf_prove_ms, ms)),
        ("leaf CPU", optional(cost.leaf_cpu_ms, ms)),
        ("leaf proof", kib(cost.leaf_proof_bytes)),
        ("leaf fft_cost", scientific(cost.leaf_fft_cost)),
    ];
    leaf.into_iter().chain(wrap_summary(&cost.wrap)).collect()
}

/// The figures of a wrap, by their names.
pub fn wrap_summary(wrap: &WrapCost) -> [(&'static str, String); 11] {
    let all = &wrap.permutations;
    let permutations = [all.poseidon16, all.poseidon2, all.blake3, all.keccak];
    let permutations = permutations.map(|count| count.to_string()).join(" + ");
    let mib = |bytes: usize| format!("{} MiB", bytes >> 20);
    let nanoseconds = optional(wrap.cpu_ns_per_fft_unit, |ns| format!("{ns:.2}"));
    [
        ("cycles", wrap.cycles.to_string()),
        ("permutations", permutations),
        ("fft_cost", scientific(wrap.fft_cost)),
        ("opened", wrap.opened_per_query.to_string()),
        ("outer bits", wrap.proven_bits_outer.to_string()),
        ("execute", ms(wrap.execute_ms)),
        ("prove", optional(wrap.outer_prove_ms, ms)),
        ("verify", optional(wrap.outer_verify_ms, ms)),
        ("proof", optional(wrap.outer_proof_bytes, kib)),
        ("peak memory", optional(wrap.peak_rss_bytes, mib)),
        ("ns/unit", nanoseconds),
    ]
}

fn details(measured: &Row) -> Vec<Vec<String>> {
    let cost = &measured.figures;
    let in_batch = cost.wrap.openings.map_or("", |_| ", openings in a batch");
    let of = format!(
        "{} over {}, {} queries{in_batch}",
        cost.inner_hash, cost.inner_stack, cost.queries
    );
    let mut rows = vec![vec![of]];
    let steps = measured.canonical.as_deref().unwrap_or_default();
    rows.extend(wrap_details(&cost.wrap, cost.leaf_cpu_ms, steps));
    rows
}

/// Tables and stages of a wrap, CPU time of the proof that it verifies (milliseconds), if it is
/// known, and of its own, and the steps that brought that proof to the canonical shape.
pub fn wrap_details(
    wrap: &WrapCost,
    leaf_cpu_ms: Option<f64>,
    steps: &[StepSummary],
) -> Vec<Vec<String>> {
    let left_out = wrap.left_out.iter();
    let mut rows: Vec<_> = left_out.map(|reason| row("not proved", reason)).collect();
    rows.extend(wrap.openings.map(|batch| {
        let (calls, native) = (batch.calls, ms(batch.native_ms));
        let text = format!(
            "{calls} calls, proved in {native}; {} bits with the proof's",
            batch.bits
        );
        row("openings in a batch", text)
    }));
    rows.extend(wrap.tables.iter().map(|table| {
        let text = format!(
            "{} of {} rows ({:.0}%), main {}, fft_cost {}",
            table.rows,
            table.height,
            100.0 * table.fill,
            table.main,
            scientific(table.fft_cost)
        );
        row(&table.name, text)
    }));
    rows.push(row("transforms", scientific(wrap.transform_cost)));
    rows.extend(wrap.stages_ms.map(|stages| {
        let times = [
            ("execute", Some(stages.execute)),
            ("trace", Some(stages.trace)),
            ("commit", Some(stages.commit)),
            ("lookup", Some(stages.lookup)),
            ("constraints", stages.constraints),
            ("open", Some(stages.open)),
            ("grind", Some(stages.grind)),
        ];
        let times = times
            .iter()
            .filter_map(|(name, time)| Some(format!("{name} {:.0}", (*time)?)));
        let text = times.collect::<Vec<_>>().join(", ") + " ms";
        row("stages", text)
    }));
    let outer_ns = wrap.cpu_ns_per_fft_unit;
    let outer_cpu_ms = outer_ns.map(|ns| ns * wrap.fft_cost as f64 / 1e6);
    let cpu = [("inner", leaf_cpu_ms), ("outer", outer_cpu_ms)];
    let cpu = cpu
        .into_iter()
        .filter_map(|(proof, time)| Some(format!("{proof} proof {}", ms(time?))));
    let cpu: Vec<String> = cpu.collect();
    if !cpu.is_empty() {
        rows.push(row("CPU time", cpu.join(", ")));
    }
    rows.extend(
        steps
            .iter()
            .map(|step| row("to canonical shape", step.text())),
    );
    rows
}
