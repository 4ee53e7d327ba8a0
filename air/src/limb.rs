//! Range checks for 16-bit limbs whose bits are not needed.
//!
//! Ten base-3 digits represent the values 0 to 59,048. With one more bit, of weight
//! `65,535 - 59,048 = 6,487`, the sums are exactly the values 0 to 65,535. So eleven columns,
//! checked with degree 3, replace sixteen bits. Some values have two representations, which does no
//! harm, since only the value is used.

use droste_native::F;
use p3_air::AirBuilder;
use p3_field::PrimeCharacteristicRing;

/// Number of base-3 digits.
const TRITS: usize = 10;

/// Weight of the top bit.
const TOP: u16 = u16::MAX - (3u16.pow(TRITS as u32) - 1);

crate::columns! {
    /// A value in `0..2^16`: 11 columns.
    pub struct LimbCols<T> {
        /// Base-3 digits, low first.
        pub trits: [T; TRITS],
        /// A bit of weight 6,487.
        pub top: T,
    }
}

impl LimbCols<F> {
    /// Fills the columns with digits of `value`.
    pub fn fill(&mut self, value: u16) {
        let has_top = value >= 3u16.pow(TRITS as u32);
        self.top = F::from_bool(has_top);
        let mut rest = if has_top { value - TOP } else { value };
        for trit in &mut self.trits {
            *trit = F::from_u16(rest % 3);
            rest /= 3;
        }
    }
}

/// Constrains the digits (10 constraints of degree 3, one of degree 2) and returns the value, which
/// is linear in the columns.
#[inline]
pub fn eval_limb<AB: AirBuilder<F = F>>(builder: &mut AB, columns: &LimbCols<AB::Var>) -> AB::Expr {
    builder.assert_bool(columns.top);
    let mut value = AB::Expr::ZERO;
    for &trit in columns.trits.iter().rev() {
        let trit: AB::Expr = trit.into();
        builder.assert_zero(
            trit.clone() * (trit.clone() - AB::Expr::ONE) * (trit.clone() - AB::Expr::TWO),
        );
        value = value.double() + value.clone() + trit;
    }
    value + columns.top.into() * F::from_u16(TOP)
}

/// Returns `sum of weight * column`, in which each column occurs once.
///
/// Meant for messages: the lookup argument evaluates their expressions as trees, in which each
/// doubling of Horner's rule repeats everything that is doubled.
pub fn weighted_sum<AB: AirBuilder<F = F>>(
    terms: impl IntoIterator<Item = (AB::Var, F)>,
) -> AB::Expr {
    let terms = terms.into_iter().map(|(column, weight)| column * weight);
    terms.sum()
}

/// The `N` lowest bits of an integer, low first.
pub fn bits<const N: usize>(integer: impl Into<u64>) -> [F; N] {
    let integer = integer.into();
    std::array::from_fn(|i| F::from_bool(integer >> i & 1 == 1))
}

/// The value of bits, low first, as a [`weighted_sum`].
pub fn bits_value<AB: AirBuilder<F = F>>(bits: &[AB::Var]) -> AB::Expr {
    let terms = bits.iter().enumerate();
    weighted_sum::<AB>(terms.map(|(i, &bit)| (bit, F::from_u64(1 << i))))
}

/// The value of a limb as terms of a [`weighted_sum`].
pub fn limb_terms<V: Copy>(columns: &LimbCols<V>) -> impl Iterator<Item = (V, F)> {
    let trits = columns.trits.iter().enumerate();
    trits
        .map(|(i, &trit)| (trit, F::from_u32(3u32.pow(i as u32))))
        .chain([(columns.top, F::from_u16(TOP))])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sixteen_bit_value_has_digits() {
        let mut columns = LimbCols {
            trits: [F::ZERO; TRITS],
            top: F::ZERO,
        };
        for value in 0..=u16::MAX {
            columns.fill(value);
            let sum: F = limb_terms(&columns)
                .map(|(column, weight)| column * weight)
                .sum();
            assert_eq!(sum, F::from_u16(value));
        }
    }

    #[test]
    fn no_digits_exceed_sixteen_bits() {
        assert_eq!(3u32.pow(TRITS as u32) - 1 + u32::from(TOP), 65_535);
    }
}
