mod forgeries;

use std::borrow::Borrow;
use std::collections::BTreeMap;

use droste_air::test_utils::{Harness, Rows, Table as Traced};
use droste_native::F;
use droste_native::precompile::{Binary, binary_products, binary_to_block};
use p3_binary_field::TowerLevel;
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use proptest::prelude::*;

use super::trace::compute;
use super::{BITS, BinaryProductsCols, BinaryProductsTable};
use crate::isa::{Program, id};
use crate::lookups::{Evaluated, row_weight};
use crate::record::Execution;
use crate::tables::testing::{Bench, Block, Run, Tested, assert_no_cell_changes, common_tests};
use crate::tables::{Table, TraceInput};

type Row = BinaryProductsCols<F>;

/// Height of the table with the calls of [`mixed`], which are five.
const HEIGHT: usize = 8;

/// Bounds of carries below `x^128`, of others, and of the sum of two that are looked up together.
const LEAST_CARRY: i32 = -2;
const LOW_CARRIES: [i32; 2] = [LEAST_CARRY, 128];
const HIGH_CARRIES: [i32; 2] = [-1, 127];
const LARGEST_SUM: i32 = 128;

fn block(bits: u128) -> Block {
    binary_to_block(Binary::from_repr(bits))
}

/// An element with bits of all kinds.
fn element(seed: u128) -> u128 {
    (seed + 1).wrapping_mul(0x0123_4567_89ab_cdef_1357_9bdf_0246_8ace) ^ seed << 97
}

/// A call of `binary_product`.
fn product(run: &mut Run<BinaryProductsTable>, [a, b, c]: [u128; 3]) {
    let [a, b, c] = [a, b, c].map(block);
    let result = binary_products(&[[&a, &b]], &c).unwrap();
    let at = run.push([a, b, c, result]);
    let call = [at, at + 1, at + 2, at + 3, 0];
    run.calls.push((id::BINARY_PRODUCT, call));
}

/// A call of `binary_products`, of elements `distance` blocks from each other.
fn products(run: &mut Run<BinaryProductsTable>, distance: usize, elements: [u128; 5]) {
    let [a, b, c, d, e] = elements.map(block);
    let mut left = vec![block(element(7)); distance + 1];
    left[0] = a;
    left[distance] = b;
    let second = left[distance];
    let result = binary_products(&[[&left[0], &c], [&second, &d]], &e).unwrap();
    let at = run.push(left);
    let right = run.push([c, d, e, result]);
    let call = [at, right, right + 2, right + 3, distance as u32];
    run.calls.push((id::BINARY_PRODUCTS, call));
}

fn mixed() -> Run<BinaryProductsTable> {
    let mut run = Run::new();
    product(&mut run, [1, 2, 3].map(element));
    for distance in [1, 0, 3] {
        products(&mut run, distance, [4, 5, 6, 7, 8].map(element));
    }
    product(&mut run, [9, 10, 11].map(element));
    run
}

impl Tested for BinaryProductsTable {
    /// Computes again what rows make of their bits, and the results in memory.
    fn recompute(rows: &mut [&mut Row], execution: &mut Execution) {
        for row in rows.iter_mut() {
            compute(row);
            if row.is_single + row.is_pair == F::ONE {
                let out = row.result_address.as_canonical_u32() as usize;
                execution.memory.blocks[out] = block(integer(&row.result));
            }
        }
    }
}

/// The integer with these bits.
fn integer(bits: &[F; 128]) -> u128 {
    let bits = bits.iter().enumerate();
    bits.map(|(i, bit)| u128::from(bit.as_canonical_u32()) << i)
        .sum()
}

/// The carries of a row as integers.
fn carries(row: &Row) -> [i32; 255] {
    row.carries
        .map(|carry| (carry + F::TWO).as_canonical_u32() as i32 - 2)
}

common_tests!(BinaryProductsTable: 1157, 2, 345);

