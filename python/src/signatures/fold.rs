//! The fold that shows who of a registry has signed.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use droste_native::hash_signature::Xmss;
use droste_native::stark::security::Preset;
use droste_verifier::file;
use droste_verifier::fold::Options;
use droste_verifier::fold::plan::{FoldEvent, run};
use droste_verifier::summary::{FoldSummary, SignersSummary, milliseconds};
use droste_verifier::xmss::{self, Signers, Wanted};
use droste_vm::whir;
use pyo3::prelude::*;

use super::message::given;
use super::{Registry, SignatureBatch, SignedMessage, message};
use crate::arguments::parse;
use crate::calling::{Progress, compute_calling};
use crate::compute::compute;
use crate::error::Error;
use crate::extract;
use crate::fold::{Fold, FoldPlan, Folded};
use crate::proof::Proof;
use crate::records::{Record, Reduced};
use crate::store::Store;
use crate::trust::deriver;

/// Proves and checks which keys of a registry have signed a message in a slot, each counted once.
///
/// Registry size, largest batch and preset decide the fold key, which is derived.
#[pyclass(frozen, module = "droste.signatures")]
pub struct SignatureFold {
    fold: Arc<xmss::SignatureFold>,
    preset: Preset,
    cache: bool,
}

/// A fold, and the places of its signers.
type Signed<'py> = (Bound<'py, PyAny>, Vec<usize>);

