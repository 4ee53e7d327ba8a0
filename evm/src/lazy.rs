//! A prover's transcript that once does too little work.

use droste_native::stark::challenger::ExtensionTranscript;
use droste_native::{EF, F, HashSuite, KeccakSuite};
use p3_challenger::{CanObserve, CanSampleBits};
use p3_field::PrimeCharacteristicRing;
use p3_symmetric::MerkleCap;

type Challenger = <KeccakSuite as HashSuite>::Challenger;
type Cap = MerkleCap<F, [u8; 32]>;

/// The transcript of the suite. Of the proofs of work, one has all its bits but the highest.
pub struct Lazy {
    inner: Challenger,
    /// Number of the proof of work that has too few bits.
    lazy: usize,
    /// Proofs of work so far.
    pub works: usize,
}

impl Lazy {
    /// The transcript in which this proof of work, counted from 0, has a bit too few.
    pub fn new(lazy: usize) -> Self {
        Self {
            inner: KeccakSuite::challenger(),
            lazy,
            works: 0,
        }
    }
}

impl CanObserve<F> for Lazy {
    fn observe(&mut self, value: F) {
        self.inner.observe(value);
    }
}

impl CanObserve<Cap> for Lazy {
    fn observe(&mut self, value: Cap) {
        self.inner.observe(value);
    }
}

impl CanSampleBits<usize> for Lazy {
    fn sample_bits(&mut self, bits: usize) -> usize {
        self.inner.sample_bits(bits)
    }
}

impl ExtensionTranscript for Lazy {
    fn observe_extension(&mut self, value: EF) {
        self.inner.observe_extension(value);
    }

    fn sample_extension(&mut self) -> EF {
        self.inner.sample_extension()
    }

    fn prove_work(&mut self, bits: usize) -> F {
        self.works += 1;
        if self.works - 1 != self.lazy {
            return self.inner.prove_work(bits);
        }
        let passes = |nonce, bits| bits == 0 || self.inner.clone().check_work(bits, nonce);
        let mut nonces = (0..).map(F::from_u32);
        let nonce = nonces.find(|&nonce| passes(nonce, bits - 1) && !passes(nonce, bits));
        let nonce = nonce.expect("a nonce");
        assert!(!self.inner.check_work(bits, nonce));
        nonce
    }
}
