//! A prover who deviates in one place and computes everything that follows honestly.
//!
//! [`VALUE`]: the transcript absorbs a wrong opened value, `FREE + 1` for [`FREE`]. [`WORK`]: no
//! proof of work is done, and all nonces are zero.

use droste_gadgets::bits::Bits;
use droste_gadgets::prelude::{Ext, Felt, Slice, hint_felt};
use droste_gadgets::suites::hash::Challenger;
use droste_gadgets::suites::poseidon16 as gadget;
use droste_native::stark::challenger::{ExtensionTranscript, Poseidon16Challenger};
use droste_native::stark::suite::{Commitment, MultiProof, Poseidon16Mmcs};
use droste_native::{EF, F, HashId, HashSuite, Poseidon16Suite};
use droste_verifier::tape::TapeSuite;
use p3_challenger::{CanObserve, CanSample, CanSampleBits, FieldChallenger, GrindingChallenger};
use p3_field::PrimeCharacteristicRing;
use p3_matrix::Dimensions;
use p3_merkle_tree::MerkleTreeError;
use p3_symmetric::MerkleCap;

use super::tables::FREE;

/// An opened value is wrong.
pub const VALUE: u8 = 0;
/// No proof of work is done.
pub const WORK: u8 = 1;

/// The Poseidon-16 suite with the deviating transcript.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dishonest<const DEVIATION: u8>;

/// The native challenger that deviates.
#[derive(Clone, Debug, Default)]
pub struct Deviating<const DEVIATION: u8>(Poseidon16Challenger);

impl<const DEVIATION: u8> CanObserve<F> for Deviating<DEVIATION> {
    fn observe(&mut self, value: F) {
        let deviates = DEVIATION == VALUE && value == FREE;
        let told = if deviates { value + F::ONE } else { value };
        CanObserve::<F>::observe(&mut self.0, told);
    }
}

impl<const DEVIATION: u8> CanObserve<MerkleCap<F, [F; 8]>> for Deviating<DEVIATION> {
    fn observe(&mut self, value: MerkleCap<F, [F; 8]>) {
        CanObserve::observe(&mut self.0, value);
    }
}

impl<const DEVIATION: u8> CanSample<F> for Deviating<DEVIATION> {
    fn sample(&mut self) -> F {
        CanSample::sample(&mut self.0)
    }
}

impl<const DEVIATION: u8> CanSample<EF> for Deviating<DEVIATION> {
    fn sample(&mut self) -> EF {
        CanSample::sample(&mut self.0)
    }
}

impl<const DEVIATION: u8> CanSampleBits<usize> for Deviating<DEVIATION> {
    fn sample_bits(&mut self, bits: usize) -> usize {
        self.0.sample_bits(bits)
    }
}

impl<const DEVIATION: u8> FieldChallenger<F> for Deviating<DEVIATION> {}

impl<const DEVIATION: u8> ExtensionTranscript for Deviating<DEVIATION> {
    fn sample_extension(&mut self) -> EF {
        self.sample_algebra_element()
    }

    fn prove_work(&mut self, bits: usize) -> F {
        self.grind(bits)
    }

    fn check_work(&mut self, bits: usize, nonce: F) -> bool {
        self.check_witness(bits, nonce)
    }
}

impl<const DEVIATION: u8> GrindingChallenger for Deviating<DEVIATION> {
    type Witness = F;

    fn grind(&mut self, bits: usize) -> F {
        if DEVIATION != WORK {
            return GrindingChallenger::grind(&mut self.0, bits);
        }
        if bits > 0 {
            let _ = self.check_witness(bits, F::ZERO);
        }
        F::ZERO
    }

    fn check_witness(&mut self, bits: usize, witness: F) -> bool {
        self.0.check_witness(bits, witness) || DEVIATION == WORK
    }
}

impl<const DEVIATION: u8> HashSuite for Dishonest<DEVIATION> {
    const NAME: &'static str = Poseidon16Suite::NAME;
    const ID: HashId = Poseidon16Suite::ID;
    const COLLISION_BITS: f64 = Poseidon16Suite::COLLISION_BITS;

    type Digest = [F; 8];
    type ValMmcs = Poseidon16Mmcs;
    type Challenger = Deviating<DEVIATION>;

    fn val_mmcs(cap_height: usize) -> Poseidon16Mmcs {
        Poseidon16Suite::val_mmcs(cap_height)
    }

    fn challenger() -> Deviating<DEVIATION> {
        Deviating::default()
    }

    fn restore_paths(
        mmcs: &Poseidon16Mmcs,
        dimensions: &[Dimensions],
        indices: &[usize],
        rows: &[Vec<Vec<F>>],
        proof: &MultiProof<Self>,
    ) -> Result<Vec<Vec<[F; 8]>>, MerkleTreeError> {
        Poseidon16Suite::restore_paths(mmcs, dimensions, indices, rows, proof)
    }

    fn verify_rows(
        mmcs: &Poseidon16Mmcs,
        commitment: &Commitment<Self>,
        dimensions: Dimensions,
        indices: &[usize],
        rows: &[Vec<F>],
        proof: &MultiProof<Self>,
    ) -> Result<(), MerkleTreeError> {
        Poseidon16Suite::verify_rows(mmcs, commitment, dimensions, indices, rows, proof)
    }

    fn digest_elements(digest: &[F; 8]) -> Vec<F> {
        Poseidon16Suite::digest_elements(digest)
    }
}

/// The program's challenger that deviates in the same way.
#[derive(Clone, Copy)]
pub struct DeviatingGadget<const DEVIATION: u8>(gadget::Poseidon16Challenger);

impl<const DEVIATION: u8> Challenger for DeviatingGadget<DEVIATION> {
    fn new() -> Self {
        Self(Challenger::new())
    }

    fn observe(&mut self, x: Felt) {
        let deviates = DEVIATION == VALUE && F::from(x) == FREE;
        self.0.observe(if deviates { x + Felt::ONE } else { x });
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

    fn read_extensions(&mut self, n: usize) -> Vec<Ext> {
        self.0.read_extensions(n)
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

    fn bits(word: [Felt; 2]) -> Bits {
        gadget::Poseidon16Challenger::bits(word)
    }

    fn assert_low_bits_are_zero(word: [Felt; 2], n: usize) {
        gadget::Poseidon16Challenger::assert_low_bits_are_zero(word, n);
    }

    fn grind(&mut self, bits: usize) {
        if DEVIATION != WORK {
            self.0.grind(bits);
        } else if bits > 0 {
            // Reads the same hints, but does not check the low bits.
            self.observe(hint_felt().any());
            self.sample_word();
        }
    }
}

impl<const DEVIATION: u8> TapeSuite for Dishonest<DEVIATION> {
    type Gadget = gadget::Poseidon16;
    type Transcript = DeviatingGadget<DEVIATION>;
    type WhirTranscript = DeviatingGadget<DEVIATION>;

    fn digest_blocks(digest: &[F; 8]) -> Vec<[F; 8]> {
        vec![*digest]
    }

    fn integer(word: [F; 2]) -> u32 {
        Poseidon16Suite::integer(word)
    }
}
