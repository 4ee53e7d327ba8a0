//! Opened leaves are those of a commitment: a Merkle tree over Keccak whose cap is the root.
//!
//! Leaves are opened together, and digests that follow from them are not sent. Level by level, from
//! the leaves up and from left to right, the calldata has the digests that are missing: the order
//! of Plonky3's pruned paths. What is known of a level is a list in memory, in ascending order of
//! the index: of each node its index and its digest, two words. The list of the next level is
//! written over it, from its beginning on, which is never ahead of what is read.
//!
//! The first two words of the memory are where two digests are hashed.

#[cfg(test)]
mod tests;

use crate::assembler::{Assembler, Expr, Op, Word, call, load, var};
use crate::field::ELEMENT_BYTES;

/// Bytes of a digest.
pub const DIGEST_BYTES: u64 = 32;

/// Bytes of a node in memory: its index, and its digest.
pub const NODE_BYTES: u64 = 2 * ELEMENT_BYTES;

fn keccak(start: Expr, length: u64) -> Expr {
    Expr::Op(Op::Keccak256, vec![start, length.into()])
}

fn equal(x: Expr, y: Expr) -> Expr {
    Expr::Op(Op::Eq, vec![x, y])
}

/// Appends a leaf to the list: its index, and the digest of its bytes, which are at this place of
/// the calldata. The variable `end` is where the list ends. `scratch` is where so many bytes may be
/// written.
pub fn append_leaf(
    a: &mut Assembler,
    end: &'static str,
    index: Expr,
    place: Expr,
    length: u64,
    scratch: u64,
) {
    a.run(Op::CallDataCopy, [scratch.into(), place, length.into()]);
    a.store(var(end), index);
    a.store(var(end) + ELEMENT_BYTES, keccak(scratch.into(), length));
    a.advance(end, NODE_BYTES);
}

/// Checks that the nodes of the list from `nodes` on, which ends at `end`, are leaves of the tree
/// of this depth and root, with the digests that are missing at this place of the calldata. Reverts
/// if they are not. The value of the expression is the place behind the digests.
///
/// Indices must be below `2^depth`, in ascending order, and each there once; there must be a leaf.
/// The word at `end` is written.
pub fn verified(end: Expr, place: Expr, depth: u64, root: Expr) -> Expr {
    call("merkle", [end, place, depth.into(), root])
}

/// Defines the function that [`verified`] calls, for a list at this place of the memory.
pub fn define(a: &mut Assembler, nodes: u64) {
    a.function("merkle", ["end", "place", "depth", "root"], |a| {
        // A tree of one leaf has no levels.
        a.run_if(var("depth"), |a| {
            a.repeat_while(|a| {
                a.bind("read", nodes);
                a.bind("write", nodes);
                // Behind the last node is none that could be its sibling.
                a.store(var("end"), Word::from_limbs([u64::MAX; 4]));
                a.repeat_while(|a| {
                    hash_pair(a);
                    var("read").lt(var("end"))
                });
                a.set("end", var("write"));
                a.set("depth", var("depth") - 1);
                var("depth")
            });
        });
        a.revert_if(Expr::Op(
            Op::Xor,
            vec![load(nodes + ELEMENT_BYTES), var("root")],
        ));
        Some(var("place"))
    });
}

/// Reads a node, and its sibling if it is the next one, and writes their parent.
fn hash_pair(a: &mut Assembler) {
    a.bind("index", load(var("read")));
    // Where the node's digest is hashed: left if the index is even.
    a.bind("side", (var("index") & 1) << 5);
    a.store(var("side"), load(var("read") + ELEMENT_BYTES));
    a.advance("read", NODE_BYTES);
    a.run_either(
        equal(load(var("read")), var("index") | 1),
        |a| {
            // An odd node has its sibling before it, so this one is even.
            a.store(DIGEST_BYTES, load(var("read") + ELEMENT_BYTES));
            a.advance("read", NODE_BYTES);
        },
        |a| {
            let other = Expr::Op(Op::Xor, vec![var("side"), DIGEST_BYTES.into()]);
            a.store(other, var("place").calldata());
            a.advance("place", DIGEST_BYTES);
        },
    );
    a.store(var("write"), var("index") >> 1);
    a.store(
        var("write") + ELEMENT_BYTES,
        keccak(0.into(), 2 * DIGEST_BYTES),
    );
    a.advance("write", NODE_BYTES);
}
