//! A whole fold as a plan: which rules are proved, on what, in which order.
//!
//! [`Fold::plan`] chooses the rules by what they take, and runs all of them on paper. So the state
//! of every node is known, and every rule that fails on its children is named, before anything is
//! proved. [`run()`] proves the tasks of a plan on this machine and keeps what is finished in a
//! [`Store`](crate::plan::Store); [`Fold::run_task`] proves one task, for other schedulers.
//!
//! - A **wrap** brings the proof of a leaf to the canonical shape, by a path that the fold has.
//! - A **rule** proves a node.
//!
//! With a rule that takes several nodes, a *merge*, leaves become nodes and nodes are merged level
//! by level: all tasks of a level are independent. With a rule that takes a node and leaves, an
//! *append*, one node follows the other. Without leaves, a rule is repeated.
//!
//! # Names
//!
//! The name of a task is a digest of the fold key, the rule's key, the names of its inputs and the
//! hints; that of a leaf is the digest of its file. Proving is deterministic, so tasks of one name
//! have the same result.
//!
//! # Trust
//!
//! Nothing of a store is believed. The result of a task is verified under the fold's derived key,
//! and must say what the rule said on paper.

mod draft;
mod leaf;
mod rules;
mod run;

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};
use std::ops::Range;

use droste_native::F;
use droste_vm::executor::Tape;
use p3_field::PrimeField32;
use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use draft::Applied;
pub use leaf::{LeafFileError, PlannedLeaf};
pub use run::{FoldEvent, FoldProduct, FoldRunError, FoldTaskError, needed, run};

use super::audit::Case;
use super::source::Slot;
use super::{Counters, Fold, FoldError, PaperChild, StateError, state_of};
use crate::plan::{MAX_LEAVES, Name};

/// The tasks of a fold. The inputs of a task come before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FoldPlan {
    /// The tasks.
    pub tasks: Vec<FoldTask>,
    /// Number of the task whose result is the fold.
    pub root: usize,
}

/// A task: a function from the bytes of its inputs to the bytes of an aggregate or a fold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FoldTask {
    /// Digest of what the result depends on.
    pub name: Name,
    /// What is done.
    pub kind: TaskKind,
    /// The inputs, in order.
    pub inputs: Vec<TaskInput>,
    /// The hints of the rule's function.
    pub hints: Tape,
    /// What the result says.
    pub says: Expected,
}

/// What a task does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskKind {
    /// Wraps the proof of the leaf of this number.
    Wrap {
        /// Number of the leaf.
        leaf: usize,
    },
    /// Proves the rule of this name.
    Rule(String),
}

/// Where the bytes of an input come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskInput {
    /// The file of the leaf of this number.
    Leaf(usize),
    /// The result of the task of this number.
    Task(usize),
}

/// What the result of a task says. Elements serialize as canonical integers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Said", into = "Said")]
pub enum Expected {
    /// Of a rule.
    State {
        /// Its counters.
        counters: Counters,
        /// Its state.
        state: Vec<[F; 8]>,
    },
    /// Of a wrap: the statement of the leaf.
    Leaf {
        /// The statement.
        statement: [F; 8],
    },
}

/// How [`Expected`] serializes.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Said {
    State {
        counters: Counters,
        state: Vec<[u32; 8]>,
    },
    Leaf {
        statement: [u32; 8],
    },
}

impl TryFrom<Said> for Expected {
    type Error = StateError;

    fn try_from(said: Said) -> Result<Self, StateError> {
        Ok(match said {
            Said::State { counters, state } => Self::State {
                counters,
                state: state_of(&state)?,
            },
            Said::Leaf { statement } => Self::Leaf {
                statement: state_of(&[statement])?
                    .concat()
                    .try_into()
                    .unwrap_or_default(),
            },
        })
    }
}

impl From<Expected> for Said {
    fn from(says: Expected) -> Self {
        let integers = |block: [F; 8]| block.map(|element| element.as_canonical_u32());
        match says {
            Expected::State { counters, state } => Self::State {
                counters,
                state: state.into_iter().map(integers).collect(),
            },
            Expected::Leaf { statement } => Self::Leaf {
                statement: integers(statement),
            },
        }
    }
}

