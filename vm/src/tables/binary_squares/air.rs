//! Constraints of the table `binary_squares`.

use droste_native::F;
use p3_air::AirBuilder;
use p3_field::PrimeCharacteristicRing;
use p3_lookup::InteractionBuilder;

use super::columns::BinarySquaresCols;
use super::linear::{LOWEST_BIT, SQUARE, assert_parity};
use crate::isa::id;
use crate::tables::binary::{BITS, lanes};
use crate::tables::bus::{self, CallMessage};
use crate::tables::sum;

droste_air::air! {
    /// The table `binary_squares`: chains of elements of GF(2^128) in which each is made of the
    /// square of the one before.
    pub struct BinarySquaresTable(BinarySquaresCols as Row), degree = 3, eval = eval(local, next)
}

fn eval<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    eval_row(builder, local);
    eval_chain(builder, local, next);
    eval_elements(builder, local, next);
    eval_messages(builder, local);
}

/// Returns one on the rows of conjugates.
fn is_conjugates<AB: AirBuilder<F = F>>(row: &Row<AB>) -> AB::Expr {
    row.starts_conjugates + row.continues_conjugates
}

/// Returns one on the rows of points.
fn is_points<AB: AirBuilder<F = F>>(row: &Row<AB>) -> AB::Expr {
    row.starts_points + row.continues_points
}

/// Returns one on the rows of calls, zero on padding.
fn is_real<AB: AirBuilder<F = F>>(row: &Row<AB>) -> AB::Expr {
    is_conjugates::<AB>(row) + is_points::<AB>(row)
}

/// Returns one on the rows that continue the call of the row above.
fn continues<AB: AirBuilder<F = F>>(row: &Row<AB>) -> AB::Expr {
    row.continues_conjugates + row.continues_points
}

/// Constrains flags and bits to be boolean, at most one flag to be set, and what is linear in the
/// bits of the element.
fn eval_row<AB: AirBuilder<F = F>>(builder: &mut AB, local: &Row<AB>) {
    builder.assert_bools([local.starts_conjugates, local.starts_points]);
    builder.assert_bools([local.continues_conjugates, local.continues_points]);
    builder.assert_bool(is_real::<AB>(local));
    builder.assert_bool(local.bit);
    builder.assert_bools(local.element);
    builder.assert_bools(local.square);
    for (mask, bit) in SQUARE.into_iter().zip(local.square) {
        assert_parity(builder, &local.element, mask, bit);
    }
    assert_parity(builder, &local.element, LOWEST_BIT, local.bit);
}

/// Constrains calls to continue until nothing remains, and what they do not compute.
///
/// The rows form a ring in which row 0 follows the last row. Row 0 continues no call, so none goes
/// on across the end of the table. Where the last row is followed by itself it cannot continue a
/// call either, since `remaining` would have to be less than itself.
fn eval_chain<AB: AirBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    builder.when_first_row().assert_zero(continues::<AB>(local));

    let mut chain = builder.when(continues::<AB>(next));
    chain.assert_eq(next.remaining + F::ONE, local.remaining);
    chain.assert_eq(next.out_address, local.out_address + F::TWO);
    let other_address = local.other_address + next.continues_points;
    chain.assert_eq(next.other_address, other_address);

    let ends = AB::Expr::ONE - continues::<AB>(next);
    let mut last = builder.when(is_real::<AB>(local) * ends);
    last.assert_one(local.remaining);
}

/// Constrains each element of a call to be made of the one above. What is said of the position of a
/// point holds from the last row up: README.md has the reason.
fn eval_elements<AB: AirBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    let element = lanes::<AB::Expr>(next.element);

    let mut conjugates = builder.when(next.continues_conjugates);
    conjugates.assert_one(is_conjugates::<AB>(local));
    conjugates.assert_eq(next.operand, local.operand);
    for (lane, square) in element.iter().zip(lanes::<AB::Expr>(local.square)) {
        conjugates.assert_eq(lane.clone(), square);
    }

    let mut points = builder.when(next.continues_points);
    points.assert_one(is_points::<AB>(local));
    points.assert_eq(local.operand, next.operand * F::TWO + local.bit);
    let exclusive_or: [AB::Expr; BITS] = std::array::from_fn(|i| {
        let (x, y) = (local.element[i], local.square[i]);
        x + y - x * y * F::TWO
    });
    for (lane, mapped) in element.into_iter().zip(lanes::<AB::Expr>(exclusive_or)) {
        points.assert_eq(lane, mapped);
    }

    // The element is zero or one: of its other bits, which are boolean, none is set.
    let ends = AB::Expr::ONE - continues::<AB>(next);
    let mut last = builder.when(is_points::<AB>(local) * ends);
    last.assert_eq(local.operand, local.bit);
    let [_, above @ ..] = &local.element;
    last.assert_zero(sum::<AB::Expr, _>(above));
}

/// Receives the call, and looks up the element of a call of conjugates, the block that is copied,
/// and the two that are written.
fn eval_messages<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>) {
    let call = CallMessage {
        id: local.starts_conjugates * F::from_u32(id::BINARY_CONJUGATES)
            + local.starts_points * F::from_u32(id::BINARY_POINTS),
        a: local.operand.into(),
        b: local.other_address.into(),
        c: AB::Expr::ZERO,
        d: local.out_address.into(),
        e: local.remaining.into(),
    };
    let starts = local.starts_conjugates + local.starts_points;
    bus::receive_call(builder, call, starts);
    let element = lanes::<AB::Expr>(local.element);
    let is_conjugates = local.starts_conjugates;
    bus::lookup_block(builder, local.operand, element.clone(), is_conjugates);
    let is_real = is_real::<AB>(local);
    bus::lookup_block(builder, local.other_address, local.other, is_real.clone());
    bus::lookup_block(builder, local.out_address, element, is_real.clone());
    let copy_address = local.out_address + F::ONE;
    bus::lookup_block(builder, copy_address, local.other, is_real);
}
