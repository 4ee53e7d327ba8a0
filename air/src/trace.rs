//! Traces of tables with a row for each input.

use droste_native::F;
use p3_field::PrimeCharacteristicRing;
use p3_matrix::dense::RowMajorMatrix;
use p3_maybe_rayon::prelude::*;

use crate::{TraceError, TraceResult};

/// Makes a trace with a row of `width` cells per input, which `fill` writes. Without an input it
/// writes a row of padding. The trace has `height` rows or, without a height, the next power of
/// two.
pub(crate) fn generate<I: Sync>(
    inputs: &[I],
    height: Option<usize>,
    width: usize,
    fill: impl Fn(Option<&I>, &mut [F]) + Sync,
) -> TraceResult {
    let height = TraceError::height(inputs.len(), height)?;
    let mut values = F::zero_vec(height * width);
    let rows = values.par_chunks_mut(width).enumerate();
    rows.for_each(|(index, row)| fill(inputs.get(index), row));
    Ok(RowMajorMatrix::new(values, width))
}
