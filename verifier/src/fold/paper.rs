//! Paper rules: the rules of a fold without the verifier.
//!
//! The program of a paper rule is that of the rule, except that key and statement of each child are
//! hints and no proof is verified. It runs in microseconds. So the states of a whole plan are
//! computed before anything is proved ([`super::plan`]), and functions are tested with false
//! hints ([`super::audit`]). The keys of a paper rule's own family are made up, and a run of it
//! proves nothing.

use std::sync::{Arc, OnceLock};

use droste_gadgets::paper::rule_key;
use droste_native::F;
use droste_vm::compiler::Compiled;
use droste_vm::executor::{Fault, RunError, Tape, TapeItem, execute};
use droste_vm::key::KeyDigest;
use droste_vm::machine::precompiles_of;
use droste_vm::record::Execution;
use p3_field::PrimeCharacteristicRing;
use p3_maybe_rayon::prelude::*;

use super::compiled::Rules;
use super::source::{Slot, Source};
use super::tape::{Said, claim_of_path, family_item, glue, paper_child, said_state};
use super::{Counters, Family, FoldError, statement};
use crate::circuit::{PRECOMPILES, rows_of_tables};
use crate::keys::MAX_BITS;
use crate::program::fold::RULES;

/// Largest number of cycles of a paper rule's run. A rule's run has fewer, with its verifier.
pub(super) const MAX_CYCLES: u64 = 1 << 24;

/// The rules of a fold without proofs. Each is compiled when it is first run; clones share the
/// programs.
#[derive(Clone)]
pub struct Paper {
    rules: Arc<Rules>,
    /// Made up, with as many keys as the fold has; and its digest.
    family: Family,
    key: KeyDigest,
    /// By instance.
    compiled: Arc<Vec<OnceLock<Compiled>>>,
    /// The programs that encode a state which they have decoded: of this fold's states, then of
    /// those of the other folds.
    again: Arc<Vec<OnceLock<Compiled>>>,
}

/// What a child of a paper rule says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PaperChild {
    /// A node of the fold.
    Node {
        /// Its counters.
        counters: Counters,
        /// Its state.
        state: Vec<[F; 8]>,
    },
    /// A proof of an accepted program.
    Leaf {
        /// The statement of that proof.
        statement: [F; 8],
    },
    /// A node of another fold.
    Foreign {
        /// Its counters.
        counters: Counters,
        /// Its state.
        state: Vec<[F; 8]>,
    },
}

/// A run of a paper rule.
#[derive(Clone, Debug)]
pub struct PaperRun {
    /// The counters of the result, which are those that the rule's proof would have.
    pub counters: Counters,
    /// The state of the result.
    pub state: Vec<[F; 8]>,
    /// The run.
    pub execution: Execution,
}

impl PaperChild {
    const fn words(&self) -> &'static str {
        match self {
            Self::Node { .. } => "a node of this fold",
            Self::Leaf { .. } => "a leaf",
            Self::Foreign { .. } => "a node of another fold",
        }
    }
}

impl PaperRun {
    /// Cycles of the run.
    pub fn cycles(&self) -> usize {
        self.execution.cycles.len()
    }

    /// The result as a child of another rule.
    pub fn into_child(self) -> PaperChild {
        PaperChild::Node {
            counters: self.counters,
            state: self.state,
        }
    }
}

impl Paper {
    /// The paper rules of these rules.
    pub(super) fn new(rules: Arc<Rules>) -> Self {
        let keys = (0..rules.count() as u32).map(|rule| KeyDigest(rule_key(rule).map(F::from_u32)));
        let family = Family {
            bits: MAX_BITS as u16,
            bits_behind: MAX_BITS as u16,
            keys: keys.collect(),
        };
        Self {
            key: family.key(),
            family,
            compiled: Arc::new((0..rules.count()).map(|_| OnceLock::new()).collect()),
            again: Arc::new((0..=rules.others()).map(|_| OnceLock::new()).collect()),
            rules,
        }
    }

