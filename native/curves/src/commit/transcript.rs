//! Challenges of the commitment protocols, by the Fiat-Shamir transformation.

use ark_ff::PrimeField;
use ark_serialize::CanonicalSerialize;

/// A Merlin transcript of curve points and field elements.
#[derive(Clone)]
pub(super) struct Transcript(merlin::Transcript);

impl Transcript {
    /// A new transcript for one of this crate's protocols.
    pub fn new(protocol: &'static [u8]) -> Self {
        let mut transcript = merlin::Transcript::new(b"droste-commit-v1");
        transcript.append_message(b"protocol", protocol);
        Self(transcript)
    }

    /// Absorbs a value.
    pub fn append(&mut self, label: &'static [u8], value: &impl CanonicalSerialize) {
        let mut bytes = vec![];
        super::write(value, &mut bytes);
        self.0.append_message(label, &bytes);
    }

    /// Absorbs a number.
    pub fn append_u64(&mut self, label: &'static [u8], value: u64) {
        self.0.append_u64(label, value);
    }

    /// Absorbs bytes.
    pub fn append_bytes(&mut self, label: &'static [u8], bytes: &[u8]) {
        self.0.append_message(label, bytes);
    }

    /// Samples a nonzero element, uniform up to a bias below `2^-240` for fields of 256 bits.
    pub fn challenge<F: PrimeField>(&mut self, label: &'static [u8]) -> F {
        loop {
            let mut bytes = [0u8; 64];
            self.0.challenge_bytes(label, &mut bytes);
            let element = F::from_le_bytes_mod_order(&bytes);
            if !element.is_zero() {
                return element;
            }
        }
    }

    /// Samples bytes.
    pub fn bytes<const N: usize>(&mut self, label: &'static [u8]) -> [u8; N] {
        let mut bytes = [0u8; N];
        self.0.challenge_bytes(label, &mut bytes);
        bytes
    }
}
