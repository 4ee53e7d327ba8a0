//! What aggregates of batches say.

use std::path::PathBuf;
use std::sync::Arc;

use droste_native::hash_signature::Xmss;
use droste_verifier::aggregate::AggregateOptions;
use droste_verifier::summary::{ClaimsSummary, integers};
use droste_verifier::xmss::{self, SignatureBatchClaim, Wanted};
use pyo3::prelude::*;

use super::{SignatureBatchMember, SignedMessage, message, public_key, to_json};
use crate::aggregate::Aggregate;
use crate::compute::{compute, compute_briefly};
use crate::error::Error;
use crate::extract;
use crate::files;
use crate::records::{Record, Reduced};
use crate::trust::Trust;

/// The batches of an aggregate, in order, and the program that verified them.
///
/// Nothing that claims say of themselves is known before `check`, which computes the key of the
/// program and the statement of every batch and compares them with the aggregate.
#[pyclass(frozen, eq, module = "droste.signatures")]
#[derive(PartialEq)]
pub struct SignatureClaims(pub Arc<xmss::SignatureClaims>);

impl SignatureClaims {
    fn batch(&self, index: usize) -> Result<&SignatureBatchClaim, Error> {
        let count = self.0.batches.len();
        let missing = || format!("there is no batch {index}: there are {count}, counted from 0");
        let batch = self.0.batches.get(index);
        batch.ok_or_else(|| Error::usage(missing()))
    }
}

#[pymethods]
impl SignatureClaims {
    /// Reads claims from JSON. Nothing is verified.
    ///
    /// Raises:
    ///     DecodeError: The text is no claims; the error says where.
    #[staticmethod]
    #[pyo3(signature = (text, /))]
    fn from_json(
        py: Python<'_>,
        #[pyo3(from_py_with = extract::owned_text)] text: String,
    ) -> PyResult<Self> {
        compute(py, move || Ok(Self(Arc::new(files::json(&text)?))))
    }

    /// Reads claims from a file, as `droste xmss aggregate` writes it. Nothing is verified.
    ///
    /// Raises:
    ///     FileError: The file cannot be read.
    ///     DecodeError: It is not a file of claims; the error says where.
    #[staticmethod]
    #[pyo3(signature = (path, /))]
    fn from_file(
        py: Python<'_>,
        #[pyo3(from_py_with = extract::path)] path: PathBuf,
    ) -> PyResult<Self> {
        compute(py, move || Ok(Self(Arc::new(files::read_json(&path)?))))
    }

