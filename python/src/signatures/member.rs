//! That a key is in a batch.

use droste_verifier::summary::integers;
use droste_verifier::xmss;
use pyo3::prelude::*;

use super::to_json;
use crate::arrays::element_array;
use crate::error::Error;
use crate::extract;
use crate::files;
use crate::records::Reduced;

/// That a key signed a message in a slot, for who knows the statement of the batch's proof. Nothing
/// of it is known before `verify`.
#[pyclass(frozen, eq, module = "droste.signatures")]
#[derive(PartialEq)]
pub struct SignatureBatchMember(pub xmss::SignatureBatchMember);

#[pymethods]
impl SignatureBatchMember {
    /// Reads a membership from JSON. Nothing is verified.
    ///
    /// Raises:
    ///     DecodeError: The text is no membership; the error says where.
    #[staticmethod]
    #[pyo3(signature = (text, /))]
    fn from_json(#[pyo3(from_py_with = extract::text)] text: &str) -> PyResult<Self> {
        Ok(Self(files::json(text)?))
    }

    /// Returns the membership as JSON.
    fn to_json(&self) -> PyResult<String> {
        Ok(to_json(&self.0)?)
    }

    /// The public key: 32 bytes.
    #[getter]
    fn public_key(&self) -> Vec<u8> {
        self.0.key.to_bytes()
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

    /// Index of the key in the batch, from 0.
    #[getter]
    const fn index(&self) -> u32 {
        self.0.index
    }

    /// Number of signatures of the batch.
    #[getter]
    const fn signatures(&self) -> u32 {
        self.0.signatures
    }

    /// Verifies that the proof of a batch with this statement says that the key signed.
    ///
    /// The statement must be that of a leaf of an aggregate that was verified, and its key that of
    /// the program for `2^log_keys` keys, from `SignatureBatchProver.key` or `SignatureClaims.key`.
    ///
    /// Args:
    ///     log_keys: logarithm of the largest number of signatures that the program takes.
    ///     statement: eight field elements.
    ///
    /// Raises:
    ///     VerifyError: It is refused.
    #[pyo3(signature = (log_keys, statement))]
    fn verify(
        &self,
        #[pyo3(from_py_with = extract::integer)] log_keys: u32,
        statement: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let statement = element_array(statement)?;
        Ok(self.0.verify(log_keys, &statement).map_err(Error::from)?)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (String,)> {
        let restore = py.get_type::<Self>().getattr("from_json")?;
        Ok((restore, (self.to_json()?,)))
    }

    fn __repr__(&self) -> String {
        let (index, slot) = (self.0.index, self.0.slot);
        format!("<droste.signatures.SignatureBatchMember: key {index} in slot {slot}>")
    }
}
