//! Keys that sign.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use droste_native::hash_signature::{KeyFiles, SignedMessage as Signed, StoredKey as Key, Xmss};
use droste_verifier::summary::StoredKeySummary;
use pyo3::prelude::*;

use super::{SignedMessage, message};
use crate::compute::compute;
use crate::error::{Error, Kind};
use crate::extract;
use crate::records::Record;

/// A secret key in files, which signs in ascending slots, each at most once, also across restarts.
///
/// That a slot is spent is on disk before its signature is returned. While a key is open, no other
/// process can open it; `close`, or the end of a `with` statement, closes it. A backup of a key
/// must never be used after the original has signed: that cannot be noticed.
#[pyclass(frozen, module = "droste.signatures")]
pub struct StoredKey(Arc<Mutex<Option<Key>>>);

impl StoredKey {
    fn new(key: Key) -> Self {
        Self(Arc::new(Mutex::new(Some(key))))
    }

    /// Does something with the open key, on a thread of its own: it may wait for a disk, or for
    /// another thread that signs.
    fn with<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Key) -> Result<T, Error> + Send + 'static,
    ) -> PyResult<T> {
        let key = Arc::clone(&self.0);
        compute(py, move || {
            let mut key = key.lock().unwrap_or_else(PoisonError::into_inner);
            let open = key.as_mut().ok_or_else(|| {
                Error::new(Kind::Sign, "the key is closed: open it with StoredKey.open")
            })?;
            work(open)
        })
    }
}

fn files(folder: PathBuf, witness: Option<PathBuf>) -> KeyFiles {
    let files = KeyFiles::new(folder);
    match witness {
        Some(witness) => files.with_witness(witness),
        None => files,
    }
}

#[pymethods]
impl StoredKey {
    /// Makes a key from the system's random numbers, and stores it.
    ///
    /// Args:
    ///     folder: folder of the key, which is made if it does not exist.
    ///     first_slot: first slot in which the key can sign.
    ///     slots: number of slots.
    ///     witness: file with a second record of what was signed, for instance on another disk; by
    ///         default in the folder of the key. What restores the folder from a backup should not
    ///         restore it too.
    ///
    /// Raises:
    ///     FileError: A file cannot be written.
    ///     SignError: There is a key in the folder, or no key has these slots.
    #[staticmethod]
    #[pyo3(signature = (folder, *, first_slot=0, slots=1 << 10, witness=None))]
    fn create(
        py: Python<'_>,
        #[pyo3(from_py_with = extract::path)] folder: PathBuf,
        #[pyo3(from_py_with = extract::integer)] first_slot: u32,
        #[pyo3(from_py_with = extract::integer)] slots: u32,
        #[pyo3(from_py_with = extract::optional_path)] witness: Option<PathBuf>,
    ) -> PyResult<Self> {
        let Some(more) = slots.checked_sub(1) else {
            return Err(Error::usage("the number of slots is 0, expected at least 1").into());
        };
        let last = first_slot.checked_add(more);
        let last = last.ok_or_else(|| Error::usage("there are no slots above 2^32 - 1"))?;
        let files = files(folder, witness);
        compute(py, move || {
            let mut seed = [0; 32];
            getrandom::fill(&mut seed)
                .map_err(|error| Error::new(Kind::File, error.to_string()))?;
            let slots = first_slot..=last;
            Ok(Self::new(Key::create(files, Xmss::DEFAULT, &seed, slots)?))
        })
    }

    /// Opens a stored key.
    ///
    /// Args:
    ///     folder: folder of the key.
    ///     witness: as for `create`.
    ///
    /// Raises:
    ///     FileError: A file cannot be read.
    ///     SignError: The key is in use, or a file is torn, altered or old.
    #[staticmethod]
    #[pyo3(signature = (folder, *, witness=None))]
    fn open(
        py: Python<'_>,
        #[pyo3(from_py_with = extract::path)] folder: PathBuf,
        #[pyo3(from_py_with = extract::optional_path)] witness: Option<PathBuf>,
    ) -> PyResult<Self> {
        let files = files(folder, witness);
        compute(py, move || Ok(Self::new(Key::open(files)?)))
    }

    /// The public key: 32 bytes, its root before its parameter, each element as 4 little-endian
    /// bytes.
    #[getter]
    fn public_key(&self, py: Python<'_>) -> PyResult<Vec<u8>> {
        self.with(py, |key| Ok(key.public_key().to_bytes()))
    }

    /// Returns the public key and what is left of the slots.
    ///
    /// Returns:
    ///     A dictionary, as `droste xmss keygen --format json` prints it.
    fn inspect(&self, py: Python<'_>) -> PyResult<Record<StoredKeySummary>> {
        self.with(py, |key| Ok(Record(StoredKeySummary::new(key))))
    }

    /// Signs a message in a slot above all in which the key has signed. The slot and all below it
    /// are spent, on disk, before the signature is returned, also if the call is interrupted.
    ///
    /// Args:
    ///     slot: the slot.
    ///     message: eight field elements.
    ///
    /// Raises:
    ///     SignError: The slot is spent or not the key's, or files of the key were changed.
    ///     FileError: That the slot is spent cannot be written.
    #[pyo3(signature = (slot, message))]
    fn sign(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = extract::integer)] slot: u32,
        message: &Bound<'_, PyAny>,
    ) -> PyResult<SignedMessage> {
        let message = self::message(message)?;
        self.with(py, move |key| {
            let signature = key.sign(slot, &message)?;
            Ok(SignedMessage(Signed {
                public_key: key.public_key(),
                slot,
                message,
                signature,
            }))
        })
    }

    /// Spends a slot and all below it without signing: those that may have been signed elsewhere,
    /// before a backup was restored.
    ///
    /// Raises:
    ///     SignError: As for `sign`.
    ///     FileError: As for `sign`.
    #[pyo3(signature = (slot))]
    fn spend(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = extract::integer)] slot: u32,
    ) -> PyResult<()> {
        self.with(py, move |key| Ok(key.spend(slot)?))
    }

    /// Closes the key, so that it can be opened again.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let key = Arc::clone(&self.0);
        compute(py, move || {
            drop(key.lock().unwrap_or_else(PoisonError::into_inner).take());
            Ok(())
        })
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_raised))]
    fn __exit__(&self, py: Python<'_>, _raised: &Bound<'_, PyAny>) -> PyResult<()> {
        self.close(py)
    }
}
