use std::borrow::BorrowMut;

use droste_native::F;
use p3_air::{Air, BaseAir, WindowAccess};
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_lookup::{Count, InteractionBuilder};
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;

use super::*;
use crate::test_utils::{Failure, Harness, Rows, Table, constraint_degree, largest_message};
use crate::{End, TraceError};

/// Elements of a message.
const LENGTH: usize = 4;

/// Looks up one message on each row.
struct Lookups;

impl BaseAir<F> for Lookups {
    fn width(&self) -> usize {
        LENGTH
    }
}

impl<AB: InteractionBuilder<F = F>> Air<AB> for Lookups {
    fn eval(&self, builder: &mut AB) {
        let fields = builder.main().current_slice().to_vec();
        BUS.lookup_key(builder, fields, Count::from(1));
    }
}

/// The number whose octal digits these are, low first.
fn number(digits: impl IntoIterator<Item = u8>) -> u32 {
    let digits = digits.into_iter().enumerate();
    digits.map(|(i, digit)| u32::from(digit) << (3 * i)).sum()
}

fn bits(byte: u8) -> [u8; 8] {
    std::array::from_fn(|i| byte >> i & 1)
}

/// What the row of `x` and `y` says in this way, by its digits.
fn lookup(kind: usize, x: u8, y: u8) -> [u32; LENGTH] {
    let (x, y) = (bits(x), bits(y));
    let sum = number((0..8).map(|i| x[i] + 2 * y[i]));
    let values = match kind {
        low_bits @ 1..=8 => {
            let (low, high) = x.split_at(low_bits);
            [
                sum,
                number(high.iter().copied()),
                number(low.iter().copied()),
            ]
        }
        9 => [sum, number(y), 0],
        10 => [sum, 0, 0],
        _ => [number(x), number(y), number((0..8).map(|i| x[i] ^ y[i]))],
    };
    let [first, second, third] = values;
    [kind as u32, first, second, third]
}

/// Whether some row says this.
pub fn is_answered(fields: &[u32]) -> bool {
    let &[kind, first, second, _] = fields else {
        return false;
    };
    let digit = |number: u32, i: usize| (number >> (3 * i) & 7) as u8;
    let byte = |number: u32, shift: u8| (0..8).map(|i| (digit(number, i) >> shift & 1) << i).sum();
    let (x, y) = match kind {
        11 => (byte(first, 0), byte(second, 0)),
        _ => (byte(first, 0), byte(first, 1)),
    };
    (1..=11).contains(&kind) && lookup(kind as usize, x, y) == fields
}

fn counts(lookups: &[[u32; LENGTH]]) -> Counts {
    let mut counts = Counts::default();
    for lookup in lookups {
        let [kind, values @ ..] = lookup.map(F::from_u32);
        counts.add(&SpreadMessage { kind, values });
    }
    counts
}

/// The table that `counts` fills, with a table of these lookups.
fn harness(counts: &Counts, lookups: &[[u32; LENGTH]]) -> Harness<'static, F> {
    let table = generate_table(counts, None).unwrap();
    harness_of(table, lookups)
}

fn harness_of(table: RowMajorMatrix<F>, lookups: &[[u32; LENGTH]]) -> Harness<'static, F> {
    let table = Table::new("spread", &SpreadTable, table).names(SpreadCols::<u8>::names());
    let cells = lookups.concat().into_iter().map(F::from_u32);
    let lookups = RowMajorMatrix::new(cells.collect(), LENGTH);
    Harness::new(vec![table, Table::new("lookups", &Lookups, lookups)])
}

/// Each kind is that of some of them.
fn some_lookups() -> Vec<[u32; LENGTH]> {
    let pair = |i: u32| lookup(1 + i as usize % KINDS, (i * 77) as u8, (i * i * 59) as u8);
    (0..32).map(pair).collect()
}

#[test]
fn width_and_degree() {
    assert_eq!(SpreadCols::<u8>::WIDTH, 27);
    assert_eq!(constraint_degree(&SpreadTable), DEGREE);
    assert!(largest_message(&SpreadTable, 1000) < 200);
    assert!(BaseAir::<F>::main_next_row_columns(&SpreadTable).is_empty());
    let numbers = Kind::ALL.map(Kind::number);
    assert!((1..=KINDS).eq(numbers));
}

/// All 2^16 pairs, each in some way.
#[test]
fn every_pair_is_provided() {
    let pairs = (0..PAIRS).map(|pair| ((pair >> 8) as u8, pair as u8));
    let all = pairs
        .enumerate()
        .map(|(i, (x, y))| lookup(1 + i % KINDS, x, y));
    let all: Vec<_> = all.collect();
    let table = generate_table(&counts(&all), None).unwrap();
    assert_eq!(table.height(), PAIRS);
    harness_of(table, &all).check().unwrap();
}

