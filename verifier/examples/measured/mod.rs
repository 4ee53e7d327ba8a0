//! What it takes to verify a proof of `droste-binary` in the machine.

use std::error::Error;
use std::time::Instant;

use droste_binary::{Hash, Poseidon16, Witness, prove};
use droste_verifier::aggregate::Aggregator;
use droste_verifier::binary::BinaryCircuit;
use droste_verifier::circuit::BinaryShape;
use droste_verifier::file::encode;
use droste_verifier::resources::{cpu_time, peak_memory};
use droste_vm::precompile::BUILT_IN;
use p3_maybe_rayon::prelude::join;

/// The hash of this name.
pub fn hash(name: Option<String>) -> Result<Hash, Box<dyn Error>> {
    let hash = Hash::ALL
        .into_iter()
        .find(|hash| Some(hash.name()) == name.as_deref());
    hash.ok_or_else(|| "the first argument is no hash: blake3, blake2s, keccak-f".into())
}

/// Proves a list, runs the program that verifies the proof, and prints its instructions, its
/// cycles, and the rows of each precompile. With a preset it brings the proof to the canonical
/// shape, too.
pub fn measure(witness: Witness<'_>, preset: Option<String>) -> Result<(), Box<dyn Error>> {
    let (start, cpu, list) = (Instant::now(), cpu_time(), witness.statement());
    let shape = BinaryShape::of(list.shape())?;
    let (proof, circuit) = join(
        || prove::<Poseidon16>(witness),
        || BinaryCircuit::new(shape),
    );
    let (proof, circuit) = (proof?, circuit?);
    println!(
        "{} proved in {:.2?}, {:.2?} of CPU time, its verifier compiled meanwhile in {:.2?}",
        list.shape(),
        start.elapsed(),
        cpu_time() - cpu,
        circuit.compile_time()
    );
    let instructions = circuit.compiled().program.instructions.len();
    println!("{:24} {instructions:8}", "instructions");
    let verified = circuit.run(list, &proof)?;
    println!(
        "verified natively and in the machine, {:.2?}",
        start.elapsed()
    );
    let run = verified.execution();
    println!("{:24} {:8}", "cycles", run.cycles.len());
    for precompile in BUILT_IN {
        let calls = &run.calls[precompile.identity as usize];
        let rows: u64 = calls.iter().map(|call| (precompile.rows)(call)).sum();
        if rows > 0 {
            println!(
                "{:24} {rows:8} rows in {} calls",
                precompile.name,
                calls.len()
            );
        }
    }
    for (table, rows) in verified.needed_rows() {
        println!("table {table:18} {rows:8} rows");
    }
    let Some(preset) = preset else {
        return Ok(());
    };
    let aggregator = Aggregator::for_preset(preset.parse()?, 2).with_progress(|step| {
        println!(
            "step of {} cycles proved in {:.2?}, {:.2?} of CPU time; canonical shape: {}",
            step.cycles, step.prove, step.prove_cpu, step.canonical
        );
    });
    let aggregate = aggregator.wrap_run(verified)?;
    println!(
        "all of it in {:.2?}, {:.2?} of CPU time",
        start.elapsed(),
        cpu_time() - cpu
    );
    println!("{} bytes", encode(&aggregate)?.len());
    if let Some(peak) = peak_memory() {
        println!("peak memory {} MiB", peak >> 20);
    }
    Ok(())
}
