mod chains;
mod forgeries;

use std::borrow::Borrow;
use std::collections::BTreeMap;

use droste_air::test_utils::{Harness, Rows, Table as Traced};
use droste_native::{BabyBear, BabyBear4, F};
use p3_field::{BasedVectorSpace, Field, PrimeCharacteristicRing, PrimeField32};
use proptest::prelude::*;

use super::columns::{MODULUS, Words};
use super::trace::{carry, complete, result};
use super::{BabyBearCols, BabyBearTable, LOOKUPS, PADDING_PAIRS};
use crate::isa::id;
use crate::lookups::{Evaluated, row_weight};
use crate::record::Execution;
use crate::tables::testing::{
    Bench, Block, Tested, assert_no_cell_changes, common_tests, forge, forged,
};

type Row = BabyBearCols<F>;
type Run = crate::tables::testing::Run<BabyBearTable>;

/// Words of an element's coefficients.
type Element = [u32; 4];

/// The word of one.
const ONE: u32 = 0x0fff_fffe;

/// Words at the ends of ranges, of which the first ones are canonical.
const EDGES: [u32; 8] = [
    0,
    1,
    MODULUS - 1,
    MODULUS - 2,
    MODULUS,
    MODULUS + 1,
    2 * MODULUS,
    u32::MAX,
];

/// Height of the table with the calls of [`mixed`], and its first rows of sums and of padding.
const HEIGHT: usize = 8;
const DOT: usize = 2;
const PADDING: usize = 6;

fn block(words: Element) -> Block {
    std::array::from_fn(|lane| F::from_u32(words[lane / 2] >> (16 * (lane % 2)) & 0xffff))
}

/// Words of all kinds.
fn any(seed: u32) -> Element {
    std::array::from_fn(|i| {
        let word = (4 * seed + i as u32 + 1).wrapping_mul(0x9e37_79b9);
        word ^ word >> 15
    })
}

fn canonical(seed: u32) -> Element {
    any(seed).map(|word| word % MODULUS)
}

/// The element of words, by division.
fn element(words: Element) -> BabyBear4 {
    let radix = BabyBear::from_u64(1 << 32);
    BabyBear4::from_basis_coefficients_fn(|i| BabyBear::from_u32(words[i]) / radix)
}

/// The words that Plonky3 has for an element.
fn words(element: BabyBear4) -> Element {
    let coefficients: &[BabyBear] = element.as_basis_coefficients_slice();
    std::array::from_fn(|i| coefficients[i].to_unique_u32())
}

impl Run {
    /// A call of `baby_bear` whose result has these words.
    fn product_is(&mut self, elements: [Element; 3], result: Element) {
        let at = self.push(elements.map(block));
        let d = self.push([block(result)]);
        self.calls.push((id::BABY_BEAR, [at, at + 1, at + 2, d, 0]));
    }

    fn product(&mut self, elements: [Element; 3]) {
        let [a, b, c] = elements.map(element);
        self.product_is(elements, words(a * b + c));
    }

    /// A call of `baby_bear_dot`, with as many blocks as there are elements of data.
    fn dot(&mut self, data: &[Element], weights: &[Element], sum: Element) {
        let mut result = element(sum);
        for (data, weights) in data.iter().zip(weights.chunks(4)) {
            let data = element(*data);
            let data: &[BabyBear] = data.as_basis_coefficients_slice();
            for (&word, &weight) in data.iter().zip(weights) {
                result += element(weight) * word;
            }
        }
        let a = self.push(data.iter().copied().map(block));
        let b = self.push(weights.iter().copied().map(block));
        let c = self.push([block(sum)]);
        let d = self.push([block(words(result))]);
        let call = [a, b, c, d, data.len() as u32];
        self.calls.push((id::BABY_BEAR_DOT, call));
    }

