//! Low-degree extensions.

use droste_native::F;
use droste_native::stark::suite::Dft;
use p3_dft::{Radix2DFTSmallBatch, TwoAdicSubgroupDft};
use p3_matrix::Matrix;
use p3_matrix::bitrev::BitReversibleMatrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_matrix::util::reverse_matrix_index_bits;

/// Matrices with fewer columns are extended by the transform for few columns.
///
/// The other one transforms row by row, so that columns beyond the last multiple of the number of
/// lanes are transformed one by one: with 5 columns it takes four times as long per cell.
const FEW_COLUMNS: usize = 64;

/// Shorter matrices are left to the transform that commitments use, since they cost nothing.
const FEW_ROWS: usize = 1 << 8;

/// Fast Fourier transforms with their tables of twiddle factors.
#[derive(Default)]
pub(super) struct Transforms {
    few_columns: Radix2DFTSmallBatch<F>,
    many_columns: Dft,
}

impl Transforms {
    /// Extends evaluations over a coset of a subgroup to `2^log_blowup` times as many rows, whose
    /// coset is shifted by `shift` against the first. The rows of the result are in bit-reversed
    /// order, as commitments have them.
    pub(super) fn extend(
        &self,
        evaluations: RowMajorMatrix<F>,
        log_blowup: usize,
        shift: F,
    ) -> RowMajorMatrix<F> {
        if evaluations.width() < FEW_COLUMNS && evaluations.height() >= FEW_ROWS {
            let dft = &self.few_columns;
            let mut extended = dft.coset_lde_batch(evaluations, log_blowup, shift);
            reverse_matrix_index_bits(&mut extended);
            extended
        } else {
            let dft = &self.many_columns;
            dft.coset_lde_batch(evaluations, log_blowup, shift)
                .bit_reverse_rows()
                .to_row_major_matrix()
        }
    }
}
