use std::borrow::Borrow;

use droste_native::F;
use droste_native::hash::blake3::Blake3;
use p3_field::PrimeField32;
use p3_matrix::Matrix;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::TraceError;
use crate::test_utils::{Harness, Rows, Table, constraint_degree, largest_message};

pub(super) fn random(count: usize) -> Vec<Compression> {
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

/// The output of a compression, as a row of the table has it.
fn compress(compression: Compression) -> [u32; 8] {
    let trace = generate_compressions(&[compression], None).unwrap();
    let row = trace.row_slice(0).unwrap();
    let row: &Blake3Cols<F> = (*row).borrow();
    limbs_to_words(row.output)
}

pub(super) fn limbs_to_words(limbs: [[F; 2]; 8]) -> [u32; 8] {
    limbs.map(|[low, high]| low.as_canonical_u32() | high.as_canonical_u32() << 16)
}

/// A function that computes a compression by the rows of a table.
type Compress = fn(Compression) -> [u32; 8];

/// Lengths at the boundaries of blocks, chunks and trees, and the longest of the official vectors.
pub(super) const LENGTHS: [usize; 23] = [
    0, 1, 3, 4, 63, 64, 65, 127, 128, 129, 1000, 1023, 1024, 1025, 2047, 2048, 2049, 3072, 3073,
    4096, 5000, 7169, 102_400,
];

/// The BLAKE3 hash of a message, computed by rows of a table.
pub(super) fn hash(compress: Compress, input: &[u8]) -> [u8; 32] {
    let mut words = IV;
    for row in rows_of(input) {
        words = compress(row);
        assert_eq!(words, row.output());
    }
    std::array::from_fn(|i| words[i / 4].to_le_bytes()[i % 4])
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
    for length in LENGTHS {
        let input: Vec<u8> = (0..length).map(|i| (i % 251) as u8).collect();
        let digest = hash(compress, &input);
        assert_eq!(digest, *blake3::hash(&input).as_bytes(), "{length}");
        assert_eq!(digest, Blake3.hash(&input));
        // One row for each block, and one for each pair of subtrees.
        let chunks = length.div_ceil(1024).max(1);
        let rows = length.div_ceil(64).max(1) + chunks - 1;
        assert_eq!(rows_of(&input).len(), rows);
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
    assert!(largest_message(&Blake3Table, 10_000) < 3000);
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
