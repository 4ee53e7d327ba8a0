//! Challengers (Fiat-Shamir transcripts) with deterministic proof of work.
//!
//! All challengers have exactly the transcripts of Plonky3 0.8.0, so Plonky3's verifier accepts
//! our proofs over FRI and ours accepts those of Plonky3's prover; extension elements over WHIR are
//! sampled in a way of our own ([`ExtensionTranscript`]). The only other difference is that `grind`
//! returns the *smallest* nonce that passes, with any number of threads, where Plonky3 returns the
//! one that some thread finds first. If no nonce passes, `grind` unwinds to [`with_grinding`],
//! within which every prover of this project runs.

mod bytes;
mod field;
mod parts;
mod search;

use p3_challenger::{CanObserve, CanSampleBits};
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing};

use super::suite::{Commitment, HashSuite, Poseidon16Suite};
use crate::field::{DIGEST, EF, EXTENSION_DEGREE, F};

pub use bytes::{ByteChallenger, ByteTranscript};
pub use field::{FieldPermutation, FieldTranscript, Poseidon2Challenger, Poseidon16Challenger};
pub use parts::{Decommitted, Observe, Sent};
pub use search::{NoNonce, with_grinding};

/// How the protocols over [`crate::whir`] observe and sample elements of the challenge field
/// (docs/notes/whir-protocol.md, "The transcript"), and their proofs of work. The provided methods
/// are those of transcripts of field elements.
///
/// Provers and verifiers take a transcript as a trait object: so those that depend on no hash have
/// no type parameters, and are compiled once, in the crate that declares them.
pub trait ExtensionTranscript: CanObserve<F> + CanSampleBits<usize> {
    /// Observes an element as a whole block of the machine: its five coefficients, constant term
    /// first, and three zeros. So a program observes it as it stores it.
    fn observe_extension(&mut self, value: EF) {
        self.observe_slice(value.as_basis_coefficients_slice());
        self.observe_slice(&[F::ZERO; DIGEST - EXTENSION_DEGREE]);
    }

    /// Samples an element.
    fn sample_extension(&mut self) -> EF;

    /// Does a proof of work of `bits > 0` bits: observes the least nonce that passes.
    fn prove_work(&mut self, bits: usize) -> F;

    /// Checks a proof of work of `bits > 0` bits.
    fn check_work(&mut self, bits: usize, nonce: F) -> bool {
        self.observe(nonce);
        self.sample_bits(bits) == 0
    }
}

/// A transcript that observes commitments in `H`, which is all that provers and verifiers over
/// [`crate::whir`] ask of one: the suite's challenger, or one that a test wraps around it.
pub trait Transcript<H: HashSuite = Poseidon16Suite>:
    ExtensionTranscript + CanObserve<Commitment<H>>
{
}

impl<H, C> Transcript<H> for C
where
    H: HashSuite,
    C: ExtensionTranscript + CanObserve<Commitment<H>>,
{
}
