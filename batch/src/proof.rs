//! Proofs about batches of calls.

use p3_field::PrimeCharacteristicRing;
use serde::{Deserialize, Serialize};

use crate::field::F;
use crate::merkle::Digest;
use crate::opening::{self, Opening, OpeningError, Security, Settings, SettingsError, Term};
use crate::reduction::{self, ReductionError, ReductionProof};
use crate::trace::{Calls, ELEMENTS, LOG_ELEMENTS, Trace};
use crate::transcript::{CHALLENGE_LOSS, Transcript};
use crate::univariate::{Subfield, powers};

/// The protocol's name and version, with which its transcript begins.
pub(crate) const DOMAIN: &str = "droste-batch keccak-f 1";

/// Fewest bits that [`verify`] accepts.
pub const MIN_BITS: f64 = 100.0;

/// A proof that the outputs of a list of calls are those of its inputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    /// The commitment to the trace.
    pub root: Digest,
    /// From the calls to a claim about the trace.
    pub reduction: ReductionProof,
    /// The claim.
    pub opening: Opening,
}

impl Proof {
    /// Bytes of its elements: 16 for one of GF(2^128), 32 for a digest. Lengths are not counted, since
    /// the number of calls tells them.
    pub fn bytes_of_elements(&self) -> usize {
        let ReductionProof {
            zerocheck,
            columns,
            bits,
        } = &self.reduction;
        let reduction = zerocheck.bits.len()
            + 3 * zerocheck.rounds.len()
            + zerocheck.mixed.len()
            + 1
            + 2 * columns.rounds.len()
            + columns.values.len()
            + bits.len();
        let (elements, digests) = self.opening.size();
        16 * (reduction + elements) + 32 * (digests + 1)
    }
}

/// Why a proof is refused, or there is none.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ProofError {
    /// The list has no settings.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// Fewer bits than [`MIN_BITS`].
    #[error("a proof about so many calls has {0:.1} bits, and at least {MIN_BITS} are asked for")]
    Bits(f64),
    /// A part of the reduction.
    #[error(transparent)]
    Reduction(#[from] ReductionError),
    /// A part of the opening.
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// The opened value is not that of the claim: the list, or a message, is false.
    #[error(
        "the trace that was committed to does not have the calls and rounds that the proof claims"
    )]
    Claim,
}

/// Settings of the commitment to the trace of a list.
fn settings(calls: &Calls) -> Result<Settings, SettingsError> {
    Settings::with_columns(calls.log_rows() + LOG_ELEMENTS, ELEMENTS)
}

/// The transcript after the list and the commitment.
fn transcript(calls: &Calls, root: &Digest) -> Transcript {
    let mut transcript = Transcript::new(DOMAIN);
    transcript.observe_elements(&[F::from_usize(calls.inputs().len())]);
    transcript.observe_elements(&calls.digest());
    transcript.observe_elements(root);
    transcript
}

/// Proves a list. Its outputs should be true: a proof about others is refused.
///
/// # Errors
///
/// If there are no settings for so many calls.
pub fn prove(calls: &Calls) -> Result<Proof, ProofError> {
    let settings = settings(calls)?;
    let subfield = Subfield::new();
    let trace = Trace::new(calls);
    let committed = opening::commit(&settings, trace.elements().to_vec());
    let root = committed.root();
    let mut transcript = transcript(calls, &root);
    let (reduction, weights, claim) = reduction::prove(calls, &trace, &subfield, &mut transcript);
    drop(trace);
    let opening = committed.open(weights.table(), claim, &mut transcript);
    Ok(Proof {
        root,
        reduction,
        opening,
    })
}

/// Verifies a proof about the list that the caller has.
///
/// # Errors
///
/// If a part of the proof has another shape, a check fails, or the bits are fewer than [`MIN_BITS`].
pub fn verify(calls: &Calls, proof: &Proof) -> Result<Security, ProofError> {
    let security = security(calls)?;
    if security.bits() < MIN_BITS {
        return Err(ProofError::Bits(security.bits()));
    }
    let settings = settings(calls)?;
    let mut transcript = transcript(calls, &proof.root);
    let (weights, claim) = reduction::verify(&proof.reduction, calls, &powers(), &mut transcript)?;
    let reduced = opening::verify(
        &settings,
        &proof.root,
        claim,
        &proof.opening,
        &mut transcript,
    )?;
    if !reduced.holds(weights.evaluate(&reduced.point)) {
        return Err(ProofError::Claim);
    }
    Ok(security)
}

/// All that can go wrong in a proof about the list, event by event: docs/notes/batch-protocol.md
/// derives the terms.
///
/// # Errors
///
/// If there are no settings for so many calls.
pub fn security(calls: &Calls) -> Result<Security, SettingsError> {
    let rows = calls.log_rows();
    let terms = [
        // Degree of the weights of rows and lanes: two variables of the round, those of the call, five.
        ("weights of constraints", 2 + calls.log_calls() + 5),
        // Degree below 128, which the verifier takes the message to have: a product's is 126.
        ("bits of lanes", 127),
        ("sum over rows", 3 * rows),
        ("batch of lanes", 25),
        ("sum over columns", 2 * 11),
        ("rows and next rows", 1),
        ("ring switch", 7),
        // Elements, calls, and the two lists.
        ("inputs and outputs", LOG_ELEMENTS + calls.log_calls() + 2),
    ];
    let mut security = settings(calls)?.security();
    security.terms.extend(terms.map(|(name, degree)| Term {
        name,
        round: None,
        bits: 128.0 - CHALLENGE_LOSS - (degree as f64).log2(),
    }));
    Ok(security)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::tests::calls;

    #[test]
    fn proofs_are_verified() {
        for count in [1, 9] {
            let calls = calls(count);
            let proof = prove(&calls).unwrap();
            let security = verify(&calls, &proof).unwrap();
            assert!(security.bits() > MIN_BITS);
        }
    }

    #[test]
    fn other_lists_are_refused() {
        let calls = calls(3);
        let proof = prove(&calls).unwrap();
        let mut outputs = calls.outputs().to_vec();
        outputs[2][24] ^= 1 << 63;
        let false_calls = Calls::new(calls.inputs().to_vec(), outputs).unwrap();
        assert!(verify(&false_calls, &proof).is_err());
        // Not even by a prover that begins with the false list.
        let proof = prove(&false_calls).unwrap();
        assert_eq!(verify(&false_calls, &proof), Err(ProofError::Claim));
    }
}
