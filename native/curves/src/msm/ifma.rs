#![allow(clippy::needless_range_loop)] // plain loops inline into functions of a target feature
//! Batch-affine accumulation by AVX-512 IFMA: groups of eight slots, coordinates of 5 x 52 bits.
//!
//! A point in memory takes 64 bytes, one cache line: both coordinates in four words each, with
//! Montgomery radix `2^260`, below `2 p`. The points stored are the points `(x / 16, y / 64)` of an
//! isomorphic curve, because their abscissas have the very words that arkworks' radix `2^256` gives
//! to `x`. Sums in progress keep their limbs in vector form. Their abscissas are below `5 p` and
//! their ordinates below `3 p`, and differences of these are multiplied without being reduced.

use std::arch::x86_64::_mm512_setzero_si512;
use std::marker::PhantomData;

use ark_ec::short_weierstrass::Affine;
use ark_ff::{AdditiveGroup, Field, PrimeField};

use super::backend::Backend;
use super::curve::MsmCurve;
use super::endomorphism::Endomorphism;
use super::field::KernelField;
use super::field::ifma::{self, Fe, Modulus, V};
use super::planes::Block;
use super::prefetch::prefetch;
use super::schedule::{Entry, LANES, Row};

/// Number of independent chains of products, so that a multiplication need not wait for the
/// previous one.
const CHAINS: usize = 4;

/// Number of groups between the prefetch of a group's points and their use.
const PREFETCH: usize = 4;

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

/// The additions. They know the curve by its numbers, so that they are compiled once for all
/// curves.
#[derive(Clone, Copy, Debug)]
struct Adder {
    modulus: Modulus,
    /// 1, and the coefficient `a / 2^8` of the isomorphic curve, in Montgomery form.
    one: [u64; ifma::LIMBS],
    coefficient: [u64; ifma::LIMBS],
    /// `2^780`, the factor that restores the Montgomery radix after an inversion.
    mend: [u64; ifma::LIMBS],
    /// [`invert_all`] in the curve's field.
    invert_all: fn(&[[u64; 4]; LANES]) -> [[u64; 4]; LANES],
}

/// A nonidentity affine point: four words of `x`, four of `y`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub struct Point([u64; 8]);

/// Eight sums, one per lane.
#[derive(Clone, Copy, Debug)]
struct Group {
    x: Fe,
    y: Fe,
}

/// The points that are added to a group, and the denominators of these additions.
#[derive(Clone, Copy, Debug)]
struct Term {
    point: Group,
    denominator: Fe,
    /// Product of the previous denominators of the same chain.
    prefix: Fe,
}

/// The lanes of a group whose addition in this row is special: the two abscissas are equal, the sum
/// so far is the identity, or there is nothing to add.
#[derive(Clone, Copy, Debug)]
struct Special {
    group: usize,
    double: u8,
    cancel: u8,
    replace: u8,
    idle: u8,
}

impl Group {
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
    fn zero() -> Self {
        let zero = [_mm512_setzero_si512(); ifma::LIMBS];
        Self { x: zero, y: zero }
    }
}

impl Term {
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
    fn zero() -> Self {
        let zero = [_mm512_setzero_si512(); ifma::LIMBS];
        Self {
            point: Group::zero(),
            denominator: zero,
            prefix: zero,
        }
    }
}

/// Sums in progress and the terms of one row.
#[derive(Debug, Default)]
pub struct Scratch {
    sums: Vec<Group>,
    /// Per group, a mask of the lanes whose sum is the identity.
    identity: Vec<u8>,
    terms: Vec<Term>,
    special: Vec<Special>,
}

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

impl Adder {
    /// Inverts eight elements below `2 p` with one inversion. The results are below `2 p`.
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
    fn invert(&self, value: &Fe) -> Fe {
        let zero = _mm512_setzero_si512();
        let words = ifma::to_words(value);
        let rows = ifma::transpose(&[
            words[0], words[1], words[2], words[3], zero, zero, zero, zero,
        ]);
        let elements = rows.map(|row| {
            let mut words = [0u64; 8];
            ifma::store(&mut words, row);
            [words[0], words[1], words[2], words[3]]
        });
        let rows = (self.invert_all)(&elements).map(|element| {
            let mut words = [0u64; 8];
            words[..4].copy_from_slice(&element);
            ifma::load(&words)
        });
        let rows = ifma::transpose(&rows);
        let limbs = ifma::from_words(&[rows[0], rows[1], rows[2], rows[3]]);
        self.modulus.mul(&limbs, &ifma::splat(&self.mend))
    }

