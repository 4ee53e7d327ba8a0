//! Constraints of the `unpack` rows of the extension table.

use droste_native::F;
use p3_air::AirBuilder;
use p3_field::PrimeCharacteristicRing;
use p3_lookup::InteractionBuilder;

use super::columns::{D, ExtCols};
use crate::tables::{LANES, sum};

/// Chains of rows, one element a row: `d` is the 5 lanes from the window's only lane on, out of this
/// row's block and, where they leave it, of the next row's.
pub(super) fn eval_unpack<AB: InteractionBuilder<F = F>>(
    builder: &mut AB,
    local: &ExtCols<AB::Var>,
    next: &ExtCols<AB::Var>,
) {
    let lanes: [AB::Var; 2 * LANES] =
        std::array::from_fn(|lane| *local.a.get(lane).unwrap_or(&next.a[lane % LANES]));
    let mut unpack = builder.when(local.is_unpack);
    unpack.assert_one(sum::<AB::Expr, _>(&local.window));
    for (i, d) in local.d.into_iter().enumerate() {
        let coefficient: AB::Expr = local
            .window
            .iter()
            .enumerate()
            .map(|(first, &flag)| flag * lanes[first + i])
            .sum();
        unpack.assert_eq(coefficient, d);
    }
    // An element that leaves its block needs the next row to hold the next block.
    let leaves: AB::Expr = sum(&local.window[LANES - D + 1..]);
    unpack.assert_zero(leaves * (AB::Expr::ONE - next.continues));

    // The next element begins 5 lanes further on.
    let mut continues = builder.when(next.is_unpack * next.continues);
    for first in 0..LANES {
        continues.assert_eq(next.window[(first + D) % LANES], local.window[first]);
    }
}
