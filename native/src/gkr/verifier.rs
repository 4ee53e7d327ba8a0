//! The verifier.

use std::iter::zip;

use p3_field::{Field, PrimeCharacteristicRing};

use super::{
    Fraction, GkrError, GkrProof, LayerProof, LeafClaim, RoundPolynomial, check_variables,
};
use crate::field::EF;
use crate::stark::challenger::ExtensionTranscript;

/// Verifies that `2^num_variables` fractions add up to zero and have no zero denominator, provided
/// that the returned claim about them is true.
///
/// The caller must have bound the leaves before: the challenger has observed everything they are
/// computed from.
///
/// # Errors
/// If the number of variables is out of range, the proof has the wrong shape, or a check fails.
pub fn verify(
    proof: &GkrProof,
    num_variables: usize,
    challenger: &mut dyn ExtensionTranscript,
) -> Result<LeafClaim, GkrError> {
    check_shape(proof, num_variables)?;
    let (mut halves, mut point) = (proof.root.read(challenger), vec![]);
    check_root(halves)?;
    for (layer, proof) in zip(1.., &proof.layers) {
        (halves, point) = verify_layer(layer, proof, halves, &point, challenger)?;
    }
    Ok(LeafClaim::new(halves, &point, challenger))
}

fn check_shape(proof: &GkrProof, num_variables: usize) -> Result<(), GkrError> {
    check_variables(num_variables)?;
    let (found, expected) = (proof.layers.len(), num_variables - 1);
    if found != expected {
        return Err(GkrError::Layers { found, expected });
    }
    for (layer, proof) in zip(1.., &proof.layers) {
        let (found, expected) = (proof.rounds.len(), layer - 1);
        if found != expected {
            return Err(GkrError::Rounds {
                layer,
                found,
                expected,
            });
        }
    }
    Ok(())
}

/// Checks that two fractions add up to zero and have no zero denominator.
pub(super) fn check_root([zero, one]: &[Fraction<EF>; 2]) -> Result<(), GkrError> {
    if (zero.denominator * one.denominator).is_zero() {
        return Err(GkrError::ZeroDenominator);
    }
    if !(zero.numerator * one.denominator + one.numerator * zero.denominator).is_zero() {
        return Err(GkrError::Unbalanced);
    }
    Ok(())
}

/// Returns the values of the next layer at `(0, r)` and `(1, r)`, and `r`: the challenges of the
/// layer, given its values at `(0, point)` and `(1, point)`.
fn verify_layer<'a>(
    layer: usize,
    proof: &'a LayerProof,
    halves: &[Fraction<EF>; 2],
    point: &[EF],
    challenger: &mut dyn ExtensionTranscript,
) -> Result<(&'a [Fraction<EF>; 2], Vec<EF>), GkrError> {
    let lambda = challenger.sample_extension();
    let values = halves.map(|half| half.combined(lambda));
    let quadratic = *proof.quadratic.read(challenger);
    let challenge = challenger.sample_extension();
    let mut sum = quadratic_at(values, quadratic, challenge);
    let mut challenges = vec![challenge];
    for (polynomial, &coordinate) in zip(&proof.rounds, point) {
        let polynomial = polynomial.read(challenger);
        let challenge = challenger.sample_extension();
        sum = polynomial.evaluate(sum, coordinate, challenge);
        challenges.push(challenge);
    }
    let halves @ [zero, one] = proof.halves.read(challenger);
    let expected = zero.numerator * one.denominator
        + one.numerator * zero.denominator
        + lambda * zero.denominator * one.denominator;
    if sum != expected {
        return Err(GkrError::Sumcheck { layer });
    }
    Ok((halves, challenges))
}

/// Returns the value at `r` of the polynomial of degree 2 with these values at 0 and 1.
pub(super) fn quadratic_at([zero, one]: [EF; 2], quadratic: EF, r: EF) -> EF {
    zero + r * (one - zero + quadratic * (r - EF::ONE))
}

impl RoundPolynomial {
    /// Returns `t(r)` of the polynomial `t` with `(1 - q) t(0) + q t(1) = sum`.
    pub(super) fn evaluate(&self, sum: EF, q: EF, r: EF) -> EF {
        let constant = sum - q * (self.linear + self.quadratic);
        constant + r * (self.linear + r * self.quadratic)
    }
}
