//! Wraps proofs as Plonky3's own provers make them: what one step takes, and the whole way to the
//! canonical shape.
//!
//! `cargo run --release -p droste-bench --example stock -- [PRESET] [LOG_HEIGHT] [CHILDREN] [AIR]`
//!
//! The proofs are of p3-poseidon1-air (`poseidon1`), in Poseidon-16 and Poseidon2, by p3-uni-stark
//! and by p3-batch-stark; or of p3-keccak-air (`keccak`), of which a permutation is 24 rows, in
//! Keccak, Blake3 and Poseidon-16, by p3-uni-stark. They are at the preset's settings and blowup 8.
//! The canonical shape has room for joins of CHILDREN proofs. Times are of the proofs of the steps
//! and of making their keys.

use std::error::Error;
use std::time::{Duration, Instant};

use droste_native::stark::challenger::with_grinding;
use droste_native::stark::security::Preset;
use droste_native::{
    Blake3Suite, Config, F, FriSettings, KeccakSuite, Poseidon2Suite, Poseidon16Suite,
};
use droste_verifier::aggregate::Aggregator;
use droste_verifier::airs::{BatchCircuit, Seed, UniAir, UniCircuit};
use droste_verifier::circuit::Run;
use droste_verifier::resources::cpu_time;
use droste_verifier::tape::TapeSuite;
use p3_air::Air;
use p3_batch_stark::{ProverData, StarkInstance, prove_batch};
use p3_keccak_air::{KeccakAir, NUM_ROUNDS};
use p3_koala_bear::{KOALABEAR_POSEIDON1_RC_16, MDSKoalaBearData};
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_monty_31::MDSUtils;
use p3_poseidon1::Poseidon1Constants;
use p3_poseidon1_air::Poseidon1Air;
use p3_uni_stark::ProverConstraintFolder;

type Permutations = Poseidon1Air<F, 16, 3, 0, 4, 20>;

fn air() -> Permutations {
    let constants = Poseidon1Constants::<F, 16> {
        rounds_f: 8,
        rounds_p: 20,
        mds_circ_col: MDSKoalaBearData::MATRIX_CIRC_MDS_16_COL,
        round_constants: KOALABEAR_POSEIDON1_RC_16.to_vec(),
    };
    let (full, partial) = constants.to_optimized();
    Permutations::new(full, partial)
}

/// Brings a run to the canonical shape and prints its steps.
fn wrap(aggregator: &Aggregator, name: &str, run: Run) -> Result<(), Box<dyn Error>> {
    let wrap = aggregator.wrap_run(run)?;
    let all: Duration = wrap.steps().iter().map(|step| step.prove).sum();
    let cpu: Duration = wrap.steps().iter().map(|step| step.prove_cpu).sum();
    if let Some(first) = wrap.steps().first() {
        println!(
            "{name}: {} cycles, fft_cost {:.2e}, proved in {:.2?}, {:.2?} of CPU time; {} steps in \
             {all:.2?}, {cpu:.2?} of CPU time",
            first.cycles,
            first.report.fft_cost() as f64,
            first.prove,
            first.prove_cpu,
            wrap.steps().len(),
        );
    }
    Ok(())
}

/// Proves an AIR by p3-uni-stark, and wraps the proof.
fn uni<H: TapeSuite, A>(
    aggregator: &Aggregator,
    settings: FriSettings,
    air: impl Fn() -> A,
    trace: RowMajorMatrix<F>,
) -> Result<(), Box<dyn Error>>
where
    A: UniAir<H> + for<'a> Air<ProverConstraintFolder<'a, Config<H>>>,
{
    let log_height = trace.height().ilog2() as usize;
    let seed = Seed::StockForFixedAirs;
    let circuit = UniCircuit::<H, A>::new(air(), settings, log_height, seed)?;
    let config = circuit.config()?;
    let (cpu, start) = (cpu_time(), Instant::now());
    let proof = with_grinding(|| p3_uni_stark::prove(&config, &air(), trace, &[]))??;
    let (time, cpu) = (start.elapsed(), cpu_time().saturating_sub(cpu));
    println!("{}: proved in {time:.2?}, {cpu:.2?} of CPU time", H::NAME);
    wrap(
        aggregator,
        &format!("{}, p3-uni-stark", H::NAME),
        circuit.run(&proof, &[])?,
    )
}

fn poseidon1<H: TapeSuite>(
    preset: Preset,
    log_height: usize,
    children: usize,
) -> Result<(), Box<dyn Error>> {
    let aggregator = Aggregator::for_preset(preset, children);
    let settings = preset.settings(3)?;
    let trace = || air().generate_trace_rows(1 << log_height, settings.log_blowup);
    uni::<H, Permutations>(&aggregator, settings, air, trace())?;

    let seed = Seed::StockForFixedAirs;
    let circuit = BatchCircuit::<H, Permutations>::new(vec![air()], settings, &[log_height], seed)?;
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

fn keccak<H: TapeSuite>(
    preset: Preset,
    log_height: usize,
    children: usize,
) -> Result<(), Box<dyn Error>> {
    let aggregator = Aggregator::for_preset(preset, children);
    let settings = preset.settings(3)?;
    let air = || KeccakAir {};
    let permutations = (1 << log_height) / NUM_ROUNDS;
    let trace = air().generate_random_trace_rows(permutations, settings.log_blowup);
    println!("{permutations} permutations");
    uni::<H, KeccakAir>(&aggregator, settings, air, trace)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let preset = arguments.next().unwrap_or_else(|| "proven-100".into());
    let log_height = arguments.next().unwrap_or_else(|| "12".into());
    let children = arguments.next().unwrap_or_else(|| "2".into()).parse()?;
    let (preset, log_height) = (preset.parse()?, log_height.parse()?);
    match arguments.next().as_deref() {
        None | Some("poseidon1") => {
            poseidon1::<Poseidon16Suite>(preset, log_height, children)?;
            poseidon1::<Poseidon2Suite>(preset, log_height, children)
        }
        Some("keccak") => {
            keccak::<KeccakSuite>(preset, log_height, children)?;
            keccak::<Blake3Suite>(preset, log_height, children)?;
            keccak::<Poseidon16Suite>(preset, log_height, children)
        }
        Some(_) => Err("the AIR is poseidon1 or keccak".into()),
    }
}
