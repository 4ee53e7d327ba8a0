//! Rows of `droste cost`: one for each hash and number of queries.

use droste_verifier::cost::{Cost as Figures, Machine};
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
        let header = [
            "program",
            "hash",
            "stack",
            "queries",
            "blowup",
            "bits",
            "leaf prove",
            "leaf CPU",
            "leaf proof",
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

/// Shows a figure, or `-` if it was not measured.
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
        cost.inner_stack.to_string(),
        cost.queries.to_string(),
        cost.blowup.to_string(),
        cost.proven_bits_inner.to_string(),
        ms(cost.leaf_prove_ms),
        ms(cost.leaf_cpu_ms),
        format!("{} KiB", cost.leaf_proof_bytes >> 10),
        format!("{:.2e}", cost.leaf_fft_cost as f64),
        cost.cycles.to_string(),
        format!(
            "{} + {} + {} + {}",
            permutations.poseidon16,
            permutations.poseidon2,
            permutations.blake3,
            permutations.keccak
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
    ]
}

/// CPU time of both proofs.
fn cpu_times(cost: &Figures) -> String {
    let leaf = ms(cost.leaf_cpu_ms);
    let outer = cost.cpu_ns_per_fft_unit.map_or(String::new(), |ns| {
        format!(", outer proof {}", ms(ns * cost.fft_cost as f64 / 1e6))
    });
    format!("inner proof {leaf}{outer}")
}

fn details(measured: &Row) -> Vec<Vec<String>> {
    let cost = &measured.figures;
    let of = format!(
        "{} over {}, {} queries",
        cost.inner_hash, cost.inner_stack, cost.queries
    );
    let mut rows = vec![vec![of]];
    rows.extend(
        cost.left_out
            .as_ref()
            .map(|reason| row("not proved", reason)),
    );
    rows.extend(cost.tables.iter().map(|table| {
        let text = format!(
            "{} of {} rows ({:.0}%), main {}, fft_cost {:.2e}",
            table.rows,
            table.height,
            100.0 * table.fill,
            table.main,
            table.fft_cost as f64
        );
        row(&table.name, text)
    }));
    rows.push(row(
        "transforms",
        format!("{:.2e}", cost.transform_cost as f64),
    ));
    rows.extend(cost.stages_ms.map(|stages| {
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
    rows.push(row("CPU time", cpu_times(cost)));
    let steps = measured.canonical.iter().flatten();
    rows.extend(steps.map(|step| row("to canonical shape", step.text())));
    rows
}
