//! Batch-affine accumulation in arkworks' own representation, for any platform and 4 or 6 limbs.

use ark_ec::short_weierstrass::{Affine, SWCurveConfig};
use ark_ff::{AdditiveGroup, Field, One, PrimeField, Zero};
use educe::Educe;

use super::backend::Backend;
use super::curve::MsmCurve;
use super::field::KernelField;
use super::planes::{Block, by_word};
use super::prefetch::prefetch;
use super::schedule::{Entry, LANES, Row};
use crate::mont4::{Multiplier, Safe};

/// The portable backend.
#[derive(Clone, Copy, Debug, Default)]
pub struct Portable;

/// A nonidentity affine point, aligned so that it spans as few cache lines as possible.
#[derive(Educe)]
#[educe(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub struct Point<C: SWCurveConfig> {
    x: C::BaseField,
    y: C::BaseField,
}

/// The kind of an addition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Case {
    /// The abscissas differ.
    Add,
    /// The points are equal.
    Double,
    /// The points are opposite: the sum is the identity.
    Cancel,
    /// The sum so far is the identity: the point replaces it.
    Replace,
}

/// Sums in progress, and the denominators of one row.
#[derive(Educe)]
#[educe(Debug, Default)]
pub struct Scratch<C: SWCurveConfig> {
    sums: Vec<Point<C>>,
    identity: Vec<bool>,
    denominators: Vec<C::BaseField>,
    /// For each slot, the product of the previous denominators of its chain.
    prefixes: Vec<C::BaseField>,
    cases: Vec<Case>,
}

/// Number of slots whose additions are computed side by side, so that multiplications of one slot
/// overlap with those of the others.
const CHAINS: usize = 4;

#[inline(always)]
fn fetch<C: MsmCurve>(points: &[Point<C>], entry: Entry, with: impl Multiplier) -> Point<C> {
    let Point { x, y } = points[(entry >> 1) as usize];
    let y = y.negated_if(entry & 1 == 1, with);
    Point { x, y }
}

/// Number of terms between the prefetch of a point and its use.
const PREFETCH: usize = 16;

impl<C: MsmCurve> Scratch<C> {
    fn start(&mut self, points: &[Point<C>], entries: &[Entry], with: impl Multiplier) {
        let len = entries.len();
        let terms = entries.iter().map(|&entry| fetch(points, entry, with));
        self.sums.clear();
        self.sums.extend(terms);
        self.identity.clear();
        self.identity.resize(len, false);
        self.denominators.resize(len, C::BaseField::ZERO);
        self.prefixes.resize(len, C::BaseField::ZERO);
        self.cases.resize(len, Case::Add);
    }

    fn finish(&self, sums: &mut [Point<C>], identity: &mut [u32]) {
        sums.copy_from_slice(&self.sums);
        for (to, from) in identity.iter_mut().zip(&self.identity) {
            *to = u32::from(*from);
        }
    }

    /// Adds one row: each of the first slots gets one more term. The row takes a single inversion.
    #[inline(always)]
    fn add_row(&mut self, points: &[Point<C>], entries: &[Entry], with: impl Multiplier) {
        let products = self.multiply_row(points, entries, with);
        let mut inverses = invert_chains::<C>(&products, with);
        let whole = entries.len() - entries.len() % CHAINS;
        self.add_slots(points, &entries[whole..], whole, &mut inverses, with);
        for (i, chunk) in entries[..whole]
            .as_chunks::<CHAINS>()
            .0
            .iter()
            .enumerate()
            .rev()
        {
            self.add_slots(points, chunk, i * CHAINS, &mut inverses, with);
        }
    }

    /// First pass over a row: computes the denominators and their products in chains.
    #[inline(always)]
    fn multiply_row(
        &mut self,
        points: &[Point<C>],
        entries: &[Entry],
        with: impl Multiplier,
    ) -> [C::BaseField; CHAINS] {
        let mut products = [C::BaseField::one(); CHAINS];
        let slots = (self.sums.iter().zip(&self.identity))
            .zip(self.denominators.iter_mut().zip(&mut self.prefixes))
            .zip(&mut self.cases);
        for (slot, (&entry, (((sum, &identity), (denominator, prefix)), case))) in
            entries.iter().zip(slots).enumerate()
        {
            if let Some(&later) = entries.get(slot + PREFETCH) {
                prefetch(points, (later >> 1) as usize);
            }
            let same;
            (*denominator, same) = points[(entry >> 1) as usize].x.gap(&sum.x, with);
            *case = Case::Add;
            if identity {
                *case = Case::Replace;
                *denominator = C::BaseField::one();
            } else if same {
                let term = fetch(points, entry, with);
                if term.y == sum.y && !term.y.is_zero() {
                    *case = Case::Double;
                    *denominator = sum.y.double();
                } else {
                    *case = Case::Cancel;
                    *denominator = C::BaseField::one();
                }
            }
            let product = &mut products[slot % CHAINS];
            *prefix = *product;
            *product = product.factor(denominator, with);
        }
        products
    }

