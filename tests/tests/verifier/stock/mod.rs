//! Proofs made elsewhere, with Plonky3's own configurations and AIRs of its examples, are verified
//! in the machine: here as proofs of a hash suite, with challenges of degree 5, and in the modules
//! below as what they are, at both degrees and over both fields.

mod accepted;
mod agreement;
mod baby_bear;
mod config;
mod documented;
mod fixture;
mod hiding;
mod in_full;
mod keys;
mod opened;
mod openings_refused;
mod refused;

use droste_native::stark::security::Preset;
use droste_native::whir::WhirSettings;
use droste_native::{
    Blake3Suite, Config, EF, F, FriSettings, HashSuite, KeccakSuite, Poseidon2Suite,
};
use droste_verifier::aggregate::{AcceptError, Aggregate, AggregateOptions, Aggregator};
use droste_verifier::airs::{AirCircuit, BatchCircuit, Seed, UniAir, UniCircuit};
use droste_verifier::circuit::{PRECOMPILES, Run};
use droste_verifier::claim::{AcceptedLeaves, claim_digest};
use droste_verifier::file;
use droste_verifier::keys::{Children, ClaimedKeys, Deriver, KeysError, Recipe, RecipeError};
use droste_verifier::tape::TapeSuite;
use droste_vm::heights::Heights;
use droste_vm::machine::StandardTables;
use droste_vm::record::Execution;
use droste_vm::whir::ProvingKey;
use p3_air::{Air, DebugConstraintBuilder};
use p3_batch_stark::{BatchProof, ProverData, StarkInstance, prove_batch, verify_batch};
use p3_blake3::Blake3;
use p3_blake3_air::Blake3Air;
use p3_keccak::Keccak256Hash;
use p3_keccak_air::KeccakAir;
use p3_koala_bear::{KOALABEAR_POSEIDON1_RC_16, MDSKoalaBearData};
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_monty_31::MDSUtils;
use p3_poseidon1::Poseidon1Constants;
use p3_poseidon1_air::Poseidon1Air;
use p3_uni_stark::{Proof as UniProof, ProverConstraintFolder, prove, verify};
use serde::Serialize;
use serde::de::DeserializeOwned;

use config::{ByteHash, Stock, stock, stock_poseidon2};

/// The benchmark settings of Plonky3's examples, with two queries.
const SETTINGS: FriSettings = FriSettings {
    log_blowup: 1,
    num_queries: 2,
    query_grinding_bits: 4,
    cap_height: 3,
    ..FriSettings::toy()
};

/// Plonky3's AIR of Poseidon1 of width 16.
type PoseidonAir = Poseidon1Air<F, 16, 3, 0, 4, 20>;

fn poseidon_air() -> PoseidonAir {
    let constants = Poseidon1Constants::<F, 16> {
        rounds_f: 8,
        rounds_p: 20,
        mds_circ_col: MDSKoalaBearData::MATRIX_CIRC_MDS_16_COL,
        round_constants: KOALABEAR_POSEIDON1_RC_16.to_vec(),
    };
    let (full, partial) = constants.to_optimized();
    Poseidon1Air::new(full, partial)
}

/// Converts a proof through its bytes, as if it were read from a file, from Plonky3's types to
/// ours.
fn adopt<T: DeserializeOwned>(proof: &impl Serialize) -> T {
    serde_json::from_slice(&serde_json::to_vec(proof).unwrap()).unwrap()
}

/// Checks that a run of the program reveals the expected claim.
fn expect_claim<H: HashSuite + TapeSuite>(
    program: &AirCircuit<H>,
    execution: &Execution,
    public_values: &[Vec<F>],
) {
    let leaf = program.leaf(public_values).unwrap();
    let expected = claim_digest(&[(leaf.key, leaf.claim.statement())]);
    assert_eq!(execution.statement, expected);
    println!(
        "{}: {} instructions, {} cycles",
        H::NAME,
        program.compiled().program.instructions.len(),
        execution.cycles.len()
    );
}

/// Makes a p3-uni-stark proof with one of Plonky3's configurations.
macro_rules! uni_proof {
    ($config:expr) => {{
        let ((config, ..), air) = ($config, poseidon_air());
        let trace = air.generate_trace_rows(8, SETTINGS.log_blowup);
        let proof = prove(&config, &air, trace, &[]).unwrap();
        verify(&config, &air, &proof, &[]).unwrap();
        adopt(&proof)
    }};
}

