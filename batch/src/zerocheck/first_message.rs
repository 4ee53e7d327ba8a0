//! The first message: the weighted sum of constraints, as a polynomial over the bits of words.

use p3_field::PrimeCharacteristicRing;
use p3_maybe_rayon::prelude::*;

use crate::bits::{BLOCK, Points, Sums, WordMap, Words};
use crate::circuit::{BITS, Circuit, Lanes, MAX_OPERANDS, MAX_PRODUCTS, Product};
use crate::field::K;
use crate::trace::{OperandBlock, RowPairs, Trace};
use crate::univariate::{COORDINATES, EXTENDED, Subfield, extrapolate};

/// For one product and both kinds of points, those at `d_64..d_127` and at `d_0..d_63`, something
/// for each coordinate.
type ByPoints<T> = [[T; COORDINATES]; 2];

/// The values at `d_64..d_127` of the weighted sum of constraints.
///
/// At `d_0..d_63` products and rests have equal sums, since each constraint is zero there. So the
/// rests, of degree 63, follow from the products.
pub(super) fn first_message(
    circuit: &Circuit,
    trace: &Trace<'_>,
    subfield: &Subfield,
    constraints: &[K],
    high: &[K],
    calls: &[K],
) -> [K; EXTENDED] {
    let products: Vec<_> = circuit.products().collect();
    let zero = || vec![ByPoints::<Sums>::default(); products.len()];
    let sums = calls
        .par_chunks(BLOCK)
        .enumerate()
        .fold_chunks(1 << 3, zero, |mut sums, (block, calls)| {
            add_block(
                circuit,
                &products,
                trace,
                subfield,
                (BLOCK * block, calls),
                high,
                &mut sums,
            );
            sums
        })
        .reduce(zero, |mut left, right| {
            let left_sums = left.iter_mut().flatten().flatten();
            for (left, right) in left_sums.zip(right.iter().flatten().flatten()) {
                *left += right;
            }
            left
        });
    let mut extended = [K::ZERO; EXTENDED];
    let mut bits = [K::ZERO; BITS];
    for ([products, at_bits], &(.., constraint)) in sums.iter().zip(&products) {
        for (b, &power) in subfield.basis.iter().enumerate() {
            let weight = constraints[constraint] * power;
            for (sum, value) in extended.iter_mut().zip(products[b].elements()) {
                *sum += weight * value;
            }
            for (sum, value) in bits.iter_mut().zip(at_bits[b].elements()) {
                *sum += weight * value;
            }
        }
    }
    for (sum, value) in extended.iter_mut().zip(extrapolate(&bits)) {
        *sum += value;
    }
    extended
}

/// Adds the products in calls, with their weights, from call `first` on.
fn add_block(
    circuit: &Circuit,
    products: &[(Product, u64, usize)],
    trace: &Trace<'_>,
    subfield: &Subfield,
    (first, calls): (usize, &[K]),
    high: &[K],
    sums: &mut [ByPoints<Sums>],
) {
    let all_rows = products.iter().fold(0, |rows, product| rows | product.1);
    let mut values = vec![ByPoints::<[Lanes; BLOCK / 8]>::default(); products.len()];
    let mut pairs = RowPairs::new(trace);
    let mut operands = vec![OperandBlock::default(); COORDINATES];
    for (eight, &weight) in high.iter().enumerate() {
        let first_row = COORDINATES * eight;
        if all_rows >> first_row & 0xff == 0 {
            continue;
        }
        let weights = std::array::from_fn(|i| calls.get(i).map_or(K::ZERO, |&call| call * weight));
        let map = WordMap::new(&weights);
        // Up to the last row with products.
        let rows_used = COORDINATES - ((all_rows >> first_row) as u8).leading_zeros() as usize;
        for (low, operands) in operands.iter_mut().take(rows_used).enumerate() {
            operands.set(pairs.read(first_row + low, first), circuit);
        }
        for ([extended, bits], &(product, rows, _)) in values.iter_mut().zip(products) {
            let inverse = if product.inverted { u64::MAX } else { 0 };
            for (low, (bits, operands)) in bits.iter_mut().zip(&operands).enumerate() {
                let holds = rows >> (first_row + low) & 1 == 1;
                let (left, right) = (operands.word(product.left), operands.word(product.right));
                *bits = std::array::from_fn(|eight| {
                    std::array::from_fn(|call| {
                        u64::from(holds) * ((left[eight][call] ^ inverse) & right[eight][call])
                    })
                });
            }
            *extended = Default::default();
        }
        for call in 0..calls.len() {
            let operands = &operands[..rows_used];
            let sums = products_of(circuit, products, subfield, operands, call, first_row);
            for ([extended, _], sum) in values.iter_mut().zip(sums) {
                for (extended, slice) in extended.iter_mut().zip(sum.slices()) {
                    extended[call / 8][call % 8] = slice;
                }
            }
        }
        let sums = sums.iter_mut().flatten().flatten();
        for (values, sums) in values.iter().flatten().flatten().zip(sums) {
            map.add(&Words::transposed(values), sums);
        }
    }
}

/// The products at `d_64..d_127` of eight rows of a call, from row `first` on, weighed with powers
/// of `t`, given the operands of a block of calls in each row.
#[inline]
fn products_of(
    circuit: &Circuit,
    products: &[(Product, u64, usize)],
    subfield: &Subfield,
    operands: &[OperandBlock],
    call: usize,
    first: usize,
) -> [Points; MAX_PRODUCTS] {
    let mut sums = [Points::default(); MAX_PRODUCTS];
    let mut extensions = [Points::default(); MAX_OPERANDS];
    for (low, operands) in operands.iter().enumerate() {
        let words = operands.of_call(call).take(circuit.operands.len());
        for (extension, word) in extensions.iter_mut().zip(words) {
            *extension = subfield.extend(word);
        }
        for (sum, (product, rows, _)) in sums.iter_mut().zip(products) {
            if rows >> (first + low) & 1 == 1 {
                let (left, right) = (&extensions[product.left], &extensions[product.right]);
                sum.add_products(left, u8::from(product.inverted), right, low);
            }
        }
    }
    sums
}
