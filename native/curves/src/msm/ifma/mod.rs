#![allow(clippy::needless_range_loop)] // plain loops inline into functions of a target feature
//! Batch-affine accumulation by AVX-512 IFMA: groups of eight slots, coordinates of 5 x 52 bits.
//!
//! A point in memory takes 64 bytes, one cache line: both coordinates in four words each, with
//! Montgomery radix `2^260`, below `2 p`. The points stored are the points `(x / 16, y / 64)` of an
//! isomorphic curve, because their abscissas have the very words that arkworks' radix `2^256` gives
//! to `x`. Sums in progress keep their limbs in vector form. Their abscissas are below `5 p` and
//! their ordinates below `3 p`, and differences of these are multiplied without being reduced.

mod adder;

use std::arch::x86_64::_mm512_setzero_si512;
use std::marker::PhantomData;

use ark_ec::short_weierstrass::Affine;
use ark_ff::{AdditiveGroup, Field, PrimeField};

use super::backend::Backend;
use super::curve::MsmCurve;
use super::endomorphism::Endomorphism;
use super::field::KernelField;
use super::field::ifma::{self, Modulus};
use super::planes::Block;
use super::schedule::{Entry, LANES, Row};
use adder::Adder;
pub use adder::Scratch;

/// The AVX-512 IFMA backend of a curve over a field of four limbs.
#[derive(Clone, Copy, Debug)]
pub struct Ifma<C: MsmCurve> {
    adder: Adder,
    /// The order of the scalar field.
    order: Modulus,
    /// Entry `i` is the multiple of `p` that, added to a number that is `i` modulo 4, makes it a
    /// multiple of 4.
    quarters: [[u64; 5]; 4],
    curve: PhantomData<C>,
}

/// A nonidentity affine point: four words of `x`, four of `y`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub struct Point([u64; 8]);

impl<C: MsmCurve> Ifma<C> {
    /// Returns the backend if this machine has the instructions and the curve's field is supported.
    pub fn new() -> Option<Self> {
        if !ifma::available() {
            return None;
        }
        let modulus = Modulus::new(&C::BaseField::modulus4()?)?;
        let order = Modulus::new(&C::ScalarField::modulus4()?)?;
        let power = |exponent| C::BaseField::from(2u64).pow([exponent]);
        Some(Self {
            adder: Adder {
                modulus,
                one: raw(power(260))?,
                coefficient: raw(C::COEFF_A * power(252))?,
                mend: raw(power(780))?,
                invert_all: invert_all::<C::BaseField>,
            },
            order,
            quarters: quarters(&C::BaseField::modulus4()?),
            curve: PhantomData,
        })
    }

    /// `y / 4` modulo `p`, for `y` below `p`. It takes the words of `y` in arkworks' radix to those
    /// of `y / 64` in the radix of this module.
    #[inline]
    fn quarter(&self, y: &[u64; 4]) -> [u64; 4] {
        let multiple = &self.quarters[(y[0] & 3) as usize];
        let (mut sum, mut carry) = ([0; 5], false);
        for i in 0..4 {
            (sum[i], carry) = y[i].carrying_add(multiple[i], carry);
        }
        sum[4] = multiple[4] + u64::from(carry);
        std::array::from_fn(|i| sum[i] >> 2 | sum[i + 1] << 62)
    }
}

/// Converts eight scalars from arkworks' Montgomery form to integers.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
fn integers(order: &Modulus, scalars: &[&[u64; 4]; LANES], out: &mut Block) {
    let mut rows = [_mm512_setzero_si512(); LANES];
    for i in 0..LANES {
        rows[i] = ifma::load_pair(scalars[i], scalars[i]);
    }
    let w = ifma::transpose(&rows);
    let value = ifma::from_words(&[w[0], w[1], w[2], w[3]]);
    let product = order.mul(&value, &ifma::splat(&[1 << 4, 0, 0, 0, 0]));
    let words = ifma::to_words(&order.reduce_exactly::<1>(&product));
    for i in 0..4 {
        ifma::store(&mut out[i], words[i]);
    }
}

/// Reads the words of a value below `2 p` as arkworks' representation of an element.
fn canonical<F: KernelField>(words: [u64; 4]) -> F {
    let modulus = F::modulus4().unwrap_or([0; 4]);
    let mut less = words;
    let mut borrow = false;
    for (word, m) in less.iter_mut().zip(modulus) {
        (*word, borrow) = word.borrowing_sub(m, borrow);
    }
    let limbs = if borrow { words } else { less };
    F::from_limbs4(limbs).unwrap_or_default()
}

/// Inverts eight elements, given by words below `2 p` in arkworks' radix, with one inversion: each
/// result is [`KernelField::invert_representation`] of its element.
fn invert_all<F: KernelField>(words: &[[u64; 4]; LANES]) -> [[u64; 4]; LANES] {
    let elements = words.map(canonical::<F>);
    let mut prefixes = elements;
    for i in 1..LANES {
        prefixes[i] = prefixes[i - 1] * elements[i];
    }
    let mut inverse = prefixes[LANES - 1].invert_representation();
    let mut out = [[0; 4]; LANES];
    for i in (0..LANES).rev() {
        let single = if i == 0 {
            inverse
        } else {
            inverse * prefixes[i - 1]
        };
        inverse *= elements[i];
        if let Some(words) = single.limbs4() {
            out[i] = *words;
        }
    }
    out
}