/// Heights of the two tables of [`batch_proof`].
const BATCH_LOG_HEIGHTS: [usize; 2] = [2, 4];

/// Makes a p3-batch-stark proof with one of Plonky3's configurations.
macro_rules! batch_proof {
    ($config:expr) => {{
        let ((config, ..), airs) = ($config, [poseidon_air(), poseidon_air()]);
        let traces =
            BATCH_LOG_HEIGHTS.map(|log| airs[0].generate_trace_rows(1 << log, SETTINGS.log_blowup));
        let instances: Vec<_> = airs
            .iter()
            .zip(&traces)
            .map(|(air, trace)| StarkInstance {
                air,
                trace,
                public_values: vec![],
            })
            .collect();
        let data = ProverData::from_airs_and_degrees(&config, &airs, &BATCH_LOG_HEIGHTS).unwrap();
        let proof = prove_batch(&config, &instances, &data).unwrap();
        verify_batch(&config, &airs, &proof, &[vec![], vec![]], &data.common).unwrap();
        adopt(&proof)
    }};
}

/// Verifies a p3-uni-stark proof in the machine. `then` gets the run and a deriver of the program's
/// keys.
fn uni<H: TapeSuite, T>(proof: UniProof<Config<H>>, then: impl FnOnce(Run, Deriver) -> T) -> T {
    let (air, seed) = (poseidon_air(), Seed::StockForFixedAirs);
    let circuit = UniCircuit::<H, PoseidonAir>::new(air, SETTINGS, 3, seed).unwrap();
    let run = circuit.run(&proof, &[]).unwrap();
    expect_claim(&circuit, run.execution(), &[vec![]]);
    then(run, Deriver::new().with_airs(&circuit).unwrap())
}

/// Like [`uni`], for a p3-batch-stark proof.
fn batch<H: TapeSuite, T>(proof: BatchProof<Config<H>>, then: impl FnOnce(Run, Deriver) -> T) -> T {
    let circuit = BatchCircuit::<H, PoseidonAir>::new(
        vec![poseidon_air(), poseidon_air()],
        SETTINGS,
        &BATCH_LOG_HEIGHTS,
        Seed::StockForFixedAirs,
    )
    .unwrap();
    let public_values = vec![vec![], vec![]];
    let run = circuit.run(&proof, &public_values).unwrap();
    expect_claim(&circuit, run.execution(), &public_values);
    then(run, Deriver::new().with_airs(&circuit).unwrap())
}

#[test]
fn stock_proofs_are_verified_in_the_machine() {
    uni::<Poseidon2Suite, _>(uni_proof!(stock_poseidon2::<EF>(&SETTINGS)), |_, _| ());
    uni::<Blake3Suite, _>(uni_proof!(stock::<Blake3, EF>(&SETTINGS)), |_, _| ());
    uni::<KeccakSuite, _>(uni_proof!(stock::<Keccak256Hash, EF>(&SETTINGS)), |_, _| ());
    batch::<Poseidon2Suite, _>(batch_proof!(stock_poseidon2::<EF>(&SETTINGS)), |_, _| ());
    batch::<Blake3Suite, _>(batch_proof!(stock::<Blake3, EF>(&SETTINGS)), |_, _| ());
    batch::<KeccakSuite, _>(
        batch_proof!(stock::<Keccak256Hash, EF>(&SETTINGS)),
        |_, _| (),
    );
}

/// Only a deriver that has the AIRs derives the key of the program that verifies their proofs.
#[test]
fn keys_of_airs_are_derived_only_with_the_airs() {
    let circuit = UniCircuit::<Blake3Suite, PoseidonAir>::new(
        poseidon_air(),
        SETTINGS,
        3,
        Seed::StockForFixedAirs,
    );
    let circuit = circuit.unwrap();
    let program = &circuit;
    let recipe = Recipe {
        children: Children::Airs {
            identity: program.air_key().identity,
        },
        settings: WhirSettings {
            log_block: 15,
            ..WhirSettings::toy()
        },
        heights: Heights::Minimal,
    };
    let proving = ProvingKey::<StandardTables>::with_precompiles(
        &program.compiled().program,
        &PRECOMPILES.into(),
        recipe.settings,
        recipe.heights.clone(),
    );
    let (key, bits) = (proving.unwrap().key().digest(), program.bits());
    let listed = |bits| {
        let mut keys = ClaimedKeys::default();
        keys.insert(key, bits, recipe.clone());
        keys
    };
    let KeysError::Recipe { key: named, source } =
        Deriver::new().derive(&listed(bits)).unwrap_err()
    else {
        panic!("the key of unknown AIRs was derived");
    };
    assert_eq!(named, key);
    assert!(matches!(*source, RecipeError::UnknownAirs), "{source}");

    let deriver = Deriver::new().with_airs(program).unwrap();
    assert_eq!(deriver.derive(&listed(bits)).unwrap().bits(key), Some(bits));
    let refusal = deriver.derive(&listed(bits + 1)).unwrap_err();
    assert!(matches!(refusal, KeysError::Bits { .. }), "{refusal}");
}

