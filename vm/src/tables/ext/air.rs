//! Constraints of the table `ext`.

use droste_native::F;
use p3_air::AirBuilder;
use p3_field::PrimeCharacteristicRing;
use p3_field::extension::trinomial_quintic_mul;
use p3_lookup::InteractionBuilder;

use super::chain::{chained, eval_chain, tail};
use super::columns::{D, ExtCols};
use super::horner::eval_horner;
use super::shifts::eval_shifts;
use super::unpack::eval_unpack;
use crate::isa::id;
use crate::tables::bus::{self, CallMessage};
use crate::tables::{LANES, sum};

droste_air::air! {
    /// The table `ext`: calls of `ext`, `lane`, `block_eq`, `horner`, `unpack` and `right_shifts`.
    pub struct ExtTable(ExtCols as Row), degree = 3, eval = eval(local, next)
}

fn eval<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    eval_modes(builder, local);
    eval_ext(builder, local);
    eval_lane(builder, local);
    eval_block_eq(builder, local);
    eval_chain(builder, local, next);
    eval_horner(builder, local, next);
    eval_unpack(builder, local, next);
    eval_shifts(builder, local, next);
    eval_messages(builder, local, next);
}

/// Returns one on a row of `block_eq`; degree 2.
fn block_eq<AB: InteractionBuilder<F = F>>(local: &Row<AB>) -> AB::Expr {
    let flag: AB::Expr = local.scalar_c_or_block_eq.into();
    flag.clone() - flag * local.is_ext
}

/// Returns the product of two extension elements.
pub(super) fn product<R: PrimeCharacteristicRing>(left: &[R; D], right: &[R; D]) -> [R; D] {
    let mut product = std::array::from_fn(|_| R::ZERO);
    trinomial_quintic_mul(left, right, &mut product);
    product
}

/// Constrains every selector to be boolean on every row, and at most one mode to be on.
fn eval_modes<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>) {
    for flag in [
        local.is_ext,
        local.is_lane,
        local.is_horner,
        local.is_unpack,
        local.is_shifts,
        local.continues,
        local.folds,
        local.scalar_b,
        local.scalar_c_or_block_eq,
    ] {
        builder.assert_bool(flag);
    }
    for flag in local.window {
        builder.assert_bool(flag);
    }
    let chained = chained::<AB>(local);
    builder.assert_bool(chained.clone() + local.is_ext + local.is_lane);
    // `folds` and `scalar_b` may be one only on `ext` rows, the shared flag only on `ext` and
    // `block_eq` rows.
    builder.assert_zero(local.folds * (AB::Expr::ONE - local.is_ext));
    builder.assert_zero(local.scalar_b * (AB::Expr::ONE - local.is_ext));
    builder.assert_zero(local.scalar_c_or_block_eq * (chained + local.is_lane));
    // The window is part of operand E, so it must be empty where E is no window.
    let window: AB::Expr = sum(&local.window);
    builder.when(local.is_ext).assert_zero(window.clone());
    builder.when(block_eq::<AB>(local)).assert_zero(window);
}

/// Constrains `d = a * b + c` on `ext` rows, and `d = (a + b) / 2 + c * (a - b)` on those that
/// fold.
fn eval_ext<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>) {
    let a: [AB::Expr; D] = std::array::from_fn(|i| local.a[i].into());
    let ab = product(&a, &local.b.map(Into::into));
    let difference = std::array::from_fn(|i| local.a[i] - local.b[i]);
    let scaled = product(&difference, &local.c.map(Into::into));
    let scalar_c: AB::Expr = local.scalar_c_or_block_eq * local.is_ext;
    for (i, (ab, scaled)) in ab.into_iter().zip(scaled).enumerate() {
        builder
            .when(local.is_ext - local.folds)
            .assert_eq(ab + local.c[i], local.d[i]);
        builder
            .when(local.folds)
            .assert_eq((local.a[i] + local.b[i]).halve() + scaled, local.d[i]);
        // A scalar is an extension element whose coefficient 0 is the operand.
        let (b, c): (AB::Expr, AB::Expr) = if i == 0 {
            (local.b_word.into(), local.c_word.into())
        } else {
            (AB::Expr::ZERO, AB::Expr::ZERO)
        };
        builder.when(local.scalar_b).assert_eq(local.b[i], b);
        builder.when(scalar_c.clone()).assert_eq(local.c[i], c);
    }
    for lane in D..LANES {
        builder.when(local.is_ext).assert_zero(local.a[lane]);
    }
}

