//! Constraints of the `horner` rows of the extension table.

use droste_native::F;
use p3_air::AirBuilder;
use p3_field::PrimeCharacteristicRing;
use p3_lookup::InteractionBuilder;

use super::air::product;
use super::columns::{D, ExtCols};
use crate::tables::LANES;

/// Chains of rows, one block a row: `d = b * beta^8 + sum of beta^(7 - j) * lane_j` over the window.
pub(super) fn eval_horner<AB: InteractionBuilder<F = F>>(
    builder: &mut AB,
    local: &ExtCols<AB::Var>,
    next: &ExtCols<AB::Var>,
) {
    eval_steps(builder, local);
    eval_window(builder, local, next);
    // A chain begins with an empty sum.
    let starts = local.is_horner * (AB::Expr::ONE - local.continues);
    for sum in local.b {
        builder.when(starts.clone()).assert_zero(sum);
    }
}

/// The running sum, two lanes a step, on every row: rows of other modes hold whatever the equation
/// makes of their columns, so that it needs no selector and stays at degree 3.
fn eval_steps<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &ExtCols<AB::Var>) {
    let beta: [AB::Expr; D] = local.c.map(Into::into);
    let beta_squared = product(&beta, &beta);
    let mut before: [AB::Expr; D] = local.b.map(Into::into);
    for (step, after) in local.steps.iter().enumerate() {
        let lane = |lane: usize| -> AB::Expr { local.window[lane] * local.a[lane] };
        let even = lane(2 * step);
        let odd = lane(2 * step + 1);
        let shifted = product(&before, &beta_squared);
        for (i, shifted) in shifted.into_iter().enumerate() {
            let mut value = shifted + even.clone() * local.c[i];
            if i == 0 {
                value += odd.clone();
            }
            builder.assert_eq(value, after[i]);
        }
        before = after.map(Into::into);
    }
    for (&after, d) in local.steps[LANES / 2 - 1].iter().zip(local.d) {
        builder.when(local.is_horner).assert_eq(after, d);
    }
}

/// The window is one run of lanes: it may begin late on a chain's first row only, and end early on
/// its last row only.
fn eval_window<AB: InteractionBuilder<F = F>>(
    builder: &mut AB,
    local: &ExtCols<AB::Var>,
    next: &ExtCols<AB::Var>,
) {
    let rises: AB::Expr = (0..LANES)
        .map(|lane| {
            let flag: AB::Expr = local.window[lane].into();
            match lane.checked_sub(1) {
                Some(before) => flag.clone() - flag * local.window[before],
                None => flag,
            }
        })
        .sum();
    let mut horner = builder.when(local.is_horner);
    horner.assert_one(rises);
    horner.when(local.continues).assert_one(local.window[0]);
    horner
        .when(next.continues)
        .assert_one(local.window[LANES - 1]);
}
