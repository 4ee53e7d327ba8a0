use std::borrow::Borrow;
use std::collections::BTreeMap;

use droste_native::F;
use droste_native::hash::keccak::{Keccak256, ROUND_CONSTANTS};
use p3_air::Air;
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_keccak::KeccakF;
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_symmetric::Permutation;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::degree5::{self, Degree5Air, Degree5Cols, Degree5Table, Degree5TableCols};
use super::*;
use crate::test_utils::{
    Failure, Harness, RowBuilder, Rows, Table, constraint_degree, largest_message,
};
use crate::{End, TraceError};

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

/// The tables of both forms with these inputs.
fn tables(inputs: &[State]) -> [Form; 2] {
    [
        (
            &KeccakTable,
            generate_table(inputs, None).unwrap(),
            KeccakTableCols::<u8>::names(),
        ),
        (
            &Degree5Table,
            degree5::generate_table(inputs, None).unwrap(),
            Degree5TableCols::<u8>::names(),
        ),
    ]
}

fn harness<'a>(
    air: &'a dyn Air<RowBuilder<F>>,
    trace: RowMajorMatrix<F>,
    end: End,
) -> Harness<'a, F> {
    let table = Table::new("keccak", air, trace).end(end);
    Harness::new(vec![table]).open_bus("keccak_f")
}

#[test]
fn honest_traces_satisfy_the_constraints() {
    for (count, end) in [(1, End::Ring), (2, End::Repeat), (5, End::Ring)] {
        let trace = generate_permutations(&random(count), None).unwrap();
        harness(&KeccakAir, trace, end).check().unwrap();
        let trace = degree5::generate_permutations(&random(count), None).unwrap();
        harness(&Degree5Air, trace, end).check().unwrap();
    }
}

#[test]
fn all_forms_send_the_same_messages() {
    let inputs = random(3);
    let sent = inputs.iter().map(|input| {
        let states = [*input, permute(*input)].concat();
        let fields = states.into_iter().flat_map(limbs);
        (fields.map(|limb| limb.as_canonical_u32()).collect(), 1)
    });
    let sent: BTreeMap<Vec<u32>, u32> = sent.collect();
    for (air, trace, _) in tables(&inputs) {
        for end in ENDS {
            let messages = harness(air, trace.clone(), end).messages().unwrap();
            assert_eq!(messages["keccak_f"], sent);
        }
    }
}

/// Rows of a table in another order. One permutation fills rows 1 to 24 of 32.
#[test]
fn no_permutation_is_cut_off() {
    for (air, honest, _) in tables(&random(1)) {
        let width = honest.width();
        let check = |rows: Vec<usize>, end: End| {
            let rows = rows
                .iter()
                .flat_map(|&row| &honest.values[row * width..][..width]);
            harness(
                air,
                RowMajorMatrix::new(rows.copied().collect(), width),
                end,
            )
            .check()
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

/// A permutation on rows 0 to 23 that is sent with another input. If the last row is followed by
/// itself, nothing ties theta of row 0 to the input; only the constraint that row 0 is idle refuses
/// it.
#[test]
fn no_permutation_begins_on_row_0() {
    let inputs = random(2);
    for (air, mut forged, names) in tables(&inputs[..1]) {
        let width = forged.width();
        forged.values.rotate_left(width);
        let is_input =
            |name: &String| name.starts_with("round.preimage") || name.starts_with("ends");
        let input: Vec<F> = inputs[1].into_iter().flat_map(limbs).collect();
        let columns = names.iter().position(is_input).unwrap();
        // The output of degree 5 is in the same columns, on the last row.
        let rows = if names.iter().any(|name| name.starts_with("ends")) {
            23
        } else {
            24
        };
        for row in forged.values.chunks_exact_mut(width).take(rows) {
            row[columns..][..100].copy_from_slice(&input);
        }
        let failure = Failure::Constraint {
            table: "keccak".to_owned(),
            row: 0,
            constraint: ROUNDS,
        };
        for end in ENDS {
            let failed = harness(air, forged.clone(), end).check();
            assert_eq!(failed, Err(failure.clone()));
        }
    }
}

/// The last round sends, at degree 5 the one above it; no other row does.
#[test]
fn other_rows_cannot_send() {
    for (sends, (air, honest, _)) in [24, 23].into_iter().zip(tables(&random(1))) {
        let width = honest.width();
        for row in (0..32).filter(|&row| row != sends) {
            let mut trace = honest.clone();
            trace.values[(row + 1) * width - 1] = F::ONE;
            for end in ENDS {
                let failure = harness(air, trace.clone(), end).check();
                assert!(matches!(failure, Err(Failure::Constraint { row: at, .. }) if at == row));
            }
        }
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

/// Rows of a permutation, idle ones below it and the last row.
#[test]
fn every_cell_is_constrained() {
    let rows = Rows::listed(vec![1, 12, 23, 24, 25, 31], 25);
    for end in ENDS {
        let trace = generate_table(&random(1), None).unwrap();
        let table = Table::new("keccak", &KeccakTable, trace).names(KeccakTableCols::<u8>::names());
        let harness = Harness::new(vec![table.end(end)]).open_bus("keccak_f");
        harness.mutate("keccak", &rows).expect_caught();
        let trace = degree5::generate_table(&random(1), None).unwrap();
        let table =
            Table::new("keccak", &Degree5Table, trace).names(Degree5TableCols::<u8>::names());
        let harness = Harness::new(vec![table.end(end)]).open_bus("keccak_f");
        harness.mutate("keccak", &rows).expect_caught();
        let trace = degree5::generate_permutations(&random(1), None).unwrap();
        let table = Table::new("keccak", &Degree5Air, trace).names(Degree5Cols::<u8>::names());
        Harness::new(vec![table.end(end)])
            .mutate("keccak", &rows)
            .expect_caught();
    }
}

#[test]
fn impossible_heights_are_refused() {
    assert_eq!(generate_permutations(&[], None), Err(TraceError::Empty));
    assert_eq!(
        generate_table(&random(2), Some(32)),
        Err(TraceError::TooShort {
            rows: 50,
            height: 32
        })
    );
}
