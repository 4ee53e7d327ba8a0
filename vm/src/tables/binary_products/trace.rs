//! Trace of the table `binary_products`.

use droste_native::F;
use droste_native::precompile::BINARY_LANE_BITS;
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_maybe_rayon::prelude::*;

use super::air::{BinaryProductsTable, LEAST_CARRY, MODULUS, identity};
use super::columns::{BITS, BinaryProductsCols, COEFFICIENTS};
use crate::isa::id;
use crate::precompile::{BINARY_PRODUCT, BINARY_PRODUCTS, Precompile};
use crate::record::{Call, FinalMemory};
use crate::tables::{CallTable, LANES, LookupCounts, PolynomialIdentity, Row, Rows, block};

/// Largest carry: two products of 128 bits each meet in the middle coefficient, and a bit is added.
pub const LARGEST_CARRY: i32 = (2 * BITS as i32 + 1) / 2;

/// Number of values that carries have.
pub const CARRIES: usize = (LARGEST_CARRY - LEAST_CARRY + 1) as usize;

/// Rows that a thread counts at once.
const COUNTED_ROWS: usize = 256;

type Columns = BinaryProductsCols<F>;

/// One row per call, then padding.
impl CallTable for BinaryProductsTable {
    type Row = Columns;

    const NAME: &'static str = "binary_products";

    const PRECOMPILES: &'static [Precompile] = &[BINARY_PRODUCT, BINARY_PRODUCTS];

    /// A row for each value of a carry.
    const MIN_ROWS: usize = CARRIES;

    fn identities() -> Vec<PolynomialIdentity> {
        vec![identity()]
    }

    fn fill(memory: &FinalMemory, precompile: &Precompile, call: &Call, rows: Rows<'_, Self>) {
        let is_pair = precompile.identity == id::BINARY_PRODUCTS;
        for row in rows {
            row.is_single = F::from_bool(!is_pair);
            row.is_pair = F::from_bool(is_pair);
            row.left_address = call.a;
            row.distance = call.e;
            row.right_address = call.b;
            row.added_address = call.c;
            row.result_address = call.d;
            row.left[0] = bits(&block(memory, call.a));
            row.right[0] = bits(&block(memory, call.b));
            if is_pair {
                row.left[1] = bits(&block(memory, call.a + call.e));
                row.right[1] = bits(&block(memory, call.b + F::ONE));
            }
            row.added = bits(&block(memory, call.c));
            compute(row);
        }
    }

    fn pad(_: &mut Columns) {}

    fn finish(rows: &mut [F]) {
        for (index, row) in rows.chunks_exact_mut(Columns::WIDTH).enumerate() {
            Columns::of(row).index = F::from_i32(LEAST_CARRY) + F::from_usize(index);
        }
        let counts = counts(rows);
        for (row, count) in rows.chunks_exact_mut(Columns::WIDTH).zip(counts) {
            Columns::of(row).count = F::from_u32(count);
        }
    }

    fn count(precompile: &Precompile, call: &Call, counts: &mut LookupCounts) {
        let is_pair = precompile.identity == id::BINARY_PRODUCTS;
        counts.block(call.a);
        counts.block(call.b);
        if is_pair {
            counts.block(call.a + call.e);
            counts.block(call.b + F::ONE);
        }
        counts.block(call.c);
        counts.block(call.d);
    }
}

/// The bits of a block that holds an element.
fn bits(block: &[F; LANES]) -> [F; BITS] {
    let lanes = block.map(|lane| lane.as_canonical_u32());
    std::array::from_fn(|i| {
        let lane = lanes[i / BINARY_LANE_BITS];
        F::from_u32(lane >> (i % BINARY_LANE_BITS) & 1)
    })
}

/// Computes the result, the multiple of the modulus and the carries from the bits of the elements.
pub fn compute(row: &mut Columns) {
    let mut sums = [0_i16; COEFFICIENTS];
    let integers = |bits: &[F; BITS]| bits.map(|bit| i16::from(bit == F::ONE));
    for (left, right) in row.left.iter().zip(&row.right) {
        let right = integers(right);
        let ones = (0..BITS).filter(|&shift| left[shift] == F::ONE);
        for shift in ones {
            for (sum, bit) in sums[shift..].iter_mut().zip(right) {
                *sum += bit;
            }
        }
    }
    for (sum, bit) in sums.iter_mut().zip(integers(&row.added)) {
        *sum += bit;
    }
    // Coefficients above the result are cleared from the highest one down.
    for degree in (BITS..COEFFICIENTS).rev() {
        let is_odd = sums[degree] & 1 == 1;
        row.multiple[degree - BITS] = F::from_bool(is_odd);
        if is_odd {
            for exponent in MODULUS {
                sums[degree - BITS + exponent] -= 1;
            }
        }
    }
    for (bit, sum) in row.result.iter_mut().zip(&mut sums) {
        let odd = *sum & 1;
        *bit = F::from_bool(odd == 1);
        *sum -= odd;
    }
    for (carry, sum) in row.carries.iter_mut().zip(sums) {
        *carry = F::from_i16(sum / 2);
    }
}

/// How many carries of all rows have each value, from the least one on.
pub fn counts(rows: &[F]) -> Vec<u32> {
    let parts = rows.par_chunks(COUNTED_ROWS * Columns::WIDTH).map(|rows| {
        let mut counts = vec![0_u32; CARRIES];
        for row in rows.chunks_exact(Columns::WIDTH) {
            let row: &Columns = std::borrow::Borrow::borrow(row);
            for &carry in &row.carries {
                let index = (carry - F::from_i32(LEAST_CARRY)).as_canonical_u32();
                if let Some(count) = counts.get_mut(index as usize) {
                    *count += 1;
                }
            }
        }
        counts
    });
    let parts: Vec<Vec<u32>> = parts.collect();
    let value = |value: usize| parts.iter().map(|counts| counts[value]).sum();
    (0..CARRIES).map(value).collect()
}
