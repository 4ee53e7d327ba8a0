//! False hints at every hint site of recursion programs, in the machine.
//!
//! A site is an instruction at which the executor writes a value that the prover chooses: an
//! element of the tape, or a value that an honest executor computes (bits, inverses, results of
//! comparisons, ends of loops). Each site is falsified the first and the last time it is reached,
//! and everything after it is computed from the false value. The run must fail, which means that
//! some instruction does not hold in the resulting memory.

pub mod sites;

use droste_native::{F, Poseidon16Suite};
use droste_tests::suite_tests;
use droste_verifier::airs::Seed;
use droste_verifier::circuit::RecursionCircuit;
use droste_verifier::tape::{TapeSuite, machine_tape};
use droste_vm::compiler::compile;
use droste_vm::executor::{Tape, TapeItem, execute};
use droste_vm::fri::{
    Proof, ProveOptions, ProvingKey, Verifier, prove, prove_traces, traces, verify,
};
use droste_vm::heights::Heights;
use droste_vm::machine::StandardTables;
use droste_vm::stack::ProveError;
use droste_vm::verifier::VerifyOptions;
use p3_field::PrimeCharacteristicRing;
use sites::{Kind, check, sites};

use crate::airs::common::{Batch, SETTINGS};
use crate::airs::tables::{Plain, Table};

/// Tables with lookups, preprocessed columns, public values and two heights.
const TABLES: [(Table, usize); 3] = [
    (Table::Range { log_height: 3 }, 3),
    (Table::Keys { columns: 2 }, 3),
    (Table::Plain(Plain::Fibonacci), 2),
];

fn wrap<H: TapeSuite>() {
    let batch = Batch::<H>::new(&TABLES, SETTINGS, Seed::Key);
    let program = &batch.circuit;
    let tape = program.tape(&batch.proof, &batch.public_values).unwrap();
    check(program.compiled(), &machine_tape(&tape));
}

suite_tests! {
    wrap:
    wrap_of_poseidon16 => Poseidon16Suite,
    wrap_of_poseidon2 => Poseidon2Suite,
    wrap_of_blake3 => Blake3Suite,
    wrap_of_keccak => KeccakSuite,
}

fn options() -> ProveOptions {
    ProveOptions {
        settings: droste_native::FriSettings {
            num_queries: 1,
            ..SETTINGS
        },
        heights: Heights::Minimal,
    }
}

fn factorial() -> Proof<Poseidon16Suite> {
    let compiled = compile(droste_programs::source("factorial").unwrap(), &[]).unwrap();
    let execution = execute(&compiled, &[F::from_u32(5)], &Tape::default(), 1 << 16).unwrap();
    prove(&compiled.program, &execution, &options()).unwrap()
}

fn recursion(proof: &Proof<Poseidon16Suite>, children: usize) -> RecursionCircuit {
    let verifier = Verifier::<Poseidon16Suite, StandardTables>::new(proof.key.clone()).unwrap();
    RecursionCircuit::over_fri(&verifier, &proof.batch.degree_bits, children).unwrap()
}

#[test]
fn verification_of_two() {
    let leaf = factorial();
    let circuit = recursion(&leaf, 2);
    let tape = machine_tape(&circuit.tape(&[&leaf, &leaf]).unwrap());
    check(circuit.compiled(), &tape);
}

/// If one proof is verified twice, the claim lists it twice, and not two different proofs.
#[test]
fn replayed_child_is_claimed_twice() {
    let leaf = factorial();
    let join = recursion(&leaf, 2);
    let execution = join.execute(&[&leaf, &leaf]).unwrap();
    let child = (leaf.key.digest(), leaf.statement);
    let claim = droste_verifier::claim::claim_digest;
    assert_eq!(execution.statement, claim(&[child, child]));
    assert_ne!(execution.statement, claim(&[child]));
}

/// A prover may not change memory after the run: a hinted cell of each kind gets another value, and
/// nothing else changes. The proof of such a run is not accepted.
#[test]
fn memory_is_not_the_provers() {
    let batch = Batch::<Poseidon16Suite>::new(&TABLES, SETTINGS, Seed::Key);
    let program = &batch.circuit;
    let compiled = program.compiled();
    let honest = program.execute(&batch.proof, &batch.public_values).unwrap();
    let options = options();
    let key = ProvingKey::<Poseidon16Suite, StandardTables>::new(
        &compiled.program,
        options.settings,
        options.heights,
    )
    .unwrap();
    for kind in Kind::ALL {
        let mut execution = honest.clone();
        let sites = sites(compiled, &honest);
        let Some(site) = sites.iter().find(|site| site.kind == kind) else {
            continue;
        };
        let Some(cell) = site.cell(&honest) else {
            continue;
        };
        *cell.of(&mut execution.memory) += F::ONE;
        let proof = traces(&key, &execution)
            .and_then(|traces| prove_traces(&key, execution.statement, &traces));
        match proof {
            // The false hint is used as an address outside of memory, so the run cannot be proved.
            Err(ProveError::Outside { .. }) => {}
            proof => {
                let proof = proof.unwrap();
                let verdict = verify::<Poseidon16Suite, StandardTables>(
                    key.key(),
                    &[],
                    VerifyOptions::min_bits(0),
                    &proof,
                );
                assert!(verdict.is_err(), "{kind:?}");
            }
        }
    }
}

/// Padding must be zero, or rows of different lengths could have one hash: the run fails unless the
/// lanes after a row of fewer than eight elements, and after the public values, are zero.
#[test]
fn padding_is_zero() {
    let batch = Batch::<Poseidon16Suite>::new(&TABLES, SETTINGS, Seed::Key);
    let program = &batch.circuit;
    let tape = machine_tape(&program.tape(&batch.proof, &batch.public_values).unwrap());
    let mut padded = 0;
    for index in 0..tape.items.len() {
        let mut changed = tape.clone();
        let TapeItem::Slice(blocks) = &mut changed.items[index] else {
            continue;
        };
        if let [block] = blocks.as_mut_slice()
            && block[7] == Some(F::ZERO)
        {
            block[7] = Some(F::ONE);
            padded += 1;
            let run = execute(program.compiled(), &[], &changed, 1 << 22);
            assert!(run.is_err(), "item {index}");
        }
    }
    // At least the public values and the rows of the preprocessed table are padded.
    assert!(padded > 2);
}
