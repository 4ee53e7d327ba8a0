//! Constraints of the table `carry_pairs`.

use droste_air::limb::bits_value;
use droste_native::F;
use p3_field::PrimeCharacteristicRing;
use p3_lookup::InteractionBuilder;

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