    /// The rules.
    pub(super) fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Names of the rules: those of the functions, and where a leaf has several paths, one more for
    /// each of the others, such as `merge#1`.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        (0..self.rules.count()).map(|index| self.rules.name(index))
    }

    /// Number of blocks of a state.
    pub fn blocks(&self) -> usize {
        self.rules.blocks()
    }

    /// What a rule takes, in order.
    ///
    /// # Errors
    /// If there is no such rule.
    pub fn slots(&self, rule: &str) -> Result<&[Slot], FoldError> {
        Ok(self.rules.slots(self.rules.instance(rule)?))
    }

    /// Compiles all rules, several at a time.
    ///
    /// # Errors
    /// The first that does not compile.
    pub fn compile(&self) -> Result<(), FoldError> {
        let all: Vec<usize> = (0..self.rules.count()).collect();
        let compiled: Vec<Result<(), FoldError>> = all
            .par_iter()
            .map(|&index| self.program(index).map(|_compiled| ()))
            .collect();
        compiled.into_iter().collect()
    }

    /// The compiled program of a paper rule.
    ///
    /// # Errors
    /// If there is no such rule, or it does not compile.
    pub fn compiled(&self, rule: &str) -> Result<&Compiled, FoldError> {
        self.program(self.rules.instance(rule)?)
    }

    fn program(&self, index: usize) -> Result<&Compiled, FoldError> {
        let cell = self.compiled.get(index);
        let cell = cell.ok_or_else(|| self.rules.no_rule(&format!("#{index}")))?;
        if let Some(compiled) = cell.get() {
            return Ok(compiled);
        }
        let compiled = self.rules.compile_paper(index)?;
        Ok(cell.get_or_init(|| compiled))
    }

    /// The hints of a rule's run on these children, `hints` being those of its function.
    ///
    /// # Errors
    /// If there is no such rule, or it takes other children.
    pub fn tape(
        &self,
        rule: &str,
        children: &[PaperChild],
        hints: &Tape,
    ) -> Result<Tape, FoldError> {
        let index = self.rules.instance(rule)?;
        Ok(self.tape_of(&self.said(index, children)?, hints))
    }

    fn tape_of(&self, said: &[(TapeItem, Said<'_>)], hints: &Tape) -> Tape {
        let mut items = vec![family_item(&self.family)];
        items.extend(said.iter().map(|(child, _)| child.clone()));
        let said: Vec<Said<'_>> = said.iter().map(|(_, said)| *said).collect();
        items.extend(glue(&said));
        items.extend(hints.items.iter().cloned());
        Tape { items }
    }

    /// Runs a rule on these children, `hints` being those of its function.
    ///
    /// # Errors
    /// If there is no such rule, it does not compile or takes other children, or it fails on these.
    pub fn run(
        &self,
        rule: &str,
        children: &[PaperChild],
        hints: &Tape,
    ) -> Result<PaperRun, FoldError> {
        let index = self.rules.instance(rule)?;
        let said = self.said(index, children)?;
        let tape = self.tape_of(&said, hints);
        let run = execute(self.program(index)?, &[], &tape, MAX_CYCLES);
        let execution = run.map_err(|error| {
            let own = hints.items.len();
            failed(
                rule,
                Box::new(error),
                self.rules.source(),
                (tape.items.len() - own, own),
            )
        })?;
        let said: Vec<Said<'_>> = said.into_iter().map(|(_, said)| said).collect();
        let counters = self.rules.counted(index, &said)?;
        let state = said_state(&execution, self.key, counters, self.blocks());
        Ok(PaperRun {
            counters,
            state: state.ok_or(FoldError::Statement)?,
            execution,
        })
    }

    /// Number of rows that a run of a rule needs of each table of the recursion machine, by name.
    ///
    /// # Errors
    /// If there is no such rule, or no machine that runs it.
    pub fn rows(&self, rule: &str, run: &PaperRun) -> Result<Vec<(String, usize)>, FoldError> {
        let program = &self.compiled(rule)?.program;
        let precompiles = &PRECOMPILES.into() | &precompiles_of(program);
        Ok(rows_of_tables(program, &run.execution, &precompiles)?)
    }

    /// Decodes a state and encodes it again, in the machine: the blocks must be the same.
    ///
    /// # Errors
    /// [`FoldError::Run`] if they are not, or the functions of `State` fail or read hints.
    pub fn check_state(&self, state: &[[F; 8]]) -> Result<(), FoldError> {
        let (path, name) = (self.rules.state_path(), self.rules.state());
        self.encoded_again(0, (path, name, self.blocks()), state)
    }

    /// The same with a state of the other fold of this number.
    pub(super) fn check_foreign(&self, fold: usize, state: &[[F; 8]]) -> Result<(), FoldError> {
        let Some(other) = self.rules.other(fold) else {
            return Ok(());
        };
        let path = format!("{RULES}::{}::{}", other.stem, other.state);
        self.encoded_again(fold + 1, (&path, &other.state, other.blocks), state)
    }

    /// Decodes a state, whose type has this path and name and so many blocks, and encodes it again
    /// by the program of this number.
    fn encoded_again(
        &self,
        number: usize,
        (path, name, blocks): (&str, &str, usize),
        state: &[[F; 8]],
    ) -> Result<(), FoldError> {
        let cell = self.again.get(number);
        let cell = cell.ok_or_else(|| self.rules.no_rule(name))?;
        let compiled = match cell.get() {
            Some(compiled) => compiled,
            None => {
                let compiled = self.rules.probe(&again_body(path, blocks))?;
                cell.get_or_init(|| compiled)
            }
        };
        let mut tape = Tape::default();
        tape.slice(state);
        let run = execute(compiled, &[], &tape, MAX_CYCLES);
        run.map(drop).map_err(|error| {
            let source = self.rules.source();
            failed(name, Box::new(error), source, (tape.items.len(), 0))
        })
    }

    /// What each child says, after what stands for its proof.
    fn said<'a>(
        &'a self,
        index: usize,
        children: &'a [PaperChild],
    ) -> Result<Vec<(TapeItem, Said<'a>)>, FoldError> {
        let slots = self.rules.slots(index);
        if slots.len() != children.len() {
            return Err(FoldError::Children {
                rule: self.rules.name(index).to_owned(),
                expected: slots.len(),
                found: children.len(),
            });
        }
        let both = slots.iter().zip(children).enumerate();
        both.map(|(place, (&slot, child))| {
            let said = match (slot, child) {
                (Slot::Node, PaperChild::Node { counters, state }) => self.node(*counters, state),
                (Slot::Leaf(_), PaperChild::Leaf { statement }) => {
                    Some(self.leaf(index, place, *statement))
                }
                (Slot::Foreign(fold), PaperChild::Foreign { counters, state }) => {
                    self.foreign(fold, *counters, state)
                }
                _ => None,
            };
            said.ok_or_else(|| FoldError::Child {
                rule: self.rules.name(index).to_owned(),
                child: place,
                expected: {
                    let words = self.rules.words(index, place);
                    let blocks = match slot {
                        Slot::Node => Some(self.blocks()),
                        Slot::Foreign(fold) => self.rules.other(fold).map(|other| other.blocks),
                        Slot::Leaf(_) => None,
                    };
                    match blocks {
                        Some(blocks) => format!("{words} with a state of {blocks} blocks"),
                        None => words,
                    }
                },
                found: match child {
                    PaperChild::Node { state, .. } | PaperChild::Foreign { state, .. } => {
                        format!("{} with a state of {} blocks", child.words(), state.len())
                    }
                    PaperChild::Leaf { .. } => child.words().to_owned(),
                },
            })
        })
        .collect()
    }

    /// A node of this family; `None` if the state has another length.
    fn node<'a>(&'a self, counters: Counters, state: &'a [[F; 8]]) -> Option<(TapeItem, Said<'a>)> {
        if state.len() != self.blocks() {
            return None;
        }
        let (key, family) = (self.family.keys.first()?, self.key);
        let child = paper_child(*key, statement(family, counters, state));
        let said = Said::Node {
            place: 0,
            family,
            counters,
            state,
        };
        Some((child, said))
    }

    /// A leaf, through the path of this instance.
    fn leaf(&self, index: usize, place: usize, statement: [F; 8]) -> (TapeItem, Said<'static>) {
        let path = self.rules.path(index, place);
        let last = path.first().copied().unwrap_or(KeyDigest([F::ZERO; 8]));
        let child = paper_child(last, claim_of_path(path, statement));
        (child, Said::Leaf { statement })
    }

    /// A node of another fold; `None` if the state has another length.
    fn foreign<'a>(
        &'a self,
        fold: usize,
        counters: Counters,
        state: &'a [[F; 8]],
    ) -> Option<(TapeItem, Said<'a>)> {
        let other = self.rules.other(fold)?;
        if state.len() != other.blocks {
            return None;
        }
        let key = *other.family.keys.first()?;
        let says = statement(other.family.key(), counters, state);
        let (child, wrapped) = match other.wraps.first() {
            None => (paper_child(key, says), None),
            Some(&last) => {
                let path = [other.wraps.as_slice(), &[key]].concat();
                let child = paper_child(last, claim_of_path(&path, says));
                (child, Some((key, says)))
            }
        };
        let said = Said::Foreign {
            family: &other.family,
            wrapped,
            place: 0,
            counters,
            state,
        };
        Some((child, said))
    }
}

