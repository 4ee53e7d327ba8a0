//! Transcripts that know what the in-circuit transcript reads from the tape.

use droste_gadgets::{Hint, Tape};
use droste_native::{EF, F};
use p3_field::{Field, PrimeCharacteristicRing};

/// The native side of a `droste_gadgets::hash::Challenger`: same samples, and the hints it reads.
pub trait Transcript: Default {
    /// A digest as the family's commitments hold it.
    type Digest;

    /// Observes an element.
    fn observe(&mut self, x: F);

    /// Observes consecutive digests.
    fn observe_digests(&mut self, digests: &[Self::Digest], tape: &mut Tape);

    /// Place within a run where the next element stands.
    fn position(&self) -> usize;

    /// The elements observed last, as many as stand before that place in its group of eight.
    fn pending(&self) -> Vec<F>;

    /// Samples an extension element.
    fn sample(&mut self, tape: &mut Tape) -> EF;

    /// Samples two extension elements.
    fn sample_pair(&mut self, tape: &mut Tape) -> (EF, EF);

    /// Samples a word.
    fn sample_word(&mut self, tape: &mut Tape) -> u32;

    /// Writes the hints with which a word is decomposed.
    fn word_bits(word: u32, tape: &mut Tape);

    /// Hints and observes a nonce, and samples the word that must pass.
    fn grind(&mut self, nonce: F, tape: &mut Tape);
}

/// The hints of `droste_gadgets::bits`' `hint_bits` and `assert_canonical`.
pub(super) fn canonical_bits(value: u32, tape: &mut Tape) {
    for i in 0..31 {
        tape.hints
            .push(Hint::Felt(F::from_bool(value >> i & 1 == 1)));
    }
    let distance = F::from_u32(value >> 24) - F::from_u32(127);
    tape.hints
        .push(Hint::Felt(distance.try_inverse().unwrap_or_default()));
}
