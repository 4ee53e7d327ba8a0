//! Programs are proved in each hash, and their proofs wrapped.

use std::sync::Arc;

use droste_native::stark::security::Preset;
use droste_native::{
    Blake3Suite, F, FriSettings, HashSuite, KeccakSuite, Poseidon2Suite, Poseidon16Suite,
};
use droste_verifier::aggregate::{Aggregator, VerifiedProof};
use droste_verifier::circuit::{ChildShape, CircuitError, RecursionCircuit};
use droste_verifier::claim::claim_digest;
use droste_verifier::tape::TapeSuite;
use droste_vm::compiler::compile;
use droste_vm::executor::{Tape, execute};
use droste_vm::fri::{Proof, ProveOptions, ProvingKey, Verifier, prove};
use droste_vm::heights::Heights;
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::verifier::VerifyError;
use p3_field::PrimeCharacteristicRing;

type R = Poseidon16Suite;

/// Options with toy settings.
fn options(heights: Heights) -> ProveOptions {
    ProveOptions {
        settings: FriSettings {
            num_queries: 3,
            query_grinding_bits: 2,
            cap_height: 1,
            ..FriSettings::toy()
        },
        heights,
    }
}

fn factorial<H: HashSuite>(n: u32) -> Proof<H>
where
    StandardTables: Provable<H>,
{
    let compiled = compile(droste_programs::source("factorial").unwrap(), &[]).unwrap();
    let execution = execute(&compiled, &[F::from_u32(n)], &Tape::default(), 1 << 16).unwrap();
    prove::<H>(&compiled.program, &execution, &options(Heights::Minimal)).unwrap()
}

/// Heights that no proof of the key has are refused before anything is computed from them.
#[test]
fn heights_are_held_against_the_key() {
    let leaf = factorial::<R>(5);
    let verifier = Verifier::<R, StandardTables>::new(leaf.key.clone()).unwrap();
    let honest = &leaf.batch.degree_bits;
    RecursionCircuit::over_fri(&verifier, honest, 1).unwrap();
    let program = verifier.machine().program_index();
    let with = |table: usize, log_height: usize| {
        let mut heights = honest.clone();
        heights[table] = log_height;
        heights
    };
    for heights in [
        vec![],
        honest[1..].to_vec(),
        [&honest[..], &[6]].concat(),
        with(program, honest[program] + 1),
        with(0, 60),
        with(0, usize::MAX),
    ] {
        let error = RecursionCircuit::over_fri(&verifier, &heights, 1).unwrap_err();
        let heights_are_wrong = matches!(error, CircuitError::Heights(VerifyError::Heights { .. }));
        assert!(heights_are_wrong, "{heights:?}: {error}");
    }
    // The same holds for a key that fixes its heights.
    let compiled = compile(droste_programs::source("factorial").unwrap(), &[]).unwrap();
    let fixed = options(Heights::Uniform(7));
    let key =
        ProvingKey::<R, StandardTables>::new(&compiled.program, fixed.settings, fixed.heights);
    let verifier = Verifier::<R, StandardTables>::new(key.unwrap().key().clone()).unwrap();
    let mut heights = vec![7; verifier.machine().tables().len()];
    RecursionCircuit::over_fri(&verifier, &heights, 1).unwrap();
    heights[0] = 8;
    let error = RecursionCircuit::over_fri(&verifier, &heights, 1).unwrap_err();
    assert!(matches!(error, CircuitError::Heights(_)), "{error}");
}

/// Wraps a leaf, on R and the tables of its hash.
fn is_wrapped<H: TapeSuite>(tables: &[&str])
where
    StandardTables: Provable<H>,
{
    let leaf = VerifiedProof::under_its_own_key(factorial::<H>(5)).unwrap();
    let of_preset = Aggregator::for_preset(Preset::Toy, 1);
    // At the least heights that fit.
    let aggregator = Aggregator::new(*of_preset.intermediate_settings(), vec![]);
    let wrap = aggregator.first_step(&leaf).unwrap();
    let leaf = leaf.proof();
    let expected = claim_digest(&[(leaf.key.digest(), leaf.statement)]);
    assert_eq!(wrap.claim(), expected);
    let found = &wrap.proof().key.tables;
    for table in ["ext", "poseidon16", "power_weights"].iter().chain(tables) {
        assert!(found.iter().any(|name| name == table), "{found:?}");
    }
    // The circuit commits to its program once for each choice of settings and heights.
    let shape = ChildShape::new(&leaf.key, &leaf.batch.degree_bits);
    let circuit = aggregator.circuits().circuit(shape, 1).unwrap();
    let settings = wrap.proof().key.settings;
    let key = |heights: &Heights| circuit.key(settings, heights).unwrap();
    let minimal = key(&Heights::Minimal);
    assert_eq!(minimal.digest(), wrap.proof().key.digest());
    assert!(Arc::ptr_eq(&minimal, &key(&Heights::Minimal)));
    let fixed = key(&Heights::Exact(wrap.proof().log_heights.clone()));
    assert_ne!(minimal.digest(), fixed.digest());
    let step = &wrap.steps()[0];
    println!("{}: {} cycles in {:?}", H::NAME, step.cycles, step.prove);
}

#[test]
fn poseidon16_is_wrapped() {
    is_wrapped::<Poseidon16Suite>(&[]);
}

#[test]
fn poseidon2_is_wrapped() {
    is_wrapped::<Poseidon2Suite>(&["poseidon2_sponge"]);
}

#[test]
fn blake3_is_wrapped() {
    is_wrapped::<Blake3Suite>(&["blake3_calls"]);
}

#[test]
fn keccak_is_wrapped() {
    is_wrapped::<KeccakSuite>(&["keccak"]);
}