    /// The same with so many blocks of any words.
    fn any_dot(&mut self, seed: u32, blocks: u32) {
        let seeds = 1000 * seed..1000 * seed + blocks;
        let data: Vec<Element> = seeds.clone().map(canonical).collect();
        let weights: Vec<Element> = (0..4 * blocks)
            .map(|i| any(seeds.start + 100 + i))
            .collect();
        self.dot(&data, &weights, any(seed));
    }
}

fn mixed() -> Run {
    let mut run = Run::new();
    run.product([canonical(1), any(2), any(3)]);
    run.product([[MODULUS - 1, 0, 1, ONE], any(4), any(5)]);
    run.any_dot(6, 3);
    run.any_dot(7, 1);
    run
}

/// The block with these bytes.
fn lanes(words: &Words<F>) -> Block {
    std::array::from_fn(|lane| {
        let [low, high] = words.as_flattened().as_chunks::<2>().0[lane];
        low + high * F::from_u16(256)
    })
}

/// The bytes of words.
fn bytes(words: Element) -> Words<F> {
    words.map(|word| word.to_le_bytes().map(F::from_u8))
}

/// The words with these bytes.
fn integers(bytes: &Words<F>) -> Element {
    bytes.map(|word| {
        let word = word.iter().rev();
        word.fold(0, |word, byte| word << 8 | byte.as_canonical_u32())
    })
}

impl Tested for BabyBearTable {
    fn recompute(rows: &mut [&mut Row], execution: &mut Execution) {
        let mut continued: Vec<bool> = rows.iter().map(|row| row.continues == F::ONE).collect();
        continued.rotate_left(1);
        let mut above = [[F::ZERO; 4]; 4];
        for (row, is_continued) in rows.iter_mut().zip(continued) {
            if row.continues == F::ONE {
                row.c = above;
            }
            let is_real = row.is_product + row.is_dot == F::ONE;
            if is_real {
                row.d = result(row);
            }
            complete(row);
            let out = row.d_word.as_canonical_u32() as usize;
            if is_real
                && !is_continued
                && let Some(block) = execution.memory.blocks.get_mut(out)
            {
                *block = lanes(&row.d);
            }
            above = row.d;
        }
    }
}

// The accumulator, the call, seven blocks and 96 pairs of bytes: two lookups a column of one bus.
common_tests!(BabyBearTable: 200, 3, 270);

/// `X X^3 = 11`, `(q - 1)^2 = 1`, and what is added to nothing, in the words that they have.
#[test]
fn known_answers() {
    let mut run = Run::new();
    let eleven = 939_524_073;
    run.product_is([[0, ONE, 0, 0], [0, 0, 0, ONE], [0; 4]], [eleven, 0, 0, 0]);
    let minus_one = MODULUS - ONE;
    run.product_is(
        [[minus_one, 0, 0, 0], [minus_one, 0, 0, 0], [0; 4]],
        [ONE, 0, 0, 0],
    );
    run.product_is([[0; 4], any(1), canonical(2)], canonical(2));
    run.product_is([canonical(3), [ONE, 0, 0, 0], [0; 4]], canonical(3));
    run.assert_accepts();
    assert_eq!(words(BabyBear4::ONE), [ONE, 0, 0, 0]);
}

