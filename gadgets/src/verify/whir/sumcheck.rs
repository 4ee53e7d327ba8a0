//! Rounds of sumcheck over a sum with an equality polynomial as a factor.
//!
//! The claim is that the sum over the hypercube of `eq(q, x) G(x)` is `S`. In a round, let `t(X)`
//! be the sum over the other variables of `eq(q', x') G(X, x')`, with the other coordinates `q'` of
//! `q`. So `S = (1 - q_0) t(0) + q_0 t(1)`, where `q_0` is the coordinate of the round. The prover
//! sends the coefficients of `t` except the constant one, which follows from `S`; `t` at the
//! challenge becomes the next claim. The factor `eq(q_0, r_0)` is left out on both sides (ePrint
//! 2024/108, section 3). Nothing is checked in a round: a false message leads to a false claim.

use crate::prelude::*;
use crate::suites::hash::Challenger;

/// Runs one round for each coordinate of `point`, with polynomials of this degree, and returns the
/// challenges. `claim` becomes the claim that is left, about the value of `G` at the challenges.
pub fn rounds<C: Challenger>(t: &mut C, claim: &mut Ext, point: &[Ext], degree: usize) -> Vec<Ext> {
    let mut challenges = Vec::new();
    for coordinate in point {
        // The coefficients of degree 1, 2, ..
        let message = t.read_extensions(degree);
        let r = t.sample();
        let mut sum = message[0];
        let mut value = message[degree - 1];
        for i in 1..degree {
            sum = sum + message[i];
            value = value * r + message[degree - 1 - i];
        }
        let constant = *claim - *coordinate * sum;
        *claim = value * r + constant;
        challenges.push(r);
    }
    challenges
}
