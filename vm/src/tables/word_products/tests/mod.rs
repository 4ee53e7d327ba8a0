mod forgeries;

use std::borrow::Borrow;
use std::collections::BTreeMap;

use droste_air::limb::bits;
use droste_air::test_utils::{Harness, Rows, Table as Traced};
use droste_native::F;
use droste_native::precompile::{Binary, binary_to_block, word_products};
use p3_binary_field::TowerLevel;
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use proptest::prelude::*;

use super::columns::{PRODUCTS, WORD_BITS};
use super::trace::compute;
use super::{WordProductsCols, WordProductsTable};
use crate::isa::{Program, id};
use crate::lookups::{Evaluated, row_weight};
use crate::record::Execution;
use crate::tables::binary_products::BITS;
use crate::tables::testing::{
    Bench, Block, Run, Tested, assert_no_cell_changes, common_tests, dense,
};
use crate::tables::{LANES, Table, TraceInput};

type Row = WordProductsCols<F>;

/// Height of the table with the calls of [`mixed`], which are three.
const HEIGHT: usize = 4;

/// Bounds of carries below `x^128`, of others, and of the sum of two that are looked up together.
const LEAST_CARRY: i32 = -2;
const LOW_CARRIES: [i32; 2] = [LEAST_CARRY, 240];
const HIGH_CARRIES: [i32; 2] = [-1, 238];
const LARGEST_SUM: i32 = 240;

/// The word with the most ones, 30.
const MOST_ONES: u32 = 0x7eff_ffff;

/// The largest word, `p - 1`.
const LARGEST: u32 = 0x7f00_0000;

fn block(bits: u128) -> Block {
    binary_to_block(Binary::from_repr(bits))
}

/// An element with bits of all kinds.
fn element(seed: u128) -> u128 {
    (seed + 1).wrapping_mul(0x0123_4567_89ab_cdef_1357_9bdf_0246_8ace) ^ seed << 97
}

/// Field elements with these words.
fn words(words: [u32; LANES]) -> Block {
    words.map(|word| F::from_u32(word) / F::from_u64(1 << 32))
}

/// A call about these blocks of words.
fn call(run: &mut Run<WordProductsTable>, data: &[Block], weights: &[u128], added: u128) {
    let weights: Vec<Block> = weights.iter().copied().map(block).collect();
    let added = block(added);
    let result = word_products(data, &weights, &added).unwrap();
    let from = run.push(data.iter().copied());
    let first = run.push(weights);
    let at = run.push([added, result]);
    let call = [from, first, at, at + 1, data.len() as u32];
    run.calls.push((id::WORD_PRODUCTS, call));
}

fn mixed() -> Run<WordProductsTable> {
    let mut run = Run::new();
    call(
        &mut run,
        &[dense(1), dense(2)],
        &[1, 2, 3, 4].map(element),
        element(5),
    );
    call(&mut run, &[dense(3)], &[6, 7].map(element), element(8));
    call(
        &mut run,
        &[dense(4), words([LARGEST; LANES])],
        &[9, 10, 11, 12].map(element),
        element(13),
    );
    run
}

impl Tested for WordProductsTable {
    /// Computes again what rows make of their bits, and the results in memory.
    fn recompute(rows: &mut [&mut Row], execution: &mut Execution) {
        for row in rows.iter_mut() {
            compute(row);
            if row.is_one + row.is_two == F::ONE {
                let out = row.result_address.as_canonical_u32() as usize;
                execution.memory.blocks[out] = block(integer(&row.result));
            }
        }
    }
}

/// The integer with these bits.
fn integer(bits: &[F; BITS]) -> u128 {
    let bits = bits.iter().enumerate();
    bits.map(|(i, bit)| u128::from(bit.as_canonical_u32()) << i)
        .sum()
}

/// The carries of a row as integers.
fn carries(row: &Row) -> [i32; 255] {
    row.carries
        .map(|carry| (carry + F::TWO).as_canonical_u32() as i32 - 2)
}

