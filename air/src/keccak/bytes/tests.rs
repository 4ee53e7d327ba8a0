use std::array::from_fn;
use std::borrow::BorrowMut;
use std::collections::BTreeMap;

use droste_native::F;
use droste_native::hash::keccak::ROUND_CONSTANTS;
use p3_field::{Field, PrimeCharacteristicRing, PrimeField32};
use p3_keccak::KeccakF;
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_symmetric::Permutation;

use super::columns::{IOTA_BYTES, LANE_BYTES, NEXT, SPLIT_LANES};
use super::round::{Lane, rotation};
use super::*;
use crate::keccak::tests::random;
use crate::keccak::trace::parities;
use crate::keccak::{LANES, ROUNDS, State};
use crate::spread::{self, Kind, RADIX, SpreadTable, tests::is_answered};
use crate::test_utils::{
    Caught, Failure, Harness, Rows, Table, constraint_degree, largest_message,
};
use crate::{End, TraceError};

const ENDS: [End; 2] = [End::Ring, End::Repeat];

/// Inputs whose digits are 0, 1 and 2.
fn inputs(count: usize) -> Vec<Input> {
    let states = random(2 * count);
    states.as_chunks().0.to_vec()
}

/// The table alone, whose lookups are all answered.
fn alone(trace: RowMajorMatrix<F>, end: End) -> Harness<'static, F> {
    let table = Table::new("bytes", &BytesTable, trace).names(BytesCols::<u8>::names());
    Harness::new(vec![table.end(end)])
        .open_bus("keccak_f")
        .open_bus("spread")
}

/// The table with the spread bytes that an honest prover would provide.
fn table(trace: RowMajorMatrix<F>, end: End) -> Harness<'static, F> {
    let counts = count_lookups(&trace);
    let bytes = spread::generate_table(&counts, None).unwrap();
    let table = Table::new("bytes", &BytesTable, trace).names(BytesCols::<u8>::names());
    let bytes = Table::new("spread", &SpreadTable, bytes);
    Harness::new(vec![table.end(end), bytes.end(end)]).open_bus("keccak_f")
}

/// The lookups of these rows that no row of spread bytes answers. If a constraint fails there, it
/// is `None`.
fn unanswered(
    trace: &RowMajorMatrix<F>,
    rows: impl IntoIterator<Item = usize>,
) -> Option<Vec<Vec<u32>>> {
    let table = Table::new("bytes", &BytesTable, trace.clone()).end(End::Repeat);
    let mut lookups = table.messages_of(rows, "spread")?;
    lookups.retain(|fields| !is_answered(fields));
    Some(lookups)
}

fn cells(trace: &mut RowMajorMatrix<F>, row: usize) -> &mut BytesCols<F> {
    let width = trace.width();
    trace.values[row * width..][..width].borrow_mut()
}

#[test]
fn widths() {
    assert_eq!(SPLIT_LANES.len(), 22);
    assert_eq!(
        BytesCols::<u8>::WIDTH,
        ROWS + 1 + 5 * 8 + (22 + 25) * 8 + 5 * 8 * 2 + 25 * 8 + 4
    );
    assert_eq!(BytesCols::<u8>::WIDTH, 726);
    assert_eq!(ROWS * BytesCols::<u8>::WIDTH, 18_150);
    assert_eq!(LOOKUPS, 484);
    let names = BytesCols::<u8>::names();
    assert!(names[NEXT - 1].starts_with("a_low") && names[NEXT].starts_with("c["));
}

#[test]
fn degree_reached_is_the_degree_declared() {
    assert_eq!(constraint_degree(&BytesTable), DEGREE);
    assert!(largest_message(&BytesTable, 10_000) < 3000);
}

#[test]
fn round_constants_use_the_listed_bytes() {
    let all = ROUND_CONSTANTS
        .iter()
        .fold(0, |all, constant| all | constant);
    let used = all.to_le_bytes().into_iter().enumerate();
    let used = used.filter(|&(_, byte)| byte != 0).map(|(index, _)| index);
    assert!(used.eq(IOTA_BYTES));
}

