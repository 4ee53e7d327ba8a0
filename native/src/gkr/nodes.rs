//! Pairs of fractions that are added, and where the prover keeps them.

use std::iter::zip;
use std::mem;
use std::ops::Sub;

use p3_field::{Algebra, PrimeCharacteristicRing};
use p3_maybe_rayon::prelude::*;

use super::Fraction;

/// Elements that one task works on.
pub(super) const TASK: usize = 64;

/// Two fractions that are added: at `(0, x)` and `(1, x)` of the layer below.
///
/// With `n1 + lambda d1` in place of the second numerator, `G = n0 d1 + n1 d0 + lambda d0 d1` takes
/// two products.
#[derive(Clone, Copy)]
pub(super) struct Node<A> {
    pub(super) n0: A,
    pub(super) d0: A,
    pub(super) n1_lambda_d1: A,
    pub(super) d1: A,
}

impl<A: PrimeCharacteristicRing + Copy> Node<A> {
    pub(super) fn new<N: Copy>(zero: &Fraction<N, A>, one: &Fraction<N, A>, lambda: A) -> Self
    where
        A: Algebra<N>,
    {
        Self {
            n0: A::from(zero.numerator),
            d0: zero.denominator,
            n1_lambda_d1: lambda * one.denominator + one.numerator,
            d1: one.denominator,
        }
    }

    pub(super) fn each_ref(&self) -> Node<&A> {
        let Self {
            n0,
            d0,
            n1_lambda_d1,
            d1,
        } = self;
        Node {
            n0,
            d0,
            n1_lambda_d1,
            d1,
        }
    }

    /// The values at `r` of the lines through those at 0 and 1.
    fn line(zero: &Self, one: &Self, r: A) -> Self {
        let slope = one.each_ref().minus(&zero.each_ref());
        Self {
            n0: zero.n0 + r * slope.n0,
            d0: zero.d0 + r * slope.d0,
            n1_lambda_d1: zero.n1_lambda_d1 + r * slope.n1_lambda_d1,
            d1: zero.d1 + r * slope.d1,
        }
    }
}

impl<A> Node<A> {
    pub(super) fn map<B>(self, f: impl Fn(A) -> B) -> Node<B> {
        Node {
            n0: f(self.n0),
            d0: f(self.d0),
            n1_lambda_d1: f(self.n1_lambda_d1),
            d1: f(self.d1),
        }
    }
}

/// A packed node has more than a kilobyte: it is not copied only to be read.
impl<A: PrimeCharacteristicRing + Copy> Node<&A> {
    /// `G` of the two fractions.
    pub(super) fn sum(&self) -> A {
        *self.n0 * *self.d1 + *self.n1_lambda_d1 * *self.d0
    }

    pub(super) fn minus(&self, other: &Self) -> Node<A> {
        Node {
            n0: *self.n0 - *other.n0,
            d0: *self.d0 - *other.d0,
            n1_lambda_d1: *self.n1_lambda_d1 - *other.n1_lambda_d1,
            d1: *self.d1 - *other.d1,
        }
    }
}

impl<N: Copy + Sub<Output = N>, D: Algebra<N> + Copy> Fraction<N, D> {
    /// The values at `r` of the lines through those at 0 and 1.
    fn line(zero: &Self, one: &Self, r: D) -> Fraction<D> {
        Fraction {
            numerator: r * (one.numerator - zero.numerator) + zero.numerator,
            denominator: r * (one.denominator - zero.denominator) + zero.denominator,
        }
    }
}

/// The nodes of a round.
pub(super) trait Nodes<A>: Sync {
    fn len(&self) -> usize;

    fn node(&self, index: usize) -> Node<&A>;

    /// Binds the first variable to `r`.
    fn fold(&mut self, r: A);
}

impl<A: PrimeCharacteristicRing + Copy + Send + Sync> Nodes<A> for Vec<Node<A>> {
    fn len(&self) -> usize {
        self.len()
    }

    fn node(&self, index: usize) -> Node<&A> {
        self[index].each_ref()
    }

    fn fold(&mut self, r: A) {
        let half = self.len() / 2;
        let (zeros, ones) = self.split_at_mut(half);
        bind(zeros, ones, |zero, one| *zero = Node::line(zero, one, r));
        self.truncate(half);
    }
}

/// The elements of the layer below, of which there are at least four if they are folded.
pub(super) trait Below<N, D>: Sync {
    type Nodes: Nodes<D>;

    fn len(&self) -> usize;

    fn fraction(&self, index: usize) -> Fraction<N, D>;

