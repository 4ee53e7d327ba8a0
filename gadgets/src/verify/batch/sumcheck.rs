//! Rounds of sumcheck over GF(2^128).
//!
//! A round takes a claim about a sum over the hypercube, and leaves one about half as many
//! summands. The prover sends the coefficients of the round's polynomial, but for that of `X`: the
//! values at 0 and 1 add up to the claim, which in characteristic 2 is the sum of all coefficients
//! but the constant one. So nothing is checked in a round. A false claim comes true with a
//! probability of at most the degree out of `2^128`.

use crate::prelude::*;
use crate::verify::batch::binary::{one, product};
use crate::verify::batch::transcript::Transcript;

/// Reads the message of a round of this degree, samples the challenge that it returns, and makes
/// the claim the one that is left.
pub fn round(t: &mut Transcript, degree: usize, claim: &mut Block) -> Block {
    let message = t.read(degree);
    let challenge = t.sample();
    let higher = degree - 1;
    let leading = message.block(higher);
    if degree == 2 {
        // `leading + claim + leading challenge`.
        let pair = Slice::from_blocks([one(), challenge]);
        let value = binary_scale(leading, pair, *claim);
        *claim = binary_product(value, challenge, message.block(0));
        return challenge;
    }
    let mut linear = *claim;
    for i in 0..higher / 2 {
        linear = binary_scale(one(), message.skip(1 + 2 * i), linear);
    }
    if higher % 2 == 1 {
        linear = binary_product(one(), leading, linear);
    }
    // By Horner's rule, two coefficients at once if there are many.
    let mut rest = Vec::new();
    for i in 1..higher {
        rest.push(message.block(higher - i));
    }
    rest.push(linear);
    rest.push(message.block(0));
    let alone = if degree > 4 { degree % 2 } else { degree };
    let mut value = leading;
    for i in 0..alone {
        value = binary_product(value, challenge, rest[i]);
    }
    if alone < degree {
        let powers = Slice::from_blocks([product(challenge, challenge), challenge]);
        for i in 0..(degree - alone) / 2 {
            let at = alone + 2 * i;
            let pair = Slice::from_blocks([value, rest[at]]);
            value = binary_dot(pair, 1, powers, rest[at + 1]);
        }
    }
    *claim = value;
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
