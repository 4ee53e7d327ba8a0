//! What is equal to zero for each coefficient of a result, place by place.

use droste_native::F;
use p3_air::AirBuilder;
use p3_field::PrimeCharacteristicRing;

use super::columns::{
    BabyBearCols, DEGREE, MODULUS_BYTES, MULTIPLE_BYTES, OFFSET, PLACES, POWER, SHIFT, WORD_BYTES,
    Words,
};

/// Returns what each word of `a` is multiplied by in a coefficient of the result: that coefficient
/// of one element of `b` each. In a product only the first element is not zero, and they are those
/// of its coefficients that make this power of `X`, or its product with [`POWER`].
pub fn factors<R: PrimeCharacteristicRing>(
    is_product: &R,
    right: &[Words<R>; DEGREE],
    coefficient: usize,
) -> Words<R> {
    let [first, ..] = right;
    std::array::from_fn(|word| {
        let of_product = &first[(DEGREE + coefficient - word) % DEGREE];
        let of_dot = &right[word][coefficient];
        std::array::from_fn(|byte| {
            let of_dot = of_dot[byte].clone();
            // The first element's coefficient is the same in both.
            if word == 0 {
                return of_dot;
            }
            let of_product = of_product[byte].clone() * is_product.clone();
            if word > coefficient {
                of_dot + of_product * R::from_u8(POWER)
            } else {
                of_dot + of_product
            }
        })
    })
}

/// One coefficient of the equation of a row.
pub struct Coefficient<'a, R> {
    /// The words of `a`.
    pub left: &'a Words<R>,
    /// What each of them is multiplied by.
    pub factors: &'a Words<R>,
    /// The word that is added.
    pub added: &'a [R; WORD_BYTES],
    /// The word of the result.
    pub result: &'a [R; WORD_BYTES],
    /// The multiple of the modulus.
    pub multiple: &'a [R; MULTIPLE_BYTES],
    /// One if the multiple is larger by [`OFFSET`].
    pub has_offset: R,
}

impl<R: PrimeCharacteristicRing> Coefficient<'_, R> {
    /// Returns the places, without carries, of
    ///
    /// ```text
    /// sum of left * factor + R (added - result) - modulus * (multiple - OFFSET * R),  R = 2^32
    /// ```
    pub fn places(&self) -> [R; PLACES] {
        let offset = self.has_offset.clone() * R::from_u8(OFFSET);
        let times = |value: &R, byte: u8| match byte {
            1 => value.clone(),
            _ => value.clone() * R::from_u8(byte),
        };
        std::array::from_fn(|place| {
            let mut sum = R::ZERO;
            for (left, factor) in self.left.iter().zip(self.factors) {
                for (at, byte) in left.iter().enumerate() {
                    if let Some(other) = at_place(factor, place, at) {
                        sum += other.clone() * byte.clone();
                    }
                }
            }
            if let Some(added) = at_place(self.added, place, SHIFT) {
                sum += added.clone();
            }
            if let Some(result) = at_place(self.result, place, SHIFT) {
                sum -= result.clone();
            }
            let modulus = MODULUS_BYTES.into_iter().enumerate();
            for (at, byte) in modulus.filter(|&(_, byte)| byte > 0) {
                if let Some(multiple) = at_place(self.multiple, place, at) {
                    sum -= times(multiple, byte);
                }
                if place == at + SHIFT {
                    sum += times(&offset, byte);
                }
            }
            sum
        })
    }
}

/// Returns the byte that is at a place once all are moved up by `shift` places.
fn at_place<R>(bytes: &[R], place: usize, shift: usize) -> Option<&R> {
    bytes.get(place.checked_sub(shift)?)
}

/// Constrains the places of each coefficient to add up to zero: each is 256 times what it has for
/// the next one, and the last has nothing.
pub(super) fn eval_places<AB: AirBuilder<F = F>>(builder: &mut AB, local: &BabyBearCols<AB::Var>) {
    let words =
        |words: Words<AB::Var>| -> Words<AB::Expr> { words.map(|word| word.map(Into::into)) };
    let (left, right) = (words(local.a), local.b.map(words));
    let (added, result) = (words(local.c), words(local.d));
    let is_product: AB::Expr = local.is_product.into();
    for coefficient in 0..DEGREE {
        let equation = Coefficient {
            left: &left,
            factors: &factors(&is_product, &right, coefficient),
            added: &added[coefficient],
            result: &result[coefficient],
            multiple: &local.multiples[coefficient].map(Into::into),
            has_offset: local.is_product + local.is_dot,
        };
        let mut carries = local.carries[coefficient].iter();
        let mut before = AB::Expr::ZERO;
        for place in equation.places() {
            let sum = place + before;
            match carries.next() {
                Some(&[low, high]) => {
                    before = high * F::from_u16(256) + low - F::from_u16(256);
                    builder.assert_eq(sum, before.clone() * F::from_u16(256));
                }
                None => {
                    before = AB::Expr::ZERO;
                    builder.assert_zero(sum);
                }
            }
        }
    }
}
