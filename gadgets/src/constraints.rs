//! Opened values at the out-of-domain point.

use crate::fri::square_times;
use crate::packing::BASIS;
use crate::prelude::*;

/// `values[0] + values[1] * x + values[2] * x^2 + ..`.
pub fn combine(values: &[Ext], x: Ext) -> Ext {
    let mut sum = Ext::ZERO;
    let n = values.len();
    for i in 0..n {
        sum = sum * x + values[n - 1 - i];
    }
    sum
}

/// The extension element with these coefficients, each of which is a polynomial over the base field
/// opened at an extension point.
pub fn recompose(coefficients: &[Ext]) -> Ext {
    combine(coefficients, BASIS[1])
}

/// The vanishing polynomial of the subgroup of order `2^log_height`.
pub fn vanishing(x: Ext, log_height: usize) -> Ext {
    square_times(x, log_height) - Felt::ONE
}
