//! Poseidon-16 calls, one permutation per row: precompiles `poseidon16_compress` (5),
//! `poseidon16_sponge` (6), `poseidon16_hash` (15) and `poseidon16_merkle` (7).
//!
//! | call | relation |
//! |---|---|
//! | `compress(A, B, C)` | `blk[C] = truncate_8(P(x) + x)`, `x = blk[A] ‖ blk[B]` |
//! | `sponge(A, B, C, D, E)` | overwrite sponge of rate 8 over `E >= 8` lanes of the blocks from A, capacity from `blk[B]`, D added to its first lane before every permutation; `blk[C] ‖ blk[C + 1]` is the last permutation's output. Lanes of the last block past the end equal the output before it |
//! | `hash(A, B, C, D, E)` | as `sponge`, without `blk[C + 1]` |
//! | `merkle(A, B, C, D, E)` | `blk[A]` is the root reached from the leaf `blk[D]` at index `B < 2^E` through the siblings `blk[C], blk[C + 1], ..`; bits low first |
//!
//! D and E of `compress` are zero. With D = 8 and whole blocks, `sponge` computes Plonky3's duplex
//! challenger.
//!
//! The permutation's inputs are two blocks, each with its address. A Merkle row does not swap node
//! and sibling. Instead, the flags `is_left` and `is_right` say which of the two blocks is the
//! node, and the addresses swap their meaning. So every message to block memory has degree 1, and
//! two messages share one auxiliary column.
//!
//! The rows form a ring in which row 0 follows the last row. `starts` is one on row 0, so no chain
//! continues across the end of the table.
//!
//! Messages: `call` received once on the first row of a call; `block` looked up at both inputs and
//! at the result.

mod air;
mod columns;
#[cfg(test)]
mod tests;
mod trace;

pub use air::Poseidon16CallTable;
pub use columns::ChainCols;
