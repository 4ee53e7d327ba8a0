use std::borrow::Borrow;

use droste_native::F;
use droste_native::hash::keccak::{Keccak256, ROUND_CONSTANTS};
use p3_field::PrimeField32;
use p3_keccak::KeccakF;
use p3_matrix::Matrix;
use p3_symmetric::Permutation;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::degree5::{self, Degree5Air, Degree5Cols, Degree5Table, Degree5TableCols};
use super::*;
use crate::TraceError;
use crate::test_utils::{Harness, Rows, Table, constraint_degree, largest_message};

fn random(count: usize) -> Vec<State> {
    let mut rng = SmallRng::seed_from_u64(1);
    (0..count).map(|_| rng.random()).collect()
}

#[test]
fn widths() {
    assert_eq!(
        KeccakCols::<u8>::WIDTH,
        24 + 100 + 2 * 5 * 64 + 25 * 64 + 7 + 100
    );
    assert_eq!(KeccakCols::<u8>::WIDTH, 2471);
    assert_eq!(KeccakTableCols::<u8>::WIDTH, 2472);
    assert_eq!(Degree5Cols::<u8>::WIDTH, 24 + 2 * 5 * 64 + 25 * 64);
    assert_eq!(Degree5Cols::<u8>::WIDTH * ROUNDS, 54_336);
    assert_eq!(Degree5TableCols::<u8>::WIDTH, 2264 + 100 + 1);
}

#[test]
fn round_constants_use_the_listed_bits() {
    let used = ROUND_CONSTANTS
        .iter()
        .fold(0, |all, constant| all | constant);
    assert_eq!(used, IOTA_BITS.iter().fold(0, |all, z| all | 1 << z));
}

#[test]
fn permutations_agree_with_the_reference() {
    let mut inputs = random(50);
    inputs.push([0; LANES]);
    let trace = generate_permutations(&inputs, None).unwrap();
    for (index, input) in inputs.iter().enumerate() {
        let expected = KeccakF.permute(*input);
        assert_eq!(permute(*input), expected);
        let row = trace.row_slice(ROUNDS * index + ROUNDS - 1).unwrap();
        let row: &KeccakCols<F> = (*row).borrow();
        assert_eq!(row.preimage, input.map(limbs));
        assert_eq!(row.output, expected.map(limbs));
    }
}

/// Keccak-256 of a message, computed by permutations of the table.
fn hash(message: &[u8]) -> [u8; 32] {
    const RATE: usize = 136;
    let mut padded = message.to_vec();
    padded.push(1);
    padded.resize(padded.len().next_multiple_of(RATE), 0);
    *padded.last_mut().unwrap() |= 0x80;
    let mut state: State = [0; LANES];
    for block in padded.chunks_exact(RATE) {
        for (lane, bytes) in state.iter_mut().zip(block.as_chunks().0) {
            *lane ^= u64::from_le_bytes(*bytes);
        }
        let trace = generate_permutations(&[state], None).unwrap();
        let row = trace.row_slice(ROUNDS - 1).unwrap();
        let row: &KeccakCols<F> = (*row).borrow();
        assert_eq!(row.preimage, state.map(limbs));
        state = row.output.map(|lane| {
            let limbs = lane.iter().rev();
            limbs.fold(0, |word, limb| {
                word << 16 | u64::from(limb.as_canonical_u32())
            })
        });
    }
    std::array::from_fn(|i| state[i / 8].to_le_bytes()[i % 8])
}

#[test]
fn digests_agree_with_the_native_hash() {
    for length in [0, 1, 7, 8, 64, 134, 135, 136, 137, 271, 272, 273, 1000] {
        let message: Vec<u8> = (0..length).map(|i| (i % 251) as u8).collect();
        let digest = Keccak256.hash(&message);
        assert_eq!(hash(&message), digest, "{length}");
        let rows = rows_of(&message);
        assert_eq!(rows.len(), length / 136 + 1);
        let last = permute(rows[rows.len() - 1]);
        let lanes = last[..4].iter();
        assert!(
            digest.iter().eq(lanes
                .flat_map(|lane| lane.to_le_bytes())
                .collect::<Vec<u8>>()
                .iter())
        );
    }
}

