//! The prover: the layers of the circuit, from the leaves up, and then their sumchecks, down again.

use p3_field::{Algebra, PackedField, PrimeCharacteristicRing};
use p3_maybe_rayon::prelude::*;
use tracing::info_span;

use super::nodes::{Computed, TASK};
use super::sumcheck::Sumcheck;
use super::verifier::check_root;
use super::{Fraction, Fractions, GkrError, GkrProof, LeafClaim};
use crate::field::{EF, F};
use crate::lanes::{PackedExt, extract};
use crate::stark::challenger::{ExtensionTranscript, Sent};

/// Proves that fractions add up to zero and have no zero denominator, provided that the returned
/// claim about them is true. The challenger must have observed everything they are computed from.
///
/// The proof does not depend on the number of threads.
///
/// # Errors
/// [`GkrError::ZeroDenominator`] or [`GkrError::Unbalanced`], before anything is observed.
pub fn prove(
    leaves: Fractions,
    challenger: &mut dyn ExtensionTranscript,
) -> Result<(GkrProof, LeafClaim), GkrError> {
    prove_in(leaves, challenger)
}

/// [`prove`] in the lanes of a packed field.
pub(super) fn prove_in<P: PackedField<Scalar = F>>(
    leaves: Fractions<P>,
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
    leaves: Fractions,
    challenger: &mut dyn ExtensionTranscript,
) -> Result<(GkrProof, LeafClaim), GkrError> {
    Ok(Circuit::new(leaves).prove(challenger))
}

/// The layers of the circuit.
struct Circuit<P: PackedField<Scalar = F>> {
    root: [Fraction<EF>; 2],
    /// The layers below that of the root, the leaves first.
    below: Vec<Layer<P>>,
    leaves: Fractions<P>,
}

impl<P: PackedField<Scalar = F>> Circuit<P> {
    fn new(leaves: Fractions<P>) -> Self {
        let _span = info_span!("add fractions").entered();
        let mut below = Vec::with_capacity(leaves.num_variables());
        let mut layer = Layer::of_leaves(&leaves);
        for _ in 1..leaves.num_variables() {
            let above = layer.above(&leaves);
            below.push(layer);
            layer = above;
        }
        Self {
            root: layer.root(&leaves),
            below,
            leaves,
        }
    }

    fn prove(self, challenger: &mut dyn ExtensionTranscript) -> (GkrProof, LeafClaim) {
        let Self {
            root,
            mut below,
            mut leaves,
        } = self;
        let _span = info_span!("prove sums of fractions").entered();
        let (mut halves, mut point) = (root, vec![]);
        let root = Sent::send(root, challenger);
        let mut layers = Vec::with_capacity(below.len());
        while let Some(layer) = below.pop() {
            let sumcheck = Sumcheck::new(&halves, &point, challenger);
            let (proof, challenges) = match layer {
                Layer::Leaves => sumcheck.packed(leaves.padded()),
                Layer::SumsOfLeaves => sumcheck.packed(Computed {
                    length: leaves.num_packed() / 2,
                    fraction: |i| sum_of_leaves(&leaves, i),
                }),
                Layer::Packed(fractions) => sumcheck.packed(Computed {
                    length: fractions.len(),
                    fraction: |i| fractions[i],
                }),
                Layer::Scalar(fractions) => sumcheck.scalar(&fractions),
            };
            (halves, point) = (*proof.halves.peek(), challenges);
            layers.push(proof);
        }
        let claim = LeafClaim::new(&halves, &point, challenger);
        (GkrProof { root, layers }, claim)
    }
}

/// The fractions of a layer: packed, if they are twice as many as lanes or more.
enum Layer<P: PackedField<Scalar = F>> {
    Leaves,
    /// The layer above the leaves. Storing it takes longer than computing its fractions again.
    SumsOfLeaves,
    Packed(Vec<Fraction<PackedExt<P>>>),
    Scalar(Vec<Fraction<EF>>),
}

impl<P: PackedField<Scalar = F>> Layer<P> {
    fn of_leaves(leaves: &Fractions<P>) -> Self {
        match leaves.num_packed() {
            1 => {
                let fractions = unpack(&leaves.packed_at(0));
                Self::Scalar(fractions.take(1 << leaves.num_variables()).collect())
            }
            _ => Self::Leaves,
        }
    }

    /// The layer with half as many fractions.
    fn above(&self, leaves: &Fractions<P>) -> Self {
        let sums = match self {
            Self::Leaves if leaves.num_packed() > 2 => return Self::SumsOfLeaves,
            Self::Leaves => vec![sum_of_leaves(leaves, 0)],
            Self::SumsOfLeaves => add_halves(leaves.num_packed() / 2, |i| sum_of_leaves(leaves, i)),
            Self::Packed(fractions) => add_halves(fractions.len(), |i| fractions[i]),
            Self::Scalar(fractions) => {
                return Self::Scalar(add_halves(fractions.len(), |i| fractions[i]));
            }
        };
        match sums.as_slice() {
            [few] => Self::Scalar(unpack(few).collect()),
            _ => Self::Packed(sums),
        }
    }

    /// The fractions of layer 1.
    fn root(&self, leaves: &Fractions<P>) -> [Fraction<EF>; 2] {
        let fractions: Vec<_> = match self {
            Self::Leaves => {
                let packed = (0..leaves.num_packed()).map(|i| leaves.packed_at(i));
                packed.flat_map(|few| unpack(&few)).collect()
            }
            Self::SumsOfLeaves => {
                let packed = (0..leaves.num_packed() / 2).map(|i| sum_of_leaves(leaves, i));
                packed.flat_map(|few| unpack(&few)).collect()
            }
            Self::Packed(fractions) => fractions.iter().flat_map(unpack).collect(),
            Self::Scalar(fractions) => fractions.clone(),
        };
        [fractions[0], fractions[1]]
    }
}

fn unpack<P: PackedField<Scalar = F>, N: Copy>(
    fraction: &Fraction<N, PackedExt<P>>,
) -> impl Iterator<Item = Fraction<EF>> + use<P, N>
where
    PackedExt<P>: From<N>,
{
    let numerator = PackedExt::<P>::from(fraction.numerator);
    let denominator = fraction.denominator;
    (0..P::WIDTH).map(move |lane| Fraction {
        numerator: extract(&numerator, lane),
        denominator: extract(&denominator, lane),
    })
}

/// An element of the layer above the leaves.
fn sum_of_leaves<P: PackedField<Scalar = F>>(
    leaves: &Fractions<P>,
    index: usize,
) -> Fraction<PackedExt<P>> {
    let half = leaves.num_packed() / 2;
    add(leaves.packed_at(index), leaves.packed_at(index + half))
}

fn add<N, D: Algebra<N> + Copy>(zero: Fraction<N, D>, one: Fraction<N, D>) -> Fraction<D> {
    Fraction {
        numerator: one.denominator * zero.numerator + zero.denominator * one.numerator,
        denominator: zero.denominator * one.denominator,
    }
}

/// Adds the fractions of the second half of a layer to those of the first.
fn add_halves<D>(length: usize, fraction: impl Fn(usize) -> Fraction<D> + Sync) -> Vec<Fraction<D>>
where
    D: PrimeCharacteristicRing + Copy + Send,
{
    let half = length / 2;
    let sum = |i| add(fraction(i), fraction(i + half));
    if half <= TASK {
        return (0..half).map(sum).collect();
    }
    let indices = (0..half).into_par_iter();
    indices.with_min_len(TASK).map(sum).collect()
}
