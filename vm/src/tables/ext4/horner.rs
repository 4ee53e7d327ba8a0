//! Constraints of the `horner4` rows of the table `ext4`.

use droste_native::F;
use p3_air::AirBuilder;
use p3_field::PrimeCharacteristicRing;
use p3_lookup::InteractionBuilder;

use super::air::product;
use super::columns::{D, Ext4Cols};
use crate::tables::LANES;

/// Constrains chains of one row per block: `d = b * beta^8 + sum of beta^(7 - j) * lane_j` over the
/// window.
pub(super) fn eval_horner<AB: InteractionBuilder<F = F>>(
    builder: &mut AB,
    local: &Ext4Cols<AB::Var>,
    next: &Ext4Cols<AB::Var>,
) {
    eval_steps(builder, local);
    eval_window(builder, local, next);
    // The sum before a chain's first row is zero.
    let starts = local.is_horner * (AB::Expr::ONE - local.continues);
    for sum in local.b {
        builder.when(starts.clone()).assert_zero(sum);
    }
}

/// Constrains the running sum, two lanes per step, on rows of every mode. It needs no selector and
/// so stays at degree 3: on rows of other modes `steps` is whatever the equation makes of their
/// columns.
fn eval_steps<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Ext4Cols<AB::Var>) {
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

/// Constrains the window to be one contiguous run of lanes, which may begin after lane 0 only on a
/// chain's first row, and end before lane 7 only on its last row.
fn eval_window<AB: InteractionBuilder<F = F>>(
    builder: &mut AB,
    local: &Ext4Cols<AB::Var>,
    next: &Ext4Cols<AB::Var>,
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