/// Example of the GHASH specification in another order of bits: `x^127 x = x^7 + x^2 + x + 1`; and
/// an element times its inverse, as `p3_binary_field` computes it.
#[test]
fn known_answers() {
    let mut run = Run::new();
    product(&mut run, [1 << 127, 2, 1]);
    assert_eq!(run.blocks.last(), Some(&block(0x86)));
    let x = Binary::from_repr(element(3));
    let inverse = p3_field::Field::inverse(&x).to_repr();
    product(&mut run, [element(3), inverse, 0]);
    assert_eq!(run.blocks.last(), Some(&block(1)));
    products(&mut run, 1, [element(3), 1 << 127, inverse, 2, 0]);
    assert_eq!(run.blocks.last(), Some(&block(0x86)));
    run.assert_accepts();
}

/// Carries are in range at the extremes, some of which are the ends of the ranges.
#[test]
fn extreme_carries() {
    let mut run = Run::new();
    let ones = u128::MAX;
    let alternating = ones / 3;
    for elements in [
        [0; 5],
        [ones; 5],
        [ones, ones, ones, ones, 0],
        [1 << 127, 0, 1 << 127, 0, 0],
        [
            alternating,
            alternating,
            alternating << 1,
            alternating << 1,
            ones,
        ],
        [alternating, alternating, alternating, alternating << 1, 0],
        // Multiples of the modulus with more terms in a coefficient than the sum has.
        [0x87 << 64, 0, 1 << 120, 0, 0],
        [1 << 127, 0, 0b1011_1000_0111, 0, 0],
    ] {
        products(&mut run, 1, elements);
        product(&mut run, [elements[0], elements[2], elements[4]]);
    }
    run.assert_accepts();
    let execution = run.execution();
    let trace = Bench::<BinaryProductsTable>::new(&execution).trace_of(1);
    let rows = trace.values.chunks_exact(Row::WIDTH);
    let rows: Vec<_> = rows.map(|row| carries(row.borrow())).collect();
    for (part, expected) in [(0..BITS, LOW_CARRIES), (BITS..255, HIGH_CARRIES)] {
        let carries = || rows.iter().flat_map(|row| &row[part.clone()]);
        let found = [carries().min(), carries().max()];
        assert_eq!(found, expected.each_ref().map(Some));
    }
    let sums = rows.iter().flat_map(|row| row.iter().zip(&row[BITS..]));
    assert_eq!(sums.map(|(low, high)| low + high).max(), Some(LARGEST_SUM));
}

#[test]
fn tables_have_a_row_for_each_call() {
    let mut run = Run::<BinaryProductsTable>::new();
    run.assert_fills(1);
    for seed in 0..256 {
        product(&mut run, [seed, seed + 1, seed + 2].map(element));
    }
    run.assert_fills(256);
    let (program, execution) = (&Program::default(), &run.execution());
    let input = TraceInput { program, execution };
    assert_eq!(BinaryProductsTable.padded_rows(&input), 256);
    product(&mut run, [1; 3]);
    run.assert_fills(512);
}

/// Every row looks up its carries, padding too: each below `x^128` with the one 128 above it, the
/// last of them with zero.
#[test]
fn carries_are_looked_up_in_pairs() {
    let execution = mixed().execution();
    let trace = Bench::<BinaryProductsTable>::new(&execution).trace_of(1);
    let mut expected: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
    for row in trace.values.chunks_exact(Row::WIDTH) {
        let row: &Row = row.borrow();
        for index in 0..BITS {
            let second = row.carries.get(index + 128).copied();
            let pair = [row.carries[index], second.unwrap_or_default()];
            let pair = pair.map(|carry| carry.as_canonical_u32()).to_vec();
            *expected.entry(pair).or_default() += 1;
        }
    }
    assert_eq!(expected.values().sum::<u32>() as usize, HEIGHT * 128);
    let table = Traced::new("binary_products", &BinaryProductsTable, trace);
    let mut messages = Harness::new(vec![table]).messages().unwrap();
    assert_eq!(messages.remove("carry_pairs"), Some(expected));
}