    /// Second pass over a row: computes slopes and sums of at most [`CHAINS`] slots from `first`
    /// on, each step for all of them at once.
    #[allow(clippy::needless_range_loop)] // several arrays step together
    #[inline(always)]
    fn add_slots(
        &mut self,
        points: &[Point<C>],
        entries: &[Entry],
        first: usize,
        inverses: &mut [C::BaseField; CHAINS],
        with: impl Multiplier,
    ) {
        let count = entries.len();
        let zero = C::BaseField::ZERO;
        let (mut slopes, mut xs) = ([zero; CHAINS], [zero; CHAINS]);
        let mut terms = [Point::<C>::default(); CHAINS];
        for k in 0..count {
            slopes[k] = inverses[k].factor(&self.prefixes[first + k], with);
        }
        for k in 0..count {
            inverses[k] = inverses[k].factor(&self.denominators[first + k], with);
        }
        for k in 0..count {
            terms[k] = fetch(points, entries[k], with);
            let sum = &self.sums[first + k];
            let (mut numerator, _) = terms[k].y.gap(&sum.y, with);
            if self.cases[first + k] == Case::Double {
                let square = sum.x.square();
                numerator = square.double() + square + C::COEFF_A;
            }
            slopes[k] = slopes[k].factor(&numerator, with);
        }
        for k in 0..count {
            let square = slopes[k].product(&slopes[k], with);
            let x = self.sums[first + k].x;
            xs[k] = square.difference(&x, with).difference(&terms[k].x, with);
        }
        for k in 0..count {
            let sum = &mut self.sums[first + k];
            let (run, _) = sum.x.gap(&xs[k], with);
            let y = slopes[k].product(&run, with).difference(&sum.y, with);
            match self.cases[first + k] {
                Case::Add | Case::Double => *sum = Point { x: xs[k], y },
                Case::Cancel => self.identity[first + k] = true,
                Case::Replace => {
                    *sum = terms[k];
                    self.identity[first + k] = false;
                }
            }
        }
    }
}

/// Returns the inverse of each product, by one inversion.
fn invert_chains<C: MsmCurve>(
    products: &[C::BaseField; CHAINS],
    with: impl Multiplier,
) -> [C::BaseField; CHAINS] {
    let mut prefixes = *products;
    for i in 1..CHAINS {
        prefixes[i] = prefixes[i - 1].product(&products[i], with);
    }
    let mut inverse = prefixes[CHAINS - 1].invert();
    let mut out = prefixes;
    for i in (1..CHAINS).rev() {
        out[i] = inverse.product(&prefixes[i - 1], with);
        inverse = inverse.product(&products[i], with);
    }
    out[0] = inverse;
    out
}

fn sum_rows<C: MsmCurve>(
    points: &[Point<C>],
    entries: &[Entry],
    rows: &[Row],
    scratch: &mut Scratch<C>,
    with: impl Multiplier,
) {
    let of = |&[start, len]: &Row| &entries[start as usize..(start + len) as usize];
    let Some((first, rest)) = rows.split_first() else {
        scratch.start(points, &[], with);
        return;
    };
    scratch.start(points, of(first), with);
    for row in rest {
        scratch.add_row(points, of(row), with);
    }
}

impl<C: MsmCurve> Backend<C> for Portable {
    type Point = Point<C>;
    type Scratch = Scratch<C>;

    fn integers(&self, scalars: &[C::ScalarField; LANES]) -> Block {
        by_word(&scalars.map(|scalar| scalar.into_bigint().0))
    }

    fn pack(&self, point: &Affine<C>) -> Point<C> {
        Point {
            x: point.x,
            y: point.y,
        }
    }

    fn unpack(&self, point: &Point<C>) -> Affine<C> {
        Affine::new_unchecked(point.x, point.y)
    }

    fn multiply_x(&self, factor: &C::BaseField, points: &mut [Point<C>]) {
        points.iter_mut().for_each(|point| point.x *= factor);
    }

    fn sum_tile(
        &self,
        points: &[Point<C>],
        entries: &[Entry],
        rows: &[Row],
        scratch: &mut Scratch<C>,
        sums: &mut [Point<C>],
        identity: &mut [u32],
    ) {
        #[cfg(target_arch = "x86_64")]
        if let Some(adx) = crate::mont4::Adx::new() {
            sum_rows(points, entries, rows, scratch, adx);
            scratch.finish(sums, identity);
            return;
        }
        sum_rows(points, entries, rows, scratch, Safe);
        scratch.finish(sums, identity);
    }
}
