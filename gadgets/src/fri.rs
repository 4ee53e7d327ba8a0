//! Arithmetic of one FRI query.

use crate::prelude::*;
use crate::suites::hash::X;
use crate::verify::fri::point::{KOALA_BEAR, Point};

/// Returns the factors by which [`fold`] multiplies differences for challenge `beta`, except for
/// the row's starting point. For each of `log_arity` levels, a pair's factor is the challenge to
/// the power `2^level`, divided by twice the pair's first point relative to the row's first point.
/// Pairs are in bit-reversed order. The last entry is not used.
pub fn fold_scales<P: Point>(beta: Ext, log_arity: usize) -> Vec<Ext> {
    let arity = 1usize << log_arity;
    let half = P::constant(2).reciprocal();
    let mut inverse_powers = vec![P::constant(1); arity];
    for j in 0..log_arity {
        if j + 1 < log_arity {
            for i in 0..(1 << j) {
                inverse_powers[i + (1 << j)] = inverse_powers[i].times(P::inverse_generator(j + 2));
            }
        }
    }
    let mut scales = vec![Ext::ZERO; arity];
    let mut challenge = beta;
    let mut at = 0;
    for level in 0..log_arity {
        let pairs = 1 << (log_arity - 1 - level);
        for i in 0..pairs {
            scales[at + i] = inverse_powers[i].times(half).scale(challenge);
        }
        at += pairs;
        challenge = challenge * challenge;
    }
    scales
}

/// Folds a row of `n = 2^log_arity` evaluations by the challenge that `scales` were computed from.
///
/// The row contains the values of a polynomial of degree below `n` on the coset `start * <g_n>`, in
/// bit-reversed order. The result is the value of that polynomial at the challenge. Each of
/// `log_arity` steps maps the values at `x` and `-x` to the value
/// `(f(x) + f(-x)) / 2 + beta * (f(x) - f(-x)) / (2x)` at `x^2` (ePrint 2018/828, section 3).
pub fn fold<P: Point>(row: &[Ext], log_arity: usize, scales: &[Ext], inverse_start: P) -> Ext {
    let mut values = Vec::new();
    for value in row {
        values.push(*value);
    }
    let mut inverse_start = inverse_start;
    let mut at = 0;
    for level in 0..log_arity {
        let pairs = 1 << (log_arity - 1 - level);
        for i in 0..pairs {
            values[i] = inverse_start.folded(values[2 * i], values[2 * i + 1], scales[at + i]);
        }
        at += pairs;
        inverse_start = inverse_start.times(inverse_start);
    }
    values[0]
}

/// Returns `x^n`.
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

/// Least number of coefficients from which on evaluating polynomials over the base field, as many
/// as the degree of the extension, takes fewer instructions than evaluating one over the extension.
const LONG: usize = 16;

/// A polynomial over the extension that is evaluated at points of the base field of the proof.
#[derive(Clone, Debug)]
pub struct Polynomial {
    /// The coefficients, constant term first, unless there are many.
    coefficients: Vec<Ext>,
    /// If there are many, the polynomials over the base field whose sum, each times a power of the
    /// extension's generator, it is: slices with the coefficients, constant term last. There are
    /// none over BabyBear.
    limbs: Vec<Slice>,
    /// Number of coefficients.
    length: usize,
}

impl Polynomial {
    /// Prepares the polynomial with these coefficients, constant term first, of which there are a
    /// power of two.
    pub fn new(coefficients: Vec<Ext>) -> Self {
        let n = coefficients.len();
        let mut limbs = Vec::new();
        if n >= LONG && Ext::modulus() == KOALA_BEAR {
            for limb in 0..Ext::degree() {
                let mut blocks = Vec::new();
                for block in 0..n / 8 {
                    let mut lanes = [Felt::ZERO; 8];
                    for lane in 0..8 {
                        lanes[lane] = coefficients[n - 1 - 8 * block - lane].coeff(limb);
                    }
                    blocks.push(Block::new(lanes));
                }
                limbs.push(Slice::from_blocks(blocks));
            }
        }
        Self {
            coefficients,
            limbs,
            length: n,
        }
    }

    /// Returns the same polynomial with its coefficients at fixed addresses.
    pub fn pin(&self) -> Self {
        let mut coefficients = Vec::new();
        if self.limbs.is_empty() {
            for coefficient in &self.coefficients {
                coefficients.push(coefficient.pin());
            }
        }
        Self {
            coefficients,
            limbs: self.limbs.clone(),
            length: self.length,
        }
    }

    /// Returns the value at `x`.
    pub fn evaluate<P: Point>(&self, x: P) -> Ext {
        let n = self.length;
        let mut value = Ext::ZERO;
        if self.limbs.is_empty() {
            for i in 0..n {
                value = x.scale(value) + self.coefficients[n - 1 - i];
            }
        } else {
            let point = x.scale(Ext::ONE);
            let degree = self.limbs.len();
            for i in 0..degree {
                let limb = self.limbs[degree - 1 - i];
                value = value * X + horner(limb, 0, n, point);
            }
        }
        value
    }
}
