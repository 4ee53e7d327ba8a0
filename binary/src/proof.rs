//! Proofs of statements.

#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

use droste_native::stark::challenger::{Observe, Sent};
use droste_native::stark::security::SecurityBound;
use serde::{Deserialize, Serialize};

use crate::calls::HashCalls;
use crate::circuit::Circuit;
use crate::error::BinaryError;
use crate::field::K;
use crate::graph::GraphError;
use crate::opening::{self, Opening};
use crate::reduction::{self, ReductionProof};
use crate::shape::StatementShape;
use crate::statement::{Places, Statement};
use crate::trace::{Trace, circuit, elements_of_calls, index};
use crate::tree_hash::TreeHash;
use crate::univariate::{Subfield, powers};
use crate::witness::Witness;

/// The protocol's name and version, with which its transcript begins.
pub const DOMAIN: &str = "droste-batch 4";

/// Fewest bits that [`verify`] accepts.
pub const MIN_BITS: f64 = 100.0;

/// A proof about a list of calls, Merkle paths or a graph of calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Proof<H: TreeHash> {
    /// The commitment to the trace.
    pub root: Sent<H::Digest>,
    /// From the calls to a claim about the trace.
    pub reduction: ReductionProof,
    /// The claim.
    pub opening: Opening<H>,
}

impl<H: TreeHash> Proof<H> {
    /// Bytes of its elements: 16 for one of GF(2^128), 32 for a digest. Lengths are not counted,
    /// since the number of calls tells them.
    pub fn bytes_of_elements(&self) -> usize {
        let (elements, digests) = self.opening.size();
        16 * (self.reduction.num_elements() + elements) + 32 * (digests + 1)
    }
}

/// The transcript of a proof of the statement with this digest, before its first message.
fn transcript<H: TreeHash>(statement: &H::Digest) -> H::Transcript {
    let mut transcript = H::transcript(DOMAIN);
    statement.observe(&mut transcript);
    transcript
}

/// The elements of a statement's trace with the inputs of its calls.
pub(crate) fn elements_of(shape: &StatementShape, circuit: &Circuit, inputs: Vec<&[u8]>) -> Vec<K> {
    let padding = shape.padding();
    let mut inputs = inputs;
    inputs.resize(1 << shape.log_calls(), padding.as_slice());
    elements_of_calls(shape.hash(), circuit, &inputs)
}

/// Proves a statement, in the same bytes at any number of threads. A list of calls is its own
/// witness.
///
/// # Errors
///
/// If an output is not that of its input, the graph is empty, or there are no settings for so many
/// calls.
pub fn prove<'a, H: TreeHash>(witness: impl Into<Witness<'a>>) -> Result<Proof<H>, BinaryError> {
    let witness = witness.into();
    let digest = witness.statement().digest::<H>();
    prove_bound(witness, &digest)
}

/// As [`prove`], but the transcript begins with this digest of the caller's, which must bind the
/// whole statement: hash, number of calls, which elements are made of which outputs, every value,
/// every expected output, and the lengths of all these. What of it is not hashed must be a constant
/// of the verifier, the same in all statements of which it accepts proofs. A prover would choose
/// the rest after it knows the challenges: claims are linear in the values, so one free value of
/// 128 bits is enough for a false proof.
///
/// # Errors
///
/// As [`prove`].
#[doc(hidden)]
pub fn prove_bound<'a, H: TreeHash>(
    witness: impl Into<Witness<'a>>,
    digest: &H::Digest,
) -> Result<Proof<H>, BinaryError> {
    let witness = witness.into();
    let statement = witness.statement();
    check_not_empty(&statement)?;
    let circuit = circuit(statement.hash());
    let elements = elements_of(&statement.shape(), &circuit, witness.inputs());
    if let Statement::Calls(calls) = statement {
        check_outputs(calls, &elements)?;
    }
    prove_elements_bound(&statement, digest, &circuit, elements)
}

/// Refuses a graph without calls.
const fn check_not_empty(statement: &Statement<'_>) -> Result<(), GraphError> {
    match statement {
        Statement::Graph(graph) if graph.is_empty() => Err(GraphError::Empty(graph.hash())),
        _ => Ok(()),
    }
}

/// Refuses calls with other outputs than those of the trace.
fn check_outputs(calls: &HashCalls, elements: &[K]) -> Result<(), BinaryError> {
    let hash = calls.hash();
    let (places, log_calls) = (Places::of(hash), calls.shape().log_calls());
    let is_false = |(call, (_, output)): (usize, (_, &[u8]))| {
        let of_trace = |(row, element)| elements.get(index(log_calls, call, row, element)).copied();
        places
            .output_values(output)
            .any(|(place, value)| of_trace(place) != Some(value))
    };
    match calls.calls().enumerate().position(is_false) {
        Some(call) => Err(BinaryError::FalseCall { hash, call }),
        None => Ok(()),
    }
}

