//! Constraints of the rows of a call of `baby_bear_dot`.

use droste_native::F;
use p3_air::AirBuilder;
use p3_field::PrimeCharacteristicRing;

use super::columns::{BabyBearCols, DEGREE};

/// Constrains calls to continue, with the next word block and the next elements, until nothing
/// remains. The rows form a ring in which row 0 follows the last row. Row 0 begins a call or is in
/// none, so none continues across the end of the table. Where the last row is followed by itself it
/// cannot continue either, since `remaining` would have to be less than itself.
pub(super) fn eval_chain<AB: AirBuilder<F = F>>(
    builder: &mut AB,
    local: &BabyBearCols<AB::Var>,
    next: &BabyBearCols<AB::Var>,
) {
    builder.when_first_row().assert_zero(local.continues);
    let mut chain = builder.when(next.continues);
    // So no other row continues anything.
    chain.assert_one(local.is_dot);
    chain.assert_one(next.is_dot);
    chain.assert_eq(next.a_word, local.a_word + F::ONE);
    chain.assert_eq(next.b_word, local.b_word + F::from_usize(DEGREE));
    chain.assert_eq(next.c_word, local.c_word);
    chain.assert_eq(next.d_word, local.d_word);
    chain.assert_eq(next.remaining + F::ONE, local.remaining);
    let added = next.c.as_flattened().iter();
    for (&added, &result) in added.zip(local.d.as_flattened()) {
        chain.assert_eq(added, result);
    }
    builder
        .when(local.is_dot)
        .when(AB::Expr::ONE - next.continues)
        .assert_one(local.remaining);
}