/// The digits of a message's bytes as states: the lowest bits, and the second bits.
fn states(bytes: &[u32]) -> [State; 2] {
    let bit = |byte: u32, i: usize| u64::from(byte >> i & 1);
    [0, 1].map(|shift| {
        from_fn(|lane| {
            let bytes = bytes[lane * LANE_BYTES..][..LANE_BYTES].iter().enumerate();
            let bits = bytes.flat_map(|(i, &byte)| {
                assert!(byte < RADIX.pow(8));
                (0..8).map(move |j| bit(byte, 3 * j + shift) << (8 * i + j))
            });
            bits.sum()
        })
    })
}

#[test]
fn permutations_agree_with_the_reference() {
    for count in [1, 5, 20] {
        let mut inputs = inputs(count);
        inputs.push([[0; LANES]; 2]);
        inputs.push([[u64::MAX; LANES]; 2]);
        let trace = generate_table(&inputs, None).unwrap();
        for end in ENDS {
            let harness = table(trace.clone(), end);
            let messages = harness.messages().unwrap();
            assert!(messages["spread"].is_empty());
            let sent = &messages["keccak_f"];
            assert_eq!(sent.len(), 2 * inputs.len());
            let sent: BTreeMap<_, _> = sent
                .iter()
                .map(|(fields, &count)| ((fields[0], fields[1], count), states(&fields[2..])))
                .collect();
            for (number, [state, change]) in (1..).zip(&inputs) {
                let input: State = from_fn(|lane| state[lane] ^ change[lane]);
                let carries = from_fn(|lane| state[lane] & change[lane]);
                assert_eq!(sent[&(number, 0, 1)], [input, carries]);
                let output = [KeccakF.permute(input), [0; LANES]];
                assert_eq!(sent[&(number, 1, 1)], output);
            }
        }
    }
}

#[test]
fn lookups_are_as_many_as_said() {
    let trace = generate_table(&inputs(1), None).unwrap();
    let sent = alone(trace, End::Ring).messages().unwrap();
    let lookups: u32 = sent["spread"].values().sum();
    let [rounds, height] = [ROWS as u32 - 1, 32];
    let of_rounds = 5 * 8 + 25 * 8;
    assert_eq!(
        lookups,
        height * (LOOKUPS as u32 - of_rounds) + rounds * of_rounds
    );
}

#[test]
fn every_cell_is_constrained() {
    let trace = generate_table(&inputs(2), None).unwrap();
    let below = 1 + 2 * ROWS;
    // Input, first rounds, others, the last one, the input below it, idle rows, the last row.
    let rows = vec![1, 2, 3, 13, 24, 25, 26, 27, 50, below, below + 1, 63];
    let rows = Rows::listed(rows, below);
    for end in ENDS {
        let report = table(trace.clone(), end).mutate("bytes", &rows);
        report.expect_caught();
        // What is no byte does not need a lookup to be caught.
        for column in BytesCols::<u8>::names() {
            let is_byte = ["a_", "d[", "c[", "chi", "iota"].map(|name| column.starts_with(name));
            if !is_byte.contains(&true) {
                assert!(report.caught_by_constraints(&column), "{column}");
            }
        }
    }
}

/// No provider of spread bytes could answer the lookups of a changed cell, unless a constraint
/// fails.
#[test]
fn changed_cells_look_up_what_no_row_says() {
    let honest = generate_table(&inputs(1), None).unwrap();
    assert_eq!(unanswered(&honest, 0..honest.height()), Some(vec![]));
    // Each column on another row.
    for (first, row) in [1, 2, 14, 25, 26].into_iter().enumerate() {
        for column in (first..BytesCols::<u8>::WIDTH).step_by(5) {
            let mut trace = honest.clone();
            trace.values[row * honest.width() + column] += F::ONE;
            assert_ne!(
                unanswered(&trace, [row - 1, row]),
                Some(vec![]),
                "{row} {column}"
            );
        }
    }
}

