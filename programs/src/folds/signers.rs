//! The signers of one message in one slot, each counted once, out of a registry of 2,048 keys. The
//! leaf program is `registered.rs`.

use droste_gadgets::fold::{Leaf, State};
use droste_gadgets::prelude::*;
use droste_gadgets::signers::{digest_of_signers, signers_of_both};
use droste_gadgets::xmss::signers_statement;

/// Blocks of a set of signers: 24 in a word, eight words in a block.
const BLOCKS: usize = 11;

/// So many keys of a registry have signed a message in a slot.
#[derive(Clone, Copy, Debug)]
pub struct Signers {
    /// Lower and upper half of the slot.
    pub slot: Block,
    /// The message.
    pub message: Block,
    /// Root of the tree over the registry's keys.
    pub registry: Block,
    /// Digest of the set of signers.
    pub signers: Block,
    /// Number of signers.
    pub count: Felt,
}

impl State for Signers {
    const BLOCKS: usize = 5;

    fn blocks(&self) -> Vec<Block> {
        let zero = Felt::ZERO;
        let number = Block::new([self.count, zero, zero, zero, zero, zero, zero, zero]);
        vec![self.slot, self.message, self.registry, self.signers, number]
    }

    fn of(blocks: &[Block]) -> Self {
        Self {
            slot: blocks[0],
            message: blocks[1],
            registry: blocks[2],
            signers: blocks[3],
            count: blocks[4].lane(0),
        }
    }
}

/// The signers of a batch.
pub fn batch(leaf: &Leaf<0>) -> Signers {
    // Compared with what the leaf says.
    let said = hint_slice(5).any();
    let statement = signers_statement(said);
    assert_eq!(statement, leaf.statement, "the batch says something else");
    Signers {
        slot: said.block(0),
        message: said.block(1),
        registry: said.block(2),
        signers: said.block(3),
        count: said.block(4).lane(0),
    }
}

/// Those who have signed according to one or the other.
pub fn unite(left: &Signers, right: &Signers) -> Signers {
    assert_eq!(left.slot, right.slot, "the slots differ");
    assert_eq!(left.message, right.message, "the messages differ");
    assert_eq!(left.registry, right.registry, "the registries differ");
    // Compared with both digests.
    let (a, b) = (hint_slice(BLOCKS).any(), hint_slice(BLOCKS).any());
    let signers = digest_of_signers(a, BLOCKS);
    assert_eq!(signers, left.signers, "other signers on the left");
    let signers = digest_of_signers(b, BLOCKS);
    assert_eq!(signers, right.signers, "other signers on the right");
    let (both, count) = signers_of_both(a, b, BLOCKS);
    Signers {
        slot: left.slot,
        message: left.message,
        registry: left.registry,
        signers: digest_of_signers(both, BLOCKS),
        count,
    }
}

/// Two batches in one step.
pub fn pair(first: &Leaf<0>, second: &Leaf<0>) -> Signers {
    unite(&batch(first), &batch(second))
}

/// One batch more.
pub fn add(before: &Signers, leaf: &Leaf<0>) -> Signers {
    unite(before, &batch(leaf))
}
