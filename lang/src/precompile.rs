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
    /// Consecutive blocks: the address of the first.
    Slice,
    /// An integer known at compile time, at most one: operand E.
    Length,
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
