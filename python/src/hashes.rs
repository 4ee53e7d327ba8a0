//! Lists of calls of bit hashes, proved and verified.

use droste_binary::{Hash, HashCalls, StatementError, Summary, encode, prove, verify_file};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arrays::bytes;
use crate::compute::compute;
use crate::error::Error;
use crate::records::Record;

/// The hash of this name.
fn hash(name: &str) -> Result<Hash, Error> {
    let known = Hash::ALL.into_iter().find(|hash| hash.name() == name);
    known.ok_or_else(|| {
        let expected = "expected blake3, blake2s or keccak-f";
        Error::usage(format!("unknown hash `{name}`, {expected}"))
    })
}

/// Refuses a list of too many calls before it is copied.
fn check_calls(hash: Hash, found: usize) -> Result<(), Error> {
    let most = hash.max_calls();
    match found > most {
        true => Err(StatementError::TooManyCalls { hash, found, most }.into()),
        false => Ok(()),
    }
}

/// Computes the outputs of calls, and proves that they are right, as `droste hashes prove` does.
///
/// Args:
///     hash: `blake3` or `blake2s`, their compression functions, or `keccak-f`, the permutation of
///         1600 bits.
///     inputs: the inputs, each `bytes` or any contiguous buffer of bytes: 112 bytes for `blake3`
///         (chaining value 32, block 64, counter 8, length 4, flags 4) and `blake2s` (state 32,
///         block 64, offset 8, words for v[14] and v[15] 4 each), 200 for `keccak-f`; all numbers
///         are little-endian. At most 131,072, for `keccak-f` 32,768.
///
/// Returns:
///     The outputs, in the order of the inputs, and the bytes of the proof's file. They do not
///     contain the list of calls, which `verify` needs.
///
/// Raises:
///     UsageError: There are no inputs, or too many, or one has another length.
#[pyfunction]
#[pyo3(signature = (hash, inputs, /))]
pub fn prove_hashes<'py>(
    py: Python<'py>,
    hash: &str,
    inputs: Vec<Bound<'py, PyAny>>,
) -> PyResult<(Vec<Bound<'py, PyBytes>>, Bound<'py, PyBytes>)> {
    let hash = self::hash(hash)?;
    check_calls(hash, inputs.len())?;
    let inputs = inputs.iter().map(bytes).collect::<PyResult<Vec<_>>>()?;
    let (statement, proof) = compute(py, move || {
        let statement = HashCalls::of_inputs(hash, inputs)?;
        let proof = encode(&prove(&statement)?)?;
        Ok((statement, proof))
    })?;
    let outputs = statement
        .calls()
        .map(|(_, output)| PyBytes::new(py, output));
    Ok((outputs.collect(), PyBytes::new(py, &proof)))
}

/// Verifies that the outputs of calls are those of their inputs, as `droste hashes verify` does.
///
/// Args:
///     hash: as for `prove`.
///     calls: pairs of input and output. That this list is right is what is verified: all of it, in
///         this order, and nothing else.
///     proof: the bytes of the proof's file.
///     min_bits: proven bits that the proof must have at least; below 100 it makes no difference.
///
/// Returns:
///     A dictionary of what the proof shows, as `droste hashes verify --format json` prints it.
///
/// Raises:
///     UsageError: There are no calls, or too many, or one has another length.
///     DecodeError: The bytes are not those of a proof.
///     VerifyError: The proof does not show that the list is right.
#[pyfunction]
#[pyo3(signature = (hash, calls, proof, /, *, min_bits = 100))]
pub fn verify_hashes(
    py: Python<'_>,
    hash: &str,
    calls: Vec<(Bound<'_, PyAny>, Bound<'_, PyAny>)>,
    proof: &Bound<'_, PyAny>,
    min_bits: usize,
) -> PyResult<Record<Summary>> {
    let hash = self::hash(hash)?;
    check_calls(hash, calls.len())?;
    let calls = calls.iter();
    let calls = calls.map(|(input, output)| Ok((bytes(input)?, bytes(output)?)));
    let calls = calls.collect::<PyResult<Vec<_>>>()?;
    let proof = bytes(proof)?;
    compute(py, move || {
        let statement = HashCalls::new(hash, calls)?;
        Ok(Record(verify_file(&statement, &proof, min_bits)?))
    })
}
