//! The proofs of the machine's prover are those of Plonky3's `prove_batch`, byte for byte.

use crate::common::{everything, fibonacci, run, statement, toy};
use droste_native::{
    Blake3Suite, FriSettings, HashSuite, KeccakSuite, Poseidon2Suite, Poseidon16Suite,
};
use droste_vm::compiler::Compiled;
use droste_vm::heights::Heights;
use droste_vm::isa::{Op, id};
use droste_vm::key::ProvingKey;
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::prover::{prove_traces, traces};
use droste_vm::record::Execution;
use p3_air::BaseAir;
use p3_batch_stark::{StarkInstance, prove_batch};
use p3_field::PrimeCharacteristicRing;
use rayon::ThreadPoolBuilder;

/// Compares the proof with Plonky3's, on one thread and on two.
fn compare<H: HashSuite>(
    name: &str,
    (compiled, execution): &(Compiled, Execution),
    settings: FriSettings,
    heights: Heights,
) where
    StandardTables: Provable<H>,
{
    let key = ProvingKey::<H, StandardTables>::new(&compiled.program, settings, heights).unwrap();
    let traces = traces(&key, execution).unwrap();
    let tables = key.machine().tables();
    let instances: Vec<_> = tables
        .iter()
        .zip(&traces)
        .map(|(air, trace)| StarkInstance {
            air,
            trace,
            public_values: match air.num_public_values() {
                0 => vec![],
                _ => execution.statement.to_vec(),
            },
        })
        .collect();
    let config = droste_native::config::<H>(&settings, &key.key().digest().0).unwrap();
    let expected = prove_batch(&config, &instances, key.data()).unwrap();
    let expected = serde_json::to_vec(&expected).unwrap();
    for threads in [1, 2] {
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let proof = pool.install(|| prove_traces(&key, execution.statement, &traces));
        let proof = serde_json::to_vec(&proof.unwrap().batch).unwrap();
        assert!(proof == expected, "{name}, {}, {threads} threads", H::NAME);
    }
}

fn compare_in_every_hash(
    name: &str,
    case: &(Compiled, Execution),
    settings: FriSettings,
    heights: &Heights,
) {
    compare::<Poseidon16Suite>(name, case, settings, heights.clone());
    compare::<Poseidon2Suite>(name, case, settings, heights.clone());
    compare::<Blake3Suite>(name, case, settings, heights.clone());
    compare::<KeccakSuite>(name, case, settings, heights.clone());
}

fn with_blowup(log_blowup: usize) -> FriSettings {
    FriSettings {
        log_blowup,
        ..toy()
    }
}

fn fibonacci_run(steps: u32) -> (Compiled, Execution) {
    let compiled = fibonacci(steps);
    let execution = run(&compiled, &statement());
    (compiled, execution)
}

/// Returns the program that calls only these precompiles, and its run.
fn calling(precompiles: &[u32]) -> (Compiled, Execution) {
    let mut compiled = everything();
    compiled
        .program
        .instructions
        .retain(|instruction| instruction.op != Op::Call || precompiles.contains(&instruction.id));
    let execution = run(&compiled, &[]);
    (compiled, execution)
}

#[test]
fn machines_without_precompiles() {
    let case = fibonacci_run(20);
    for log_blowup in 1..=3 {
        let settings = with_blowup(log_blowup);
        compare_in_every_hash("fibonacci", &case, settings, &Heights::Minimal);
    }
    // Tall enough for the transform for few columns, and for several chunks of rows.
    let case = fibonacci_run(300);
    compare_in_every_hash("tall", &case, with_blowup(1), &Heights::Minimal);
    compare_in_every_hash("taller", &case, with_blowup(2), &Heights::Uniform(13));
}

#[test]
fn settings_with_grinding_and_a_cap() {
    let settings = FriSettings {
        log_final_poly_len: 2,
        batch_grinding_bits: 3,
        commit_grinding_bits: 1,
        query_grinding_bits: 4,
        lookup_grinding_bits: 5,
        ood_grinding_bits: 2,
        cap_height: 2,
        ..toy()
    };
    compare_in_every_hash("grinding", &fibonacci_run(20), settings, &Heights::Minimal);
}

#[test]
fn tables_of_a_few_rows() {
    let case = fibonacci_run(0);
    for log_blowup in 1..=3 {
        for heights in [[4, 6, 6, 0], [5, 6, 7, 1], [4, 6, 8, 3]] {
            let heights = Heights::Exact(heights.to_vec());
            compare_in_every_hash("short", &case, with_blowup(log_blowup), &heights);
        }
    }
}

#[test]
fn machines_with_each_precompile() {
    let machines: [&[u32]; 10] = [
        &[id::EXT],
        &[id::EXT, id::LANE, id::BLOCK_EQ, id::HORNER],
        &[id::POSEIDON16_COMPRESS],
        &[
            id::EXT,
            id::POSEIDON16_COMPRESS,
            id::POSEIDON16_SPONGE,
            id::POSEIDON16_HASH,
        ],
        &[id::POSEIDON2_MERKLE],
        &[
            id::POSEIDON2_COMPRESS,
            id::POSEIDON2_SPONGE,
            id::POSEIDON2_HASH,
        ],
        &[id::LIMBS],
        &[id::LIMBS, id::POSEIDON16_HASH],
        &[id::LIMBS, id::BLAKE3_PARENT],
        &[id::LIMBS, id::KECCAK_MERKLE],
    ];
    for precompiles in machines {
        let name = format!("precompiles {precompiles:?}");
        let case = calling(precompiles);
        for log_blowup in [1, 2] {
            let settings = with_blowup(log_blowup);
            compare_in_every_hash(&name, &case, settings, &Heights::Minimal);
        }
    }
}

#[test]
fn the_machine_with_every_table() {
    let compiled = everything();
    let execution = run(&compiled, &[]);
    let case = (compiled, execution);
    compare_in_every_hash("everything", &case, with_blowup(1), &Heights::Minimal);
    compare::<Blake3Suite>("uniform", &case, with_blowup(1), Heights::Uniform(7));
}

/// Traces that violate constraints and leave buses unbalanced have the same proofs, too: the tests
/// that attack verifiers rely on that.
#[test]
fn invalid_traces() {
    let (compiled, execution) = fibonacci_run(20);
    let key =
        ProvingKey::<Blake3Suite, StandardTables>::new(&compiled.program, toy(), Heights::Minimal)
            .unwrap();
    let mut traces = traces(&key, &execution).unwrap();
    for (seed, trace) in traces.iter_mut().enumerate() {
        let width = trace.width;
        for row in 0..trace.values.len() / width {
            trace.values[row * width + (row + seed) % width] += droste_native::F::from_usize(row);
        }
    }
    let instances: Vec<_> = key
        .machine()
        .tables()
        .iter()
        .zip(&traces)
        .map(|(air, trace)| StarkInstance {
            air,
            trace,
            public_values: match air.num_public_values() {
                0 => vec![],
                _ => execution.statement.to_vec(),
            },
        })
        .collect();
    let config = droste_native::config::<Blake3Suite>(&toy(), &key.key().digest().0).unwrap();
    let expected = prove_batch(&config, &instances, key.data()).unwrap();
    let proof = prove_traces(&key, execution.statement, &traces).unwrap();
    assert!(serde_json::to_vec(&expected).unwrap() == serde_json::to_vec(&proof.batch).unwrap());
}
