use std::borrow::BorrowMut;

use droste_native::F;
use p3_air::{Air, BaseAir, WindowAccess};
use p3_field::PrimeCharacteristicRing;
use p3_lookup::{Count, InteractionBuilder};
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;

use super::*;
use crate::test_utils::{Harness, Rows, Table, constraint_degree, largest_message};
use crate::{End, TraceError};

/// Looks up one message on each row.
struct Lookups;

impl BaseAir<F> for Lookups {
    fn width(&self) -> usize {
        5
    }
}

impl<AB: InteractionBuilder<F = F>> Air<AB> for Lookups {
    fn eval(&self, builder: &mut AB) {
        let fields = builder.main().current_slice().to_vec();
        BUS.lookup_key(builder, fields, Count::from(1));
    }
}

fn lookup(low_bits: usize, x: u8, y: u8) -> [u32; 5] {
    let xor = u32::from(x ^ y);
    let fields = [low_bits as u32, x.into(), y.into()];
    let [low_bits, x, y] = fields;
    [low_bits, x, y, xor >> low_bits, xor & ((1 << low_bits) - 1)]
}

/// Another number of low bits may be as true.
fn is_pair(fields: [u32; 5]) -> bool {
    let [low_bits, x, y, high, low] = fields;
    let is_kind = LOW_BITS.contains(&(low_bits as usize));
    let are_bytes = [x, y, high].iter().all(|&byte| byte < 256);
    is_kind && are_bytes && low < 1 << low_bits && x ^ y == (high << low_bits) + low
}

fn counts(lookups: &[[u32; 5]]) -> Counts {
    let mut counts = Counts::default();
    for lookup in lookups {
        let [low_bits, x, y, high, low] = lookup.map(F::from_u32);
        counts.add(&BytePairMessage {
            low_bits,
            x,
            y,
            high,
            low,
        });
    }
    counts
}

/// The table that `counts` fills, with a table of these lookups.
fn harness(counts: &Counts, lookups: &[[u32; 5]]) -> Harness<'static, F> {
    let pairs = generate_table(counts, None).unwrap();
    let pairs = Table::new("byte_pairs", &BytePairsTable, pairs);
    let cells = lookups.concat().into_iter().map(F::from_u32);
    let lookups = Table::new("lookups", &Lookups, RowMajorMatrix::new(cells.collect(), 5));
    Harness::new(vec![pairs.names(BytePairsCols::<u8>::names()), lookups])
}

fn some_lookups() -> Vec<[u32; 5]> {
    let pair = |i: u32| (LOW_BITS[i as usize % 3], (i * 77) as u8, (i * i * 59) as u8);
    let lookups = (0..32).map(pair);
    lookups.map(|(bits, x, y)| lookup(bits, x, y)).collect()
}

#[test]
fn width_and_degree() {
    assert_eq!(BytePairsCols::<u8>::WIDTH, 19);
    assert_eq!(constraint_degree(&BytePairsTable), DEGREE);
    assert!(largest_message(&BytePairsTable, 1000) < 200);
    assert!(BaseAir::<F>::main_next_row_columns(&BytePairsTable).is_empty());
}

/// All 2^16 pairs, each looked up in every way, some of them more than once.
#[test]
fn every_pair_is_provided() {
    let pairs = (0..PAIRS).map(|pair| ((pair >> 8) as u8, pair as u8));
    let all = pairs.flat_map(|(x, y)| LOW_BITS.map(|bits| lookup(bits, x, y)));
    let mut all: Vec<_> = all.collect();
    all.extend_from_within(PAIRS..PAIRS + 3 * 128);
    let table = generate_table(&counts(&all), None).unwrap();
    assert_eq!(table.height(), PAIRS);
    harness(&counts(&all), &all).check().unwrap();
}

#[test]
fn only_pairs_that_are_looked_up_have_rows() {
    let lookups = [lookup(8, 3, 5), lookup(4, 3, 5), lookup(7, 255, 0)];
    let table = generate_table(&counts(&lookups), None).unwrap();
    assert_eq!(table.height(), 2);
    assert_eq!(
        generate_table(&counts(&lookups), Some(1)),
        Err(TraceError::TooShort { rows: 2, height: 1 })
    );
    assert_eq!(generate_table(&counts(&[]), None), Err(TraceError::Empty));
    assert_eq!(generate_table(&counts(&[]), Some(4)).unwrap().height(), 4);
    for height in [2, 16] {
        let pairs = generate_table(&counts(&lookups), Some(height)).unwrap();
        assert_eq!(pairs.height(), height);
        let table = Table::new("byte_pairs", &BytePairsTable, pairs);
        let open = Harness::new(vec![table.end(End::Repeat)]);
        let provided = open.messages().unwrap().remove("byte_pairs").unwrap();
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
    for field in 0..5 {
        for index in (0..honest.len()).step_by(5) {
            for change in [1, 256, 0x7f00_0000] {
                let mut lookups = honest.clone();
                lookups[index][field] = (lookups[index][field] + change) % 0x7f00_0001;
                assert!(harness(&counts(&honest), &lookups).check().is_err());
                let is_true = is_pair(lookups[index]);
                let answered = harness(&counts(&lookups), &lookups).check().is_ok();
                assert_eq!(answered, is_true, "{:?}", lookups[index]);
            }
        }
    }
}

#[test]
fn every_cell_is_constrained() {
    let lookups = some_lookups();
    let rows = Rows::listed((0..32).collect(), 32);
    let harness = harness(&counts(&lookups), &lookups);
    let report = harness.mutate("byte_pairs", &rows);
    report.expect_caught();
}

#[test]
fn forged_counts_do_not_balance() {
    let lookups = some_lookups();
    let honest = counts(&lookups);
    let width = BytePairsCols::<u8>::WIDTH;
    for row in [0, 5, 31] {
        for kind in 0..LOW_BITS.len() {
            for change in [F::ONE, F::NEG_ONE, F::TWO] {
                let mut pairs = generate_table(&honest, None).unwrap();
                let cells: &mut BytePairsCols<F> =
                    pairs.values[row * width..][..width].borrow_mut();
                cells.lookups[kind] += change;
                let pairs = Table::new("byte_pairs", &BytePairsTable, pairs);
                let cells = lookups.concat().into_iter().map(F::from_u32);
                let cells = RowMajorMatrix::new(cells.collect(), 5);
                let table = Table::new("lookups", &Lookups, cells);
                assert!(Harness::new(vec![pairs, table]).check().is_err());
            }
        }
    }
}
