//! Proves the tasks of a plan.

use std::collections::BTreeSet;
use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use p3_maybe_rayon::prelude::*;
use thiserror::Error;

use super::super::source::Slot;
use super::super::{Child, Fold, FoldError, Folded, Options, RefusedFold};
use super::{Expected, FoldPlan, FoldTask, LeafFileError, TaskInput, TaskKind};
use crate::aggregate::{Aggregate, Step};
use crate::file::{self, FileError};
use crate::plan::{Store, StoreError};

/// The result of a task.
#[derive(Debug)]
pub struct FoldProduct {
    /// The file of the aggregate or fold.
    pub bytes: Vec<u8>,
    /// Figures of the steps that made it.
    pub steps: Vec<Step>,
}

/// What happens while a plan is run. Tasks are given by their numbers in the plan.
#[derive(Debug)]
pub enum FoldEvent<'a> {
    /// These tasks will be run; all others are not needed, since results of the store replace them.
    Planned(&'a BTreeSet<usize>),
    /// A task begins.
    Started(usize),
    /// A task is finished and stored.
    Finished {
        /// The task.
        task: usize,
        /// Its result.
        product: &'a FoldProduct,
        /// Time it took.
        time: Duration,
    },
}

/// Why a task was not done.
#[derive(Debug, Error)]
pub enum FoldTaskError {
    /// There are more or fewer inputs than the task takes.
    #[error("{found} inputs were given, expected {expected}")]
    InputCount {
        /// Number of inputs that the task takes.
        expected: usize,
        /// Number of inputs given.
        found: usize,
    },
    /// An input is no fold.
    #[error("input {input}")]
    File {
        /// Number of the input, from 0.
        input: usize,
        /// What is wrong with it.
        source: FileError,
    },
    /// An input is a fold that is refused.
    #[error("input {input}")]
    Refused {
        /// Number of the input, from 0.
        input: usize,
        /// Why it is refused.
        source: RefusedFold,
    },
    /// An input is no leaf.
    #[error("input {input}")]
    Leaf {
        /// Number of the input, from 0.
        input: usize,
        /// What is wrong with it.
        source: Box<LeafFileError>,
    },
    /// An input is a node of another fold, which no plan has.
    #[error("the rule `{0}` takes a proof of another fold, as no rule of a plan does")]
    Foreign(String),
    /// The rule is not proved.
    #[error(transparent)]
    Fold(#[from] FoldError),
    /// The result is not what the plan says.
    #[error(
        "the result says something else than the plan: a leaf changed, or the plan is of another fold"
    )]
    Says,
    /// The result cannot be written.
    #[error(transparent)]
    Encode(FileError),
}

/// Why a plan was not finished. Whatever was finished is in the store.
#[derive(Debug, Error)]
pub enum FoldRunError {
    /// The plan has no such task, or takes its inputs from later ones.
    #[error("the plan has no task {0}, or one takes the result of a later one")]
    Plan(usize),
    /// A leaf cannot be read.
    #[error("leaf {leaf} cannot be read")]
    Leaf {
        /// Number of the leaf.
        leaf: usize,
        /// The operating system's error.
        source: io::Error,
    },
    /// A result is no longer in the store.
    #[error("the result of task {task} disappeared from the store {}", store.display())]
    Lost {
        /// Number of the task.
        task: usize,
        /// Folder of the store.
        store: PathBuf,
    },
    /// A result cannot be stored.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A task failed.
    #[error("task {task}")]
    Task {
        /// Number of the task.
        task: usize,
        /// Why it failed.
        source: Box<FoldTaskError>,
    },
    /// The caller stopped the run.
    #[error("stopped before the plan was finished")]
    Stopped,
}

/// An input of a rule, verified.
enum Input {
    Node(Box<Folded>),
    Leaf(Box<Aggregate>),
}

impl Input {
    fn child(&self) -> Child<'_> {
        match self {
            Self::Node(folded) => Child::Node(folded),
            Self::Leaf(aggregate) => Child::Leaf(aggregate),
        }
    }
}

