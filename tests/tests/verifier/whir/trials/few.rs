//! A transcript with few challenges, so that a prover can hope for one of them.

use droste_native::stark::challenger::{ExtensionTranscript, Poseidon16Challenger};
use droste_native::{EF, F};
use p3_challenger::{CanObserve, CanSampleBits};
use p3_field::{BasedVectorSpace, PrimeField32};

use super::super::prover::Cap;

/// A transcript whose challenges are elements of a list, or all elements if the list is empty. As
/// many elements are sampled for a challenge as always, and indices of queries are as always.
#[derive(Clone, Default)]
pub struct FewChallenges {
    transcript: Poseidon16Challenger,
    /// As many as a power of two.
    challenges: Vec<F>,
}

impl FewChallenges {
    pub fn new(challenges: Vec<F>) -> Self {
        Self {
            challenges,
            ..Self::default()
        }
    }
}

impl CanObserve<F> for FewChallenges {
    fn observe(&mut self, value: F) {
        self.transcript.observe(value);
    }
}

/// A commitment is observed as the elements of its digests.
impl CanObserve<Cap> for FewChallenges {
    fn observe(&mut self, cap: Cap) {
        for digest in cap.roots() {
            self.observe_slice(digest);
        }
    }
}

impl CanSampleBits<usize> for FewChallenges {
    fn sample_bits(&mut self, bits: usize) -> usize {
        self.transcript.sample_bits(bits)
    }
}

impl ExtensionTranscript for FewChallenges {
    fn sample_extension(&mut self) -> EF {
        let sample = self.transcript.sample_extension();
        if self.challenges.is_empty() {
            return sample;
        }
        let coefficients: &[F] = sample.as_basis_coefficients_slice();
        let low = coefficients[0].as_canonical_u32() as usize;
        self.challenges[low % self.challenges.len()].into()
    }

    fn prove_work(&mut self, bits: usize) -> F {
        self.transcript.prove_work(bits)
    }
}
