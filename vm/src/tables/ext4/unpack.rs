//! Constraints of the `unpack4` rows of the table `ext4`.

use droste_native::F;
use p3_air::AirBuilder;
use p3_field::PrimeCharacteristicRing;
use p3_lookup::InteractionBuilder;

use super::columns::{D, Ext4Cols};
use crate::tables::{LANES, sum};

/// Constrains chains of one row per element: `d` is four lanes, the first of which `window` marks,
/// from this row's block and, if the element leaves it, from the next row's.
pub(super) fn eval_unpack<AB: InteractionBuilder<F = F>>(
    builder: &mut AB,
    local: &Ext4Cols<AB::Var>,
    next: &Ext4Cols<AB::Var>,
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
    // If an element leaves its block, the next row holds the next block.
    let leaves: AB::Expr = sum(&local.window[LANES - D + 1..]);
    unpack.assert_zero(leaves * (AB::Expr::ONE - next.continues));

    // The next element begins 4 lanes further.
    let mut continues = builder.when(next.is_unpack * next.continues);
    for first in 0..LANES {
        continues.assert_eq(next.window[(first + D) % LANES], local.window[first]);
    }
}
