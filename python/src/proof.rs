//! Proofs of programs.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use droste_native::{F, HashId};
use droste_verifier::summary::{ProofSummary, integers, milliseconds};
use droste_verifier::tape::TapeSuite;
use droste_vm::codec;
use droste_vm::compiler::Compiled;
use droste_vm::key::KeyDigest;
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::verifier::{self, DEFAULT_LIMIT, VerifyError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use pythonize::pythonize;

use crate::arguments::{InHash, in_hash};
use crate::arrays::bytes;
use crate::compute::compute;
use crate::error::Error;
use crate::files;
use crate::program::{Program, public_inputs};
use crate::records::Verified;
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
    ///
    /// # Errors
    /// If the bytes are not exactly those of a proof.
    pub fn decoded(bytes: Vec<u8>) -> Result<Self, Error> {
        let hash = codec::hash_of(&bytes)?;
        in_hash(hash, Decode(bytes))
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
    fn from_file(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        compute(py, move || Self::decoded(files::read(&path)?))
    }

    /// Returns the bytes of the proof's file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.bytes)
    }

    /// Writes the proof to a file, whole or not at all.
    ///
    /// Raises:
    ///     FileError: The file cannot be written.
    #[pyo3(signature = (path, /))]
    fn write(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
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
    #[pyo3(signature = (*, program=None, key=None, public=None, min_bits=100, limit=DEFAULT_LIMIT))]
    fn verify<'py>(
        &self,
        py: Python<'py>,
        program: Option<&Program>,
        key: Option<&str>,
        public: Option<&Bound<'py, PyAny>>,
        min_bits: usize,
        limit: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let trusted = match (program, key) {
            (Some(program), None) => Trusted::Program(Arc::clone(&program.compiled)),
            (None, Some(key)) => Trusted::Key(digest(key)?),
            _ => {
                let message = "verify a proof against a program or against a key, one of them";
                return Err(Error::usage(message).into());
            }
        };
        let public = public_inputs(public)?;
        self.check(py, trusted, public, min_bits, limit)
    }

    /// Returns what the proof says, after verifying it under the key that it carries. This shows
    /// that the proof is valid, not which program it is a proof of.
    ///
    /// Returns:
    ///     A dictionary, as `droste inspect --format json` prints it.
    ///
    /// Raises:
    ///     VerifyError: The proof is rejected.
    fn inspect<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.check(py, Trusted::Nothing, vec![], 0, 0)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let restore = py.import("droste._pickle")?.getattr("proof")?;
        PyTuple::new(
            py,
            [restore, (self.to_bytes(py),).into_pyobject(py)?.into_any()],
        )
    }

    fn __repr__(&self) -> String {
        let Self { bytes, hash, .. } = self;
        format!("<droste.Proof in {hash}, {} bytes>", bytes.len())
    }
}

impl Proof {
    fn check<'py>(
        &self,
        py: Python<'py>,
        trusted: Trusted,
        public: Vec<F>,
        min_bits: usize,
        limit: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (hash, bytes) = (self.hash, Arc::clone(&self.bytes));
        let verified = compute(py, move || {
            let work = Check {
                bytes: &bytes,
                trusted,
                public,
                min_bits,
                limit,
            };
            in_hash(hash, work)
        })?;
        Ok(pythonize(py, &verified)?)
    }
}

struct Decode(Vec<u8>);

impl InHash for Decode {
    type Output = Result<Proof, Error>;

    fn run<H: TapeSuite>(self) -> Self::Output
    where
        StandardTables: Provable<H>,
    {
        let proof = codec::decode::<H>(&self.0)?;
        Ok(Proof {
            bytes: self.0.into(),
            hash: H::ID,
            key: proof.key.digest(),
            statement: proof.statement,
        })
    }
}

/// What the caller knows of the program that a proof must be of.
enum Trusted {
    Program(Arc<Compiled>),
    Key(KeyDigest),
    Nothing,
}

struct Check<'a> {
    bytes: &'a [u8],
    trusted: Trusted,
    public: Vec<F>,
    min_bits: usize,
    limit: usize,
}

impl InHash for Check<'_> {
    type Output = Result<Verified, Error>;

    fn run<H: TapeSuite>(self) -> Self::Output
    where
        StandardTables: Provable<H>,
    {
        let proof = codec::decode::<H>(self.bytes)?;
        if let Trusted::Key(expected) = self.trusted {
            let found = proof.key.digest();
            if expected != found {
                return Err(VerifyError::Key { expected, found }.into());
            }
        }
        let start = Instant::now();
        let (public, min_bits) = (&self.public, self.min_bits);
        let report = match &self.trusted {
            Trusted::Program(compiled) => {
                let (program, limit) = (&compiled.program, self.limit);
                verifier::verify_program::<H, StandardTables>(
                    program, public, min_bits, limit, &proof,
                )
            }
            Trusted::Key(_) | Trusted::Nothing => {
                verifier::verify::<H, StandardTables>(&proof.key, public, min_bits, &proof)
            }
        }?;
        let verify_ms = milliseconds(start.elapsed());
        let says = ProofSummary::new(&proof, &report, self.bytes.len());
        Ok(Verified { says, verify_ms })
    }
}
