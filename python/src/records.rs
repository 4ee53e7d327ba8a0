//! What functions return as dictionaries: the fields that the command prints with `--format json`.
//! And what `__reduce__` returns.

use pyo3::prelude::*;
use pythonize::pythonize;
use serde::Serialize;

/// A value that Python gets as dictionaries and lists.
pub struct Record<T>(pub T);

impl<'py, T: Serialize> IntoPyObject<'py> for Record<T> {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(pythonize(py, &self.0)?)
    }
}

/// What makes a pickled object again: a function, and its arguments.
pub type Reduced<'py, Arguments> = PyResult<(Bound<'py, PyAny>, Arguments)>;

/// What a run gave.
#[derive(Serialize)]
pub struct Ran {
    pub outputs: Vec<u32>,
    pub cycles: usize,
    pub calls: std::collections::BTreeMap<&'static str, usize>,
    pub words: usize,
    pub blocks: usize,
}
