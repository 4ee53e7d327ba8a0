//! The Keccak-256 table.

use std::borrow::Borrow;

use droste_native::F;
use p3_air::utils::pack_bits_le;
use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};
use p3_field::PrimeCharacteristicRing;
use p3_lookup::{Count, InteractionBuilder, PermutationCheckBus};

use super::absorb::{RATE, RATE_LIMBS, eval_absorb, eval_state, receive_permutation};
use super::columns::{DIGEST_LIMBS, SpongeCols};
use crate::limb::bits_value;

/// Degree of the constraints.
pub const DEGREE: usize = 2;

/// Bus of the messages `(starts, remaining, bytes[68], digest[16])`: whether the block is the first of
/// its message; the message's bytes from this block on; the block's own bytes, zero past the end, and
/// the digest of the message, both as 16-bit limbs, low first.
pub const BUS: PermutationCheckBus<'static> = PermutationCheckBus::new("keccak256");

/// Number of elements of a message on [`BUS`].
pub const MESSAGE: usize = 2 + RATE_LIMBS + DIGEST_LIMBS;

/// Messages of any number of bytes, a block a row, offered on [`BUS`]: 2,463 columns.
///
/// The permutations are rows of [`KeccakTable`](crate::keccak::KeccakTable), or of any other table on its
/// bus, beside this one.
#[derive(Clone, Copy, Debug, Default)]
pub struct SpongeTable;

impl BaseAir<F> for SpongeTable {
    fn width(&self) -> usize {
        SpongeCols::<u8>::WIDTH
    }

    fn max_constraint_degree(&self) -> Option<usize> {
        Some(DEGREE)
    }
}

impl<AB: InteractionBuilder<F = F>> Air<AB> for SpongeTable {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let local: &SpongeCols<AB::Var> = main.current_slice().borrow();
        let next: &SpongeCols<AB::Var> = main.next_slice().borrow();
        eval_chain(builder, local, next);
        eval_padding(builder, local);
        eval_absorb(builder, &local.block);
        let goes_on = AB::Expr::ONE - next.starts;
        let starts = local.starts.into();
        eval_state(builder, &local.block, &next.block, starts, goes_on);
        let once = || Count::bounded(local.is_real.into(), 1);
        receive_permutation(builder, &local.block, once());
        BUS.send(builder, message::<AB>(local), once());
    }
}

/// Blocks of a message follow one another; only the last is not full. Row 0 starts a message, and the
/// row below the last one is row 0, so that every message has its last block.
fn eval_chain<AB: AirBuilder<F = F>>(
    builder: &mut AB,
    local: &SpongeCols<AB::Var>,
    next: &SpongeCols<AB::Var>,
) {
    builder.assert_bools([local.is_real, local.starts]);
    builder.assert_bools(local.present);
    builder.when_first_row().assert_one(local.starts);
    for pair in local.present.windows(2) {
        builder.assert_zero(pair[1] * (AB::Expr::ONE - pair[0]));
    }
    let mut padding = builder.when(AB::Expr::ONE - local.is_real);
    padding.assert_one(local.starts);
    padding.assert_zero(local.present[0]);
    for &limb in &local.block.output {
        padding.assert_zero(limb);
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
    for (&limb, &output) in local.digest.iter().zip(&local.block.output) {
        last.assert_eq(limb, output);
    }
}

/// The padding in byte `index`: 0x01 after the last byte of the message, 0x80 in the last of the block.
fn padding<AB: AirBuilder<F = F>>(row: &SpongeCols<AB::Var>, index: usize) -> AB::Expr {
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

/// Bytes of the block that are not the message's are padding.
fn eval_padding<AB: AirBuilder<F = F>>(builder: &mut AB, row: &SpongeCols<AB::Var>) {
    let bytes = row.block.absorbed.iter().flat_map(|limb| limb.chunks(8));
    for (index, bits) in bytes.enumerate() {
        let byte: AB::Expr = pack_bits_le(bits.iter().copied());
        builder
            .when(AB::Expr::ONE - row.present[index])
            .assert_eq(byte, padding::<AB>(row, index));
    }
}

/// The message of a block on the bus.
fn message<AB: AirBuilder<F = F>>(row: &SpongeCols<AB::Var>) -> Vec<AB::Expr> {
    let mut message: Vec<AB::Expr> = Vec::with_capacity(MESSAGE);
    message.extend([row.starts.into(), row.remaining.into()]);
    message.extend(row.block.absorbed.iter().enumerate().map(|(limb, bits)| {
        let [low, high] = [0, 1].map(|byte| padding::<AB>(row, 2 * limb + byte));
        bits_value::<AB>(bits) - low - high * F::from_u16(1 << 8)
    }));
    message.extend(row.digest.iter().map(|&limb| limb.into()));
    message
}
