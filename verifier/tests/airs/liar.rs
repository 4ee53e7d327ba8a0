//! A prover who lies in one thing and is honest in everything that follows from the lie.
//!
//! [`VALUE`]: the transcript holds another opened value than the trace has, [`FREE`] plus one for
//! [`FREE`]. [`WORK`]: nothing is ground, nonces are zero.

use droste_gadgets::Tape;
use droste_native::challenger::Poseidon16Challenger;
use droste_native::family::{MultiProof, Poseidon16Mmcs};
use droste_native::{EF, F, HashFamily, HashId, Poseidon16Family};
use droste_verifier::tape::{TapeFamily, Transcript};
use p3_challenger::{CanObserve, CanSample, CanSampleBits, FieldChallenger, GrindingChallenger};
use p3_field::PrimeCharacteristicRing;
use p3_matrix::Dimensions;
use p3_merkle_tree::MerkleTreeError;
use p3_symmetric::MerkleCap;

use crate::tables::FREE;

/// An opened value is another.
pub const VALUE: u8 = 0;
/// No proof of work is done.
pub const WORK: u8 = 1;

/// Poseidon-16, with the lying transcript.
#[derive(Clone, Copy, Debug, Default)]
pub struct Liar<const LIE: u8>;

/// The lying transcript.
#[derive(Clone, Debug, Default)]
pub struct Lying<const LIE: u8>(Poseidon16Challenger);

impl<const LIE: u8> CanObserve<F> for Lying<LIE> {
    fn observe(&mut self, value: F) {
        let lie = LIE == VALUE && value == FREE;
        let told = if lie { value + F::ONE } else { value };
        CanObserve::<F>::observe(&mut self.0, told);
    }
}

impl<const LIE: u8> CanObserve<MerkleCap<F, [F; 8]>> for Lying<LIE> {
    fn observe(&mut self, value: MerkleCap<F, [F; 8]>) {
        CanObserve::observe(&mut self.0, value);
    }
}

impl<const LIE: u8> CanSample<F> for Lying<LIE> {
    fn sample(&mut self) -> F {
        CanSample::sample(&mut self.0)
    }
}

impl<const LIE: u8> CanSample<EF> for Lying<LIE> {
    fn sample(&mut self) -> EF {
        CanSample::sample(&mut self.0)
    }
}

impl<const LIE: u8> CanSampleBits<usize> for Lying<LIE> {
    fn sample_bits(&mut self, bits: usize) -> usize {
        self.0.sample_bits(bits)
    }
}

impl<const LIE: u8> FieldChallenger<F> for Lying<LIE> {}

impl<const LIE: u8> GrindingChallenger for Lying<LIE> {
    type Witness = F;

    fn grind(&mut self, bits: usize) -> F {
        if LIE != WORK {
            return GrindingChallenger::grind(&mut self.0, bits);
        }
        if bits > 0 {
            let _ = self.check_witness(bits, F::ZERO);
        }
        F::ZERO
    }

    fn check_witness(&mut self, bits: usize, witness: F) -> bool {
        self.0.check_witness(bits, witness) || LIE == WORK
    }
}

impl<const LIE: u8> HashFamily for Liar<LIE> {
    const NAME: &'static str = Poseidon16Family::NAME;
    const ID: HashId = Poseidon16Family::ID;
    const COLLISION_BITS: usize = Poseidon16Family::COLLISION_BITS;

    type Digest = [F; 8];
    type ValMmcs = Poseidon16Mmcs;
    type Challenger = Lying<LIE>;

    fn val_mmcs(cap_height: usize) -> Poseidon16Mmcs {
        Poseidon16Family::val_mmcs(cap_height)
    }

    fn challenger() -> Lying<LIE> {
        Lying::default()
    }

    fn restore_paths(
        mmcs: &Poseidon16Mmcs,
        dimensions: &[Dimensions],
        indices: &[usize],
        rows: &[Vec<Vec<F>>],
        proof: &MultiProof<Self>,
    ) -> Result<Vec<Vec<[F; 8]>>, MerkleTreeError> {
        Poseidon16Family::restore_paths(mmcs, dimensions, indices, rows, proof)
    }

    fn digest_elements(digest: &[F; 8]) -> Vec<F> {
        Poseidon16Family::digest_elements(digest)
    }
}

impl<const LIE: u8> Transcript for Lying<LIE> {
    type Digest = [F; 8];

    fn observe(&mut self, x: F) {
        CanObserve::<F>::observe(self, x);
    }

    fn observe_digests(&mut self, digests: &[[F; 8]], tape: &mut Tape) {
        self.0.observe_digests(digests, tape);
    }

    fn position(&self) -> usize {
        self.0.position()
    }

    fn pending(&self) -> Vec<F> {
        self.0.pending()
    }

    fn sample(&mut self, tape: &mut Tape) -> EF {
        Transcript::sample(&mut self.0, tape)
    }

    fn sample_pair(&mut self, tape: &mut Tape) -> (EF, EF) {
        self.0.sample_pair(tape)
    }

    fn sample_word(&mut self, tape: &mut Tape) -> u32 {
        self.0.sample_word(tape)
    }

    fn word_bits(word: u32, tape: &mut Tape) {
        Poseidon16Challenger::word_bits(word, tape);
    }

    fn grind(&mut self, nonce: F, tape: &mut Tape) {
        Transcript::grind(&mut self.0, nonce, tape);
    }
}

impl<const LIE: u8> TapeFamily for Liar<LIE> {
    type Transcript = Lying<LIE>;

    fn digest_blocks(digest: &[F; 8]) -> Vec<[F; 8]> {
        vec![*digest]
    }
}
