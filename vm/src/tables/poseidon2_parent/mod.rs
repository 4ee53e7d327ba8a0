//! Parents in Poseidon2, one permutation of width 16 per row: precompiles `poseidon2_compress` (16)
//! and `poseidon2_merkle` (17).
//!
//! | call | relation |
//! |---|---|
//! | `compress(A, B, C)` | `blk[C] = truncate_8(P(blk[A] ‖ blk[B]))` |
//! | `merkle(A, B, C, D, E)` | `blk[A]` is the root reached from the leaf `blk[D]` at index `B < 2^E` through the siblings `blk[C], blk[C + 1], ..`; bits low first |
//!
//! D and E of `compress` are zero. As in the table `poseidon16`, a Merkle row does not swap node
//! and sibling: `is_left` and `is_right` say which of its two blocks is the node.
//!
//! The rows form a ring in which row 0 follows the last row. `starts` is one on row 0, so no path
//! continues across the end of the table.
//!
//! Messages: `call` received once on the first row of a call; `block` looked up at both inputs and
//! at the result.

mod air;
mod columns;
#[cfg(test)]
mod tests;
mod trace;

pub use air::Poseidon2ParentTable;
pub use columns::ParentCols;
