//! Constraints of the table `baby_bear`.

use droste_native::F;
use p3_air::AirBuilder;
use p3_field::PrimeCharacteristicRing;
use p3_lookup::InteractionBuilder;

use super::chain::eval_chain;
use super::columns::{BabyBearCols, DEGREE, MODULUS_BYTES, WORD_BYTES, Words};
use super::places::eval_places;
use crate::isa::id;
use crate::tables::bus::{self, CallMessage};
use crate::tables::carry_pairs::lookup_bytes;
use crate::tables::{LANES, sum};

/// The highest byte of the modulus.
pub const HIGHEST: u8 = MODULUS_BYTES[WORD_BYTES - 1];

droste_air::air! {
    /// The table `baby_bear`: calls of `baby_bear` and `baby_bear_dot`.
    pub struct BabyBearTable(BabyBearCols as Row), degree = 3, eval = eval(local, next)
}

fn eval<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    eval_modes(builder, local);
    eval_canonical(builder, local);
    eval_places(builder, local);
    eval_chain(builder, local, next);
    eval_messages(builder, local, next);
    eval_bytes(builder, local);
}

/// Constrains flags to be boolean and at most one mode to be on, and the elements that a product
/// does not have to be zero: a sum of bytes is zero only if they all are.
fn eval_modes<AB: AirBuilder<F = F>>(builder: &mut AB, local: &Row<AB>) {
    builder.assert_bools([local.is_product, local.is_dot, local.continues]);
    builder.assert_bool(local.is_product + local.is_dot);
    let [_, others @ ..] = &local.b;
    let others: AB::Expr = sum(others.as_flattened().as_flattened());
    builder.when(local.is_product).assert_zero(others);
}

/// Constrains the words of `a`, on every row, to be below the modulus `120 * 2^24 + 1`: their
/// highest byte is at most 120, which [`eval_bytes`] shows, and the others are zero if it is 120.
fn eval_canonical<AB: AirBuilder<F = F>>(builder: &mut AB, local: &Row<AB>) {
    const { assert!(matches!(MODULUS_BYTES, [1, 0, 0, HIGHEST])) };
    for (word, inverse) in local.a.iter().zip(local.inverses) {
        let [others @ .., highest] = word;
        let room: AB::Expr = AB::Expr::from(F::from_u8(HIGHEST)) - *highest;
        let is_highest = AB::Expr::ONE - room.clone() * inverse;
        let others: AB::Expr = sum(others);
        builder.assert_zero(others * is_highest.clone());
        builder.assert_zero(room * is_highest.clone());
        // The inverse would not matter where there is no room: it is zero there, so that it is no
        // free cell.
        builder.assert_zero(is_highest * inverse);
    }
}

/// Receives the call, and looks up the blocks that are read and written.
fn eval_messages<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    let is_real: AB::Expr = local.is_product + local.is_dot;
    let starts = local.is_dot * (AB::Expr::ONE - local.continues) + local.is_product;
    let ends = local.is_dot * (AB::Expr::ONE - next.continues) + local.is_product;
    let call = CallMessage {
        id: local.is_product * F::from_u32(id::BABY_BEAR)
            + local.is_dot * F::from_u32(id::BABY_BEAR_DOT),
        a: local.a_word.into(),
        b: local.b_word.into(),
        c: local.c_word.into(),
        d: local.d_word.into(),
        e: local.remaining.into(),
    };
    bus::receive_call(builder, call, starts.clone());

    bus::lookup_block(
        builder,
        local.a_word,
        lanes::<AB>(&local.a),
        is_real.clone(),
    );
    let [first, others @ ..] = &local.b;
    bus::lookup_block(builder, local.b_word, lanes::<AB>(first), is_real);
    for (index, element) in others.iter().enumerate() {
        let address = local.b_word + F::from_usize(index + 1);
        bus::lookup_block(builder, address, lanes::<AB>(element), local.is_dot);
    }
    bus::lookup_block(builder, local.c_word, lanes::<AB>(&local.c), starts);
    bus::lookup_block(builder, local.d_word, lanes::<AB>(&local.d), ends);
}

/// The block of an element: two limbs of each word, low first.
fn lanes<AB: AirBuilder<F = F>>(element: &Words<AB::Var>) -> [AB::Expr; LANES] {
    const { assert!(LANES == DEGREE * WORD_BYTES / 2) };
    let (limbs, _) = element.as_flattened().as_chunks::<2>();
    std::array::from_fn(|lane| {
        let [low, high] = limbs[lane];
        high * F::from_u16(256) + low
    })
}

/// Looks up all bytes, and the highest ones of `a` once more, to which as much is added as makes
/// that of the modulus the largest byte.
fn eval_bytes<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>) {
    for pair in local.byte_pairs() {
        lookup_bytes(builder, pair.map(Into::into));
    }
    for pair in local.highest_bytes() {
        let shifted = pair.map(|byte| byte + F::from_u8(u8::MAX - HIGHEST));
        lookup_bytes(builder, shifted);
    }
}
