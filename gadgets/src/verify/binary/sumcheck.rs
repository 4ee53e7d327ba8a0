//! Rounds of sumcheck over GF(2^128).
//!
//! A round takes a claim about a sum over the hypercube, and leaves one about half as many
//! summands. The prover sends the coefficients of the round's polynomial, but for that of `X`: the
//! values at 0 and 1 add up to the claim, which in characteristic 2 is the sum of all coefficients
//! but the constant one. So nothing is checked in a round, whatever part of the polynomial is sent
//! of which, with the claim, it can be any one of the degree. A false claim comes true with a
//! probability of at most the degree out of `2^128`.

use crate::prelude::*;
use crate::verify::binary::field::{one, product};
use crate::verify::binary::transcript::Transcript;

/// Reads the message of a round of degree 2 or 3, samples the challenge that it returns, and makes
/// the claim the one that is left.
pub fn round(t: &mut Transcript, degree: usize, claim: &mut Block) -> Block {
    let message = t.read(degree);
    let challenge = t.sample();
    let leading = message.block(degree - 1);
    let linear = if degree == 2 {
        // `leading + claim + leading challenge`.
        let pair = Slice::from_blocks([one(), challenge]);
        binary_scale(leading, pair, *claim)
    } else {
        let sum = binary_scale(one(), message.skip(1), *claim);
        let value = binary_product(leading, challenge, message.block(1));
        binary_product(value, challenge, sum)
    };
    *claim = binary_product(linear, challenge, message.block(0));
    challenge
}

/// Reads a message of the program's own, of a higher degree, and does the same.
///
/// A polynomial `p` whose values at 0 and 1 add up to `claim` is `p(0) + claim X + (X^2 + X) q(X)`.
/// The message is `p(0)`, and the coefficients of `q` from the constant one on.
pub fn long_round(t: &mut Transcript, degree: usize, claim: &mut Block) -> Block {
    let message = t.read(degree);
    let challenge = t.sample();
    let powers = Slice::from_blocks([product(challenge, challenge), challenge]);
    // By Horner's rule, two coefficients at once.
    let mut left = degree - 1;
    let mut quotient = message.block(left);
    if left % 2 == 0 {
        left -= 1;
        quotient = binary_product(quotient, challenge, message.block(left));
    }
    while left > 1 {
        let pair = Slice::from_blocks([quotient, message.block(left - 1)]);
        quotient = binary_dot(pair, 1, powers, message.block(left - 2));
        left -= 2;
    }
    let rest = binary_scale(quotient, powers, message.block(0));
    *claim = binary_product(*claim, challenge, rest);
    challenge
}

/// Reads `rounds` rounds, whose challenges are the coordinates of a point from the last one down,
/// and returns the point.
pub fn rounds(t: &mut Transcript, rounds: usize, degree: usize, claim: &mut Block) -> Vec<Block> {
    let mut point = vec![Block::ZERO; rounds];
    for i in 0..rounds {
        point[rounds - 1 - i] = round(t, degree, claim);
    }
    point
}
