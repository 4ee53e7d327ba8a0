use droste_air::End;
use droste_air::limb::bits;
use droste_air::test_utils::{Failure, Harness, Rows, Table as Traced, constraint_degree};
use droste_native::F;
use p3_air::{Air, BaseAir, WindowAccess};
use p3_field::PrimeCharacteristicRing;
use p3_lookup::{Count, InteractionBuilder};
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;

use super::trace::PAIRS;
use super::*;
use crate::isa::{Program, id};
use crate::lookups::{Evaluated, row_weight};
use crate::record::Execution;
use crate::tables::binary_products::BinaryProductsTable;
use crate::tables::bus::{self, CarryPairMessage};
use crate::tables::testing::{execution, generate};
use crate::tables::{LookupCounts, Row, Table, TraceInput};

/// Looks up one pair on each row.
struct Lookups;

impl BaseAir<F> for Lookups {
    fn width(&self) -> usize {
        2
    }
}

impl<AB: InteractionBuilder<F = F>> Air<AB> for Lookups {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let row = main.current_slice();
        let (first, second) = (row[0], row[1]);
        let pair = CarryPairMessage { first, second };
        bus::CARRY_PAIR.lookup_key(builder, pair.into_fields(), Count::from(1));
    }
}

fn cells(pairs: &[[i32; 2]]) -> impl Iterator<Item = [F; 2]> {
    pairs.iter().map(|pair| pair.map(F::from_i32))
}

/// The trace of these lookups.
fn trace_of(pairs: &[[i32; 2]], log_height: usize) -> (RowMajorMatrix<F>, LookupCounts) {
    let mut counts = LookupCounts::default();
    for pair in cells(pairs) {
        count(&mut counts.carry_pairs, pair);
    }
    let (program, execution) = (&Program::default(), &Execution::default());
    let input = TraceInput { program, execution };
    let trace = CarryPairsTable.trace(&input, log_height, &mut counts);
    (trace, counts)
}

fn row_of(trace: &mut RowMajorMatrix<F>, row: usize) -> &mut CarryPairsCols<F> {
    CarryPairsCols::of(trace.row_mut(row))
}

/// A trace with a table that looks up these pairs.
fn harness(trace: RowMajorMatrix<F>, pairs: &[[i32; 2]]) -> Harness<'static, F> {
    let trace = Traced::new("carry_pairs", &CarryPairsTable, trace);
    let lookups = RowMajorMatrix::new(cells(pairs).flatten().collect(), 2);
    let lookups = Traced::new("lookups", &Lookups, lookups);
    let names = CarryPairsCols::<u8>::names();
    Harness::new(vec![trace.names(names), lookups])
}

/// Sixteen pairs, the first of them twice.
fn some_pairs() -> Vec<[i32; 2]> {
    let pairs = (0..15).map(|i| [i * 17 - 2, 253 - i * i]);
    [[-2, 253]].into_iter().chain(pairs).collect()
}

#[test]
fn width_and_degree() {
    assert_eq!(BaseAir::<F>::width(&CarryPairsTable), 17);
    assert_eq!(constraint_degree(&CarryPairsTable), 2);
    assert!(BaseAir::<F>::main_next_row_columns(&CarryPairsTable).is_empty());
    // It takes no messages that could wrap around, whatever its counts are.
    assert_eq!(row_weight(&Evaluated::new(&CarryPairsTable).lookups()), 0);
}

/// All pairs that products can have, and the corners of what rows can say.
#[test]
fn every_pair_is_provided() {
    let sums = -4..=128;
    let pairs = sums.flat_map(|sum| (-2..=sum + 2).map(move |first| [first, sum - first]));
    let mut pairs: Vec<_> = pairs.collect();
    assert_eq!(pairs.len(), PAIRS);
    pairs.extend([[253, 253], [-2, 253], [253, -2]]);
    pairs.resize(1 << 14, [5, 7]);
    let (trace, counts) = trace_of(&pairs, 14);
    assert_eq!(counts.overfull, None);
    harness(trace, &pairs).check().unwrap();
}

#[test]
fn only_pairs_that_are_looked_up_have_rows() {
    let pairs = some_pairs();
    let (trace, counts) = trace_of(&pairs, 4);
    assert_eq!(counts.overfull, None);
    for end in [End::Ring, End::Repeat] {
        let table = Traced::new("carry_pairs", &CarryPairsTable, trace.clone()).end(end);
        let provided = Harness::new(vec![table]).messages().unwrap();
        assert_eq!(provided["carry_pairs"].len(), 15);
    }
    let (trace, counts) = trace_of(&pairs, 3);
    assert_eq!(counts.overfull, Some("carry_pairs"));
    assert_eq!(trace.height(), 8);
}

