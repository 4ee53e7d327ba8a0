//! The endomorphism split (Gallant, Lambert and Vanstone): `k P = k1 P + k2 phi(P)`, where `k1` and
//! `k2`, called halves, are half as long as `k`.
//!
//! On a curve `y^2 = x^3 + b` of prime order `r`, the map `phi(x, y) = (beta x, y)`, for a cube
//! root of unity `beta`, multiplies points by a cube root of unity `lambda` modulo `r`. The pairs
//! `(a, b)` with `a + b lambda = 0` modulo `r` form a lattice that has a basis of vectors of length
//! about `sqrt(r)`. Subtracting the lattice point next to `(k, 0)` from `(k, 0)` leaves `(k1, k2)`.
//! All constants are derived from the curve.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use ark_ec::short_weierstrass::{Affine, Projective};
use ark_ec::{AffineRepr, PrimeGroup};
use ark_ff::{BigInteger, Field, PrimeField, Zero};
use num_bigint::{BigInt, BigUint, Sign};

use super::curve::MsmCurve;
use super::planes::Word;

/// The rounding factors are fixed-point numbers with this many bits after the point.
pub(super) const SHIFT: u32 = 304;

/// An integer modulo `2^192`.
pub(super) type Short = [u64; 3];

/// The endomorphism of a curve and the split of scalars.
#[derive(Clone, Copy, Debug)]
pub struct Endomorphism<F> {
    /// The factor by which the endomorphism multiplies abscissas.
    pub beta: F,
    /// Length in bits of the longest half.
    pub bits: u32,
    pub(super) split: Split,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Split {
    /// `|2^304 b2 / r|` and `|2^304 b1 / r|`, rounded. Their products with a scalar, divided by
    /// `2^304`, say how many of each basis vector to subtract.
    pub factors: [Short; 2],
    /// The basis vectors in two's complement, with the signs with which those multiples are added.
    pub basis: [[Short; 2]; 2],
}

impl<F: Copy> Endomorphism<F> {
    /// Splits a scalar into its halves, in two's complement.
    pub fn split(&self, scalar: &Word) -> [Word; 2] {
        let [c1, c2]: [Short; 2] = self.split.factors.map(|factor| {
            let mut product: [u64; 7] = product(scalar, &factor);
            // Round to the nearest integer: that makes the halves shortest.
            let mut carry;
            (product[4], carry) = product[4].overflowing_add(1 << (SHIFT % 64 - 1));
            (product[5], carry) = product[5].carrying_add(0, carry);
            product[6] += u64::from(carry);
            std::array::from_fn(|i| {
                let high = product.get(i + 5).copied().unwrap_or(0);
                product[i + 4] >> (SHIFT % 64) | high << (64 - SHIFT % 64)
            })
        });
        let [v1, v2] = &self.split.basis;
        let [s0, s1, s2, _] = *scalar;
        let half = |start: Short, i: usize| {
            let sum = add(&start, &product(&c1, &v1[i]));
            let [w0, w1, w2] = add(&sum, &product(&c2, &v2[i]));
            [w0, w1, w2, (w2 as i64 >> 63) as u64]
        };
        [half([s0, s1, s2], 0), half([0; 3], 1)]
    }
}

/// The endomorphism of a curve, if it has one and its order is prime. It is derived once per curve
/// and then kept.
pub fn endomorphism<C: MsmCurve>() -> Option<Endomorphism<C::BaseField>> {
    type Known = HashMap<TypeId, Box<dyn Any + Send>>;
    static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Default::default);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let entry = known
        .entry(TypeId::of::<C>())
        .or_insert_with(|| Box::new(derive::<C>()));
    entry
        .downcast_ref::<Option<Endomorphism<C::BaseField>>>()
        .copied()?
}

/// Returns a cube root of unity other than 1, if the field has one.
fn cube_root_of_unity<F: PrimeField>() -> Option<F> {
    let order = BigUint::from_bytes_le(&F::MODULUS.to_bytes_le()) - 1u32;
    if &order % 3u32 != BigUint::ZERO {
        return None;
    }
    let root = F::GENERATOR.pow((order / 3u32).to_u64_digits());
    (!root.is_one()).then_some(root)
}

