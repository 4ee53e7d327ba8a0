//! The prover's side of the sumcheck of one layer.

use std::iter::zip;
use std::ops::{Range, Sub};

use p3_field::{Algebra, Field, PackedField, PrimeCharacteristicRing};
use p3_maybe_rayon::prelude::*;
use p3_util::log2_strict_usize;

use super::nodes::{Below, Node, Nodes, TASK};
use super::verifier::quadratic_at;
use super::{Fraction, LayerProof, RoundPolynomial};
use crate::field::{EF, F};
use crate::lanes::{PackedExt, extract};
use crate::stark::challenger::{ExtensionTranscript, Sent};

/// The sumcheck that reduces values of a layer to values of the layer below.
pub(super) struct Sumcheck<'a> {
    /// The first polynomial's values at 0 and 1.
    ends: [EF; 2],
    /// The point of the layer's values, without the first coordinate.
    point: &'a [EF],
    lambda: EF,
    /// What the next round's polynomial sums to.
    sum: EF,
    challenger: &'a mut dyn ExtensionTranscript,
    rounds: Vec<Sent<RoundPolynomial>>,
    challenges: Vec<EF>,
}

impl<'a> Sumcheck<'a> {
    /// Samples `lambda`, given the layer's values at `(0, point)` and `(1, point)`.
    pub(super) fn new(
        halves: &[Fraction<EF>; 2],
        point: &'a [EF],
        challenger: &'a mut dyn ExtensionTranscript,
    ) -> Self {
        let lambda = challenger.sample_extension();
        Self {
            ends: halves.map(|half| half.combined(lambda)),
            point,
            lambda,
            sum: EF::ZERO,
            challenger,
            rounds: Vec::with_capacity(point.len()),
            challenges: Vec::with_capacity(point.len() + 1),
        }
    }

    /// Proves a layer of at least as many fractions as there are lanes, given the elements of the
    /// layer below. Returns the challenges, too.
    pub(super) fn packed<P, N>(
        mut self,
        below: impl Below<N, PackedExt<P>>,
    ) -> (LayerProof, Vec<EF>)
    where
        P: PackedField<Scalar = F>,
        N: Copy + Sub<Output = N>,
        PackedExt<P>: Algebra<N>,
    {
        let length = below.len();
        let broadcast = <PackedExt<P> as From<EF>>::from;
        let lambda = broadcast(self.lambda);
        let rounds = log2_strict_usize(length) - 1;
        let (first, node) = if rounds == 0 {
            let node = Node::new(&below.fraction(0), &below.fraction(1), lambda);
            (None, node)
        } else {
            let (point, lanes) = self.point.split_at(rounds - 1);
            let lane_weights = eq_table(lanes);
            let over_lanes = |sum: PackedExt<P>| -> EF {
                let lanes = lane_weights.iter().enumerate();
                lanes
                    .map(|(lane, &weight)| weight * extract(&sum, lane))
                    .sum()
            };
            let mut weights = eq_table(point);
            let quadratic = first_quadratic(&below, &weights, lambda);
            let (first, r) = self.send_first(over_lanes(quadratic));
            let mut nodes = below.fold(broadcast(r), lambda);
            for _ in point {
                halve(&mut weights);
                let [constant, quadratic] = message(&nodes, &weights).map(over_lanes);
                let r = self.send(constant, quadratic);
                nodes.fold(broadcast(r));
            }
            (Some(first), nodes.node(0).map(|values| *values))
        };
        let nodes = (0..P::WIDTH).map(|lane| node.map(|values| extract(&values, lane)));
        self.finish(first, nodes.collect())
    }

    /// Proves a layer, given the fractions of the layer below. Returns the challenges, too.
    pub(super) fn scalar(self, fractions: &[Fraction<EF>]) -> (LayerProof, Vec<EF>) {
        let (zeros, ones) = fractions.split_at(fractions.len() / 2);
        let lambda = self.lambda;
        let nodes = zip(zeros, ones).map(|(zero, one)| Node::new(zero, one, lambda));
        self.finish(None, nodes.collect())
    }

    /// The remaining rounds, over these nodes, given the first polynomial's quadratic coefficient if
    /// it was sent.
    fn finish(
        mut self,
        first: Option<Sent<EF>>,
        mut nodes: Vec<Node<EF>>,
    ) -> (LayerProof, Vec<EF>) {
        let quadratic = first.unwrap_or_else(|| {
            let [_, quadratic] = message(&nodes, &eq_table(self.point));
            let (first, r) = self.send_first(quadratic);
            nodes.fold(r);
            first
        });
        if let [_, rest @ ..] = &self.point[self.rounds.len()..] {
            let mut weights = eq_table(rest);
            while nodes.len() > 1 {
                let [constant, quadratic] = message(&nodes, &weights);
                let r = self.send(constant, quadratic);
                nodes.fold(r);
                halve(&mut weights);
            }
        }
        let node = &nodes[0];
        let halves = [
            Fraction {
                numerator: node.n0,
                denominator: node.d0,
            },
            Fraction {
                numerator: node.n1_lambda_d1 - self.lambda * node.d1,
                denominator: node.d1,
            },
        ];
        let proof = LayerProof {
            quadratic,
            rounds: self.rounds,
            halves: Sent::send(halves, self.challenger),
        };
        (proof, self.challenges)
    }

