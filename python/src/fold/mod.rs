//! Folds: rules of the user's own, proved on proofs.

mod child;
mod claims;
mod folded;
mod parts;
mod plan;

use std::path::PathBuf;
use std::sync::Arc;

use droste_native::F;
use droste_verifier::fold::audit::{Case, CaseFile, RuleAudit, audit, refuses};
use droste_verifier::fold::plan::{FoldEvent, FoldTask, needed, run};
use droste_verifier::fold::{Child, FamilyRecipe, Fold as Rules, FoldError, Source, TableRoom};
use droste_verifier::plan::Store as Results;
use droste_verifier::summary::integers;
use droste_vm::executor::Tape;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Serialize;

use crate::arrays::bytes;
use crate::calling::{Progress, compute_calling};
use crate::compute::compute;
use crate::error::Error;
use crate::extract;
use crate::records::{Record, Reduced};
use crate::store::Store;
use crate::trust::deriver;

pub use claims::FoldLeaves;
pub use folded::{Folded, Known};
pub use plan::FoldPlan;

use child::{GivenChild, ReadChild};
use parts::{Given, Parts, Pickled, Shape, stem};

/// A fold: rules in the zk-DSL with their keys, which proves them.
///
/// `docs/fold.md` says how rules are written. Whoever pins its `key` accepts what they compute.
#[pyclass(frozen, module = "droste")]
pub struct Fold {
    pub rules: Arc<Rules>,
    parts: Parts,
}

/// A rule.
#[derive(Serialize)]
struct Rule {
    name: String,
    /// What it takes, in words.
    takes: Vec<String>,
    key: String,
}

/// What tests of rules found.
#[derive(Serialize)]
struct Tested {
    rules: Vec<RuleAudit>,
    /// The cases that must fail.
    refused: Vec<Refused>,
    /// Rules of which there is no case that they accept.
    untested: Vec<String>,
}

/// A case that must fail.
#[derive(Serialize)]
struct Refused {
    case: usize,
    rule: String,
    fails: String,
    /// What happened instead, if it did not fail for that reason.
    instead: Option<String>,
}

impl Fold {
    /// A fold that was derived, of one accepted program.
    pub fn of_program(rules: &Arc<Rules>, name: &str, text: String, cache: bool) -> Self {
        Self {
            rules: Arc::clone(rules),
            parts: Parts::of_program(name, text, cache),
        }
    }

    fn derived(py: Python<'_>, given: Given) -> PyResult<Self> {
        compute(py, move || Self::of(given))
    }

    fn of(given: Given) -> Result<Self, Error> {
        Ok(Self {
            rules: Arc::new(given.build()?),
            parts: given.into_parts(),
        })
    }
}

