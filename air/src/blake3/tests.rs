use std::borrow::Borrow;

use droste_native::F;
use p3_field::PrimeCharacteristicRing;
use p3_matrix::Matrix;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::TraceError;
use crate::test_utils::{Harness, Rows, Table, constraint_degree, largest_message};

fn random(count: usize) -> Vec<Compression> {
    let mut rng = SmallRng::seed_from_u64(1);
    (0..count)
        .map(|_| Compression {
            chaining: rng.random(),
            message: rng.random(),
            counter: rng.random(),
            block_length: rng.random_range(0..=64),
            flags: rng.random(),
        })
        .collect()
}

/// The BLAKE3 hash of at most one chunk, by compressions of the table.
fn hash(input: &[u8]) -> [u8; 32] {
    let blocks: Vec<&[u8]> = if input.is_empty() {
        vec![input]
    } else {
        input.chunks(64).collect()
    };
    let mut chaining = IV;
    for (index, block) in blocks.iter().enumerate() {
        let mut bytes = [0; 64];
        bytes[..block.len()].copy_from_slice(block);
        let mut flags = 0;
        if index == 0 {
            flags |= CHUNK_START;
        }
        if index + 1 == blocks.len() {
            flags |= CHUNK_END | ROOT;
        }
        let compression = Compression {
            chaining,
            message: std::array::from_fn(|i| {
                u32::from_le_bytes(std::array::from_fn(|j| bytes[4 * i + j]))
            }),
            counter: 0,
            block_length: block.len() as u8,
            flags,
        };
        let trace = generate_compressions(&[compression], None).unwrap();
        let row = trace.row_slice(0).unwrap();
        let row: &Blake3Cols<F> = (*row).borrow();
        let output = compression.output();
        assert_eq!(
            row.output,
            output.map(|word| [F::from_u32(word & 0xffff), F::from_u32(word >> 16)])
        );
        chaining = output;
    }
    std::array::from_fn(|i| chaining[i / 4].to_le_bytes()[i % 4])
}

#[test]
fn widths() {
    let halves = 7 * 8 * 2;
    let inputs = 16 * 2 * 11 + 4 * 2 * 11 + 4 * 32 + 2 * 32 + 7 + 8;
    assert_eq!(Blake3Cols::<u8>::WIDTH, inputs + halves * 68 - 4 * 2 + 16);
    assert_eq!(Blake3Cols::<u8>::WIDTH, 8271);
    assert_eq!(Blake3TableCols::<u8>::WIDTH, 8272);
}

#[test]
fn digests_agree_with_the_reference() {
    for length in [0, 1, 3, 4, 63, 64, 65, 127, 128, 129, 1000, 1023, 1024] {
        let input: Vec<u8> = (0..length).map(|i| (i % 251) as u8).collect();
        assert_eq!(hash(&input), *blake3::hash(&input).as_bytes(), "{length}");
    }
}

#[test]
fn random_compressions_satisfy_the_constraints() {
    let trace = generate_table(&random(13), None).unwrap();
    let table = Table::new("blake3", &Blake3Table, trace);
    Harness::new(vec![table])
        .open_bus("blake3")
        .check()
        .unwrap();
}

#[test]
fn messages_are_small() {
    assert!(largest_message::<F, _>(&Blake3Table, 10_000) < 3000);
}

#[test]
fn degree_reached_is_the_degree_declared() {
    assert_eq!(constraint_degree(&Blake3Air), DEGREE);
    assert_eq!(constraint_degree(&Blake3Table), DEGREE);
}

#[test]
fn every_cell_is_constrained() {
    let trace = generate_table(&random(3), None).unwrap();
    let table = Table::new("blake3", &Blake3Table, trace).names(Blake3TableCols::<u8>::names());
    let harness = Harness::new(vec![table]).open_bus("blake3");
    harness.mutate("blake3", &Rows::of(3, 4)).expect_caught();
}

#[test]
fn impossible_heights_are_refused() {
    assert_eq!(generate_compressions(&[], None), Err(TraceError::Empty));
    assert_eq!(
        generate_table(&random(3), Some(2)),
        Err(TraceError::TooShort { rows: 3, height: 2 })
    );
}
