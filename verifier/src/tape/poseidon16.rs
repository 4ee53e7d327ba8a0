//! The Poseidon-16 family on the tape.

use droste_gadgets::{Hint, Tape};
use droste_native::challenger::Poseidon16Challenger;
use droste_native::{EF, F, Poseidon16Family};
use p3_challenger::{CanObserve, CanSample};
use p3_field::PrimeField32;

use super::family::TapeFamily;
use super::transcript::{Transcript, canonical_bits};

impl Transcript for Poseidon16Challenger {
    type Digest = [F; 8];

    fn observe(&mut self, x: F) {
        CanObserve::observe(self, x);
    }

    /// Where the transcript does not stand at the start of a block, the program reads the digests once
    /// more, after what waits.
    fn observe_digests(&mut self, digests: &[[F; 8]], tape: &mut Tape) {
        let mut lanes = self.pending();
        if !lanes.is_empty() {
            lanes.extend(digests.as_flattened());
            let block = |lanes: &[F]| std::array::from_fn(|i| lanes.get(i).copied());
            tape.hints
                .push(Hint::Slice(lanes.chunks(8).map(block).collect()));
        }
        CanObserve::<F>::observe_slice(self, digests.as_flattened());
    }

    fn position(&self) -> usize {
        self.duplex().input_buffer.len()
    }

    fn pending(&self) -> Vec<F> {
        self.duplex().input_buffer.clone()
    }

    fn sample(&mut self, _tape: &mut Tape) -> EF {
        CanSample::sample(self)
    }

    fn sample_pair(&mut self, tape: &mut Tape) -> (EF, EF) {
        (
            Transcript::sample(self, tape),
            Transcript::sample(self, tape),
        )
    }

    fn sample_word(&mut self, _tape: &mut Tape) -> u32 {
        let sample: F = CanSample::sample(self);
        sample.as_canonical_u32()
    }

    fn word_bits(word: u32, tape: &mut Tape) {
        canonical_bits(word, tape);
    }

    fn grind(&mut self, nonce: F, tape: &mut Tape) {
        tape.hints.push(Hint::Felt(nonce));
        CanObserve::observe(self, nonce);
        let word = self.sample_word(tape);
        Self::word_bits(word, tape);
    }
}

impl TapeFamily for Poseidon16Family {
    type Transcript = Poseidon16Challenger;

    fn digest_blocks(digest: &[F; 8]) -> Vec<[F; 8]> {
        vec![*digest]
    }
}
