//! Blocks of a rollup, one after the other. The leaf program is `block.rs`, whose roots bind the
//! height: with roots that can come back, blocks could be repeated.

use droste_gadgets::commitment::commit_slice;
use droste_gadgets::fold::{Leaf, State};
use droste_gadgets::prelude::*;

/// So many blocks lead from one root to another.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// Root before the first block.
    pub from: Block,
    /// Root after the last block.
    pub to: Block,
    /// Number of blocks.
    pub blocks: Felt,
}

impl State for Span {
    const BLOCKS: usize = 3;

    fn blocks(&self) -> Vec<Block> {
        let zero = Felt::ZERO;
        let number = Block::new([self.blocks, zero, zero, zero, zero, zero, zero, zero]);
        vec![self.from, self.to, number]
    }

    fn of(blocks: &[Block]) -> Self {
        Self {
            from: blocks[0],
            to: blocks[1],
            blocks: blocks[2].lane(0),
        }
    }
}

/// One block.
pub fn block(leaf: &Leaf<0>) -> Span {
    // Compared with what the leaf says.
    let roots = hint_slice(2).any();
    let said = commit_slice(roots, 16);
    assert_eq!(said, leaf.statement, "the block says other roots");
    Span {
        from: roots.block(0),
        to: roots.block(1),
        blocks: Felt::ONE,
    }
}

/// Two spans, the second of which begins where the first ends.
pub fn merge(left: &Span, right: &Span) -> Span {
    assert_eq!(left.to, right.from, "the second span begins elsewhere");
    Span {
        from: left.from,
        to: right.to,
        // There are no more blocks than proofs, of which there are fewer than 2^25.
        blocks: left.blocks + right.blocks,
    }
}

/// Two blocks in one step.
pub fn pair(first: &Leaf<0>, second: &Leaf<0>) -> Span {
    merge(&block(first), &block(second))
}

/// One block more.
pub fn append(before: &Span, leaf: &Leaf<0>) -> Span {
    merge(before, &block(leaf))
}
