//! The compiler's output, which the executor runs and keys commit to.

use droste_native::{ChallengeField, F};

use crate::isa::{Operand, Program};
use crate::precompile::{self, Precompile};

/// What the executor writes before it runs an instruction. Hints constrain nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// Writes the next hint of the tape, a field element, into a word.
    Felt {
        /// The word.
        cell: Operand,
    },
    /// Writes the next hint of the tape, an extension element, into a block.
    Ext {
        /// Address of the block.
        block: Operand,
    },
    /// Takes the next hint of the tape, a slice of `blocks` blocks, and writes its address into a
    /// word if one is named.
    Slice {
        /// The word for the address.
        cell: Option<Operand>,
        /// Position that the compiler gave the slice, in blocks from the start of the tape.
        position: Option<u32>,
        /// Expected number of blocks.
        blocks: u32,
    },
    /// Writes the inverse of a word, or zero if the word is zero.
    Inverse {
        /// The word for the inverse.
        cell: Operand,
        /// The word that is inverted.
        of: Operand,
    },
    /// Writes one if two values are equal, otherwise zero.
    Equal {
        /// The word for the bit.
        cell: Operand,
        /// One side.
        a: Operand,
        /// The other side.
        b: Operand,
        /// Whether the opposite bit is written.
        negate: bool,
    },
    /// Writes one if a counted loop is at its end, which means that its counter equals the count
    /// that a word of the outer frame holds.
    Reached {
        /// The word for the bit.
        cell: Operand,
        /// The counter.
        counter: Operand,
        /// Address of the outer frame.
        outer: Operand,
        /// The count, as an operand in the outer frame.
        count: Operand,
    },
    /// Writes bit `bit` of a word's canonical integer.
    Bit {
        /// The word for the bit.
        cell: Operand,
        /// The word that is decomposed.
        of: Operand,
        /// Index of the bit, the lowest being 0.
        bit: u32,
    },
    /// Writes the address of `stride * (count + 1)` new cells.
    Fresh {
        /// The word for the address.
        cell: Operand,
        /// Number of cells per frame.
        stride: u32,
        /// Number of frames.
        count: Operand,
    },
}

/// A source file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceFile {
    /// Path of the file.
    pub path: String,
    /// Text of the file.
    pub text: String,
}

/// A range of bytes of a source file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// Index of the file.
    pub file: u32,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// An activation of an inlined function. Its parents are the chain of calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The activation that called it; `None` for the entry and for functions that are not inlined.
    pub parent: Option<u32>,
    /// Name of the function.
    pub function: String,
    /// The call expression.
    pub call: Span,
}

/// Where in the source an instruction comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Location {
    /// Span of the expression.
    pub span: Span,
    /// Index of the activation.
    pub site: u32,
}

/// What an assertion says of its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// The left side equals the right side.
    Equal,
    /// The sides are different.
    NotEqual,
    /// The condition is true.
    True,
    /// The value is zero or one.
    Bit,
    /// The value is an integer below this bound.
    Below(u32),
    /// The block is an element of this challenge field.
    Extension(ChallengeField),
}

/// An iteration of a loop that was unrolled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Iteration {
    /// The iteration of the unrolled loop around it.
    pub around: Option<u32>,
    /// The loop.
    pub span: Span,
    /// Number of the iteration, from 0.
    pub number: u64,
}

/// An assertion that an instruction makes, besides or instead of computing a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Check {
    /// Place of the assertion.
    pub location: Location,
    /// What it says; `None` if the instruction's own fault says it.
    pub relation: Option<Relation>,
    /// Whether what the instruction computes is the right side.
    pub swapped: bool,
    /// What the relation is about, if that is neither side of a comparison.
    pub value: Option<Operand>,
    /// Index of its message in [`SourceMap::messages`].
    pub message: Option<u32>,
    /// Index of the iteration that it is in, in [`SourceMap::iterations`].
    pub iteration: Option<u32>,
}

/// A text in pieces, after each of which there may be a word that a run computes.
pub type Pieces = Vec<(String, Option<Operand>)>;

