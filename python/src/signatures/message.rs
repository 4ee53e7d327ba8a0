//! Messages with their signatures.

use std::path::PathBuf;

use droste_native::hash_signature::{Claim, Signature, SignedMessage as Signed, Xmss};
use droste_verifier::summary::{SignaturesSummary, integers};
use pyo3::prelude::*;

use super::{message, public_key, to_json};
use crate::arrays::bytes;
use crate::compute::compute;
use crate::error::Error;
use crate::extract;
use crate::files;
use crate::records::{Record, Reduced};

/// A message that a key signed in a slot. The signature is not verified.
#[pyclass(frozen, eq, skip_from_py_object, module = "droste.signatures")]
#[derive(Clone, PartialEq)]
pub struct SignedMessage(pub Signed);

/// Public key, slot, message, signature.
type Parts = (Vec<u8>, u32, Vec<u32>, Vec<u8>);

#[pymethods]
impl SignedMessage {
    /// A signed message of its parts.
    ///
    /// Args:
    ///     public_key: 32 bytes, as `StoredKey.public_key` has them.
    ///     slot: the slot.
    ///     message: eight field elements.
    ///     signature: 1,208 bytes: the randomness, the values of the chains, then the path, each
    ///         element as 4 little-endian bytes.
    ///
    /// Raises:
    ///     DecodeError: There are more or fewer bytes, or an element is not canonical.
    #[new]
    #[pyo3(signature = (public_key, slot, message, signature))]
    fn new(
        public_key: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = extract::integer)] slot: u32,
        message: &Bound<'_, PyAny>,
        signature: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let signature = Signature::from_bytes(&Xmss::DEFAULT, &bytes(signature)?);
        Ok(Self(Signed {
            public_key: self::public_key(public_key)?,
            slot,
            message: self::message(message)?,
            signature: signature.map_err(Error::from)?,
        }))
    }

    /// The public key: 32 bytes.
    #[getter]
    fn public_key(&self) -> Vec<u8> {
        self.0.public_key.to_bytes()
    }

    /// The slot.
    #[getter]
    const fn slot(&self) -> u32 {
        self.0.slot
    }

    /// The message: eight field elements.
    #[getter]
    fn message(&self) -> Vec<u32> {
        integers(&self.0.message)
    }

    /// The signature: 1,208 bytes.
    #[getter]
    fn signature(&self) -> Vec<u8> {
        self.0.signature.to_bytes()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, Parts> {
        let (key, signature) = (self.public_key(), self.signature());
        let parts = (key, self.slot(), self.message(), signature);
        Ok((py.get_type::<Self>().into_any(), parts))
    }

    fn __repr__(&self) -> String {
        format!("<droste.signatures.SignedMessage in slot {}>", self.0.slot)
    }
}

/// What was given, as values that no other thread changes.
pub fn given(signed: &[Bound<'_, SignedMessage>]) -> Vec<Signed> {
    signed.iter().map(|signed| signed.get().0.clone()).collect()
}

/// Reads a file with a list of signed messages in JSON. Nothing is verified.
///
/// Args:
///     path: the file: a list of entries with the fields `slot`, `message`, `root`, `public_param`,
///         `randomness`, `chain_tips` and `path`; `encoding` may be there.
///
/// Raises:
///     FileError: The file cannot be read.
///     DecodeError: It is no such list; the error says where.
#[pyfunction]
#[pyo3(signature = (path, /))]
pub fn read_signatures(
    py: Python<'_>,
    #[pyo3(from_py_with = extract::path)] path: PathBuf,
) -> PyResult<Vec<SignedMessage>> {
    let signed: Vec<Signed> = compute(py, move || files::read_json(&path))?;
    Ok(signed.into_iter().map(SignedMessage).collect())
}

/// Reads a list of signed messages from JSON. Nothing is verified.
///
/// Raises:
///     DecodeError: The text is no such list; the error says where.
#[pyfunction]
#[pyo3(signature = (text, /))]
pub fn signatures_from_json(
    py: Python<'_>,
    #[pyo3(from_py_with = extract::owned_text)] text: String,
) -> PyResult<Vec<SignedMessage>> {
    let signed: Vec<Signed> = compute(py, move || files::json(&text))?;
    Ok(signed.into_iter().map(SignedMessage).collect())
}

/// Returns a list of signed messages as JSON, with the bytes that `droste xmss sign` writes.
#[pyfunction]
#[pyo3(signature = (signed, /))]
pub fn signatures_to_json(
    py: Python<'_>,
    #[pyo3(from_py_with = extract::instances)] signed: Vec<Bound<'_, SignedMessage>>,
) -> PyResult<String> {
    let signed = given(&signed);
    compute(py, move || to_json(&signed))
}

/// Verifies signatures, on all processors.
///
/// Returns:
///     A dictionary of the number of signatures and a list of those that are not valid, each with
///     its index and the reason, as `droste xmss verify --format json` prints it.
///
/// Raises:
///     UsageError: There are no signatures.
#[pyfunction]
#[pyo3(signature = (signed, /))]
pub fn verify_signatures(
    py: Python<'_>,
    #[pyo3(from_py_with = extract::instances)] signed: Vec<Bound<'_, SignedMessage>>,
) -> PyResult<Record<SignaturesSummary>> {
    if signed.is_empty() {
        return Err(Error::usage("the list has no signatures").into());
    }
    let signed = given(&signed);
    compute(py, move || {
        let claims: Vec<Claim<'_>> = signed.iter().map(Signed::claim).collect();
        let results = Xmss::DEFAULT.verify_batch(&claims);
        Ok(Record(SignaturesSummary::new(&results)))
    })
}