/// Proves a statement about the trace that has these elements, with a digest that binds it.
fn prove_elements_bound<H: TreeHash>(
    statement: &Statement<'_>,
    digest: &H::Digest,
    circuit: &Circuit,
    elements: Vec<K>,
) -> Result<Proof<H>, BinaryError> {
    droste_native::log_baseline_warning();
    let settings = statement.shape().settings(circuit)?;
    let subfield = Subfield::new();
    let committed = opening::commit::<H>(&settings, elements);
    let mut transcript = transcript::<H>(digest);
    let root = Sent::send(committed.root(), &mut transcript);
    let trace = Trace::new(committed.message(), circuit);
    let (reduction, weights, values, claim) =
        reduction::prove(statement, circuit, &trace, &subfield, &mut transcript);
    let opening = committed.open(&weights.table(&values), claim, &mut transcript);
    Ok(Proof {
        root,
        reduction,
        opening,
    })
}

/// Verifies a proof about the statement that the caller has. The bits of the proof are the
/// [sum](SecurityBound::sum) of all terms.
///
/// # Errors
///
/// If a part of the proof has another shape, a check fails, the bits are fewer than [`MIN_BITS`],
/// or the graph is empty.
pub fn verify<'a, H: TreeHash>(
    statement: impl Into<Statement<'a>>,
    proof: &Proof<H>,
) -> Result<SecurityBound, BinaryError> {
    let statement = statement.into();
    verify_bound(statement, &statement.digest::<H>(), proof)
}

/// As [`verify`], but the transcript begins with this digest of the caller's, which must bind the
/// whole statement as [`prove_bound`] says, the number of calls among it. The verifier does not
/// compare it with the statement: with a digest of anything else its answer says nothing.
///
/// # Errors
///
/// As [`verify`].
#[doc(hidden)]
pub fn verify_bound<'a, H: TreeHash>(
    statement: impl Into<Statement<'a>>,
    digest: &H::Digest,
    proof: &Proof<H>,
) -> Result<SecurityBound, BinaryError> {
    let statement = statement.into();
    check_not_empty(&statement)?;
    let shape = statement.shape();
    let security = shape.security()?;
    let (expected, found) = (MIN_BITS, security.sum());
    if found < expected {
        return Err(BinaryError::Bits { expected, found });
    }
    let circuit = circuit(shape.hash());
    let settings = shape.settings(&circuit)?;
    let mut transcript = transcript::<H>(digest);
    let root = proof.root.read(&mut transcript);
    let basis = powers();
    let (weights, claim) = reduction::verify(
        &proof.reduction,
        &statement,
        &circuit,
        &basis,
        &mut transcript,
    )?;
    let reduced = opening::verify(&settings, root, claim, &proof.opening, &mut transcript)?;
    if !reduced.holds(weights.evaluate(&reduced.point)) {
        return Err(BinaryError::Claim);
    }
    Ok(security)
}

