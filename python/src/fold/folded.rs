//! Proofs of folds.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use droste_native::F;
use droste_native::stark::security::Preset;
use droste_native::whir::WhirSettings;
use droste_verifier::file;
use droste_verifier::fold::{
    Counters, Fold as Rules, FoldClaim, Folded as Accepted, Options, UnverifiedFold,
};
use droste_verifier::summary::{Evidence, FoldSummary, StepSummary, milliseconds};
use droste_vm::key::KeyDigest;
use droste_vm::whir;
use pyo3::prelude::*;
use serde::Serialize;

use super::{Fold, blocks};
use crate::aggregate::Aggregate;
use crate::arguments::{aggregator, parse};
use crate::arrays::{bytes, element_array};
use crate::compute::compute;
use crate::error::Error;
use crate::extract::{self, expected};
use crate::files;
use crate::proof::Proof;
use crate::records::{Record, Reduced};
use crate::trust::digest;

/// A proof of a fold's rule, with the keys of all rules, its counters and its state.
///
/// Of a fold that was read, nothing is known before it is verified: `key`, `rule`, `counters` and
/// `state` are what it says of itself.
#[pyclass(frozen, eq, hash, module = "droste")]
pub struct Folded {
    pub bytes: Arc<[u8]>,
    key: KeyDigest,
    rule: KeyDigest,
    counters: Counters,
    state: Vec<Vec<u32>>,
    /// The step that made it; none if it was read.
    steps: Vec<StepSummary>,
}

impl PartialEq for Folded {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl std::hash::Hash for Folded {
    fn hash<S: std::hash::Hasher>(&self, state: &mut S) {
        self.bytes.hash(state);
    }
}

/// What a fold says, with the name of its rule if the rules are known.
#[derive(Serialize)]
struct Inspected {
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_name: Option<String>,
    #[serde(flatten)]
    says: FoldSummary,
}

/// What a caller knows of a fold: its key, or its rules, from which the key was derived.
pub enum Known {
    Key(KeyDigest),
    Rules(Arc<Rules>),
}

impl Known {
    /// A fold key, or a `Fold`.
    pub fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(fold) = object.cast::<Fold>() {
            return Ok(Self::Rules(Arc::clone(&fold.get().rules)));
        }
        match extract::text(object) {
            Ok(key) => Ok(Self::Key(digest(key)?)),
            Err(_) => Err(expected(object, "a fold key or a Fold")),
        }
    }

    /// The fold key.
    pub fn key(&self) -> KeyDigest {
        match self {
            Self::Key(key) => *key,
            Self::Rules(rules) => rules.key(),
        }
    }

    fn optional(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        if object.is_none() {
            Ok(None)
        } else {
            Self::new(object).map(Some)
        }
    }

    fn accept(&self, bytes: &[u8], options: &Options) -> Result<Accepted, Error> {
        let fold = file::fold::decode(bytes)?;
        Ok(match self {
            Self::Key(key) => fold.verify(*key, options)?,
            Self::Rules(rules) => rules.accept(fold, options)?,
        })
    }

    /// Accepts a fold of any bits.
    fn accept_any(&self, bytes: &[u8]) -> Result<Accepted, Error> {
        self.accept(bytes, &Options::min_bits(0))
    }

    /// The name of the rule of a proof.
    fn rule(&self, folded: &Accepted) -> Option<String> {
        let Self::Rules(rules) = self else {
            return None;
        };
        let mut known = rules.rules();
        let rule = known.find(|rule| rule.key == folded.rule());
        rule.map(|rule| rule.name)
    }
}

impl Folded {
    fn new(fold: &UnverifiedFold, bytes: Vec<u8>) -> Self {
        Self {
            bytes: bytes.into(),
            key: fold.key(),
            rule: fold.proof.key.digest(),
            counters: fold.counters,
            state: blocks(&fold.state),
            steps: vec![],
        }
    }

    fn decoded(bytes: Vec<u8>) -> Result<Self, Error> {
        let fold = file::fold::decode(&bytes)?;
        Ok(Self::new(&fold, bytes))
    }

    /// A fold that was just made.
    pub fn made(folded: &Accepted) -> Result<Self, Error> {
        let made = Self::new(folded.unverified(), file::fold::encode(folded)?);
        Ok(Self {
            steps: folded.steps().iter().map(StepSummary::new).collect(),
            ..made
        })
    }
}

