//! Multiplication by the circulant MDS matrix as a cyclic convolution.
//!
//! With `w` a primitive 16th root of unity, the discrete Fourier transform turns the convolution by
//! the matrix's first column into 16 products by constants. A transform of size 16 takes 17
//! multiplications by constants, not counting those by 1, so the product takes `17 + 16 + 17 = 50`,
//! compared with 256 for the dense product and 72 for the Karatsuba form. No division is needed:
//! the factor 1/16 of the inverse transform is part of the 16 constants.
//!
//! The packed field multiplies fastest in dot products, so there is a second form for values,
//! [`mds_convolve`].

use std::ops::{Add, Mul, Sub};

use p3_field::{Algebra, PrimeCharacteristicRing};

use super::{MDS_COLUMN, WIDTH};
use crate::field::{F, MODULUS};

/// `w^0 .. w^7`, `w` a primitive 16th root of unity.
pub(super) const TWIDDLES: [F; 8] = F::new_array([
    1, 148625052, 1748172362, 665723362, 2113994754, 982097957, 391001680, 668978722,
]);

/// `w^-0 .. w^-7`.
pub(super) const INVERSE_TWIDDLES: [F; 8] = F::new_array([
    1, 1461727711, 1739704753, 1148608476, 16711679, 1464983071, 382534071, 1982081381,
]);

/// Transform of the matrix's first column, divided by 16, in bit-reversed order.
pub(super) const EIGENVALUES: [F; WIDTH] = F::new_array([
    1731199000, 1198522378, 1831469057, 1630928909, 1815464711, 1220793591, 1367893528, 1987967475,
    347361995, 1777915502, 1304474842, 597696996, 1259858432, 1116153938, 70202446, 2049161531,
]);

/// The ring operations that the transform needs: addition, subtraction and multiplication by a
/// constant of the base field. Field elements, packed elements, extension elements and symbolic
/// expressions have them.
pub trait MdsRing: Clone + Add<Output = Self> + Sub<Output = Self> + Mul<F, Output = Self> {}

impl<R: Clone + Add<Output = R> + Sub<Output = R> + Mul<F, Output = R>> MdsRing for R {}

/// Multiplies the state by the MDS matrix of Poseidon-16 in 50 multiplications by constants.
#[inline]
pub fn mds_multiply<R: MdsRing>(state: &mut [R; WIDTH]) {
    // Decimation in frequency: natural order in, bit-reversed order out.
    for log_half in (0..4).rev() {
        let half = 1 << log_half;
        for block in (0..WIDTH).step_by(2 * half) {
            for offset in 0..half {
                let (low, high) = (block + offset, block + offset + half);
                let difference = state[low].clone() - state[high].clone();
                state[low] = state[low].clone() + state[high].clone();
                state[high] = twist(difference, &TWIDDLES, offset * (8 / half));
            }
        }
    }
    for (value, &eigenvalue) in state.iter_mut().zip(&EIGENVALUES) {
        *value = value.clone() * eigenvalue;
    }
    // Decimation in time: bit-reversed order in, natural order out.
    for log_half in 0..4 {
        let half = 1 << log_half;
        for block in (0..WIDTH).step_by(2 * half) {
            for offset in 0..half {
                let (low, high) = (block + offset, block + offset + half);
                let twisted = twist(state[high].clone(), &INVERSE_TWIDDLES, offset * (8 / half));
                state[high] = state[low].clone() - twisted.clone();
                state[low] = state[low].clone() + twisted;
            }
        }
    }
}

/// `value * twiddles[exponent]`; for exponent 0 nothing is multiplied.
#[inline]
fn twist<R: MdsRing>(value: R, twiddles: &[F; 8], exponent: usize) -> R {
    if exponent == 0 {
        value
    } else {
        value * twiddles[exponent]
    }
}

