//! Constraints of the `right_shifts` rows of the table `ext`.

use droste_native::F;
use p3_air::AirBuilder;
use p3_field::PrimeCharacteristicRing;
use p3_lookup::InteractionBuilder;

use super::columns::ExtCols;
use crate::tables::{LANES, sum};

/// Number of bits of the largest canonical integer that are above its low 24 bits.
const HIGH_ONES: u32 = 127;

/// Constrains chains of one row per block, low bits first: each lane, less twice the following one,
/// is a bit, so that lane 0 of the first block is the integer of all bits.
///
/// The modulus is `127 * 2^24 + 1`. So an integer of 31 bits is below it exactly if its top seven
/// bits are not all ones, or its low 24 bits are zero.
pub(super) fn eval_shifts<AB: InteractionBuilder<F = F>>(
    builder: &mut AB,
    local: &ExtCols<AB::Var>,
    next: &ExtCols<AB::Var>,
) {
    let [first, _, _, last, ..] = local.window;
    let [following, not_all_ones, inverse, ..] = local.c;
    let high = local.d[0];
    let mut shifts = builder.when(local.is_shifts);
    // The window marks the number of the block, which is below 4.
    shifts.assert_one(sum::<AB::Expr, _>(&local.window[..4]));
    shifts.assert_zero(sum::<AB::Expr, _>(&local.window[4..]));
    shifts
        .when(AB::Expr::ONE - local.continues)
        .assert_one(first);
    // The chain shifts the integer of operand B.
    shifts.when(first).assert_eq(local.a[0], local.c_word);

    shifts.assert_eq(following, next.continues * next.a[0]);
    for lane in 0..LANES {
        let above = *local.a.get(lane + 1).unwrap_or(&following);
        let bit: AB::Expr = local.a[lane] - above.into().double();
        shifts.assert_bool(bit);
    }
    // There is no bit 31.
    shifts.when(last).assert_zero(local.a[LANES - 1]);

    // Block 3 begins with the integer of bits 24 to 30. On rows of other blocks the prover may
    // choose `high`, and a chain without block 3 has an integer below 2^24.
    shifts.when(last).assert_eq(high, local.a[0]);
    shifts.assert_eq(
        not_all_ones,
        (AB::Expr::from(F::from_u32(HIGH_ONES)) - high) * inverse,
    );
    let low = local.c_word - high * F::from_u32(1 << 24);
    shifts.when(AB::Expr::ONE - not_all_ones).assert_zero(low);

    // The next block has the next number.
    let mut continues = builder.when(next.is_shifts * next.continues);
    for number in 1..LANES {
        continues.assert_eq(next.window[number], local.window[number - 1]);
    }
}
