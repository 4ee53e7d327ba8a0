//! A program that calls precompiles of every table, proved on the machine that has all tables.

mod common;

use common::{halt, imm, program, run, toy};
use droste_native::{Blake3Suite, F, Poseidon16Suite};
use droste_vm::heights::Heights;
use droste_vm::isa::{Instruction, Op, id};
use droste_vm::key::ProvingKey;
use droste_vm::machine::StandardTables;
use droste_vm::prover::{ProveOptions, prove};
use droste_vm::verifier::verify;
use p3_field::PrimeCharacteristicRing;

fn call(id: u32, [a, b, c, d, e]: [u32; 5]) -> Instruction {
    Instruction {
        id,
        d: imm(d),
        e: F::from_u32(e),
        ..common::instruction(Op::Call, imm(a), imm(b), imm(c))
    }
}

fn block(seed: u32, lanes: usize) -> [F; 8] {
    std::array::from_fn(|lane| {
        if lane < lanes {
            F::from_u32(seed * 8 + lane as u32)
        } else {
            F::ZERO
        }
    })
}

/// Returns the program. Blocks 1 to 3 are extension elements, 4 and 5 full blocks; results are
/// written from block 10 on.
fn everything() -> droste_vm::compiler::Compiled {
    let mut compiled = program(vec![
        call(id::EXT, [1, 2, 3, 10, 0]),
        call(id::LANE, [4, 35, 0, 0, 3]),
        call(id::BLOCK_EQ, [1, 11, 0, 0, 0]),
        call(id::HORNER, [4, 1, 12, 12, 2]),
        call(id::POSEIDON16_COMPRESS, [4, 5, 13, 0, 0]),
        call(id::POSEIDON16_SPONGE, [4, 4, 14, 0, 16]),
        call(id::POSEIDON16_MERKLE, [16, 1, 5, 4, 1]),
        call(id::POSEIDON16_HASH, [4, 4, 17, 0, 16]),
        call(id::POSEIDON2_COMPRESS, [4, 5, 40, 0, 0]),
        call(id::POSEIDON2_MERKLE, [41, 1, 5, 4, 1]),
        call(id::POSEIDON2_SPONGE, [4, 4, 42, 0, 16]),
        call(id::POSEIDON2_HASH, [4, 4, 45, 0, 16]),
        call(id::LIMBS, [4, 0, 20, 0, 2]),
        call(id::BLAKE3_PARENT, [20, 22, 24, 0, 1]),
        call(id::BLAKE3_MERKLE, [20, 1, 22, 26, 1]),
        call(id::KECCAK_MERKLE, [20, 0, 22, 28, 1]),
        halt(),
    ]);
    compiled.constants = vec![
        block(1, 5),
        block(2, 5),
        block(3, 5),
        block(4, 8),
        block(5, 8),
    ];
    compiled.globals = 64;
    compiled
}

#[test]
fn every_table_in_one_machine() {
    let compiled = everything();
    let execution = run(&compiled, &[]);
    let options = ProveOptions {
        settings: toy(),
        heights: Heights::Minimal,
    };
    let key = ProvingKey::<Blake3Suite, StandardTables>::new(
        &compiled.program,
        options.settings,
        options.heights.clone(),
    );
    let key = key.unwrap().key().clone();
    let names = [
        "cpu",
        "ext",
        "poseidon16",
        "poseidon2_parent",
        "poseidon2_sponge",
        "limbs",
        "blake3_calls",
        "blake3",
        "keccak_calls",
        "keccak",
        "program",
        "words",
        "blocks",
    ];
    assert_eq!(key.tables, names);
    let proof = prove::<Blake3Suite>(&compiled.program, &execution, &options).unwrap();
    let report = verify::<Blake3Suite, StandardTables>(&key, &[], 0, &proof).unwrap();
    for table in &report.tables {
        assert!(
            table.shape.degree <= 3,
            "{}: {}",
            table.name,
            table.shape.degree
        );
    }
}

/// Pins what one query opens on the recursion machine R. The budget is 480 elements, 280 of them
/// main.
#[test]
fn the_recursion_machine_is_narrow() {
    let mut compiled = everything();
    compiled
        .program
        .instructions
        .retain(|instruction| instruction.id < id::BLAKE3_CHUNK);
    let execution = run(&compiled, &[]);
    let options = ProveOptions {
        settings: toy(),
        heights: Heights::Uniform(7),
    };
    let proof = prove::<Poseidon16Suite>(&compiled.program, &execution, &options).unwrap();
    let key = proof.key.clone();
    let report = verify::<Poseidon16Suite, StandardTables>(&key, &[], 0, &proof).unwrap();
    for table in &report.tables {
        println!(
            "{}: main {}, lookup {}, quotient {}, preprocessed {}",
            table.name,
            table.shape.main_width,
            table.lookup_width(),
            table.quotient_width(),
            table.shape.preprocessed_width
        );
    }
    let opened: usize = report
        .tables
        .iter()
        .map(|table| table.opened_elements())
        .sum();
    let main: usize = report
        .tables
        .iter()
        .map(|table| table.shape.main_width)
        .sum();
    println!("opened {opened}, main {main}");
    assert_eq!((opened, main), (426, 278));
}