#[pymethods]
impl Fold {
    /// Derives the fold of a file of rules. Nothing is proved but wraps of samples.
    ///
    /// Args:
    ///     path: the file.
    ///     leaves: the accepted programs, of which the first is `Leaf<0>`: each a tuple of a
    ///         `Program` and 1 to 4 samples, its proofs or wraps of them, one for each size of its
    ///         runs; with a recipe, a `Program`.
    ///     folds: other folds, of which the first is `Foreign<0, ..>`: each a `Fold`, or a tuple of
    ///         the file of its rules, its recipe and its fold key. That key is believed, and does
    ///         not bind the text of the rules: take it from somebody whom you believe, not from the
    ///         recipe, and the file from your own copy. What is made of such a fold, and of any
    ///         other fold after pickling, is `pinned`, not `derived`. A sample at the end of a
    ///         tuple, one of its proofs or a wrap of one, is needed if its proofs have another
    ///         shape.
    ///     preset: security level of the proofs: `proven-100`, `proven-120` (the default),
    ///         `proven-128`, or `toy`, which has no security.
    ///     room: rows of tables that the rules' functions may use at least, by name, such as
    ///         `{"cpu": 16384}`; by default what joins of as many proofs leave free.
    ///     recipe: `Fold.recipe` of the same rules, or what `droste fold key -o` wrote, instead of
    ///         samples, preset and room. Nothing of it is believed: the keys are derived.
    ///     cache: keep derived keys in the user's cache folder.
    ///
    /// Raises:
    ///     FileError: The file cannot be read.
    ///     CompileError: What is wrong, with the lines of the rules.
    ///     VerifyError: A sample is not valid, or the recipe is of another fold.
    ///     AggregateError: A program or another fold cannot be used.
    #[staticmethod]
    #[pyo3(signature = (
        path, /, *, leaves=vec![], folds=vec![], preset=None, room=None, recipe=None, cache=true
    ))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn from_file(
        py: Python<'_>,
        #[pyo3(from_py_with = extract::path)] path: PathBuf,
        #[pyo3(from_py_with = extract::list)] leaves: Vec<Bound<'_, PyAny>>,
        #[pyo3(from_py_with = extract::list)] folds: Vec<Bound<'_, PyAny>>,
        #[pyo3(from_py_with = extract::optional_text)] preset: Option<&str>,
        room: Option<&Bound<'_, PyAny>>,
        recipe: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = extract::flag)] cache: bool,
    ) -> PyResult<Self> {
        let source = Source::from_file(&path).map_err(Error::from)?;
        let shape = Shape::new(preset, room, recipe)?;
        Self::derived(py, Given::new(py, source, &leaves, &folds, shape, cache)?)
    }

    /// Derives the fold of rules that are given as text.
    ///
    /// Args:
    ///     text: the text.
    ///     name: name of the file that it might be, such as `chain.rs`. Other rules import it as
    ///         the module of this name.
    ///     leaves, folds, preset, room, recipe, cache: as for `from_file`.
    ///
    /// Raises:
    ///     CompileError: What is wrong, with the lines of the text.
    ///     VerifyError: A sample is not valid, or the recipe is of another fold.
    ///     AggregateError: A program or another fold cannot be used.
    #[staticmethod]
    #[pyo3(signature = (
        text, *, name, leaves=vec![], folds=vec![], preset=None, room=None, recipe=None, cache=true
    ))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn compile(
        py: Python<'_>,
        #[pyo3(from_py_with = extract::owned_text)] text: String,
        #[pyo3(from_py_with = extract::text)] name: &str,
        #[pyo3(from_py_with = extract::list)] leaves: Vec<Bound<'_, PyAny>>,
        #[pyo3(from_py_with = extract::list)] folds: Vec<Bound<'_, PyAny>>,
        #[pyo3(from_py_with = extract::optional_text)] preset: Option<&str>,
        room: Option<&Bound<'_, PyAny>>,
        recipe: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = extract::flag)] cache: bool,
    ) -> PyResult<Self> {
        let source = Source::new(&stem(name), text).map_err(Error::from)?;
        let shape = Shape::new(preset, room, recipe)?;
        Self::derived(py, Given::new(py, source, &leaves, &folds, shape, cache)?)
    }

    /// Derives a pickled fold again.
    #[staticmethod]
    #[pyo3(name = "_unpickle", signature = (text, /))]
    fn unpickle(
        py: Python<'_>,
        #[pyo3(from_py_with = extract::text)] text: &str,
    ) -> PyResult<Self> {
        let pickled = Pickled::read(text)?;
        let deriver = Arc::clone(deriver(py, pickled.cache)?);
        compute(py, move || Self::of(pickled.given(deriver)?))
    }

    /// The fold key: digest of the keys of the rules and their bits, which a verifier must know.
    #[getter]
    fn key(&self) -> String {
        self.rules.key().to_string()
    }

    /// The rules in the order of the file, as dictionaries: `name`, what each `takes`, and its
    /// `key`.
    #[getter]
    fn rules(&self) -> Record<Vec<Rule>> {
        let rules = self.rules.rules().map(|rule| Rule {
            name: rule.name,
            takes: rule.slots,
            key: rule.key.to_string(),
        });
        Record(rules.collect())
    }

    /// Number of blocks of a state.
    #[getter]
    fn blocks(&self) -> usize {
        self.rules.blocks()
    }

    /// What the keys are derived from, beside the rules, programs and other folds, as
    /// `droste fold key -o` writes it.
    #[getter]
    fn recipe(&self) -> Record<&FamilyRecipe> {
        Record(self.rules.recipe())
    }

    /// Estimated bytes of memory for the proof of a rule, without what the process needs besides.
    #[getter]
    fn memory(&self) -> PyResult<usize> {
        let outlook = self.rules.aggregator().join_outlook(1);
        Ok(outlook.map_err(Error::from)?.memory)
    }

    /// Returns the rows of each table that are free for functions of the largest rule. A proof is
    /// made for it.
    fn room(&self, py: Python<'_>) -> PyResult<Record<Vec<TableRoom>>> {
        let rules = Arc::clone(&self.rules);
        compute(py, move || Ok(Record(rules.room()?)))
    }

    /// Proves a rule: verifies its children natively, and proves that the rule returns its state on
    /// them.
    ///
    /// Args:
    ///     rule: its name.
    ///     children: what it takes, in the order of its parameters: a `Folded` for a node of this
    ///         or another fold, a `Proof` or its wrap for a leaf. A `Proof` is wrapped.
    ///     hints: hints of its function, as for `Program.run`.
    ///
    /// Raises:
    ///     VerifyError: A child is rejected.
    ///     RunError: The rule fails on these children.
    ///     AggregateError: The rule takes other children, or more rows than there are.
    #[pyo3(signature = (rule, children, *, hints=None))]
    fn prove(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = extract::owned_text)] rule: String,
        #[pyo3(from_py_with = extract::list)] children: Vec<Bound<'_, PyAny>>,
        hints: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Folded> {
        let given = children.iter().map(GivenChild::new);
        let given = given.collect::<PyResult<Vec<GivenChild>>>()?;
        let (rules, hints) = (Arc::clone(&self.rules), tape(hints)?);
        compute(py, move || {
            let slots = rules.paper().slots(&rule)?;
            let (expected, found) = (slots.len(), given.len());
            if expected != found {
                return Err(FoldError::Children {
                    rule,
                    expected,
                    found,
                }
                .into());
            }
            let both = slots.iter().zip(&given).enumerate();
            let read = both.map(|(child, (slot, given))| {
                let read = given.read(&rules, *slot);
                read.map_err(Error::about(format!("child {child} of the rule `{rule}`")))
            });
            let read = read.collect::<Result<Vec<ReadChild>, Error>>()?;
            let children: Vec<Child<'_>> = read.iter().map(ReadChild::child).collect();
            Folded::made(&rules.prove(&rule, &children, &hints)?)
        })
    }

    /// Verifies leaves, plans the fold of them, in this order, and runs all rules without proofs,
    /// so that the states are known and a rule that fails is named before anything is proved.
    ///
    /// With a rule that takes several nodes, leaves become nodes and nodes are merged level by
    /// level. With a rule that takes a node and leaves, one node follows the other. Without leaves,
    /// a rule is repeated. Rules that are not named are chosen by what they take.
    ///
    /// Args:
    ///     leaves: up to 65,536 of them, each a `Proof` or its wrap, or a tuple of it and hints of
    ///         the rule that takes it.
    ///     hints: a function that returns the hints of a rule, or None for those of its leaves. It
    ///         is called with the rule's name, what its children say (of a node the blocks of its
    ///         state, of a leaf its statement), and a `range` of the leaves below each of them.
    ///     merge: the rule that makes a node of several.
    ///     leaf_rules: the rules that make nodes of leaves; larger ones are used first.
    ///     append: the rule that makes a node of a node and leaves.
    ///     start: the rule that takes nothing, with which a fold without leaves begins.
    ///     start_hints: its hints.
    ///     repeat: a rule that makes a node of a node, and how often it is applied.
    ///
    /// Raises:
    ///     VerifyError: A leaf is rejected; it is named by its index, from 0.
    ///     RunError: Rules fail on their children.
    ///     AggregateError: There is no plan.
    #[pyo3(signature = (
        leaves=vec![], *, hints=None, merge=None, leaf_rules=vec![], append=None, start=None,
        start_hints=None, repeat=None
    ))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn plan(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = extract::list)] leaves: Vec<Bound<'_, PyAny>>,
        #[pyo3(from_py_with = extract::optional_callable)] hints: Option<Py<PyAny>>,
        #[pyo3(from_py_with = extract::optional_text)] merge: Option<&str>,
        #[pyo3(from_py_with = extract::texts)] leaf_rules: Vec<String>,
        #[pyo3(from_py_with = extract::optional_text)] append: Option<&str>,
        #[pyo3(from_py_with = extract::optional_text)] start: Option<&str>,
        start_hints: Option<&Bound<'_, PyAny>>,
        repeat: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<FoldPlan> {
        let with = plan::rules(merge, leaf_rules, append, start, start_hints, repeat)?;
        let given = plan::Given::new(&leaves, with, hints)?;
        let rules = Arc::clone(&self.rules);
        compute_calling(py, move |caller| {
            Ok(FoldPlan(Arc::new(given.plan(&rules, caller)?)))
        })
    }

    /// Makes one fold of any number of leaves, as the command `droste fold all` does: plans it, and
    /// proves one task after the other. If it is interrupted, the task that is running is finished
    /// and stored in the background, and no other is begun.
    ///
    /// Args:
    ///     leaves, hints, merge, leaf_rules, append, start, start_hints, repeat: as for `plan`.
    ///     store: folder of finished tasks; by default a temporary one. A run with the same leaves
    ///         goes on from them.
    ///     progress: called with the number of finished tasks and that of needed ones, first before
    ///         any is begun. If it raises, the run ends.
    ///
    /// Raises:
    ///     VerifyError: A leaf is rejected; it is named by its index, from 0.
    ///     RunError: Rules fail on their children.
    ///     AggregateError: There is no plan, or a rule takes more rows than there are.
    ///     FileError: A result cannot be stored.
    #[pyo3(signature = (
        leaves=vec![], *, hints=None, merge=None, leaf_rules=vec![], append=None, start=None,
        start_hints=None, repeat=None, store=None, progress=None
    ))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn all(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = extract::list)] leaves: Vec<Bound<'_, PyAny>>,
        #[pyo3(from_py_with = extract::optional_callable)] hints: Option<Py<PyAny>>,
        #[pyo3(from_py_with = extract::optional_text)] merge: Option<&str>,
        #[pyo3(from_py_with = extract::texts)] leaf_rules: Vec<String>,
        #[pyo3(from_py_with = extract::optional_text)] append: Option<&str>,
        #[pyo3(from_py_with = extract::optional_text)] start: Option<&str>,
        start_hints: Option<&Bound<'_, PyAny>>,
        repeat: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = extract::optional_path)] store: Option<PathBuf>,
        #[pyo3(from_py_with = extract::optional_callable)] progress: Option<Py<PyAny>>,
    ) -> PyResult<Folded> {
        let with = plan::rules(merge, leaf_rules, append, start, start_hints, repeat)?;
        let given = plan::Given::new(&leaves, with, hints)?;
        let rules = Arc::clone(&self.rules);
        in_store(py, store, |store| {
            compute_calling(py, move |caller| {
                let plan = given.plan(&rules, caller)?;
                let progress = Progress::new(caller, progress);
                let observe = |event: FoldEvent<'_>| match event {
                    FoldEvent::Planned(needed) => progress.planned(needed.len()),
                    FoldEvent::Started(_) => progress.started(),
                    FoldEvent::Finished { .. } => progress.finished(),
                };
                let ran = run(&rules, &plan, &store, |leaf| given.bytes(leaf), observe);
                Folded::made(&ran?)
            })
        })
    }

    /// Indices of the tasks of a plan that have to be run, in order: the fold needs their results
    /// and the store does not have them.
    ///
    /// A result counts as stored if it is verified and says what is planned. Results are looked up
    /// from the root down; below a stored one nothing is read.
    #[pyo3(signature = (plan, store, /))]
    fn needed(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = extract::instance)] plan: &Bound<'_, FoldPlan>,
        #[pyo3(from_py_with = extract::instance)] store: &Bound<'_, Store>,
    ) -> PyResult<Vec<usize>> {
        let (rules, plan) = (Arc::clone(&self.rules), Arc::clone(&plan.get().0));
        let store = store.get().0.clone();
        compute(py, move || {
            Ok(needed(&rules, &plan, &store).into_iter().collect())
        })
    }

    /// Runs a task of a plan: verifies its inputs, makes its proof and returns the file of the
    /// result.
    ///
    /// Args:
    ///     task: one of `FoldPlan.tasks`.
    ///     inputs: the bytes of its inputs, in order.
    ///
    /// Raises:
    ///     VerifyError: An input is not what is planned.
    ///     AggregateError: The proof cannot be made.
    #[pyo3(signature = (task, inputs, /))]
    fn run(
        &self,
        py: Python<'_>,
        task: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = extract::list)] inputs: Vec<Bound<'_, PyAny>>,
    ) -> PyResult<Vec<u8>> {
        let task: FoldTask = extract::record(task, NO_TASK)?;
        let inputs = inputs.iter().map(|input| Ok(bytes(input)?.to_vec()));
        let inputs = inputs.collect::<PyResult<Vec<Vec<u8>>>>()?;
        let rules = Arc::clone(&self.rules);
        compute(py, move || Ok(rules.run_task(&task, &inputs)?.bytes))
    }

    /// Whether this is the file of a task's result, verified under the derived keys, which says
    /// what is planned.
    #[pyo3(signature = (task, data, /))]
    fn is_result(&self, task: &Bound<'_, PyAny>, data: &Bound<'_, PyAny>) -> PyResult<bool> {
        let py = task.py();
        let (task, data): (FoldTask, _) = (extract::record(task, NO_TASK)?, bytes(data)?);
        let rules = Arc::clone(&self.rules);
        compute(py, move || Ok(rules.is_result(&task, &data)))
    }

    /// Tests rules by false hints, without proofs, as the command `droste fold test` does. What is
    /// found is returned, and raises nothing.
    ///
    /// Args:
    ///     cases: what the rules are tested on, as dictionaries: `rule`; `nodes`, each a dictionary
    ///         of `state` and, if wanted, `counters`; `leaves`, statements; `foreign`, nodes of
    ///         other folds; `hints`; `inputs`, the hints that may change the result, as
    ///         `"RULE:HINT"`; and `fails`, words of the reason for which the rule must fail on it.
    ///         What is empty may be missing.
    ///     lies: number of lies about several hints at a time, for each case; each hint is changed
    ///         by itself besides.
    ///
    /// Returns:
    ///     A dictionary, as `droste fold test --format json` prints it. No rule may have hints that
    ///     are `free`, alone or `together`. Of a case that must fail and did not, `instead` is not
    ///     None.
    ///
    /// Raises:
    ///     RunError: A rule fails on a case without `fails`.
    ///     UsageError: A case is none of these rules.
    #[pyo3(signature = (cases, *, lies=1000))]
    fn test(
        &self,
        py: Python<'_>,
        cases: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = extract::integer)] lies: usize,
    ) -> PyResult<Record<Tested>> {
        let cases: Vec<CaseFile> = extract::record(cases, "cases")?;
        let rules = Arc::clone(&self.rules);
        compute(py, move || {
            let paper = rules.paper();
            let of = |number: usize| Error::about(format!("case {number}"));
            let cases = cases.into_iter().enumerate().map(|(number, case)| {
                let case = case.of(paper);
                case.map_err(|error| of(number)(error.into()))
            });
            let cases = cases.collect::<Result<Vec<Case>, Error>>()?;
            let (mut rules, mut refused) = (vec![], vec![]);
            for (number, case) in cases.iter().enumerate() {
                let about = |error: FoldError| of(number)(error.into());
                match &case.fails {
                    None => rules.push(audit(paper, case, lies).map_err(about)?),
                    Some(fails) => refused.push(Refused {
                        case: number,
                        rule: case.rule.clone(),
                        fails: fails.clone(),
                        instead: refuses(paper, case).map_err(about)?,
                    }),
                }
            }
            let is_untested = |name: &&str| rules.iter().all(|of| of.rule != *name);
            let untested = paper.names().filter(is_untested).map(str::to_owned);
            Ok(Record(Tested {
                untested: untested.collect(),
                rules,
                refused,
            }))
        })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (String,)> {
        let restore = py.get_type::<Self>().getattr("_unpickle")?;
        Ok((restore, (self.parts.pickled(&self.rules)?,)))
    }

    fn __repr__(&self) -> String {
        let name = self.rules.sources().next().map_or("", Source::stem);
        format!("<droste.Fold {name}, {} rules>", self.rules.rules().count())
    }
}

