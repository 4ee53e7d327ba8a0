use std::borrow::Borrow;

use droste_native::F;
use droste_native::hash::keccak::{Keccak256, ROUND_CONSTANTS};
use p3_air::Air;
use p3_field::PrimeField32;
use p3_keccak::KeccakF;
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_symmetric::Permutation;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::degree5::{self, Degree5Air, Degree5Cols};
use super::*;
use crate::test_utils::{Harness, RowBuilder, Rows, Table, constraint_degree};
use crate::{End, TraceError};

pub(super) fn random(count: usize) -> Vec<State> {
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
    assert_eq!(Degree5Cols::<u8>::WIDTH, 24 + 2 * 5 * 64 + 25 * 64);
    assert_eq!(Degree5Cols::<u8>::WIDTH * ROUNDS, 54_336);
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
        let row = trace.row_slice(ROUNDS * (index + 1)).unwrap();
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
        let row = trace.row_slice(ROUNDS).unwrap();
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

const ENDS: [End; 2] = [End::Ring, End::Repeat];

/// A form of the table: its constraints, a trace, and the names of its columns.
type Form = (
    &'static dyn Air<RowBuilder<F>>,
    RowMajorMatrix<F>,
    Vec<String>,
);

/// Both forms with these inputs.
fn forms(inputs: &[State]) -> [Form; 2] {
    [
        (
            &KeccakAir,
            generate_permutations(inputs, None).unwrap(),
            KeccakCols::<u8>::names(),
        ),
        (
            &Degree5Air,
            degree5::generate_permutations(inputs, None).unwrap(),
            Degree5Cols::<u8>::names(),
        ),
    ]
}

fn harness<'a>(
    air: &'a dyn Air<RowBuilder<F>>,
    trace: RowMajorMatrix<F>,
    end: End,
) -> Harness<'a, F> {
    Harness::new(vec![Table::new("keccak", air, trace).end(end)])
}

#[test]
fn honest_traces_satisfy_the_constraints() {
    for (count, end) in [(1, End::Ring), (2, End::Repeat), (5, End::Ring)] {
        for (air, trace, _) in forms(&random(count)) {
            harness(air, trace, end).check().unwrap();
        }
    }
}

/// Rows of a table in another order. One permutation fills rows 1 to 24 of 32.
#[test]
fn no_permutation_is_cut_off() {
    for (air, honest, _) in forms(&random(1)) {
        let width = honest.width();
        let check = |rows: Vec<usize>, end: End| {
            let rows = rows
                .iter()
                .flat_map(|&row| &honest.values[row * width..][..width]);
            let trace = RowMajorMatrix::new(rows.copied().collect(), width);
            harness(air, trace, end).check()
        };
        for end in ENDS {
            for down in 0..32 {
                let rows = (0..32).map(|row| (row + 32 - down) % 32).collect();
                // In a ring, the last row may be of the last round.
                let last = if end == End::Ring { 7 } else { 6 };
                assert_eq!(check(rows, end).is_ok(), down <= last, "{down} {end:?}");
            }
            for row in 0..32 {
                // Of two rows of round 0 the first is idle, whatever it contains.
                let twice = (0..=row).chain(row..31).collect();
                let may_be = row <= 1 || row > 24;
                assert_eq!(check(twice, end).is_ok(), may_be, "{row} twice {end:?}");
                let without = (0..row).chain(row + 1..32).chain([31]).collect();
                let may_be = row > 24;
                assert_eq!(check(without, end).is_ok(), may_be, "without {row} {end:?}");
            }
        }
    }
}

#[test]
fn degree_reached_is_the_degree_declared() {
    assert_eq!(constraint_degree(&KeccakAir), DEGREE);
    assert_eq!(constraint_degree(&Degree5Air), degree5::DEGREE);
}

/// Rows of a permutation, idle ones below it and the last row.
#[test]
fn every_cell_is_constrained() {
    let rows = Rows::listed(vec![1, 12, 23, 24, 25, 31], 25);
    for end in ENDS {
        for (air, trace, names) in forms(&random(1)) {
            let table = Table::new("keccak", air, trace).names(names);
            let harness = Harness::new(vec![table.end(end)]);
            harness.mutate("keccak", &rows).expect_caught();
        }
    }
}

#[test]
fn impossible_heights_are_refused() {
    assert_eq!(generate_permutations(&[], None), Err(TraceError::Empty));
    assert_eq!(
        generate_permutations(&random(2), Some(32)),
        Err(TraceError::TooShort {
            rows: 50,
            height: 32
        })
    );
}
