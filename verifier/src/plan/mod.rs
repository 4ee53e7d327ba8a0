//! Aggregation as a plan: a directed graph of tasks that any scheduler can run anywhere.
//!
//! A [`Planner`] verifies the leaves and makes a [`Plan`] of them. A [`Task`] is a pure function
//! from the bytes of its inputs (files of proofs and of aggregates) to the bytes of an aggregate; a
//! [`Worker`] runs it. [`run`] runs a whole plan on this machine, and keeps finished tasks in a
//! [`Store`], so that an interrupted run goes on where it was.
//!
//! - A **wrap** verifies a leaf. Its result has the canonical shape, or, if one step does not reach
//!   that shape, an intermediate one.
//! - **To canonical** is the task after such a wrap: all further steps. An aggregate of another
//!   shape that is given as a leaf begins here.
//! - A **join** takes up to `arity` results of canonical shape. What is left over at the end of a
//!   level is joined too if it is several results; a single one is carried to the next level.
//!
//! If the only leaf is a proof, its wrap is the root; if it is an aggregate of canonical shape,
//! there are no tasks and it is the root itself.
//!
//! # Names
//!
//! A task's [`Name`] is a digest of its kind, of the key of the recursion program that it runs
//! first, of the aggregator's settings and heights, and of the names of its inputs; the name of a
//! leaf is the digest of its file. Proving is deterministic, so tasks of one name have the same
//! result, byte for byte, wherever they run.
//!
//! # Trust
//!
//! A worker believes neither a store nor another worker. Each input states the keys and statements
//! of the leaves below it, as a digest, and the proven bits that every proof below it must have.
//! The worker verifies the input natively, derives its recursion keys, and compares the leaves of
//! its claim tree with that digest and its bits with those. So a result proves what the plan says,
//! as securely, if the plan is honest: plans are trusted input, like the caller's arguments.

mod draft;
mod leaf;
mod local;
mod name;
mod planner;
mod store;
mod worker;

use std::fmt::{self, Display, Formatter};

use droste_native::HashId;
use droste_native::stark::security::Preset;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::keys::MAX_CHILDREN;

pub use leaf::{Leaf, LeafError, LeafProgram};
pub use local::{Event, Options, RunError, needed, run};
pub use name::{Name, NotAName};
pub use planner::{PlanError, Planner};
pub use store::{Store, StoreError, StoreLock};
pub use worker::{InputError, Product, WorkError, Worker};

/// Largest number of leaves of a plan.
pub const MAX_LEAVES: usize = 1 << 16;

/// Tasks that make one aggregate of many proofs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Security level of the recursion proofs.
    pub preset: Preset,
    /// Largest number of proofs that one join takes.
    pub arity: usize,
    /// Names of the leaves, in their order in the claim.
    pub leaves: Vec<Name>,
    /// The tasks. The inputs of a task come before it.
    pub tasks: Vec<Task>,
    /// The aggregate of all leaves.
    pub root: Input,
}

/// A pure function from the bytes of its inputs to the bytes of an aggregate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// Digest of what the result depends on.
    pub name: Name,
    /// What is done.
    pub kind: Kind,
    /// Hash in which the inputs are committed.
    pub hash: HashId,
    /// The inputs, in order.
    pub inputs: Vec<Input>,
    /// Digest of the keys and statements of all leaves below the result
    /// ([`Name::of_leaves`]).
    pub leaves: Name,
    /// Proven bits that the result and every proof below it have at least.
    pub bits: usize,
    /// What the task takes.
    pub estimate: Estimate,
}

/// What a task does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Brings the proof of a program to the canonical shape.
    Wrap,
    /// Makes the first step of a wrap, whose result has an intermediate shape.
    FirstStep,
    /// Makes all steps from an aggregate of another shape to the canonical shape.
    ToCanonical,
    /// Joins aggregates of canonical shape.
    Join,
}

impl Display for Kind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Wrap => "wrap",
            Self::FirstStep => "first step of a wrap",
            Self::ToCanonical => "further steps of a wrap",
            Self::Join => "join",
        })
    }
}

