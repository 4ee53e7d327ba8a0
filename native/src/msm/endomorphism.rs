//! The endomorphism split (Gallant, Lambert and Vanstone): `k P = k1 P + k2 phi(P)` with halves of
//! half the length.
//!
//! On a curve `y^2 = x^3 + b` of prime order `r`, `phi(x, y) = (beta x, y)` for a cube root of unity
//! `beta` multiplies points by a cube root of unity `lambda` modulo `r`. The pairs `(a, b)` with
//! `a + b lambda = 0` modulo `r` form a lattice with a basis of vectors of about `sqrt(r)`; taking the
//! lattice point next to `(k, 0)` away leaves `(k1, k2)`. Everything is derived from the curve.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use ark_ec::short_weierstrass::{Affine, Projective};
use ark_ec::{AffineRepr, PrimeGroup};
use ark_ff::{BigInteger, Field, PrimeField, Zero};
use num_bigint::{BigInt, BigUint, Sign};

use super::curve::MsmCurve;

/// Fixed-point position of the rounding factors.
const SHIFT: usize = 320;

type Words = [u64; 4];

/// The endomorphism of a curve and the split of scalars.
#[derive(Clone, Copy, Debug)]
pub struct Endomorphism<F> {
    /// What abscissas are multiplied by.
    pub beta: F,
    split: Split,
}

/// All numbers modulo `2^256`, in two's complement.
#[derive(Clone, Copy, Debug)]
struct Split {
    /// The basis, `(a1, b1)` and `(a2, b2)`.
    basis: [[Words; 2]; 2],
    /// `|2^320 b2 / r|` and `|2^320 b1 / r|`, and whether the factors count negated.
    factors: [(Words, bool); 2],
}

/// A half of a scalar: absolute value, and 1 if negative.
pub type Half = (Words, u32);

impl<F: Copy> Endomorphism<F> {
    /// The halves of a scalar.
    pub fn split(&self, scalar: &Words) -> [Half; 2] {
        let [c1, c2] = self.split.factors.map(|(factor, negate)| {
            let rounded = multiply_high(scalar, &factor);
            if negate { negated(&rounded) } else { rounded }
        });
        let [[a1, b1], [a2, b2]] = &self.split.basis;
        let first = subtract(
            &subtract(scalar, &multiply_low(&c1, a1)),
            &multiply_low(&c2, a2),
        );
        let second = negated(&add(&multiply_low(&c1, b1), &multiply_low(&c2, b2)));
        [first, second].map(|half| {
            if half[3] >> 63 == 1 {
                (negated(&half), 1)
            } else {
                (half, 0)
            }
        })
    }
}

/// The endomorphism of a curve that has one and whose order is prime; derived once.
pub fn endomorphism<C: MsmCurve>() -> Option<Endomorphism<C::BaseField>> {
    static KNOWN: LazyLock<Mutex<HashMap<TypeId, Option<Split>>>> = LazyLock::new(Default::default);
    if !C::COEFF_A.is_zero() || C::COFACTOR != [1] {
        return None;
    }
    let beta = cube_root_of_unity::<C::BaseField>()?;
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let split = *known
        .entry(TypeId::of::<C>())
        .or_insert_with(|| derive::<C>(beta));
    Some(Endomorphism {
        beta,
        split: split?,
    })
}

/// A cube root of unity other than 1, if the field has one.
fn cube_root_of_unity<F: PrimeField>() -> Option<F> {
    let order = BigUint::from_bytes_le(&F::MODULUS.to_bytes_le()) - 1u32;
    if &order % 3u32 != BigUint::ZERO {
        return None;
    }
    let root = F::GENERATOR.pow((order / 3u32).to_u64_digits());
    (!root.is_one()).then_some(root)
}

