//! A program that calls precompiles of every table, proved on the machine that has all tables.

use droste_native::{Blake3Suite, Poseidon16Suite};
use droste_vm::fri::{ProveOptions, ProvingKey, prove, verify};
use droste_vm::heights::Heights;
use droste_vm::isa::id;
use droste_vm::machine::StandardTables;
use droste_vm::verifier::VerifyOptions;

use crate::common::{everything, run, toy};

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
        "ext4",
        "poseidon16",
        "power_weights",
        "binary_products",
        "baby_bear",
        "word_products",
        "carry_pairs",
        "poseidon2_parent",
        "poseidon2_sponge",
        "poseidon2_16",
        "poseidon2_24",
        "limbs",
        "blake3_calls",
        "blake3",
        "byte_pairs",
        "keccak_calls",
        "keccak_sponge_calls",
        "keccak",
        "spread",
        "program",
        "words",
        "blocks",
    ];
    assert_eq!(key.tables, names);
    let proof = prove::<Blake3Suite>(&compiled.program, &execution, &options).unwrap();
    let report =
        verify::<Blake3Suite, StandardTables>(&key, &[], VerifyOptions::min_bits(0), &proof)
            .unwrap();
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
    let report =
        verify::<Poseidon16Suite, StandardTables>(&key, &[], VerifyOptions::min_bits(0), &proof)
            .unwrap();
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
    assert_eq!((opened, main), (427, 279));
}