    /// Returns the claims as JSON.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        let claims = Arc::clone(&self.0);
        compute(py, move || to_json(&*claims))
    }

    /// Writes the claims to a file, whole or not at all.
    ///
    /// Raises:
    ///     FileError: The file cannot be written.
    #[pyo3(signature = (path, /))]
    fn write(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = extract::path)] path: PathBuf,
    ) -> PyResult<()> {
        let claims = Arc::clone(&self.0);
        compute(py, move || {
            files::write(&path, to_json(&*claims)?.as_bytes())
        })
    }

    /// Logarithm of the largest number of signatures that the program takes.
    #[getter]
    fn log_keys(&self) -> u32 {
        self.0.program.log_keys()
    }

    /// What each batch says: dictionaries of the slot, the message and the keys in order, as in
    /// the file. A key may be there more than once.
    #[getter]
    fn batches(&self, py: Python<'_>) -> PyResult<Record<Option<serde_json::Value>>> {
        let claims = Arc::clone(&self.0);
        compute(py, move || {
            let mut claims =
                serde_json::to_value(&*claims).map_err(|error| Error::usage(error.to_string()))?;
            let batches = claims.get_mut("batches");
            Ok(Record(batches.map(serde_json::Value::take)))
        })
    }

    /// Number of batches.
    fn __len__(&self) -> usize {
        self.0.batches.len()
    }

    /// Returns the digest of the key of the batches' proofs: the program is compiled and committed
    /// to.
    ///
    /// Raises:
    ///     VerifyError: Committing to the program takes too much work.
    fn key(&self, py: Python<'_>) -> PyResult<String> {
        let claims = Arc::clone(&self.0);
        compute(py, move || Ok(claims.key()?.to_string()))
    }

    /// Returns the statement of the proof of a batch: eight field elements.
    ///
    /// Raises:
    ///     UsageError: There is no such batch.
    #[pyo3(signature = (batch))]
    fn statement(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = extract::integer)] batch: usize,
    ) -> PyResult<Vec<u32>> {
        compute_briefly(py, || {
            let statement = self.batch(batch)?.statement(self.0.program.log_keys());
            // Claims are made only of batches that the program takes.
            let statement = statement.ok_or_else(|| Error::usage("no proof says this"))?;
            Ok(integers(&statement))
        })
    }

    /// Returns that a key is in a batch, for who knows the statement of the batch.
    ///
    /// Args:
    ///     batch: index of the batch, from 0.
    ///     index: index of the key in the batch, from 0.
    ///
    /// Raises:
    ///     UsageError: There is no such batch or key.
    #[pyo3(signature = (batch, index))]
    fn member(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = extract::integer)] batch: usize,
        #[pyo3(from_py_with = extract::integer)] index: usize,
    ) -> PyResult<SignatureBatchMember> {
        compute_briefly(py, || {
            let claim = self.batch(batch)?;
            let member = claim.member(self.0.program.log_keys(), index);
            let member = member.ok_or_else(|| {
                let keys = format!("the batch has {}, counted from 0", claim.keys.len());
                Error::usage(format!("there is no key {index}: {keys}"))
            })?;
            Ok(SignatureBatchMember(member))
        })
    }

    /// Whether a batch says that a key signed a message in a slot. It means something only after
    /// `check`.
    ///
    /// Args:
    ///     public_key: 32 bytes, as `StoredKey.public_key` has them.
    ///     slot: the slot.
    ///     message: eight field elements.
    #[pyo3(signature = (public_key, slot, message))]
    fn says(
        &self,
        py: Python<'_>,
        public_key: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = extract::integer)] slot: u32,
        message: &Bound<'_, PyAny>,
    ) -> PyResult<bool> {
        let (key, message) = (self::public_key(public_key)?, self::message(message)?);
        compute_briefly(py, || Ok(self.0.says(&key, slot, &message)))
    }

    /// Checks, without any signature, which keys signed which messages in which slots: verifies an
    /// aggregate, and that its leaves are proofs of these batches, all of them and in this order.
    ///
    /// Args:
    ///     aggregate: the aggregate.
    ///     wanted: what must be claimed: signed messages, whose signatures are not looked at, or
    ///         dictionaries with the fields `slot`, `message`, `root` and `public_param`.
    ///     min_bits: proven bits of security that each proof of the tree must have at least.
    ///     min_tree_bits: proven bits that all proofs must have together, by the union bound: 100,
    ///         unless `min_bits` asks for less of each.
    ///     keys: digests of sets of recursion keys that are known to be good.
    ///     cache: keep derived keys in the user's cache folder.
    ///
    /// Returns:
    ///     A dictionary of what is claimed, as `droste xmss check --format json` prints it.
    ///
    /// Raises:
    ///     VerifyError: The aggregate is rejected, says something else, or something that is wanted
    ///         is not claimed.
    #[pyo3(signature = (
        aggregate, *, wanted=vec![], min_bits=100, min_tree_bits=None, keys=vec![], cache=true
    ))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn check(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = extract::instance)] aggregate: &Bound<'_, Aggregate>,
        #[pyo3(from_py_with = extract::list)] wanted: Vec<Bound<'_, PyAny>>,
        #[pyo3(from_py_with = extract::integer)] min_bits: usize,
        #[pyo3(from_py_with = extract::optional_integer)] min_tree_bits: Option<usize>,
        #[pyo3(from_py_with = extract::texts)] keys: Vec<String>,
        #[pyo3(from_py_with = extract::flag)] cache: bool,
    ) -> PyResult<Record<ClaimsSummary>> {
        let options = AggregateOptions::min_bits(min_bits).with_min_tree_bits(min_tree_bits);
        let trust = Trust::new(py, &keys, cache)?;
        let wanted = wanted.iter().enumerate().map(|(index, one)| {
            if let Ok(signed) = one.cast::<SignedMessage>() {
                return Ok(Wanted::from(&signed.get().0));
            }
            extract::record(one, &format!("entry {index}"))
        });
        let wanted: Vec<Wanted> = wanted.collect::<PyResult<_>>()?;
        let (claims, aggregate) = (Arc::clone(&self.0), aggregate.get().clone());
        compute(py, move || {
            let (accepted, evidence) = aggregate.accept(&trust)?;
            let scheme = &Xmss::DEFAULT;
            claims.check_aggregate(&accepted, scheme, options, &wanted)?;
            let summary = ClaimsSummary::new(&claims, &accepted, evidence);
            Ok(Record(summary))
        })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (String,)> {
        let restore = py.get_type::<Self>().getattr("from_json")?;
        Ok((restore, (self.to_json(py)?,)))
    }

    fn __repr__(&self) -> String {
        let count = self.0.batches.len();
        format!("<droste.signatures.SignatureClaims of {count} batches>")
    }
}
