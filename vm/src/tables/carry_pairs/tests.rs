use droste_air::End;
use droste_air::limb::bits;
use droste_air::pair_counts;
use droste_air::test_utils::{Failure, Harness, Rows, Table as Traced, constraint_degree};
use droste_native::F;
use p3_air::{Air, BaseAir, WindowAccess};
use p3_field::PrimeCharacteristicRing;
use p3_lookup::{Count, InteractionBuilder};
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;

use super::trace::{LARGEST_SUM, LARGEST_SUM_OF_WORDS, PAIRS, PAIRS_OF_WORDS};
use super::*;
use crate::isa::{Instruction, Mode, Op, Operand, Program, id};
use crate::lookups::{Evaluated, row_weight};
use crate::record::Execution;
use crate::tables::baby_bear::BabyBearTable;
use crate::tables::binary_products::BinaryProductsTable;
use crate::tables::bus::{self, CarryPairMessage};
use crate::tables::testing::{execution, generate};
use crate::tables::word_products::WordProductsTable;
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
    for (largest, number, log_height) in [
        (LARGEST_SUM, PAIRS, 14),
        (LARGEST_SUM_OF_WORDS, PAIRS_OF_WORDS, 15),
    ] {
        let sums = -4..=largest;
        let pairs = sums.flat_map(|sum| (-2..=sum + 2).map(move |first| [first, sum - first]));
        let mut pairs: Vec<_> = pairs.collect();
        assert_eq!(pairs.len(), number);
        pairs.extend([[253, 253], [-2, 253], [253, -2]]);
        pairs.resize(1 << log_height, [5, 7]);
        let (trace, counts) = trace_of(&pairs, log_height);
        assert_eq!(counts.overfull, None);
        harness(trace, &pairs).check().unwrap();
    }
    assert_eq!([PAIRS, PAIRS_OF_WORDS], [8_911, 30_135]);
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

/// A machine's rows are those of any calls; its lookups balance, those of padding too. Without calls
/// about words there are as many rows as without their table.
#[test]
fn products_look_up_what_is_provided() {
    for [products, words] in [
        [0, 0],
        [1, 0],
        [3, 0],
        [70, 0],
        [0, 1],
        [2, 1],
        [70, 3],
        [100, 140],
    ] {
        // The blocks hold zero, the square of which and itself is zero.
        let of_products = (id::BINARY_PRODUCT, [0, 0, 0, 0, 0]);
        let of_words = (id::WORD_PRODUCTS, [0, 0, 0, 0, 2]);
        let calls = [vec![of_products; products], vec![of_words; words]].concat();
        let execution = execution(vec![Default::default(); 4], &calls);
        let (program, execution) = (&Program::default(), &execution);
        let input = TraceInput { program, execution };
        let rows = CarryPairsTable.rows(&input);
        let most = if words == 0 { PAIRS } else { PAIRS_OF_WORDS };
        assert_eq!(rows, most.min(128 * (products + words) + 1));
        let log_height = rows.next_power_of_two().ilog2() as usize;
        let (products, mut counts) = generate(&BinaryProductsTable, execution, 1);
        let (words, of_words) = generate(&WordProductsTable, execution, 1);
        counts.carry_pairs.add_all(&of_words.carry_pairs);
        let trace = CarryPairsTable.trace(&input, log_height, &mut counts);
        assert_eq!(counts.overfull, None);
        let check = |pairs: Option<Traced<'_, F>>| {
            let products = Traced::new("binary_products", &BinaryProductsTable, products.clone());
            let words = Traced::new("word_products", &WordProductsTable, words.clone());
            let harness = Harness::new([products, words].into_iter().chain(pairs).collect());
            harness.open_bus("call").open_bus("block").check()
        };
        check(Some(Traced::new("carry_pairs", &CarryPairsTable, trace))).unwrap();
        // Padding looks up a pair as well, so that nothing balances without this table.
        let failure = check(None).unwrap_err();
        assert!(matches!(failure, Failure::Bus { bus, .. } if bus == "carry_pairs"));
    }
}

/// A program with one call, which a run need not make.
fn program_with(identity: u32) -> Program {
    let operand = Operand {
        mode: Mode::Imm,
        field: F::ZERO,
    };
    let instruction = Instruction {
        op: Op::Call,
        id: identity,
        a: operand,
        b: operand,
        c: operand,
        d: operand,
        e: F::ZERO,
    };
    Program {
        instructions: vec![instruction],
    }
}

/// As for products, also with calls of both kinds, and where the run makes none.
#[test]
fn elements_look_up_what_is_provided() {
    let program = &program_with(id::BABY_BEAR);
    for (elements, products) in [(0, 0), (1, 0), (3, 0), (2, 1), (0, 2)] {
        let calls = [
            vec![(id::BABY_BEAR, [0; 5]); elements],
            vec![(id::BINARY_PRODUCT, [0; 5]); products],
        ];
        let execution = &execution(vec![Default::default()], &calls.concat());
        let input = TraceInput { program, execution };
        let rows = CarryPairsTable.rows(&input);
        assert_eq!(rows, 96 * elements + 3 + 128 * products + 1);
        let log_height = |rows: usize| rows.next_power_of_two().ilog2() as usize;
        let mut counts = LookupCounts::new(&input);
        let height = log_height(BabyBearTable.rows(&input));
        let of_elements = BabyBearTable.trace(&input, height, &mut counts);
        let height = log_height(BinaryProductsTable.rows(&input));
        let of_products = BinaryProductsTable.trace(&input, height, &mut counts);
        let pairs = CarryPairsTable.trace(&input, log_height(rows), &mut counts);
        assert_eq!(counts.overfull, None);
        let tables = vec![
            Traced::new("baby_bear", &BabyBearTable, of_elements),
            Traced::new("binary_products", &BinaryProductsTable, of_products),
            Traced::new("carry_pairs", &CarryPairsTable, pairs),
        ];
        let harness = Harness::new(tables).open_bus("call").open_bus("block");
        harness.check().unwrap();
    }
}

/// There are no more rows than pairs of bytes, and none for padding of a table that is not there.
#[test]
fn rows_are_those_of_the_tables_of_the_machine() {
    let rows = |program: &Program, calls: &[(u32, [u32; 5])]| {
        let execution = &execution(vec![Default::default()], calls);
        CarryPairsTable.rows(&TraceInput { program, execution })
    };
    let elements = vec![(id::BABY_BEAR, [0; 5]); 700];
    assert_eq!(rows(&Program::default(), &elements), pair_counts::PAIRS);
    assert_eq!(rows(&program_with(id::BABY_BEAR_DOT), &[]), 4);
    let words = vec![(id::WORD_PRODUCTS, [0, 0, 0, 0, 1]); 300];
    let of_both = rows(&program_with(id::BABY_BEAR), &words);
    assert_eq!(of_both, PAIRS_OF_WORDS + 3);
    for identity in [id::BINARY_PRODUCT, id::BINARY_PRODUCTS, id::WORD_PRODUCTS] {
        assert_eq!(rows(&program_with(identity), &[]), 1);
    }
}
