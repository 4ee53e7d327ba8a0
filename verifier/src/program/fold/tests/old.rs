//! The states of another fold.

use droste_gadgets::fold::State;
use droste_gadgets::prelude::*;

/// One block led to another.
pub struct OldSpan {
    pub from: Block,
    pub to: Block,
}

impl State for OldSpan {
    const BLOCKS: usize = 2;

    fn blocks(&self) -> Vec<Block> {
        vec![self.from, self.to]
    }

    fn of(blocks: &[Block]) -> Self {
        Self {
            from: blocks[0],
            to: blocks[1],
        }
    }
}