/// Constrains the selected lane to be operand B on `lane` rows.
fn eval_lane<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>) {
    let mut builder = builder.when(local.is_lane);
    builder.assert_one(sum::<AB::Expr, _>(&local.window));
    let selected: AB::Expr = local
        .window
        .iter()
        .zip(&local.a)
        .map(|(&selected, &lane)| selected * lane)
        .sum();
    builder.assert_eq(selected, local.b_word);
}

/// Constrains `b` to be lanes 0 to 4 of `a` on `block_eq` rows. The message at B takes lanes 5 to 7
/// from `a`.
fn eval_block_eq<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>) {
    let mut builder = builder.when(block_eq::<AB>(local));
    for (&b, &a) in local.b.iter().zip(&local.a) {
        builder.assert_eq(b, a);
    }
}

/// Receives the call, and looks up the blocks that are read and written.
fn eval_messages<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    let is_ext: AB::Expr = local.is_ext.into();
    let is_lane: AB::Expr = local.is_lane.into();
    let is_horner: AB::Expr = local.is_horner.into();
    let is_unpack: AB::Expr = local.is_unpack.into();
    let chained = chained::<AB>(local);
    let is_block_eq = block_eq::<AB>(local);
    let scalar_c: AB::Expr = local.scalar_c_or_block_eq * local.is_ext;

    let id = is_ext.clone() * F::from_u32(id::EXT)
        + is_lane.clone() * F::from_u32(id::LANE)
        + is_block_eq.clone() * F::from_u32(id::BLOCK_EQ)
        + is_horner.clone() * F::from_u32(id::HORNER)
        + is_unpack.clone() * F::from_u32(id::UNPACK)
        + local.is_shifts * F::from_u32(id::RIGHT_SHIFTS);
    // Chains hold operand B in `c_word` and operand C in `b_word`, so that beta is the element `c`,
    // from which the steps are computed.
    let swap = chained.clone() * (local.c_word - local.b_word);
    // The first lane of the window is the only lane at which the window begins.
    let first_lane: AB::Expr = (1..LANES)
        .map(|lane| {
            local.window[lane] * (AB::Expr::ONE - local.window[lane - 1]) * F::from_usize(lane)
        })
        .sum();
    let call = CallMessage {
        id,
        a: local.a_word.into(),
        b: swap.clone() + local.b_word,
        c: -swap + local.c_word,
        d: local.d_word.into(),
        e: first_lane + local.scalar_b + scalar_c.double() + local.folds * F::from_u32(4),
    };
    bus::receive_call(
        builder,
        call,
        is_ext.clone()
            + is_lane.clone()
            + is_block_eq.clone()
            + chained.clone() * (AB::Expr::ONE - local.continues),
    );

    let zero = || AB::Expr::ZERO;
    let extension = |element: [AB::Var; D]| -> [AB::Expr; LANES] {
        std::array::from_fn(|lane| element.get(lane).map_or_else(zero, |&value| value.into()))
    };
    let reads = is_ext.clone() + is_lane + chained + is_block_eq.clone() + tail::<AB>(local);
    bus::lookup_block(builder, local.a_word, local.a, reads);
    let b = std::array::from_fn(|lane| *local.b.get(lane).unwrap_or(&local.a[lane]));
    let reads = is_ext.clone() - local.scalar_b + is_block_eq;
    bus::lookup_block(builder, local.b_word, b, reads);
    let reads = is_ext.clone() - scalar_c + is_horner.clone();
    bus::lookup_block(builder, local.c_word, extension(local.c), reads);
    let writes = is_ext + is_horner * (AB::Expr::ONE - next.continues) + is_unpack;
    bus::lookup_block(builder, local.d_word, extension(local.d), writes);
}
