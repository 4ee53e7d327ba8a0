//! Wraps proofs as Plonky3's own provers make them, in Poseidon2 and in Poseidon-16: what one step
//! takes, and the whole way to the canonical shape.
//!
//! `cargo run --release -p droste-bench --example stock -- [PRESET] [LOG_HEIGHT] [CHILDREN]`
//!
//! The proofs are of p3-poseidon1-air, at the preset's settings and blowup 8, by p3-uni-stark and
//! by p3-batch-stark. The canonical shape has room for joins of CHILDREN proofs. Times are of the
//! proofs of the steps and of making their keys.

use std::error::Error;
use std::time::Duration;

use droste_native::stark::challenger::with_grinding;
use droste_native::stark::security::Preset;
use droste_native::{F, Poseidon2Suite, Poseidon16Suite};
use droste_verifier::aggregate::Aggregator;
use droste_verifier::airs::{BatchCircuit, Seed, UniCircuit};
use droste_verifier::circuit::Run;
use droste_verifier::tape::TapeSuite;
use p3_batch_stark::{ProverData, StarkInstance, prove_batch};
use p3_koala_bear::{KOALABEAR_POSEIDON1_RC_16, MDSKoalaBearData};
use p3_monty_31::MDSUtils;
use p3_poseidon1::Poseidon1Constants;
use p3_poseidon1_air::Poseidon1Air;

type Air = Poseidon1Air<F, 16, 3, 0, 4, 20>;

fn air() -> Air {
    let constants = Poseidon1Constants::<F, 16> {
        rounds_f: 8,
        rounds_p: 20,
        mds_circ_col: MDSKoalaBearData::MATRIX_CIRC_MDS_16_COL,
        round_constants: KOALABEAR_POSEIDON1_RC_16.to_vec(),
    };
    let (full, partial) = constants.to_optimized();
    Air::new(full, partial)
}

/// Brings a run to the canonical shape and prints its steps.
fn wrap(aggregator: &Aggregator, name: &str, run: Run) -> Result<(), Box<dyn Error>> {
    let wrap = aggregator.wrap_run(run)?;
    let (steps, all) = (
        wrap.steps().len(),
        wrap.steps().iter().map(|step| step.prove),
    );
    let all: Duration = all.sum();
    if let Some(first) = wrap.steps().first() {
        let (cycles, fft_cost, prove) = (first.cycles, first.report.fft_cost(), first.prove);
        println!(
            "{name}: {cycles} cycles, fft_cost {:.2e}, proved in {:.2} s; {steps} steps in {:.2} s",
            fft_cost as f64,
            prove.as_secs_f64(),
            all.as_secs_f64()
        );
    }
    Ok(())
}

fn both<H: TapeSuite>(
    preset: Preset,
    log_height: usize,
    children: usize,
) -> Result<(), Box<dyn Error>> {
    let aggregator = Aggregator::for_preset(preset, children);
    let settings = preset.settings(3)?;
    let seed = Seed::StockForFixedAirs;
    let trace = || air().generate_trace_rows(1 << log_height, settings.log_blowup);

    let circuit = UniCircuit::<H, Air>::new(air(), settings, log_height, seed)?;
    let config = circuit.config()?;
    let proof = with_grinding(|| p3_uni_stark::prove(&config, &air(), trace(), &[]))??;
    let name = format!("{}, p3-uni-stark", H::NAME);
    wrap(&aggregator, &name, circuit.run(&proof, &[])?)?;

    let circuit = BatchCircuit::<H, Air>::new(vec![air()], settings, &[log_height], seed)?;
    let config = circuit.config()?;
    let (airs, trace) = ([air()], trace());
    let instances = [StarkInstance {
        air: &airs[0],
        trace: &trace,
        public_values: vec![],
    }];
    let data = ProverData::from_airs_and_degrees(&config, &airs, &[log_height])?;
    let proof = with_grinding(|| prove_batch(&config, &instances, &data))??;
    let name = format!("{}, p3-batch-stark", H::NAME);
    wrap(&aggregator, &name, circuit.run(&proof, &[vec![]])?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let preset = arguments.next().unwrap_or_else(|| "proven-100".into());
    let log_height = arguments.next().unwrap_or_else(|| "12".into());
    let children = arguments.next().unwrap_or_else(|| "2".into()).parse()?;
    let (preset, log_height) = (preset.parse()?, log_height.parse()?);
    both::<Poseidon16Suite>(preset, log_height, children)?;
    both::<Poseidon2Suite>(preset, log_height, children)
}