/// A byte has one representation by its parts: with a carry from one to the other its sum stays,
/// but a part is looked up that is none.
#[test]
fn no_byte_has_other_parts() {
    let honest = generate_table(&inputs(1), None).unwrap();
    let refused = |row: usize, change: &dyn Fn(&mut BytesCols<F>)| {
        let mut trace = honest.clone();
        change(cells(&mut trace, row));
        unanswered(&trace, [row - 1, row]) != Some(vec![])
    };
    for row in [2, 26] {
        for byte in (0..LANE_BYTES).skip(row % 3).step_by(2) {
            for (index, lane) in SPLIT_LANES.into_iter().enumerate() {
                let [_, bits] = rotation(lane);
                let weight = F::from_u32(RADIX.pow(8 - bits as u32));
                assert!(refused(row, &|row| {
                    row.a_high[index][byte] -= F::ONE;
                    row.a_low[lane][byte] += weight;
                }));
            }
            for x in 0..5 {
                // The top bit remains boolean.
                assert!(refused(row, &|row| {
                    let parts = &mut row.c[x][byte];
                    let change = F::ONE - parts.high.double();
                    parts.high += change;
                    parts.low -= change * F::from_u32(RADIX.pow(7));
                }));
            }
        }
    }
}

/// A round whose column parities have a wrong bit, from which all that follows is computed: only
/// the lookups of digits, which say that one is odd, refuse it.
#[test]
fn column_parities_are_those_of_the_state() {
    for (wrong, x, z) in [(0, 0, 0), (7, 3, 63), (23, 4, 31)] {
        let inputs = inputs(1);
        let mut trace = generate_table(&inputs, None).unwrap();
        let [state, change] = inputs[0];
        let mut state: State = from_fn(|lane| state[lane] ^ change[lane]);
        for index in 0..ROUNDS {
            let mut c = parities(&state);
            if index == wrong {
                c[x] ^= 1 << z;
            }
            state = cells(&mut trace, 2 + index).fill_with(&state, index, c);
        }
        for row in [0].into_iter().chain(1 + ROWS..32) {
            cells(&mut trace, row).fill_input(&state, &[state, [0; LANES]]);
        }
        // The input is below an idle row with another state.
        cells(&mut trace, 1).fill_input(&state, &inputs[0]);
        let unanswered = unanswered(&trace, 0..trace.height()).unwrap();
        assert_eq!(unanswered.len(), 1);
        assert_eq!(unanswered[0][0], Kind::Digits.number() as u32);
    }
}

/// The top bits of the bytes of `C` with which its parts make these bytes and those of `rot(C, 1)`,
/// whatever both are: `rotated[i] = 8 (bytes[i] - 8^7 high[i]) + high[i - 1]`, which has one
/// solution.
fn any_top_bits(bytes: Lane<F>, rotated: Lane<F>) -> Lane<F> {
    let radix = F::from_u32(RADIX);
    let weight = radix.exp_u64(8);
    let around = |top: F| {
        let mut high = [top; LANE_BYTES];
        for i in (0..LANE_BYTES).rev() {
            let below = (i + LANE_BYTES - 1) % LANE_BYTES;
            high[below] = rotated[i] - radix * bytes[i] + weight * high[i];
        }
        high
    };
    let [.., top] = around(F::ZERO);
    around(top * (F::ONE - weight.exp_u64(8)).inverse())
}

/// Fills `c` so that theta seems to change `d`, although the column parities are `c`.
fn fill_parities(row: &mut BytesCols<F>, c: [u64; 5], d: [u64; 5]) {
    row.d = d.map(spread_bytes);
    for x in 0..5 {
        let bytes = spread_bytes(c[x]);
        let rotated = spread_bytes(d[(x + 4) % 5] ^ c[(x + 3) % 5]);
        let high = any_top_bits(bytes, rotated);
        row.c[x] = from_fn(|i| SplitCols {
            high: high[i],
            low: bytes[i] - high[i] * F::from_u32(RADIX.pow(7)),
        });
    }
}