#[test]
fn only_pairs_that_are_looked_up_have_rows() {
    let lookups = [lookup(8, 3, 5), lookup(9, 3, 5), lookup(11, 255, 0)];
    let table = generate_table(&counts(&lookups), None).unwrap();
    assert_eq!(table.height(), 2);
    assert_eq!(
        generate_table(&counts(&lookups), Some(1)),
        Err(TraceError::TooShort { rows: 2, height: 1 })
    );
    assert_eq!(generate_table(&counts(&[]), None), Err(TraceError::Empty));
    for height in [2, 16] {
        let table = generate_table(&counts(&lookups), Some(height)).unwrap();
        assert_eq!(table.height(), height);
        let table = Table::new("spread", &SpreadTable, table);
        let open = Harness::new(vec![table.end(End::Repeat)]);
        let provided = open.messages().unwrap().remove("spread").unwrap();
        let mut expected = lookups.map(|fields| fields.to_vec());
        expected.sort();
        assert!(provided.into_keys().eq(expected));
    }
}

#[test]
fn counts_are_added() {
    let lookups = some_lookups();
    for at in [0, 1, 17, 32] {
        let (one, other) = lookups.split_at(at);
        let mut sum = counts(one);
        sum.add_all(&counts(other));
        assert_eq!(sum, counts(&lookups));
    }
}

#[test]
fn false_lookups_have_no_row() {
    let honest = some_lookups();
    harness(&counts(&honest), &honest).check().unwrap();
    for index in 0..2 * KINDS {
        for field in 0..LENGTH {
            for change in [1, 7, 1 << 24, F::ORDER_U32 - 1] {
                let mut lookups = honest.clone();
                let changed = &mut lookups[index][field];
                *changed = (F::from_u32(*changed) + F::from_u32(change)).as_canonical_u32();
                assert!(harness(&counts(&honest), &lookups).check().is_err());
                let answered = harness(&counts(&lookups), &lookups).check().is_ok();
                assert_eq!(
                    answered,
                    is_answered(&lookups[index]),
                    "{:?}",
                    lookups[index]
                );
            }
        }
    }
}

#[test]
fn every_cell_is_constrained() {
    let lookups = some_lookups();
    let rows = Rows::listed((0..32).collect(), 32);
    let report = harness(&counts(&lookups), &lookups).mutate("spread", &rows);
    report.expect_caught();
}

#[test]
fn forged_counts_do_not_balance() {
    let lookups = some_lookups();
    let honest = generate_table(&counts(&lookups), None).unwrap();
    let width = honest.width();
    for row in [0, 31] {
        for kind in 0..KINDS {
            for change in [F::ONE, F::NEG_ONE, F::TWO] {
                let mut table = honest.clone();
                let cells: &mut SpreadCols<F> = table.values[row * width..][..width].borrow_mut();
                cells.lookups[kind] += change;
                assert!(harness_of(table, &lookups).check().is_err());
            }
        }
    }
}

/// The table would provide what no row of bits says, and who looks it up would find it.
#[test]
fn bits_are_boolean() {
    let lookups: Vec<_> = (1..=KINDS).map(|kind| lookup(kind, 0x35, 0x59)).collect();
    let honest = generate_table(&counts(&lookups), None).unwrap();
    assert_eq!(honest.height(), 1);
    for bit in 0..16 {
        for value in [F::TWO, F::NEG_ONE.double(), F::ONE.halve()] {
            for is_looked_up in [true, false] {
                let mut trace = honest.clone();
                let cells: &mut SpreadCols<F> = trace.values.as_mut_slice().borrow_mut();
                match bit {
                    0..8 => cells.x[bit] = value,
                    _ => cells.y[bit - 8] = value,
                }
                let mut lookups = Vec::new();
                if is_looked_up {
                    let table = Table::new("spread", &SpreadTable, trace.clone());
                    let provided = table.evaluate(0, |_, cells| cells).messages.into_iter();
                    lookups.extend(provided.map(|message| {
                        let fields: [F; LENGTH] = message.fields.try_into().unwrap();
                        fields.map(|field| field.as_canonical_u32())
                    }));
                    assert_eq!(lookups.len(), KINDS);
                } else {
                    cells.lookups = [F::ZERO; KINDS];
                }
                let failure = Failure::Constraint {
                    table: "spread".to_owned(),
                    row: 0,
                    constraint: bit,
                };
                assert_eq!(harness_of(trace, &lookups).check(), Err(failure));
            }
        }
    }
}
