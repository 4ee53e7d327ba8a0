//! What an execution leaves behind: enough for every table to build its trace.

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

/// One message on the `call` bus (the identity is the list it stands in).
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

/// Both memories at the end of the run; cells never set are zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// Address of `words[0]`.
    pub word_base: u32,
    /// Word memory.
    pub words: Vec<F>,
    /// Block memory, from address 0.
    pub blocks: Vec<[F; 8]>,
}

/// Calls by precompile identity, in execution order; none of an identity that is not called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Calls(Vec<Vec<Call>>);

impl Calls {
    /// The calls of each identity, from 0 on.
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

/// A finished run.
#[derive(Clone, Debug, Default)]
pub struct Execution {
    /// Every cycle in order, the first arrival at the halt instruction included.
    pub cycles: Vec<Cycle>,
    /// Calls.
    pub calls: Calls,
    /// Final memory.
    pub image: Image,
    /// The statement (block 0).
    pub statement: [F; 8],
}
