//! Aggregation as a plan: its tasks, and what runs them.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

use droste_native::F;
use droste_native::stark::security::Preset;
use droste_verifier::plan::{
    self, Event, Input, Leaf, LeafError, LeafProgram, Name, Options, Planner, Task,
};
use droste_verifier::summary::Evidence;
use droste_vm::key::KeyDigest;
use droste_vm::verifier::VerifyOptions;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyTuple;
use rayon::prelude::*;
use serde::de::DeserializeOwned;

use crate::aggregate::Aggregate;
use crate::arguments::{Kept, check_arity, kept, parse};
use crate::arrays::bytes;
use crate::calling::{Progress, compute_calling};
use crate::compute::compute;
use crate::error::Error;
use crate::extract::{self, expected};
use crate::fold::{Folded, Known};
use crate::program::{Program, public_inputs};
use crate::proof::Proof;
use crate::records::{Record, Reduced};
use crate::store::Store;
use crate::trust::deriver;

/// A directed graph of tasks that make one aggregate of many proofs.
///
/// Each task is a pure function from the bytes of its inputs to the bytes of an aggregate, so a
/// plan has the same result wherever its tasks run. A plan is trusted: who changes it decides what
/// is proved.
#[pyclass(frozen, eq, module = "droste")]
#[derive(PartialEq)]
pub struct Plan(Arc<plan::Plan>);

