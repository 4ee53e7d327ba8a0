//! Constraints of the table `carry_pairs`.

use droste_air::limb::bits_value;
use droste_native::F;
use p3_field::PrimeCharacteristicRing;
use p3_lookup::{Count, InteractionBuilder};

use super::columns::CarryPairsCols;
use crate::tables::bus::{self, CarryPairMessage};

/// The least carry, of which the bits are zero.
pub const LEAST_CARRY: i32 = -2;

droste_air::air! {
    /// The table `carry_pairs`: pairs of small integers.
    pub struct CarryPairsTable(CarryPairsCols as Row), degree = 2, next = [], eval = eval(row)
}

fn eval<AB: InteractionBuilder<F = F>>(builder: &mut AB, row: &Row<AB>) {
    builder.assert_bools(row.first);
    builder.assert_bools(row.second);
    let carry = |bits| bits_value::<AB>(bits) + F::from_i32(LEAST_CARRY);
    let (first, second) = (carry(&row.first), carry(&row.second));
    let pair = CarryPairMessage { first, second };
    bus::CARRY_PAIR.table_entry(builder, pair.into_fields(), row.lookups);
}

/// Looks up two bytes, on every row: each is a carry less the least one.
pub fn lookup_bytes<AB: InteractionBuilder<F = F>>(builder: &mut AB, bytes: [AB::Expr; 2]) {
    let [first, second] = bytes.map(|byte| byte + F::from_i32(LEAST_CARRY));
    let pair = CarryPairMessage { first, second };
    let once = Count::bounded(AB::Expr::ONE, 1);
    bus::CARRY_PAIR.lookup_key(builder, pair.into_fields(), once);
}
