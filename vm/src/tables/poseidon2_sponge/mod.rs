//! Sponges in Poseidon2, one permutation of width 24 per row: precompiles `poseidon2_sponge` (18)
//! and `poseidon2_hash` (19).
//!
//! | call | relation |
//! |---|---|
//! | `sponge(A, B, C, D, E)` | overwrite sponge of rate 16 over `E >= 16` lanes of the blocks from A, capacity from `blk[B]`, D added to its first lane before every permutation; `blk[C] ‖ blk[C + 1] ‖ blk[C + 2]` is the last permutation's output. Lanes of the last block past the end equal the output before it |
//! | `hash(A, B, C, D, E)` | as `sponge`, without `blk[C + 1]` and `blk[C + 2]` |
//!
//! With D = 16 and whole pairs of blocks, `sponge` computes Plonky3's duplex challenger. A row
//! reads two blocks; the last row of a call reads one if no more than 8 lanes remain.
//!
//! The rows form a ring in which row 0 follows the last row. `starts` is one on row 0, so no call
//! continues across the end of the table.
//!
//! Messages: `call` received once on the first row of a call; `block` looked up at the one or two
//! blocks of each row, at the capacity on the first row, and at the results on the last.

mod air;
mod columns;
#[cfg(test)]
mod tests;
mod trace;

pub use air::Poseidon2SpongeTable;
pub use columns::SpongeCols;
