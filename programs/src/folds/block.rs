//! One block of a rollup: transfers lead from one root to another. A root binds the tree of accounts
//! and the height, which is one more after each block: so a block fits only once, even if all
//! accounts are again what they were. The statement is the commitment to both roots.

use droste_gadgets::commitment::reveal_commitment;
use droste_gadgets::integers::assert_bits;
use droste_gadgets::prelude::*;

/// Levels of the tree of accounts.
const DEPTH: usize = 8;

/// Transfers of a block.
const TRANSFERS: usize = 4;

/// Bits of a balance. The sum of two has one more, which is far below the field's order.
const BITS: usize = 29;

/// Bits of the height of a block. One more is below the field's order, so that heights only grow.
const HEIGHT_BITS: usize = 30;

/// Reveals the commitment to the roots before and after the block.
pub fn main() {
    // The root binds both, and the commitment the root.
    let mut accounts = hint_slice(1).any().block(0);
    let height = hint_felt().any();
    assert_bits(height, HEIGHT_BITS);
    let from = root(accounts, height);
    for _transfer in count(TRANSFERS) {
        // Every amount is admissible that leaves both balances in range.
        let amount = hint_felt().any();
        assert_bits(amount, BITS);
        accounts = changed(accounts, -amount);
        accounts = changed(accounts, amount);
    }
    let to = root(accounts, height + Felt::ONE);
    let mut roots = Vec::new();
    for lane in 0..8 {
        roots.push(from.lane(lane));
    }
    for lane in 0..8 {
        roots.push(to.lane(lane));
    }
    reveal_commitment(&roots);
}

/// Returns the root of the state at a height.
fn root(accounts: Block, height: Felt) -> Block {
    poseidon16_compress(accounts, number(height))
}

/// Returns the tree's root after an account, which hints name, has got `change` more.
fn changed(accounts: Block, change: Felt) -> Block {
    // Whatever leads to the tree's root is an account.
    let index = hint_felt().any();
    let balance = hint_felt().any();
    let siblings = hint_slice(DEPTH).any();
    let before = poseidon16_merkle(number(balance), index, siblings, DEPTH);
    assert_eq!(before, accounts, "the tree has no such account");
    let balance = balance + change;
    assert_bits(balance, BITS);
    poseidon16_merkle(number(balance), index, siblings, DEPTH)
}

/// Returns a number as a block, which is the leaf of an account with this balance, too.
fn number(x: Felt) -> Block {
    let zero = Felt::ZERO;
    Block::new([x, zero, zero, zero, zero, zero, zero, zero])
}
