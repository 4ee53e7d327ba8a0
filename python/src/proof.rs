//! Proofs of programs.

use std::path::PathBuf;
use std::sync::Arc;

use droste_native::{F, HashId};
use droste_verifier::proofs::{self, Claimed, Known};
use droste_verifier::summary::{ProofSummary, integers};
use droste_vm::compiler::Compiled;
use droste_vm::key::KeyDigest;
use droste_vm::verifier::VerifyOptions;
use pyo3::prelude::*;

use crate::arrays::bytes;
use crate::compute::compute;
use crate::error::Error;
use crate::extract;
use crate::files;
use crate::program::{Program, public_inputs};
use crate::records::{Record, Reduced};
use crate::trust::digest;

/// The proof of a run of a program.
///
/// Nothing is known of it before it is verified: `hash`, `key` and `statement` are what it says of
/// itself.
#[pyclass(frozen, eq, hash, module = "droste")]
#[derive(PartialEq, Eq, Hash)]
pub struct Proof {
    pub bytes: Arc<[u8]>,
    pub hash: HashId,
    key: KeyDigest,
    statement: [F; 8],
}

impl Proof {
    /// Decodes a proof's file.
    pub fn decoded(bytes: Vec<u8>) -> Result<Self, Error> {
        let Claimed {
            hash,
            key,
            statement,
            ..
        } = proofs::claimed(&bytes)?;
        Ok(Self {
            bytes: bytes.into(),
            hash,
            key,
            statement,
        })
    }
}

#[pymethods]
impl Proof {
    /// Decodes the bytes of a proof's file. Nothing is verified.
    ///
    /// Raises:
    ///     DecodeError: The bytes are not those of a proof.
    #[staticmethod]
    #[pyo3(signature = (data, /))]
    fn from_bytes(data: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (py, data) = (data.py(), bytes(data)?);
        compute(py, move || Self::decoded(data.to_vec()))
    }

    /// Reads a proof from a file. Nothing is verified.
    ///
    /// Raises:
    ///     FileError: The file cannot be read.
    ///     DecodeError: It is not the file of a proof.
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

    /// Returns the bytes of the proof's file.
    fn to_bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn __bytes__(&self) -> &[u8] {
        &self.bytes
    }

    /// Writes the proof to a file, whole or not at all.
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

    /// Name of the hash it is committed in.
    #[getter]
    fn hash(&self) -> &'static str {
        self.hash.name()
    }

    /// Digest of the key it carries, as the proof says.
    #[getter]
    fn key(&self) -> String {
        self.key.to_string()
    }

    /// Its eight elements, public inputs before outputs, as the proof says.
    #[getter]
    fn statement(&self) -> Vec<u32> {
        integers(&self.statement)
    }

    /// Verifies the proof. Exactly one of `program` and `key` says what it must be a proof of.
    ///
    /// Args:
    ///     program: the program; parameters are taken from the proof.
    ///     key: digest of the key, from `Program.key`; it binds program and parameters.
    ///     public: elements that the statement must begin with, public inputs before outputs.
    ///     min_bits: proven bits of security that the proof must have at least.
    ///     limit: with `program`, the largest number of rows of the commitment to the program that
    ///         the proof's parameters may require; this bounds the work of verifying.
    ///
    /// Returns:
    ///     A dictionary of what the proof says, as `droste verify --format json` prints it.
    ///
    /// Raises:
    ///     VerifyError: The proof is rejected.
    #[pyo3(signature = (program=None, *, key=None, public=None, min_bits=100, limit=VerifyOptions::DEFAULT.limit))]
    fn verify(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = extract::optional_instance)] program: Option<&Bound<'_, Program>>,
        #[pyo3(from_py_with = extract::optional_text)] key: Option<&str>,
        public: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = extract::integer)] min_bits: usize,
        #[pyo3(from_py_with = extract::integer)] limit: usize,
    ) -> PyResult<Record<ProofSummary>> {
        let key = key.map(digest).transpose()?;
        if program.is_some() == key.is_some() {
            let message = "verify a proof against a program or against a key, one of them";
            return Err(Error::usage(message).into());
        }
        let compiled = program.map(|program| Arc::clone(&program.get().compiled));
        let public = public_inputs(public)?;
        let options = VerifyOptions::min_bits(min_bits).with_limit(limit);
        self.check(py, compiled, key, public, options)
    }

    /// Returns what the proof says, after verifying it under the key that it carries. This shows
    /// that the proof is valid, not which program it is a proof of.
    ///
    /// Returns:
    ///     A dictionary, as `droste inspect --format json` prints it.
    ///
    /// Raises:
    ///     VerifyError: The proof is rejected.
    fn inspect(&self, py: Python<'_>) -> PyResult<Record<ProofSummary>> {
        self.check(py, None, None, vec![], VerifyOptions::min_bits(0))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (&[u8],)> {
        Ok((py.get_type::<Self>().getattr("from_bytes")?, (&self.bytes,)))
    }

    fn __repr__(&self) -> String {
        let Self { bytes, hash, .. } = self;
        format!("<droste.Proof in {hash}, {} bytes>", bytes.len())
    }
}

impl Proof {
    /// Verifies the proof against the program, if there is one, or against the key.
    fn check(
        &self,
        py: Python<'_>,
        program: Option<Arc<Compiled>>,
        key: Option<KeyDigest>,
        public: Vec<F>,
        options: VerifyOptions,
    ) -> PyResult<Record<ProofSummary>> {
        let bytes = Arc::clone(&self.bytes);
        compute(py, move || {
            let known = match (&program, key) {
                (Some(program), _) => Known::Program(&program.program),
                (None, Some(key)) => Known::Key(key),
                (None, None) => Known::Nothing,
            };
            Ok(Record(proofs::verify(&bytes, known, &public, options)?))
        })
    }
}