/// Operands at the ends of their ranges: bytes of carries and multiples are enough.
#[test]
fn extreme_words() {
    let mut run = Run::new();
    let [zero, large, all] = [0, MODULUS - 1, u32::MAX].map(|word| [word; 4]);
    let most = 0x77ff_ffff;
    for a in [zero, large, [most; 4], [0, most, large[0], 1]] {
        for (b, c) in [(zero, zero), (zero, all), (all, zero), (all, all)] {
            run.product([a, b, c]);
            run.dot(&[a, large], &[b; 8], c);
        }
    }
    for i in 0..EDGES.len() {
        let edge = |at: usize| EDGES[(i + at) % EDGES.len()];
        let any = [edge(0), edge(3), edge(5), edge(1)];
        let canonical = [EDGES[i % 4], EDGES[(i + 1) % 4], 0, EDGES[i / 2]];
        run.product([canonical, any, any]);
    }
    run.assert_accepts();
    let execution = run.execution();
    let trace = Bench::<BabyBearTable>::new(&execution).trace_of(1);
    let rows = trace.values.chunks_exact(Row::WIDTH);
    let rows = rows.map(<[F] as Borrow<Row>>::borrow);
    let [mut multiples, mut carries] = [vec![], vec![]];
    for row in rows.filter(|row| row.is_product + row.is_dot == F::ONE) {
        let integer = |bytes: &[F]| {
            let bytes = bytes.iter().rev();
            bytes.fold(0, |integer, byte| {
                integer << 8 | i64::from(byte.as_canonical_u32())
            })
        };
        multiples.extend(row.multiples.iter().map(|bytes| integer(bytes)));
        let of_row = row.carries.as_flattened().iter();
        carries.extend(of_row.map(|bytes| integer(bytes) - 256));
    }
    let most = multiples.iter().map(|multiple| multiple >> 32).max();
    assert_eq!(most, Some(39));
    let bounds = [carries.iter().min(), carries.iter().max()];
    assert!(bounds[0].is_some_and(|&least| (-121..-100).contains(&least)));
    assert!(bounds[1].is_some_and(|&largest| (30_000..34_700).contains(&largest)));
}

/// The results that memory may have: all words that stand for the same element.
#[test]
fn results_of_any_words_are_accepted() {
    let mut run = Run::new();
    let mut accept = |elements: [Element; 3]| {
        let [a, b, c] = elements.map(element);
        let result = words(a * b + c);
        for times in 1..=2 {
            let larger = result.map(|word| word.checked_add(times * MODULUS).unwrap_or(word));
            run.product_is(elements, larger);
        }
    };
    accept([[0; 4]; 3]);
    accept([canonical(1), any(2), any(3)]);
    // The largest word, of a sum that is as small as the element allows: its multiple is the least.
    let largest = u32::MAX - 2 * MODULUS;
    let product = (u64::from(largest) << 32) % u64::from(MODULUS);
    let one = [[1, 0, 0, 0], [product as u32, 0, 0, 0], [0; 4]];
    run.product_is(one, [u32::MAX, 0, 0, 0]);
    run.assert_accepts();
}

/// Other words of A than canonical ones.
#[test]
fn words_that_are_not_canonical_are_refused() {
    let run = |call: u32, words: Element| {
        let mut run = Run::new();
        if call == id::BABY_BEAR {
            run.product([words, any(1), any(2)]);
        } else {
            run.dot(&[words], &[1, 2, 3, 4].map(any), any(5));
        }
        run
    };
    let fault = |call, words| forged(&run(call, words), 1, |_, _| ());
    for call in [id::BABY_BEAR, id::BABY_BEAR_DOT] {
        for at in 0..4 {
            let of = |word: u32| {
                let mut words = [7; 4];
                words[at] = word;
                words
            };
            for word in [0, 0x77ff_ffff, MODULUS - 1] {
                assert_eq!(fault(call, of(word)), None, "{word:#x}");
            }
            for word in [
                MODULUS,
                MODULUS + 1,
                MODULUS + 255,
                0x7800_ff00,
                0x78ff_0000,
            ] {
                let fault = fault(call, of(word));
                assert!(is_constraint(&fault), "{word:#x}: {fault:?}");
                // No other inverse helps.
                for inverse in [F::ONE, F::NEG_ONE, F::from_u8(120).inverse()] {
                    let execution = run(call, of(word)).execution();
                    let fault = forge::<BabyBearTable>(execution, 1, |rows, _| {
                        rows[0].inverses[at] = inverse;
                    });
                    assert!(is_constraint(&fault), "{word:#x}: {fault:?}");
                }
            }
            for word in [0x7900_0000, 1 << 31, 2 * MODULUS, u32::MAX] {
                let fault = fault(call, of(word));
                assert!(is_message(&fault, "carry_pairs"), "{word:#x}: {fault:?}");
            }
        }
    }
}

