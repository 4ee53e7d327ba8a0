//! The table of spread bytes.

use droste_native::F;
use p3_air::AirBuilder;
use p3_field::{Algebra, PrimeCharacteristicRing};
use p3_lookup::{Count, InteractionBuilder, LookupBus};

use super::columns::{Kind, SpreadCols};
use super::digits::RADIX;
use crate::limb::weighted_sum;

/// Largest degree of the constraints.
pub const DEGREE: usize = 2;

crate::message! {
    /// What a row says of its bytes. All values are spread bytes, or sums of them.
    pub struct SpreadMessage<T> on "spread" {
        /// The number of a [`Kind`].
        kind: T,
        /// What is said.
        values: [T; 3],
    }
}

impl<E: Algebra<F>> SpreadMessage<E> {
    fn new(kind: Kind, values: [E; 3]) -> Self {
        let kind = F::from_usize(kind.number()).into();
        Self { kind, values }
    }

    /// The digits of `sum` are 0 to 3, and their lowest bits are `high * 8^low_bits + low`.
    pub fn sum(low_bits: usize, sum: E, [high, low]: [E; 2]) -> Self {
        Self::new(Kind::Sum(low_bits), [sum, high, low])
    }

    /// The digits of `sum` are 0 to 3, and their second bits are `carry`.
    pub fn carry(sum: E, carry: E) -> Self {
        Self::new(Kind::Carry, [sum, carry, E::ZERO])
    }

    /// The digits of `sum` are 0 to 3.
    pub fn digits(sum: E) -> Self {
        Self::new(Kind::Digits, [sum, E::ZERO, E::ZERO])
    }

    /// Spread bytes, of which the last is the exclusive or of the others.
    pub fn xor(x: E, y: E, xor: E) -> Self {
        Self::new(Kind::Xor, [x, y, xor])
    }
}

/// Bus on which spread bytes are looked up.
pub const BUS: LookupBus<'static> = LookupBus::new(SpreadMessage::<()>::DECLARATION.bus);

/// Looks up `message` if `flag` is one. The table must constrain `flag` to be boolean.
pub(crate) fn look_up<AB: InteractionBuilder<F = F>>(
    builder: &mut AB,
    message: SpreadMessage<AB::Expr>,
    flag: AB::Expr,
) {
    let count = Count::bounded(flag, 1);
    BUS.lookup_key(builder, message.into_fields(), count);
}

crate::air! {
    /// Pairs of bytes, one per row, provided on [`BUS`]: 27 columns.
    pub struct SpreadTable(SpreadCols as Row), degree = DEGREE, next = [], eval = eval(row)
}

#[inline]
fn eval<AB: InteractionBuilder<F = F>>(builder: &mut AB, row: &Row<AB>) {
    builder.assert_bools(row.x);
    builder.assert_bools(row.y);
    let sum = || {
        let bits = row.x.into_iter().zip(row.y).enumerate();
        weighted_sum::<AB>(bits.flat_map(|(i, (x, y))| [(x, weight(i)), (y, weight(i).double())]))
    };
    for (kind, lookups) in Kind::ALL.into_iter().zip(row.lookups) {
        let message = match kind {
            Kind::Sum(low_bits) => {
                let parts = [&row.x[low_bits..], &row.x[..low_bits]];
                SpreadMessage::sum(low_bits, sum(), parts.map(spread_bits::<AB>))
            }
            Kind::Carry => SpreadMessage::carry(sum(), spread_bits::<AB>(&row.y)),
            Kind::Digits => SpreadMessage::digits(sum()),
            Kind::Xor => {
                let bits = row.x.into_iter().zip(row.y).enumerate();
                let xor = bits.map(|(i, (x, y))| x.into().xor(&y.into()) * weight(i));
                let bytes = [&row.x, &row.y].map(|bits| spread_bits::<AB>(bits));
                let [x, y] = bytes;
                SpreadMessage::xor(x, y, xor.sum())
            }
        };
        BUS.table_entry(builder, message.into_fields(), lookups);
    }
}

fn weight(bit: usize) -> F {
    F::from_u32(RADIX.pow(bit as u32))
}

/// The value of bits, low first, as digits.
fn spread_bits<AB: AirBuilder<F = F>>(bits: &[AB::Var]) -> AB::Expr {
    let terms = bits.iter().enumerate();
    weighted_sum::<AB>(terms.map(|(i, &bit)| (bit, weight(i))))
}
