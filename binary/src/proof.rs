//! Proofs about lists of calls.

#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

use droste_native::stark::challenger::{Observe, Sent};
use serde::{Deserialize, Serialize};

use crate::calls::{Hash, HashCalls};
use crate::circuit::Circuit;
use crate::columns::LOG_COLUMNS;
use crate::field::K;
use crate::graph::{GraphError, HashGraph, HiddenError};
use crate::opening::{
    self, COLUMNS, Opening, OpeningError, Security, Settings, SettingsError, Term,
};
use crate::paths::{self, MerklePaths, SiblingsError};
use crate::reduction::{self, ReductionError, ReductionProof};
use crate::statement::{Places, PublicClaims, Statement};
use crate::trace::{LOG_ELEMENTS, Trace, circuit, elements_of_calls, index};
use crate::tree_hash::{CHALLENGE_LOSS, TreeHash};
use crate::univariate::{Subfield, powers};
use crate::zerocheck::log_constraints;

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

/// Why a proof is refused, or there is none.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ProofError {
    /// A call's output is not that of its input.
    #[error("call {call} of {hash} has another output than the hash gives for its input")]
    FalseCall {
        /// Hash of the call.
        hash: Hash,
        /// Index of the call.
        call: usize,
    },
    /// Siblings that are none of the paths.
    #[error(transparent)]
    Siblings(#[from] SiblingsError),
    /// A graph without calls.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// Values that are not those of a graph's hidden elements.
    #[error(transparent)]
    Hidden(#[from] HiddenError),
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

/// Settings of the commitment to the trace of a statement, with its hash's circuit.
///
/// # Errors
///
/// If there are none for so many calls.
pub fn settings(statement: &Statement<'_>, circuit: &Circuit) -> Result<Settings, SettingsError> {
    let variables = statement.log_calls() + circuit.log_rows + LOG_ELEMENTS;
    // A column is a value of the highest variables, and so rows of a call, or a part of one.
    let columns = (circuit.used_rows * COLUMNS).div_ceil(1 << circuit.log_rows);
    Settings::with_columns(variables, columns)
}

/// The transcript of a proof of the statement with this digest, before its first message.
fn transcript<H: TreeHash>(statement: &H::Digest) -> H::Transcript {
    let mut transcript = H::transcript(DOMAIN);
    statement.observe(&mut transcript);
    transcript
}

/// The elements of a statement's trace with the inputs of its calls.
pub(crate) fn elements_of(
    statement: &Statement<'_>,
    circuit: &Circuit,
    inputs: Vec<&[u8]>,
) -> Vec<K> {
    let padding = statement.padding();
    let mut inputs = inputs;
    inputs.resize(1 << statement.log_calls(), padding.as_slice());
    elements_of_calls(statement.hash(), circuit, &inputs)
}

/// Proves a list of calls, in the same bytes at any number of threads.
///
/// # Errors
///
/// If an output is not that of its input, or there are no settings for so many calls.
pub fn prove<H: TreeHash>(calls: &HashCalls) -> Result<Proof<H>, ProofError> {
    let (statement, hash) = (Statement::Calls(calls), calls.hash());
    let circuit = circuit(hash);
    let inputs = calls.calls().map(|(input, _)| input).collect();
    let elements = elements_of(&statement, &circuit, inputs);
    let (places, log_calls) = (Places::of(hash), statement.log_calls());
    let is_false = |(call, (_, output)): (usize, (_, &[u8]))| {
        let of_trace = |(row, element)| elements.get(index(log_calls, call, row, element)).copied();
        places
            .output_values(output)
            .any(|(place, value)| of_trace(place) != Some(value))
    };
    if let Some(call) = calls.calls().enumerate().position(is_false) {
        return Err(ProofError::FalseCall { hash, call });
    }
    prove_elements(&statement, &circuit, elements)
}

/// Proves Merkle paths, given the siblings of each from its leaf to its root.
///
/// # Errors
///
/// If the siblings do not lead to the roots, or there are no settings for so many nodes.
pub fn prove_paths<H: TreeHash>(
    paths: &MerklePaths,
    siblings: &[impl AsRef<[paths::Digest]>],
) -> Result<Proof<H>, ProofError> {
    let inputs = paths.inputs(siblings)?;
    let inputs = inputs.chunks(paths.hash().input_bytes()).collect();
    prove_statement(&Statement::Paths(paths), inputs)
}

/// Proves a graph, given the values of its hidden elements in order.
///
/// # Errors
///
/// If the graph is empty, the hidden elements do not lead to the outputs that are expected, or
/// there are no settings for so many calls.
pub fn prove_graph<H: TreeHash>(
    graph: &HashGraph,
    hidden: &[[u8; 16]],
) -> Result<Proof<H>, ProofError> {
    let statement = graph_statement(graph)?;
    let inputs = graph.inputs(hidden)?;
    let inputs = inputs.chunks(graph.hash().input_bytes()).collect();
    prove_statement(&statement, inputs)
}

/// The statement of a graph that is not empty.
const fn graph_statement(graph: &HashGraph) -> Result<Statement<'_>, GraphError> {
    match graph.is_empty() {
        true => Err(GraphError::Empty(graph.hash())),
        false => Ok(Statement::Graph(graph)),
    }
}

fn prove_statement<H: TreeHash>(
    statement: &Statement<'_>,
    inputs: Vec<&[u8]>,
) -> Result<Proof<H>, ProofError> {
    let circuit = circuit(statement.hash());
    let elements = elements_of(statement, &circuit, inputs);
    prove_elements(statement, &circuit, elements)
}

/// Proves a statement about the trace that has these elements.
pub(crate) fn prove_elements<H: TreeHash>(
    statement: &Statement<'_>,
    circuit: &Circuit,
    elements: Vec<K>,
) -> Result<Proof<H>, ProofError> {
    let settings = settings(statement, circuit)?;
    let subfield = Subfield::new();
    let committed = opening::commit::<H>(&settings, elements);
    let mut transcript = transcript::<H>(&statement.digest::<H>());
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

/// Verifies a proof about the list that the caller has.
///
/// # Errors
///
/// If a part of the proof has another shape, a check fails, or the bits are fewer than
/// [`MIN_BITS`].
pub fn verify<H: TreeHash>(calls: &HashCalls, proof: &Proof<H>) -> Result<Security, ProofError> {
    let statement = Statement::Calls(calls);
    verify_statement(&statement, &statement.digest::<H>(), proof)
}

/// Verifies a proof about the paths that the caller has.
///
/// # Errors
///
/// As [`verify`].
pub fn verify_paths<H: TreeHash>(
    paths: &MerklePaths,
    proof: &Proof<H>,
) -> Result<Security, ProofError> {
    let statement = Statement::Paths(paths);
    verify_statement(&statement, &statement.digest::<H>(), proof)
}

/// Verifies a proof about the graph that the caller has.
///
/// # Errors
///
/// As [`verify`], and if the graph is empty.
pub fn verify_graph<H: TreeHash>(
    graph: &HashGraph,
    proof: &Proof<H>,
) -> Result<Security, ProofError> {
    let statement = graph_statement(graph)?;
    verify_statement(&statement, &statement.digest::<H>(), proof)
}

/// Verifies, given the statement's digest.
pub(crate) fn verify_statement<H: TreeHash>(
    statement: &Statement<'_>,
    digest: &H::Digest,
    proof: &Proof<H>,
) -> Result<Security, ProofError> {
    let security = security(statement)?;
    if security.bits() < MIN_BITS {
        return Err(ProofError::Bits(security.bits()));
    }
    let circuit = circuit(statement.hash());
    let settings = settings(statement, &circuit)?;
    let mut transcript = transcript::<H>(digest);
    let root = proof.root.read(&mut transcript);
    let basis = powers();
    let (weights, claim) = reduction::verify(
        &proof.reduction,
        statement,
        &circuit,
        &basis,
        &mut transcript,
    )?;
    let reduced = opening::verify(&settings, root, claim, &proof.opening, &mut transcript)?;
    if !reduced.holds(weights.evaluate(&reduced.point)) {
        return Err(ProofError::Claim);
    }
    Ok(security)
}

/// All that can go wrong in a proof about the list, event by event: docs/notes/binary-protocol.md
/// derives the terms.
///
/// # Errors
///
/// If there are no settings for so many calls.
pub fn security(statement: &Statement<'_>) -> Result<Security, SettingsError> {
    let circuit = circuit(statement.hash());
    let log_calls = statement.log_calls();
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
        // Variables of elements and calls, and powers for the claims.
        (
            "inputs and outputs",
            LOG_ELEMENTS + log_calls + PublicClaims::number(statement, &circuit),
        ),
    ];
    let mut security = settings(statement, &circuit)?.security();
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
    use crate::statement::tests::{calls, paths};
    use crate::tree_hash::{Blake3, Poseidon16};

    fn proofs_are_verified<H: TreeHash>() {
        for hash in Hash::ALL {
            for count in [1, 9] {
                let calls = calls(hash, count);
                let proof = prove::<H>(&calls).unwrap();
                let security = verify(&calls, &proof).unwrap();
                assert!(security.bits() > MIN_BITS);
            }
            for (depth, count) in [(1, 1), (5, 3), (64, 1)] {
                let (paths, siblings) = paths(hash, depth, count);
                let proof = prove_paths::<H>(&paths, &siblings).unwrap();
                assert!(verify_paths(&paths, &proof).unwrap().bits() > MIN_BITS);
            }
        }
    }

    #[test]
    fn proofs_of_both_hashes_are_verified() {
        proofs_are_verified::<Poseidon16>();
        proofs_are_verified::<Blake3>();
    }

    /// Statements that differ in one leaf, index or root, each with a proof of the true one, and
    /// with one of a prover that begins with the false one.
    #[test]
    fn other_paths_are_refused() {
        for hash in Hash::ALL {
            let (statement, siblings) = paths(hash, 3, 3);
            let proof = prove_paths::<Blake3>(&statement, &siblings).unwrap();
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
                    assert!(prove_paths::<Blake3>(&other, &siblings).is_err());
                    assert!(verify_paths(&other, &proof).is_err());
                    let inputs = inputs.chunks(hash.input_bytes()).collect();
                    let proof =
                        prove_statement::<Blake3>(&Statement::Paths(&other), inputs).unwrap();
                    assert_eq!(
                        verify_paths(&other, &proof),
                        Err(ProofError::Claim),
                        "{hash}"
                    );
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
                let proof =
                    prove_statement::<Blake3>(&Statement::Paths(&statement), inputs).unwrap();
                let verified = verify_paths(&statement, &proof);
                assert_eq!(verified, Err(ProofError::Claim), "{hash} {byte}");
            }
            let mut inputs: Vec<&[u8]> = true_inputs.chunks(length).collect();
            inputs.swap(3, 7);
            let proof = prove_statement::<Blake3>(&Statement::Paths(&statement), inputs).unwrap();
            assert_eq!(
                verify_paths(&statement, &proof),
                Err(ProofError::Claim),
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
                assert_eq!(Statement::Calls(&calls).log_calls(), log_calls);
                let proof = prove::<Blake3>(&calls).unwrap();
                assert!(verify(&calls, &proof).is_ok(), "{hash}, {}", calls.len());
                let again = one_thread.install(|| prove(&calls));
                assert_eq!(again, Ok(proof), "{hash}, {}", calls.len());

                let (paths, siblings) = paths(hash, 3, (1 << log_calls) / 3);
                assert_eq!(Statement::Paths(&paths).log_calls(), log_calls);
                let proof = prove_paths::<Blake3>(&paths, &siblings).unwrap();
                let verified = verify_paths(&paths, &proof);
                assert!(verified.is_ok(), "{hash}, {} nodes", paths.nodes());
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
            for log_calls in 3..=hash.max_calls().ilog2() {
                let calls = HashCalls::new(hash, vec![call; 1 << log_calls]).unwrap();
                let statement = Statement::Calls(&calls);
                assert!(
                    security(&statement).unwrap().bits() >= MIN_BITS,
                    "{hash}, 2^{log_calls}"
                );
                let settings = settings(&statement, &circuit(hash)).unwrap();
                let most = settings.num_variables() == 26;
                assert_eq!(most, calls.len() == hash.max_calls());
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
                let error = ProofError::FalseCall { hash, call };
                assert_eq!(prove::<Blake3>(&false_calls), Err(error));
                let statement = Statement::Calls(&false_calls);
                let inputs = false_calls.calls().map(|(input, _)| input).collect();
                let proof = prove_statement::<Blake3>(&statement, inputs).unwrap();
                assert_eq!(
                    verify(&false_calls, &proof),
                    Err(ProofError::Claim),
                    "{hash}"
                );
            }
        }
    }
}
