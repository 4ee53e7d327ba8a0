//! Registries of keys, and batches of signatures by keys of one.

use std::path::PathBuf;
use std::sync::Arc;

use droste_native::hash_signature::{PublicKey, Xmss};
use droste_verifier::xmss;
use droste_vm::key::KeyDigest;
use pyo3::prelude::*;

use super::message::given;
use super::{SignedMessage, public_key, to_json};
use crate::compute::compute;
use crate::error::Error;
use crate::extract;
use crate::files;
use crate::records::Reduced;

/// Different public keys, in an order: those that count. Signers are named by their places in it.
#[pyclass(frozen, eq, module = "droste.signatures")]
#[derive(PartialEq)]
pub struct Registry(pub Arc<xmss::Registry>);

#[pymethods]
impl Registry {
    /// The registry of keys.
    ///
    /// Args:
    ///     keys: 1 to 2,048 public keys of 32 bytes each, as `StoredKey.public_key` has them.
    ///
    /// Raises:
    ///     UsageError: There are none or too many, or one is there twice or has only zeros.
    ///     DecodeError: There are more or fewer bytes, or an element is not canonical.
    #[new]
    #[pyo3(signature = (keys, /))]
    fn new(#[pyo3(from_py_with = extract::list)] keys: Vec<Bound<'_, PyAny>>) -> PyResult<Self> {
        let keys = keys.iter().map(public_key).collect::<PyResult<_>>()?;
        let registry = xmss::Registry::new(keys).map_err(Error::from)?;
        Ok(Self(Arc::new(registry)))
    }

    /// Reads a registry from JSON: a list of keys, each with the fields `root` and `public_param`.
    ///
    /// Raises:
    ///     DecodeError: The text is no registry; the error says where.
    #[staticmethod]
    #[pyo3(signature = (text, /))]
    fn from_json(#[pyo3(from_py_with = extract::text)] text: &str) -> PyResult<Self> {
        Ok(Self(Arc::new(files::json(text)?)))
    }

    /// Reads a registry from a JSON file.
    ///
    /// Raises:
    ///     FileError: The file cannot be read.
    ///     DecodeError: It is no registry; the error says where.
    #[staticmethod]
    #[pyo3(signature = (path, /))]
    fn from_file(
        py: Python<'_>,
        #[pyo3(from_py_with = extract::path)] path: PathBuf,
    ) -> PyResult<Self> {
        compute(py, move || Ok(Self(Arc::new(files::read_json(&path)?))))
    }

    /// Returns the registry as JSON.
    fn to_json(&self) -> PyResult<String> {
        Ok(to_json(&*self.0)?)
    }

    /// The keys: 32 bytes each.
    #[getter]
    fn keys(&self) -> Vec<Vec<u8>> {
        self.0.keys().iter().map(PublicKey::to_bytes).collect()
    }

    /// Root of the Merkle tree over the keys, by which proofs name the registry.
    #[getter]
    fn root(&self) -> String {
        KeyDigest(self.0.root()).to_string()
    }

    fn __len__(&self) -> usize {
        self.0.keys().len()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (String,)> {
        let restore = py.get_type::<Self>().getattr("from_json")?;
        Ok((restore, (self.to_json()?,)))
    }

    fn __repr__(&self) -> String {
        format!(
            "<droste.signatures.Registry of {} keys>",
            self.0.keys().len()
        )
    }
}

/// Signatures of one message in one slot by keys of a registry, one of each key, which one proof
/// shows to be valid. None is verified before it is proved.
#[pyclass(frozen, eq, skip_from_py_object, module = "droste.signatures")]
#[derive(Clone, PartialEq)]
pub struct SignatureBatch(pub Arc<xmss::SignatureBatch>);

#[pymethods]
impl SignatureBatch {
    /// One batch of all signatures. Of several by one key, the first valid one is taken.
    ///
    /// Args:
    ///     registry: the keys that count.
    ///     signed: signed messages, at least one, all of one message in one slot.
    ///
    /// Raises:
    ///     UsageError: A key is not in the registry, a signature is of something else, or there are
    ///         more than 1,600.
    #[new]
    #[pyo3(signature = (registry, signed))]
    fn new(
        #[pyo3(from_py_with = extract::instance)] registry: &Bound<'_, Registry>,
        #[pyo3(from_py_with = extract::instances)] signed: Vec<Bound<'_, SignedMessage>>,
    ) -> PyResult<Self> {
        let (registry, most) = (Arc::clone(&registry.get().0), signed.len().max(1));
        let program = xmss::SignatureBatchProgram::new(registry, Xmss::DEFAULT, most);
        let batches = program.map_err(Error::from)?.batches(given(&signed));
        let mut batches = batches.map_err(Error::from)?.into_iter();
        let batch = batches
            .next()
            .ok_or_else(|| Error::usage("there are no signatures"))?;
        Ok(Self(Arc::new(batch)))
    }

    /// Places of the signers in the registry, ascending.
    #[getter]
    fn signers(&self) -> Vec<usize> {
        self.0.signers().places().collect()
    }

    /// The signatures, in the order of the registry.
    #[getter]
    fn signed(&self) -> Vec<SignedMessage> {
        let signed = self.0.signed().iter();
        signed.map(|(_, one)| SignedMessage(one.clone())).collect()
    }

    fn __len__(&self) -> usize {
        self.0.signed().len()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (Registry, Vec<SignedMessage>)> {
        let registry = Registry(Arc::clone(self.0.registry()));
        Ok((py.get_type::<Self>().into_any(), (registry, self.signed())))
    }

    fn __repr__(&self) -> String {
        format!(
            "<droste.signatures.SignatureBatch of {}>",
            self.0.signed().len()
        )
    }
}