/// With top bits that are none, theta may change whatever one likes, in a round or below the last
/// one, and all lookups are answered.
#[test]
fn top_bits_are_bits() {
    let inputs = inputs(1);
    let honest = generate_table(&inputs, None).unwrap();
    // What theta would change with other column parities.
    let wrong: [u64; 5] = from_fn(|x| random(1)[0][x]);
    let d: [u64; 5] = from_fn(|x| wrong[(x + 4) % 5] ^ wrong[(x + 1) % 5].rotate_left(1));
    for forged in [0, ROUNDS - 1, ROUNDS] {
        let mut trace = honest.clone();
        let mut state: State = from_fn(|lane| inputs[0][0][lane] ^ inputs[0][1][lane]);
        for index in 0..ROUNDS {
            let c = parities(&state);
            let row = cells(&mut trace, 2 + index);
            if index == forged {
                state = row.fill_with(&state, index, wrong);
                fill_parities(row, c, d);
            } else {
                state = row.fill_with(&state, index, c);
            }
        }
        if forged == ROUNDS {
            state = from_fn(|lane| state[lane] ^ d[lane % 5]);
        }
        for row in [0].into_iter().chain(1 + ROWS..32) {
            cells(&mut trace, row).fill_input(&state, &[state, [0; LANES]]);
        }
        cells(&mut trace, 1).fill_input(&state, &inputs[0]);
        if forged == ROUNDS {
            fill_parities(cells(&mut trace, 2 + forged), [0; 5], d);
        }
        assert_ne!(state, permutation_of(&inputs[0]));

        // Constraints of steps and numbers come first, then eight of top bits and eight of bytes
        // for each column.
        let of_top_bits =
            (0..5).flat_map(|x| (0..LANE_BYTES).map(move |i| 2 * ROWS + 3 + 16 * x + i));
        let of_top_bits: Vec<usize> = of_top_bits.collect();
        for end in ENDS {
            let table = Table::new("bytes", &BytesTable, trace.clone()).end(end);
            for row in 0..trace.height() {
                let evaluated = table.evaluate(row, |_, cells| cells);
                for message in &evaluated.messages {
                    if *message.bus == *"spread" && message.count != F::ZERO {
                        let fields = message.fields.iter().map(F::as_canonical_u32);
                        assert!(is_answered(&fields.collect::<Vec<_>>()), "{row}");
                    }
                }
                let expected: &[usize] = if row == 2 + forged { &of_top_bits } else { &[] };
                let failed = evaluated.failed.iter().map(|&(constraint, _)| constraint);
                assert_eq!(failed.collect::<Vec<_>>(), expected, "{row}");
            }
            let failure = alone(trace.clone(), end).check();
            assert_eq!(
                failure,
                Err(Failure::Constraint {
                    table: "bytes".to_owned(),
                    row: 2 + forged,
                    constraint: of_top_bits[0],
                })
            );
        }
    }
}

/// Column parities of ones change nothing either, but a row of an input has none.
#[test]
fn an_output_is_not_changed() {
    let honest = generate_table(&inputs(1), None).unwrap();
    for row in [1, 26] {
        let mut trace = honest.clone();
        let ones = spread_bytes(u64::MAX)[0];
        let high = F::from_u32(RADIX.pow(7));
        cells(&mut trace, row).c = [[SplitCols {
            high: F::ONE,
            low: ones - high,
        }; LANE_BYTES]; 5];
        let failure = alone(trace, End::Ring).check();
        assert!(matches!(failure, Err(Failure::Constraint { row: at, .. }) if at == row));
    }
}