/// Which rules a plan uses. What is not named is chosen by what the rules take.
#[derive(Clone, Debug, Default)]
pub struct PlanRules {
    /// The rule that makes one node of several.
    pub merge: Option<String>,
    /// The rules that make nodes of leaves. With several, larger ones are used first.
    pub leaf: Vec<String>,
    /// The rule that makes a node of a node and leaves. If it is named, one node follows the other
    /// even if there is a merge.
    pub append: Option<String>,
    /// The rule that takes nothing, with which a fold without leaves begins.
    pub start: Option<String>,
    /// The hints of that rule's function.
    pub start_hints: Tape,
    /// The rule that makes a node of a node, and how often it is applied.
    pub repeat: Option<(String, u32)>,
}

/// Why there is no plan.
#[derive(Debug, Error)]
pub enum FoldPlanError {
    /// The number of leaves is not possible in a plan.
    #[error("{0} leaves were given, expected at most {MAX_LEAVES}")]
    Leaves(usize),
    /// There is nothing to do.
    #[error(
        "there are no leaves, and no rule is to be repeated: give leaves, or --repeat RULE:NUMBER"
    )]
    Nothing,
    /// Leaves were given where a rule is repeated, which takes none.
    #[error("the rule `{0}` is to be repeated, which takes no leaves")]
    Repeat(String),
    /// A rule takes something else than the rule that is wanted.
    #[error("the rule `{rule}` takes {found}, expected {expected}")]
    Role {
        /// Name of the rule.
        rule: String,
        /// What it takes.
        found: String,
        /// What it should take.
        expected: &'static str,
    },
    /// Several rules would do.
    #[error("the rules {rules} take the same: name one with {option}")]
    Ambiguous {
        /// Their names.
        rules: String,
        /// The option that names one.
        option: &'static str,
    },
    /// No rule would do.
    #[error("no rule {what}: write one that takes {expected}")]
    Missing {
        /// What is wanted of it.
        what: String,
        /// What it should take.
        expected: &'static str,
    },
    /// No rules take these leaves in their order.
    #[error("no rules take the leaves in this order: {0}")]
    Order(String),
    /// There are no hints for a rule.
    #[error("the hints of the rule `{rule}` on {on}: {reason}")]
    Hints {
        /// Name of the rule.
        rule: String,
        /// The leaves below it.
        on: Leaves,
        /// Why there are none.
        reason: String,
    },
    /// Rules fail on paper. Whatever takes their results was not tried.
    #[error("{}", failures(.0))]
    Failing(Vec<FailedRule>),
    /// A rule cannot be run at all.
    #[error(transparent)]
    Fold(#[from] FoldError),
    /// A task cannot be named.
    #[error("what a task depends on cannot be encoded")]
    Name,
}

/// A rule that fails on its children, on paper.
#[derive(Debug)]
pub struct FailedRule {
    /// Name of the rule.
    pub rule: String,
    /// Leaves below it.
    pub on: Leaves,
    /// Why it fails.
    pub reason: String,
    /// The error.
    pub source: FoldError,
}

/// Some leaves of a plan that follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaves(pub Range<usize>);

impl Display for Leaves {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Range { start, end } = self.0;
        match end.saturating_sub(start) {
            0 => f.write_str("no leaves"),
            1 => write!(f, "leaf {start}"),
            _ => write!(f, "leaves {start} to {}", end - 1),
        }
    }
}

fn failures(failed: &[FailedRule]) -> String {
    let lines = failed.iter().map(|failed| {
        let FailedRule {
            rule, on, reason, ..
        } = failed;
        if on.0.is_empty() {
            format!("`{rule}` fails: {reason}")
        } else {
            format!("`{rule}` fails on {on}: {reason}")
        }
    });
    let lines: Vec<String> = lines.collect();
    match lines.as_slice() {
        [line] => line.clone(),
        lines => format!("{} steps fail: {}", lines.len(), lines.join("; ")),
    }
}

impl FoldPlan {
    /// What the fold says.
    pub fn says(&self) -> Option<(Counters, &[[F; 8]])> {
        match &self.tasks.get(self.root)?.says {
            Expected::State { counters, state } => Some((*counters, state)),
            Expected::Leaf { .. } => None,
        }
    }
}

