//! The table of pairs of bytes.

use droste_native::F;
use p3_field::PrimeCharacteristicRing;
use p3_lookup::{InteractionBuilder, LookupBus};

use super::columns::{BytePairsCols, LOW_BITS};
use crate::limb::bits_value;

/// Largest degree of the constraints.
pub const DEGREE: usize = 2;

crate::message! {
    /// Two bytes and their exclusive or, `x ^ y = high * 2^low_bits + low`.
    ///
    /// Whoever looks it up thereby checks that `x` and `y` are bytes, that `low` has `low_bits`
    /// bits, and that `high` has `8 - low_bits`.
    pub struct BytePairMessage<T> on "byte_pairs" {
        /// Number of bits of `low`, one of [`LOW_BITS`].
        low_bits: T,
        /// The first byte.
        x: T,
        /// The second byte.
        y: T,
        /// The high bits of the exclusive or.
        high: T,
        /// The low bits of the exclusive or.
        low: T,
    }
}

/// Bus on which pairs of bytes are looked up.
pub const BUS: LookupBus<'static> = LookupBus::new(BytePairMessage::<()>::DECLARATION.bus);

crate::air! {
    /// Pairs of bytes, one per row, provided on [`BUS`]: 19 columns.
    pub struct BytePairsTable(BytePairsCols as Row), degree = DEGREE, next = [], eval = eval(row)
}

#[inline]
fn eval<AB: InteractionBuilder<F = F>>(builder: &mut AB, row: &Row<AB>) {
    builder.assert_bools(row.x);
    builder.assert_bools(row.y);
    for (low_bits, lookups) in LOW_BITS.into_iter().zip(row.lookups) {
        let part = |from: usize, to: usize| -> AB::Expr {
            let xor = |i: usize| row.x[i].into().xor(&row.y[i].into());
            let terms = (from..to).map(|i| xor(i) * F::from_usize(1 << (i - from)));
            terms.sum()
        };
        let message = BytePairMessage {
            low_bits: F::from_usize(low_bits).into(),
            x: bits_value::<AB>(&row.x),
            y: bits_value::<AB>(&row.y),
            high: part(low_bits, 8),
            low: part(0, low_bits),
        };
        BUS.table_entry(builder, message.into_fields(), lookups);
    }
}
