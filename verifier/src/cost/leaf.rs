//! The inner proof, and the run of the circuit that verifies it.

use std::time::{Duration, Instant};

use droste_native::HashId;
use droste_vm::heights::Heights;
use droste_vm::key::ProofSystem;
use droste_vm::record::Execution;
use droste_vm::stack::{Prove, Proves, Stack, StackSettings, Verify};
use droste_vm::verifier::VerifyOptions;
use p3_matrix::Matrix;
use p3_util::log2_strict_usize;

use super::{CostError, Request};
use crate::circuit::{LeafProof, RecursionCircuit};
use crate::resources::{cpu_time, reset_peak_memory};

/// A program's proof, which the wrap verifies.
#[derive(Debug)]
pub struct Leaf<P> {
    /// The proof.
    pub proof: P,
    /// Time to make traces and proof.
    pub prove: Duration,
    /// CPU time of that.
    pub cpu: Duration,
    /// `w * h * log2(h)`, summed over its tables.
    pub fft_cost: u64,
    /// Proven bits.
    pub bits: usize,
}

/// Proves a run of a program with these settings, at the smallest heights that fit.
///
/// # Errors
/// If it cannot be proved, or would take more memory than the request allows.
pub fn leaf<P: LeafProof>(
    request: &Request<'_>,
    settings: <P::System as ProofSystem>::Settings,
) -> Result<Leaf<P>, CostError> {
    let key = P::System::proving_key(request.program, settings, Heights::Minimal)?;
    let verifier = P::System::verifier(P::System::verification_key(&key).clone())?;
    let (cpu, start) = (cpu_time(), Instant::now());
    let traces = key.traces(request.execution)?;
    let (traces_cpu, traces_time) = (cpu_time().saturating_sub(cpu), start.elapsed());
    let heights = traces.iter().map(|trace| log2_strict_usize(trace.height()));
    let estimate = P::estimated_bytes(&verifier, &heights.collect::<Vec<_>>())?;
    if estimate > request.memory {
        let allowed = request.memory;
        return Err(CostError::Memory { estimate, allowed });
    }
    let (cpu, start) = (cpu_time(), Instant::now());
    let proof = key.prove_traces(request.execution.statement, &traces)?;
    let prove = traces_time + start.elapsed();
    let cpu = traces_cpu + cpu_time().saturating_sub(cpu);
    let report = verifier.report(&[], VerifyOptions::min_bits(0), &proof)?;
    Ok(Leaf {
        prove,
        cpu,
        fft_cost: report.fft_cost(),
        bits: report.bits(),
        proof,
    })
}

/// A run of the circuit that verifies a program's proof, and the figures of both.
pub(super) struct Run {
    pub hash: HashId,
    pub stack: Stack,
    pub queries: usize,
    pub blowup: usize,
    pub bits: usize,
    pub leaf_prove: Duration,
    pub leaf_cpu: Duration,
    pub leaf_fft_cost: u64,
    pub leaf_proof_bytes: usize,
    pub circuit: RecursionCircuit,
    pub execution: Execution,
    pub execute: Duration,
}

/// Proves the program with these settings and verifies the proof in the machine.
pub(super) fn run<P: LeafProof>(
    request: &Request<'_>,
    settings: <P::System as ProofSystem>::Settings,
) -> Result<Run, CostError> {
    let leaf = leaf::<P>(request, settings)?;
    let circuit = RecursionCircuit::of_shape(&leaf.proof.shape(), 1)?;
    let settings: StackSettings = settings.into();

    reset_peak_memory();
    let start = Instant::now();
    let execution = circuit.execute(&[&leaf.proof])?;
    let execute = start.elapsed();
    Ok(Run {
        hash: P::System::HASH,
        stack: settings.stack(),
        queries: leaf.proof.queries(),
        blowup: 1 << settings.log_blowup(),
        bits: leaf.bits,
        leaf_prove: leaf.prove,
        leaf_cpu: leaf.cpu,
        leaf_fft_cost: leaf.fft_cost,
        leaf_proof_bytes: leaf.proof.encode()?.len(),
        circuit,
        execution,
        execute,
    })
}
