//! Digests of bytes and of field elements.

use droste_native::hash::blake3::Blake3 as NativeBlake3;
use droste_native::hash::commitment::commitment as native_commitment;
use droste_native::hash::keccak::Keccak256 as NativeKeccak256;
use droste_native::hash::poseidon2;
use droste_native::hash::poseidon16::{Poseidon16 as NativePoseidon16, WIDTH};
use droste_native::{DIGEST, F, HashId, precompile};
use droste_verifier::summary::integers;
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::arguments::parse;
use crate::arrays::{
    array, byte_rows, bytes, element_array, element_list, element_result, elements,
};
use crate::compute::{compute, compute_briefly};
use crate::error::Error;
use crate::extract::{self, expected};

/// Longest input, in bytes, that is hashed on the calling thread: 40 ms in the slowest hash.
const BRIEF: usize = 1 << 20;

fn digest_of(hash: HashId, message: &[u8]) -> [u8; 32] {
    match hash {
        HashId::Poseidon16 => NativePoseidon16.hash_bytes(message),
        HashId::Poseidon2 => poseidon2::hash_bytes(message),
        HashId::Blake3 => NativeBlake3.hash(message),
        HashId::Keccak => NativeKeccak256.hash(message),
    }
}

fn hash_one(id: HashId, message: &Bound<'_, PyAny>) -> PyResult<[u8; 32]> {
    let py = message.py();
    let message = bytes(message)?;
    if message.len() <= BRIEF {
        compute_briefly(py, || Ok(digest_of(id, &message)))
    } else {
        compute(py, move || Ok(digest_of(id, &message)))
    }
}

fn hash_rows<'py>(id: HashId, messages: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = messages.py();
    let (count, length, messages) = byte_rows(messages)?;
    let work = move || {
        // Rows of no bytes have no chunks.
        let digests: Vec<[u8; 32]> = match length {
            0 => vec![digest_of(id, &[]); count],
            _ => messages
                .par_chunks_exact(length)
                .map(|message| digest_of(id, message))
                .collect(),
        };
        Ok(digests.concat())
    };
    let digests = compute(py, work)?;
    array(py, &digests, "uint8", &[count, 32])
}

/// Returns the digest of a message, as `droste hash` prints it.
///
/// Args:
///     hash: `poseidon16`, `poseidon2`, `blake3` (BLAKE3) or `keccak` (Keccak-256, as in Ethereum).
///     message: `bytes`, or any contiguous buffer of bytes such as an array of `uint8`.
///
/// Returns:
///     32 bytes.
#[pyfunction]
#[pyo3(signature = (hash, message, /))]
pub fn hash(
    #[pyo3(from_py_with = extract::text)] hash: &str,
    message: &Bound<'_, PyAny>,
) -> PyResult<[u8; 32]> {
    hash_one(parse(hash)?, message)
}

/// Returns the commitment to field elements, as a program's `commit` makes it. It binds their
/// number, too. It hides nothing: whoever guesses the elements can check the guess.
///
/// Args:
///     elements: field elements of one dimension.
///
/// Returns:
///     A list of 8 integers, as in the statement of a proof.
#[pyfunction]
#[pyo3(signature = (elements, /))]
pub fn commitment(elements: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
    let py = elements.py();
    let elements = element_list(elements)?;
    compute(py, move || Ok(integers(&native_commitment(&elements))))
}

/// Returns the elements that a program has for a digest of Keccak-256 or BLAKE3.
///
/// Args:
///     digest: 32 bytes.
///
/// Returns:
///     A list of 16 integers, each of two bytes, little-endian.
#[pyfunction]
#[pyo3(signature = (digest, /))]
pub fn digest_to_limbs(digest: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
    let limbs = precompile::digest_to_limbs(digest_bytes(digest)?);
    Ok(integers(limbs.as_flattened()))
}

/// BLAKE3 with 32 bytes of output.
#[pyclass(frozen, module = "droste")]
pub struct Blake3;

/// Keccak-256 with padding 0x01, as in Ethereum.
#[pyclass(frozen, module = "droste")]
pub struct Keccak256;

