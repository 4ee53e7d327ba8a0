//! Lists of calls of bit hashes and Merkle paths, proved and verified.

use droste_binary::file::{File, Summary, verify_file};
use droste_binary::paths::{Digest, MAX_DEPTH, MerklePaths, Path, PathsError};
use droste_binary::{Blake3, Hash, HashCalls, StatementError, Witness, prove};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arrays::bytes;
use crate::compute::compute;
use crate::error::Error;
use crate::extract::{self, Pair};
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
    if found > most {
        Err(StatementError::TooManyCalls { hash, found, most }.into())
    } else {
        Ok(())
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
///         are little-endian. At most 524,288 for `blake3`, 262,144 for
///         `blake2s` and 131,072 for `keccak-f`.
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
    #[pyo3(from_py_with = extract::text)] hash: &str,
    #[pyo3(from_py_with = extract::list)] inputs: Vec<Bound<'py, PyAny>>,
) -> PyResult<(Vec<Bound<'py, PyBytes>>, Bound<'py, PyBytes>)> {
    let hash = self::hash(hash)?;
    check_calls(hash, inputs.len())?;
    let inputs = inputs.iter().map(bytes).collect::<PyResult<Vec<_>>>()?;
    let (statement, proof) = compute(py, move || {
        let statement = HashCalls::of_inputs(hash, inputs)?;
        let proof = prove::<Blake3>(&statement)?;
        let file = File::new(&statement, proof).encode()?;
        Ok((statement, file))
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
    #[pyo3(from_py_with = extract::text)] hash: &str,
    #[pyo3(from_py_with = extract::pairs)] calls: Vec<Pair<'_>>,
    proof: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = extract::integer)] min_bits: usize,
) -> PyResult<Record<Summary>> {
    let hash = self::hash(hash)?;
    check_calls(hash, calls.len())?;
    let calls = calls.iter();
    let calls = calls.map(|(input, output)| Ok((bytes(input)?, bytes(output)?)));
    let calls = calls.collect::<PyResult<Vec<_>>>()?;
    let proof = bytes(proof)?;
    compute(py, move || {
        let statement = HashCalls::new(hash, calls)?;
        Ok(Record(verify_file::<Blake3>(&statement, &proof, min_bits)?))
    })
}

/// A leaf, an index and a root, as Python has them.
type PythonPath<'py> = (Bound<'py, PyAny>, u64, Bound<'py, PyAny>);

/// The paths of a list.
fn python_paths<'py>(object: &Bound<'py, PyAny>) -> PyResult<Vec<PythonPath<'py>>> {
    let path = |item: &Bound<'py, PyAny>| -> PyResult<PythonPath<'py>> {
        let [leaf, index, root] = extract::parts(item, "a leaf, an index and a root")?;
        Ok((leaf, extract::integer(&index)?, root))
    };
    extract::list(object)?.iter().map(path).collect()
}

/// The bytes of a digest.
fn digest(object: &Bound<'_, PyAny>) -> PyResult<Digest> {
    let bytes = bytes(object)?;
    let digest = Digest::try_from(bytes.as_ref());
    digest.map_err(|_| {
        Error::usage(format!("a digest has {} bytes, expected 32", bytes.len())).into()
    })
}

/// The statement that a list of paths is. Refuses too many before they are copied.
fn statement(hash: Hash, depth: usize, paths: &[PythonPath<'_>]) -> PyResult<MerklePaths> {
    if !(1..=MAX_DEPTH).contains(&depth) {
        return Err(Error::from(PathsError::Depth(depth)).into());
    }
    let (found, most) = (paths.len(), hash.max_calls());
    if found > most / depth {
        let paths = found;
        let error = PathsError::TooManyNodes {
            hash,
            paths,
            depth,
            most,
        };
        return Err(Error::from(error).into());
    }
    let path = |(leaf, index, root): &PythonPath<'_>| -> PyResult<Path> {
        let (leaf, root) = (digest(leaf)?, digest(root)?);
        let index = *index;
        Ok(Path { leaf, index, root })
    };
    let paths = paths.iter().map(path).collect::<PyResult<_>>()?;
    Ok(MerklePaths::new(hash, depth, paths).map_err(Error::from)?)
}