/// The sum `A + E` is one of field elements: an immediate near the modulus reads a block before A,
/// which the executor refuses and no function of the zk-DSL writes.
#[test]
fn distances_near_the_modulus_are_negative() {
    let mut run = Run::<BinaryProductsTable>::new();
    let [before, a, c, d, e] = [4, 5, 6, 7, 8].map(element).map(block);
    let result = binary_products(&[[&a, &c], [&before, &d]], &e).unwrap();
    let at = run.push([before, a, c, d, e, result]);
    let distance = F::NEG_ONE.as_canonical_u32();
    let call = [at + 1, at + 2, at + 4, at + 5, distance];
    run.calls.push((id::BINARY_PRODUCTS, call));
    run.assert_accepts();
}

/// Rows send 128 pairs of carries, six blocks and a call, which outnumber the field's elements at
/// 2^24 rows: the largest height that verifiers accept is 2^23.
#[test]
fn rows_send_few_messages() {
    let evaluated = Evaluated::new(&BinaryProductsTable);
    let weight = row_weight(&evaluated.lookups());
    assert_eq!(weight, 128 + 6 + 1);
    let modulus = u128::from(F::ORDER_U32);
    assert!(weight << 23 < modulus && weight << 24 >= modulus);
}

/// What a row without a call does not send.
const FREE_ON_PADDING: [&str; 5] = [
    "left_address",
    "distance",
    "right_address",
    "added_address",
    "result_address",
];

/// Rows of calls, of which the last is a single product, and padding.
#[test]
fn every_column_is_constrained_under_both_ends() {
    let mut run = Run::new();
    for distance in [1, 0] {
        products(&mut run, distance, [4, 5, 6, 7, 8].map(element));
    }
    let rows = Rows::listed(vec![0, 1, 2, HEIGHT - 1], 2);
    let names = Row::names();
    assert_no_cell_changes::<BinaryProductsTable>(
        &run.execution(),
        HEIGHT,
        &names,
        &[&FREE_ON_PADDING[..], &["left", "right"]].concat(),
        &rows,
    );
    // A single product does not read a second left element, which is multiplied by zero. Its row
    // stands for padding.
    let mut run = Run::new();
    product(&mut run, [1, 2, 3].map(element));
    let rows = Rows::listed(vec![0], 0);
    let free = ["left[1]"];
    assert_no_cell_changes::<BinaryProductsTable>(&run.execution(), HEIGHT, &names, &free, &rows);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn products_agree(elements: [[u128; 5]; 32], distance in 0..5_usize) {
        let mut run = Run::new();
        for [a, b, c, d, e] in elements {
            product(&mut run, [a, b, c]);
            let second = if distance == 0 { a } else { b };
            products(&mut run, distance, [a, second, c, d, e]);
        }
        Bench::<BinaryProductsTable>::new(&run.execution()).assert_accepts();
    }

    /// The trace's own arithmetic, many times.
    #[test]
    fn carries_are_in_range(elements: [[u128; 5]; 64]) {
        for elements in elements {
            let mut cells = [F::ZERO; Row::WIDTH];
            let row: &mut Row = crate::tables::Row::of(&mut cells);
            let bits = |x: u128| std::array::from_fn(|i| F::from_u128(x >> i & 1));
            row.left = [bits(elements[0]), bits(elements[1])];
            row.right = [bits(elements[2]), bits(elements[3])];
            row.added = bits(elements[4]);
            compute(row);
            let [a, b, c, d, e] = elements.map(Binary::from_repr);
            prop_assert_eq!(integer(&row.result), (a * c + b * d + e).to_repr());
            let carries = carries(row);
            let (low, high) = carries.split_at(BITS);
            for (carries, [least, largest]) in [(low, LOW_CARRIES), (high, HIGH_CARRIES)] {
                let is_in_range = |carry: &i32| (least..=largest).contains(carry);
                prop_assert!(carries.iter().all(is_in_range));
            }
            let mut sums = low.iter().zip(high).map(|(low, high)| low + high);
            prop_assert!(sums.all(|sum| sum <= LARGEST_SUM));
        }
    }
}
