//! The challenger on a byte hash.

use p3_challenger::{
    ByteGrindingChallenger, CanFinalizeDigest, CanObserve, CanSample, CanSampleBits,
    GrindingChallenger, SerializingChallenger32,
};
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing};
use p3_symmetric::CryptographicHasher;
use tracing::info_span;

use super::ExtensionTranscript;
use super::search::find;
use crate::field::{EF, F};
use crate::hash::encoding::{ELEMENT_BYTES, extension_from_digest};

/// Plonky3's `SerializingChallenger32<F, HashChallenger<u8, H, 32>>` with deterministic grinding.
///
/// [`crate::hash::encoding`] describes how field elements become bytes and bytes field elements.
pub type ByteChallenger<H> = SerializingChallenger32<F, ByteTranscript<H>>;

impl<H> ExtensionTranscript for ByteChallenger<H>
where
    H: CryptographicHasher<u8, [u8; 32]> + Clone + Send + Sync,
{
    /// Observes the five coefficients, which take 20 bytes.
    fn observe_extension(&mut self, value: EF) {
        let coefficients: &[F] = value.as_basis_coefficients_slice();
        self.observe_slice(coefficients);
    }

    /// Observes a zero and samples the element of the new digest ([`extension_from_digest`]), of
    /// which nothing is left. So a sample does not depend on the one before it, which a program
    /// would have to find out.
    fn sample_extension(&mut self) -> EF {
        self.observe(F::ZERO);
        let digest = self.clone().finalize();
        // Plonky3's challenger gives no access to its bytes, but reads them: these are all.
        for _ in 0..digest.len() / ELEMENT_BYTES {
            self.sample_bits(1);
        }
        extension_from_digest(&digest)
    }

    fn prove_work(&mut self, bits: usize) -> F {
        self.grind(bits)
    }

    /// The nonce follows the digest of everything before it.
    fn check_work(&mut self, bits: usize, nonce: F) -> bool {
        self.check_witness(bits, nonce)
    }
}

/// A transcript of bytes under a 32-byte hash, which is that of Plonky3's
/// `HashChallenger<u8, H, 32>`.
///
/// Observed bytes are collected. The first sample after an observation hashes all of them; the
/// digest is both the beginning of the next input and the output, which is sampled from its last
/// byte down.
#[derive(Clone, Debug, Default)]
pub struct ByteTranscript<H> {
    input: Vec<u8>,
    output: Vec<u8>,
    hasher: H,
}

impl<H: CryptographicHasher<u8, [u8; 32]>> ByteTranscript<H> {
    /// A transcript that has observed nothing.
    pub const fn new(hasher: H) -> Self {
        Self {
            input: Vec::new(),
            output: Vec::new(),
            hasher,
        }
    }

    /// The bytes that will be hashed next: the last digest and everything observed since.
    pub fn pending_input(&self) -> &[u8] {
        &self.input
    }

    /// Bytes of the digest that are not sampled yet; the next one to be sampled is last.
    pub fn unread_output(&self) -> &[u8] {
        &self.output
    }

    fn flush(&mut self) {
        let digest = self.hasher.hash_slice(&self.input);
        self.input.clear();
        self.input.extend_from_slice(&digest);
        self.output.clear();
        self.output.extend_from_slice(&digest);
    }
}

impl<H: CryptographicHasher<u8, [u8; 32]>> CanObserve<u8> for ByteTranscript<H> {
    fn observe(&mut self, value: u8) {
        self.output.clear();
        self.input.push(value);
    }

    fn observe_slice(&mut self, values: &[u8]) {
        if !values.is_empty() {
            self.output.clear();
            self.input.extend_from_slice(values);
        }
    }
}

impl<H: CryptographicHasher<u8, [u8; 32]>> CanSample<u8> for ByteTranscript<H> {
    fn sample(&mut self) -> u8 {
        loop {
            if let Some(byte) = self.output.pop() {
                return byte;
            }
            self.flush();
        }
    }
}

/// The digest that the next sample reads, if something was observed after the last one.
impl<H: CryptographicHasher<u8, [u8; 32]>> CanFinalizeDigest for ByteTranscript<H> {
    type Digest = [u8; 32];

    fn finalize(self) -> [u8; 32] {
        self.hasher.hash_slice(&self.input)
    }
}

impl<H> ByteGrindingChallenger for ByteTranscript<H>
where
    H: CryptographicHasher<u8, [u8; 32]> + Send + Sync,
{
    /// Returns the smallest nonce that passes, where Plonky3's implementation returns any. If there
    /// is none, it unwinds to [`with_grinding`](super::with_grinding). It never returns `None`,
    /// which would make Plonky3's `grind` panic.
    ///
    /// # Panics
    /// If a nonce is encoded in no bytes or more than 32 bytes are sampled; the challengers of
    /// 32-bit fields use 4 bytes for each.
    fn find_witness<const W: usize, const S: usize>(
        &self,
        candidates: u64,
        encode: impl Fn(u64) -> [u8; W] + Sync,
        accepts: impl Fn([u8; S]) -> bool + Sync,
    ) -> Option<u64> {
        assert!(W > 0 && S <= 32, "one flush answers a candidate");
        let _span = info_span!("grind").entered();
        let lanes = H::LANES.max(1);
        let length = self.input.len() + W;
        let blocks = candidates.div_ceil(lanes as u64);
        Some(find(blocks, candidates, |block| {
            let first = block * lanes as u64;
            let count = (candidates - first).min(lanes as u64) as usize;
            let mut messages = Vec::with_capacity(count * length);
            for offset in 0..count as u64 {
                messages.extend_from_slice(&self.input);
                messages.extend_from_slice(&encode(first + offset));
            }
            let mut digests = vec![[0; 32]; count];
            self.hasher.hash_many(&messages, &mut digests);
            digests
                .iter()
                .position(|digest| {
                    let mut read = digest.iter().rev();
                    accepts(std::array::from_fn(|_| *read.next().unwrap_or(&0)))
                })
                .map(|offset| first + offset as u64)
        }))
    }
}

#[cfg(test)]
mod tests {
    use p3_field::PrimeField32;

    use super::*;
    use crate::hash::blake3::Blake3;

    /// Plonky3's challenger reads as many bytes as are taken from it here.
    #[test]
    fn nothing_is_left_of_the_digest_of_an_element() {
        let mut transcript = ByteChallenger::new(ByteTranscript::new(Blake3));
        transcript.observe(F::ONE);
        let message = [&F::ONE.to_unique_u32().to_le_bytes()[..], &[0; 4]].concat();
        let digest = Blake3.hash_slice(&message);
        assert_eq!(
            transcript.sample_extension(),
            extension_from_digest(&digest)
        );
        let next = Blake3.hash_slice(&digest);
        let word = u32::from_le_bytes(std::array::from_fn(|byte| next[31 - byte]));
        assert_eq!(transcript.sample_bits(20), (word & 0xf_ffff) as usize);
    }
}
