//! The compiler's output, which the executor runs and keys commit to.

use std::collections::HashMap;

use droste_native::F;

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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// Span of the expression.
    pub span: Span,
    /// Index of the activation.
    pub site: u32,
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
    /// Comparisons that the instruction of another expression makes, in ascending order of `pc`.
    pub checks: Vec<(u32, Location)>,
    /// Messages of assertions that have one, by the place of the assertion.
    pub messages: HashMap<Span, String>,
}

impl SourceMap {
    /// Returns the line and column of a span's first byte, both counted from 1.
    pub fn line_column(&self, span: Span) -> (usize, usize) {
        let Some(file) = self.files.get(span.file as usize) else {
            return (0, 0);
        };
        let end = (span.start as usize).min(file.text.len());
        let mut lines = file.text.as_bytes()[..end].rsplit(|byte| *byte == b'\n');
        let column = lines.next().map_or(0, <[u8]>::len) + 1;
        (lines.count() + 1, column)
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