#[pymethods]
impl Plan {
    /// Verifies leaves and plans their aggregation, in this order.
    ///
    /// Args:
    ///     leaves: 1 to 65,536 of them, each an `Aggregate`, or a tuple of a `Proof`, the `Program`
    ///         that it must be of and, if wanted, the elements that its statement must begin with,
    ///         or a tuple of a `Folded` and its fold key.
    ///     preset: security level of the proofs that are made: `proven-100`, `proven-120`,
    ///         `proven-128`, or `toy`, which has no security.
    ///     arity: largest number of proofs that one join takes, 2 to 64 (1 to 64 for one leaf); by
    ///         default the one of 2, 3, 4 and 8 with the least estimated cost.
    ///     min_bits: proven bits of security that each proof of the leaves must have at least.
    ///     limit: as for `Proof.verify`.
    ///     cache: keep derived keys in the user's cache folder.
    ///
    /// Raises:
    ///     VerifyError: A leaf is rejected; it is named by its index, from 0.
    ///     AggregateError: There is no plan.
    #[new]
    #[pyo3(signature = (
        leaves, *, preset="proven-120", arity=None, min_bits=0,
        limit=VerifyOptions::DEFAULT.limit, cache=true
    ))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = extract::list)] leaves: Vec<Bound<'_, PyAny>>,
        #[pyo3(from_py_with = extract::text)] preset: &str,
        #[pyo3(from_py_with = extract::optional_integer)] arity: Option<usize>,
        #[pyo3(from_py_with = extract::integer)] min_bits: usize,
        #[pyo3(from_py_with = extract::integer)] limit: usize,
        #[pyo3(from_py_with = extract::flag)] cache: bool,
    ) -> PyResult<Self> {
        let preset = parse(preset)?;
        let planner = planner(py, cache)?;
        let mut programs = HashMap::new();
        let leaves = leaves.iter().map(|leaf| Given::new(leaf, &mut programs));
        let leaves = leaves.collect::<PyResult<Vec<Given>>>()?;
        let options = VerifyOptions::min_bits(min_bits).with_limit(limit);
        compute(py, move || {
            // All are verified, but the first that is not valid is the one that is named.
            let checked: Vec<_> = leaves
                .par_iter()
                .map(|leaf| leaf.check(planner, options))
                .collect();
            let checked = checked.into_iter().enumerate().map(|(index, leaf)| {
                leaf.map_err(|error| Error::about(format!("leaf {index}"))(error.into()))
            });
            let leaves = checked.collect::<Result<Vec<Leaf>, Error>>()?;
            Ok(Self(Arc::new(planner.plan(&leaves, preset, arity)?)))
        })
    }

    /// Security level of the proofs that are made.
    #[getter]
    fn preset(&self) -> String {
        self.0.preset.to_string()
    }

    /// Largest number of proofs that one join takes.
    #[getter]
    fn arity(&self) -> usize {
        self.0.arity
    }

    /// Names of the leaves: digests of their files.
    #[getter]
    fn leaves(&self) -> Vec<String> {
        self.0.leaves.iter().map(Name::to_string).collect()
    }

    /// The tasks, as dictionaries. The inputs of a task come before it.
    #[getter]
    fn tasks(&self) -> Record<&[Task]> {
        Record(&self.0.tasks)
    }

    /// What makes the aggregate of all leaves: a task, or the only leaf.
    #[getter]
    fn root(&self) -> Record<&Input> {
        Record(&self.0.root)
    }

    /// Sum of the tasks' `fft_cost`.
    #[getter]
    fn fft_cost(&self) -> u64 {
        self.0.fft_cost()
    }

    /// The `fft_cost` of the most expensive chain of tasks that wait for each other.
    #[getter]
    fn critical_path(&self) -> u64 {
        self.0.critical_path()
    }

    /// Largest estimated memory of a task, in bytes.
    #[getter]
    fn memory(&self) -> usize {
        self.0.memory()
    }

    /// Returns the plan as text.
    fn to_json(&self) -> PyResult<String> {
        let text = serde_json::to_string(&*self.0);
        Ok(text.map_err(|error| Error::usage(format!("the plan: {error}")))?)
    }

    /// Reads a plan from text.
    ///
    /// Raises:
    ///     UsageError: The text is no plan.
    #[staticmethod]
    #[pyo3(signature = (text, /))]
    fn from_json(#[pyo3(from_py_with = extract::text)] text: &str) -> PyResult<Self> {
        let plan: plan::Plan =
            serde_json::from_str(text).map_err(|error| Error::usage(format!("plan: {error}")))?;
        plan.check().map_err(Error::from)?;
        Ok(Self(Arc::new(plan)))
    }

    /// Indices of the tasks that have to be run, in order: the root needs their results and the
    /// store does not have them.
    ///
    /// A result counts as stored if it is verified and proves what is planned. Results are looked
    /// up from the root down; below a stored one nothing is read.
    #[pyo3(signature = (store, *, cache=true))]
    fn needed(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = extract::instance)] store: &Bound<'_, Store>,
        #[pyo3(from_py_with = extract::flag)] cache: bool,
    ) -> PyResult<Vec<usize>> {
        let planner = planner(py, cache)?;
        let (plan, store) = (Arc::clone(&self.0), store.get().0.clone());
        compute(py, move || {
            let worker = planner.worker(&plan);
            Ok(plan::needed(&plan, &worker, &store).into_iter().collect())
        })
    }

    /// Runs the tasks that are needed, in this process. If it is interrupted, the tasks that are
    /// running are finished and stored in the background, and no other is begun.
    ///
    /// Args:
    ///     leaves: the bytes of each leaf's file.
    ///     store: where results are kept.
    ///     jobs: number of tasks that run at the same time.
    ///     memory: bytes that these may need together, by their estimates.
    ///     progress: called with the number of finished tasks and that of needed ones, first before
    ///         any is begun. If it raises, the run ends.
    ///     cache: as for `Plan`.
    #[pyo3(signature = (leaves, store, *, jobs=1, memory=None, progress=None, cache=true))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn run(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = extract::list)] leaves: Vec<Bound<'_, PyAny>>,
        #[pyo3(from_py_with = extract::instance)] store: &Bound<'_, Store>,
        #[pyo3(from_py_with = extract::integer)] jobs: usize,
        #[pyo3(from_py_with = extract::optional_integer)] memory: Option<usize>,
        #[pyo3(from_py_with = extract::optional_callable)] progress: Option<Py<PyAny>>,
        #[pyo3(from_py_with = extract::flag)] cache: bool,
    ) -> PyResult<Aggregate> {
        let Some(jobs) = NonZeroUsize::new(jobs) else {
            return Err(Error::usage("the number of jobs is 0, expected at least 1").into());
        };
        let planner = planner(py, cache)?;
        let leaves = leaves.iter().map(bytes);
        let leaves = leaves.collect::<PyResult<Vec<PyBackedBytes>>>()?;
        let (plan, store) = (Arc::clone(&self.0), store.get().0.clone());
        let options = Options { jobs, memory };
        compute_calling(py, move |caller| {
            let worker = planner.worker(&plan);
            let leaf = |index: usize| {
                let leaf = leaves.get(index).ok_or(std::io::ErrorKind::NotFound)?;
                Ok(leaf.to_vec())
            };
            let progress = Progress::new(caller, progress);
            let observe = |event: Event<'_>| match event {
                Event::Planned(needed) => progress.planned(needed.len()),
                Event::Started(_) => progress.started(),
                Event::Finished { .. } => progress.finished(),
            };
            let ran = plan::run(&plan, &worker, &store, leaf, &options, observe)?;
            let root = worker.accept(&plan.root, &ran)?;
            Aggregate::made(&root, Evidence::Derived)
        })
    }

    fn __len__(&self) -> usize {
        self.0.tasks.len()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (String,)> {
        let restore = py.get_type::<Self>().getattr("from_json")?;
        Ok((restore, (self.to_json()?,)))
    }

    fn __repr__(&self) -> String {
        let (tasks, leaves) = (self.0.tasks.len(), self.0.leaves.len());
        format!("<droste.Plan of {leaves} leaves, {tasks} tasks>")
    }
}

