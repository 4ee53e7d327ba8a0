//! Programs in the zk-DSL.

use std::path::PathBuf;
use std::sync::Arc;

use droste_native::F;
use droste_verifier::summary::integers;
use droste_verifier::{program_keys, proofs};
use droste_vm::compiler::{Compiled, assembly, compile_file, intermediate};
use droste_vm::executor::{Tape, execute};
use droste_vm::heights::Heights;
use droste_vm::precompile::BUILT_IN;
use droste_vm::record::Execution;
use pyo3::prelude::*;

use crate::arguments::{limit, of_rows, parse, stack_settings};
use crate::arrays::element_list;
use crate::compute::compute;
use crate::error::Error;
use crate::extract;
use crate::files;
use crate::proof::Proof;
use crate::records::{Ran, Record, Reduced};

/// A program in the zk-DSL, compiled.
#[pyclass(frozen, module = "droste")]
pub struct Program {
    /// Name of the text, for messages.
    #[pyo3(get)]
    pub name: String,
    /// The text of the program.
    #[pyo3(get)]
    pub text: String,
    pub compiled: Arc<Compiled>,
}

impl Program {
    fn of(py: Python<'_>, name: String, text: String) -> PyResult<Self> {
        compute(py, move || {
            let compiled = compile_file(&name, &text, droste_gadgets::SOURCES)?;
            Ok(Self {
                name,
                text,
                compiled: Arc::new(compiled),
            })
        })
    }
}

#[pymethods]
impl Program {
    /// Compiles the text of a program, which may import the gadget library.
    ///
    /// Args:
    ///     text: the text.
    ///     name: what messages call it.
    ///
    /// Raises:
    ///     CompileError: What is wrong, with the lines of the text.
    #[staticmethod]
    #[pyo3(signature = (text, *, name="main.rs"))]
    fn compile(
        py: Python<'_>,
        #[pyo3(from_py_with = extract::owned_text)] text: String,
        #[pyo3(from_py_with = extract::text)] name: &str,
    ) -> PyResult<Self> {
        Self::of(py, name.to_owned(), text)
    }

    /// Compiles the program in a file.
    ///
    /// Raises:
    ///     FileError: The file cannot be read, is larger than 256 MiB or is not UTF-8.
    ///     CompileError: What is wrong, with the lines of the text.
    #[staticmethod]
    #[pyo3(signature = (path, /))]
    fn from_file(
        py: Python<'_>,
        #[pyo3(from_py_with = extract::path)] path: PathBuf,
    ) -> PyResult<Self> {
        let text = files::read_text(&path)?;
        Self::of(py, path.display().to_string(), text)
    }

    /// Number of instructions.
    #[getter]
    fn instructions(&self) -> usize {
        self.compiled.program.instructions.len()
    }

    /// Number of constants in the program's memory.
    #[getter]
    fn constants(&self) -> usize {
        self.compiled.constants.len()
    }

    /// Number of public inputs.
    #[getter]
    fn public_inputs(&self) -> usize {
        self.compiled.public_inputs
    }

    /// Number of outputs.
    #[getter]
    fn public_outputs(&self) -> usize {
        self.compiled.public_outputs
    }

    /// Returns the instructions as text.
    fn assembly(&self) -> String {
        assembly(&self.compiled)
    }

    /// Returns the intermediate representation as text.
    fn intermediate(&self, py: Python<'_>) -> PyResult<String> {
        let (name, text) = (self.name.clone(), self.text.clone());
        compute(py, move || {
            Ok(intermediate(&name, &text, droste_gadgets::SOURCES)?)
        })
    }

