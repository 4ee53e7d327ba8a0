//! Constraints that the chains of the extension table, `horner` and `unpack`, have in common.

use droste_native::F;
use p3_air::AirBuilder;
use p3_field::PrimeCharacteristicRing;
use p3_lookup::InteractionBuilder;

use super::columns::ExtCols;
use crate::tables::sum;

/// One on the row below an `unpack` chain that reads the last block of its last element; degree 2.
pub(super) fn tail<AB: InteractionBuilder<F = F>>(row: &ExtCols<AB::Var>) -> AB::Expr {
    row.continues * (-(row.is_horner + row.is_unpack) + F::ONE)
}

/// Chains go on in their mode, until nothing remains. The rows form a ring whose row 0 begins a chain
/// (or none), so no chain is open on the last row.
pub(super) fn eval_chain<AB: InteractionBuilder<F = F>>(
    builder: &mut AB,
    local: &ExtCols<AB::Var>,
    next: &ExtCols<AB::Var>,
) {
    let chained: AB::Expr = local.is_horner + local.is_unpack;
    builder.when_first_row().assert_zero(local.continues);
    // A continuing row is of a chain, or the tail of one: it has no other mode.
    builder
        .when(local.continues)
        .assert_zero(local.is_ext + local.is_lane + local.scalar_c_or_block_eq);

    let taken: AB::Expr = sum(&local.window);
    let remaining = local.b_word - taken;
    // Lanes 3 to 7 begin an element that ends in the next block, or at the end of this one.
    let unpacked: AB::Expr = sum(&local.window[3..]);
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