fn derive<C: MsmCurve>() -> Option<Endomorphism<C::BaseField>> {
    if !C::COEFF_A.is_zero() || C::COFACTOR != [1] {
        return None;
    }
    let beta = cube_root_of_unity::<C::BaseField>()?;
    let g = Affine::<C>::generator();
    let image = Projective::<C>::from(Affine::<C>::new_unchecked(g.x * beta, g.y));
    let root = cube_root_of_unity::<C::ScalarField>()?;
    let lambda = [root, root.square()]
        .into_iter()
        .find(|lambda| Projective::<C>::generator() * lambda == image)?;
    let r = BigInt::from_bytes_le(Sign::Plus, &C::ScalarField::MODULUS.to_bytes_le());
    let lambda = BigInt::from_bytes_le(Sign::Plus, &lambda.into_bigint().to_bytes_le());

    // Euclid's algorithm on r and lambda gives remainders with their coefficients of lambda, and
    // each pair (remainder, -coefficient) is in the lattice. The pairs whose remainder is around
    // the square root of r are the shortest.
    let root = r.sqrt();
    let (mut old, mut new) = ((r.clone(), BigInt::ZERO), (lambda, BigInt::from(1)));
    while new.0 >= root {
        let quotient = &old.0 / &new.0;
        let next = (&old.0 - &quotient * &new.0, &old.1 - &quotient * &new.1);
        old = std::mem::replace(&mut new, next);
    }
    let quotient = &old.0 / &new.0;
    let next = (&old.0 - &quotient * &new.0, &old.1 - &quotient * &new.1);
    let length = |pair: &(BigInt, BigInt)| &pair.0 * &pair.0 + &pair.1 * &pair.1;
    let second = if length(&old) < length(&next) {
        old
    } else {
        next
    };
    let (mut first, mut second) = ((new.0, -new.1), (second.0, -second.1));
    // In a basis of determinant r, (k, 0) is (b2 k / r) v1 - (b1 k / r) v2.
    if &first.0 * &second.1 - &first.1 * &second.0 != r {
        std::mem::swap(&mut first, &mut second);
    }
    if &first.0 * &second.1 - &first.1 * &second.0 != r {
        return None;
    }
    let scaled = |value: &BigInt| {
        let (value, r) = (value.magnitude(), r.magnitude());
        short(&BigInt::from(((value << (SHIFT + 1)) / r + 1u32) >> 1))
    };
    // A half is at most half the sum of the basis vectors' lengths, plus a little because the
    // factors are rounded.
    let bound = |a: &BigInt, b: &BigInt| -> BigUint {
        let sum = a.magnitude() + b.magnitude();
        (&sum >> 1) + (sum >> 32) + 1u32
    };
    let longest = bound(&first.0, &second.0).max(bound(&first.1, &second.1));
    let bits = longest.bits() as u32;
    if bits > 160 {
        return None;
    }
    // Vectors are stored so that they can be added: negated, and with the sign of their factor.
    let vector = |(a, b): &(BigInt, BigInt), positive: bool| {
        let sign = BigInt::from(if positive { -1 } else { 1 });
        Some([short(&(a * &sign))?, short(&(b * &sign))?])
    };
    Some(Endomorphism {
        beta,
        bits,
        split: Split {
            factors: [scaled(&second.1)?, scaled(&first.1)?],
            basis: [
                vector(&first, second.1.sign() != Sign::Minus)?,
                vector(&second, first.1.sign() == Sign::Minus)?,
            ],
        },
    })
}

/// Converts an integer whose absolute value is small enough to an integer modulo `2^192`.
fn short(value: &BigInt) -> Option<Short> {
    let digits = value.magnitude().to_u64_digits();
    let mut out = [0; 3];
    out.get_mut(..digits.len())?.copy_from_slice(&digits);
    Some(if value.sign() == Sign::Minus {
        add(&out.map(|word| !word), &[1, 0, 0])
    } else {
        out
    })
}

fn add(a: &Short, b: &Short) -> Short {
    let mut carry = false;
    std::array::from_fn(|i| {
        let sum;
        (sum, carry) = a[i].carrying_add(b[i], carry);
        sum
    })
}

/// The low `N` words of a product.
#[inline]
fn product<const A: usize, const B: usize, const N: usize>(a: &[u64; A], b: &[u64; B]) -> [u64; N] {
    let mut out = [0u64; N];
    for (i, &x) in a.iter().enumerate() {
        let mut carry = 0;
        for (j, &y) in b.iter().enumerate().take(N - i) {
            (out[i + j], carry) = x.carrying_mul_add(y, out[i + j], carry);
        }
        if i + B < N {
            out[i + B] = carry;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::msm::planes::bit_length;
    use crate::test_utils::{bytes, on_words};
    use ark_ff::BigInt as Integer;

    fn check<C: MsmCurve>(bytes: &[u8]) {
        let endomorphism = endomorphism::<C>().unwrap();
        let g = Affine::<C>::generator();
        let image = Affine::<C>::new(g.x * endomorphism.beta, g.y);
        let random = C::ScalarField::from_le_bytes_mod_order(bytes);
        for scalar in [
            random,
            C::ScalarField::zero(),
            -C::ScalarField::from(bytes[0]),
        ] {
            let halves = endomorphism.split(&scalar.into_bigint().0);
            assert_eq!(halves_sum(&endomorphism, [g, image], halves), g * scalar);
        }
        // The split must also hold for integers above the order.
        let words = [u64::MAX, u64::MAX - u64::from(bytes[1]), 5, u64::MAX];
        let halves = endomorphism.split(&words);
        let expected = g.mul_bigint(Integer::new(words));
        assert_eq!(halves_sum(&endomorphism, [g, image], halves), expected);
    }

    fn halves_sum<C: MsmCurve>(
        endomorphism: &Endomorphism<C::BaseField>,
        points: [Affine<C>; 2],
        halves: [Word; 2],
    ) -> Projective<C> {
        let parts = points.into_iter().zip(halves).map(|(point, half)| {
            let (negative, mut words) = (half[3] >> 63 == 1, half);
            if negative {
                let mut carry = true;
                words = half.map(|word| {
                    let sum;
                    (sum, carry) = (!word).carrying_add(0, carry);
                    sum
                });
            }
            assert!(bit_length(&words) <= endomorphism.bits && endomorphism.bits <= 128);
            let part = point.mul_bigint(Integer::new(words));
            if negative { -part } else { part }
        });
        parts.sum()
    }

    #[test]
    fn halves_make_the_whole() {
        on_words(16, 8, &|words| {
            let bytes = bytes(words);
            check::<ark_bn254::g1::Config>(&bytes);
            check::<ark_grumpkin::GrumpkinConfig>(&bytes);
            check::<ark_pallas::PallasConfig>(&bytes);
            check::<ark_vesta::VestaConfig>(&bytes);
        });
    }

    #[test]
    fn only_for_curves_of_prime_order() {
        assert!(endomorphism::<ark_bls12_381::g1::Config>().is_none());
    }
}
