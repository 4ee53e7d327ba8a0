//! Pairs of fractions that are added, and where the prover keeps them.

use std::iter::zip;
use std::mem;
use std::ops::Sub;

use p3_field::{Algebra, PrimeCharacteristicRing};
use p3_maybe_rayon::prelude::*;

use super::{Fraction, PackedExt};

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
pub(super) trait Below<N>: Sync {
    type Nodes: Nodes<PackedExt>;

    fn len(&self) -> usize;

    fn fraction(&self, index: usize) -> Fraction<N, PackedExt>;

    /// The elements that differ from this one, of the first quarter, in the first two variables.
    fn quadruple(&self, index: usize) -> [Fraction<N, PackedExt>; 4] {
        let quarter = self.len() / 4;
        [0, 1, 2, 3].map(|part| self.fraction(part * quarter + index))
    }

    /// The nodes after the first round.
    fn fold(self, r: PackedExt, lambda: PackedExt) -> Self::Nodes;
}

/// A node after the first round.
fn node<N>(
    [a, b, c, d]: [&Fraction<N, PackedExt>; 4],
    r: PackedExt,
    lambda: PackedExt,
) -> Node<PackedExt>
where
    N: Copy + Sub<Output = N>,
    PackedExt: Algebra<N>,
{
    Node::new(&Fraction::line(a, b, r), &Fraction::line(c, d, r), lambda)
}

/// A layer that is computed, or is kept: its nodes take memory of their own.
pub(super) struct Computed<G> {
    pub(super) length: usize,
    pub(super) fraction: G,
}

impl<N, G> Below<N> for Computed<G>
where
    N: Copy + Sub<Output = N>,
    PackedExt: Algebra<N>,
    G: Fn(usize) -> Fraction<N, PackedExt> + Sync,
{
    type Nodes = Vec<Node<PackedExt>>;

    fn len(&self) -> usize {
        self.length
    }

    fn fraction(&self, index: usize) -> Fraction<N, PackedExt> {
        (self.fraction)(index)
    }

    fn fold(self, r: PackedExt, lambda: PackedExt) -> Self::Nodes {
        let quarter = self.length / 4;
        let node = |i| node(self.quadruple(i).each_ref(), r, lambda);
        if quarter <= TASK {
            return (0..quarter).map(node).collect();
        }
        let indices = (0..quarter).into_par_iter();
        indices.with_min_len(TASK).map(node).collect()
    }
}

impl<'a, N> Below<N> for &'a mut [Fraction<N, PackedExt>]
where
    N: Copy + Sub<Output = N> + Send + Sync,
    PackedExt: Algebra<N>,
{
    type Nodes = InPlace<'a, N>;

    fn len(&self) -> usize {
        <[_]>::len(self)
    }

    fn fraction(&self, index: usize) -> Fraction<N, PackedExt> {
        self[index]
    }

    fn fold(self, r: PackedExt, lambda: PackedExt) -> Self::Nodes {
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
pub(super) struct InPlace<'a, N>([&'a mut [Fraction<N, PackedExt>]; 4]);

impl<N: Send + Sync> Nodes<PackedExt> for InPlace<'_, N> {
    fn len(&self) -> usize {
        self.0[0].len()
    }

    fn node(&self, index: usize) -> Node<&PackedExt> {
        let [n0, d0, n1_lambda_d1, d1] = self.0.each_ref().map(|part| &part[index].denominator);
        Node {
            n0,
            d0,
            n1_lambda_d1,
            d1,
        }
    }

    fn fold(&mut self, r: PackedExt) {
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