/// A leaf that the caller gave.
enum Given {
    Proof {
        bytes: Arc<[u8]>,
        program: Arc<LeafProgram>,
        public: Vec<F>,
    },
    Aggregate(Arc<[u8]>),
    Fold {
        bytes: Arc<[u8]>,
        key: KeyDigest,
    },
}

impl Given {
    /// `programs` has those of the leaves before, by the addresses of what they were compiled to.
    fn new(
        leaf: &Bound<'_, PyAny>,
        programs: &mut HashMap<usize, Arc<LeafProgram>>,
    ) -> PyResult<Self> {
        const EXPECTED: &str =
            "an Aggregate, or (Proof, Program) or (Proof, Program, public), or (Folded, key)";
        if let Ok(aggregate) = leaf.cast::<Aggregate>() {
            return Ok(Self::Aggregate(Arc::clone(&aggregate.get().bytes)));
        }
        let Ok(tuple) = leaf.cast::<PyTuple>() else {
            return Err(expected(leaf, EXPECTED));
        };
        let parts: Vec<_> = tuple.iter().collect();
        let (proof, program, public) = match parts.as_slice() {
            [fold, key] if fold.is_instance_of::<Folded>() => {
                let bytes = Arc::clone(&extract::instance::<Folded>(fold)?.get().bytes);
                let key = Known::new(key)?.key();
                return Ok(Self::Fold { bytes, key });
            }
            [proof, program] => (proof, program, None),
            [proof, program, public] => (proof, program, Some(public)),
            _ => return Err(expected(leaf, EXPECTED)),
        };
        let (Ok(proof), Ok(program)) = (proof.cast::<Proof>(), program.cast::<Program>()) else {
            return Err(expected(leaf, EXPECTED));
        };
        let compiled = &program.get().compiled;
        let program = programs
            .entry(Arc::as_ptr(compiled) as usize)
            .or_insert_with(|| Arc::new(LeafProgram::new(compiled.program.clone())));
        Ok(Self::Proof {
            bytes: Arc::clone(&proof.get().bytes),
            program: Arc::clone(program),
            public: public_inputs(public)?,
        })
    }

    fn check(&self, planner: &Planner, options: VerifyOptions) -> Result<Leaf, LeafError> {
        match self {
            Self::Aggregate(bytes) => planner.aggregate(bytes, options),
            Self::Fold { bytes, key } => planner.fold(bytes, *key, options),
            Self::Proof {
                bytes,
                program,
                public,
            } => planner.proof(bytes, program, public, options),
        }
    }
}

/// Runs tasks of plans of one preset and arity. Workers of one process share what they
/// compiled and derived.
#[pyclass(frozen, module = "droste")]
pub struct Worker(Arc<plan::Worker>);

