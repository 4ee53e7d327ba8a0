//! Batches of signatures, and their proofs.

use std::path::Path;
use std::sync::Arc;

use droste_native::hash_signature::{Signature, Xmss};
use droste_native::whir::WhirSettings;
use droste_native::{HashId, with_suite};
use droste_verifier::plan;
use droste_verifier::summary::integers;
use droste_verifier::tape::TapeSuite;
use droste_verifier::xmss::{
    self, SignatureBatchClaim, SignatureBatchProgram, SignatureBatchProofError,
};
use droste_vm::compiler::Compiled;
use droste_vm::whir;
use pyo3::prelude::*;

use super::message::given;
use super::{SignatureClaims, SignedMessage, message, public_key};
use crate::arguments::{parse, settings};
use crate::arrays::bytes;
use crate::compute::compute;
use crate::error::Error;
use crate::extract::{self, Pair};
use crate::program::Program;
use crate::proof::Proof;
use crate::records::Reduced;
use crate::store::Store;

/// Keys, each with its signature, as bytes.
type Signatures = Vec<(Vec<u8>, Vec<u8>)>;

/// Signatures of one message in one slot, which one proof shows to be valid. Nothing of it is
/// verified before it is proved.
#[pyclass(frozen, eq, skip_from_py_object, module = "droste.signatures")]
#[derive(Clone, PartialEq)]
pub struct SignatureBatch(Arc<xmss::SignatureBatch>);

#[pymethods]
impl SignatureBatch {
    /// A batch of its parts.
    ///
    /// Args:
    ///     slot: the slot.
    ///     message: eight field elements.
    ///     signatures: the keys, each with its signature, as `SignedMessage` has them.
    ///
    /// Raises:
    ///     DecodeError: There are more or fewer bytes, or an element is not canonical.
    #[new]
    #[pyo3(signature = (slot, message, signatures))]
    fn new(
        #[pyo3(from_py_with = extract::integer)] slot: u32,
        message: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = extract::pairs)] signatures: Vec<Pair<'_>>,
    ) -> PyResult<Self> {
        let signatures = signatures.iter().map(|(key, signature)| {
            let signature = Signature::from_bytes(&Xmss::DEFAULT, &bytes(signature)?);
            Ok((public_key(key)?, signature.map_err(Error::from)?))
        });
        Ok(Self(Arc::new(xmss::SignatureBatch {
            slot,
            message: self::message(message)?,
            signatures: signatures.collect::<PyResult<_>>()?,
        })))
    }

    /// Puts signatures of one message in one slot together, as `droste xmss aggregate` does.
    ///
    /// Args:
    ///     signed: signed messages, at least one.
    ///     largest: largest number of signatures of a batch, 1 to 4,096.
    ///
    /// Returns:
    ///     The batches, in the order of their first signatures.
    #[staticmethod]
    #[pyo3(signature = (signed, largest=1_600))]
    fn group(
        py: Python<'_>,
        #[pyo3(from_py_with = extract::instances)] signed: Vec<Bound<'_, SignedMessage>>,
        #[pyo3(from_py_with = extract::integer)] largest: usize,
    ) -> PyResult<Vec<Self>> {
        let signed = given(&signed);
        compute(py, move || {
            let batches = xmss::SignatureBatch::group(signed, largest)?;
            Ok(batches.into_iter().map(|one| Self(Arc::new(one))).collect())
        })
    }

    /// The slot.
    #[getter]
    fn slot(&self) -> u32 {
        self.0.slot
    }

    /// The message: eight field elements.
    #[getter]
    fn message(&self) -> Vec<u32> {
        integers(&self.0.message)
    }

    /// The keys, each with its signature, as bytes. A key may be there more than once.
    #[getter]
    fn signatures(&self) -> Signatures {
        let signatures = self.0.signatures.iter();
        let bytes = signatures.map(|(key, signature)| (key.to_bytes(), signature.to_bytes()));
        bytes.collect()
    }

    fn __len__(&self) -> usize {
        self.0.signatures.len()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (u32, Vec<u32>, Signatures)> {
        let parts = (self.slot(), self.message(), self.signatures());
        Ok((py.get_type::<Self>().into_any(), parts))
    }

    fn __repr__(&self) -> String {
        let (count, slot) = (self.0.signatures.len(), self.0.slot);
        format!("<droste.signatures.SignatureBatch of {count} in slot {slot}>")
    }
}

