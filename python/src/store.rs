//! The store of finished tasks.

use std::path::PathBuf;

use droste_verifier::plan::{self, Name};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use crate::arrays::bytes;
use crate::compute::compute;
use crate::error::Error;

/// A folder of results of tasks, which several processes may use at the same time.
///
/// A file is written whole or not at all. One that is torn or damaged counts as absent.
#[pyclass(frozen, module = "droste")]
pub struct Store(pub(crate) plan::Store);

#[pymethods]
impl Store {
    /// The store in this folder, which is made if it does not exist.
    ///
    /// Raises:
    ///     FileError: The folder cannot be made.
    #[new]
    #[pyo3(signature = (folder, /))]
    fn new(folder: PathBuf) -> PyResult<Self> {
        Ok(Self(plan::Store::open(folder).map_err(Error::from)?))
    }

    /// The folder.
    #[getter]
    fn folder(&self) -> PathBuf {
        self.0.folder().to_owned()
    }

    /// Returns the result of a task, or None. It is not verified.
    #[pyo3(signature = (name, /))]
    fn get<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let (store, name) = (self.0.clone(), self::name(name)?);
        let bytes = compute(py, move || Ok(store.get(name)))?;
        Ok(bytes.map(|bytes| PyBytes::new(py, &bytes)))
    }

    /// Stores the result of a task.
    ///
    /// Raises:
    ///     FileError: It cannot be written.
    #[pyo3(signature = (name, data, /))]
    fn put(&self, name: &str, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let (store, name) = (self.0.clone(), self::name(name)?);
        let (py, data) = (data.py(), bytes(data)?);
        compute(py, move || Ok(store.put(name, &data)?))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let class = py.get_type::<Self>().into_any();
        PyTuple::new(py, [class, (self.folder(),).into_pyobject(py)?.into_any()])
    }

    fn __repr__(&self) -> String {
        format!("<droste.Store {}>", self.0.folder().display())
    }
}

fn name(text: &str) -> Result<Name, Error> {
    text.parse()
        .map_err(|error: plan::NotAName| Error::usage(error.to_string()))
}
