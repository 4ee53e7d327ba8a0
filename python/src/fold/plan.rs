//! Folds as plans: what Python gives for one, and its tasks.

use std::io;
use std::sync::Arc;

use droste_verifier::fold::plan::{self, Applied, PlanRules, PlannedLeaf};
use droste_verifier::fold::{Counters, Fold as Rules, PaperChild};
use droste_verifier::summary::integers;
use droste_vm::executor::Tape;
use pyo3::prelude::*;
use pyo3::types::{PyRange, PyTuple};
use rayon::prelude::*;
use serde::Serialize;

use super::parts::leaf_bytes;
use super::{blocks, tape};
use crate::calling::Caller;
use crate::error::Error;
use crate::extract::{self, expected};
use crate::records::{Record, Reduced};

/// A directed graph of tasks that make one fold of many leaves, and what it will say.
///
/// Each task is a pure function from the bytes of its inputs to the bytes of an aggregate or a
/// fold, so a plan has the same result wherever its tasks run. A plan is trusted: who changes it
/// decides what is proved.
#[pyclass(frozen, eq, module = "droste")]
#[derive(PartialEq)]
pub struct FoldPlan(pub Arc<plan::FoldPlan>);

impl FoldPlan {
    /// What the fold will say.
    fn says(&self) -> PyResult<(Counters, Vec<Vec<u32>>)> {
        let says = self.0.says();
        let says = says.map(|(counters, state)| (counters, blocks(state)));
        says.ok_or_else(|| Error::usage("plan: its root is no task that proves a rule").into())
    }
}

#[pymethods]
impl FoldPlan {
    /// The tasks, as dictionaries. The inputs of a task come before it.
    #[getter]
    fn tasks(&self) -> Record<&[plan::FoldTask]> {
        Record(&self.0.tasks)
    }

    /// Index of the task that makes the fold.
    #[getter]
    fn root(&self) -> usize {
        self.0.root
    }

    /// The state that the fold will have, as it was computed without proofs.
    #[getter]
    fn state(&self) -> PyResult<Vec<Vec<u32>>> {
        Ok(self.says()?.1)
    }

    /// The counters that the fold will have.
    #[getter]
    fn counters(&self) -> PyResult<Record<Counters>> {
        Ok(Record(self.says()?.0))
    }

    /// Returns the plan as text.
    fn to_json(&self) -> PyResult<String> {
        let text = serde_json::to_string(&*self.0);
        Ok(text.map_err(|error| Error::usage(format!("the plan: {error}")))?)
    }

    /// Reads a plan from text.
    ///
    /// Raises:
    ///     UsageError: The text is no plan of a fold.
    #[staticmethod]
    #[pyo3(signature = (text, /))]
    fn from_json(#[pyo3(from_py_with = extract::text)] text: &str) -> PyResult<Self> {
        let plan = serde_json::from_str(text);
        let plan = plan.map_err(|error| Error::usage(format!("plan: {error}")))?;
        let plan = Self(Arc::new(plan));
        plan.says().map(|_| plan)
    }

