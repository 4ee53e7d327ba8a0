//! Evaluates constraints over the rows of a trace, packed, without any other part of proving.

use std::hint::black_box;

use droste_native::{Blake3Suite, Config, F};
use p3_air::{Air, RowWindow};
use p3_field::{Field, PackedValue, PrimeCharacteristicRing};
use p3_matrix::Matrix;
use p3_matrix::dense::{RowMajorMatrix, RowMajorMatrixView};
use p3_uni_stark::ProverConstraintFolder;

type Packed = <F as Field>::Packing;

/// Number of rows that are evaluated, which are packed beforehand. They are few enough to stay in
/// the cache.
pub const ROWS: usize = 1024;

/// An AIR whose constraints Plonky3's prover can evaluate packed.
pub trait PackedAir: for<'a> Air<ProverConstraintFolder<'a, Config<Blake3Suite>>> {}

impl<A> PackedAir for A where A: for<'a> Air<ProverConstraintFolder<'a, Config<Blake3Suite>>> {}

/// Returns a function that evaluates every constraint on the first rows of a trace. All selectors
/// are one: their values do not affect the time.
pub fn evaluator<'a, A: PackedAir>(
    air: &'a A,
    trace: &RowMajorMatrix<F>,
) -> impl FnMut() + use<'a, A> {
    let width = trace.width();
    let rows = ROWS.min(trace.height());
    let groups: Vec<Vec<Packed>> = (0..rows)
        .step_by(Packed::WIDTH)
        .map(|row| trace.vertically_packed_row_pair(row, 1))
        .collect();
    let mut constraints = vec![];
    move || {
        for group in &groups {
            constraints.clear();
            let empty = RowMajorMatrixView::new(&[], 0);
            let mut folder = ProverConstraintFolder::<Config<Blake3Suite>> {
                main: RowMajorMatrixView::new(group, width),
                preprocessed: empty,
                preprocessed_window: RowWindow::from_view(&empty),
                periodic_values: &[],
                public_values: &[],
                is_first_row: Packed::ONE,
                is_last_row: Packed::ONE,
                is_transition: Packed::ONE,
                base_alpha_powers: &[],
                ext_alpha_powers: &[],
                base_constraints: std::mem::take(&mut constraints),
                ext_constraints: vec![],
                constraint_index: 0,
                constraint_count: 0,
            };
            air.eval(&mut folder);
            black_box(&folder.base_constraints);
            constraints = folder.base_constraints;
        }
    }
}