#[test]
fn honest_traces_satisfy_the_constraints() {
    for count in [1, 2, 5] {
        let trace = generate_permutations(&random(count), None).unwrap();
        let table = Table::new("keccak", &KeccakAir, trace);
        Harness::new(vec![table]).check().unwrap();
        let trace = generate_table(&random(count), None).unwrap();
        let table = Table::new("keccak", &KeccakTable, trace);
        Harness::new(vec![table])
            .open_bus("keccak_f")
            .check()
            .unwrap();
        let trace = degree5::generate_permutations(&random(count), None).unwrap();
        let table = Table::new("keccak", &Degree5Air, trace);
        Harness::new(vec![table]).check().unwrap();
    }
}

#[test]
fn both_forms_send_the_same_messages() {
    let inputs = random(3);
    let trace = generate_table(&inputs, None).unwrap();
    let harness = Harness::new(vec![Table::new("keccak", &KeccakTable, trace)]);
    let trace = degree5::generate_table(&inputs, None).unwrap();
    let other = Harness::new(vec![Table::new("degree 5", &Degree5Table, trace)]);
    let messages = harness.messages().unwrap();
    assert_eq!(messages["keccak_f"].len(), 3);
    assert_eq!(messages, other.messages().unwrap());
}

#[test]
fn a_cut_off_permutation_cannot_send() {
    // 32 rows hold one permutation and eight rounds of another.
    let mut trace = generate_table(&random(1), None).unwrap();
    let width = trace.width();
    let is_real = width - 1;
    for row in 24..32 {
        trace.values[row * width + is_real] = F::new(1);
    }
    let table = Table::new("keccak", &KeccakTable, trace);
    let failure = Harness::new(vec![table]).open_bus("keccak_f").check();
    assert!(matches!(
        failure,
        Err(crate::test_utils::Failure::Constraint { row: 24, .. })
    ));
}

#[test]
fn only_the_last_row_but_one_can_send() {
    let width = Degree5TableCols::<u8>::WIDTH;
    for row in [0, 21, 23, 24, 31] {
        let mut trace = degree5::generate_table(&random(1), None).unwrap();
        trace.values[row * width + width - 1] = F::new(1);
        let table = Table::new("keccak", &Degree5Table, trace);
        let failure = Harness::new(vec![table]).open_bus("keccak_f").check();
        assert!(matches!(
            failure,
            Err(crate::test_utils::Failure::Constraint { row: at, .. }) if at == row
        ));
    }
}

#[test]
fn messages_are_small() {
    assert!(largest_message::<F, _>(&KeccakTable, 10_000) < 300);
    assert!(largest_message::<F, _>(&Degree5Table, 10_000) < 300);
}

#[test]
fn degree_reached_is_the_degree_declared() {
    assert_eq!(constraint_degree(&KeccakAir), DEGREE);
    assert_eq!(constraint_degree(&KeccakTable), DEGREE);
    assert_eq!(constraint_degree(&Degree5Air), degree5::DEGREE);
    assert_eq!(constraint_degree(&Degree5Table), degree5::DEGREE);
}

#[test]
fn every_cell_is_constrained() {
    let trace = generate_table(&random(1), None).unwrap();
    let table = Table::new("keccak", &KeccakTable, trace).names(KeccakTableCols::<u8>::names());
    let harness = Harness::new(vec![table]).open_bus("keccak_f");
    harness
        .mutate("keccak", &Rows::listed(vec![0, 12, 23, 24, 31], 24))
        .expect_caught();

    let trace = degree5::generate_table(&random(1), None).unwrap();
    let table = Table::new("keccak", &Degree5Table, trace).names(Degree5TableCols::<u8>::names());
    let harness = Harness::new(vec![table]).open_bus("keccak_f");
    harness
        .mutate("keccak", &Rows::listed(vec![0, 12, 22, 23, 24, 31], 24))
        .expect_caught();
    let trace = degree5::generate_permutations(&random(1), None).unwrap();
    let table = Table::new("keccak", &Degree5Air, trace).names(Degree5Cols::<u8>::names());
    Harness::new(vec![table])
        .mutate("keccak", &Rows::listed(vec![0, 12, 23, 24, 31], 24))
        .expect_caught();
}

#[test]
fn impossible_heights_are_refused() {
    assert_eq!(generate_permutations(&[], None), Err(TraceError::Empty));
    assert_eq!(
        generate_table(&random(2), Some(32)),
        Err(TraceError::TooShort {
            rows: 48,
            height: 32
        })
    );
}