impl Fold {
    /// Proves a task of a plan of this fold: verifies its inputs natively, makes its proof and
    /// encodes it.
    ///
    /// # Errors
    /// If an input is not what the task takes, or it is not proved, or the result says something
    /// else than the plan.
    pub fn run_task(
        &self,
        task: &FoldTask,
        inputs: &[Vec<u8>],
    ) -> Result<FoldProduct, FoldTaskError> {
        let found = inputs.len();
        let counted = |expected: usize| {
            let is_it = expected == found && task.inputs.len() == found;
            is_it
                .then_some(())
                .ok_or(FoldTaskError::InputCount { expected, found })
        };
        match &task.kind {
            TaskKind::Wrap { .. } => {
                counted(1)?;
                let bytes = inputs.first().map_or(&[][..], Vec::as_slice);
                let wrap = self.input_leaf(0, bytes)?;
                if !self.says_leaf(&task.says, &wrap) {
                    return Err(FoldTaskError::Says);
                }
                Ok(FoldProduct {
                    bytes: file::encode(&wrap).map_err(FoldTaskError::Encode)?,
                    steps: wrap.steps().to_vec(),
                })
            }
            TaskKind::Rule(rule) => {
                let slots = self.paper().slots(rule)?;
                counted(slots.len())?;
                let both = slots.iter().zip(inputs).enumerate();
                let read = both.map(|(index, (slot, bytes))| match slot {
                    Slot::Node => Ok(Input::Node(Box::new(self.input_node(index, bytes)?))),
                    Slot::Leaf(_) => Ok(Input::Leaf(Box::new(self.input_leaf(index, bytes)?))),
                    Slot::Foreign(_) => Err(FoldTaskError::Foreign(rule.clone())),
                });
                let read: Vec<Input> = read.collect::<Result<_, FoldTaskError>>()?;
                let children: Vec<Child<'_>> = read.iter().map(Input::child).collect();
                let folded = self.prove(rule, &children, &task.hints)?;
                if !says_state(&task.says, &folded) {
                    return Err(FoldTaskError::Says);
                }
                Ok(FoldProduct {
                    bytes: file::fold::encode(&folded).map_err(FoldTaskError::Encode)?,
                    steps: folded.steps().to_vec(),
                })
            }
        }
    }

    fn input_node(&self, input: usize, bytes: &[u8]) -> Result<Folded, FoldTaskError> {
        let fold = file::fold::decode(bytes);
        let fold = fold.map_err(|source| FoldTaskError::File { input, source })?;
        // What is asked of bits is asked of the root.
        let folded = self.accept(fold, &Options::min_bits(0));
        folded.map_err(|source| FoldTaskError::Refused { input, source })
    }

    fn input_leaf(&self, input: usize, bytes: &[u8]) -> Result<Aggregate, FoldTaskError> {
        let leaf = self.wrap_leaf(bytes);
        leaf.map_err(|source| FoldTaskError::Leaf {
            input,
            source: Box::new(source),
        })
    }

    /// Whether a wrap is one of this fold's leaves that says this.
    fn says_leaf(&self, says: &Expected, wrap: &Aggregate) -> bool {
        let Expected::Leaf { statement } = says else {
            return false;
        };
        self.wrapped(wrap)
            .is_ok_and(|(.., found)| found == *statement)
    }

    /// Whether bytes are the result of a task. Nothing of them is believed.
    pub fn is_result(&self, task: &FoldTask, bytes: &[u8]) -> bool {
        match task.kind {
            TaskKind::Wrap { .. } => {
                let is_wrap = file::is_aggregate(bytes);
                let wrap = is_wrap.then(|| self.wrap_leaf(bytes).ok()).flatten();
                wrap.is_some_and(|wrap| self.says_leaf(&task.says, &wrap))
            }
            TaskKind::Rule(_) => {
                let folded = self.input_node(0, bytes);
                folded.is_ok_and(|folded| says_state(&task.says, &folded))
            }
        }
    }
}

