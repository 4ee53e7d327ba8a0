//! Provers who once do something that they must not, and everything else by the book.

#![allow(dead_code, reason = "not all that include it use all of it")]

use droste_native::field::EXTENSION_DEGREE;
use droste_native::hash::encoding::extension_from_digest;
use droste_native::hash::keccak::Keccak256;
use droste_native::stark::challenger::{ByteChallenger, ByteTranscript, ExtensionTranscript};
use droste_native::{EF, F};
use p3_challenger::{CanFinalizeDigest, CanObserve, CanSample, CanSampleBits};
use p3_field::{PrimeCharacteristicRing, PrimeField32, RawDataSerializable};
use p3_symmetric::MerkleCap;

type Cap = MerkleCap<F, [u8; 32]>;

/// What a prover does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deviation {
    /// Nothing wrong.
    None,
    /// This proof of work, counted from 0, has all its bits but the highest.
    Work(usize),
    /// The first word of this observed element, counted from 0, is not below `p`.
    Element(usize),
}

/// The transcript of such a prover, otherwise that of `KeccakSuite`.
pub struct Dishonest {
    inner: ByteTranscript<Keccak256>,
    deviation: Deviation,
    /// Proofs of work so far.
    pub works: usize,
    /// The bytes of elements so far, as they should be.
    pub elements: Vec<Vec<u8>>,
}

/// Elements of the challenge field, observed as their bytes.
fn bytes(value: EF) -> Vec<u8> {
    EF::into_byte_stream([value]).into_iter().collect()
}

/// The same bytes, but the first word is another one modulo `p`.
pub fn congruent(element: &[u8]) -> Vec<u8> {
    let (word, rest) = element.split_first_chunk().expect("a word");
    let word = u32::from_le_bytes(*word) + F::ORDER_U32;
    [&word.to_le_bytes(), rest].concat()
}

impl Dishonest {
    /// The transcript of a prover with this deviation.
    pub const fn new(deviation: Deviation) -> Self {
        Self {
            inner: ByteTranscript::new(Keccak256),
            deviation,
            works: 0,
            elements: vec![],
        }
    }

    /// The native transcript in this state.
    fn native(&self) -> ByteChallenger<Keccak256> {
        ByteChallenger::new(self.inner.clone())
    }
}

impl CanObserve<F> for Dishonest {
    fn observe(&mut self, value: F) {
        let bytes: Vec<u8> = F::into_byte_stream([value]).into_iter().collect();
        self.inner.observe_slice(&bytes);
    }
}

impl CanObserve<Cap> for Dishonest {
    fn observe(&mut self, cap: Cap) {
        let digests = cap.roots().iter();
        digests.for_each(|digest| self.inner.observe_slice(digest));
    }
}

impl CanSampleBits<usize> for Dishonest {
    fn sample_bits(&mut self, bits: usize) -> usize {
        let word = std::array::from_fn(|_| self.inner.sample());
        u32::from_le_bytes(word) as usize & ((1 << bits) - 1)
    }
}

impl ExtensionTranscript for Dishonest {
    fn observe_extension(&mut self, value: EF) {
        let bytes = bytes(value);
        assert_eq!(bytes.len(), 4 * EXTENSION_DEGREE);
        match self.deviation {
            Deviation::Element(number) if number == self.elements.len() => {
                self.inner.observe_slice(&congruent(&bytes));
            }
            _ => self.inner.observe_slice(&bytes),
        }
        self.elements.push(bytes);
    }

    fn sample_extension(&mut self) -> EF {
        self.inner.observe_slice(&[0; 4]);
        let digest = self.inner.clone().finalize();
        for _ in digest {
            let _: u8 = self.inner.sample();
        }
        extension_from_digest(&digest)
    }

    fn prove_work(&mut self, bits: usize) -> F {
        let transcript = self.native();
        let is_lazy = self.deviation == Deviation::Work(self.works);
        self.works += 1;
        let passes = |nonce, bits| bits == 0 || transcript.clone().check_work(bits, nonce);
        let nonce = if is_lazy {
            let mut nonces = (0..).map(F::from_u32);
            let nonce = nonces.find(|&nonce| passes(nonce, bits - 1) && !passes(nonce, bits));
            nonce.expect("a nonce")
        } else {
            transcript.clone().prove_work(bits)
        };
        // What is pending is hashed before the nonce.
        if self.inner.unread_output().is_empty() {
            let _: u8 = self.inner.sample();
        }
        self.observe(nonce);
        let is_done = self.sample_bits(bits) == 0;
        assert_ne!(is_done, is_lazy);
        nonce
    }
}