    /// Loads the points of eight entries, negated if the entry says so. Ordinates are at most
    /// `2 p`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
    fn fetch(&self, points: &[Point], entries: &[Entry; LANES]) -> Group {
        let mut rows = [_mm512_setzero_si512(); LANES];
        let mut negate = 0u8;
        for i in 0..LANES {
            rows[i] = ifma::load(&points[(entries[i] >> 1) as usize].0);
            negate |= ((entries[i] & 1) as u8) << i;
        }
        let w = ifma::transpose(&rows);
        let x = ifma::from_words(&[w[0], w[1], w[2], w[3]]);
        let y = ifma::from_words(&[w[4], w[5], w[6], w[7]]);
        let double = self.modulus.multiple::<2>();
        let y = ifma::normalize(ifma::select(negate, &y, &ifma::sub(&double, &y)));
        Group { x, y }
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
    fn start(&self, points: &[Point], entries: &[Entry], scratch: &mut Scratch) {
        let groups = entries.len() / LANES;
        scratch.identity.clear();
        scratch.identity.resize(groups, 0);
        scratch.sums.resize(groups, Group::zero());
        let chunks = entries.as_chunks::<LANES>().0;
        for (sum, chunk) in scratch.sums.iter_mut().zip(chunks) {
            *sum = self.fetch(points, chunk);
        }
    }

    /// First pass over a row: loads the terms and computes the denominators and their products.
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
    fn multiply_row(
        &self,
        points: &[Point],
        entries: &[Entry],
        ahead: &[Entry],
        len: usize,
        scratch: &mut Scratch,
    ) -> [Fe; CHAINS] {
        let mut chains = [ifma::splat(&self.one); CHAINS];
        let groups = entries.len() / LANES;
        if scratch.terms.len() < groups {
            scratch.terms.resize(groups, Term::zero());
        }
        let terms = scratch.terms.iter_mut().zip(&scratch.sums);
        let chunks = entries.as_chunks::<LANES>().0.iter().zip(terms);
        for (group, (chunk, (out, sum))) in chunks.enumerate() {
            if let Some(later) = ahead.get(group * LANES..(group + 1) * LANES) {
                later
                    .iter()
                    .for_each(|&entry| prefetch(points, (entry >> 1) as usize));
            }
            let point = self.fetch(points, chunk);
            let mut denominator = self.modulus.sub::<5>(&point.x, &sum.x);
            let active = len - group * LANES;
            let idle = if active < LANES { 0xffu8 << active } else { 0 };
            let suspect = self.modulus.maybe_zero(&denominator);
            if suspect | idle | scratch.identity[group] != 0 {
                let identity = scratch.identity[group];
                // Copied, because the compiler would keep a value in memory if a reference to it
                // left the function.
                let (term, mut own) = (point, denominator);
                let special = self.classify(group, sum, &term, idle, identity, &mut own);
                scratch.special.extend(special);
                denominator = own;
            }
            let chain = &mut chains[group % CHAINS];
            // Assigned limb by limb: for an assignment of the whole, the compiler calls memcpy.
            for limb in 0..ifma::LIMBS {
                out.point.x[limb] = point.x[limb];
                out.point.y[limb] = point.y[limb];
                out.denominator[limb] = denominator[limb];
                out.prefix[limb] = chain[limb];
            }
            *chain = self.modulus.mul(chain, &denominator);
        }
        chains
    }

    /// Finds the lanes whose additions are special and gives them invertible denominators.
    #[cold]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
    fn classify(
        &self,
        group: usize,
        sum: &Group,
        term: &Group,
        idle: u8,
        identity: u8,
        denominator: &mut Fe,
    ) -> Option<Special> {
        let same_x = self.modulus.is_zero(denominator) & !idle & !identity;
        let same_y = self
            .modulus
            .is_zero(&self.modulus.sub::<3>(&term.y, &sum.y));
        let flat = self.modulus.is_zero(&sum.y);
        let double = same_x & same_y & !flat;
        let special = Special {
            group,
            double,
            cancel: same_x & !double,
            replace: identity & !idle,
            idle,
        };
        let any = same_x | special.replace | idle;
        let doubled = ifma::normalize(ifma::add(&sum.y, &sum.y));
        *denominator = ifma::select(any, denominator, &ifma::splat(&self.one));
        *denominator = ifma::select(double, denominator, &doubled);
        (any != 0).then_some(special)
    }

    /// Returns the inverse of the product of each chain.
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
    fn invert_chains(&self, chains: &[Fe; CHAINS]) -> [Fe; CHAINS] {
        let m = &self.modulus;
        let mut prefixes = *chains;
        for i in 1..CHAINS {
            prefixes[i] = m.mul(&prefixes[i - 1], &chains[i]);
        }
        let mut inverse = self.invert(&prefixes[CHAINS - 1]);
        let mut out = *chains;
        for i in (1..CHAINS).rev() {
            out[i] = m.mul(&inverse, &prefixes[i - 1]);
            inverse = m.mul(&inverse, &chains[i]);
        }
        out[0] = inverse;
        out
    }

    /// Second pass over a row: computes slopes and sums, from the last group to the first.
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
    fn add_row(&self, groups: usize, mut inverses: [Fe; CHAINS], scratch: &mut Scratch) {
        let m = &self.modulus;
        let terms = scratch.terms[..groups].iter().zip(&mut scratch.sums);
        for (group, (term, sum)) in terms.enumerate().rev() {
            let chain = &mut inverses[group % CHAINS];
            let inverse = m.mul(chain, &term.prefix);
            *chain = m.mul(chain, &term.denominator);
            let term = &term.point;
            let mut numerator = m.sub::<3>(&term.y, &sum.y);
            let special = scratch.special.pop_if(|special| special.group == group);
            if let Some(special) = &special {
                let square = m.mul(&sum.x, &sum.x);
                let thrice = ifma::add(&ifma::add(&square, &square), &square);
                let tangent = ifma::add(&thrice, &ifma::splat(&self.coefficient));
                numerator = ifma::select(special.double, &numerator, &ifma::normalize(tangent));
            }
            let slope = m.mul(&numerator, &inverse);
            let square = m.mul(&slope, &slope);
            // The value is below 2 + 7 multiples of p; where it is large, 4 p are subtracted.
            let x = ifma::sub(&square, &ifma::add(&sum.x, &term.x));
            let x = m.reduce_once::<4>(&ifma::add(&x, &m.multiple::<7>()));
            let run = m.sub::<5>(&sum.x, &x);
            // The value is below 2 + 3 multiples of p; where it is large, 2 p are subtracted.
            let y = ifma::sub(&m.mul(&slope, &run), &sum.y);
            let y = m.reduce_once::<2>(&ifma::add(&y, &m.multiple::<3>()));
            match special {
                None => *sum = Group { x, y },
                Some(special) => {
                    let keep = special.cancel | special.idle;
                    let x = ifma::select(keep, &x, &sum.x);
                    let y = ifma::select(keep, &y, &sum.y);
                    *sum = Group {
                        x: ifma::select(special.replace, &x, &term.x),
                        y: ifma::select(special.replace, &y, &term.y),
                    };
                    let identity = &mut scratch.identity[group];
                    *identity = (*identity & !special.replace) | special.cancel;
                }
            }
        }
    }

    /// Writes the points of a group, reduced below `2 p`, one per lane.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
    fn write(&self, group: &Group, out: &mut [Point; LANES]) {
        let m = &self.modulus;
        let x = m.reduce_exactly::<2>(&m.reduce_exactly::<2>(&group.x));
        let y = m.reduce_exactly::<2>(&group.y);
        store_points(ifma::to_words(&x), ifma::to_words(&y), out);
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
    fn sum_tile(
        &self,
        points: &[Point],
        entries: &[Entry],
        rows: &[Row],
        scratch: &mut Scratch,
        sums: &mut [Point],
        identity: &mut [u32],
    ) {
        let Some((first, rest)) = rows.split_first() else {
            return;
        };
        let padded = |&[start, len]: &Row| {
            let start = start as usize;
            start..start + (len as usize).next_multiple_of(LANES)
        };
        self.start(points, &entries[padded(first)], scratch);
        for row in rest {
            let range = padded(row);
            let ahead = (range.start + PREFETCH * LANES).min(entries.len());
            let (now, ahead) = (&entries[range], &entries[ahead..]);
            let chains = self.multiply_row(points, now, ahead, row[1] as usize, scratch);
            let inverses = self.invert_chains(&chains);
            self.add_row(now.len() / LANES, inverses, scratch);
        }
        let groups = scratch.sums.iter().zip(&scratch.identity);
        let out = sums.chunks_mut(LANES).zip(identity.chunks_mut(LANES));
        for ((group, lanes), (sums, identity)) in groups.zip(out) {
            if let Some(sums) = sums.as_mut_array() {
                self.write(group, sums);
            } else {
                let mut whole = [Point::default(); LANES];
                self.write(group, &mut whole);
                sums.copy_from_slice(&whole[..sums.len()]);
            }
            for (lane, identity) in identity.iter_mut().enumerate() {
                *identity = u32::from(lanes >> lane & 1);
            }
        }
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
    fn scale_x(&self, points: &mut [Point; LANES], factor: &[u64; ifma::LIMBS]) {
        let mut rows = [_mm512_setzero_si512(); LANES];
        for i in 0..LANES {
            rows[i] = ifma::load(&points[i].0);
        }
        let w = ifma::transpose(&rows);
        let x = ifma::from_words(&[w[0], w[1], w[2], w[3]]);
        let x = self.modulus.mul(&x, &ifma::splat(factor));
        store_points(ifma::to_words(&x), [w[4], w[5], w[6], w[7]], points);
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

/// Stores points, given the words of their coordinates.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
fn store_points(x: [V; 4], y: [V; 4], out: &mut [Point; LANES]) {
    let rows = ifma::transpose(&[x[0], x[1], x[2], x[3], y[0], y[1], y[2], y[3]]);
    for i in 0..LANES {
        ifma::store(&mut out[i].0, rows[i]);
    }
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
