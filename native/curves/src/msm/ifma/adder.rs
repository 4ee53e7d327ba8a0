//! Additions of the points of a tile, row by row. Each row has its denominators inverted together.

use std::arch::x86_64::_mm512_setzero_si512;

use super::Point;
use crate::msm::field::ifma::{self, Fe, Modulus, V};
use crate::msm::prefetch::prefetch;
use crate::msm::schedule::{Entry, LANES, Row};

/// Number of independent chains of products, so that a multiplication need not wait for the
/// previous one.
const CHAINS: usize = 4;

/// Number of groups between the prefetch of a group's points and their use.
const PREFETCH: usize = 4;

/// The additions. They know the curve by its numbers, so that they are compiled once for all
/// curves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Adder {
    pub(super) modulus: Modulus,
    /// 1, and the coefficient `a / 2^8` of the isomorphic curve, in Montgomery form.
    pub(super) one: [u64; ifma::LIMBS],
    pub(super) coefficient: [u64; ifma::LIMBS],
    /// `2^780`, the factor that restores the Montgomery radix after an inversion.
    pub(super) mend: [u64; ifma::LIMBS],
    /// [`invert_all`](super::invert_all) in the curve's field.
    pub(super) invert_all: fn(&[[u64; 4]; LANES]) -> [[u64; 4]; LANES],
}

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
    pub(super) fn sum_tile(
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
    pub(super) fn scale_x(&self, points: &mut [Point; LANES], factor: &[u64; ifma::LIMBS]) {
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

/// Stores points, given the words of their coordinates.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
fn store_points(x: [V; 4], y: [V; 4], out: &mut [Point; LANES]) {
    let rows = ifma::transpose(&[x[0], x[1], x[2], x[3], y[0], y[1], y[2], y[3]]);
    for i in 0..LANES {
        ifma::store(&mut out[i].0, rows[i]);
    }
}
