mod forgeries;

use droste_air::test_utils::Rows;
use droste_native::F;
use droste_native::precompile::{Binary, binary_products, binary_to_block};
use p3_binary_field::TowerLevel;
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use proptest::prelude::*;

use super::air::LEAST_CARRY;
use super::trace::{CARRIES, LARGEST_CARRY, compute, counts};
use super::{BinaryProductsCols, BinaryProductsTable};
use crate::isa::id;
use crate::lookups::{Evaluated, row_weight};
use crate::record::Execution;
use crate::tables::testing::{Bench, Block, Run, Tested, assert_no_cell_changes, common_tests};

type Row = BinaryProductsCols<F>;

/// Least height of the table.
const HEIGHT: usize = CARRIES.next_power_of_two();

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
    /// Computes again what rows make of their bits, the results in memory, and the counts.
    fn recompute(rows: &mut [&mut Row], execution: &mut Execution) {
        for row in rows.iter_mut() {
            compute(row);
            if row.is_single + row.is_pair == F::ONE {
                let out = row.result_address.as_canonical_u32() as usize;
                execution.memory.blocks[out] = block(integer(&row.result));
            }
        }
        recount(rows);
    }
}

/// The integer with these bits.
fn integer(bits: &[F; 128]) -> u128 {
    let bits = bits.iter().enumerate();
    bits.map(|(i, bit)| u128::from(bit.as_canonical_u32()) << i)
        .sum()
}

/// Counts the carries again.
fn recount(rows: &mut [&mut Row]) {
    for row in rows.iter_mut() {
        row.count = F::ZERO;
    }
    for row in 0..rows.len() {
        for carry in rows[row].carries {
            let index = (carry - F::from_i32(LEAST_CARRY)).as_canonical_u32();
            if let Some(row) = rows.get_mut(index as usize) {
                row.count += F::ONE;
            }
        }
    }
}

common_tests!(BinaryProductsTable: 1159, 2, 665);

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

/// Carries are in range at the extremes, some of which are the ends of the range.
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
    let counts = counts(&trace.values);
    assert_eq!(counts.iter().sum::<u32>() as usize, HEIGHT * 255);
    let used = |carry: i32| counts[(carry - LEAST_CARRY) as usize] > 0;
    assert!(used(LARGEST_CARRY) && used(LEAST_CARRY));
}

#[test]
fn tables_have_a_row_for_each_carry() {
    assert_eq!((LEAST_CARRY, LARGEST_CARRY, CARRIES), (-2, 128, 131));
    let mut run = Run::<BinaryProductsTable>::new();
    run.assert_fills(256);
    for seed in 0..256 {
        product(&mut run, [seed, seed + 1, seed + 2].map(element));
    }
    run.assert_fills(256);
    product(&mut run, [1; 3]);
    run.assert_fills(512);
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

/// Rows send 255 carries, six blocks and a call, which outnumber the field's elements at 2^23 rows:
/// the largest height that verifiers accept is 2^22.
#[test]
fn rows_send_few_messages() {
    let evaluated = Evaluated::new(&BinaryProductsTable);
    let weight = row_weight(&evaluated.lookups());
    assert_eq!(weight, 255 + 6 + 1);
    let modulus = u128::from(F::ORDER_U32);
    assert!(weight << 22 < modulus && weight << 23 >= modulus);
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
            products(&mut run, distance, if distance == 0 { [a, a, c, d, e] } else { [a, b, c, d, e] });
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
            for carry in row.carries {
                let above = (carry - F::from_i32(LEAST_CARRY)).as_canonical_u32();
                prop_assert!(above < CARRIES as u32);
            }
        }
    }
}
