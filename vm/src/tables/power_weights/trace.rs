//! Trace of the table `power_weights`.

use droste_native::{EF, F};
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing, PrimeField32};

use super::air::PowerWeightsTable;
use super::columns::{D, PowerWeightsCols};
use crate::precompile::{POWER_WEIGHTS, Precompile};
use crate::record::{Call, FinalMemory};
use crate::tables::{CallTable, LookupCounts, Rows, VerifierCost, block, call_rows};

/// One row per coordinate of every call, in order, then padding.
impl CallTable for PowerWeightsTable {
    type Row = PowerWeightsCols<F>;

    const NAME: &'static str = "power_weights";

    const PRECOMPILES: &'static [Precompile] = &[POWER_WEIGHTS];

    fn verifier_cost() -> VerifierCost {
        VerifierCost::new(500, 3_000)
    }

    fn fill(memory: &FinalMemory, _: &Precompile, call: &Call, rows: Rows<'_, Self>) {
        fill_call(memory, call, rows.collect());
    }

    fn pad(row: &mut PowerWeightsCols<F>) {
        row.factor = F::ONE;
    }

    fn count(precompile: &Precompile, call: &Call, counts: &mut LookupCounts) {
        counts.block_range(call.a, call_rows(precompile, call));
        counts.block(call.d);
    }
}

fn fill_call(memory: &FinalMemory, call: &Call, mut rows: Vec<&mut PowerWeightsCols<F>>) {
    let count = call_rows(&POWER_WEIGHTS, call);
    let exponent = call.c.as_canonical_u32();
    let mut generator = call.b;
    let mut power = generator.exp_u64(exponent.into());
    for (index, row) in rows.iter_mut().enumerate() {
        row.starts = F::from_bool(index == 0);
        row.continues = F::from_bool(index > 0);
        row.address = call.a + F::from_usize(index);
        row.out_address = call.d;
        row.remaining = F::from_usize(count - index);
        row.generator = generator;
        row.exponent = F::from_u32(exponent.checked_shr(index as u32).unwrap_or(0));
        let bit = row.exponent.as_canonical_u32() & 1 == 1;
        row.bit = F::from_bool(bit);
        row.factor = if bit { generator } else { F::ONE };
        row.power = power;
        let [c0, c1, c2, c3, c4, ..] = block(memory, row.address);
        row.coordinate = [c0, c1, c2, c3, c4];
        generator = generator.square();
        power = power.square();
    }

    accumulate(&mut rows);
}

/// Computes what accumulates from the last row of a call up.
pub(super) fn accumulate(rows: &mut [&mut PowerWeightsCols<F>]) {
    let (mut point, mut product) = (F::ONE, EF::ONE);
    for row in rows.iter_mut().rev() {
        point *= row.factor;
        row.point = point;
        row.below = coefficients(product);
        let coordinate = EF::from_basis_coefficients_fn(|i| row.coordinate[i]);
        product *= coordinate * (row.power - F::ONE) + EF::ONE;
        row.product = coefficients(product);
    }
}

pub(super) fn coefficients(element: EF) -> [F; D] {
    let coefficients = element.as_basis_coefficients_slice();
    std::array::from_fn(|i| coefficients[i])
}