/// Brings a run to the canonical shape, and checks that only a deriver that has the AIRs derives
/// its key.
fn canonical(aggregator: &Aggregator, run: Run, deriver: &Deriver) -> Aggregate {
    let aggregate = aggregator.wrap_run(run).unwrap();
    let bytes = file::encode(&aggregate).unwrap();
    let refusal = file::decode(&bytes)
        .unwrap()
        .derive(&Deriver::new(), &AcceptedLeaves::Any);
    let Err(AcceptError::Keys(KeysError::Recipe { source, .. })) = refusal else {
        panic!("{refusal:?}");
    };
    assert!(matches!(*source, RecipeError::UnknownAirs), "{source}");
    let pinned = file::decode(&bytes).unwrap().pinned(
        aggregate.key(),
        AggregateOptions::min_bits(0),
        &AcceptedLeaves::Any,
    );
    assert_eq!(pinned.unwrap().keys(), aggregate.keys());
    file::decode(&bytes)
        .unwrap()
        .derive(deriver, &AcceptedLeaves::Any)
        .unwrap()
}

#[test]
#[ignore = "half a minute: cargo test -p droste-tests --test verifier stock:: -- --ignored"]
fn stock_proofs_are_wrapped_and_joined() {
    let aggregator = Aggregator::for_preset(Preset::Toy, 3);
    let to_canonical = |run: Run, deriver: Deriver| canonical(&aggregator, run, &deriver);
    let children = vec![
        uni::<Poseidon2Suite, _>(uni_proof!(stock_poseidon2::<EF>(&SETTINGS)), to_canonical),
        uni::<Blake3Suite, _>(uni_proof!(stock::<Blake3, EF>(&SETTINGS)), to_canonical),
        batch::<KeccakSuite, _>(
            batch_proof!(stock::<Keccak256Hash, EF>(&SETTINGS)),
            to_canonical,
        ),
    ];
    let joined = aggregator.join(children).unwrap();
    assert!(aggregator.is_canonical(joined.proof()));
    assert_eq!(joined.tree().claim.statement(), joined.proof().statement);
}

/// Proves one of Plonky3's hash AIRs with Plonky3's configuration of a hash and verifies the proof
/// in the machine.
fn published<B, H, A>(air: A, trace: RowMajorMatrix<F>)
where
    B: ByteHash,
    H: TapeSuite,
    A: UniAir<H>
        + for<'a> Air<ProverConstraintFolder<'a, Stock<B>>>
        + for<'a> Air<DebugConstraintBuilder<'a, F>>,
{
    let settings = FriSettings {
        num_queries: 1,
        cap_height: 0,
        ..SETTINGS
    };
    let log_height = trace.height().ilog2() as usize;
    let (config, ..) = stock::<B, EF>(&settings);
    let proof = prove(&config, &air, trace, &[]).unwrap();
    let circuit =
        UniCircuit::<H, A>::new(air, settings, log_height, Seed::StockForFixedAirs).unwrap();
    let proof: UniProof<Config<H>> = adopt(&proof);
    circuit.verify(&proof, &[]).unwrap();
    let execution = circuit.execute(&proof, &[vec![]]).unwrap();
    expect_claim(&circuit, &execution, &[vec![]]);
}

#[test]
fn p3_keccak_air_is_verified() {
    let trace = || KeccakAir {}.generate_random_trace_rows(1, SETTINGS.log_blowup);
    published::<Blake3, Blake3Suite, _>(KeccakAir {}, trace());
    published::<Keccak256Hash, KeccakSuite, _>(KeccakAir {}, trace());
}

#[test]
fn p3_blake3_air_is_verified() {
    let trace = || Blake3Air {}.generate_random_trace_rows(4, SETTINGS.log_blowup);
    published::<Blake3, Blake3Suite, _>(Blake3Air {}, trace());
    published::<Keccak256Hash, KeccakSuite, _>(Blake3Air {}, trace());
}