    /// Sends the first polynomial and returns the challenge, too.
    fn send_first(&mut self, quadratic: EF) -> (Sent<EF>, EF) {
        let sent = Sent::send(quadratic, self.challenger);
        let challenge = self.challenger.sample_extension();
        self.sum = quadratic_at(self.ends, quadratic, challenge);
        self.challenges.push(challenge);
        (sent, challenge)
    }

    /// Sends the polynomial of a later round and returns the challenge.
    ///
    /// The linear coefficient follows from the claim, unless the round's coordinate is zero: then,
    /// with negligible probability, the verifier refuses the proof.
    fn send(&mut self, constant: EF, quadratic: EF) -> EF {
        let coordinate = self.point[self.rounds.len()];
        let inverse = coordinate.try_inverse().unwrap_or_default();
        let polynomial = RoundPolynomial {
            linear: (self.sum - constant) * inverse - quadratic,
            quadratic,
        };
        self.rounds.push(Sent::send(polynomial, self.challenger));
        let challenge = self.challenger.sample_extension();
        self.sum = polynomial.evaluate(self.sum, coordinate, challenge);
        self.challenges.push(challenge);
        challenge
    }
}

/// `eq(point, x)` for all `x` in `{0, 1}^n`, in ascending order.
pub(super) fn eq_table(point: &[EF]) -> Vec<EF> {
    let mut table = Vec::with_capacity(1 << point.len());
    table.push(EF::ONE);
    for &coordinate in point.iter().rev() {
        // The earlier variable is the higher bit.
        let length = table.len();
        for i in 0..length {
            let one = table[i] * coordinate;
            table.push(one);
            table[i] -= one;
        }
    }
    table
}

/// Drops the first coordinate: `eq(q, 0) + eq(q, 1) = 1`.
fn halve(weights: &mut Vec<EF>) {
    let half = weights.len() / 2;
    let (zeros, ones) = weights.split_at_mut(half);
    zip(zeros, ones).for_each(|(zero, one)| *zero += *one);
    weights.truncate(half);
}

/// Sums up what `task` returns for parts of `0..length`.
fn sum_over<A, const K: usize>(
    length: usize,
    task: impl Fn(Range<usize>) -> [A; K] + Sync,
) -> [A; K]
where
    A: PrimeCharacteristicRing + Copy + Send + Sync,
{
    if length <= TASK {
        return task(0..length);
    }
    (0..length.div_ceil(TASK))
        .into_par_iter()
        .map(|part| task(part * TASK..length.min((part + 1) * TASK)))
        .reduce(|| [A::ZERO; K], |a, b| std::array::from_fn(|k| a[k] + b[k]))
}

/// The quadratic coefficient of the first round's polynomial, lane by lane.
fn first_quadratic<N, D>(below: &impl Below<N, D>, weights: &[EF], lambda: D) -> D
where
    N: Copy + Sub<Output = N>,
    D: Algebra<N> + Algebra<EF> + Copy + Send + Sync,
{
    let [sum] = sum_over(weights.len(), |range| {
        let mut sum = D::ZERO;
        for (i, &weight) in zip(range.clone(), &weights[range]) {
            let [a, b, c, d] = below.quadruple(i);
            let n0 = b.numerator - a.numerator;
            let d0 = b.denominator - a.denominator;
            let n1 = d.numerator - c.numerator;
            let d1 = d.denominator - c.denominator;
            sum += (d1 * n0 + (lambda * d1 + n1) * d0) * weight;
        }
        [sum]
    });
    sum
}

/// The constant and the quadratic coefficient of a round's polynomial.
fn message<A>(nodes: &impl Nodes<A>, weights: &[EF]) -> [A; 2]
where
    A: Algebra<EF> + Copy + Send + Sync,
{
    let half = nodes.len() / 2;
    sum_over(weights.len(), |range| {
        let mut sums = [A::ZERO; 2];
        for (i, &weight) in zip(range.clone(), &weights[range]) {
            let (zero, one) = (nodes.node(i), nodes.node(i + half));
            sums[0] += zero.sum() * weight;
            sums[1] += one.minus(&zero).each_ref().sum() * weight;
        }
        sums
    })
}
