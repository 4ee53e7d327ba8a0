//! The inner proof, and the run of the circuit that verifies it.

use std::time::{Duration, Instant};

use droste_native::HashId;
use droste_vm::heights::Heights;
use droste_vm::key::ProofSystem;
use droste_vm::record::Execution;
use droste_vm::stack::{Prove, Proves, Stack, Verify};
use droste_vm::verifier::VerifyOptions;
use p3_matrix::Matrix;
use p3_util::log2_strict_usize;

use super::openings::native_time;
use super::{CostError, Recorder, Request};
use crate::aggregate::{AggregateError, VerifiedProof};
use crate::circuit::{Children, LeafProof, Openings, RecursionCircuit};
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
    /// Time and CPU time to make the leaf; `None` if it existed before.
    pub leaf_times: Option<(Duration, Duration)>,
    pub leaf_fft_cost: u64,
    pub leaf_proof_bytes: usize,
    pub circuit: RecursionCircuit,
    pub execution: Execution,
    pub execute: Duration,
    /// Of that, the time to prove the batch of openings; zero if there is none.
    pub native: Duration,
}

/// Proves the program with these settings and verifies the proof in the machine.
pub(super) fn run<P: LeafProof>(
    request: &Request<'_>,
    settings: <P::System as ProofSystem>::Settings,
) -> Result<Run, CostError> {
    let leaf = leaf::<P>(request, settings)?;
    let times = (leaf.prove, leaf.cpu);
    Ok(Run {
        leaf_times: Some(times),
        ..of_proof(&leaf.proof, leaf.fft_cost, leaf.bits, request.openings)?
    })
}

/// Verifies in the machine a proof that exists, after verifying it under the key that it carries.
pub(super) fn run_of_file<P: LeafProof>(
    bytes: &[u8],
    openings: Openings,
) -> Result<Run, CostError> {
    let proof = VerifiedProof::under_its_own_key(P::decode(bytes)?)?;
    let report = proof.report();
    of_proof(proof.proof(), report.fft_cost(), report.bits(), openings)
}

/// Verifies a proof in the machine. Its `fft_cost` and bits are those of its report.
fn of_proof<P: LeafProof>(
    proof: &P,
    fft_cost: u64,
    bits: usize,
    openings: Openings,
) -> Result<Run, CostError> {
    let shape = proof.shape();
    let settings = shape.settings;
    let children = Children::leaf(shape.clone(), openings);
    // A proof from outside may have any settings, for which generating the program would take long.
    let checked = children.check();
    checked.map_err(|error| AggregateError::Recipe(Box::new(error)))?;
    let circuit = match openings {
        Openings::Tables => RecursionCircuit::of_shape(&shape, 1)?,
        Openings::Batch => RecursionCircuit::of_shape_opened(&shape)?,
    };

    reset_peak_memory();
    let recorder = match openings {
        Openings::Tables => None,
        Openings::Batch => Recorder::install(),
    };
    let start = Instant::now();
    let execution = circuit.execute(&[proof])?;
    let execute = start.elapsed();
    let native = native_time(recorder);
    Ok(Run {
        hash: P::System::HASH,
        stack: settings.stack(),
        queries: proof.queries(),
        blowup: 1 << settings.log_blowup(),
        bits,
        leaf_times: None,
        leaf_fft_cost: fft_cost,
        leaf_proof_bytes: proof.encode()?.len(),
        circuit,
        execution,
        execute,
        native,
    })
}