common_tests!(WordProductsTable: 1669, 3, 350);

/// Example of the GHASH specification in another order of bits, `x^126 x^2 = x^7 + x^2 + x + 1`; an
/// element times its inverse, as `p3_binary_field` computes it; and powers of `x`, one from each
/// product.
#[test]
fn known_answers() {
    let mut run = Run::new();
    let highest = words([0, 0, 0, 1 << 30, 0, 0, 0, 0]);
    call(&mut run, &[highest], &[4, 0], 1);
    assert_eq!(run.blocks.last(), Some(&block(0x86)));
    let bits = 0x0123_4567_09ab_cdef_1357_9bdf_0246_8ace_u128;
    let inverse = p3_field::Field::inverse(&Binary::from_repr(bits)).to_repr();
    let word = |i: usize| (bits >> (32 * i)) as u32;
    let last = words([0, 0, 0, 0, word(0), word(1), word(2), word(3)]);
    call(&mut run, &[dense(1), last], &[0, 0, 0, inverse], 0);
    assert_eq!(run.blocks.last(), Some(&block(1)));
    let ones = words([1, 0, 0, 0, 1, 0, 0, 0]);
    call(&mut run, &[ones, ones], &[1, 2, 4, 8], 16);
    assert_eq!(run.blocks.last(), Some(&block(31)));
    run.assert_accepts();
}

/// Words at the ends of their range, with each number of zeros among their seven high bits.
#[test]
fn canonical_words_are_accepted() {
    let mut run = Run::new();
    let ends = words([0, 1, 0xff_ffff, LARGEST, MOST_ONES, LARGEST - 1, 1 << 24, 0]);
    let highs = [0x7f, 0x7e, 0x7c, 0x78, 0x70, 0x60, 0x40, 0x01];
    let highs = words(highs.map(|high: u32| high << 24));
    for data in [ends, highs] {
        call(&mut run, &[data], &[20, 21].map(element), element(22));
    }
    let weights = &[23, 24, 25, 26].map(element);
    call(&mut run, &[ends, highs], weights, element(27));
    run.assert_accepts();
}

/// Carries are in range at the extremes, some of which are the ends of the ranges.
#[test]
fn extreme_carries() {
    let mut run = Run::new();
    let ones = u128::MAX;
    let most = words([MOST_ONES; LANES]);
    for (data, weights, added) in [
        ([words([0; LANES]); 2], [0; 4], 0),
        ([most; 2], [ones; 4], ones),
        ([most; 2], [ones; 4], 0),
        // Multiples of the modulus with more terms in a coefficient than the sum has.
        (
            [words([0, 0, 0x87, 0, 0, 0, 0, 0]), words([0; LANES])],
            [1 << 120, 0, 0, 0],
            0,
        ),
        (
            [words([0, 0, 0, 1 << 30, 0, 0, 0, 0]), words([0; LANES])],
            [0b1011_1000_0111, 0, 0, 0],
            0,
        ),
        (
            [words([0, 0, 0, 1 << 30, 0, 0, 0, 0]), words([0; LANES])],
            [1 << 123, 0, 0, 0],
            0,
        ),
    ] {
        call(&mut run, &data, &weights, added);
        call(&mut run, &data[..1], &weights[..2], added);
    }
    run.assert_accepts();
    let execution = run.execution();
    let trace = Bench::<WordProductsTable>::new(&execution).trace_of(1);
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
    let mut run = Run::<WordProductsTable>::new();
    run.assert_fills(1);
    for seed in 0..64 {
        let weights = [1, 2, 3, 4].map(|i| element(i + u128::from(seed)));
        call(&mut run, &[dense(seed), dense(seed + 1)], &weights, 5);
        call(&mut run, &[dense(seed)], &weights[..2], 6);
    }
    run.assert_fills(128);
    let (program, execution) = (&Program::default(), &run.execution());
    let input = TraceInput { program, execution };
    assert_eq!(WordProductsTable.padded_rows(&input), 128);
    call(&mut run, &[dense(1)], &[1, 2], 3);
    run.assert_fills(256);
}

