//! The record of a run, from which every table makes its trace.

use std::ops::{Index, IndexMut};

use droste_native::F;

/// One executed instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// Program counter.
    pub pc: u32,
    /// Frame pointer.
    pub fp: u32,
}

/// One message on the `call` bus, without the identity, which is that of its list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Value of operand A.
    pub a: F,
    /// Value of operand B.
    pub b: F,
    /// Value of operand C.
    pub c: F,
    /// Value of operand D.
    pub d: F,
    /// Immediate E.
    pub e: F,
}

/// Both memories at the end of the run, in which cells that were never set are zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FinalMemory {
    /// Address of `words[0]`.
    pub word_base: u32,
    /// Word memory.
    pub words: Vec<F>,
    /// Block memory, from address 0.
    pub blocks: Vec<[F; 8]>,
}

/// Calls by precompile identity, in the order of execution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Calls(Vec<Vec<Call>>);

impl Calls {
    /// Returns the lists of calls of all identities, from 0 on.
    pub fn iter(&self) -> impl Iterator<Item = &Vec<Call>> {
        self.0.iter()
    }
}

impl Index<usize> for Calls {
    type Output = Vec<Call>;

    fn index(&self, identity: usize) -> &Vec<Call> {
        const NONE: &Vec<Call> = &Vec::new();
        self.0.get(identity).unwrap_or(NONE)
    }
}

#[allow(clippy::indexing_slicing, reason = "the list is made just before")]
impl IndexMut<usize> for Calls {
    fn index_mut(&mut self, identity: usize) -> &mut Vec<Call> {
        if identity >= self.0.len() {
            self.0.resize_with(identity + 1, Vec::new);
        }
        &mut self.0[identity]
    }
}

/// A run that ended without failure.
#[derive(Clone, Debug, Default)]
pub struct Execution {
    /// All cycles in order, including the first one of the halt instruction.
    pub cycles: Vec<Cycle>,
    /// Calls of precompiles.
    pub calls: Calls,
    /// Both memories at the end.
    pub memory: FinalMemory,
    /// The statement (block 0).
    pub statement: [F; 8],
    /// What the program printed with `dbg!`, in lines.
    pub printed: Vec<String>,
}