    /// Returns the digest of the program's key: what a verifier must know.
    ///
    /// Args:
    ///     hash: `poseidon16`, `poseidon2`, `blake3` or `keccak`.
    ///     stack: `fri` or `whir`; the default is `whir`, and `fri` if there are queries.
    ///     preset: `proven-100`, `proven-120` (the default), `proven-128`, or `toy`, which has no
    ///         security.
    ///     queries: number of queries instead of a preset, without grinding; over FRI only.
    ///     blowup: 2, 4, 8 or 16.
    ///     log_block: over WHIR, logarithm of the largest number of rows that a table may have, up
    ///         to 20; the default is 16 (12 at `toy`). A longer run has another key.
    ///
    /// Returns:
    ///     64 hexadecimal digits.
    #[pyo3(signature = (
        *, hash="poseidon16", stack=None, preset=None, queries=None, blowup=4, log_block=None
    ))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn key(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = extract::text)] hash: &str,
        #[pyo3(from_py_with = extract::optional_text)] stack: Option<&str>,
        #[pyo3(from_py_with = extract::optional_text)] preset: Option<&str>,
        #[pyo3(from_py_with = extract::optional_integer)] queries: Option<usize>,
        #[pyo3(from_py_with = extract::integer)] blowup: usize,
        #[pyo3(from_py_with = extract::optional_integer)] log_block: Option<usize>,
    ) -> PyResult<String> {
        let hash = parse(hash)?;
        let settings = stack_settings(hash, stack, preset, queries, blowup)?;
        let settings = match log_block {
            Some(log_block) => of_rows(settings, log_block)?,
            None => program_keys::shortest(settings, &*self.compiled),
        };
        let compiled = Arc::clone(&self.compiled);
        compute(py, move || {
            let (key, _) = proofs::key(hash, &*compiled, settings, Heights::Minimal)?;
            Ok(key.to_string())
        })
    }

    /// Runs the program without proving it.
    ///
    /// Args:
    ///     public: public inputs.
    ///     hints: hints in the order in which the program reads them: `{"felt": x}`,
    ///         `{"ext": [5 elements]}` or `{"slice": [[8 elements], ...]}`.
    ///     limit: largest number of instructions.
    ///
    /// Returns:
    ///     A dictionary of outputs, cycles, calls of precompiles, words and blocks of memory.
    ///
    /// Raises:
    ///     RunError: What failed, with the lines of the text.
    #[pyo3(signature = (public=None, *, hints=None, limit=1 << 24))]
    fn run(
        &self,
        py: Python<'_>,
        public: Option<&Bound<'_, PyAny>>,
        hints: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = extract::integer)] limit: u64,
    ) -> PyResult<Record<Ran>> {
        let run = Run::new(self, public, hints, limit)?;
        compute(py, move || {
            let (compiled, execution) = (&run.compiled, run.execute()?);
            let outputs = compiled.public_inputs..compiled.public_inputs + compiled.public_outputs;
            // Of an identity that was not called there is an empty list.
            let calls = BUILT_IN.iter().map(|precompile| {
                let calls = &execution.calls[precompile.identity as usize];
                (precompile.name, calls.len())
            });
            Ok(Record(Ran {
                outputs: integers(execution.statement.get(outputs).unwrap_or_default()),
                cycles: execution.cycles.len(),
                calls: calls.filter(|(_, calls)| *calls > 0).collect(),
                words: execution.memory.words.len(),
                blocks: execution.memory.blocks.len(),
            }))
        })
    }

    /// Runs the program, proves the run and verifies the proof.
    ///
    /// Args: public: public inputs. hash: hash of the commitments and the transcript: `poseidon16`,
    /// `poseidon2`, `blake3` or `keccak`. stack: the proof stack, `fri` or `whir`; the
    /// default is `whir`, and `fri` if there are queries. preset: `proven-100`, `proven-120` (the
    /// default), `proven-128`, or `toy`, which has no security.
    /// queries: number of queries instead of a preset, without grinding; over FRI only. blowup: 2,
    /// 4, 8 or 16. hints: as for `run`. limit: largest number of instructions.
    ///
    /// Raises:
    ///     RunError: What failed, with the lines of the text.
    ///     ProveError: The run cannot be proved with these settings.
    #[pyo3(signature = (
        public=None, *, hash="poseidon16", stack=None, preset=None, queries=None, blowup=4,
        hints=None, limit=1 << 24
    ))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn prove(
        &self,
        py: Python<'_>,
        public: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = extract::text)] hash: &str,
        #[pyo3(from_py_with = extract::optional_text)] stack: Option<&str>,
        #[pyo3(from_py_with = extract::optional_text)] preset: Option<&str>,
        #[pyo3(from_py_with = extract::optional_integer)] queries: Option<usize>,
        #[pyo3(from_py_with = extract::integer)] blowup: usize,
        hints: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = extract::integer)] limit: u64,
    ) -> PyResult<Proof> {
        let hash = parse(hash)?;
        let settings = stack_settings(hash, stack, preset, queries, blowup)?;
        let run = Run::new(self, public, hints, limit)?;
        compute(py, move || {
            let execution = run.execute()?;
            let program = &*run.compiled;
            let settings = program_keys::fitting(settings, program, &execution)?;
            let proved = proofs::prove(hash, program, &execution, &run.public, settings)?;
            Proof::decoded(proved.bytes)
        })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (&str, &str)> {
        let restore = py.import("droste._pickle")?.getattr("program")?;
        Ok((restore, (&self.text, &self.name)))
    }

    fn __repr__(&self) -> String {
        let (name, instructions) = (&self.name, self.instructions());
        format!("<droste.Program {name}, {instructions} instructions>")
    }
}

/// What a run needs.
pub struct Run {
    pub compiled: Arc<Compiled>,
    public: Vec<F>,
    tape: Tape,
    limit: u64,
}

impl Run {
    /// A run of a program with what Python gave.
    pub fn new(
        program: &Program,
        public: Option<&Bound<'_, PyAny>>,
        hints: Option<&Bound<'_, PyAny>>,
        largest: u64,
    ) -> PyResult<Self> {
        let tape = match hints {
            None => Tape::default(),
            Some(hints) => extract::record(hints, "hints")?,
        };
        Ok(Self {
            compiled: Arc::clone(&program.compiled),
            public: public_inputs(public)?,
            tape,
            limit: limit(largest)?,
        })
    }

    /// Runs the program.
    pub fn execute(&self) -> Result<Execution, Error> {
        let Self {
            compiled,
            public,
            tape,
            limit,
        } = self;
        Ok(execute(compiled, public, tape, *limit)?)
    }
}

/// Public inputs; none if Python gave none.
pub fn public_inputs(public: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<F>> {
    public.map_or(Ok(vec![]), element_list)
}
