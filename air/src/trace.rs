//! Traces of tables whose rows are those of one input after the other.

use droste_native::F;
use p3_field::PrimeCharacteristicRing;
use p3_matrix::dense::RowMajorMatrix;
use p3_maybe_rayon::prelude::*;

use crate::TraceError;

/// Makes a trace with `rows` rows of `width` cells per input, which `fill` writes. Without an input
/// it writes rows of padding, of which the last may be cut off. The trace has `height` rows or,
/// without a height, the next power of two.
pub(crate) fn generate<I: Sync>(
    inputs: &[I],
    height: Option<usize>,
    (rows, width): (usize, usize),
    fill: impl Fn(Option<&I>, &mut [F]) + Sync,
) -> Result<RowMajorMatrix<F>, TraceError> {
    let height = TraceError::height(rows * inputs.len(), height)?;
    let mut values = F::zero_vec(height * width);
    let groups = values.par_chunks_mut(rows * width).enumerate();
    groups.for_each(|(index, rows)| fill(inputs.get(index), rows));
    Ok(RowMajorMatrix::new(values, width))
}