/// The instructions of a loop's body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// The instructions.
    pub range: std::ops::Range<u32>,
    /// The loop.
    pub span: Span,
    /// The word that counts the iterations from 0.
    pub counter: Operand,
    /// The word with the address of the frame around the loop, if it is passed on.
    pub outer: Option<Operand>,
}

/// What is printed in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Print {
    /// The instruction.
    pub pc: u32,
    /// Whether it is printed after the instruction, and not before.
    pub after: bool,
    /// Where the program asks for it.
    pub location: Location,
    /// Index of the text in [`SourceMap::messages`].
    pub message: u32,
}

/// Maps instructions to the source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceMap {
    /// Files, of which the entry is the first.
    pub files: Vec<SourceFile>,
    /// Activations.
    pub sites: Vec<Site>,
    /// Location of each instruction, by `pc`.
    pub locations: Vec<Location>,
    /// The expression that asks for each of [`Compiled::hints`], in their order. The instruction
    /// before which a hint is written may be that of a later expression.
    pub hints: Vec<Location>,
    /// Assertions, in ascending order of `pc`. The instruction may be that of another expression.
    pub checks: Vec<(u32, Check)>,
    /// Messages of assertions, and what is printed.
    pub messages: Vec<Pieces>,
    /// Iterations of unrolled loops.
    pub iterations: Vec<Iteration>,
    /// Bodies of the other loops, each before those around it.
    pub bodies: Vec<Body>,
    /// What is printed, in ascending order of `pc`, and for one `pc` in order.
    pub prints: Vec<Print>,
}

/// Returns the line and column of a byte of a text, both counted from 1.
pub(super) fn line_column(text: &str, at: usize) -> (usize, usize) {
    let end = at.min(text.len());
    let mut lines = text.as_bytes()[..end].rsplit(|byte| *byte == b'\n');
    let column = lines.next().map_or(0, <[u8]>::len) + 1;
    (lines.count() + 1, column)
}

impl SourceFile {
    /// Returns the line and column of the first byte of a span of this file, both counted from 1.
    pub fn line_column(&self, span: Span) -> (usize, usize) {
        line_column(&self.text, span.start as usize)
    }
}

impl SourceMap {
    /// Returns the line and column of a span's first byte, both counted from 1.
    pub fn line_column(&self, span: Span) -> (usize, usize) {
        let file = self.files.get(span.file as usize);
        file.map_or((0, 0), |file| file.line_column(span))
    }

    /// Returns the path of a span's file.
    pub(crate) fn path(&self, span: Span) -> &str {
        let file = self.files.get(span.file as usize);
        file.map_or("", |file| &file.path)
    }
}

/// A compiled program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compiled {
    /// The instructions.
    pub program: Program,
    /// Hints in ascending order of `pc`, and for one `pc` in order of execution.
    pub hints: Vec<(u32, Hint)>,
    /// Blocks 1, 2 and so on: the constants that the program's first instructions assert.
    pub constants: Vec<[F; 8]>,
    /// Number of blocks of the entry function that are at fixed addresses, after the constants.
    pub globals: u32,
    /// Number of words of the entry frame that are just below the first frame pointer.
    pub entry_words: u32,
    /// Number of cells of both memories that belong to the entry frame, from the first frame
    /// pointer on.
    pub entry_frame: u32,
    /// Number of public inputs, which are the first lanes of the statement.
    pub public_inputs: usize,
    /// Number of public outputs, which are the next lanes.
    pub public_outputs: usize,
    /// Users' precompiles.
    pub precompiles: Vec<Precompile>,
    /// Maps instructions to the source.
    pub source_map: SourceMap,
}

impl AsRef<Program> for Compiled {
    fn as_ref(&self) -> &Program {
        &self.program
    }
}

impl From<Compiled> for Program {
    fn from(compiled: Compiled) -> Self {
        compiled.program
    }
}

impl Compiled {
    /// Returns the precompile of an identity, if there is one.
    pub fn precompile(&self, identity: u32) -> Option<&Precompile> {
        precompile::find(identity, &self.precompiles)
    }

    /// Returns the address of the first block of the tape.
    pub fn tape_base(&self) -> u32 {
        1 + self.constants.len() as u32 + self.globals
    }
}