#[pymethods]
impl Folded {
    /// Decodes the bytes of a fold's file. Nothing is verified.
    ///
    /// Raises:
    ///     DecodeError: The bytes are not those of a fold.
    #[staticmethod]
    #[pyo3(signature = (data, /))]
    fn from_bytes(data: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (py, data) = (data.py(), bytes(data)?);
        compute(py, move || Self::decoded(data.to_vec()))
    }

    /// Reads a fold from a file. Nothing is verified.
    ///
    /// Raises:
    ///     FileError: The file cannot be read.
    ///     DecodeError: It is not the file of a fold.
    #[staticmethod]
    #[pyo3(signature = (path, /))]
    fn from_file(
        py: Python<'_>,
        #[pyo3(from_py_with = extract::path)] path: PathBuf,
    ) -> PyResult<Self> {
        compute(py, move || {
            Self::decoded(files::read(&path)?).map_err(Error::about(path.display()))
        })
    }

    /// Returns the bytes of the fold's file.
    fn to_bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn __bytes__(&self) -> &[u8] {
        &self.bytes
    }

    /// Writes the fold to a file, whole or not at all.
    ///
    /// Raises:
    ///     FileError: The file cannot be written.
    #[pyo3(signature = (path, /))]
    fn write(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = extract::path)] path: PathBuf,
    ) -> PyResult<()> {
        let bytes = Arc::clone(&self.bytes);
        compute(py, move || files::write(&path, &bytes))
    }

    /// The fold key: digest of the keys of the rules and their bits, as the fold says.
    #[getter]
    fn key(&self) -> String {
        self.key.to_string()
    }

    /// Key of the rule that was proved, as the fold says.
    #[getter]
    fn rule(&self) -> String {
        self.rule.to_string()
    }

    /// What is counted of the proofs below, as the fold says: `rules`, `behind` and `depth`.
    #[getter]
    fn counters(&self) -> Record<Counters> {
        Record(self.counters)
    }

    /// What it says: blocks of eight elements. Not verified, as `verify` returns it.
    #[getter]
    fn state(&self) -> Vec<Vec<u32>> {
        self.state.clone()
    }

    /// Verifies the fold against what the caller knows.
    ///
    /// Args:
    ///     key: the fold key, from `Fold.key` or `droste fold key`, not from the fold; or the
    ///         `Fold`.
    ///     state: the state that it must have, blocks of eight elements. Without one any is
    ///         accepted: look at what is returned.
    ///     min_bits: proven bits of security that each of its proofs must have at least.
    ///     min_tree_bits: proven bits that all proofs must have together, by the union bound over
    ///         the counters: 100, unless `min_bits` asks for less of each.
    ///     max_proofs: largest number of proofs that it may stand for.
    ///     max_depth: largest number of levels of rules below it.
    ///
    /// Returns:
    ///     The state.
    ///
    /// Raises:
    ///     VerifyError: The fold is rejected.
    #[pyo3(signature = (
        key, *, state=None, min_bits=100, min_tree_bits=None, max_proofs=None, max_depth=None
    ))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn verify(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = Known::new)] key: Known,
        #[pyo3(from_py_with = optional_state)] state: Option<Vec<[F; 8]>>,
        #[pyo3(from_py_with = extract::integer)] min_bits: usize,
        #[pyo3(from_py_with = extract::optional_integer)] min_tree_bits: Option<usize>,
        #[pyo3(from_py_with = extract::optional_integer)] max_proofs: Option<u64>,
        #[pyo3(from_py_with = extract::optional_integer)] max_depth: Option<u32>,
    ) -> PyResult<Vec<Vec<u32>>> {
        let options = Options::min_bits(min_bits)
            .with_state(state)
            .with_min_tree_bits(min_tree_bits)
            .with_max_proofs(max_proofs)
            .with_max_depth(max_depth);
        let bytes = Arc::clone(&self.bytes);
        compute(py, move || {
            let folded = key.accept(&bytes, &options)?;
            Ok(blocks(folded.state()))
        })
    }

    /// Returns what the fold says, after verifying it under the rules that it lists; then this
    /// shows only that it is consistent in itself. With a key, they must be those of the key.
    ///
    /// Args:
    ///     key: the fold key, or the `Fold`.
    ///
    /// Returns:
    ///     A dictionary, as `droste fold inspect --format json` prints it.
    ///
    /// Raises:
    ///     VerifyError: The fold is rejected.
    #[pyo3(signature = (key=None))]
    fn inspect(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = Known::optional)] key: Option<Known>,
    ) -> PyResult<Record<Inspected>> {
        let (bytes, steps) = (Arc::clone(&self.bytes), self.steps.clone());
        compute(py, move || {
            let start = Instant::now();
            let (rule_name, says) = match &key {
                None => {
                    let fold = file::fold::decode(&bytes)?;
                    let accepted = fold.check()?;
                    let elapsed = milliseconds(start.elapsed());
                    (None, FoldSummary::claimed(&fold, &accepted, elapsed)?)
                }
                Some(key) => {
                    let folded = key.accept_any(&bytes)?;
                    let elapsed = milliseconds(start.elapsed());
                    (key.rule(&folded), FoldSummary::new(&folded, elapsed)?)
                }
            };
            let says = FoldSummary { steps, ..says };
            Ok(Record(Inspected { rule_name, says }))
        })
    }

    /// Returns what the fold says, without its proof, for `Aggregate.verify` of an aggregate of
    /// which it is a leaf. Nothing is verified.
    fn claim(&self, py: Python<'_>) -> PyResult<Record<FoldClaim>> {
        let bytes = Arc::clone(&self.bytes);
        compute(py, move || Ok(Record(file::fold::decode(&bytes)?.claim())))
    }

    /// Wraps the fold, so that it can be joined with other proofs. It is then one leaf of the
    /// aggregate.
    ///
    /// Args:
    ///     key: the fold key, or the `Fold`.
    ///     preset: security level of the proofs that are made, as for `droste.wrap`.
    ///     arity: largest number of proofs that one join takes.
    ///
    /// Raises:
    ///     VerifyError: The fold is rejected.
    ///     AggregateError: It cannot be wrapped.
    #[pyo3(signature = (key, *, preset="proven-120", arity=2))]
    fn wrap(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = Known::new)] key: Known,
        #[pyo3(from_py_with = extract::text)] preset: &str,
        #[pyo3(from_py_with = extract::integer)] arity: u16,
    ) -> PyResult<Aggregate> {
        let aggregator = aggregator(preset, arity)?;
        let bytes = Arc::clone(&self.bytes);
        compute(py, move || {
            let wrap = aggregator.wrap_fold(key.accept_any(&bytes)?)?;
            Aggregate::made(&wrap, Evidence::Derived)
        })
    }

    /// Makes the last proof of the fold, in Keccak and short, for verifiers without Poseidon-16.
    ///
    /// Args:
    ///     key: the fold key, or the `Fold`.
    ///     exit_preset: security level of the last proof.
    ///     preset: that of the fold. Without meaning if `key` is the `Fold`.
    ///     arity: largest number of proofs that one of its rules takes. Without meaning if `key` is
    ///         the `Fold`.
    ///
    /// Returns:
    ///     The proof. Its `key` depends only on presets and shape, its `statement` on the fold.
    ///
    /// Raises:
    ///     VerifyError: The fold is rejected.
    ///     AggregateError: It has another shape.
    #[pyo3(signature = (key, *, exit_preset="proven-120", preset="proven-120", arity=2))]
    fn exit_proof(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = Known::new)] key: Known,
        #[pyo3(from_py_with = extract::text)] exit_preset: &str,
        #[pyo3(from_py_with = extract::text)] preset: &str,
        #[pyo3(from_py_with = extract::integer)] arity: u16,
    ) -> PyResult<Proof> {
        let settings = WhirSettings::of_exit(parse::<Preset>(exit_preset)?);
        let aggregator = aggregator(preset, arity)?;
        let bytes = Arc::clone(&self.bytes);
        compute(py, move || {
            let folded = key.accept_any(&bytes)?;
            let exit = match &key {
                Known::Rules(rules) => rules.exit(&folded, settings)?,
                Known::Key(_) => aggregator.exit_fold(&folded, settings)?,
            };
            Proof::decoded(whir::encode(&exit.proof)?)
        })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (&[u8],)> {
        Ok((py.get_type::<Self>().getattr("from_bytes")?, (&self.bytes,)))
    }

    fn __repr__(&self) -> String {
        let (proofs, bytes) = (self.counters.proofs(), self.bytes.len());
        format!("<droste.Folded of {proofs} proofs, {bytes} bytes>")
    }
}

/// A state: blocks of eight elements; or `None`.
fn optional_state(object: &Bound<'_, PyAny>) -> PyResult<Option<Vec<[F; 8]>>> {
    if object.is_none() {
        return Ok(None);
    }
    let blocks = extract::list(object)?;
    let blocks = blocks.iter().map(element_array);
    blocks.collect::<PyResult<_>>().map(Some)
}
