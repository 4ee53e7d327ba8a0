//! Figures of recursion steps.

use droste_native::HashId;
use serde::{Deserialize, Serialize};

use super::milliseconds;
use crate::aggregate::Step;

/// Figures of one step (a wrap or join).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepSummary {
    /// Hash of the proofs it verified.
    pub hash: HashId,
    /// Number of proofs it verified.
    pub children: usize,
    /// Whether its proof has the canonical shape.
    pub canonical: bool,
    /// Cycles of the run.
    pub cycles: usize,
    /// `width * height * log2(height)`, summed over its tables.
    pub fft_cost: u64,
    /// Time to get the circuit, unless it was compiled while the step before was proved.
    pub compile_ms: f64,
    /// Time to write the hints and run the program.
    pub execute_ms: f64,
    /// Time to prove the run; meanwhile the circuit of the next step is compiled, if one follows.
    pub prove_ms: f64,
    /// CPU time of that, in all threads.
    pub prove_cpu_ms: f64,
    /// Time to verify the proof natively.
    pub verify_ms: f64,
    /// Proven bits of the proof.
    pub proven_bits: usize,
}

impl StepSummary {
    /// Takes the figures from a step.
    pub fn new(step: &Step) -> Self {
        Self {
            hash: step.hash,
            children: step.children,
            canonical: step.canonical,
            cycles: step.cycles,
            fft_cost: step.report.fft_cost(),
            compile_ms: milliseconds(step.compile),
            execute_ms: milliseconds(step.execute),
            prove_ms: milliseconds(step.prove),
            prove_cpu_ms: milliseconds(step.prove_cpu),
            verify_ms: milliseconds(step.verify),
            proven_bits: step.report.bits(),
        }
    }

    /// The figures in one line.
    pub fn text(&self) -> String {
        let Self {
            hash,
            children,
            canonical,
            cycles,
            fft_cost,
            compile_ms,
            execute_ms,
            prove_ms,
            prove_cpu_ms,
            verify_ms,
            proven_bits,
        } = self;
        let shape = if *canonical { ", canonical" } else { "" };
        let fft_cost = *fft_cost as f64;
        format!(
            "{children} of {hash}{shape}: {cycles} cycles, fft_cost {fft_cost:.2e}, \
             compile {compile_ms:.0} ms, execute {execute_ms:.0} ms, prove {prove_ms:.0} ms \
             ({prove_cpu_ms:.0} ms of CPU time), verify {verify_ms:.1} ms, {proven_bits} bits"
        )
    }
}
