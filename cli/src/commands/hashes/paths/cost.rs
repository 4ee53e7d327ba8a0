//! `droste hashes paths cost`.

use std::time::Instant;

use clap::Args;
use droste_batch::file::{File, Summary, verify_paths_file};
use droste_batch::statement::Statement;
use droste_batch::{Poseidon16, prove_paths};
use droste_verifier::batch::BatchCircuit;
use droste_verifier::circuit::PathsShape;
use droste_verifier::cost::{WrapCost, measure_wrap};
use droste_verifier::resources::cpu_time;
use droste_verifier::summary::{StepSummary, milliseconds};
use serde::Serialize;

use super::known::Known;
use crate::commands::cost::{Outer, wrap_details, wrap_summary};
use crate::commands::hashes::rows;
use crate::error::CommandError;
use crate::output::{Format, Report, counted, print, row};
use crate::progress::Progress;

/// Arguments of `droste hashes paths cost`.
#[derive(Debug, Args)]
pub struct Cost {
    #[command(flatten)]
    known: Known,
    #[command(flatten)]
    outer: Outer,
}

/// What proving paths and verifying that proof in the machine costs.
#[derive(Debug, Serialize)]
struct PathsCost {
    #[serde(flatten)]
    proof: Summary,
    /// Time to prove the paths, in milliseconds of the clock.
    leaf_prove_ms: f64,
    /// CPU time of that, in all threads.
    leaf_cpu_ms: f64,
    #[serde(flatten)]
    wrap: WrapCost,
    /// Steps that brought the proof to the canonical shape, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    canonical: Option<Vec<StepSummary>>,
}

impl Report for PathsCost {
    fn rows(&self) -> Vec<Vec<String>> {
        let (prove, cpu) = (self.leaf_prove_ms, self.leaf_cpu_ms);
        let mut all = rows(&self.proof);
        let text = format!("{prove:.1} ms, {cpu:.1} ms of CPU time");
        all.push(row("leaf prove", text));
        let wrap = wrap_summary(&self.wrap).into_iter();
        all.extend(wrap.map(|(name, figure)| row(name, figure)));
        let per_node = self.wrap.fft_cost as f64 / self.proof.calls as f64;
        all.push(row("fft_cost a node", format!("{per_node:.2e}")));
        let steps = self.canonical.as_deref().unwrap_or_default();
        all.extend(wrap_details(&self.wrap, self.leaf_cpu_ms, steps));
        all
    }
}

impl Cost {
    /// Proves the paths, verifies the proof in the machine, and prints what that costs.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let aggregator = self.outer.aggregator();
        let request = self.outer.request(&aggregator)?;
        let paths = self.known.paths()?;
        let circuit = BatchCircuit::new(PathsShape::of(&paths.statement)?)?;
        let number = counted(paths.statement.paths().len(), "path", "paths");
        let progress = Progress::spinner(format!("proving {number}"));
        let (start, cpu) = (Instant::now(), cpu_time());
        let proof = prove_paths::<Poseidon16>(&paths.statement, &paths.siblings)?;
        let (leaf_prove, leaf_cpu) = (start.elapsed(), cpu_time() - cpu);
        progress.message("verifying the proof in the machine");
        let start = Instant::now();
        let run = circuit.run(&paths.statement, &proof)?;
        let execute = start.elapsed();
        let (wrap, _) = measure_wrap(&request, run.circuit(), run.execution(), execute)?;
        let canonical = match self.outer.canonical() {
            true => {
                let aggregate = aggregator.wrap_run(run)?;
                Some(aggregate.steps().iter().map(StepSummary::new).collect())
            }
            false => None,
        };
        let file = File::new(&Statement::Paths(&paths.statement), proof).encode()?;
        let proof = verify_paths_file::<Poseidon16>(&paths.statement, &file, 0)?;
        drop(progress);
        let cost = PathsCost {
            proof,
            leaf_prove_ms: milliseconds(leaf_prove),
            leaf_cpu_ms: milliseconds(leaf_cpu),
            wrap,
            canonical,
        };
        Ok(print(&cost, format)?)
    }
}