/// What reads a state of so many blocks, decodes it and encodes it again.
fn again_body(state: &str, blocks: usize) -> String {
    format!(
        "    // Compared below.
    let said = hint_slice({blocks}).any();
    let mut blocks = Vec::new();
    for i in 0..{blocks} {{
        blocks.push(said.block(i));
    }}
    let again = <{state} as State>::of(&blocks).blocks();
    for i in 0..{blocks} {{
        assert_eq!(again[i], said.block(i), \"`blocks` of `of` are other blocks\");
    }}
"
    )
}

/// That a rule fails: the message of an assertion or else the fault, and the line of the rules at
/// which it is. The numbers are those of the hints around its function, which come first, and of its
/// own.
pub(super) fn failed(
    rule: &str,
    run: Box<RunError>,
    source: &Source,
    (around, own): (usize, usize),
) -> FoldError {
    let mut places = run.places.iter();
    let place = places.find(|place| place.path == source.path());
    let place = place.map_or_else(String::new, |place| {
        format!(" ({}.rs:{})", source.stem(), place.line)
    });
    let mut places = run.places.iter();
    let message = places.find_map(|place| place.message.as_deref());
    let reason = match (&run.fault, message) {
        (_, Some(message)) => format!("{message}{place}"),
        (Fault::TapeExhausted(number), None) if *number >= around => {
            let given = match own {
                0 => "no hints were".to_owned(),
                1 => "1 hint was".to_owned(),
                own => format!("{own} hints were"),
            };
            format!(
                "it reads hint {}{place}, but {given} given: with --hints, in the second column of \
                 --list, or in `hints` of a case",
                number - around
            )
        }
        (
            Fault::TapeKind {
                index,
                expected,
                found,
            },
            None,
        ) if *index >= around => {
            let hint = index - around;
            format!("its hint {hint} is {found}, expected {expected}{place}")
        }
        (_, None) => format!("{}{place}", run.reason()),
    };
    FoldError::Run {
        rule: rule.to_owned(),
        reason,
        run,
    }
}
