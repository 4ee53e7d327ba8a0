//! Tweaked hashes in Poseidon-16, one compression per row: precompiles `poseidon16_winternitz` (20)
//! and `poseidon16_tweaked_path` (21).
//!
//! | call | relation |
//! |---|---|
//! | `winternitz(A, B, C, D, E)` | D pairs of chains from the values in `blk[A], ..`, with E steps in all, under the parameter `blk[B]` and the digits and tweak `blk[B + 1]`; `blk[C + k]` is the state after the ends of pair k have been compressed into the state before, `blk[B + 2]` the first state |
//! | `tweaked_path(A, B, C, D, E)` | E levels lead from the first half of `blk[D]` to the first half of `blk[A]`, whose second half is the parameter, with the tweaks `blk[B], ..` and the children `blk[C], ..` |
//!
//! [`droste_native::precompile::poseidon16_winternitz`] and
//! [`droste_native::precompile::poseidon16_tweaked_root`] say what a step and a level are.
//!
//! A chain with digit 7 has no step, so it takes no row: digits are counted, not decomposed. Each
//! step adds one to its chain's digit in the element that holds the digits, and both digits must be
//! 7 when the ends of the pair are compressed.
//!
//! The rows form a ring in which row 0 follows the last row. `starts` is one on row 0, so no call
//! continues across the end of the table.
//!
//! Messages: `call` received once on the first row of a call; `block` looked up wherever a row
//! reads or writes memory.

mod air;
mod columns;
#[cfg(test)]
mod tests;
mod trace;

pub use air::Poseidon16TweakedTable;
pub use columns::TweakedCols;