fn is_message(fault: &Option<String>, bus: &str) -> bool {
    let expected = format!("on bus {bus}");
    let fault = fault.as_ref();
    fault.is_some_and(|fault| fault.contains(&expected))
}

/// Whether a constraint refuses the trace, and not a message.
fn is_constraint(fault: &Option<String>) -> bool {
    let fault = fault.as_ref();
    fault.is_some_and(|fault| fault.contains("constraint"))
}

/// Every row looks up all its cells but flags, operands and inverses, padding too, and the highest
/// bytes of A once more.
#[test]
fn bytes_are_looked_up_in_pairs() {
    let execution = mixed().execution();
    let trace = Bench::<BabyBearTable>::new(&execution).trace_of(1);
    let mut expected: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
    let mut of_padding = 0;
    for (index, row) in trace.values.chunks_exact(Row::WIDTH).enumerate() {
        if index == PADDING {
            of_padding = expected.len();
        }
        let highest = [11, 15, 19, 23].map(|cell| row[cell] + F::from_u8(135));
        let cells = [&row[8..196], &highest].concat();
        for pair in cells.chunks_exact(2) {
            let pair = pair.iter().map(|&byte| (byte - F::TWO).as_canonical_u32());
            *expected.entry(pair.collect()).or_default() += 1;
        }
    }
    assert!(expected.len() <= of_padding + PADDING_PAIRS);
    assert_eq!(expected.values().sum::<u32>() as usize, HEIGHT * LOOKUPS);
    let table = Traced::new("baby_bear", &BabyBearTable, trace);
    let mut messages = Harness::new(vec![table]).messages().unwrap();
    assert_eq!(messages.remove("carry_pairs"), Some(expected));
    let execution = Run::new().execution();
    let trace = Bench::<BabyBearTable>::new(&execution).trace_of(4);
    let padding = Traced::new("baby_bear", &BabyBearTable, trace);
    let messages = Harness::new(vec![padding]).messages().unwrap();
    assert_eq!(messages["carry_pairs"].len(), PADDING_PAIRS);
}

/// Rows send 96 pairs of bytes, seven blocks and a call.
#[test]
fn rows_send_few_messages() {
    let evaluated = Evaluated::new(&BabyBearTable);
    let weight = row_weight(&evaluated.lookups());
    assert_eq!(weight, 96 + 7 + 1);
    assert!(weight << 24 < u128::from(F::ORDER_U32));
}

/// The rows fill the table: its last row is the last row of a sum, or a product.
#[test]
fn full_tables_are_accepted() {
    let mut run = Run::new();
    run.any_dot(1, 3);
    run.any_dot(2, 1);
    run.assert_fills(4);
    assert!(run.proves());
    let mut run = Run::new();
    run.any_dot(1, 4);
    run.assert_fills(4);
    assert!(run.proves());
    let mut run = Run::new();
    run.product([canonical(1), any(2), any(3)]);
    run.assert_fills(1);
}

#[test]
fn every_column_is_constrained_under_both_ends() {
    let rows = Rows::listed(vec![0, 1, DOT, 3, 4, 5, PADDING, HEIGHT - 1], PADDING);
    let free = ["a_word", "b_word", "c_word", "d_word", "remaining"];
    let names = Row::names();
    assert_no_cell_changes::<BabyBearTable>(&mixed().execution(), HEIGHT, &names, &free, &rows);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn words_agree(a: [u32; 4], others: [[u32; 4]; 10]) {
        let mut run = Run::new();
        let a = a.map(|word| word % MODULUS);
        run.product([a, others[0], others[1]]);
        let data = [others[0].map(|word| word % MODULUS), a];
        run.dot(&data, &others[..8], others[8]);
        run.dot(&data[..1], &others[6..], others[9]);
        run.assert_accepts();
    }
}
