//! Arithmetic of opened values at the out-of-domain point.

use crate::prelude::*;
use crate::suites::hash::X;
use crate::verify::fri::point::square_times;

/// Returns `values[0] + values[1] * x + values[2] * x^2 + ..`.
pub fn combine(values: &[Ext], x: Ext) -> Ext {
    let mut sum = Ext::ZERO;
    let n = values.len();
    for i in 0..n {
        sum = sum * x + values[n - 1 - i];
    }
    sum
}

/// Returns the value of a polynomial over the extension field, given the values of its
/// coefficient polynomials over the base field at the same extension point.
pub fn recompose(coefficients: &[Ext]) -> Ext {
    combine(coefficients, X)
}

/// Returns the value at `x` of the vanishing polynomial of the subgroup of order `2^log_height`.
pub fn vanishing(x: Ext, log_height: usize) -> Ext {
    square_times(x, log_height) - Felt::ONE
}