    /// The elements that differ from this one, of the first quarter, in the first two variables.
    fn quadruple(&self, index: usize) -> [Fraction<N, D>; 4] {
        let quarter = self.len() / 4;
        [0, 1, 2, 3].map(|part| self.fraction(part * quarter + index))
    }

    /// The nodes after the first round.
    fn fold(self, r: D, lambda: D) -> Self::Nodes;
}

/// A node after the first round.
fn node<N, D>([a, b, c, d]: [&Fraction<N, D>; 4], r: D, lambda: D) -> Node<D>
where
    N: Copy + Sub<Output = N>,
    D: Algebra<N> + Copy,
{
    Node::new(&Fraction::line(a, b, r), &Fraction::line(c, d, r), lambda)
}

/// A layer that is computed, or is kept: its nodes take memory of their own.
pub(super) struct Computed<G> {
    pub(super) length: usize,
    pub(super) fraction: G,
}

impl<N, D, G> Below<N, D> for Computed<G>
where
    N: Copy + Sub<Output = N>,
    D: Algebra<N> + Copy + Send + Sync,
    G: Fn(usize) -> Fraction<N, D> + Sync,
{
    type Nodes = Vec<Node<D>>;

    fn len(&self) -> usize {
        self.length
    }

    fn fraction(&self, index: usize) -> Fraction<N, D> {
        (self.fraction)(index)
    }

    fn fold(self, r: D, lambda: D) -> Self::Nodes {
        let quarter = self.length / 4;
        let node = |i| node(self.quadruple(i).each_ref(), r, lambda);
        if quarter <= TASK {
            return (0..quarter).map(node).collect();
        }
        let indices = (0..quarter).into_par_iter();
        indices.with_min_len(TASK).map(node).collect()
    }
}

impl<'a, N, D> Below<N, D> for &'a mut [Fraction<N, D>]
where
    N: Copy + Sub<Output = N> + Send + Sync,
    D: Algebra<N> + Copy + Send + Sync,
{
    type Nodes = InPlace<'a, N, D>;

    fn len(&self) -> usize {
        <[_]>::len(self)
    }

    fn fraction(&self, index: usize) -> Fraction<N, D> {
        self[index]
    }

    fn fold(self, r: D, lambda: D) -> Self::Nodes {
        let (zeros, ones) = self.split_at_mut(self.len() / 2);
        let (a, b) = zeros.split_at_mut(zeros.len() / 2);
        let (c, d) = ones.split_at_mut(ones.len() / 2);
        let quadruples = (a.par_iter_mut().zip(b.par_iter_mut()))
            .zip(c.par_iter_mut().zip(d.par_iter_mut()))
            .with_min_len(TASK);
        quadruples.for_each(|((a, b), (c, d))| {
            let node = node([a, b, c, d], r, lambda);
            a.denominator = node.n0;
            b.denominator = node.d0;
            c.denominator = node.n1_lambda_d1;
            d.denominator = node.d1;
        });
        InPlace([a, b, c, d])
    }
}

/// Nodes in the memory of the layer below, which is not needed any more: a node has the place of
/// the denominators of the four fractions that it is computed from.
pub(super) struct InPlace<'a, N, D>([&'a mut [Fraction<N, D>]; 4]);

impl<N, D> Nodes<D> for InPlace<'_, N, D>
where
    N: Send + Sync,
    D: PrimeCharacteristicRing + Copy + Send + Sync,
{
    fn len(&self) -> usize {
        self.0[0].len()
    }

    fn node(&self, index: usize) -> Node<&D> {
        let [n0, d0, n1_lambda_d1, d1] = self.0.each_ref().map(|part| &part[index].denominator);
        Node {
            n0,
            d0,
            n1_lambda_d1,
            d1,
        }
    }

    fn fold(&mut self, r: D) {
        for part in &mut self.0 {
            let half = part.len() / 2;
            let (zeros, ones) = mem::take(part).split_at_mut(half);
            bind(zeros, ones, |zero, one| {
                let slope = one.denominator - zero.denominator;
                zero.denominator += r * slope;
            });
            *part = zeros;
        }
    }
}

/// Changes each of `zeros` by the one of `ones` that has its place.
fn bind<T: Send + Sync>(zeros: &mut [T], ones: &[T], change: impl Fn(&mut T, &T) + Sync) {
    if zeros.len() <= TASK {
        zip(zeros, ones).for_each(|(zero, one)| change(zero, one));
        return;
    }
    let pairs = zeros.par_iter_mut().zip(ones).with_min_len(TASK);
    pairs.for_each(|(zero, one)| change(zero, one));
}