/// Implements the functions that hashes of bytes have.
macro_rules! byte_hash {
    ($class:ident, $native:ident, $id:expr) => {
        #[pymethods]
        impl $class {
            /// Returns the digest of a message, 32 bytes.
            ///
            /// Args:
            ///     message: `bytes`, or any contiguous buffer of bytes.
            #[staticmethod]
            #[pyo3(signature = (message, /))]
            fn hash(message: &Bound<'_, PyAny>) -> PyResult<[u8; 32]> {
                hash_one($id, message)
            }

            /// Returns the digest of each row, in parallel.
            ///
            /// Args:
            ///     messages: a contiguous array of `uint8` of shape (n, length).
            ///
            /// Returns:
            ///     An array of `uint8` of shape (n, 32).
            #[staticmethod]
            #[pyo3(signature = (messages, /))]
            fn hash_many<'py>(messages: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
                hash_rows($id, messages)
            }

            /// Returns the parent of two digests in a Merkle tree: the digest of their 64 bytes.
            #[staticmethod]
            #[pyo3(signature = (left, right, /))]
            fn parent(left: &Bound<'_, PyAny>, right: &Bound<'_, PyAny>) -> PyResult<[u8; 32]> {
                Ok($native.parent(&digest_bytes(left)?, &digest_bytes(right)?))
            }
        }
    };
}

byte_hash!(Blake3, NativeBlake3, HashId::Blake3);
byte_hash!(Keccak256, NativeKeccak256, HashId::Keccak);

/// A digest of 32 bytes that Python gave.
fn digest_bytes(object: &Bound<'_, PyAny>) -> PyResult<[u8; 32]> {
    let found = bytes(object)?;
    let digest: Result<[u8; 32], _> = found.as_ref().try_into();
    digest.map_err(|_| {
        let found = found.len();
        Error::usage(format!("a digest of {found} bytes, expected 32")).into()
    })
}

/// Poseidon over KoalaBear at width 16: its permutation and the hashes built on it.
///
/// Field elements are arrays of `uint32`, or sequences of integers, below 2^31 - 2^24 + 1.
#[pyclass(frozen, module = "droste")]
pub struct Poseidon16;

#[pymethods]
impl Poseidon16 {
    /// Returns the digest of bytes as 32 bytes, as `droste hash poseidon16` prints it.
    ///
    /// Args:
    ///     message: `bytes`, or any contiguous buffer of bytes.
    #[staticmethod]
    #[pyo3(signature = (message, /))]
    fn hash_bytes(message: &Bound<'_, PyAny>) -> PyResult<[u8; 32]> {
        hash_one(HashId::Poseidon16, message)
    }

    /// Returns the digest of each row of bytes, in parallel.
    ///
    /// Args:
    ///     messages: a contiguous array of `uint8` of shape (n, length).
    ///
    /// Returns:
    ///     An array of `uint8` of shape (n, 32).
    #[staticmethod]
    #[pyo3(signature = (messages, /))]
    fn hash_bytes_many<'py>(messages: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        hash_rows(HashId::Poseidon16, messages)
    }

    /// Returns the hash of field elements, which binds the tag and their number.
    ///
    /// Args:
    ///     tag: a field element that separates uses.
    ///     elements: field elements of one dimension.
    ///
    /// Returns:
    ///     An array of 8 field elements.
    #[staticmethod]
    #[pyo3(signature = (tag, elements, /))]
    fn hash<'py>(
        #[pyo3(from_py_with = extract::element)] tag: F,
        elements: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = elements.py();
        let elements = element_list(elements)?;
        let digest = compute(py, move || Ok(NativePoseidon16.hash(tag, &elements)))?;
        element_result(py, &digest, &[DIGEST])
    }

    /// The permutation, of one state or of many in parallel.
    ///
    /// Args:
    ///     state: field elements of shape (16,) or (n, 16).
    ///
    /// Returns:
    ///     An array of the same shape.
    #[staticmethod]
    #[pyo3(signature = (state, /))]
    fn permute<'py>(state: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = state.py();
        let (shape, mut elements) = elements(state)?;
        if !matches!(*shape, [WIDTH] | [_, WIDTH]) {
            let what = "field elements of shape (16,) or (n, 16)";
            return Err(expected(state, what));
        }
        let elements = compute(py, move || {
            let states = elements.as_chunks_mut::<WIDTH>().0;
            states
                .par_iter_mut()
                .for_each(|state| *state = NativePoseidon16.permute(*state));
            Ok(elements)
        })?;
        element_result(py, &elements, &shape)
    }

    /// The compression function: the first 8 elements of the permuted state plus the state.
    ///
    /// Args:
    ///     input: 16 field elements.
    ///
    /// Returns:
    ///     An array of 8 field elements.
    #[staticmethod]
    #[pyo3(signature = (input, /))]
    fn compress<'py>(input: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let output = NativePoseidon16.compress(element_array(input)?);
        element_result(input.py(), &output, &[DIGEST])
    }

    /// Returns the parent of two digests of 8 field elements in a Merkle tree.
    #[staticmethod]
    #[pyo3(signature = (left, right, /))]
    fn compress_pair<'py>(
        left: &Bound<'py, PyAny>,
        right: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let output = NativePoseidon16.compress_pair(element_array(left)?, element_array(right)?);
        element_result(left.py(), &output, &[DIGEST])
    }
}
