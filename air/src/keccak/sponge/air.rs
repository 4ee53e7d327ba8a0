//! The Keccak-256 table: one block of a message per row.

use droste_native::F;
use p3_air::AirBuilder;
use p3_air::utils::pack_bits_le;
use p3_field::PrimeCharacteristicRing;
use p3_lookup::{Count, InteractionBuilder, PermutationCheckBus};

use super::absorb::{RATE, RATE_LIMBS, eval_absorb, eval_state, receive_permutation};
use super::columns::{DIGEST_LIMBS, SpongeCols};
use crate::limb::bits_value;

/// Largest degree of the constraints.
pub const DEGREE: usize = 2;

crate::message! {
    /// A block of a message that is hashed. Limbs have 16 bits, low first.
    pub struct AbsorbedMessage<T> on "keccak256" {
        /// One if the block is the first one of its message.
        starts: T,
        /// Number of bytes of the message from this block on.
        remaining: T,
        /// Limbs of the block's bytes, zero after the end of the message.
        bytes: [T; RATE_LIMBS],
        /// Limbs of the digest of the message.
        digest: [T; DIGEST_LIMBS],
    }
}

/// Bus on which this table sends the blocks of messages.
pub const BUS: PermutationCheckBus<'static> =
    PermutationCheckBus::new(AbsorbedMessage::<()>::DECLARATION.bus);

crate::air! {
    /// Messages of any number of bytes, one block per row, sent on [`BUS`]: 1,884 columns.
    ///
    /// [`BytesTable`](crate::keccak::bytes::BytesTable) must prove the permutations.
    pub struct SpongeTable(SpongeCols as Row), degree = DEGREE, eval = eval(local, next)
}

fn eval<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    eval_chain(builder, local, next);
    eval_padding(builder, local);
    eval_absorb(builder, &local.block);
    let goes_on = AB::Expr::ONE - next.starts;
    let starts = local.starts.into();
    eval_state(builder, &local.block, &next.block, starts, goes_on);
    let once = || Count::bounded(local.is_real.into(), 1);
    receive_permutation(builder, &local.block, &once());
    BUS.send(builder, message::<AB>(local).into_fields(), once());
}

/// Constrains the blocks of a message to follow one another; the last one, and no other, is not
/// full. Row 0 starts a message, and row 0 is the row after the last one, so every message has its
/// last block.
fn eval_chain<AB: AirBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    builder.assert_bools([local.is_real, local.starts]);
    builder.assert_bools(local.present);
    builder.when_first_row().assert_one(local.starts);
    for pair in local.present.windows(2) {
        builder.assert_zero(pair[1] * (AB::Expr::ONE - pair[0]));
    }
    let mut padding = builder.when(AB::Expr::ONE - local.is_real);
    padding.assert_one(local.starts);
    padding.assert_zero(local.present[0]);
    padding.assert_zero(local.block.number);
    for cell in local.block.digest.into_iter().chain(local.block.output) {
        padding.assert_zero(cell);
    }
    let goes_on = AB::Expr::ONE - next.starts;
    builder.assert_eq(local.present[RATE - 1], goes_on.clone());
    let present: AB::Expr = local.present.iter().map(|&byte| byte.into()).sum();
    builder.assert_eq(local.remaining, present + goes_on.clone() * next.remaining);
    let mut chain = builder.when(goes_on);
    chain.assert_one(local.is_real);
    for (&limb, &next_limb) in local.digest.iter().zip(&next.digest) {
        chain.assert_eq(next_limb, limb);
    }
    let mut last = builder.when(next.starts);
    for (&limb, &output) in local.digest.iter().zip(&local.block.digest) {
        last.assert_eq(limb, output);
    }
}

/// The padding in byte `index`: 0x01 after the last byte of the message, 0x80 in the last byte of
/// the block.
fn padding<AB: AirBuilder<F = F>>(row: &Row<AB>, index: usize) -> AB::Expr {
    let before = match index {
        0 => row.is_real,
        _ => row.present[index - 1],
    };
    let begins = before - row.present[index];
    if index + 1 == RATE {
        begins + (row.is_real - row.present[index]) * F::from_u8(0x80)
    } else {
        begins
    }
}

/// Constrains bytes of the block that do not belong to the message to be padding.
fn eval_padding<AB: AirBuilder<F = F>>(builder: &mut AB, row: &Row<AB>) {
    let bytes = row.block.absorbed.iter().flat_map(|limb| limb.chunks(8));
    for (index, bits) in bytes.enumerate() {
        let byte: AB::Expr = pack_bits_le(bits.iter().copied());
        builder
            .when(AB::Expr::ONE - row.present[index])
            .assert_eq(byte, padding::<AB>(row, index));
    }
}

/// The message that sends a block on the bus.
fn message<AB: AirBuilder<F = F>>(row: &Row<AB>) -> AbsorbedMessage<AB::Expr> {
    AbsorbedMessage {
        starts: row.starts.into(),
        remaining: row.remaining.into(),
        bytes: std::array::from_fn(|limb| {
            let [low, high] = [0, 1].map(|byte| padding::<AB>(row, 2 * limb + byte));
            bits_value::<AB>(&row.block.absorbed[limb]) - low - high * F::from_u16(1 << 8)
        }),
        digest: row.digest.map(Into::into),
    }
}
