//! What the compiler hands to the executor and to the keys.

use droste_native::F;

use crate::isa::{Operand, Program};
use crate::precompile::Precompile;

/// What the executor must write before an instruction runs: metadata, no constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// The next hint, a field element, into a word.
    Felt {
        /// The word.
        cell: Operand,
    },
    /// The next hint, an extension element, into a block.
    Ext {
        /// Its address.
        block: Operand,
    },
    /// The next hint, a slice of `blocks` blocks; its address into a word, if one is named.
    Slice {
        /// The word that takes the address.
        cell: Option<Operand>,
        /// Position the compiler gave the slice, in blocks from the start of the tape.
        position: Option<u32>,
        /// Expected number of blocks.
        blocks: u32,
    },
    /// Inverse of a word, zero for zero.
    Inverse {
        /// Takes the inverse.
        cell: Operand,
        /// What is inverted.
        of: Operand,
    },
    /// One if two values are equal, otherwise zero.
    Equal {
        /// Takes the bit.
        cell: Operand,
        /// One side.
        a: Operand,
        /// The other side.
        b: Operand,
        /// Write the opposite bit.
        negate: bool,
    },
    /// One if a counted loop is at its end: its counter equals the count that a word of the outer
    /// frame holds.
    Reached {
        /// Takes the bit.
        cell: Operand,
        /// The counter.
        counter: Operand,
        /// The outer frame's address.
        outer: Operand,
        /// The count, as an operand in the outer frame.
        count: Operand,
    },
    /// Bit `bit` of the canonical integer of a word.
    Bit {
        /// Takes the bit.
        cell: Operand,
        /// What is decomposed.
        of: Operand,
        /// Which bit.
        bit: u32,
    },
    /// Address of `stride * (count + 1)` fresh cells.
    Fresh {
        /// Takes the address.
        cell: Operand,
        /// Cells per frame.
        stride: u32,
        /// Number of frames.
        count: Operand,
    },
}

/// A source file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceFile {
    /// Its path.
    pub path: String,
    /// Its text.
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

/// One activation of a function that was inlined: the chain of these is the call chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The activation it was called from; `None` for the entry and for functions never inlined.
    pub parent: Option<u32>,
    /// Function name.
    pub function: String,
    /// The call expression.
    pub call: Span,
}

/// Where an instruction comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// The expression.
    pub span: Span,
    /// Index of the activation.
    pub site: u32,
}

/// Instructions back to source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceMap {
    /// Files, the entry first.
    pub files: Vec<SourceFile>,
    /// Activations.
    pub sites: Vec<Site>,
    /// By `pc`.
    pub locations: Vec<Location>,
}

impl SourceMap {
    /// Line and column, both from 1, of a byte of a file.
    pub fn line_column(&self, span: Span) -> (usize, usize) {
        let Some(file) = self.files.get(span.file as usize) else {
            return (0, 0);
        };
        let end = (span.start as usize).min(file.text.len());
        let before = &file.text.as_bytes()[..end];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let start = before
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |i| i + 1);
        (line, end - start + 1)
    }
}

/// A compiled program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compiled {
    /// The instructions.
    pub program: Program,
    /// Hints, in ascending order of `pc`, in order of execution within one.
    pub hints: Vec<(u32, Hint)>,
    /// Blocks 1, 2, ...: the constants the program's first instructions assert.
    pub constants: Vec<[F; 8]>,
    /// Blocks of the entry function, at fixed addresses after the constants.
    pub globals: u32,
    /// Words of the entry frame: they lie just below the first frame pointer.
    pub entry_words: u32,
    /// Cells of both memories that the entry frame owns from the first frame pointer on.
    pub entry_frame: u32,
    /// Number of public inputs, the first lanes of the statement.
    pub public_inputs: usize,
    /// Number of public outputs, the lanes after them.
    pub public_outputs: usize,
    /// Precompiles beside those of the standard machine.
    pub precompiles: Vec<Precompile>,
    /// Instructions back to source.
    pub source_map: SourceMap,
}

impl Compiled {
    /// Address of the first block of the tape.
    pub fn tape_base(&self) -> u32 {
        1 + self.constants.len() as u32 + self.globals
    }
}
