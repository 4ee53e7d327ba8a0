//! Cases on which rules are audited, as they are written in files.

use std::collections::BTreeSet;

use serde::Deserialize;
use thiserror::Error;

use super::{FoldError, Paper, PaperChild, Slot, Tape};
use crate::fold::{Counters, StateError, state_of};

/// What a rule is audited on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Case {
    /// Name of the rule.
    pub rule: String,
    /// What its children say.
    pub children: Vec<PaperChild>,
    /// The hints of its function.
    pub hints: Tape,
    /// Numbers of the hints that are inputs: the result depends on them, as it should.
    pub inputs: BTreeSet<usize>,
    /// If the rule must fail on it: words of the reason. Then it is run, and no lies are told
    /// ([`super::refuses`]).
    pub fails: Option<String>,
}

/// A case as a file has it. Elements are canonical integers.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseFile {
    /// Name of the rule.
    rule: String,
    /// What its children of this fold say, in order.
    #[serde(default)]
    nodes: Vec<Said>,
    /// Statements of its leaves, in order.
    #[serde(default)]
    leaves: Vec<[u32; 8]>,
    /// What its children of other folds say, in order.
    #[serde(default)]
    foreign: Vec<Said>,
    /// The hints of its function.
    #[serde(default)]
    hints: Tape,
    /// Hints that are inputs, as `RULE:HINT`.
    #[serde(default)]
    inputs: Vec<String>,
    /// Words of the reason for which the rule must fail on it.
    #[serde(default)]
    fails: Option<String>,
}

/// What a node says.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    #[serde(default = "start")]
    counters: Counters,
    state: Vec<[u32; 8]>,
}

const fn start() -> Counters {
    Counters::START
}

/// Why a case is none of a fold.
#[derive(Debug, Error)]
pub enum CaseError {
    /// There is no such rule.
    #[error(transparent)]
    Rule(#[from] FoldError),
    /// The case has another number of children of one kind than the rule.
    #[error("the rule `{rule}` takes {expected} {what}, the case has {found}")]
    Children {
        /// Name of the rule.
        rule: String,
        /// The kind.
        what: &'static str,
        /// Number that the rule takes.
        expected: usize,
        /// Number that the case has.
        found: usize,
    },
    /// An integer is no element.
    #[error(transparent)]
    Element(#[from] StateError),
    /// The text names no hint.
    #[error("`{0}` names no hint of a rule: expected `RULE:HINT`, where HINT is a number from 0")]
    Input(String),
}

/// Reads `RULE:HINT`, which names a hint of a rule's function.
///
/// # Errors
/// If the text has another form.
pub fn hint_of(text: &str) -> Result<(&str, usize), CaseError> {
    let parts = text.rsplit_once(':');
    let parts = parts.and_then(|(rule, hint)| Some((rule, hint.parse().ok()?)));
    parts.ok_or_else(|| CaseError::Input(text.to_owned()))
}

impl CaseFile {
    /// The case of these rules.
    ///
    /// # Errors
    /// If there is no such rule, or it takes other children.
    pub fn of(self, paper: &Paper) -> Result<Case, CaseError> {
        let slots = paper.slots(&self.rule)?;
        let count = |is: fn(&Slot) -> bool| slots.iter().filter(|slot| is(slot)).count();
        let kinds = [
            (
                "nodes",
                count(|slot| matches!(slot, Slot::Node)),
                self.nodes.len(),
            ),
            (
                "leaves",
                count(|slot| matches!(slot, Slot::Leaf(_))),
                self.leaves.len(),
            ),
            (
                "nodes of other folds",
                count(|slot| matches!(slot, Slot::Foreign(_))),
                self.foreign.len(),
            ),
        ];
        for (what, expected, found) in kinds {
            if expected != found {
                return Err(CaseError::Children {
                    rule: self.rule,
                    what,
                    expected,
                    found,
                });
            }
        }
        let (mut nodes, mut foreign) = (self.nodes.into_iter(), self.foreign.into_iter());
        let mut leaves = self.leaves.into_iter();
        let mut children = vec![];
        for slot in slots {
            // There are as many as there are slots.
            let child = match slot {
                Slot::Node => nodes.next().map(Said::node),
                Slot::Foreign(_) => foreign.next().map(Said::foreign),
                Slot::Leaf(_) => leaves.next().map(leaf),
            };
            children.extend(child.transpose()?);
        }
        let mut inputs = BTreeSet::new();
        for text in &self.inputs {
            let (rule, hint) = hint_of(text)?;
            if rule != self.rule {
                return Err(CaseError::Input(text.clone()));
            }
            inputs.insert(hint);
        }
        Ok(Case {
            rule: self.rule,
            children,
            hints: self.hints,
            inputs,
            fails: self.fails,
        })
    }
}

impl Said {
    fn node(self) -> Result<PaperChild, StateError> {
        Ok(PaperChild::Node {
            counters: self.counters,
            state: state_of(&self.state)?,
        })
    }

    fn foreign(self) -> Result<PaperChild, StateError> {
        Ok(PaperChild::Foreign {
            counters: self.counters,
            state: state_of(&self.state)?,
        })
    }
}

/// A leaf that says this.
fn leaf(statement: [u32; 8]) -> Result<PaperChild, StateError> {
    let blocks = state_of(&[statement])?;
    let statement = blocks.first().copied().unwrap_or_default();
    Ok(PaperChild::Leaf { statement })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_a_rule_and_a_number() {
        assert_eq!(hint_of("start:0").unwrap(), ("start", 0));
        assert_eq!(hint_of("a:b:12").unwrap(), ("a:b", 12));
        for wrong in ["", "start", "start:", "start:-1", "start:x"] {
            let words = hint_of(wrong).unwrap_err().to_string();
            assert!(words.contains("`RULE:HINT`"), "{words}");
        }
    }

    #[test]
    fn cases_are_read_with_short_counters() {
        let text = r#"{"rule": "merge", "nodes": [
            {"state": [[1, 2, 3, 4, 5, 6, 7, 8]]},
            {"counters": {"rules": 3, "behind": 2, "depth": 1}, "state": []},
            {"counters": [3, 2, 1], "state": []}
        ], "hints": [{"felt": 4}], "inputs": ["merge:0"], "fails": "they do not meet"}"#;
        let case: CaseFile = serde_json::from_str(text).unwrap();
        assert_eq!(case.fails.as_deref(), Some("they do not meet"));
        let counters: Vec<Counters> = case.nodes.iter().map(|said| said.counters).collect();
        assert_eq!(counters[0], Counters::START);
        assert_eq!(counters[1], counters[2]);
        for wrong in [r#"{"rule": "merge", "node": []}"#, r#"{"nodes": []}"#] {
            serde_json::from_str::<CaseFile>(wrong).unwrap_err();
        }
    }
}
