//! The verifier.

use std::iter::zip;

use p3_challenger::FieldChallenger;
use p3_field::Field;

use super::{
    Fraction, GkrError, GkrProof, LayerProof, LeafClaim, RoundPolynomial, check_variables,
};
use crate::field::{EF, F};

/// Verifies that `2^num_variables` fractions add up to zero and have no zero denominator, provided
/// that the returned claim about them is true.
///
/// The caller must have bound the leaves before: the challenger has observed everything they are
/// computed from.
///
/// # Errors
/// If the number of variables is out of range, the proof has the wrong shape, or a check fails.
pub fn verify<C: FieldChallenger<F>>(
    proof: &GkrProof,
    num_variables: usize,
    challenger: &mut C,
) -> Result<LeafClaim, GkrError> {
    check_shape(proof, num_variables)?;
    check_root(&proof.root)?;
    let mut claim = LeafClaim::new(&proof.root, &[], challenger);
    for (layer, proof) in zip(1.., &proof.layers) {
        claim = verify_layer(layer, proof, &claim, challenger)?;
    }
    Ok(claim)
}

fn check_shape(proof: &GkrProof, num_variables: usize) -> Result<(), GkrError> {
    check_variables(num_variables)?;
    let (found, expected) = (proof.layers.len(), num_variables - 1);
    if found != expected {
        return Err(GkrError::Layers { found, expected });
    }
    for (layer, proof) in zip(1.., &proof.layers) {
        let found = proof.rounds.len();
        if found != layer {
            return Err(GkrError::Rounds { layer, found });
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

fn verify_layer<C: FieldChallenger<F>>(
    layer: usize,
    proof: &LayerProof,
    claim: &LeafClaim,
    challenger: &mut C,
) -> Result<LeafClaim, GkrError> {
    let mut sum = claim.numerator + claim.lambda * claim.denominator;
    let mut challenges = Vec::with_capacity(layer);
    for (polynomial, &coordinate) in zip(&proof.rounds, &claim.point) {
        let challenge = polynomial.challenge(challenger);
        sum = polynomial.evaluate(sum, coordinate, challenge);
        challenges.push(challenge);
    }
    let [zero, one] = &proof.halves;
    let expected = zero.numerator * one.denominator
        + one.numerator * zero.denominator
        + claim.lambda * zero.denominator * one.denominator;
    if sum != expected {
        return Err(GkrError::Sumcheck { layer });
    }
    Ok(LeafClaim::new(&proof.halves, &challenges, challenger))
}

impl RoundPolynomial {
    /// Returns `t(r)` of the polynomial `t` with `(1 - q) t(0) + q t(1) = sum`.
    pub(super) fn evaluate(&self, sum: EF, q: EF, r: EF) -> EF {
        let constant = sum - q * (self.linear + self.quadratic);
        constant + r * (self.linear + r * self.quadratic)
    }
}