/// Of rows that are looked up.
#[test]
fn every_cell_is_constrained() {
    let pairs = some_pairs();
    let harness = harness(trace_of(&pairs, 4).0, &pairs);
    harness.check().unwrap();
    let rows = Rows::listed((0..15).collect(), 15);
    harness.mutate("carry_pairs", &rows).expect_caught();
}

#[test]
fn forged_counts_do_not_balance() {
    let pairs = some_pairs();
    for row in [0, 5, 15] {
        for change in [F::ONE, F::NEG_ONE, F::ONE.halve()] {
            let (mut trace, _) = trace_of(&pairs, 4);
            row_of(&mut trace, row).lookups += change;
            let failure = harness(trace.clone(), &pairs).check().unwrap_err();
            assert!(matches!(failure, Failure::Bus { .. }), "{failure}");
            // As much less elsewhere.
            row_of(&mut trace, 7).lookups -= change;
            let failure = harness(trace, &pairs).check().unwrap_err();
            assert!(matches!(failure, Failure::Bus { .. }), "{failure}");
        }
    }
}

/// The pair that is looked up twice on two rows, one of which says that it is looked up minus once
/// or any other number of times: it is a pair of small integers all the same.
#[test]
fn how_lookups_are_divided_means_nothing() {
    let pairs = some_pairs();
    let (honest, _) = trace_of(&pairs, 4);
    let twice = (0..16).find(|&row| row_of(&mut honest.clone(), row).lookups == F::TWO);
    for lookups in [F::ZERO, F::ONE, F::NEG_ONE, F::TWO.halve().halve()] {
        let mut trace = honest.clone();
        let row = row_of(&mut trace, twice.unwrap());
        let (first, second) = (row.first, row.second);
        row.lookups = lookups;
        *row_of(&mut trace, 15) = CarryPairsCols {
            first,
            second,
            lookups: F::TWO - lookups,
        };
        harness(trace, &pairs).check().unwrap();
    }
}

/// No bit can be another number, which would make a row say whatever its prover likes.
#[test]
fn integers_out_of_range_have_no_row() {
    for other in [-3, 254, 1 << 20, i32::MAX, -1 << 24] {
        for at in 0..2 {
            let mut pairs = some_pairs();
            pairs[4][at] = other;
            let (mut trace, _) = trace_of(&pairs, 4);
            let failure = harness(trace.clone(), &pairs).check().unwrap_err();
            assert!(matches!(failure, Failure::Bus { .. }), "{failure}");
            // A row that would answer, of which a single bit is none.
            let row = row_of(&mut trace, 15);
            [row.first, row.second] = pairs[4].map(|carry| {
                let mut cells = bits((carry.clamp(-2, 253) + 2) as u64);
                cells[0] += F::from_i32(carry) - F::from_i32(carry.clamp(-2, 253));
                cells
            });
            row.lookups = F::ONE;
            let failure = harness(trace, &pairs).check().unwrap_err();
            assert!(matches!(failure, Failure::Constraint { .. }), "{failure}");
        }
    }
}

/// A machine's rows are those of any calls; its lookups balance, those of padding too.
#[test]
fn products_look_up_what_is_provided() {
    for calls in [0, 1, 3, 70] {
        let call = (id::BINARY_PRODUCT, [0, 0, 0, 0, 0]);
        // Block 0 holds zero, the square of which and itself is zero.
        let execution = execution(vec![Default::default()], &vec![call; calls]);
        let (program, execution) = (&Program::default(), &execution);
        let input = TraceInput { program, execution };
        let rows = CarryPairsTable.rows(&input);
        assert_eq!(rows, PAIRS.min(128 * calls + 1));
        let log_height = rows.next_power_of_two().ilog2() as usize;
        let (products, mut counts) = generate(&BinaryProductsTable, execution, 1);
        let trace = CarryPairsTable.trace(&input, log_height, &mut counts);
        assert_eq!(counts.overfull, None);
        let check = |pairs: Option<Traced<'_, F>>| {
            let products = Traced::new("binary_products", &BinaryProductsTable, products.clone());
            let harness = Harness::new([products].into_iter().chain(pairs).collect());
            harness.open_bus("call").open_bus("block").check()
        };
        check(Some(Traced::new("carry_pairs", &CarryPairsTable, trace))).unwrap();
        // Padding looks up a pair as well, so that nothing balances without this table.
        let failure = check(None).unwrap_err();
        assert!(matches!(failure, Failure::Bus { bus, .. } if bus == "carry_pairs"));
    }
}
