//! The prover: the layers of the circuit, from the leaves up, and then their sumchecks, down again.

use std::iter::zip;

use p3_field::{Algebra, PackedFieldExtension};
use p3_maybe_rayon::prelude::*;
use tracing::info_span;

use super::proof::observe_halves;
use super::sumcheck::{Sumcheck, TASK};
use super::verifier::check_root;
use super::{Fraction, Fractions, GkrError, GkrProof, LANES, LeafClaim, Packed, PackedExt};
use crate::field::{EF, F};
use crate::stark::challenger::ExtensionTranscript;

/// Proves that fractions add up to zero and have no zero denominator, provided that the returned
/// claim about them is true. The challenger must have observed everything they are computed from.
///
/// The proof does not depend on the number of threads.
///
/// # Errors
/// [`GkrError::ZeroDenominator`] or [`GkrError::Unbalanced`], before anything is observed.
pub fn prove(
    leaves: &Fractions,
    challenger: &mut dyn ExtensionTranscript,
) -> Result<(GkrProof, LeafClaim), GkrError> {
    let circuit = Circuit::new(leaves);
    check_root(&circuit.root)?;
    Ok(circuit.prove(challenger))
}

/// Like [`prove`], whatever the fractions add up to. The proof is refused unless it is zero: this
/// is for tests of dishonest provers.
///
/// # Errors
/// None.
#[doc(hidden)]
pub fn prove_unchecked(
    leaves: &Fractions,
    challenger: &mut dyn ExtensionTranscript,
) -> Result<(GkrProof, LeafClaim), GkrError> {
    Ok(Circuit::new(leaves).prove(challenger))
}

/// The layers of the circuit.
struct Circuit<'a> {
    root: [Fraction<EF>; 2],
    /// The layers below that of the root, the leaves first.
    below: Vec<Layer<'a>>,
}

impl<'a> Circuit<'a> {
    fn new(leaves: &'a Fractions) -> Self {
        let _span = info_span!("add fractions").entered();
        let mut below = Vec::with_capacity(leaves.num_variables());
        let mut layer = Layer::of_leaves(leaves);
        for _ in 1..leaves.num_variables() {
            let above = layer.above();
            below.push(layer);
            layer = above;
        }
        Self {
            root: layer.root(),
            below,
        }
    }

    fn prove(self, challenger: &mut dyn ExtensionTranscript) -> (GkrProof, LeafClaim) {
        let Self { root, mut below } = self;
        let _span = info_span!("prove sums of fractions").entered();
        observe_halves(&root, challenger);
        let (mut halves, mut point) = (root, vec![]);
        let mut layers = Vec::with_capacity(below.len());
        while let Some(layer) = below.pop() {
            let sumcheck = Sumcheck::new(&halves, &point, challenger);
            let (proof, challenges) = match &layer {
                Layer::Leaves(fractions) => sumcheck.packed(fractions),
                Layer::Packed(fractions) => sumcheck.packed(fractions),
                Layer::Scalar(fractions) => sumcheck.scalar(fractions),
            };
            (halves, point) = (proof.halves, challenges);
            layers.push(proof);
        }
        let claim = LeafClaim::new(&halves, &point, challenger);
        (GkrProof { root, layers }, claim)
    }
}

/// The fractions of a layer: packed, if they are `2 LANES` or more.
enum Layer<'a> {
    Leaves(&'a [Fraction<Packed, PackedExt>]),
    Packed(Vec<Fraction<PackedExt>>),
    Scalar(Vec<Fraction<EF>>),
}

impl<'a> Layer<'a> {
    fn of_leaves(leaves: &'a Fractions) -> Self {
        match leaves.in_lanes() {
            [few] => Self::Scalar(unpack(few).take(1 << leaves.num_variables()).collect()),
            many => Self::Leaves(many),
        }
    }

    /// The layer with half as many fractions.
    fn above(&self) -> Self {
        let sums = match self {
            Self::Leaves(fractions) => add_halves(fractions),
            Self::Packed(fractions) => add_halves(fractions),
            Self::Scalar(fractions) => return Self::Scalar(add_halves(fractions)),
        };
        match sums.as_slice() {
            [few] => Self::Scalar(unpack(few).collect()),
            _ => Self::Packed(sums),
        }
    }

    /// The fractions of layer 1.
    fn root(&self) -> [Fraction<EF>; 2] {
        let fractions: Vec<_> = match self {
            Self::Leaves(fractions) => fractions.iter().flat_map(unpack).collect(),
            Self::Packed(fractions) => fractions.iter().flat_map(unpack).collect(),
            Self::Scalar(fractions) => fractions.clone(),
        };
        [fractions[0], fractions[1]]
    }
}

fn unpack<N: Copy>(fraction: &Fraction<N, PackedExt>) -> impl Iterator<Item = Fraction<EF>>
where
    PackedExt: From<N>,
{
    let numerator = <PackedExt as From<N>>::from(fraction.numerator);
    let denominator = fraction.denominator;
    (0..LANES).map(move |lane| Fraction {
        numerator: PackedFieldExtension::<F, EF>::extract(&numerator, lane),
        denominator: PackedFieldExtension::<F, EF>::extract(&denominator, lane),
    })
}

/// Adds the fractions of the second half to those of the first.
fn add_halves<N, D>(fractions: &[Fraction<N, D>]) -> Vec<Fraction<D>>
where
    N: Copy + Send + Sync,
    D: Algebra<N> + Copy + Send + Sync,
{
    let (zeros, ones) = fractions.split_at(fractions.len() / 2);
    let add = |(zero, one): (&Fraction<N, D>, &Fraction<N, D>)| Fraction {
        numerator: one.denominator * zero.numerator + zero.denominator * one.numerator,
        denominator: zero.denominator * one.denominator,
    };
    if zeros.len() <= TASK {
        return zip(zeros, ones).map(add).collect();
    }
    let pairs = zeros.par_iter().zip(ones);
    pairs.with_min_len(TASK).map(add).collect()
}
