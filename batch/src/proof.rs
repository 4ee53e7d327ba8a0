//! Proofs about batches of calls.

use p3_field::PrimeCharacteristicRing;
use serde::{Deserialize, Serialize};

use crate::calls::HashCalls;
use crate::circuit::Circuit;
use crate::columns::LOG_COLUMNS;
use crate::field::F;
use crate::merkle::Digest;
use crate::opening::{self, Opening, OpeningError, Security, Settings, SettingsError, Term};
use crate::reduction::{self, ReductionError, ReductionProof};
use crate::trace::{LOG_ELEMENTS, Trace, circuit, digest, log_calls};
use crate::transcript::{CHALLENGE_LOSS, Transcript};
use crate::univariate::{Subfield, powers};
use crate::zerocheck::log_constraints;

/// The protocol's name and version, with which its transcript begins.
pub(crate) const DOMAIN: &str = "droste-batch 1";

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
            + zerocheck.operands.len()
            + zerocheck.rests.len()
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
fn settings(calls: &HashCalls, circuit: &Circuit) -> Result<Settings, SettingsError> {
    let variables = log_calls(calls) + circuit.log_rows + LOG_ELEMENTS;
    Settings::with_columns(variables, circuit.elements)
}

/// The transcript after the list and the commitment.
fn transcript(calls: &HashCalls, root: &Digest) -> Transcript {
    let mut transcript = Transcript::new(DOMAIN);
    let hash = F::from_u8(calls.hash().number());
    transcript.observe_elements(&[hash, F::from_usize(calls.len())]);
    transcript.observe_elements(&digest(calls));
    transcript.observe_elements(root);
    transcript
}

/// Proves a list. Its outputs should be true: a proof about others is refused.
///
/// # Errors
///
/// If there are no settings for so many calls.
pub fn prove(calls: &HashCalls) -> Result<Proof, ProofError> {
    let circuit = circuit(calls.hash());
    let settings = settings(calls, &circuit)?;
    let subfield = Subfield::new();
    let trace = Trace::new(calls, &circuit);
    let committed = opening::commit(&settings, trace.elements().to_vec());
    let root = committed.root();
    let mut transcript = transcript(calls, &root);
    let (reduction, weights, claim) =
        reduction::prove(calls, &circuit, &trace, &subfield, &mut transcript);
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
pub fn verify(calls: &HashCalls, proof: &Proof) -> Result<Security, ProofError> {
    let security = security(calls)?;
    if security.bits() < MIN_BITS {
        return Err(ProofError::Bits(security.bits()));
    }
    let circuit = circuit(calls.hash());
    let settings = settings(calls, &circuit)?;
    let mut transcript = transcript(calls, &proof.root);
    let basis = powers();
    let (weights, claim) =
        reduction::verify(&proof.reduction, calls, &circuit, &basis, &mut transcript)?;
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
pub fn security(calls: &HashCalls) -> Result<Security, SettingsError> {
    let circuit = circuit(calls.hash());
    let log_calls = log_calls(calls);
    let constraints = circuit.log_rows - 3 + log_calls + log_constraints(&circuit);
    let terms = [
        // Variables of the weights of rows and constraints.
        ("weights of constraints", constraints),
        // Degree below 128, which the verifier takes the message to have: a product's is 126.
        ("bits of words", 127),
        ("sum over rows", 3 * (log_calls + circuit.log_rows)),
        (
            "batch of forms",
            circuit.operands.len() + circuit.groups.len() - 1,
        ),
        ("sum over columns", 2 * LOG_COLUMNS),
        ("rows and next rows", 1),
        ("ring switch", 7),
        // Variables of elements and calls, and powers for the public rows.
        (
            "inputs and outputs",
            LOG_ELEMENTS + log_calls + circuit.public.len(),
        ),
    ];
    let mut security = settings(calls, &circuit)?.security();
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
    use crate::calls::Hash;
    use crate::trace::tests::calls;

    #[test]
    fn proofs_are_verified() {
        for hash in Hash::ALL {
            for count in [1, 9] {
                let calls = calls(hash, count);
                let proof = prove(&calls).unwrap();
                let security = verify(&calls, &proof).unwrap();
                assert!(security.bits() > MIN_BITS);
            }
        }
    }

    /// At every size that lists have.
    #[test]
    fn one_hundred_bits() {
        for hash in Hash::ALL {
            let input = vec![0; hash.input_bytes()];
            let calls = HashCalls::of_inputs(hash, vec![&input; 1]).unwrap();
            let call = calls.calls().next().unwrap();
            for log_calls in [3, 10, hash.max_calls().ilog2()] {
                let calls = HashCalls::new(hash, vec![call; 1 << log_calls]).unwrap();
                assert!(
                    security(&calls).unwrap().bits() >= MIN_BITS,
                    "{hash}, 2^{log_calls}"
                );
            }
        }
    }

    #[test]
    fn other_lists_are_refused() {
        for hash in Hash::ALL {
            let calls = calls(hash, 3);
            let proof = prove(&calls).unwrap();
            for (call, byte) in [
                (2, hash.input_bytes() + 31),
                (0, 0),
                (1, hash.input_bytes() - 1),
            ] {
                let mut list: Vec<(Vec<u8>, Vec<u8>)> = calls
                    .calls()
                    .map(|(i, o)| (i.to_vec(), o.to_vec()))
                    .collect();
                let (input, output) = &mut list[call];
                let bytes = input.iter_mut().chain(output);
                *bytes.into_iter().nth(byte).unwrap() ^= 0x80;
                let false_calls = HashCalls::new(hash, list).unwrap();
                assert!(verify(&false_calls, &proof).is_err());
                // Not even by a prover that begins with the false list.
                let proof = prove(&false_calls).unwrap();
                assert_eq!(
                    verify(&false_calls, &proof),
                    Err(ProofError::Claim),
                    "{hash}"
                );
            }
        }
    }
}