/// Proves that siblings lead from leaves to roots, as `droste hashes prove --depth` does.
///
/// Args:
///     hash: the hash of the 64 bytes of two children that is their parent: `blake3`, `blake2s` (32
///         bytes without a key), or `keccak-f`, which here is Keccak-256.
///     depth: levels between the leaves and the roots, 1 to 64.
///     paths: leaf, index and root of each path. A digest is `bytes` or any contiguous buffer of 32
///         bytes. An index is below 2^depth, and its lowest bit says whether the leaf is the right
///         child. Paths times `depth` are at most 524,288 for `blake3`, 262,144 for `blake2s` and
///         131,072 for `keccak-f`.
///     siblings: the siblings of each path, from the leaf's to the one below the root.
///
/// Returns:
///     The bytes of the proof's file. They contain neither the list of paths, which `verify_paths`
///     needs, nor the siblings, but they are not made to hide these.
///
/// Raises:
///     UsageError: There are no paths, or too many, or a digest, an index or the number of siblings
///         is out of range.
///     ProveError: Siblings do not lead to the root.
#[pyfunction]
#[pyo3(signature = (hash, depth, paths, siblings, /))]
pub fn prove_paths<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = extract::text)] hash: &str,
    #[pyo3(from_py_with = extract::integer)] depth: usize,
    #[pyo3(from_py_with = python_paths)] paths: Vec<PythonPath<'py>>,
    #[pyo3(from_py_with = extract::lists)] siblings: Vec<Vec<Bound<'py, PyAny>>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let statement = statement(self::hash(hash)?, depth, &paths)?;
    let digests = |path: &Vec<Bound<'_, PyAny>>| path.iter().map(digest).collect();
    let siblings = siblings.iter().map(digests);
    let siblings = siblings.collect::<PyResult<Vec<Vec<Digest>>>>()?;
    let proof = compute(py, move || {
        let proof = prove::<Blake3>(Witness::of_paths(&statement, &siblings)?)?;
        Ok(File::new(&statement, proof).encode()?)
    })?;
    Ok(PyBytes::new(py, &proof))
}

/// Verifies that siblings lead from leaves to roots, as `droste hashes verify --depth` does.
///
/// Args:
///     hash: as for `prove_paths`.
///     depth: as for `prove_paths`.
///     paths: leaf, index and root of each path. That there are siblings which lead from each leaf,
///         at its index, to its root is what is verified: of all of this list, in this order, and
///         of nothing else.
///     proof: the bytes of the proof's file.
///     min_bits: proven bits that the proof must have at least; below 100 it makes no difference.
///
/// Returns:
///     A dictionary of what the proof shows, as `droste hashes verify --format json` prints it.
///
/// Raises:
///     UsageError: There are no paths, or too many, or a digest or an index is out of range.
///     DecodeError: The bytes are not those of a proof.
///     VerifyError: The proof does not show that the list is right.
#[pyfunction]
#[pyo3(signature = (hash, depth, paths, proof, /, *, min_bits = 100))]
pub fn verify_paths(
    py: Python<'_>,
    #[pyo3(from_py_with = extract::text)] hash: &str,
    #[pyo3(from_py_with = extract::integer)] depth: usize,
    #[pyo3(from_py_with = python_paths)] paths: Vec<PythonPath<'_>>,
    proof: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = extract::integer)] min_bits: usize,
) -> PyResult<Record<Summary>> {
    let statement = statement(self::hash(hash)?, depth, &paths)?;
    let proof = bytes(proof)?;
    compute(py, move || {
        Ok(Record(verify_file::<Blake3>(&statement, &proof, min_bits)?))
    })
}