/// What a wrong task is told.
const NO_TASK: &str = "this is not a task of a plan of a fold";

/// Hints; none if Python gave none.
fn tape(hints: Option<&Bound<'_, PyAny>>) -> PyResult<Tape> {
    hints.map_or_else(
        || Ok(Tape::default()),
        |hints| extract::record(hints, "hints"),
    )
}

/// The blocks of a state as canonical integers.
fn blocks(state: &[[F; 8]]) -> Vec<Vec<u32>> {
    state.iter().map(|block| integers(block)).collect()
}

/// Runs something with a store: in the folder that Python gave, or else in a temporary one.
fn in_store<T>(
    py: Python<'_>,
    folder: Option<PathBuf>,
    run: impl FnOnce(Results) -> PyResult<T>,
) -> PyResult<T> {
    if let Some(folder) = folder {
        return run(Results::open(folder).map_err(Error::from)?);
    }
    let options = PyDict::new(py);
    options.set_item("prefix", "droste-")?;
    // A task that was interrupted may still write.
    options.set_item("ignore_cleanup_errors", true)?;
    let temporary = py.import("tempfile")?.getattr("TemporaryDirectory")?;
    let temporary = temporary.call((), Some(&options))?;
    let folder: PathBuf = temporary.getattr("name")?.extract()?;
    let result = run(Results::open(folder).map_err(Error::from)?);
    temporary.call_method0("cleanup")?;
    result
}
