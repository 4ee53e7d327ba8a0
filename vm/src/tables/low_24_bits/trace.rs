//! Trace of the table `low_24_bits`.

use std::borrow::BorrowMut;

use droste_native::F;
use p3_field::{Field, PrimeCharacteristicRing, PrimeField32};
use p3_matrix::dense::RowMajorMatrix;
use p3_maybe_rayon::prelude::*;

use super::columns::{HIGH_BITS, LOW_BITS, Low24BitsCols};
use crate::isa::id;
use crate::record::Execution;

/// Returns the trace: one row per call, in order, then padding. The calls must fit.
pub(super) fn generate(execution: &Execution, log_height: usize) -> RowMajorMatrix<F> {
    let calls = &execution.calls[id::LOW_24_BITS as usize];
    let width = Low24BitsCols::<u8>::WIDTH;
    let mut values = F::zero_vec(width << log_height);
    // Inverses of 0 to 7; that of zero, which no honest call needs, is zero.
    let inverses: [F; HIGH_BITS + 1] =
        std::array::from_fn(|zeros| F::from_usize(zeros).try_inverse().unwrap_or_default());
    values
        .par_chunks_exact_mut(width)
        .enumerate()
        .for_each(|(index, row)| {
            let row: &mut Low24BitsCols<F> = row.borrow_mut();
            let call = calls.get(index);
            row.is_real = F::from_bool(call.is_some());
            let integer = call.map_or(0, |call| call.a.as_canonical_u32());
            row.low = std::array::from_fn(|bit| F::from_bool(integer >> bit & 1 == 1));
            let high = integer >> LOW_BITS;
            row.high = std::array::from_fn(|bit| F::from_bool(high >> bit & 1 == 1));
            let zeros = HIGH_BITS - (high.count_ones() as usize).min(HIGH_BITS);
            row.inverse = inverses[zeros];
        });
    RowMajorMatrix::new(values, width)
}
