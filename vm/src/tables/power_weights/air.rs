//! Constraints of the table `power_weights`.

use droste_native::F;
use p3_air::AirBuilder;
use p3_field::PrimeCharacteristicRing;
use p3_field::extension::trinomial_quintic_mul;
use p3_lookup::InteractionBuilder;

use super::columns::{D, PowerWeightsCols};
use crate::isa::id;
use crate::tables::LANES;
use crate::tables::bus::{self, CallMessage};

droste_air::air! {
    /// The table `power_weights`: the multilinear extension of a point's powers.
    pub struct PowerWeightsTable(PowerWeightsCols as Row), degree = 3, eval = eval(local, next)
}

fn eval<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    eval_row(builder, local);
    eval_chain(builder, local, next);
    eval_messages(builder, local);
}

/// Returns one on the rows of calls, zero on padding.
fn is_real<AB: AirBuilder<F = F>>(row: &Row<AB>) -> AB::Expr {
    row.starts + row.continues
}

/// Constrains what a row makes of its own columns. No selector is needed, so that the product of
/// three columns has degree 3.
fn eval_row<AB: AirBuilder<F = F>>(builder: &mut AB, local: &Row<AB>) {
    builder.assert_bools([local.starts, local.continues, local.bit]);
    builder.assert_bool(is_real::<AB>(local));
    builder.assert_eq(
        local.factor,
        local.bit * (local.generator - F::ONE) + F::ONE,
    );

    // product = below * (1 + r (power - 1)).
    let below: [AB::Expr; D] = local.below.map(Into::into);
    let less_one = local.power - F::ONE;
    let scaled: [AB::Expr; D] = std::array::from_fn(|i| less_one.clone() * local.coordinate[i]);
    let mut change: [AB::Expr; D] = std::array::from_fn(|_| AB::Expr::ZERO);
    trinomial_quintic_mul(&below, &scaled, &mut change);
    for ((change, below), product) in change.into_iter().zip(below).zip(local.product) {
        builder.assert_eq(below + change, product);
    }
}

/// Constrains calls to continue until nothing remains. What accumulates does so from the last row
/// up: a first row has the exponent, the point and the result of its call.
///
/// The rows form a ring in which row 0 follows the last row. Row 0 continues no call, so none goes
/// on across the end of the table. Where the last row is followed by itself it cannot continue a
/// call either, since `remaining` would have to be less than itself.
fn eval_chain<AB: AirBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    builder.when_first_row().assert_zero(local.continues);

    let mut chain = builder.when(next.continues);
    chain.assert_one(is_real::<AB>(local));
    chain.assert_eq(next.address, local.address + F::ONE);
    chain.assert_eq(next.out_address, local.out_address);
    chain.assert_eq(next.remaining + F::ONE, local.remaining);
    chain.assert_eq(next.generator, local.generator * local.generator);
    chain.assert_eq(next.power, local.power * local.power);
    chain.assert_eq(local.exponent, next.exponent * F::TWO + local.bit);
    chain.assert_eq(local.point, local.factor * next.point);
    for (below, product) in local.below.into_iter().zip(next.product) {
        chain.assert_eq(below, product);
    }

    let mut last = builder.when(is_real::<AB>(local) * (AB::Expr::ONE - next.continues));
    last.assert_one(local.remaining);
    last.assert_eq(local.exponent, local.bit);
    last.assert_eq(local.point, local.factor);
    let [constant, rest @ ..] = local.below;
    last.assert_one(constant);
    last.assert_zeros(rest);

    builder
        .when(local.starts)
        .assert_eq(local.power, local.point);
}

/// Receives the call, and looks up the coordinate and, on a first row, the result.
fn eval_messages<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>) {
    let call = CallMessage {
        id: F::from_u32(id::POWER_WEIGHTS).into(),
        a: local.address.into(),
        b: local.generator.into(),
        c: local.exponent.into(),
        d: local.out_address.into(),
        e: local.remaining.into(),
    };
    bus::receive_call(builder, call, local.starts);
    let block = |element: [AB::Var; D]| -> [AB::Expr; LANES] {
        std::array::from_fn(|lane| element.get(lane).map_or(AB::Expr::ZERO, |&c| c.into()))
    };
    let coordinate = block(local.coordinate);
    bus::lookup_block(builder, local.address, coordinate, is_real::<AB>(local));
    let result = block(local.product);
    bus::lookup_block(builder, local.out_address, result, local.starts);
}