    fn __len__(&self) -> usize {
        self.0.tasks.len()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (String,)> {
        let restore = py.get_type::<Self>().getattr("from_json")?;
        Ok((restore, (self.to_json()?,)))
    }

    fn __repr__(&self) -> String {
        format!("<droste.FoldPlan of {} tasks>", self.0.tasks.len())
    }
}

/// What Python gives for a plan.
pub struct Given {
    leaves: Vec<(Arc<[u8]>, Tape)>,
    rules: PlanRules,
    /// Returns the hints of a rule's function.
    hints: Option<Py<PyAny>>,
}

impl Given {
    /// Takes leaves, each a proof or a wrap, or a tuple of it and hints.
    pub fn new(
        leaves: &[Bound<'_, PyAny>],
        rules: PlanRules,
        hints: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let leaves = leaves.iter().map(leaf).collect::<PyResult<_>>()?;
        Ok(Self {
            leaves,
            rules,
            hints,
        })
    }

    /// The file of a leaf.
    pub fn bytes(&self, leaf: usize) -> io::Result<Vec<u8>> {
        let leaf = self.leaves.get(leaf).ok_or(io::ErrorKind::NotFound)?;
        Ok(leaf.0.to_vec())
    }

    /// Verifies the leaves and plans the fold, of which all rules are run without proofs.
    pub fn plan(&self, fold: &Rules, caller: &Caller) -> Result<plan::FoldPlan, Error> {
        // All are verified, but the first that is not valid is the one that is named.
        let leaves = self.leaves.par_iter();
        let checked: Vec<Result<PlannedLeaf, Error>> = leaves
            .map(|(bytes, hints)| Ok(fold.leaf(bytes)?.with_hints(hints.clone())))
            .collect();
        let checked = checked.into_iter().enumerate();
        let leaves =
            checked.map(|(index, leaf)| leaf.map_err(Error::about(format!("leaf {index}"))));
        let leaves = leaves.collect::<Result<Vec<PlannedLeaf>, Error>>()?;
        let mut hints = |applied: &Applied<'_>| match &self.hints {
            None => Ok(applied.hints.clone()),
            Some(function) => {
                let hints = caller.call(|py| hints_of(py, function, applied));
                // What it raised is raised in the place of this.
                hints.ok_or_else(String::new)
            }
        };
        Ok(fold.plan_with(&leaves, &self.rules, &mut hints)?)
    }
}

/// A proof or a wrap, or a tuple of it and hints.
fn leaf(object: &Bound<'_, PyAny>) -> PyResult<(Arc<[u8]>, Tape)> {
    let Ok(parts) = object.cast::<PyTuple>() else {
        return Ok((leaf_bytes(object)?, Tape::default()));
    };
    let parts: Vec<_> = parts.iter().collect();
    let [leaf, hints] = parts.as_slice() else {
        return Err(expected(
            object,
            "a Proof or an Aggregate, or a tuple of it and hints",
        ));
    };
    Ok((leaf_bytes(leaf)?, tape(Some(hints))?))
}

/// The rules that a plan uses.
pub fn rules(
    merge: Option<&str>,
    leaf: Vec<String>,
    append: Option<&str>,
    start: Option<&str>,
    start_hints: Option<&Bound<'_, PyAny>>,
    repeat: Option<&Bound<'_, PyAny>>,
) -> PyResult<PlanRules> {
    let repeat = repeat.map(|repeat| {
        let [rule, times] = extract::parts(repeat, "a rule, and how often to apply it")?;
        PyResult::Ok((extract::owned_text(&rule)?, extract::integer(&times)?))
    });
    Ok(PlanRules {
        merge: merge.map(str::to_owned),
        leaf,
        append: append.map(str::to_owned),
        start: start.map(str::to_owned),
        start_hints: tape(start_hints)?,
        repeat: repeat.transpose()?,
    })
}

/// What a child of a rule says, as functions of the caller's get it: the blocks of a state, or the
/// elements of a leaf's statement.
#[derive(Serialize)]
#[serde(untagged)]
enum Says {
    State(Vec<Vec<u32>>),
    Statement(Vec<u32>),
}

impl From<&PaperChild> for Says {
    fn from(child: &PaperChild) -> Self {
        match child {
            PaperChild::Node { state, .. } | PaperChild::Foreign { state, .. } => {
                Self::State(blocks(state))
            }
            PaperChild::Leaf { statement } => Self::Statement(integers(statement)),
        }
    }
}

/// The hints that a function of the caller's returns; if it returns `None`, those of the leaves.
fn hints_of(py: Python<'_>, function: &Py<PyAny>, applied: &Applied<'_>) -> PyResult<Tape> {
    let says: Vec<Says> = applied.children.iter().map(Says::from).collect();
    let leaves = applied.leaves.iter().map(|below| {
        let signed = |index: usize| isize::try_from(index).unwrap_or(isize::MAX);
        PyRange::new(py, signed(below.start), signed(below.end))
    });
    let leaves = leaves.collect::<PyResult<Vec<_>>>()?;
    let hints = function
        .bind(py)
        .call1((applied.rule, Record(says), leaves))?;
    if hints.is_none() {
        Ok(applied.hints.clone())
    } else {
        extract::record(&hints, &format!("hints of the rule `{}`", applied.rule))
    }
}
