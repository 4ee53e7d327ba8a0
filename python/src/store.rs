//! The store of finished tasks.

use std::path::PathBuf;

use droste_verifier::plan;
use pyo3::prelude::*;

use crate::arguments::parse;
use crate::arrays::bytes;
use crate::compute::compute;
use crate::error::Error;
use crate::extract;
use crate::records::Reduced;

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
    fn new(#[pyo3(from_py_with = extract::path)] folder: PathBuf) -> PyResult<Self> {
        Ok(Self(plan::Store::open(folder).map_err(Error::from)?))
    }

    /// The folder.
    #[getter]
    fn folder(&self) -> PathBuf {
        self.0.folder().to_owned()
    }

    /// Returns the result of a task, or None. It is not verified.
    #[pyo3(signature = (name, /))]
    fn get(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = extract::text)] name: &str,
    ) -> PyResult<Option<Vec<u8>>> {
        let (store, name) = (self.0.clone(), parse(name)?);
        compute(py, move || Ok(store.get(name)))
    }

    /// Stores the result of a task.
    ///
    /// Raises:
    ///     FileError: It cannot be written.
    #[pyo3(signature = (name, data, /))]
    fn put(
        &self,
        #[pyo3(from_py_with = extract::text)] name: &str,
        data: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let (store, name) = (self.0.clone(), parse(name)?);
        let (py, data) = (data.py(), bytes(data)?);
        compute(py, move || Ok(store.put(name, &data)?))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (PathBuf,)> {
        Ok((py.get_type::<Self>().into_any(), (self.folder(),)))
    }

    fn __repr__(&self) -> String {
        format!("<droste.Store {}>", self.0.folder().display())
    }
}