fn derive<C: MsmCurve>(beta: C::BaseField) -> Option<Split> {
    let g = Affine::<C>::generator();
    let image = Projective::<C>::from(Affine::<C>::new_unchecked(g.x * beta, g.y));
    let root = cube_root_of_unity::<C::ScalarField>()?;
    let lambda = [root, root.square()]
        .into_iter()
        .find(|lambda| Projective::<C>::generator() * lambda == image)?;
    let r = BigInt::from_bytes_le(Sign::Plus, &C::ScalarField::MODULUS.to_bytes_le());
    let lambda = BigInt::from_bytes_le(Sign::Plus, &lambda.into_bigint().to_bytes_le());

    // Remainders of Euclid's algorithm on r and lambda, with their coefficients of lambda: each pair
    // (remainder, -coefficient) is in the lattice. The shortest are around the square root of r.
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
    // (k, 0) is (b2 k / r) v1 - (b1 k / r) v2, for a basis of determinant r.
    if &first.0 * &second.1 - &first.1 * &second.0 != r {
        std::mem::swap(&mut first, &mut second);
    }
    if &first.0 * &second.1 - &first.1 * &second.0 != r {
        return None;
    }
    let factor = |value: &BigInt, negate: bool| {
        let scaled = (value.magnitude() << SHIFT) / r.magnitude();
        Some((
            words(&BigInt::from(scaled))?,
            (value.sign() == Sign::Minus) ^ negate,
        ))
    };
    Some(Split {
        factors: [factor(&second.1, false)?, factor(&first.1, true)?],
        basis: [
            [words(&first.0)?, words(&first.1)?],
            [words(&second.0)?, words(&second.1)?],
        ],
    })
}

/// An integer modulo `2^256`, if it is below that in absolute value.
fn words(value: &BigInt) -> Option<Words> {
    let digits = value.magnitude().to_u64_digits();
    let mut out = [0; 4];
    out.get_mut(..digits.len())?.copy_from_slice(&digits);
    Some(if value.sign() == Sign::Minus {
        negated(&out)
    } else {
        out
    })
}

fn add(a: &Words, b: &Words) -> Words {
    let mut carry = false;
    std::array::from_fn(|i| {
        let (sum, first) = a[i].overflowing_add(b[i]);
        let (sum, second) = sum.overflowing_add(u64::from(carry));
        carry = first | second;
        sum
    })
}

fn negated(a: &Words) -> Words {
    add(&a.map(|word| !word), &[1, 0, 0, 0])
}

fn subtract(a: &Words, b: &Words) -> Words {
    add(a, &negated(b))
}

fn multiply(a: &Words, b: &Words) -> [u64; 8] {
    let mut out = [0u64; 8];
    for (i, x) in a.iter().enumerate() {
        let mut carry = 0u128;
        for (j, y) in b.iter().enumerate() {
            carry += u128::from(*x) * u128::from(*y) + u128::from(out[i + j]);
            out[i + j] = carry as u64;
            carry >>= 64;
        }
        out[i + 4] = carry as u64;
    }
    out
}

fn multiply_low(a: &Words, b: &Words) -> Words {
    let [w0, w1, w2, w3, ..] = multiply(a, b);
    [w0, w1, w2, w3]
}

/// The product over `2^320`, rounded down.
fn multiply_high(a: &Words, b: &Words) -> Words {
    let product = multiply(a, b);
    std::array::from_fn(|i| product.get(i + SHIFT / 64).copied().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::msm::scan::bit_length;
    use ark_ff::BigInt as Integer;
    use proptest::prelude::*;

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
            let sum = [g, image]
                .into_iter()
                .zip(halves)
                .map(|(point, (words, negative))| {
                    assert!(bit_length(&words) <= 129);
                    let part = point.mul_bigint(Integer::new(words));
                    if negative == 1 { -part } else { part }
                });
            assert_eq!(sum.sum::<Projective<C>>(), g * scalar);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn halves_make_the_whole(bytes in prop::collection::vec(any::<u8>(), 64)) {
            check::<ark_bn254::g1::Config>(&bytes);
            check::<ark_grumpkin::GrumpkinConfig>(&bytes);
            check::<ark_pallas::PallasConfig>(&bytes);
            check::<ark_vesta::VestaConfig>(&bytes);
        }
    }

    #[test]
    fn only_for_curves_of_prime_order() {
        assert!(endomorphism::<ark_bls12_381::g1::Config>().is_none());
    }
}
