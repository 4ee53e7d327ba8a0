//! Constraints of the table `limbs`.

use droste_air::limb::{eval_limb, limb_terms, weighted_sum};
use droste_native::F;
use p3_air::AirBuilder;
use p3_field::{Field, PrimeCharacteristicRing};
use p3_lookup::InteractionBuilder;

use super::columns::{LimbsCols, MAX_HIGH, TOP, WordCols};
use crate::isa::id;
use crate::tables::LANES;
use crate::tables::bus::{self, CallMessage};

droste_air::air! {
    /// The table `limbs`: field elements to the limbs of their Montgomery words.
    pub struct LimbsTable(LimbsCols as Row), degree = 3, eval = eval(local, next)
}

fn eval<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    eval_chain(builder, local, next);
    for word in &local.words {
        let low = eval_word(builder, word);
        // Low limbs of padding are zero, so that none of their cells is free.
        builder.when(AB::Expr::ONE - local.is_real).assert_zero(low);
    }
    eval_messages(builder, local);
}

/// Constrains calls to begin on row 0 and below the last row of the call before, and to continue
/// until nothing remains. The rows form a ring in which row 0 follows the last row. Row 0 begins a
/// call, so none continues across the end of the table. Where the last row is followed by itself it
/// cannot continue either, since `remaining` would have to be less than itself.
fn eval_chain<AB: AirBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    builder.assert_bools([local.starts, local.is_real]);
    builder.when_first_row().assert_one(local.starts);
    let mut chain = builder.when(AB::Expr::ONE - next.starts);
    chain.assert_one(local.is_real);
    chain.assert_one(next.is_real);
    chain.assert_eq(next.in_address, local.in_address + F::ONE);
    chain.assert_eq(next.out_address, local.out_address + F::TWO);
    chain.assert_eq(next.remaining + F::ONE, local.remaining);
    builder
        .when(next.starts)
        .when(local.is_real)
        .assert_one(local.remaining);
}

/// Constrains a word to be below `p = 0x7f00 * 2^16 + 1`: the high limb is at most `0x7f00`, and if
/// it is `0x7f00`, the low limb is zero. Returns the low limb.
fn eval_word<AB: AirBuilder<F = F>>(builder: &mut AB, columns: &WordCols<AB::Var>) -> AB::Expr {
    let low = eval_limb(builder, &columns.low);
    builder.assert_bool(columns.high_top);
    let mut high = AB::Expr::ZERO;
    for &trit in columns.high_trits.iter().rev() {
        let trit: AB::Expr = trit.into();
        builder.assert_zero(
            trit.clone() * (trit.clone() - AB::Expr::ONE) * (trit.clone() - AB::Expr::TWO),
        );
        high = high.double() + high + trit;
    }
    high += columns.high_top * F::from_u16(TOP);

    let room = AB::Expr::from(F::from_u16(MAX_HIGH)) - high.clone();
    let is_max = AB::Expr::ONE - room.clone() * columns.inverse;
    builder.assert_zero(room * is_max.clone());
    builder.assert_zero(low.clone() * is_max.clone());
    // `inverse` would not matter when the high limb is the largest: it is fixed to zero there, so
    // that it is not a free cell.
    builder.assert_zero(is_max * columns.inverse);
    low
}

/// Returns the columns and weights whose sum is the high limb.
fn high_terms<V: Copy>(columns: &WordCols<V>) -> impl Iterator<Item = (V, F)> {
    let trits = columns.high_trits.iter().enumerate();
    trits
        .map(|(i, &trit)| (trit, F::from_u32(3u32.pow(i as u32))))
        .chain([(columns.high_top, F::from_u16(TOP))])
}

/// Returns the element whose Montgomery word this is: the word is the element times `2^32`.
fn element<AB: AirBuilder<F = F>>(columns: &WordCols<AB::Var>) -> AB::Expr {
    let (low, high) = (
        F::from_u64(1 << 32).inverse(),
        F::from_u32(1 << 16).inverse(),
    );
    weighted_sum::<AB>(
        limb_terms(&columns.low)
            .map(|(column, weight)| (column, weight * low))
            .chain(high_terms(columns).map(|(column, weight)| (column, weight * high))),
    )
}

/// Receives the call, and looks up the block that is read and the two that are written.
fn eval_messages<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>) {
    let call = CallMessage {
        id: F::from_u32(id::LIMBS).into(),
        a: local.in_address.into(),
        b: AB::Expr::ZERO,
        c: local.out_address.into(),
        d: AB::Expr::ZERO,
        e: local.remaining.into(),
    };
    bus::receive_call(builder, call, local.is_real * local.starts);
    let elements = local.words.each_ref().map(element::<AB>);
    bus::lookup_block(builder, local.in_address, elements, local.is_real);
    for (half, words) in local.words.chunks_exact(LANES / 2).enumerate() {
        let lanes: [AB::Expr; LANES] = std::array::from_fn(|lane| {
            let word = &words[lane / 2];
            if lane % 2 == 0 {
                weighted_sum::<AB>(limb_terms(&word.low))
            } else {
                weighted_sum::<AB>(high_terms(word))
            }
        });
        let address = local.out_address + F::from_usize(half);
        bus::lookup_block(builder, address, lanes, local.is_real);
    }
}
