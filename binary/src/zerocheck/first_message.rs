//! The first message: the weighted sum of constraints, as a polynomial over the bits of words.

use std::array::from_fn;

use p3_field::PrimeCharacteristicRing;
use p3_maybe_rayon::prelude::*;

use crate::bits::{BLOCK, Sums, WordMap, Words};
use crate::circuit::{BITS, Circuit, Product};
use crate::field::K;
use crate::trace::{OperandBlock, RowPairs, Trace};
use crate::univariate::{COORDINATES, EXTENDED, Points, Subfield, extrapolate};

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
    let mut pairs = RowPairs::new(trace);
    let mut operands = vec![OperandBlock::default(); COORDINATES];
    for (eight, &weight) in high.iter().enumerate() {
        let first_row = COORDINATES * eight;
        if all_rows >> first_row & 0xff == 0 {
            continue;
        }
        let weights = from_fn(|i| calls.get(i).map_or(K::ZERO, |&call| call * weight));
        let map = WordMap::new(&weights);
        // Up to the last row with products.
        let rows_used = COORDINATES - ((all_rows >> first_row) as u8).leading_zeros() as usize;
        for (low, operands) in operands.iter_mut().take(rows_used).enumerate() {
            operands.set(pairs.read(first_row + low, first), circuit);
        }
        for ([extended, bits], &(product, rows, _)) in sums.iter_mut().zip(products) {
            let inverse = if product.inverted { u64::MAX } else { 0 };
            let mut values = Points::default();
            for (low, operands) in operands[..rows_used].iter().enumerate() {
                if rows >> (first_row + low) & 1 == 0 {
                    continue;
                }
                let left = operands.word(product.left);
                let left = left.map(|lanes| lanes.map(|word| word ^ inverse));
                let right = operands.word(product.right);
                let both = from_fn(|eight| from_fn(|i| left[eight][i] & right[eight][i]));
                map.add(&Words::transposed(&both), &mut bits[low]);
                let left = subfield.extend(&Words::new(&left), low);
                let right = subfield.extend(&Words::new(&right), 0);
                let factors = left.as_flattened().iter().zip(right.as_flattened());
                for (value, (&left, &right)) in values.as_flattened_mut().iter_mut().zip(factors) {
                    *value = *value ^ left.times(right);
                }
            }
            // Word `p` of coordinate `b` has the bit of each call.
            let mut words = [[[0; BLOCK / 8]; 8]; COORDINATES];
            for (q, values) in values.iter().enumerate() {
                for (eight, value) in values.iter().enumerate() {
                    for (words, slice) in words.iter_mut().zip(value.slices()) {
                        words[eight][q] = slice;
                    }
                }
            }
            for (words, sums) in words.iter().zip(extended) {
                map.add(&Words::new(words), sums);
            }
        }
    }
}
