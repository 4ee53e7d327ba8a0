//! Proofs over WHIR: the same programs and the same damage as over FRI.

mod common;

use common::{add, everything, fibonacci, halt, imm, instruction, program, run, statement, toy};
use droste_native::stark::whir::WhirSettings;
use droste_native::{F, Poseidon16Suite};
use droste_vm::compiler::Compiled;
use droste_vm::heights::Heights;
use droste_vm::isa::{Op, id};
use droste_vm::key::{self, KeyHeights};
use droste_vm::machine::StandardTables;
use droste_vm::record::Execution;
use droste_vm::stack::{Prove, Verify};
use droste_vm::verifier;
use droste_vm::whir::{
    Key, Proof, ProveError, ProvingKey, RecursionTables, Verifier, VerifyError, decode, encode,
};
use p3_field::PrimeCharacteristicRing;
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;

type Whir = ProvingKey<RecursionTables>;

/// A program that calls every precompile of the recursion machine, with calls of several rows.
fn recursion() -> Compiled {
    let mut compiled = everything();
    let of_recursion = [
        id::EXT,
        id::LANE,
        id::BLOCK_EQ,
        id::HORNER,
        id::POSEIDON16_COMPRESS,
        id::POSEIDON16_SPONGE,
        id::POSEIDON16_MERKLE,
        id::POSEIDON16_HASH,
    ];
    let instructions = &mut compiled.program.instructions;
    instructions
        .retain(|instruction| instruction.op != Op::Call || of_recursion.contains(&instruction.id));
    compiled
}

fn programs() -> Vec<(&'static str, Compiled)> {
    vec![
        (
            "nothing",
            program(vec![add(imm(1), imm(1), imm(2)), halt()]),
        ),
        ("fibonacci", fibonacci(40)),
        ("recursion", recursion()),
    ]
}

fn execute(compiled: &Compiled) -> Execution {
    let public = &statement()[..compiled.public_inputs];
    run(compiled, public)
}

fn whir(compiled: &Compiled) -> Whir {
    Whir::new(&compiled.program, WhirSettings::toy(), Heights::Minimal).unwrap()
}

fn fri(compiled: &Compiled) -> key::ProvingKey<Poseidon16Suite, StandardTables> {
    key::ProvingKey::new(&compiled.program, toy(), Heights::Minimal).unwrap()
}

fn whir_verifier(key: &Whir) -> Verifier<RecursionTables> {
    Verifier::new(key.key().clone()).unwrap()
}

/// What any stack must do with honest runs and with every changed cell of `changes`.
fn check_stack<P: Prove, V: Verify<Proof = P::Proof>>(
    prover: &P,
    verifier: &V,
    execution: &Execution,
    changes: &[(usize, usize, usize)],
) {
    let honest = prover.prove_run(execution).unwrap();
    let accepted = verifier.accept(&execution.statement, 0, &honest).unwrap();
    assert_eq!(accepted.statement, execution.statement);
    assert!(
        verifier
            .accept(&execution.statement, 1000, &honest)
            .is_err()
    );
    let mut other = execution.statement;
    other[7] += F::ONE;
    assert!(verifier.accept(&other, 0, &honest).is_err());

    let traces = prover.traces(execution).unwrap();
    for &(table, row, column) in changes {
        let mut changed = traces.clone();
        let trace = &mut changed[table];
        let at = (row % trace.height()) * trace.width() + column % trace.width();
        trace.values[at] += F::ONE;
        let proof = prover.prove_traces(execution.statement, &changed);
        let accepted = proof
            .ok()
            .and_then(|proof| verifier.accept(&execution.statement, 0, &proof).ok());
        assert!(
            accepted.is_none(),
            "table {table}, row {row}, column {column}"
        );
    }
    // Another statement than that of the traces.
    let proof = prover.prove_traces(other, &traces);
    assert!(
        proof
            .ok()
            .is_none_or(|proof| verifier.accept(&other, 0, &proof).is_err()),
        "the statement is bound"
    );
}

#[test]
fn both_stacks_prove_the_same_programs() {
    for (name, compiled) in programs() {
        println!("{name}");
        let execution = execute(&compiled);
        let (whir, fri) = (whir(&compiled), fri(&compiled));
        assert_eq!(whir.machine().names(), fri.machine().names());
        let verifier = verifier::Verifier::<_, StandardTables>::new(fri.key().clone()).unwrap();
        let tables = whir.machine().tables().len();
        let changes: Vec<_> = (0..tables)
            .filter(|&table| table != whir.machine().program_index())
            .map(|table| (table, 1, 0))
            .collect();
        check_stack(&fri, &verifier, &execution, &changes);
        check_stack(&whir, &whir_verifier(&whir), &execution, &changes);
    }
}
