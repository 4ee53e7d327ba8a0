//! A transcript with few challenges, so that a prover can hope for one of them.

use droste_native::F;
use droste_native::stark::challenger::{ExtensionTranscript, Poseidon16Challenger};
use p3_challenger::{CanObserve, CanSample, CanSampleBits, FieldChallenger, GrindingChallenger};
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing, PrimeField32};

use super::super::liar::Cap;

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

impl CanSample<F> for FewChallenges {
    fn sample(&mut self) -> F {
        self.transcript.sample()
    }
}

impl CanSampleBits<usize> for FewChallenges {
    fn sample_bits(&mut self, bits: usize) -> usize {
        self.transcript.sample_bits(bits)
    }
}

impl FieldChallenger<F> for FewChallenges {
    fn sample_algebra_element<A: BasedVectorSpace<F>>(&mut self) -> A {
        let sample: A = self.transcript.sample_algebra_element();
        if self.challenges.is_empty() {
            return sample;
        }
        let low = sample.as_basis_coefficients_slice()[0].as_canonical_u32() as usize;
        let chosen = self.challenges[low % self.challenges.len()];
        A::from_basis_coefficients_fn(|i| if i == 0 { chosen } else { F::ZERO })
    }
}

impl ExtensionTranscript for FewChallenges {}

impl GrindingChallenger for FewChallenges {
    type Witness = F;

    fn grind(&mut self, bits: usize) -> F {
        self.transcript.grind(bits)
    }
}
