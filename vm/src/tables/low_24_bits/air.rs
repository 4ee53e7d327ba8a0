//! Constraints of the table `low_24_bits`.

use droste_air::limb::bits_value;
use droste_native::F;
use p3_air::AirBuilder;
use p3_field::PrimeCharacteristicRing;
use p3_lookup::InteractionBuilder;

use super::columns::{HIGH_BITS, LOW_BITS, Low24BitsCols};
use crate::isa::id;
use crate::tables::bus::{self, CallMessage};
use crate::tables::sum;

droste_air::air! {
    /// The table `low_24_bits`.
    pub struct Low24BitsTable(Low24BitsCols as Row), degree = 2, next = [], eval = eval(local)
}

fn eval<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>) {
    builder.assert_bool(local.is_real);
    builder.assert_bools(local.low);
    builder.assert_bools(local.high);
    // No bit of padding is free.
    let mut padding = builder.when(AB::Expr::ONE - local.is_real);
    padding.assert_zeros(local.low);
    padding.assert_zeros(local.high);
    // The seven high bits are not all ones.
    let zeros = AB::Expr::from(F::from_usize(HIGH_BITS)) - sum::<AB::Expr, _>(&local.high);
    builder.assert_one(zeros * local.inverse);

    let low = bits_value::<AB>(&local.low);
    let high = bits_value::<AB>(&local.high);
    let call = CallMessage {
        id: F::from_u32(id::LOW_24_BITS).into(),
        a: low.clone() + high * F::from_u32(1 << LOW_BITS),
        b: low,
        c: AB::Expr::ZERO,
        d: AB::Expr::ZERO,
        e: AB::Expr::ZERO,
    };
    bus::receive_call(builder, call, local.is_real);
}
