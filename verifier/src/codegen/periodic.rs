//! Periodic columns at the out-of-domain point.

use droste_native::field::BaseField;
use p3_dft::{Radix2Dit, TwoAdicSubgroupDft};

use super::program::{Signed, StraightLine, Value};
use super::{CodegenError, Input};

/// Program that evaluates every periodic column at the point. On a trace of `n = 2^log_height` rows
/// a column of period `p` is its interpolant over the subgroup of order `p`, evaluated at
/// `point^(n / p)`.
pub(super) fn evaluator<K: BaseField>(
    table: &str,
    columns: &[Vec<K>],
    log_height: usize,
) -> Result<StraightLine, CodegenError> {
    let mut program = StraightLine::<K>::default();
    let mut squares = vec![Value::Input(Input::Point)];
    for (index, column) in columns.iter().enumerate() {
        let length = column.len();
        let folds = length
            .is_power_of_two()
            .then(|| log_height.checked_sub(length.ilog2() as usize))
            .flatten()
            .ok_or_else(|| CodegenError::PeriodicColumn {
                table: table.to_owned(),
                column: index,
                length,
                log_height,
            })?;
        while squares.len() <= folds {
            let last = squares[squares.len() - 1];
            squares.push(program.multiply(last, last));
        }
        let coefficients = Radix2Dit::<K>::default().idft(column.clone());
        let mut value = Value::Constant(K::ZERO);
        for &coefficient in coefficients.iter().rev() {
            value = program.multiply_add(squares[folds], value, Value::Constant(coefficient));
        }
        program.finish(Signed::plus(value));
    }
    Ok(program.cells())
}