/// An input of a task, or the root of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Where its bytes come from.
    pub source: Source,
    /// Its name: of a leaf, or of a task.
    pub name: Name,
    /// Digest of the keys and statements of the leaves that it must prove ([`Name::of_leaves`]).
    pub leaves: Name,
    /// Proven bits that it and every proof below it must have at least: those of the preset, or of
    /// the weakest leaf if that has fewer.
    pub bits: usize,
}

/// Where the bytes of an input come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The leaf with this index: the file of a proof of a program, or of an aggregate.
    Leaf(usize),
    /// The result of the task with this index.
    Task(usize),
}

impl Input {
    /// Index of the task whose result it is.
    pub(crate) fn task(&self) -> Option<usize> {
        match self.source {
            Source::Leaf(_) => None,
            Source::Task(index) => Some(index),
        }
    }
}

/// What a task takes, for schedulers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Estimate {
    /// Cycles of its runs.
    pub cycles: usize,
    /// `width * height * log2(height)`, summed over the tables of its proofs: about proportional to
    /// the CPU time.
    pub fft_cost: u64,
    /// Bytes of memory of its largest proof, without what the process needs besides.
    pub memory: usize,
    /// Whether the shapes of its proofs, and so `fft_cost`, are certain.
    pub exact: bool,
}

/// Why a plan is not well formed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MalformedPlan {
    /// A task takes an input that does not exist or comes after it, or that has another name or
    /// other leaves.
    #[error(
        "input {input} of task {task} is neither a leaf nor the result of a task before it, with \
         the name and leaves that are planned"
    )]
    Input {
        /// Index of the task.
        task: usize,
        /// Index of the input.
        input: usize,
    },
    /// No plan has this arity.
    #[error("the arity of the plan is {0}, expected 1 to {MAX_CHILDREN}")]
    Arity(usize),
    /// The root is not planned.
    #[error("the root of the plan is neither one of its leaves nor one of its tasks")]
    Root,
}

impl Plan {
    /// Checks that the arity is possible, and that inputs exist and come before the tasks that take
    /// them. A plan that was read from a file may be anything.
    ///
    /// # Errors
    /// Names the arity, or the first input that is wrong.
    pub fn check(&self) -> Result<(), MalformedPlan> {
        if !(1..=MAX_CHILDREN).contains(&self.arity) {
            return Err(MalformedPlan::Arity(self.arity));
        }
        for (task, content) in self.tasks.iter().enumerate() {
            for (input, given) in content.inputs.iter().enumerate() {
                if !self.is_planned(given, task) {
                    return Err(MalformedPlan::Input { task, input });
                }
            }
        }
        if self.is_planned(&self.root, self.tasks.len()) {
            Ok(())
        } else {
            Err(MalformedPlan::Root)
        }
    }

    /// Whether an input is a leaf, or a task before `end`, and is named as such.
    fn is_planned(&self, input: &Input, end: usize) -> bool {
        match input.source {
            Source::Leaf(index) => self.leaves.get(index) == Some(&input.name),
            Source::Task(index) => {
                let task = self.tasks.get(index).filter(|_| index < end);
                task.is_some_and(|task| {
                    (task.name, task.leaves, task.bits) == (input.name, input.leaves, input.bits)
                })
            }
        }
    }

    /// Sum of the tasks' estimated `fft_cost`. A plan from elsewhere may state any, so it
    /// saturates.
    pub fn fft_cost(&self) -> u64 {
        let costs = self.tasks.iter().map(|task| task.estimate.fft_cost);
        costs.fold(0, u64::saturating_add)
    }

    /// Largest estimated memory of a task, in bytes.
    pub fn memory(&self) -> usize {
        let memory = self.tasks.iter().map(|task| task.estimate.memory);
        memory.max().unwrap_or_default()
    }

    /// The `fft_cost` of the most expensive chain of tasks in which each takes the result of the
    /// one before: with any number of workers the plan does not take less.
    pub fn critical_path(&self) -> u64 {
        let mut until: Vec<u64> = Vec::with_capacity(self.tasks.len());
        for task in &self.tasks {
            let before = task.inputs.iter().filter_map(Input::task);
            let before = before.filter_map(|index| until.get(index)).max();
            let before = before.copied().unwrap_or_default();
            until.push(before.saturating_add(task.estimate.fft_cost));
        }
        until.into_iter().max().unwrap_or_default()
    }
}