#[pymethods]
impl SignatureFold {
    /// The fold of signatures by keys of a registry.
    ///
    /// Args:
    ///     registry: the keys that count.
    ///     preset: security level of the proofs: `proven-100`, `proven-120`, `proven-128`, or
    ///         `toy`, which has no security.
    ///     batch: largest number of signatures of a batch, 1 to 1,600. All proofs of batches have
    ///         one shape, whatever number of signatures there is.
    ///     cache: keep derived keys in the user's cache folder.
    #[new]
    #[pyo3(signature = (registry, *, preset="proven-120", batch=400, cache=true))]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = extract::instance)] registry: &Bound<'_, Registry>,
        #[pyo3(from_py_with = extract::text)] preset: &str,
        #[pyo3(from_py_with = extract::integer)] batch: usize,
        #[pyo3(from_py_with = extract::flag)] cache: bool,
    ) -> PyResult<Self> {
        let (preset, deriver) = (parse(preset)?, Arc::clone(deriver(py, cache)?));
        let registry = Arc::clone(&registry.get().0);
        compute(py, move || {
            let program = xmss::SignatureBatchProgram::new(registry, Xmss::DEFAULT, batch)?;
            Ok(Self {
                fold: Arc::new(xmss::SignatureFold::new(program, preset, deriver)?),
                preset,
                cache,
            })
        })
    }

    /// The registry.
    #[getter]
    fn registry(&self) -> Registry {
        Registry(Arc::clone(self.given_registry()))
    }

    /// Largest number of signatures of a batch.
    #[getter]
    fn batch(&self) -> usize {
        self.fold.prover().program().signatures()
    }

    /// The fold key.
    #[getter]
    fn key(&self) -> String {
        self.fold.fold().key().to_string()
    }

    /// The rules, for `Folded.verify` and other engines.
    #[getter]
    fn fold(&self) -> Fold {
        let text = self.fold.prover().program().source();
        Fold::of_program(self.fold.fold(), "registered.rs", text, self.cache)
    }

    /// Estimated bytes of memory that proving a batch needs.
    #[getter]
    fn memory(&self) -> PyResult<usize> {
        Ok(self.fold.prover().memory().map_err(Error::from)?)
    }

    /// Puts signatures of one message in one slot into batches, in the order of the registry. Of
    /// several by one key, the first valid one is taken.
    ///
    /// Raises:
    ///     UsageError: There are none, a key is not in the registry, or a signature is of something
    ///         else.
    #[pyo3(signature = (signed, /))]
    fn batches(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = extract::instances)] signed: Vec<Bound<'_, SignedMessage>>,
    ) -> PyResult<Vec<SignatureBatch>> {
        let (fold, signed) = (Arc::clone(&self.fold), given(&signed));
        compute(py, move || {
            let batches = fold.prover().program().batches(signed)?;
            let batches = batches.into_iter().map(|one| SignatureBatch(Arc::new(one)));
            Ok(batches.collect())
        })
    }

    /// Verifies all signatures of a batch and proves that they are valid.
    ///
    /// Args:
    ///     batch: the batch.
    ///     store: a proof that is there is not made again, and a new one is put there, as
    ///         `droste xmss aggregate` does.
    ///
    /// Raises:
    ///     VerifyError: A signature is not valid; its key is named by its place.
    ///     UsageError: There are more than the program takes, or they are of another registry.
    ///     FileError: The proof cannot be stored.
    #[pyo3(signature = (batch, *, store=None))]
    fn prove(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = extract::instance)] batch: &Bound<'_, SignatureBatch>,
        #[pyo3(from_py_with = extract::optional_instance)] store: Option<&Bound<'_, Store>>,
    ) -> PyResult<Proof> {
        let (fold, batch) = (Arc::clone(&self.fold), Arc::clone(&batch.get().0));
        let store = store.map(|store| store.get().0.clone());
        compute(py, move || {
            let prover = fold.prover();
            Proof::decoded(match &store {
                Some(store) => prover.prove_kept(&batch, store)?,
                None => whir::encode(&prover.prove(&batch)?)?,
            })
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
        let (fold, batch) = (Arc::clone(&self.fold), Arc::clone(&batch.get().0));
        let store = store.get().0.clone();
        compute(py, move || {
            let kept = fold.prover().kept(&batch.claim(), &store);
            kept.map(Proof::decoded).transpose()
        })
    }

    /// Name under which a store keeps the proof of a batch.
    #[pyo3(signature = (batch, /))]
    fn name(
        &self,
        #[pyo3(from_py_with = extract::instance)] batch: &Bound<'_, SignatureBatch>,
    ) -> String {
        self.fold.prover().name(&batch.get().0.claim()).to_string()
    }

    /// Plans the fold of the proofs of these batches.
    ///
    /// Raises:
    ///     VerifyError: A proof is not one of its batch.
    ///     UsageError: There is not one proof of each batch, or a batch is of another registry.
    ///     RunError: The batches are of different messages or slots.
    #[pyo3(signature = (batches, proofs, /))]
    fn plan(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = extract::instances)] batches: Vec<Bound<'_, SignatureBatch>>,
        #[pyo3(from_py_with = extract::instances)] proofs: Vec<Bound<'_, Proof>>,
    ) -> PyResult<FoldPlan> {
        let (fold, batches, proofs) = (Arc::clone(&self.fold), of(&batches), bytes(&proofs));
        compute(py, move || {
            Ok(FoldPlan(Arc::new(fold.plan(&batches, &proofs)?)))
        })
    }

    /// Folds the proofs of these batches, one task after the other.
    ///
    /// Args:
    ///     batches: the batches.
    ///     proofs: the proof of each.
    ///     store: the store of finished tasks.
    ///     progress: called with the number of finished tasks and that of needed ones.
    ///
    /// Raises:
    ///     VerifyError: A proof is not one of its batch.
    ///     UsageError: There is not one proof of each batch, or a batch is of another registry.
    ///     RunError: The batches are of different messages or slots.
    ///     FileError: A result cannot be stored.
    #[pyo3(signature = (batches, proofs, *, store, progress=None))]
    fn all(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = extract::instances)] batches: Vec<Bound<'_, SignatureBatch>>,
        #[pyo3(from_py_with = extract::instances)] proofs: Vec<Bound<'_, Proof>>,
        #[pyo3(from_py_with = extract::instance)] store: &Bound<'_, Store>,
        #[pyo3(from_py_with = extract::optional_callable)] progress: Option<Py<PyAny>>,
    ) -> PyResult<Folded> {
        let (fold, batches, proofs) = (Arc::clone(&self.fold), of(&batches), bytes(&proofs));
        let store = store.get().0.clone();
        compute_calling(py, move |caller| {
            let plan = fold.plan(&batches, &proofs)?;
            let progress = Progress::new(caller, progress);
            let observe = |event: FoldEvent<'_>| match event {
                FoldEvent::Planned(needed) => progress.planned(needed.len()),
                FoldEvent::Started(_) => progress.started(),
                FoldEvent::Finished { .. } => progress.finished(),
            };
            let leaf = |index: usize| -> io::Result<Vec<u8>> {
                let proof = proofs.get(index).cloned();
                proof.ok_or_else(|| io::ErrorKind::NotFound.into())
            };
            let folded = run(fold.fold(), &plan, &store, leaf, observe);
            Folded::made(&folded?)
        })
    }

    /// Proves who has signed according to one fold or the other. If one of them says it already,
    /// it is returned, and nothing is proved.
    ///
    /// Args:
    ///     left: a fold, and the places of its signers, ascending.
    ///     right: another one of the same message and slot.
    ///     max_proofs: largest number of proofs that either may stand for.
    ///     max_depth: largest number of levels of rules below either.
    ///
    /// Returns:
    ///     The fold of both, and the places of its signers.
    ///
    /// Raises:
    ///     VerifyError: A fold is rejected, others have signed, or they are of different messages or
    ///         slots, or of another registry.
    #[pyo3(signature = (left, right, /, *, max_proofs=None, max_depth=None))]
    fn unite(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = parts)] left: Signed<'_>,
        #[pyo3(from_py_with = parts)] right: Signed<'_>,
        #[pyo3(from_py_with = extract::optional_integer)] max_proofs: Option<u64>,
        #[pyo3(from_py_with = extract::optional_integer)] max_depth: Option<u32>,
    ) -> PyResult<(Folded, Vec<usize>)> {
        let (left, right) = (self.signed(&left)?, self.signed(&right)?);
        let fold = Arc::clone(&self.fold);
        let options = Options::min_bits(0).with_max_proofs(max_proofs);
        let options = options.with_max_depth(max_depth);
        compute(py, move || {
            let read = |(bytes, signers): (Arc<[u8]>, Signers)| {
                let folded = fold.fold().accept(file::fold::decode(&bytes)?, &options)?;
                Ok::<_, Error>((folded, signers))
            };
            let (folded, signers) = fold.unite(read(left)?, read(right)?)?;
            Ok((Folded::made(&folded)?, signers.places().collect()))
        })
    }

    /// Verifies under the derived key that a fold shows which keys of the registry have signed the
    /// message in the slot.
    ///
    /// Args:
    ///     folded: the fold.
    ///     slot: the slot.
    ///     message: eight field elements.
    ///     min_signers: least number of keys that must have signed, at least 1.
    ///     signers: places of the signers, ascending, which are compared with the fold.
    ///     min_bits: proven bits of security that each of its proofs must have at least.
    ///     min_tree_bits: proven bits that all proofs must have together: 100, unless `min_bits`
    ///         asks for less of each.
    ///     max_proofs: largest number of proofs that it may stand for.
    ///     max_depth: largest number of levels of rules below it.
    ///
    /// Returns:
    ///     A dictionary, as `droste xmss check --format json` prints it; `count` is the number of
    ///     keys that have signed.
    ///
    /// Raises:
    ///     VerifyError: The fold is rejected, or says something else.
    ///     UsageError: `min_signers` is 0, or the registry has no such signers.
    #[pyo3(signature = (
        folded, slot, message, *, min_signers=1, signers=None, min_bits=100, min_tree_bits=None,
        max_proofs=None, max_depth=None
    ))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn check(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = extract::instance)] folded: &Bound<'_, Folded>,
        #[pyo3(from_py_with = extract::integer)] slot: u32,
        message: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = extract::integer)] min_signers: u32,
        #[pyo3(from_py_with = places)] signers: Option<Vec<usize>>,
        #[pyo3(from_py_with = extract::integer)] min_bits: usize,
        #[pyo3(from_py_with = extract::optional_integer)] min_tree_bits: Option<usize>,
        #[pyo3(from_py_with = extract::optional_integer)] max_proofs: Option<u64>,
        #[pyo3(from_py_with = extract::optional_integer)] max_depth: Option<u32>,
    ) -> PyResult<Record<SignersSummary>> {
        if min_signers == 0 {
            let words = "the least number of signers is 0, expected at least 1";
            return Err(Error::usage(words).into());
        }
        let wanted = Wanted {
            slot,
            message: self::message(message)?,
            min_signers,
        };
        let signers = signers.map(|places| Signers::new(self.given_registry(), places));
        let signers = signers.transpose().map_err(Error::from)?;
        let options = Options::min_bits(min_bits)
            .with_min_tree_bits(min_tree_bits)
            .with_max_proofs(max_proofs)
            .with_max_depth(max_depth);
        let (fold, registry) = (Arc::clone(&self.fold), Arc::clone(self.given_registry()));
        let bytes = Arc::clone(&folded.get().bytes);
        compute(py, move || {
            let start = Instant::now();
            let unverified = file::fold::decode(&bytes)?;
            let (folded, claim) = fold.check(unverified, &wanted, &options)?;
            if let Some(signers) = &signers {
                claim.check(signers)?;
            }
            let says = FoldSummary::new(&folded, milliseconds(start.elapsed()))?;
            let (registry, signers) = (Some(&*registry), signers.as_ref());
            Ok(Record(SignersSummary::new(&claim, registry, signers, says)))
        })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (Registry, String, usize, bool)> {
        let restore = py.get_type::<Self>().getattr("_unpickle")?;
        let preset = self.preset.to_string();
        Ok((restore, (self.registry(), preset, self.batch(), self.cache)))
    }

    /// The fold of these parts.
    #[staticmethod]
    fn _unpickle(
        py: Python<'_>,
        registry: &Bound<'_, Registry>,
        preset: &str,
        batch: usize,
        cache: bool,
    ) -> PyResult<Self> {
        Self::new(py, registry, preset, batch, cache)
    }

    fn __repr__(&self) -> String {
        let (keys, key) = (self.given_registry().keys().len(), self.key());
        format!("<droste.signatures.SignatureFold of {keys} keys, {key}>")
    }
}

