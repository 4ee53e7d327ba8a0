//! `droste hashes cost`.

use std::time::Instant;

use clap::Args;
use droste_binary::file::{File, Summary, verify_file};
use droste_binary::{Poseidon16, prove};
use droste_verifier::binary::BinaryCircuit;
use droste_verifier::circuit::BinaryShape;
use droste_verifier::cost::{WrapCost, measure_wrap};
use droste_verifier::resources::cpu_time;
use droste_verifier::summary::{StepSummary, milliseconds};
use serde::Serialize;

use super::inputs::Inputs;
use super::rows;
use crate::commands::cost::{Outer, wrap_details, wrap_summary};
use crate::error::CommandError;
use crate::output::{Format, Report, print, row};
use crate::progress::Progress;

/// Arguments of `droste hashes cost`.
#[derive(Debug, Args)]
pub struct Cost {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    outer: Outer,
}

/// What proving a list and verifying that proof in the machine costs.
#[derive(Debug, Serialize)]
struct BinaryCost {
    #[serde(flatten)]
    proof: Summary,
    /// Time to prove the list, in milliseconds of the clock.
    leaf_prove_ms: f64,
    /// CPU time of that, in all threads.
    leaf_cpu_ms: f64,
    #[serde(flatten)]
    wrap: WrapCost,
    /// Steps that brought the proof to the canonical shape, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    canonical: Option<Vec<StepSummary>>,
}

impl Report for BinaryCost {
    fn rows(&self) -> Vec<Vec<String>> {
        let (prove, cpu) = (self.leaf_prove_ms, self.leaf_cpu_ms);
        let mut all = rows(&self.proof);
        let text = format!("{prove:.1} ms, {cpu:.1} ms of CPU time");
        all.push(row("leaf prove", text));
        let wrap = wrap_summary(&self.wrap).into_iter();
        all.extend(wrap.map(|(name, figure)| row(name, figure)));
        let per_call = self.wrap.fft_cost as f64 / self.proof.calls as f64;
        all.push(row("fft_cost a call", format!("{per_call:.2e}")));
        let steps = self.canonical.as_deref().unwrap_or_default();
        all.extend(wrap_details(&self.wrap, Some(self.leaf_cpu_ms), steps));
        all
    }
}

impl Cost {
    /// Proves the list, verifies the proof in the machine, and prints what that costs.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let known = self.inputs.known()?;
        let list = known.list.statement();
        let aggregator = self.outer.aggregator();
        let request = self.outer.request(&aggregator)?;
        let circuit = BinaryCircuit::new(BinaryShape::of(list.shape())?)?;
        let progress = Progress::spinner(format!("proving {}", known.list));
        let (start, cpu) = (Instant::now(), cpu_time());
        let proof = prove::<Poseidon16>(known.witness()?)?;
        let (leaf_prove, leaf_cpu) = (start.elapsed(), cpu_time() - cpu);
        progress.stage("verifying the proof in the machine");
        let start = Instant::now();
        let run = circuit.run(list, &proof)?;
        let execute = start.elapsed();
        let (wrap, _) = measure_wrap(&request, run.circuit(), run.execution(), execute)?;
        let canonical = if self.outer.canonical() {
            let aggregate = aggregator.wrap_run(run)?;
            Some(aggregate.steps().iter().map(StepSummary::new).collect())
        } else {
            None
        };
        let file = File::new(list, proof).encode()?;
        let proof = verify_file::<Poseidon16>(list, &file, 0)?;
        progress.finish();
        let cost = BinaryCost {
            proof,
            leaf_prove_ms: milliseconds(leaf_prove),
            leaf_cpu_ms: milliseconds(leaf_cpu),
            wrap,
            canonical,
        };
        Ok(print(&cost, format)?)
    }
}
