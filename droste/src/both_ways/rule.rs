//! Runs a rule of a fold natively and in the machine, on children without proofs.

use droste_lang::executor::{Tape, TapeItem};
use droste_native::EF;
use droste_verifier::fold::{FoldError, Paper, PaperChild};
use p3_field::BasedVectorSpace;

use super::{Hint, NativeTape, Outcome, Program, machine_tape, narrated};

/// A rule of a fold on paper, compiled by Droste and by rustc. Of its children only key and
/// statement are read, and nothing is verified.
///
/// Its statement is the digest of the fold's key, the counters and the state. [`Paper::run`]
/// returns the state itself.
#[derive(Clone)]
pub struct Rule {
    paper: Paper,
    program: Program,
}

impl Rule {
    /// The rule `rule` of a fold. `main` must be that of the same rule, compiled by rustc:
    /// [`paper!`](super::paper!) is its body, and the number of rules that it is given is that of
    /// [`Paper::names`].
    ///
    /// # Panics
    ///
    /// If there is no such rule, or it does not compile; the message is the compiler's.
    pub fn new(paper: &Paper, rule: &str, main: fn()) -> Self {
        let compiled = match paper.compiled(rule) {
            Ok(compiled) => compiled.clone(),
            Err(FoldError::Compile(error) | FoldError::Rule { source: error, .. }) => {
                panic!("{}", narrated(&*error))
            }
            Err(error) => panic!("{error}"),
        };
        Self {
            paper: paper.clone(),
            program: Program {
                name: rule.to_owned(),
                compiled,
                main,
            },
        }
    }

    /// The rule as a program, for tapes with changes of your own.
    pub const fn program(&self) -> &Program {
        &self.program
    }

    /// The hints of a run on these children, the last of which are those of the function.
    ///
    /// # Panics
    ///
    /// If the rule takes other children.
    pub fn tape(&self, children: &[PaperChild], hints: &[Hint]) -> NativeTape {
        let hints = machine_tape(&NativeTape {
            hints: hints.to_vec(),
        });
        match self.paper.tape(&self.program.name, children, &hints) {
            Ok(tape) => native_tape(tape),
            Err(error) => panic!("{error}"),
        }
    }

    /// Runs the rule both ways. Both runs must have the same statement, or both must fail.
    ///
    /// # Panics
    ///
    /// If the runs differ, or the rule takes other children.
    pub fn both(&self, children: &[PaperChild], hints: &[Hint]) -> Outcome {
        self.program.both(&self.tape(children, hints), &[])
    }

    /// Changes every hint in turn, those with which the rule opens its children included
    /// ([`Program::mutate_hints`]). Returns the number of changed hints that were accepted with the
    /// same statement.
    ///
    /// # Panics
    ///
    /// If the honest run fails, a false hint that the executor computes leads to another statement,
    /// or the runs differ.
    pub fn mutate_hints(&self, children: &[PaperChild], hints: &[Hint]) -> usize {
        self.program.mutate_hints(&self.tape(children, hints), &[])
    }
}

/// Converts a tape for the machine into that of a native run.
fn native_tape(tape: Tape) -> NativeTape {
    let hints = tape.items.into_iter().map(|item| match item {
        TapeItem::Felt(value) => Hint::Felt(value),
        TapeItem::Ext(value) => Hint::Ext(EF::from_basis_coefficients_fn(|i| value[i])),
        TapeItem::Slice(blocks) => Hint::Slice(blocks),
    });
    NativeTape {
        hints: hints.collect(),
    }
}
