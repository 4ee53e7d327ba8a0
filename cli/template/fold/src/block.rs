//! The program of a block. Its statement is the commitment to the roots before and after it. A root
//! binds what blocks change, and the height, which is one more after each block: so a block fits
//! only once, even if later ones undo it.

use droste_gadgets::commitment::reveal_commitment;
use droste_gadgets::integers::assert_bits;
use droste_gadgets::prelude::*;

/// Bits of the height of a block. One more is below the field's order, so that heights only grow.
const HEIGHT_BITS: usize = 30;

/// Reveals the commitment to both roots. Replace [`after`] by what your blocks do.
pub fn main() {
    // The root binds both, and the commitment the root.
    let before = hint_slice(1).any().block(0);
    let height = hint_felt().any();
    assert_bits(height, HEIGHT_BITS);
    // Whoever has a transaction may make a block of it.
    let transaction = hint_slice(1).any().block(0);
    let from = root(before, height);
    let to = root(after(before, transaction), height + Felt::ONE);
    let mut roots = Vec::new();
    for lane in 0..8 {
        roots.push(from.lane(lane));
    }
    for lane in 0..8 {
        roots.push(to.lane(lane));
    }
    reveal_commitment(&roots);
}

/// Returns what there is after a transaction.
fn after(before: Block, transaction: Block) -> Block {
    poseidon16_compress(before, transaction)
}

/// Returns the root at a height.
fn root(contents: Block, height: Felt) -> Block {
    let zero = Felt::ZERO;
    let number = Block::new([height, zero, zero, zero, zero, zero, zero, zero]);
    poseidon16_compress(contents, number)
}