impl SignatureFold {
    fn given_registry(&self) -> &Arc<xmss::Registry> {
        self.fold.prover().program().registry()
    }

    /// A fold's file, with its signers.
    fn signed(&self, (folded, places): &Signed<'_>) -> PyResult<(Arc<[u8]>, Signers)> {
        let folded = extract::instance::<Folded>(folded)?;
        let signers = Signers::new(self.given_registry(), places.iter().copied());
        let signers = signers.map_err(Error::from)?;
        Ok((Arc::clone(&folded.get().bytes), signers))
    }
}

/// A fold, and the places of its signers.
fn parts<'py>(object: &Bound<'py, PyAny>) -> PyResult<Signed<'py>> {
    let what = "a tuple of a Folded and the places of its signers";
    let [folded, places] = extract::parts(object, what)?;
    Ok((folded, extract::integers(&places)?))
}

/// What was given, as values that no other thread changes.
fn of(batches: &[Bound<'_, SignatureBatch>]) -> Vec<xmss::SignatureBatch> {
    let batches = batches.iter().map(|batch| (*batch.get().0).clone());
    batches.collect()
}

/// The files of proofs.
fn bytes(proofs: &[Bound<'_, Proof>]) -> Vec<Vec<u8>> {
    let proofs = proofs.iter().map(|proof| proof.get().bytes.to_vec());
    proofs.collect()
}

/// Places of signers, or `None`.
fn places(object: &Bound<'_, PyAny>) -> PyResult<Option<Vec<usize>>> {
    if object.is_none() {
        return Ok(None);
    }
    extract::integers(object).map(Some)
}
