//! Rounds of sumcheck over a product of two multilinear polynomials, and values of such
//! polynomials.
//!
//! A round replaces a claim about a sum over the hypercube by one about half as many summands. The
//! prover sends the constant and the quadratic coefficient of the round's polynomial `h`; the third
//! value follows from the claim, since `h(0) + h(1)` is the claimed sum. So nothing is checked in a
//! round: a false message leads to a false claim, which the final equation rejects.

use crate::prelude::*;
use crate::suites::hash::Challenger;
use crate::verify::whir::opening::shape::Sumcheck;

/// One half.
const HALF: Ext = Ext::new([1_065_353_217, 0, 0, 0, 0]);

/// Runs the rounds, and returns their challenges, to which the next variables are bound. `claim`
/// becomes the claim that is left.
pub fn rounds<C: Challenger>(shape: &Sumcheck, t: &mut C, claim: &mut Ext) -> Vec<Ext> {
    let mut challenges = Vec::new();
    for _round in 0..shape.rounds {
        let message = t.read_extensions(2);
        let constant = message[0];
        let quadratic = message[1];
        t.grind(shape.grinding_bits);
        let r = t.sample();
        // `h(r)`, where the linear coefficient is `h(1) - h(0)` minus the quadratic one, and `h(1)`
        // is the claim minus `h(0)`.
        let sum = (r - Ext::ONE) * quadratic + *claim;
        *claim = (sum - constant * Felt::new(2)) * r + constant;
        challenges.push(r);
    }
    challenges
}

/// Returns the value at `point` of the multilinear polynomial with these values on the hypercube.
/// The first variable is the top bit of a position.
pub fn multilinear(values: &[Ext], point: &[Ext]) -> Ext {
    let mut folded = Vec::new();
    for value in values {
        folded.push(*value);
    }
    let mut length = values.len();
    for r in point {
        // `(a + b) / 2 + (1/2 - r) (a - b)` is `a + r (b - a)`.
        let scale = HALF - *r;
        length = length / 2;
        for i in 0..length {
            folded[i] = fold_pair(folded[i], folded[length + i], scale);
        }
    }
    assert_eq!(length, 1);
    folded[0]
}

/// Returns the weights of the values on the hypercube in [`multilinear`]: for each position the
/// product over the variables of `r` where its bit is one, and of `1 - r` where it is zero.
pub fn equality(point: &[Ext]) -> Vec<Ext> {
    let mut weights = vec![Ext::ONE];
    for r in point {
        let mut next = Vec::new();
        for weight in &weights {
            let one = *weight * *r;
            next.push(*weight - one);
            next.push(one);
        }
        weights = next;
    }
    weights
}
