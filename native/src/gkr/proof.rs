//! Proofs, the claims that remain, and errors.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::MAX_VARIABLES;
use crate::field::EF;
use crate::stark::challenger::{ExtensionTranscript, Observe, Sent};

/// A numerator and a denominator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fraction<N, D = N> {
    /// The numerator.
    pub numerator: N,
    /// The denominator.
    pub denominator: D,
}

/// A proof that fractions add up to zero, apart from a claim about them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GkrProof {
    /// The fractions of layer 1.
    pub root: Sent<[Fraction<EF>; 2]>,
    /// How values of layer `l` become values of layer `l + 1`, for `l` from 1 on.
    pub layers: Vec<LayerProof>,
}

/// How values of layer `l` at `(0, q)` and `(1, q)` become values of layer `l + 1`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LayerProof {
    /// The quadratic coefficient of the first polynomial, whose variable is the first one of layer
    /// `l`.
    pub quadratic: Sent<EF>,
    /// The sumcheck's other rounds, `l - 1` of them.
    pub rounds: Vec<Sent<RoundPolynomial>>,
    /// The values of layer `l + 1` at `(0, r)` and `(1, r)`, where `r` are the `l` challenges.
    pub halves: Sent<[Fraction<EF>; 2]>,
}

/// A polynomial of degree 2 but for its constant coefficient, which the verifier computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoundPolynomial {
    /// The linear coefficient.
    pub linear: EF,
    /// The quadratic coefficient.
    pub quadratic: EF,
}

impl Fraction<EF> {
    /// The numerator, plus `lambda` times the denominator.
    pub(super) fn combined(&self, lambda: EF) -> EF {
        self.numerator + lambda * self.denominator
    }
}

impl<T: ExtensionTranscript + ?Sized> Observe<T> for Fraction<EF> {
    fn observe(&self, transcript: &mut T) {
        [self.numerator, self.denominator].observe(transcript);
    }
}

impl<T: ExtensionTranscript + ?Sized> Observe<T> for RoundPolynomial {
    fn observe(&self, transcript: &mut T) {
        [self.linear, self.quadratic].observe(transcript);
    }
}

/// A claim about the multilinear polynomials of the leaves' numerators and denominators.
///
/// The two claimed values have to be combined by `lambda`, which was sampled after them, or else
/// checked one by one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeafClaim {
    /// Value of the polynomial of the numerators.
    pub numerator: EF,
    /// Value of the polynomial of the denominators.
    pub denominator: EF,
    /// The point, first variable first.
    pub point: Vec<EF>,
    /// The challenge sampled last.
    pub lambda: EF,
}

impl LeafClaim {
    /// Samples `b` and `lambda`, and returns the claim at `(b, rest)`, given the values at
    /// `(0, rest)` and `(1, rest)`, which the challenger has observed.
    pub(super) fn new(
        halves: &[Fraction<EF>; 2],
        rest: &[EF],
        challenger: &mut dyn ExtensionTranscript,
    ) -> Self {
        let b: EF = challenger.sample_extension();
        let lambda = challenger.sample_extension();
        let [zero, one] = halves;
        let line = |at_zero: EF, at_one: EF| at_zero + b * (at_one - at_zero);
        Self {
            numerator: line(zero.numerator, one.numerator),
            denominator: line(zero.denominator, one.denominator),
            point: [&[b], rest].concat(),
            lambda,
        }
    }
}

/// Why fractions cannot be proved, or a proof is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GkrError {
    /// The number of variables of the leaves is out of range.
    #[error("the leaves have {found} variables, expected 1 to {MAX_VARIABLES}")]
    Variables {
        /// The number given.
        found: usize,
    },
    /// More leaves are given than there are.
    #[error("{found} leaves were given, expected at most {capacity}")]
    Leaves {
        /// Number of leaves given.
        found: usize,
        /// Number of leaves.
        capacity: usize,
    },
    /// There are not as many denominators as numerators.
    #[error("{found} denominators were given, expected {expected}: one for each numerator")]
    Denominators {
        /// Number of denominators.
        found: usize,
        /// Number of numerators.
        expected: usize,
    },
    /// The proof has a wrong number of layers.
    #[error("the proof has {found} layers, expected {expected}")]
    Layers {
        /// Number of layers in the proof.
        found: usize,
        /// One less than the number of variables.
        expected: usize,
    },
    /// A layer of the proof has a wrong number of rounds.
    #[error("layer {layer} has {found} rounds after the first, expected {expected}")]
    Rounds {
        /// Number of the layer.
        layer: usize,
        /// Number of rounds in the proof, without the first.
        found: usize,
        /// One less than the number of the layer.
        expected: usize,
    },
    /// A denominator is zero.
    #[error("a denominator is zero")]
    ZeroDenominator,
    /// The sum of the fractions is not zero.
    #[error("the sum of the fractions is not zero")]
    Unbalanced,
    /// The sumcheck of a layer ends in another value than that of the fractions below.
    #[error("the sumcheck of layer {layer} does not lead to the fractions of the next layer")]
    Sumcheck {
        /// Number of the layer.
        layer: usize,
    },
}
