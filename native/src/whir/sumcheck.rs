//! The prover's rounds of sumcheck over products of two multilinear polynomials.

use std::iter::zip;

use p3_field::{Algebra, PackedField};
use p3_maybe_rayon::prelude::*;
use tracing::info_span;

use super::kernels::unpack;
use super::proof::Sumcheck;
use super::scheme::grind;
use crate::field::{EF, F};
use crate::lanes::{PackedExt, lanes};
use crate::stark::challenger::{ExtensionTranscript, Sent};

/// Elements that one task handles at least.
const TASK: usize = 256;

/// A sum of products of two multilinear polynomials.
pub(super) trait Product {
    /// The constant and the quadratic coefficient of the sum over all variables but the first, as a
    /// polynomial in the first.
    fn message(&self) -> [EF; 2];

    /// Binds the first variable.
    fn bind(&mut self, challenge: EF);
}

/// Proves rounds of sumcheck. Returns the challenges too.
pub(super) fn prove(
    product: &mut impl Product,
    rounds: usize,
    grinding_bits: usize,
    challenger: &mut dyn ExtensionTranscript,
) -> (Sumcheck, Vec<EF>) {
    let _span = info_span!("sumcheck", rounds).entered();
    let mut proof = Sumcheck::default();
    let mut point = vec![];
    for _ in 0..rounds {
        proof
            .messages
            .push(Sent::send(product.message(), challenger));
        proof.nonces.extend(grind(challenger, grinding_bits));
        let challenge = challenger.sample_extension();
        product.bind(challenge);
        point.push(challenge);
    }
    (proof, point)
}

/// The message of a round over the product of two tables of values on the hypercube.
pub(super) fn message<T: Algebra<EF> + Copy + Send + Sync>(left: &[T], right: &[T]) -> [T; 2] {
    let half = left.len() / 2;
    let ((l0, l1), (r0, r1)) = (left.split_at(half), right.split_at(half));
    let chunk = |task: usize| task * TASK..half.min((task + 1) * TASK);
    (0..half.div_ceil(TASK))
        .into_par_iter()
        .map(|task| {
            let mut sums = [T::ZERO; 2];
            for i in chunk(task) {
                sums[0] += l0[i] * r0[i];
                sums[1] += (l1[i] - l0[i]) * (r1[i] - r0[i]);
            }
            sums
        })
        .reduce(
            || [T::ZERO; 2],
            |left, right| [left[0] + right[0], left[1] + right[1]],
        )
}

/// Binds the first variable of a polynomial, given by its values on the hypercube.
pub(super) fn bind<T: Algebra<EF> + Copy + Send + Sync>(table: &mut Vec<T>, challenge: EF) {
    let half = table.len() / 2;
    let (zeros, ones) = table.split_at_mut(half);
    let chunks = zeros.par_chunks_mut(TASK).zip(ones.par_chunks(TASK));
    chunks.for_each(|(zeros, ones)| {
        for (zero, &one) in zip(zeros, ones) {
            *zero += (one - *zero) * challenge;
        }
    });
    table.truncate(half);
}

fn dot<T: Algebra<EF> + Copy + Send + Sync>(left: &[T], right: &[T]) -> T {
    left.par_chunks(TASK)
        .zip(right.par_chunks(TASK))
        .map(|(left, right)| zip(left, right).map(|(&left, &right)| left * right).sum())
        .reduce(|| T::ZERO, |left: T, right| left + right)
}

fn add<T: Algebra<EF> + Copy + Send + Sync>(sums: &mut [T], added: &[T], scale: EF) {
    let chunks = sums.par_chunks_mut(TASK).zip(added.par_chunks(TASK));
    chunks.for_each(|(sums, added)| {
        for (sum, &added) in zip(sums, added) {
            *sum += added * scale;
        }
    });
}

/// The product of a polynomial and the weights of its values.
pub(super) enum WeightedPolynomial<P: PackedField<Scalar = F>> {
    /// Packed tables, of at least two elements.
    Packed([Vec<PackedExt<P>>; 2]),
    /// Tables too short for that.
    Plain([Vec<EF>; 2]),
}

impl<P: PackedField<Scalar = F>> WeightedPolynomial<P> {
    pub(super) fn new(values: Vec<PackedExt<P>>, weights: Vec<PackedExt<P>>) -> Self {
        let tables = [values, weights];
        if tables[0].len() > 1 {
            Self::Packed(tables)
        } else {
            Self::Plain(tables.map(|table| unpack(&table)))
        }
    }

    /// The values of the polynomial.
    pub(super) fn values(&self) -> Vec<EF> {
        match self {
            Self::Packed([values, _]) => unpack(values),
            Self::Plain([values, _]) => values.clone(),
        }
    }

    /// The sum of the values, times these weights instead of the polynomial's own.
    pub(super) fn evaluate(&self, weights: &[PackedExt<P>]) -> EF {
        match self {
            Self::Packed([values, _]) => sum_of_lanes(dot(values, weights)),
            Self::Plain([values, _]) => dot(values, &unpack(weights)),
        }
    }

    /// Adds weights, times a factor.
    pub(super) fn add_weights(&mut self, added: &[PackedExt<P>], scale: EF) {
        match self {
            Self::Packed([_, weights]) => add(weights, added, scale),
            Self::Plain([_, weights]) => add(weights, &unpack(added), scale),
        }
    }
}

impl<P: PackedField<Scalar = F>> Product for WeightedPolynomial<P> {
    fn message(&self) -> [EF; 2] {
        match self {
            Self::Packed([values, weights]) => message(values, weights).map(sum_of_lanes),
            Self::Plain([values, weights]) => message(values, weights),
        }
    }

    fn bind(&mut self, challenge: EF) {
        match self {
            Self::Packed(tables) => {
                for table in tables.iter_mut() {
                    bind(table, challenge);
                }
                if tables[0].len() == 1 {
                    *self = Self::Plain(std::mem::take(tables).map(|table| unpack(&table)));
                }
            }
            Self::Plain(tables) => {
                for table in tables {
                    bind(table, challenge);
                }
            }
        }
    }
}

/// The sum of a packed element's lanes.
pub(super) fn sum_of_lanes<P: PackedField<Scalar = F>>(packed: PackedExt<P>) -> EF {
    lanes(&packed).sum()
}