/// Numbers that all rows of a permutation have, but that another one has, too, or that skip one.
#[test]
fn permutations_have_numbers_of_their_own() {
    let honest = generate_table(&inputs(2), None).unwrap();
    for end in ENDS {
        for change in [F::ONE, F::NEG_ONE] {
            for from in [0, 1, 2, 26, 27, 52] {
                let mut trace = honest.clone();
                for row in from..64 {
                    cells(&mut trace, row).number += change;
                }
                assert!(alone(trace, end).check().is_err(), "{from}");
            }
        }
    }
}

/// Above row 0 there is nothing that constrains it if the last row is followed by itself, except
/// that it is idle, and what it says of itself.
#[test]
fn row_0_is_read_by_no_permutation() {
    let trace = generate_table(&inputs(1), None).unwrap();
    let report = table(trace, End::Repeat).mutate("bytes", &Rows::listed(vec![0], 0));
    let is_flag = |column: &str| column.starts_with("steps") || column == "number";
    for outcome in report.outcomes.iter().filter(|o| is_flag(&o.column)) {
        assert_eq!(outcome.caught, Caught::Constraint, "{}", outcome.column);
    }
}

/// Rows of a table in another order. One permutation fills rows 1 to 25 of 32.
#[test]
fn no_permutation_is_cut_off() {
    let honest = generate_table(&inputs(1), None).unwrap();
    let width = honest.width();
    let check = |rows: Vec<usize>, end: End| {
        let rows = rows
            .iter()
            .flat_map(|&row| &honest.values[row * width..][..width]);
        alone(RowMajorMatrix::new(rows.copied().collect(), width), end).check()
    };
    for end in ENDS {
        for down in 1..32 {
            let mut rows: Vec<usize> = (0..32).map(|row| (row + 32 - down) % 32).collect();
            // Rows above the permutation have the number of row 0.
            for row in rows.iter_mut().take(down).take_while(|row| **row > 25) {
                *row = 0;
            }
            // In a ring, the last row may be of the last round.
            let last = if end == End::Ring { 6 } else { 5 };
            assert_eq!(check(rows, end).is_ok(), down <= last, "{down} {end:?}");
        }
        for row in 0..32 {
            let twice = (0..=row).chain(row..31).collect();
            let may_be = row <= 1 || row > 25;
            assert_eq!(check(twice, end).is_ok(), may_be, "{row} twice {end:?}");
            let without = (0..row).chain(row + 1..32).chain([31]).collect();
            let may_be = row > 25;
            assert_eq!(check(without, end).is_ok(), may_be, "without {row} {end:?}");
        }
        for height in [1, 2, 8, 16] {
            let cut = check((0..height).collect(), end);
            assert_eq!(cut.is_ok(), height <= 2, "{height} {end:?}");
        }
        // A trace without any row of an input.
        let zeros = RowMajorMatrix::new(F::zero_vec(honest.values.len()), width);
        assert!(alone(zeros, end).check().is_err());
    }
}

/// A permutation whose rounds begin on row 1, so that its input is on row 0.
#[test]
fn no_permutation_begins_on_row_0() {
    let mut trace = generate_table(&inputs(1), None).unwrap();
    let width = trace.width();
    trace.values.rotate_left(width);
    for end in ENDS {
        assert_eq!(
            alone(trace.clone(), end).check(),
            Err(Failure::Constraint {
                table: "bytes".to_owned(),
                row: 0,
                constraint: ROWS
            })
        );
    }
}

#[test]
fn impossible_heights_are_refused() {
    assert_eq!(generate_table(&[], None), Err(TraceError::Empty));
    assert_eq!(
        generate_table(&inputs(2), Some(32)),
        Err(TraceError::TooShort {
            rows: 52,
            height: 32
        })
    );
    let idle = generate_table(&[], Some(8)).unwrap();
    assert_eq!(idle.height(), 8);
    for end in ENDS {
        table(idle.clone(), end).check().unwrap();
    }
}