fn says_state(says: &Expected, folded: &Folded) -> bool {
    match says {
        Expected::State { counters, state } => {
            folded.counters() == *counters && folded.state() == state.as_slice()
        }
        Expected::Leaf { .. } => false,
    }
}

/// The tasks whose results the root needs and the store does not have. Results are looked up from
/// the root down, so that below a stored one nothing is read.
///
/// A result counts as stored if it is verified natively under derived keys and says what is
/// planned.
pub fn needed(fold: &Fold, plan: &FoldPlan, store: &Store) -> BTreeSet<usize> {
    let (mut needed, mut seen) = (BTreeSet::new(), BTreeSet::from([plan.root]));
    let mut level = vec![plan.root];
    while !level.is_empty() {
        let missing = |&index: &usize| {
            let task = plan.tasks.get(index)?;
            let stored = store.get(task.name);
            let is_result = stored.is_some_and(|bytes| fold.is_result(task, &bytes));
            (!is_result).then_some((index, task))
        };
        let missing: Vec<(usize, &FoldTask)> = level.par_iter().filter_map(missing).collect();
        needed.extend(missing.iter().map(|(index, _)| *index));
        let inputs = missing.iter().flat_map(|(_, task)| &task.inputs);
        let tasks = inputs.filter_map(|input| match input {
            TaskInput::Task(index) => Some(*index),
            TaskInput::Leaf(_) => None,
        });
        level = tasks.filter(|&index| seen.insert(index)).collect();
    }
    needed
}

/// Proves the tasks of a plan whose results are not in the store yet, one after the other, and
/// returns the fold. Each uses all processors.
///
/// `leaf` returns the bytes of the leaf of this number. `observe` is told what happens; if it
/// breaks, no further task is begun.
///
/// # Errors
/// Why the plan was not finished. Whatever was finished is in the store.
pub fn run(
    fold: &Fold,
    plan: &FoldPlan,
    store: &Store,
    leaf: impl Fn(usize) -> io::Result<Vec<u8>>,
    mut observe: impl FnMut(FoldEvent<'_>) -> ControlFlow<()>,
) -> Result<Folded, FoldRunError> {
    let mut tell = |event: FoldEvent<'_>| match observe(event) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(FoldRunError::Stopped),
    };
    let stored = |index: usize| {
        let task = plan.tasks.get(index).ok_or(FoldRunError::Plan(index))?;
        store.get(task.name).ok_or_else(|| FoldRunError::Lost {
            task: index,
            store: store.folder().to_owned(),
        })
    };
    let failed = |task: usize| {
        move |source: FoldTaskError| FoldRunError::Task {
            task,
            source: Box::new(source),
        }
    };
    let needed = needed(fold, plan, store);
    tell(FoldEvent::Planned(&needed))?;
    // Inputs come before the tasks that take them.
    for &index in &needed {
        tell(FoldEvent::Started(index))?;
        let task = plan.tasks.get(index).ok_or(FoldRunError::Plan(index))?;
        let start = Instant::now();
        let inputs = task.inputs.iter().map(|input| match *input {
            TaskInput::Leaf(number) => leaf(number).map_err(|source| FoldRunError::Leaf {
                leaf: number,
                source,
            }),
            TaskInput::Task(before) if before < index => stored(before),
            TaskInput::Task(after) => Err(FoldRunError::Plan(after)),
        });
        let inputs: Vec<Vec<u8>> = inputs.collect::<Result<_, _>>()?;
        let product = fold.run_task(task, &inputs).map_err(failed(index))?;
        store.put(task.name, &product.bytes)?;
        let time = start.elapsed();
        tell(FoldEvent::Finished {
            task: index,
            product: &product,
            time,
        })?;
    }
    let bytes = stored(plan.root)?;
    fold.input_node(0, &bytes).map_err(failed(plan.root))
}