/// Proves a statement about the trace that has these elements.
#[cfg(test)]
pub(crate) fn prove_elements<H: TreeHash>(
    statement: &Statement<'_>,
    circuit: &Circuit,
    elements: Vec<K>,
) -> Result<Proof<H>, BinaryError> {
    prove_elements_bound(statement, &statement.digest::<H>(), circuit, elements)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls::Hash;
    use crate::graph::HashGraph;
    use crate::paths::{self, MerklePaths};
    use crate::statement::tests::{calls, paths};
    use crate::tree_hash::{Blake3, Poseidon16};
    use crate::zerocheck::ZerocheckError;

    /// The proof of a prover that commits to the trace of these inputs, right or wrong.
    fn prove_inputs(statement: Statement<'_>, inputs: Vec<&[u8]>) -> Proof<Blake3> {
        let circuit = circuit(statement.hash());
        let elements = elements_of(&statement.shape(), &circuit, inputs);
        prove_elements(&statement, &circuit, elements).unwrap()
    }

    fn proofs_are_verified<H: TreeHash>() {
        for hash in Hash::ALL {
            for count in [1, 9] {
                let calls = calls(hash, count);
                let proof = prove::<H>(&calls).unwrap();
                let security = verify(&calls, &proof).unwrap();
                assert!(security.sum() > MIN_BITS);
            }
            for (depth, count) in [(1, 1), (5, 3), (64, 1)] {
                let (paths, siblings) = paths(hash, depth, count);
                let proof = prove::<H>(Witness::of_paths(&paths, &siblings).unwrap()).unwrap();
                assert!(verify(&paths, &proof).unwrap().sum() > MIN_BITS);
            }
        }
    }

    #[test]
    fn proofs_of_both_hashes_are_verified() {
        proofs_are_verified::<Poseidon16>();
        proofs_are_verified::<Blake3>();
    }

    /// A proof is one of the digest that its transcript begins with: the statement's own in `prove`
    /// and `verify`.
    #[test]
    fn other_digests_are_refused() {
        let calls = calls(Hash::KeccakF, 9);
        let own = Statement::from(&calls).digest::<Poseidon16>();
        let other = <Poseidon16 as TreeHash>::Digest::default();
        let of_own = prove::<Poseidon16>(&calls).unwrap();
        assert_eq!(prove_bound::<Poseidon16>(&calls, &own).unwrap(), of_own);
        let of_other = prove_bound::<Poseidon16>(&calls, &other).unwrap();
        assert!(verify_bound(&calls, &own, &of_own).is_ok());
        assert!(verify_bound(&calls, &other, &of_other).is_ok());
        let error = BinaryError::Reduction(ZerocheckError::Constraints.into());
        assert_eq!(verify(&calls, &of_other), Err(error.clone()));
        assert_eq!(verify_bound(&calls, &other, &of_own), Err(error));
        // The statement is the caller's all the same.
        let changed = self::calls(Hash::KeccakF, 10);
        assert!(verify_bound(&changed, &other, &of_other).is_err());
        let empty = HashGraph::new(Hash::KeccakF);
        let error = BinaryError::Graph(GraphError::Empty(Hash::KeccakF));
        assert_eq!(verify_bound(&empty, &own, &of_own), Err(error));
    }

    /// Statements that differ in one leaf, index or root, each with a proof of the true one, and
    /// with one of a prover that begins with the false one.
    #[test]
    fn other_paths_are_refused() {
        for hash in Hash::ALL {
            let (statement, siblings) = paths(hash, 3, 3);
            let proof = prove::<Blake3>(Witness::of_paths(&statement, &siblings).unwrap()).unwrap();
            let inputs = statement.inputs(&siblings).unwrap();
            let changes: [&dyn Fn(&mut paths::Path); 4] = [
                &|path| path.leaf[31] ^= 0x80,
                &|path| path.root[0] ^= 1,
                &|path| path.index ^= 1,
                &|path| path.index ^= 4,
            ];
            for change in changes {
                for i in 0..3 {
                    let mut list = statement.paths().to_vec();
                    change(&mut list[i]);
                    let other = MerklePaths::new(hash, 3, list).unwrap();
                    assert!(Witness::of_paths(&other, &siblings).is_err());
                    assert!(verify(&other, &proof).is_err());
                    let inputs = inputs.chunks(hash.input_bytes()).collect();
                    let proof = prove_inputs(Statement::Paths(&other), inputs);
                    assert_eq!(verify(&other, &proof), Err(BinaryError::Claim), "{hash}");
                }
            }
        }
    }

    /// A node with another child, sibling or constant than the chain has, and nodes of two paths
    /// exchanged.
    #[test]
    fn broken_chains_are_refused() {
        for hash in Hash::ALL {
            let (statement, siblings) = paths(hash, 4, 2);
            let true_inputs = statement.inputs(&siblings).unwrap();
            let length = hash.input_bytes();
            for byte in [0, 40, 70, 110] {
                let mut inputs = true_inputs.clone();
                inputs[2 * length + byte] ^= 1;
                let inputs = inputs.chunks(length).collect();
                let proof = prove_inputs(Statement::Paths(&statement), inputs);
                let verified = verify(&statement, &proof);
                assert_eq!(verified, Err(BinaryError::Claim), "{hash} {byte}");
            }
            let mut inputs: Vec<&[u8]> = true_inputs.chunks(length).collect();
            inputs.swap(3, 7);
            let proof = prove_inputs(Statement::Paths(&statement), inputs);
            assert_eq!(
                verify(&statement, &proof),
                Err(BinaryError::Claim),
                "{hash}"
            );
        }
    }

    /// From the fewest calls of a trace to four times as many as a prover computes with at a time,
    /// so that rounds over calls begin in each of their ways. The last call or path does not fill
    /// the trace.
    #[test]
    fn traces_of_every_length() {
        let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1);
        let one_thread = one_thread.build().unwrap();
        for hash in Hash::ALL {
            for log_calls in 3..=8 {
                let calls = calls(hash, (1 << log_calls) - 1);
                assert_eq!(calls.shape().log_calls(), log_calls);
                let proof = prove::<Blake3>(&calls).unwrap();
                assert!(verify(&calls, &proof).is_ok(), "{hash}, {}", calls.len());
                let again = one_thread.install(|| prove(&calls));
                assert_eq!(again, Ok(proof), "{hash}, {}", calls.len());

                let (paths, siblings) = paths(hash, 3, (1 << log_calls) / 3);
                assert_eq!(paths.shape().log_calls(), log_calls);
                let proof = prove::<Blake3>(Witness::of_paths(&paths, &siblings).unwrap()).unwrap();
                let verified = verify(&paths, &proof);
                assert!(verified.is_ok(), "{hash}, {} nodes", paths.nodes());
            }
        }
    }

    #[test]
    fn other_lists_are_refused() {
        for hash in Hash::ALL {
            let calls = calls(hash, 3);
            let proof = prove::<Blake3>(&calls).unwrap();
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
                let error = BinaryError::FalseCall { hash, call };
                assert_eq!(prove::<Blake3>(&false_calls), Err(error));
                let inputs = false_calls.calls().map(|(input, _)| input).collect();
                let proof = prove_inputs(Statement::Calls(&false_calls), inputs);
                assert_eq!(
                    verify(&false_calls, &proof),
                    Err(BinaryError::Claim),
                    "{hash}"
                );
            }
        }
    }
}
