//! Arithmetic modulo `p` on integers in doubles.

use super::lanes::Lanes;
use crate::field::MODULUS;

/// The modulus.
pub(super) const P: f64 = MODULUS as f64;

/// `3 * 2^51`. The sum of it and an integer below `2^51` has that integer, modulo `2^32`, in its
/// low half.
pub(super) const MAGIC: f64 = 6_755_399_441_055_744.0;

/// `2^-32`.
pub(super) const DOWN: f64 = 1.0 / (1u64 << 32) as f64;

/// `p^-1 mod 2^32`, since `p = 1 + 127 * 2^24`.
const INVERSE: u64 = {
    let p = MODULUS as u64;
    let inverse = (1 << 32) + 1 - (127 << 24);
    assert!(p * inverse % (1 << 32) == 1);
    inverse
};

/// The residue of an integer below `2^51` that is between `-(p + 1) / 2` and `(p + 1) / 2`.
///
/// The quotient is rounded to an integer by adding and subtracting [`MAGIC`]. What the division
/// rounds changes it by less than `2^-31`, so it can be a wrong one of two integers only where
/// both are as near.
#[inline(always)]
pub(super) fn reduce<L: Lanes>(x: L::Doubles) -> L::Doubles {
    let quotient = L::multiply_add(x, L::splat(1.0 / P), L::splat(MAGIC)) - L::splat(MAGIC);
    L::subtract_product(quotient, L::splat(P), x)
}

/// An integer between `-2^31` and `2^31`, as low half; the high half is of no use.
#[inline(always)]
pub(super) fn integer<L: Lanes>(x: L::Doubles) -> L::Words {
    L::bits(x + L::splat(MAGIC))
}

/// First third of a Montgomery multiplication (P. Montgomery, "Modular multiplication without
/// trial division", 1985) of signed low halves `a`, `b`: their product.
///
/// The thirds can be called apart, so that other work hides their latency. If `|a| <= p` and
/// `|b| <= p`, the result of the last one is below `p` in absolute value:
/// `(a b - q p) / 2^32` with `|q| <= 2^31`.
#[inline(always)]
pub(super) fn montgomery_product<L: Lanes>(a: L::Words, b: L::Words) -> L::Words {
    L::multiply(a, b)
}

/// Second third: the quotient `q`, in the low half.
#[inline(always)]
pub(super) fn montgomery_quotient<L: Lanes>(product: L::Words) -> L::Words {
    L::multiply(product, L::splat_words(INVERSE))
}

/// Last third: the result in the high half; the low half is zero.
#[inline(always)]
pub(super) fn montgomery_end<L: Lanes>(product: L::Words, quotient: L::Words) -> L::Words {
    L::subtract(
        product,
        L::multiply(quotient, L::splat_words(u64::from(MODULUS))),
    )
}

/// `2^32` times the cubes, in Montgomery form, of Montgomery forms in low halves, which are signed
/// and at most `p` in absolute value. The cubes are below `p` in absolute value.
#[inline(always)]
pub(super) fn cubes<L: Lanes, const N: usize>(x: [L::Words; N]) -> [L::Doubles; N] {
    let end = |products: [L::Words; N]| -> [L::Words; N] {
        let quotients = products.map(montgomery_quotient::<L>);
        std::array::from_fn(|i| montgomery_end::<L>(products[i], quotients[i]))
    };
    let squares = end(x.map(|x| montgomery_product::<L>(x, x))).map(L::high_halves);
    let products = std::array::from_fn(|i| montgomery_product::<L>(squares[i], x[i]));
    end(products).map(L::to_doubles)
}

/// Low halves in `-(p + 1) / 2 ..= (p + 1) / 2`, as canonical ones.
#[inline(always)]
pub(super) fn canonical<L: Lanes>(x: L::Words) -> L::Words {
    // A negative integer is the greater one of the two, without its sign.
    L::min_halves(x, L::add_halves(x, L::splat_halves(MODULUS)))
}