#[pymethods]
impl Worker {
    /// A worker for tasks of plans of this preset and arity.
    ///
    /// Args:
    ///     preset: that of the plan.
    ///     arity: that of the plan.
    ///     cache: keep derived keys in the user's cache folder.
    #[new]
    #[pyo3(signature = (*, preset="proven-120", arity=2, cache=true))]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = extract::text)] preset: &str,
        #[pyo3(from_py_with = extract::integer)] arity: usize,
        #[pyo3(from_py_with = extract::flag)] cache: bool,
    ) -> PyResult<Self> {
        static KEPT: Kept<(Preset, usize, bool), Arc<plan::Worker>> = LazyLock::new(Mutex::default);

        check_arity(arity)?;
        let preset = parse(preset)?;
        let deriver = Arc::clone(deriver(py, cache)?);
        Ok(Self(kept(&KEPT, (preset, arity, cache), || {
            Ok(Arc::new(plan::Worker::new(preset, arity, deriver)))
        })?))
    }

    /// Runs a task: verifies its inputs, makes its steps and returns the file of the result.
    ///
    /// Args:
    ///     task: one of `Plan.tasks`.
    ///     inputs: the bytes of its inputs, in order.
    ///
    /// Raises:
    ///     VerifyError: An input is not what is planned.
    ///     AggregateError: The step cannot be made.
    #[pyo3(signature = (task, inputs, /))]
    fn run(
        &self,
        py: Python<'_>,
        task: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = extract::list)] inputs: Vec<Bound<'_, PyAny>>,
    ) -> PyResult<Vec<u8>> {
        let task: Task = record(task, "task")?;
        let inputs = inputs.iter().map(|input| Ok(bytes(input)?.to_vec()));
        let inputs = inputs.collect::<PyResult<Vec<Vec<u8>>>>()?;
        let worker = Arc::clone(&self.0);
        compute(py, move || Ok(worker.run(&task, &inputs)?.bytes))
    }

    /// Verifies the file of an aggregate that is an input of a task, or the root of a plan, under
    /// keys that are derived.
    ///
    /// Raises:
    ///     DecodeError: The bytes are not those of an aggregate.
    ///     VerifyError: It is not what is planned.
    #[pyo3(signature = (input, data, /))]
    fn accept(&self, input: &Bound<'_, PyAny>, data: &Bound<'_, PyAny>) -> PyResult<Aggregate> {
        let input_of_plan: Input = record(input, "input")?;
        let data = bytes(data)?;
        let worker = Arc::clone(&self.0);
        compute(input.py(), move || {
            let accepted = worker.accept(&input_of_plan, &data)?;
            Aggregate::made(&accepted, Evidence::Derived)
        })
    }

    /// Like `accept`, for the result of a task, whose shape is checked, too.
    ///
    /// Raises:
    ///     DecodeError: The bytes are not those of an aggregate.
    ///     VerifyError: It is not what is planned.
    #[pyo3(signature = (task, data, /))]
    fn accept_result(
        &self,
        task: &Bound<'_, PyAny>,
        data: &Bound<'_, PyAny>,
    ) -> PyResult<Aggregate> {
        let task_of_plan: Task = record(task, "task")?;
        let data = bytes(data)?;
        let worker = Arc::clone(&self.0);
        compute(task.py(), move || {
            let accepted = worker.accept_result(&task_of_plan, &data)?;
            Aggregate::made(&accepted, Evidence::Derived)
        })
    }
}

/// A record of a plan, which Python holds as a dictionary.
fn record<T: DeserializeOwned>(object: &Bound<'_, PyAny>, what: &str) -> PyResult<T> {
    extract::record(object, &format!("this is not a {what} of a plan"))
}

/// The planner of this process, which keeps what it compiled and derived.
fn planner(py: Python<'_>, cache: bool) -> PyResult<&'static Planner> {
    static WITH: OnceLock<Planner> = OnceLock::new();
    static WITHOUT: OnceLock<Planner> = OnceLock::new();
    let deriver = deriver(py, cache)?;
    let kept = if cache { &WITH } else { &WITHOUT };
    Ok(kept.get_or_init(|| Planner::new(Arc::clone(deriver))))
}
