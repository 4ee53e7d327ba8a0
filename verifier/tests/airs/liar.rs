//! A prover who lies in one thing and is honest in everything that follows from the lie.
//!
//! [`VALUE`]: the transcript holds another opened value than the trace has, [`FREE`] plus one for
//! [`FREE`]. [`WORK`]: nothing is ground, nonces are zero.

use droste_gadgets::bits::integer;
use droste_gadgets::hash::Challenger;
use droste_gadgets::poseidon16 as gadget;
use droste_gadgets::prelude::{Ext, Felt, Slice, hint_felt};
use droste_native::challenger::Poseidon16Challenger;
use droste_native::family::{MultiProof, Poseidon16Mmcs};
use droste_native::{EF, F, HashFamily, HashId, Poseidon16Family};
use droste_verifier::tape::TapeFamily;
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

/// The lying transcript of the program.
#[derive(Clone, Copy)]
pub struct LyingGadget<const LIE: u8>(gadget::Poseidon16Challenger);

impl<const LIE: u8> Challenger for LyingGadget<LIE> {
    fn new() -> Self {
        Self(Challenger::new())
    }

    fn observe(&mut self, x: Felt) {
        let lie = LIE == VALUE && F::from(x) == FREE;
        self.0.observe(if lie { x + Felt::ONE } else { x });
    }

    fn observe_digests(&mut self, digests: Slice, n: usize) {
        self.0.observe_digests(digests, n);
    }

    fn position(&self) -> usize {
        self.0.position()
    }

    fn advise_slice(&self, n: usize) {
        self.0.advise_slice(n);
    }

    fn observe_slice(&mut self, data: Slice, n: usize) {
        let skip = self.position();
        for i in skip..skip + n {
            self.observe(data.block(i / 8).lane(i % 8));
        }
    }

    fn sample(&mut self) -> Ext {
        self.0.sample()
    }

    fn sample_pair(&mut self) -> (Ext, Ext) {
        self.0.sample_pair()
    }

    fn sample_word(&mut self) -> [Felt; 2] {
        self.0.sample_word()
    }

    fn hint_bits(word: [Felt; 2]) -> [Felt; 32] {
        gadget::Poseidon16Challenger::hint_bits(word)
    }

    fn assert_bits(word: [Felt; 2], bits: [Felt; 32], low: Felt, n: usize) {
        gadget::Poseidon16Challenger::assert_bits(word, bits, low, n);
    }

    fn grind(&mut self, bits: usize) {
        if LIE != WORK {
            self.0.grind(bits);
        } else if bits > 0 {
            // The same hints, and no check of the low bits.
            self.observe(hint_felt().any());
            let word = self.sample_word();
            let bits = Self::hint_bits(word);
            Self::assert_bits(word, bits, integer(bits, 0, 24), 24);
        }
    }
}

impl<const LIE: u8> TapeFamily for Liar<LIE> {
    type Gadget = gadget::Poseidon16;
    type Transcript = LyingGadget<LIE>;

    fn digest_blocks(digest: &[F; 8]) -> Vec<[F; 8]> {
        vec![*digest]
    }

    fn integer(word: [F; 2]) -> u32 {
        Poseidon16Family::integer(word)
    }
}
