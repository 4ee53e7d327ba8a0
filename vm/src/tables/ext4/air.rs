//! Constraints of the table `ext4`.

use droste_native::F;
use p3_air::AirBuilder;
use p3_field::PrimeCharacteristicRing;
use p3_lookup::InteractionBuilder;

use super::chain::{chained, eval_chain, tail};
use super::columns::{D, Ext4Cols};
use super::horner::eval_horner;
use super::unpack::eval_unpack;
use crate::isa::id;
use crate::tables::bus::{self, CallMessage};
use crate::tables::{LANES, sum};

droste_air::air! {
    /// The table `ext4`: calls of `ext4`, `horner4` and `unpack4`.
    pub struct Ext4Table(Ext4Cols as Row), degree = 3, eval = eval(local, next)
}

fn eval<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    eval_modes(builder, local);
    eval_ext(builder, local);
    eval_chain(builder, local, next);
    eval_horner(builder, local, next);
    eval_unpack(builder, local, next);
    eval_messages(builder, local, next);
}

/// Returns the product of two extension elements, modulo `X^4 - 3`.
pub(super) fn product<R: PrimeCharacteristicRing>(left: &[R; D], right: &[R; D]) -> [R; D] {
    std::array::from_fn(|i| {
        let term = |j: usize| left[j].clone() * right[(D + i - j) % D].clone();
        let below: R = (0..=i).map(term).sum();
        let above: R = (i + 1..D).map(term).sum();
        below + above * R::from_u8(3)
    })
}

/// Constrains every selector to be boolean on every row, and at most one mode to be on.
fn eval_modes<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>) {
    let of_ext = [local.folds, local.scalar_b, local.scalar_c];
    let modes = [local.is_ext, local.is_horner, local.is_unpack];
    builder.assert_bools(modes);
    builder.assert_bool(local.continues);
    builder.assert_bools(of_ext);
    builder.assert_bools(local.window);
    builder.assert_bool(sum::<AB::Expr, _>(&modes));
    for flag in of_ext {
        builder.assert_zero(flag * (AB::Expr::ONE - local.is_ext));
    }
    // The window is part of operand E, so it must be empty where E is no window.
    let window: AB::Expr = sum(&local.window);
    builder.when(local.is_ext).assert_zero(window);
}

/// Constrains `d = a * b + c` on `ext4` rows, and `d = (a + b) / 2 + c * (a - b)` on those that
/// fold.
fn eval_ext<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>) {
    let a: [AB::Expr; D] = std::array::from_fn(|i| local.a[i].into());
    let ab = product(&a, &local.b.map(Into::into));
    let difference = std::array::from_fn(|i| local.a[i] - local.b[i]);
    let scaled = product(&difference, &local.c.map(Into::into));
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
        builder.when(local.scalar_c).assert_eq(local.c[i], c);
    }
    for lane in D..LANES {
        builder.when(local.is_ext).assert_zero(local.a[lane]);
    }
}

/// Receives the call, and looks up the blocks that are read and written.
fn eval_messages<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    let is_ext: AB::Expr = local.is_ext.into();
    let is_horner: AB::Expr = local.is_horner.into();
    let is_unpack: AB::Expr = local.is_unpack.into();
    let chained = chained::<AB>(local);

    let id = is_ext.clone() * F::from_u32(id::EXT4)
        + is_horner.clone() * F::from_u32(id::HORNER4)
        + is_unpack.clone() * F::from_u32(id::UNPACK4);
    // Chains hold operand B in `c_word` and operand C in `b_word`, so that beta is the element `c`,
    // from which the steps are computed.
    let swap = chained.clone() * (local.c_word - local.b_word);
    // The first lane of the window is the only lane at which the window begins.
    let first_lane: AB::Expr = (1..LANES)
        .map(|lane| {
            local.window[lane] * (AB::Expr::ONE - local.window[lane - 1]) * F::from_usize(lane)
        })
        .sum();
    let scalar_c: AB::Expr = local.scalar_c.into();
    let call = CallMessage {
        id,
        a: local.a_word.into(),
        b: swap.clone() + local.b_word,
        c: -swap + local.c_word,
        d: local.d_word.into(),
        e: first_lane + local.scalar_b + scalar_c.double() + local.folds * F::from_u32(4),
    };
    let starts = is_ext.clone() + chained.clone() * (AB::Expr::ONE - local.continues);
    bus::receive_call(builder, call, starts);

    let zero = || AB::Expr::ZERO;
    let extension = |element: [AB::Var; D]| -> [AB::Expr; LANES] {
        std::array::from_fn(|lane| element.get(lane).map_or_else(zero, |&value| value.into()))
    };
    let reads = is_ext.clone() + chained + tail::<AB>(local);
    bus::lookup_block(builder, local.a_word, local.a, reads);
    let reads = is_ext.clone() - local.scalar_b;
    bus::lookup_block(builder, local.b_word, extension(local.b), reads);
    let reads = is_ext.clone() - scalar_c + is_horner.clone();
    bus::lookup_block(builder, local.c_word, extension(local.c), reads);
    let writes = is_ext + is_horner * (AB::Expr::ONE - next.continues) + is_unpack;
    bus::lookup_block(builder, local.d_word, extension(local.d), writes);
}