/// Every row looks up its carries, padding too: each below `x^128` with the one 128 above it, the
/// last of them with zero.
#[test]
fn carries_are_looked_up_in_pairs() {
    let execution = mixed().execution();
    let trace = Bench::<WordProductsTable>::new(&execution).trace_of(1);
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
    let table = Traced::new("word_products", &WordProductsTable, trace);
    let mut messages = Harness::new(vec![table]).messages().unwrap();
    assert_eq!(messages.remove("carry_pairs"), Some(expected));
}

/// Rows send 128 pairs of carries, eight blocks and a call, which outnumber the field's elements at
/// 2^24 rows: the largest height that verifiers accept is 2^23.
#[test]
fn rows_send_few_messages() {
    let evaluated = Evaluated::new(&WordProductsTable);
    let weight = row_weight(&evaluated.lookups());
    assert_eq!(weight, 128 + 8 + 1);
    let modulus = u128::from(F::ORDER_U32);
    assert!(weight << 23 < modulus && weight << 24 >= modulus);
}

/// What a row without a call does not send, and what it multiplies by zeros: high bits of words are
/// constrained there, too.
const FREE_ON_PADDING: [&str; 6] = [
    "words_address",
    "weights_address",
    "added_address",
    "result_address",
    "words",
    "weights",
];

#[test]
fn every_column_is_constrained_under_both_ends() {
    let names = Row::names();
    let mut run = Run::new();
    let weights = [1, 2, 3, 4].map(element);
    call(&mut run, &[dense(1), dense(2)], &weights, element(5));
    let rows = Rows::listed(vec![0, 1], 1);
    assert_no_cell_changes::<WordProductsTable>(
        &run.execution(),
        2,
        &names,
        &FREE_ON_PADDING,
        &rows,
    );
    // A call about one block does not read two of the weights, which are multiplied by zero. Its
    // row stands for padding.
    let mut run = Run::new();
    call(&mut run, &[dense(1)], &weights[..2], element(5));
    let rows = Rows::listed(vec![0], 0);
    let free = ["weights[2]", "weights[3]"];
    assert_no_cell_changes::<WordProductsTable>(&run.execution(), 1, &names, &free, &rows);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn products_agree(calls: [([[u32; LANES]; 2], [u128; PRODUCTS], u128); 16]) {
        let mut run = Run::new();
        for (data, weights, added) in calls {
            let data = data.map(|block| block.map(F::from_u32));
            call(&mut run, &data, &weights, added);
            call(&mut run, &data[..1], &weights[..2], added);
        }
        Bench::<WordProductsTable>::new(&run.execution()).assert_accepts();
    }

    /// The trace's own arithmetic, many times.
    #[test]
    fn carries_are_in_range(
        rows: [([[u32; LANES]; 2], [u128; PRODUCTS], u128); 64],
        has_many_ones: [bool; 64],
    ) {
        for ((data, weights, added), has_many_ones) in rows.into_iter().zip(has_many_ones) {
            let word = |word: u32| {
                if has_many_ones {
                    (word | 0x7ef0_fffe) & MOST_ONES
                } else {
                    word % (LARGEST + 1)
                }
            };
            let data = data.map(|block| words(block.map(word)));
            let mut cells = [F::ZERO; Row::WIDTH];
            let row: &mut Row = crate::tables::Row::of(&mut cells);
            let elements = data.as_flattened().iter();
            row.words = elements
                .map(|element| bits::<WORD_BITS>(element.to_unique_u32()))
                .collect::<Vec<_>>()
                .try_into()
                .unwrap();
            let of_integer = |x: u128| std::array::from_fn(|i| F::from_u128(x >> i & 1));
            row.weights = weights.map(of_integer);
            row.added = of_integer(added);
            compute(row);
            let expected = word_products(&data, &weights.map(block), &block(added));
            prop_assert_eq!(block(integer(&row.result)), expected.unwrap());
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