/// Multiplies the state by the MDS matrix of Poseidon-16 in 86 multiplications by constants. Nearly
/// all of them are in dot products, of which the packed field reduces only the sums, so for packed
/// elements this is faster than [`mds_multiply`].
///
/// The convolution is computed modulo each factor of
/// `x^16 - 1 = (x - 1)(x + 1)(x^2 + 1)(x^4 + 1)(x^8 + 1)`.
#[inline]
pub fn mds_convolve<A: Algebra<F>>(state: &mut [A; WIDTH]) {
    let (sums, differences) = halves::<A, 8>(state);
    let modulo_8 = negacyclic(&differences);
    let (sums, differences) = halves::<A, 4>(&sums);
    let modulo_4 = negacyclic(&differences);
    let (sums, differences) = halves::<A, 2>(&sums);
    let modulo_2 = negacyclic(&differences);
    let (sums, differences) = halves::<A, 1>(&sums);
    let modulo_1 = negacyclic(&differences);
    let [sum] = sums;
    state[0] = sum * COLUMN_MEAN;
    join(&mut state[..2], modulo_1);
    join(&mut state[..4], modulo_2);
    join(&mut state[..8], modulo_4);
    join(state, modulo_8);
}

/// The residues modulo `x^N - 1` and `x^N + 1` of a polynomial of degree below `2 N`.
#[inline(always)]
fn halves<A: Algebra<F>, const N: usize>(polynomial: &[A]) -> ([A; N], [A; N]) {
    let pair = |i: usize| (polynomial[i].clone(), polynomial[i + N].clone());
    let sum = |i| {
        let (low, high) = pair(i);
        low + high
    };
    let difference = |i| {
        let (low, high) = pair(i);
        low - high
    };
    (std::array::from_fn(sum), std::array::from_fn(difference))
}

/// Reconstructs a polynomial of degree below `2 N` in place, from half its residue modulo
/// `x^N - 1`, which is in the lower half of `polynomial`, and half its residue modulo `x^N + 1`.
#[inline(always)]
fn join<A: Algebra<F>, const N: usize>(polynomial: &mut [A], half_modulo_plus: [A; N]) {
    let (low, high) = polynomial.split_at_mut(N);
    for ((low, high), plus) in low.iter_mut().zip(high).zip(half_modulo_plus) {
        *high = low.clone() - plus.clone();
        *low += plus;
    }
}

/// The product of a polynomial by the matrix's first column modulo `x^N + 1`, divided by `16 / N`.
#[inline(always)]
fn negacyclic<A: Algebra<F>, const N: usize>(polynomial: &[A; N]) -> [A; N] {
    let rows: &[[F; N]; N] = const { &negacyclic_rows::<N>() };
    rows.each_ref()
        .map(|row| A::mixed_dot_product(polynomial, row))
}

/// Sum of the matrix's first column, divided by 16.
const COLUMN_MEAN: F = {
    let mut sum = 0;
    let mut i = 0;
    while i < WIDTH {
        sum += MDS_COLUMN[i];
        i += 1;
    }
    quotient(sum, WIDTH)
};

const fn negacyclic_rows<const N: usize>() -> [[F; N]; N] {
    let mut residue = [0; N];
    let mut i = 0;
    while i < WIDTH {
        let wraps = i / N % 2 == 1;
        residue[i % N] += if wraps { -MDS_COLUMN[i] } else { MDS_COLUMN[i] };
        i += 1;
    }
    let mut rows = [[F::ZERO; N]; N];
    let mut row = 0;
    while row < N {
        let mut column = 0;
        while column < N {
            let entry = residue[(N + row - column) % N];
            let signed = if row < column { -entry } else { entry };
            rows[row][column] = quotient(signed, WIDTH / N);
            column += 1;
        }
        row += 1;
    }
    rows
}

/// `numerator / denominator`; the denominator must be a power of two.
const fn quotient(numerator: i64, denominator: usize) -> F {
    let modulus = MODULUS as i64;
    let mut value = numerator.rem_euclid(modulus);
    let mut rest = denominator;
    while rest > 1 {
        value = (value + value % 2 * modulus) / 2;
        rest /= 2;
    }
    F::new(value as u32)
}