/// A `SignatureBatchProver` of some hash.
trait Prover: Send + Sync {
    fn key(&self) -> String;
    /// Proves a batch; with a folder, the proof is looked for there, and kept there.
    fn prove(
        &self,
        batch: &xmss::SignatureBatch,
        folder: Option<&Path>,
    ) -> Result<Vec<u8>, SignatureBatchProofError>;
    fn kept(&self, claim: &SignatureBatchClaim, folder: &Path) -> Option<Vec<u8>>;
    fn file_name(&self, claim: &SignatureBatchClaim) -> Option<String>;
    fn memory(&self, batch: &xmss::SignatureBatch) -> Result<usize, SignatureBatchProofError>;
}

impl<H: TapeSuite> Prover for xmss::SignatureBatchProver<H> {
    fn key(&self) -> String {
        self.key().digest().to_string()
    }

    fn prove(
        &self,
        batch: &xmss::SignatureBatch,
        folder: Option<&Path>,
    ) -> Result<Vec<u8>, SignatureBatchProofError> {
        match folder {
            Some(folder) => self.prove_kept(batch, folder),
            None => Ok(whir::encode(&self.prove(batch)?)?),
        }
    }

    fn kept(&self, claim: &SignatureBatchClaim, folder: &Path) -> Option<Vec<u8>> {
        self.kept(claim, folder)
    }

    fn file_name(&self, claim: &SignatureBatchClaim) -> Option<String> {
        self.file_name(claim)
    }

    fn memory(&self, batch: &xmss::SignatureBatch) -> Result<usize, SignatureBatchProofError> {
        self.memory(batch)
    }
}

/// Proves batches of signatures: the program that verifies them, compiled, with its key.
#[pyclass(frozen, module = "droste.signatures")]
pub struct SignatureBatchProver {
    program: SignatureBatchProgram,
    hash: HashId,
    settings: WhirSettings,
    compiled: Arc<Compiled>,
    prover: Arc<dyn Prover>,
}

