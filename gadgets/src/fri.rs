//! Arithmetic of one FRI query.

use crate::bits::INVERSE_GENERATORS;
use crate::prelude::*;

/// One half.
const HALF: Felt = Felt::new(1_065_353_217);

/// Folds a row of `N = 2^log_arity` evaluations at `beta`.
///
/// The row holds a polynomial of degree below `N` on the coset `start * <g_N>`, in bit-reversed order;
/// the value is the polynomial at `beta`. Each of `log_arity` steps takes values at `x` and `-x` to the
/// value `(f(x) + f(-x)) / 2 + beta * (f(x) - f(-x)) / (2x)` at `x^2` (ePrint 2018/828, section 3).
pub fn fold<const N: usize>(row: [Ext; N], log_arity: usize, beta: Ext, start: Felt) -> Ext {
    // Inverses of the points of each pair, relative to the first: bit-reversed powers.
    let mut inverse_powers = [Felt::ONE; N];
    for j in 0..log_arity {
        if j + 1 < log_arity {
            for i in 0..(1 << j) {
                inverse_powers[i + (1 << j)] =
                    inverse_powers[i] * Felt::new(INVERSE_GENERATORS[j + 2]);
            }
        }
    }
    let mut values = row;
    let mut challenge = beta;
    let mut inverse_start = start.inverse();
    for level in 0..log_arity {
        let pairs = 1 << (log_arity - 1 - level);
        let scale = challenge * (inverse_start * HALF);
        for i in 0..pairs {
            let left = values[2 * i];
            let right = values[2 * i + 1];
            values[i] = (left - right) * (scale * inverse_powers[i]) + (left + right) * HALF;
        }
        challenge = challenge * challenge;
        inverse_start = inverse_start * inverse_start;
    }
    values[0]
}

/// Entry of `row` at the index with these bits, low first.
pub fn select<const N: usize>(
    row: [Ext; N],
    log_arity: usize,
    bits: [Felt; 31],
    from: usize,
) -> Ext {
    let mut values = row;
    for level in 0..log_arity {
        let pairs = 1 << (log_arity - 1 - level);
        for i in 0..pairs {
            let left = values[2 * i];
            values[i] = (values[2 * i + 1] - left) * bits[from + level] + left;
        }
    }
    values[0]
}

/// `x^n`.
pub fn power(x: Ext, n: usize) -> Ext {
    let mut result = Ext::ONE;
    let mut square = x;
    let mut rest = n;
    for _i in 0..32 {
        if rest > 0 {
            if rest % 2 == 1 {
                result = result * square;
            }
            rest = rest / 2;
            if rest > 0 {
                square = square * square;
            }
        }
    }
    result
}

/// `x^(2^n)`.
pub fn square_times(x: Ext, n: usize) -> Ext {
    let mut power = x;
    for _i in 0..n {
        power = power * power;
    }
    power
}

/// Value at `x` of the polynomial with these coefficients, constant term first.
pub fn evaluate<const N: usize>(coefficients: [Ext; N], x: Felt) -> Ext {
    let mut value = Ext::ZERO;
    for i in 0..N {
        value = value * x + coefficients[N - 1 - i];
    }
    value
}
