//! The first message: the weighted sum of constraints, as a polynomial over the bits of words.

use p3_field::PrimeCharacteristicRing;
use p3_maybe_rayon::prelude::*;

use crate::bits::{BLOCK, Sums, WordMap, Words};
use crate::circuit::{BITS, Circuit, MAX_OPERANDS, MAX_PRODUCTS, Product, WORDS};
use crate::field::K;
use crate::trace::Trace;
use crate::univariate::{COORDINATES, EXTENDED, Subfield, add_products, extrapolate};

/// For one product and both kinds of points, those at `d_64..d_127` and at `d_0..d_63`, something
/// for each coordinate.
type ByPoints<T> = [[T; COORDINATES]; 2];

/// The values at `d_64..d_127` of the weighted sum of constraints.
///
/// At `d_0..d_63` products and rests have equal sums, since each constraint is zero there. So the
/// rests, of degree 63, follow from the products.
pub(super) fn first_message(
    circuit: &Circuit,
    trace: &Trace,
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
    trace: &Trace,
    subfield: &Subfield,
    (first, calls): (usize, &[K]),
    high: &[K],
    sums: &mut [ByPoints<Sums>],
) {
    let all_rows = products.iter().fold(0, |rows, product| rows | product.1);
    let mut values = vec![[[[0; BLOCK]; COORDINATES]; 2]; products.len()];
    for (eight, &weight) in high.iter().enumerate() {
        if all_rows >> (COORDINATES * eight) & 0xff == 0 {
            continue;
        }
        let weights = std::array::from_fn(|i| calls.get(i).map_or(K::ZERO, |&call| call * weight));
        let map = WordMap::new(&weights);
        for call in 0..calls.len() {
            let row = (first + call) << circuit.log_rows;
            let own = products_of(circuit, trace, subfield, row, COORDINATES * eight);
            for (i, values) in values.iter_mut().enumerate() {
                for (values, own) in values.iter_mut().zip(&own) {
                    for (values, own) in values.iter_mut().zip(own) {
                        values[call] = own[i];
                    }
                }
            }
        }
        let sums = sums.iter_mut().flatten().flatten();
        for (values, sums) in values.iter().flatten().flatten().zip(sums) {
            map.add(&Words::transposed(values), sums);
        }
    }
}

/// The products of eight rows of the call that begins at row `call`, from row `first` of it on,
/// weighed with powers of `t`.
#[inline]
fn products_of(
    circuit: &Circuit,
    trace: &Trace,
    subfield: &Subfield,
    call: usize,
    first: usize,
) -> ByPoints<[u64; MAX_PRODUCTS]> {
    let mut sums = [[[0; MAX_PRODUCTS]; COORDINATES]; 2];
    let [extended, bits] = &mut sums;
    let mut operands = [0; MAX_OPERANDS];
    let mut extensions = [[0; COORDINATES]; MAX_OPERANDS];
    let mut rows = [[0; WORDS]; COORDINATES + 1];
    trace.rows(call + first, &mut rows[..COORDINATES]);
    trace.rows(
        trace.next(call + first + COORDINATES - 1),
        &mut rows[COORDINATES..],
    );
    for (low, bits) in bits.iter_mut().enumerate() {
        (circuit.fast_operands)(&rows[low], &rows[low + 1], &mut operands);
        let extended_operands = extensions.iter_mut().zip(&operands);
        for (extension, &operand) in extended_operands.take(circuit.operands.len()) {
            *extension = subfield.extend(operand);
        }
        let mut left = [[0; MAX_PRODUCTS]; COORDINATES];
        let mut right = [[0; MAX_PRODUCTS]; COORDINATES];
        for (i, (product, rows, _)) in circuit.products().enumerate() {
            if rows >> (first + low) & 1 == 0 {
                continue;
            }
            let inverse = if product.inverted { u64::MAX } else { 0 };
            bits[i] = (operands[product.left] ^ inverse) & operands[product.right];
            for b in 0..COORDINATES {
                left[b][i] = extensions[product.left][b];
                right[b][i] = extensions[product.right][b];
            }
            left[0][i] ^= inverse;
        }
        add_products(&left, &right, low, extended);
    }
    sums
}