#[pymethods]
impl SignatureBatchProver {
    /// A prover of batches of up to this number of signatures.
    ///
    /// Args:
    ///     signatures: largest number of signatures of a batch, 1 to 4,096; it is rounded up to a
    ///         power of two that is at least two.
    ///     hash: hash of the proofs: `poseidon16`, `poseidon2`, `blake3` or `keccak`.
    ///     preset: security level of the proofs: `proven-100`, `proven-120`, `proven-128`, or
    ///         `toy`, which has no security.
    ///     blowup: 2, 4, 8 or 16; with 4, at most 2,048 signatures, and half as many each time.
    #[new]
    #[pyo3(signature = (signatures, *, hash="poseidon16", preset="proven-120", blowup=2))]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = extract::integer)] signatures: usize,
        #[pyo3(from_py_with = extract::text)] hash: &str,
        #[pyo3(from_py_with = extract::text)] preset: &str,
        #[pyo3(from_py_with = extract::integer)] blowup: usize,
    ) -> PyResult<Self> {
        let hash = parse(hash)?;
        let log_blowup = settings(Some(preset), None, blowup)?.log_blowup;
        let preset = parse(preset)?;
        compute(py, move || {
            let program = SignatureBatchProgram::new(Xmss::DEFAULT, signatures)?;
            let settings = program.settings(preset, log_blowup);
            with_suite!(hash, H => {
                let prover = xmss::SignatureBatchProver::<H>::new(program, settings)?;
                Ok(Self {
                    program,
                    hash,
                    settings,
                    compiled: Arc::new(prover.compiled().clone()),
                    prover: Arc::new(prover),
                })
            })
        })
    }

    /// Logarithm of the largest number of signatures of a batch.
    #[getter]
    const fn log_keys(&self) -> u32 {
        self.program.log_keys()
    }

    /// The program that verifies batches.
    #[getter]
    fn program(&self) -> Program {
        Program::made("xmss.rs", self.program.source(), &self.compiled)
    }

    /// Digest of the key of the proofs, which is the same for all batches.
    fn key(&self, py: Python<'_>) -> PyResult<String> {
        let prover = Arc::clone(&self.prover);
        compute(py, move || Ok(prover.key()))
    }

    /// Verifies all signatures of a batch and proves that they are valid.
    ///
    /// Args:
    ///     batch: the batch.
    ///     store: a proof that is there is not made again, and a new one is put there, as
    ///         `droste xmss aggregate` does.
    ///
    /// Raises:
    ///     VerifyError: A signature is not valid; it is named by its index, from 0.
    ///     UsageError: There are none, or more than the program takes.
    ///     FileError: The proof cannot be written to the store.
    #[pyo3(signature = (batch, *, store=None))]
    fn prove(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = extract::instance)] batch: &Bound<'_, SignatureBatch>,
        #[pyo3(from_py_with = extract::optional_instance)] store: Option<&Bound<'_, Store>>,
    ) -> PyResult<Proof> {
        let (prover, batch) = (Arc::clone(&self.prover), Arc::clone(&batch.get().0));
        let store = store.map(|store| store.get().0.clone());
        compute(py, move || {
            let folder = store.as_ref().map(plan::Store::folder);
            Proof::decoded(prover.prove(&batch, folder)?)
        })
    }

    /// Returns the proof of a batch that a run before put into a store, if it is valid, or None.
    #[pyo3(signature = (batch, store, /))]
    fn kept(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = extract::instance)] batch: &Bound<'_, SignatureBatch>,
        #[pyo3(from_py_with = extract::instance)] store: &Bound<'_, Store>,
    ) -> PyResult<Option<Proof>> {
        let (prover, batch) = (Arc::clone(&self.prover), Arc::clone(&batch.get().0));
        let store = store.get().0.clone();
        compute(py, move || {
            let kept = prover.kept(&batch.claim(), store.folder());
            kept.map(Proof::decoded).transpose()
        })
    }

    /// Name of the file in which a store keeps the proof of a batch. Batches that say the same have
    /// the same.
    ///
    /// Raises:
    ///     UsageError: There are no signatures, or more than the program takes.
    #[pyo3(signature = (batch, /))]
    fn file_name(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = extract::instance)] batch: &Bound<'_, SignatureBatch>,
    ) -> PyResult<String> {
        let (prover, batch) = (Arc::clone(&self.prover), Arc::clone(&batch.get().0));
        let most = 1 << self.program.log_keys();
        compute(py, move || {
            let name = prover.file_name(&batch.claim());
            name.ok_or_else(|| too_many(batch.signatures.len(), most))
        })
    }

    /// Estimates the bytes of memory that proving a batch needs, without what the process needs
    /// besides. Its signatures are verified, and the program is run.
    ///
    /// Raises:
    ///     VerifyError: As for `prove`.
    ///     UsageError: As for `prove`.
    #[pyo3(signature = (batch, /))]
    fn memory(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = extract::instance)] batch: &Bound<'_, SignatureBatch>,
    ) -> PyResult<usize> {
        let (prover, batch) = (Arc::clone(&self.prover), Arc::clone(&batch.get().0));
        compute(py, move || Ok(prover.memory(&batch)?))
    }

    /// Returns what proofs of these batches say.
    ///
    /// Raises:
    ///     UsageError: A batch has no signatures, or more than the program takes.
    #[pyo3(signature = (batches, /))]
    fn claims(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = extract::instances)] batches: Vec<Bound<'_, SignatureBatch>>,
    ) -> PyResult<SignatureClaims> {
        let batches = batches.iter().map(|batch| Arc::clone(&batch.get().0));
        let batches: Vec<Arc<xmss::SignatureBatch>> = batches.collect();
        let (program, hash, settings) = (self.program, self.hash, self.settings);
        let most = 1 << program.log_keys();
        compute(py, move || {
            let claims = batches.iter().enumerate();
            let claims = claims.map(|(index, batch)| match batch.signatures.len() {
                found if (1..=most).contains(&found) => Ok(batch.claim()),
                found => Err((index, found)),
            });
            let claims = claims.collect::<Result<_, _>>().map_err(|(index, found)| {
                Error::about(format!("batch {index}"))(too_many(found, most))
            })?;
            Ok(SignatureClaims(Arc::new(xmss::SignatureClaims {
                program,
                hash,
                settings,
                batches: claims,
            })))
        })
    }
}

fn too_many(found: usize, most: usize) -> Error {
    xmss::SignatureBatchError::Signatures { found, most }.into()
}
