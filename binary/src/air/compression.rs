//! The constraints of compressions of BLAKE2s and BLAKE3, one a row, on the columns of
//! [`super::mix`].
//!
//! The README of the crate has them.

use std::array::from_fn;

use p3_air::{AirBuilder, WindowAccess};
use p3_field::PrimeCharacteristicRing;

use super::mix::{ADD1, ADD2, B1, B2, D1, D2, first};
use droste_batch::native::{IV, STEPS};

/// Constrains a row to be a compression, in whose columns the input and the calls of G are first.
///
/// `schedules` are the message words of each round, `last` is exclusive-ored into the input's last
/// four words, which gives `v[12..]`.
///
/// # Soundness
/// Cells must be bits, which the commitment sees to.
pub(super) fn eval<AB: AirBuilder>(builder: &mut AB, schedules: &[[usize; 16]], last: [u32; 4]) {
    let main = builder.main();
    let row = main.current_slice();
    let word = |column: usize| -> [AB::Expr; 32] { from_fn(|i| row[column + i].into()) };
    let constant =
        |word: u32| -> [AB::Expr; 32] { from_fn(|i| AB::Expr::from_bool(word >> i & 1 == 1)) };
    let mut v: [[AB::Expr; 32]; 16] = from_fn(|i| match i {
        0..8 => word(32 * i),
        8..12 => constant(IV[i - 8]),
        _ => xor::<AB>(&word(32 * (i + 12)), &constant(last[i - 12])),
    });
    let message: [[AB::Expr; 32]; 16] = from_fn(|i| word(32 * (8 + i)));
    for (round, schedule) in schedules.iter().enumerate() {
        for (step, [a, b, c, d]) in STEPS.into_iter().enumerate() {
            let at = first(round, step);
            let (mx, my) = (
                &message[schedule[2 * step]],
                &message[schedule[2 * step + 1]],
            );
            let [d1, b1, d2, b2] = [D1, B1, D2, B2].map(|part| word(at + part));
            let carries =
                |part: usize| -> [AB::Expr; 31] { from_fn(|i| row[at + part + i].into()) };
            // a1 = a + b + mx and d1 = (d ^ a1) >>> 16, so a1 = d ^ (d1 <<< 16), and so on.
            let a1 = xor_rotated::<AB>(&v[d], &d1, 16);
            add3(builder, &v[a], &v[b], mx, &carries(ADD1), &a1);
            let c1 = xor_rotated::<AB>(&v[b], &b1, 12);
            add2(builder, &v[c], &d1, &c1);
            let a2 = xor_rotated::<AB>(&d1, &d2, 8);
            add3(builder, &a1, &b1, my, &carries(ADD2), &a2);
            let c2 = xor_rotated::<AB>(&b1, &b2, 7);
            add2(builder, &c1, &d2, &c2);
            (v[a], v[b], v[c], v[d]) = (a2, b2, c2, d2);
        }
    }
}

fn xor<AB: AirBuilder>(x: &[AB::Expr; 32], y: &[AB::Expr; 32]) -> [AB::Expr; 32] {
    from_fn(|i| x[i].clone() + y[i].clone())
}

/// `x ^ (y <<< shift)`.
fn xor_rotated<AB: AirBuilder>(
    x: &[AB::Expr; 32],
    y: &[AB::Expr; 32],
    shift: usize,
) -> [AB::Expr; 32] {
    from_fn(|i| x[i].clone() + y[(i + 32 - shift) % 32].clone())
}

/// The majority of three bits.
fn majority<AB: AirBuilder>(x: &AB::Expr, y: &AB::Expr, z: &AB::Expr) -> AB::Expr {
    (x.clone() + z.clone()) * (y.clone() + z.clone()) + z.clone()
}

/// Constrains `sum = x + y + z`, where `carries[i]` goes into bit `i + 1` of `x + y`.
fn add3<AB: AirBuilder>(
    builder: &mut AB,
    x: &[AB::Expr; 32],
    y: &[AB::Expr; 32],
    z: &[AB::Expr; 32],
    carries: &[AB::Expr; 31],
    sum: &[AB::Expr; 32],
) {
    builder.assert_zero(x[0].clone() * y[0].clone() + carries[0].clone());
    for i in 1..31 {
        let carry = majority::<AB>(&x[i], &y[i], &carries[i - 1]);
        builder.assert_zero(carry + carries[i].clone());
    }
    let partial = from_fn(|i| match i {
        0 => x[0].clone() + y[0].clone(),
        _ => x[i].clone() + y[i].clone() + carries[i - 1].clone(),
    });
    add2(builder, &partial, z, sum);
}

/// Constrains `sum = x + y`: the carry into bit `i` is `sum[i] + x[i] + y[i]`.
fn add2<AB: AirBuilder>(
    builder: &mut AB,
    x: &[AB::Expr; 32],
    y: &[AB::Expr; 32],
    sum: &[AB::Expr; 32],
) {
    let carries: [AB::Expr; 32] = from_fn(|i| sum[i].clone() + x[i].clone() + y[i].clone());
    builder.assert_zero(carries[0].clone());
    for i in 0..31 {
        builder.assert_zero(majority::<AB>(&x[i], &y[i], &carries[i]) + carries[i + 1].clone());
    }
}
