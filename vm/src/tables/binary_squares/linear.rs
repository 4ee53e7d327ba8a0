//! Functions of an element that are linear over GF(2): each bit of the result is the exclusive or
//! of few bits of the element, which a mask lists.

use p3_air::AirBuilder;
use p3_field::PrimeCharacteristicRing;

use crate::tables::binary::BITS;

/// `x^128` modulo `x^128 + x^7 + x^2 + x + 1`.
const REDUCED: u128 = 0x87;

/// The bits of an element whose exclusive or is bit `k` of its square: those of the `x^i` of which
/// `x^(2i)` has the term `x^k`.
pub const SQUARE: [u128; BITS] = {
    let mut masks = [0; BITS];
    let mut power = 1_u128;
    let mut i = 0;
    while i < BITS {
        let mut k = 0;
        while k < BITS {
            masks[k] |= (power >> k & 1) << i;
            k += 1;
        }
        power = times_x(times_x(power));
        i += 1;
    }
    masks
};

/// The bits of a point of the Cantor basis whose exclusive or is the lowest bit of its position,
/// for positions of at most [`MAX_BINARY_POINTS`](droste_native::precompile::MAX_BINARY_POINTS)
/// bits: it is one for the first element of the basis, zero for the others. No fewer bits have this
/// property.
pub const LOWEST_BIT: u128 = 1 | 1 << 32 | 1 << 67 | 1 << 78;

/// Largest number of bits of which [`assert_parity`] takes the exclusive or.
const MAX_TERMS: u32 = 5;

const _: () = {
    assert!(LOWEST_BIT.count_ones() <= MAX_TERMS);
    let mut k = 0;
    while k < BITS {
        assert!(SQUARE[k].count_ones() <= MAX_TERMS);
        k += 1;
    }
};

const fn times_x(element: u128) -> u128 {
    (element << 1) ^ ((element >> (BITS - 1)) * REDUCED)
}

/// Returns the square of an element.
pub fn square(element: u128) -> u128 {
    let bits = SQUARE.iter().enumerate();
    bits.fold(0, |square, (k, &mask)| square | parity(element, mask) << k)
}

/// Returns the exclusive or of the bits that a mask lists.
pub fn parity(element: u128, mask: u128) -> u128 {
    u128::from((element & mask).count_ones() & 1)
}

/// Constrains a boolean to be the exclusive or of those of these booleans that a mask lists, at
/// most five: their sum less the boolean is one of 0, 2, 4. The degree is at most 3.
pub fn assert_parity<AB: AirBuilder>(
    builder: &mut AB,
    bits: &[AB::Var; BITS],
    mask: u128,
    parity: AB::Var,
) {
    let listed = bits.iter().enumerate();
    let listed = listed.filter(|(i, _)| mask >> i & 1 == 1);
    let sum: AB::Expr = listed.map(|(_, &bit)| bit.into()).sum();
    let even = sum - parity;
    let evens = (0..=mask.count_ones()).step_by(2);
    builder.assert_zero(
        evens
            .map(|n| even.clone() - AB::Expr::from_u32(n))
            .product::<AB::Expr>(),
    );
}
