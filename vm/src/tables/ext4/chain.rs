//! Constraints that the chains of the table `ext4` have in common.

use droste_native::F;
use p3_air::AirBuilder;
use p3_field::PrimeCharacteristicRing;
use p3_lookup::InteractionBuilder;

use super::columns::{D, Ext4Cols};
use crate::tables::{LANES, sum};

/// Returns one on the row below an `unpack4` chain that holds the second block of its last element;
/// degree 2.
pub(super) fn tail<AB: InteractionBuilder<F = F>>(row: &Ext4Cols<AB::Var>) -> AB::Expr {
    row.continues * (-chained::<AB>(row) + F::ONE)
}

/// Returns one on the rows of chains, without tails.
pub(super) fn chained<AB: InteractionBuilder<F = F>>(row: &Ext4Cols<AB::Var>) -> AB::Expr {
    row.is_horner + row.is_unpack
}

/// Constrains chains to continue in their mode until nothing remains. The rows form a ring in which
/// row 0 follows the last row. Row 0 begins a chain or is in none, so no chain continues across the
/// end of the table. Where the last row is followed by itself it cannot continue either: what
/// remains would have to be less than itself, and a tail continues nothing.
pub(super) fn eval_chain<AB: InteractionBuilder<F = F>>(
    builder: &mut AB,
    local: &Ext4Cols<AB::Var>,
    next: &Ext4Cols<AB::Var>,
) {
    let chained = chained::<AB>(local);
    builder.when_first_row().assert_zero(local.continues);
    // A continuing row is part of a chain or the tail of one, so it has no other mode.
    builder.when(local.continues).assert_zero(local.is_ext);

    let taken: AB::Expr = sum(&local.window);
    let remaining = local.b_word - taken;
    // Elements whose first lane is one of lanes 4 to 7 end in the next block, or with this block.
    let unpacked: AB::Expr = sum(&local.window[LANES - D..]);
    let mut chain = builder.when(next.continues);
    chain.assert_one(chained.clone());
    chain.when(local.is_horner).assert_one(next.is_horner);
    chain.when(local.is_unpack).assert_zero(next.is_horner);
    chain.assert_eq(
        next.a_word,
        local.is_unpack * unpacked + local.is_horner + local.a_word,
    );
    chain.assert_eq(next.b_word, remaining.clone());
    chain.assert_eq(next.c_word, local.c_word);
    chain.assert_eq(next.d_word, local.d_word + local.is_unpack);
    for (&before, &after) in next.b.iter().zip(&local.d) {
        chain.assert_eq(before, after);
    }
    builder
        .when(chained * (AB::Expr::ONE - next.continues))
        .assert_zero(remaining);
    builder.when(tail::<AB>(local)).assert_zero(local.b_word);
}