impl FoldPlan {
    /// What each rule of the plan is applied to, for [`super::audit`]. `leaves` are those of the
    /// plan.
    pub fn cases(&self, leaves: &[PlannedLeaf]) -> Vec<Case> {
        let child = |input: &TaskInput| match *input {
            TaskInput::Leaf(index) => leaves.get(index).map(|leaf| PaperChild::Leaf {
                statement: leaf.statement,
            }),
            TaskInput::Task(index) => self.tasks.get(index).map(|task| match &task.says {
                Expected::State { counters, state } => PaperChild::Node {
                    counters: *counters,
                    state: state.clone(),
                },
                Expected::Leaf { statement } => PaperChild::Leaf {
                    statement: *statement,
                },
            }),
        };
        let cases = self.tasks.iter().filter_map(|task| match &task.kind {
            TaskKind::Wrap { .. } => None,
            TaskKind::Rule(rule) => Some(Case {
                rule: rule.clone(),
                children: task.inputs.iter().map(child).collect::<Option<_>>()?,
                hints: task.hints.clone(),
                inputs: BTreeSet::new(),
                fails: None,
            }),
        });
        cases.collect()
    }
}

impl Fold {
    /// Plans the fold of these leaves, in this order, and runs all of its rules on paper.
    ///
    /// The hints of a rule's function are those of its leaves, one after the other.
    ///
    /// # Errors
    /// If no rules take these leaves, or rules fail on paper: all of these are named.
    pub fn plan(
        &self,
        leaves: &[PlannedLeaf],
        with: &PlanRules,
    ) -> Result<FoldPlan, FoldPlanError> {
        self.plan_with(leaves, with, &mut |applied| Ok(applied.hints.clone()))
    }

    /// Like [`Self::plan`], with hints that depend on the children.
    ///
    /// # Errors
    /// As for [`Self::plan`], and if there are no hints for a rule.
    pub fn plan_with(
        &self,
        leaves: &[PlannedLeaf],
        with: &PlanRules,
        hints: &mut dyn FnMut(&Applied<'_>) -> Result<Tape, String>,
    ) -> Result<FoldPlan, FoldPlanError> {
        draft::plan(self, leaves, with, hints)
    }
}

/// What a rule takes, in words.
fn words(slots: &[Slot]) -> String {
    if slots.is_empty() {
        return "nothing".to_owned();
    }
    let slots: Vec<String> = slots.iter().map(Slot::to_string).collect();
    format!("({})", slots.join(", "))
}

#[cfg(test)]
mod tests {
    use p3_field::PrimeCharacteristicRing;

    use super::*;

    #[test]
    fn what_tasks_say_is_written_in_canonical_integers() {
        let state = Expected::State {
            counters: Counters::START,
            state: vec![[F::NEG_ONE; 8], [F::TWO; 8]],
        };
        let leaf = Expected::Leaf {
            statement: [F::NEG_ONE; 8],
        };
        for says in [state, leaf] {
            let text = serde_json::to_string(&says).unwrap();
            assert!(text.contains("[2130706432,2130706432,"), "{text}");
            assert_eq!(serde_json::from_str::<Expected>(&text).unwrap(), says);
            let large = text.replace("2130706432", "2130706433");
            serde_json::from_str::<Expected>(&large).unwrap_err();
        }
    }

    #[test]
    fn every_failing_rule_is_named() {
        let failed = |rule: &str, on: Range<usize>| FailedRule {
            rule: rule.to_owned(),
            on: Leaves(on),
            reason: "the second span begins elsewhere (chain.rs:31)".to_owned(),
            source: FoldError::Statement,
        };
        let one = FoldPlanError::Failing(vec![failed("merge", 4..8)]).to_string();
        let expected =
            "`merge` fails on leaves 4 to 7: the second span begins elsewhere (chain.rs:31)";
        assert_eq!(one, expected);
        let two = FoldPlanError::Failing(vec![failed("merge", 4..8), failed("block", 9..10)]);
        let two = two.to_string();
        assert!(
            two.starts_with("2 steps fail: `merge` fails on leaves 4 to 7: "),
            "{two}"
        );
        assert!(two.contains("`block` fails on leaf 9: "), "{two}");
    }
}
