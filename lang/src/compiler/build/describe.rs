//! What messages say about operations: the relation that an assertion is about, its message, the
//! iteration of an unrolled loop, and what is printed. No instruction depends on it.

use super::super::ir::*;
use super::super::output::{Iteration, Relation, Span};
use super::{Builder, Key, Shared};
use crate::isa::id;
use droste_native::F;
use p3_field::PrimeCharacteristicRing;

/// What the operations that are emitted assert.
#[derive(Clone, Copy, Default)]
pub struct Asserted {
    pub relation: Option<Relation>,
    /// What the relation is about, if that is neither side of the comparison.
    pub value: Option<Word>,
    /// Whether the operation's sides are the other way round than the assertion's.
    pub swapped: bool,
}

impl Asserted {
    pub fn of(relation: Relation) -> Self {
        Self {
            relation: Some(relation),
            ..Self::default()
        }
    }
}

/// An iteration of an unrolled loop that is in progress.
pub(super) struct Unrolled {
    frame: Frame,
    span: Span,
    number: u64,
    /// Its index in the table, if an assertion needed it.
    index: Option<u32>,
}

impl Builder {
    /// Returns the assertion that an operation makes.
    pub(super) fn check(&mut self, kind: &OpKind) -> Option<Check> {
        let Asserted {
            relation,
            value,
            swapped,
        } = self.asserted;
        match kind {
            OpKind::Relation(.., Def::None) | OpKind::Call(.., Def::None) => {}
            // A quotient asserts that its divisor is not zero.
            OpKind::Relation(true, [.., Word::Const(F::ONE)], _)
            | OpKind::Call(id::EXT | id::BABY_BEAR, ..)
                if relation.is_some() => {}
            _ => return None,
        }
        let assertion = Assertion {
            location: self.location,
            relation,
            value: value.and_then(|value| self.local(value)),
            message: None,
            iteration: self.iteration(),
        };
        self.ir.assertions.push(assertion);
        Some(Check {
            assertion: self.ir.assertions.len() as u32 - 1,
            swapped,
        })
    }

    /// Says what the operations that `emit` emits assert.
    pub fn asserting<T>(&mut self, asserted: Asserted, emit: impl FnOnce(&mut Self) -> T) -> T {
        let around = self.assert_next(asserted);
        let result = emit(self);
        self.asserted = around;
        result
    }

    /// Says what the operations that follow assert. Returns what was said before.
    pub fn assert_next(&mut self, asserted: Asserted) -> Asserted {
        std::mem::replace(&mut self.asserted, asserted)
    }

    /// Says whether the operations' sides are the other way round than the assertion's.
    pub fn swap_sides(&mut self, swapped: bool) {
        self.asserted.swapped = swapped;
    }

    /// Returns a word as the current frame has it, if nothing need be emitted for that.
    fn local(&self, word: Word) -> Option<Word> {
        let here = self.current_frame();
        match word {
            Word::Const(_) => Some(word),
            Word::Address(..) => None,
            Word::Var(var) if self.ir.vars[var as usize] == here => Some(word),
            Word::Var(_) => {
                let pointer = Word::Var(self.ir.frames[here as usize].outer);
                match self.find(&Key::Deref(pointer, word)) {
                    Some(Shared::Word(word)) => Some(word),
                    _ => None,
                }
            }
        }
    }

    fn message(&mut self, pieces: Pieces) -> u32 {
        let pieces = pieces.into_iter();
        let pieces = pieces.map(|(text, word)| (text, word.map(|word| self.local(word))));
        // A word of another frame is not known here.
        let pieces = pieces.map(|(text, word)| match word {
            Some(None) => (format!("{text}_"), None),
            word => (text, word.flatten()),
        });
        let pieces = pieces.collect();
        self.ir.messages.push(pieces);
        self.ir.messages.len() as u32 - 1
    }

    /// Gives a message to the assertions that were just emitted for an expression.
    pub fn explain(&mut self, span: Span, pieces: Pieces) {
        let message = self.message(pieces);
        let scope = self.scopes.last().into_iter();
        let ops = scope.flat_map(|scope| scope.ops.iter().rev());
        let ops = ops.take_while(|op| op.location.span == span);
        for check in ops.filter_map(|op| op.check) {
            let of = &mut self.ir.assertions[check.assertion as usize].message;
            of.get_or_insert(message);
        }
    }

    /// Prints a message in a run.
    pub fn print(&mut self, pieces: Pieces) {
        let message = self.message(pieces);
        self.push(OpKind::Print(message));
        // It is not counted: a run does nothing for it.
        self.operations -= 1;
    }

    /// Begins an iteration of an unrolled loop. Only messages depend on it.
    pub fn enter_iteration(&mut self, span: Span, number: u64) {
        self.unrolled.push(Unrolled {
            frame: self.root(self.current_frame()),
            span,
            number,
            index: None,
        });
    }

    pub fn leave_iteration(&mut self) {
        self.unrolled.pop();
    }

    /// Returns the outermost frame of the function that a frame is in.
    fn root(&self, mut frame: Frame) -> Frame {
        while let Some(parent) = self.ir.frames[frame as usize].parent {
            frame = parent;
        }
        frame
    }

    /// Returns the index of the present iteration. Functions that are not inlined are in none of
    /// their callers'.
    fn iteration(&mut self) -> Option<u32> {
        if self.unrolled.is_empty() {
            return None;
        }
        let root = self.root(self.current_frame());
        let mut around = None;
        for unrolled in self.unrolled.iter_mut().filter(|one| one.frame == root) {
            let table = &mut self.ir.iterations;
            let (span, number) = (unrolled.span, unrolled.number);
            around = Some(*unrolled.index.get_or_insert_with(|| {
                table.push(Iteration {
                    around,
                    span,
                    number,
                });
                table.len() as u32 - 1
            }));
        }
        around
    }
}
