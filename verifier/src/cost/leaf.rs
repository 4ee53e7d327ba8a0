//! The inner proof, and the run of the circuit that verifies it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use droste_native::{HashId, HashSuite};
use droste_vm::codec;
use droste_vm::heights::Heights;
use droste_vm::key::ProvingKey;
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::prover::{Proof, log_heights, prove_traces, traces};
use droste_vm::record::Execution;
use droste_vm::report::TableReport;
use droste_vm::verifier::{Verifier, VerifyOptions};

use super::{CostError, Request};
use crate::circuit::{ProgramCircuit, RecursionCircuit};
use crate::resources::{cpu_time, estimated_bytes, peak_memory, reset_peak_memory};
use crate::tape::TapeSuite;

/// A program's proof in hash `H`, which the wrap verifies.
#[derive(Debug)]
pub struct Leaf<H: HashSuite> {
    /// The proof.
    pub proof: Proof<H>,
    /// Time to make traces and proof.
    pub prove: Duration,
    /// CPU time of that.
    pub cpu: Duration,
    /// `w * h * log2(h)`, summed over its tables.
    pub fft_cost: u64,
    /// Proven bits.
    pub bits: usize,
}

/// Proves a run of a program, at the smallest heights that fit.
///
/// # Errors
/// If it cannot be proved, or would take more memory than the request allows.
pub fn leaf<H: HashSuite>(request: &Request<'_>) -> Result<Leaf<H>, CostError>
where
    StandardTables: Provable<H>,
{
    let key =
        ProvingKey::<H, StandardTables>::new(request.program, request.inner, Heights::Minimal)?;
    let verifier = Verifier::<H, StandardTables>::new(key.key().clone())?;
    let (tables, _) = verifier.shape(&log_heights(&key, request.execution)?)?;
    let estimate = estimated_bytes(&tables, &request.inner);
    if estimate > request.memory {
        let allowed = request.memory;
        return Err(CostError::Memory { estimate, allowed });
    }
    let (cpu, start) = (cpu_time(), Instant::now());
    let traces = traces(&key, request.execution)?;
    let proof = prove_traces(&key, request.execution.statement, traces)?;
    let prove = start.elapsed();
    let cpu = cpu_time().saturating_sub(cpu);
    let report = verifier.verify(&[], VerifyOptions::min_bits(0), &proof)?;
    Ok(Leaf {
        prove,
        cpu,
        fft_cost: report.tables.iter().map(TableReport::fft_cost).sum(),
        bits: report.security.bits(),
        proof,
    })
}

/// A run of the circuit that verifies a program's proof, and the figures of both.
pub(super) struct Run {
    pub hash: HashId,
    pub bits: usize,
    pub leaf_prove: Duration,
    pub leaf_cpu: Duration,
    pub leaf_fft_cost: u64,
    pub leaf_proof_bytes: usize,
    pub circuit: Arc<RecursionCircuit>,
    pub execution: Execution,
    pub execute: Duration,
    pub execute_peak_rss_bytes: Option<usize>,
}

/// Proves the program in hash `H` and verifies the proof in the machine.
pub(super) fn run<H: TapeSuite>(request: &Request<'_>) -> Result<Run, CostError>
where
    StandardTables: Provable<H>,
{
    let leaf = leaf::<H>(request)?;
    let verifier = Verifier::<H, StandardTables>::new(leaf.proof.key.clone())?;
    let circuit = ProgramCircuit::new(&verifier, &leaf.proof.batch.degree_bits, 1)?;

    reset_peak_memory();
    let start = Instant::now();
    let execution = circuit.execute(&[&leaf.proof])?;
    let execute = start.elapsed();
    Ok(Run {
        hash: H::ID,
        bits: leaf.bits,
        leaf_prove: leaf.prove,
        leaf_cpu: leaf.cpu,
        leaf_fft_cost: leaf.fft_cost,
        leaf_proof_bytes: codec::encode(&leaf.proof)?.len(),
        circuit: circuit.share(),
        execution,
        execute,
        execute_peak_rss_bytes: peak_memory(),
    })
}
