//! Trace of the table `binary_products`.

use std::borrow::Borrow;

use droste_native::F;
use droste_native::precompile::BINARY_LANE_BITS;
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::air::{BinaryProductsTable, MODULUS, identity};
use super::columns::{BITS, BinaryProductsCols, COEFFICIENTS, in_pairs};
use crate::isa::id;
use crate::precompile::{BINARY_PRODUCT, BINARY_PRODUCTS, Precompile};
use crate::record::{Call, FinalMemory};
use crate::tables::{
    CallTable, LANES, LookupCounts, PolynomialIdentity, Rows, VerifierCost, block, carry_pairs,
};

type Columns = BinaryProductsCols<F>;

/// One row per call, then padding.
impl CallTable for BinaryProductsTable {
    type Row = Columns;

    const NAME: &'static str = "binary_products";

    const PRECOMPILES: &'static [Precompile] = &[BINARY_PRODUCT, BINARY_PRODUCTS];

    fn identities() -> Vec<PolynomialIdentity> {
        vec![identity()]
    }

    fn verifier_cost() -> VerifierCost {
        VerifierCost {
            // Its polynomial identity is evaluated as a whole.
            over_whir: 10_000,
            ..VerifierCost::new(50_000, 150_000)
        }
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

    fn count_rows(rows: &[F], counts: &mut LookupCounts) {
        for row in rows.chunks_exact(Columns::WIDTH) {
            let row: &Columns = row.borrow();
            count_carries(&row.carries, counts);
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

/// Counts the lookups of the carries of a row.
pub fn count_carries(carries: &[F; COEFFICIENTS], counts: &mut LookupCounts) {
    for (first, second) in in_pairs(carries) {
        let pair = [first, second.unwrap_or_default()];
        carry_pairs::count(&mut counts.carry_pairs, pair);
    }
}

/// The bits of a block that holds an element.
pub fn bits(block: &[F; LANES]) -> [F; BITS] {
    let lanes = block.map(|lane| lane.as_canonical_u32());
    std::array::from_fn(|i| {
        let lane = lanes[i / BINARY_LANE_BITS];
        F::from_u32(lane >> (i % BINARY_LANE_BITS) & 1)
    })
}

/// Computes the result, the multiple of the modulus and the carries from the bits of the elements.
pub fn compute(row: &mut Columns) {
    let mut sums = [0; COEFFICIENTS];
    for (left, right) in row.left.iter().zip(&row.right) {
        add_product(&mut sums, left, right);
    }
    let division = Division::new(sums, &row.added);
    row.result = division.result;
    row.multiple = division.multiple;
    row.carries = division.carries;
}

fn integers(bits: &[F; BITS]) -> [i16; BITS] {
    bits.map(|bit| i16::from(bit == F::ONE))
}

/// Adds a product, over the integers, to the sum with these coefficients.
pub fn add_product(sums: &mut [i16; COEFFICIENTS], left: &[F; BITS], right: &[F; BITS]) {
    let right = integers(right);
    let ones = (0..BITS).filter(|&shift| left[shift] == F::ONE);
    for shift in ones {
        for (sum, bit) in sums[shift..].iter_mut().zip(right) {
            *sum += bit;
        }
    }
}

/// What a row has of a sum of products.
pub struct Division {
    /// The result.
    pub result: [F; BITS],
    /// The multiple of the modulus.
    pub multiple: [F; BITS - 1],
    /// The carries.
    pub carries: [F; COEFFICIENTS],
}

impl Division {
    /// Of the sum with these coefficients over the integers, and what is added.
    pub fn new(mut sums: [i16; COEFFICIENTS], added: &[F; BITS]) -> Self {
        for (sum, bit) in sums.iter_mut().zip(integers(added)) {
            *sum += bit;
        }
        // Coefficients above the result are cleared from the highest one down.
        let mut multiple = [F::ZERO; BITS - 1];
        for degree in (BITS..COEFFICIENTS).rev() {
            let is_odd = sums[degree] & 1 == 1;
            multiple[degree - BITS] = F::from_bool(is_odd);
            if is_odd {
                for exponent in MODULUS {
                    sums[degree - BITS + exponent] -= 1;
                }
            }
        }
        let mut result = [F::ZERO; BITS];
        for (bit, sum) in result.iter_mut().zip(&mut sums) {
            let odd = *sum & 1;
            *bit = F::from_bool(odd == 1);
            *sum -= odd;
        }
        Self {
            result,
            multiple,
            carries: sums.map(|sum| F::from_i16(sum / 2)),
        }
    }
}
