//! Precompiles of users: what the compiler and the executor know of one. The rest is its table,
//! which names it in `droste_vm`'s `Table::custom`.

use std::fmt;

use crate::executor::{Fault, Memory};
use crate::record::Call;

/// A parameter in the zk-DSL, and what the table gets for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// An element: its value.
    Felt,
    /// An extension element: the address of its block.
    Ext,
    /// A block: its address.
    Block,
    /// Consecutive blocks: the address of the first. The compiler refuses a slice with fewer blocks than
    /// a call reads of it.
    Slice(Reads),
    /// Consecutive blocks, of which a call reads as many as a run-time operand says: the address of the
    /// first. Nothing compares that with the slice's length. A call that reads past the end reads what
    /// is not the slice's, unconstrained cells included, which the prover chooses: each program that
    /// calls the precompile must bound the operand, by constraints of its own, and say at the call how.
    /// So that whoever writes the program sees it, the precompile's name has `unchecked` in it.
    UncheckedSlice,
    /// An integer known at compile time, at most one: operand E.
    Length,
}

/// How much of a slice a call reads, at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// So many blocks, at least one.
    Blocks(u32),
    /// The blocks that hold so many lanes, at least one, for each unit of the call's
    /// [`Parameter::Length`].
    LanesPerLength(u32),
}

impl Reads {
    /// Blocks that a call of this length reads; `None` if no slice has as many.
    pub fn blocks(self, length: u32) -> Option<u32> {
        match self {
            Self::Blocks(blocks) => Some(blocks),
            Self::LanesPerLength(lanes) => {
                let lanes = u64::from(lanes) * u64::from(length);
                u32::try_from(lanes.div_ceil(8)).ok()
            }
        }
    }
}

/// What a call returns, written from the address in operand D on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// An extension element. The table must write zeros to lanes 5 to 7.
    Ext,
    /// A block.
    Block,
    /// So many consecutive blocks.
    Slice(u32),
}

/// A precompile: a function of the zk-DSL that one instruction calls.
///
/// Operands A, B and C are the parameters in order, [`Parameter::Length`] apart, and zero where
/// there are fewer than three.
#[derive(Clone, Copy)]
pub struct Precompile {
    /// Name of the function. A program imports it from wherever its native form is.
    pub name: &'static str,
    /// First element of its messages on the `call` bus: from [`CUSTOM`](crate::isa::id::CUSTOM) on.
    pub identity: u32,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// Its result.
    pub output: Output,
    /// What a call does: reads what its operands name, and writes its result.
    pub run: fn(&Call, &mut Memory) -> Result<(), Fault>,
}

impl fmt::Debug for Precompile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name, self.identity)
    }
}

impl PartialEq for Precompile {
    fn eq(&self, other: &Self) -> bool {
        (self.name, self.identity, self.parameters, self.output)
            == (other.name, other.identity, other.parameters, other.output)
    }
}

impl Eq for Precompile {}
