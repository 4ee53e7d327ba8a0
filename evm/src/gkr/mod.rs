//! The verifier of sums of fractions, as `droste_native::gkr` defines it.
//!
//! The proof is in the calldata as the transcript observes it: the fractions of layer 1; then of
//! each layer the quadratic coefficient, two coefficients for each round, and the fractions below.
//! A fraction is a numerator and a denominator, an element 20 bytes.
//!
//! The point is in memory, first coordinate first. Layer `l` turns `l - 1` coordinates into `l`
//! challenges: the first one is in front of them, and that of round `i` where coordinate `i` was,
//! which nothing reads any more. So the point ends where it ended, and begins a word earlier.

#[cfg(test)]
mod tests;

use droste_native::EF;
use p3_field::PrimeCharacteristicRing;

use crate::assembler::{Assembler, Expr, take, var};
use crate::field::{ELEMENT_BYTES, Element, PACKED_BYTES};
use crate::transcript::Transcript;

/// Where the verifier works in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Four words: the fractions at hand. In the end the first two are the numerator and the
    /// denominator of the claim, and the third is `lambda`.
    pub fractions: u64,
    /// Where the point ends. In the end it has as many words as there are variables.
    pub point_end: u64,
}

impl Memory {
    fn fraction(self, index: u64) -> u64 {
        self.fractions + ELEMENT_BYTES * index
    }

    /// The fractions at hand: `n0, d0, n1, d1`.
    fn halves(self) -> [Element; 4] {
        [0, 1, 2, 3].map(|index| Element::load(self.fraction(index)))
    }
}

/// Elements of two fractions.
const HALVES: u64 = 4;

/// Bytes of a proof about `2^num_variables` fractions.
pub fn proof_bytes(num_variables: u64) -> u64 {
    let layers = num_variables.saturating_sub(1);
    // A quadratic coefficient, two coefficients a round, two fractions.
    let rounds = layers * layers.saturating_sub(1) / 2;
    PACKED_BYTES * (HALVES + layers * (1 + HALVES) + 2 * rounds)
}

/// Verifies a proof about `2^num_variables` fractions, at least two, that is at this place of the
/// calldata. Reverts if it is refused; what is left in memory else is a claim that remains to be
/// shown.
///
/// Nothing may be pending in the transcript, which must have been sampled before.
pub fn verify(
    a: &mut Assembler,
    transcript: &mut Transcript,
    place: u64,
    num_variables: u64,
    memory: Memory,
) {
    a.block(|a| {
        a.bind("place", place);
        receive_halves(a, transcript, memory);
        check_root(a, memory);
        // Where the point begins.
        a.bind("start", memory.point_end);
        if num_variables > 1 {
            let last = memory.point_end - ELEMENT_BYTES * (num_variables - 1);
            transcript.repeat_while(a, |transcript, a| {
                verify_layer(a, transcript, memory);
                Expr::from(last).lt(var("start"))
            });
        }
        claim_leaves(a, transcript, memory);
    });
}

/// Reads and observes two fractions.
fn receive_halves(a: &mut Assembler, transcript: &mut Transcript, memory: Memory) {
    transcript.observe(a, var("place"), HALVES * PACKED_BYTES);
    for index in 0..HALVES {
        let value = Element::read(var("place") + PACKED_BYTES * index);
        a.store(memory.fraction(index), value.value());
    }
    a.advance("place", HALVES * PACKED_BYTES);
}

/// Checks that two fractions add up to zero and have no zero denominator.
fn check_root(a: &mut Assembler, memory: Memory) {
    let [n0, d0, n1, d1] = memory.halves();
    a.revert_if((n0 * d1.clone() + n1 * d0.clone()).is_nonzero());
    a.revert_if((d0 * d1).is_zero());
}

/// From fractions of a layer at `start` to those of the next, a coordinate earlier.
fn verify_layer(a: &mut Assembler, transcript: &mut Transcript, memory: Memory) {
    let lambda = transcript.sample_element(a, "lambda");
    let quadratic = a.bind_element("quadratic", Element::read(var("place")));
    transcript.observe(a, var("place"), PACKED_BYTES);
    a.advance("place", PACKED_BYTES);
    let r = transcript.sample_element(a, "r");
    let [n0, d0, n1, d1] = memory.halves();
    let zero = a.bind_element("zero", n0 + lambda.clone() * d0);
    let slope = n1 + lambda.clone() * d1 - zero.clone()
        + quadratic * (r.clone() + Element::constant(EF::NEG_ONE));
    a.bind_element("sum", zero + slope * r);

    a.bind("coordinate", var("start"));
    a.set("start", var("start") - ELEMENT_BYTES);
    a.store(var("start"), var("r"));
    a.run_if(var("coordinate").lt(memory.point_end), |a| {
        transcript.repeat_while(a, |transcript, a| {
            verify_round(a, transcript);
            var("coordinate").lt(memory.point_end)
        });
    });

    receive_halves(a, transcript, memory);
    let [n0, d0, n1, d1] = memory.halves();
    let fractions = n0 * d1.clone() + n1 * d0.clone() + lambda * d0 * d1;
    a.revert_if((Element::var("sum") - fractions).is_nonzero());
}

/// Replaces a coordinate by the round's challenge, and the sum by the value there.
fn verify_round(a: &mut Assembler, transcript: &mut Transcript) {
    transcript.observe(a, var("place"), 2 * PACKED_BYTES);
    let linear = a.bind_element("linear", Element::read(var("place")));
    let quadratic = a.bind_element("quadratic", Element::read(var("place") + PACKED_BYTES));
    let r = transcript.sample_element(a, "r");
    let q = Element::load(var("coordinate"));
    let constant = Element::var("sum") - (linear.clone() + quadratic.clone()) * q;
    let value = constant + (linear + quadratic * r.clone()) * r;
    a.set("sum", value.value());
    a.store(var("coordinate"), take("r"));
    a.advance("coordinate", ELEMENT_BYTES);
    a.advance("place", 2 * PACKED_BYTES);
}

/// From fractions at `(0, q)` and `(1, q)` to one at `(b, q)`.
fn claim_leaves(a: &mut Assembler, transcript: &mut Transcript, memory: Memory) {
    let b = transcript.sample_element(a, "b");
    let lambda = transcript.sample_element(a, "lambda");
    a.store(var("start") - ELEMENT_BYTES, var("b"));
    let [n0, d0, n1, d1] = memory.halves();
    let line = |zero: Element, one: Element| zero.clone() + (one - zero) * b.clone();
    a.store(memory.fraction(0), line(n0, n1).value());
    a.store(memory.fraction(1), line(d0, d1).value());
    a.store(memory.fraction(2), lambda.value());
}
