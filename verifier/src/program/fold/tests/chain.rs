//! Rules with slots of every kind.

use droste_gadgets::fold::{Foreign, Leaf, State};
use droste_gadgets::prelude::*;

use super::old::OldSpan;

/// So many steps lead from one block to another.
pub struct Span {
    pub from: Block,
    pub to: Block,
    pub steps: Felt,
}

impl State for Span {
    const BLOCKS: usize = 3;

    fn blocks(&self) -> Vec<Block> {
        let zero = Felt::ZERO;
        let steps = Block::new([self.steps, zero, zero, zero, zero, zero, zero, zero]);
        vec![self.from, self.to, steps]
    }

    fn of(blocks: &[Block]) -> Self {
        Self {
            from: blocks[0],
            to: blocks[1],
            steps: blocks[2].lane(0),
        }
    }
}

/// No step, from any block.
pub fn start() -> Span {
    // The state says which block it is.
    let from = hint_slice(1).any().block(0);
    Span {
        from,
        to: from,
        steps: Felt::ZERO,
    }
}

/// Two spans, of which the second begins where the first ends.
pub fn merge(left: &Span, right: &Span) -> Span {
    assert_eq!(left.to, right.from, "the second span begins elsewhere");
    Span {
        from: left.from,
        to: right.to,
        steps: left.steps + right.steps,
    }
}

/// One step more.
pub fn append(before: &Span, leaf: &Leaf<0>) -> Span {
    Span {
        from: before.from,
        to: poseidon16_compress(before.to, leaf.statement),
        steps: before.steps + Felt::ONE,
    }
}

/// One step, between what two programs say.
pub fn pair(first: &Leaf<0>, second: &Leaf<1>) -> Span {
    Span {
        from: first.statement,
        to: second.statement,
        steps: Felt::ONE,
    }
}

/// Goes on from another fold.
pub fn import(old: &Foreign<0, OldSpan>) -> Span {
    let state = &old.state;
    Span {
        from: state.from,
        to: state.to,
        steps: Felt::ZERO,
    }
}
