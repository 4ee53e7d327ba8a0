//! Instruction set of the machine.
//!
//! The machine has two registers, `pc` and `fp`, and two write-once memories, one of words and one
//! of blocks of 8 lanes, with frames at the same addresses in both. There are five instructions.
//! Everything that would take many of them is a precompile, called by [`Op::Call`].

use droste_native::F;

pub use crate::precompile::id;

/// Largest number of cells of either memory. The two-adicity of the field bounds the height of a
/// table.
pub const MAX_CELLS: usize = 1 << 24;

/// What an instruction does with its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// `A + B = C`.
    Add,
    /// `A * B = C`.
    Mul,
    /// `word[A + d] = C`; `B` is unused.
    Deref,
    /// If `A`, which must be boolean, is one, sets `pc = B` and `fp = C`; otherwise continues with
    /// the next instruction.
    Jump,
    /// Sends `(id, A, B, C, D, E)` to the table of precompile `id`.
    Call,
}

/// Where an operand's value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// The operand's field itself.
    Imm,
    /// `word[fp + field]`.
    Mem,
    /// `fp + field`.
    Fp,
}

/// One operand: a mode and its field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operand {
    /// Where the value comes from.
    pub mode: Mode,
    /// Immediate value or frame offset.
    pub field: F,
}

/// One instruction. `d` is `Imm` or `Fp`; `e` and `id` are immediates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// Operation.
    pub op: Op,
    /// Precompile identity for [`Op::Call`], zero otherwise.
    pub id: u32,
    /// Operand A.
    pub a: Operand,
    /// Operand B.
    pub b: Operand,
    /// Operand C.
    pub c: Operand,
    /// Operand D: `Imm` or `Fp` only; for [`Op::Deref`] the immediate displacement.
    pub d: Operand,
    /// Immediate E.
    pub e: F,
}

/// A program. The instruction at `pc` 0 is the halt loop, and a run begins at `pc` 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// Instructions; the index is the `pc`.
    pub instructions: Vec<Instruction>,
}

/// Functions that need only instructions take programs and compiled programs alike.
impl AsRef<Self> for Program {
    fn as_ref(&self) -> &Self {
        self
    }
}
