//! Trace of the table `power_weights`.

use std::borrow::BorrowMut;

use droste_native::{EF, F};
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing, PrimeField32};
use p3_matrix::dense::RowMajorMatrix;

use super::PRECOMPILES;
use super::columns::{D, PowerWeightsCols};
use crate::precompile::POWER_WEIGHTS;
use crate::record::{Call, Execution, FinalMemory};
use crate::tables::LookupCounts;
use crate::tables::{block, call_rows, calls, fill_calls};

/// Counts the trace's lookups of blocks, which are the multiplicities of the table `blocks`.
pub(super) fn count_lookups(execution: &Execution, counts: &mut LookupCounts) {
    for (precompile, call) in calls(PRECOMPILES, execution) {
        for row in 0..call_rows(precompile, call) {
            counts.block(call.a + F::from_usize(row));
        }
        counts.block(call.d);
    }
}

/// Returns the trace: one row per coordinate of every call, in order, then padding. The calls must
/// fit.
pub(super) fn generate(execution: &Execution, log_height: usize) -> RowMajorMatrix<F> {
    let width = PowerWeightsCols::<u8>::WIDTH;
    let mut values = F::zero_vec(width << log_height);
    let memory = &execution.memory;
    let padding = fill_calls(
        &mut values,
        width,
        PRECOMPILES,
        execution,
        |_, call, rows| {
            let rows = rows.chunks_exact_mut(width).map(BorrowMut::borrow_mut);
            fill_call(memory, call, rows.collect());
        },
    );
    for row in padding.chunks_exact_mut(width) {
        let row: &mut PowerWeightsCols<F> = row.borrow_mut();
        row.factor = F::ONE;
    }
    RowMajorMatrix::new(values, width)
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