/// The multiples of the odd modulus that are 0, -1, -2 and -3 modulo 4, in this order.
fn quarters(modulus: &[u64; 4]) -> [[u64; 5]; 4] {
    std::array::from_fn(|low| {
        // An odd number is its own inverse modulo 4.
        let factor = ((4 - low as u64) * (modulus[0] & 3)) & 3;
        let (mut out, mut carry) = ([0; 5], 0);
        for (out, word) in out.iter_mut().zip(modulus) {
            (*out, carry) = word.carrying_mul(factor, carry);
        }
        out[4] = carry;
        out
    })
}

/// The Montgomery representation of an element as an integer, in limbs.
fn raw<F: PrimeField>(value: F) -> Option<[u64; ifma::LIMBS]> {
    let words: [u64; 4] = value.into_bigint().as_ref().try_into().ok()?;
    Some(ifma::limbs(&words))
}

impl<C: MsmCurve> Backend<C> for Ifma<C> {
    type Point = Point;
    type Scratch = Scratch;

    #[inline]
    fn integers(&self, scalars: &[C::ScalarField; LANES]) -> Block {
        let (mut limbs, mut out) = ([&[0; 4]; LANES], [[0; LANES]; 4]);
        for (limbs, scalar) in limbs.iter_mut().zip(scalars) {
            *limbs = scalar.limbs4().unwrap_or(&[0; 4]);
        }
        // SAFETY: a value of this type exists only where the features are there.
        unsafe { integers(&self.order, &limbs, &mut out) };
        out
    }

    #[inline]
    fn pack(&self, point: &Affine<C>) -> Point {
        let mut out = [0; 8];
        if let (Some(x), Some(y)) = (point.x.limbs4(), point.y.limbs4()) {
            out[..4].copy_from_slice(x);
            out[4..].copy_from_slice(&self.quarter(y));
        }
        Point(out)
    }

    fn split(&self, endomorphism: &Endomorphism<C::BaseField>, scalars: &Block) -> [Block; 2] {
        // SAFETY: a value of this type exists only where the features are there.
        unsafe { endomorphism.split_vectorised(scalars) }
    }

    fn multiply_x(&self, factor: &C::BaseField, points: &mut [Point]) {
        let radix = C::BaseField::from(2u64).pow([260]);
        let factor = raw(*factor * radix).unwrap_or_default();
        let (groups, rest) = points.as_chunks_mut::<LANES>();
        let mut padded = [Point::default(); LANES];
        padded[..rest.len()].copy_from_slice(rest);
        for group in groups.iter_mut().chain([&mut padded]) {
            // SAFETY: a value of this type exists only where the features are there.
            unsafe { self.adder.scale_x(group, &factor) };
        }
        rest.copy_from_slice(&padded[..rest.len()]);
    }

    fn unpack(&self, point: &Point) -> Affine<C> {
        let [x0, x1, x2, x3, y0, y1, y2, y3] = point.0;
        let x = canonical::<C::BaseField>([x0, x1, x2, x3]);
        let y = canonical::<C::BaseField>([y0, y1, y2, y3])
            .double()
            .double();
        Affine::new_unchecked(x, y)
    }

    fn sum_tile(
        &self,
        points: &[Point],
        entries: &[Entry],
        rows: &[Row],
        scratch: &mut Scratch,
        sums: &mut [Point],
        identity: &mut [u32],
    ) {
        // SAFETY: a value of this type exists only where the features are there.
        unsafe {
            self.adder
                .sum_tile(points, entries, rows, scratch, sums, identity)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_ec::AffineRepr;
    use ark_ff::One;

    fn round_trip<C: MsmCurve>() {
        let Some(backend) = Ifma::<C>::new() else {
            return;
        };
        let quarter = C::BaseField::from(4u64).inverse().unwrap();
        let random = C::BaseField::from(5u64).pow([1_234_567]);
        for y in [
            C::BaseField::ZERO,
            C::BaseField::one(),
            -C::BaseField::one(),
            random,
        ] {
            for y in [y, y.double(), y + y.double(), y.double().double()] {
                let found = backend.quarter(y.limbs4().unwrap());
                assert_eq!(C::BaseField::from_limbs4(found).unwrap(), y * quarter);
            }
        }
        let g = Affine::<C>::generator();
        assert_eq!(backend.unpack(&backend.pack(&g)), g);
        let mut points = vec![backend.pack(&g); 11];
        backend.multiply_x(&quarter, &mut points);
        let expected = Affine::new_unchecked(g.x * quarter, g.y);
        assert!(points.iter().all(|point| backend.unpack(point) == expected));
    }

    #[test]
    fn points_come_back() {
        round_trip::<ark_bn254::g1::Config>();
        round_trip::<ark_grumpkin::GrumpkinConfig>();
        round_trip::<ark_pallas::PallasConfig>();
        round_trip::<ark_vesta::VestaConfig>();
    }
}
