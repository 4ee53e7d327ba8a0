//! Arithmetic and random combinations in `F[X] / (X^4 - 3)`: precompiles `ext4` (27), `horner4`
//! (28) and `unpack4` (29) in one table.
//!
//! | call | relation |
//! |---|---|
//! | `ext4(A, B, C, D, E)` | `blk[D] = blk[A] * b + c` in `F[X] / (X^4 - 3)`; bit 0 of E: `b` is the scalar B, else `blk[B]`; bit 1 of E: `c` is the scalar C, else `blk[C]`; bit 2 of E: instead `blk[D] = (blk[A] + b) / 2 + c * (blk[A] - b)`, a step of FRI folding |
//! | `horner4(A, B, C, D, E)` | `blk[D] = sum of beta^(8R - 1 - j) * lane_j`, over lanes `E <= j < E + C` of the `R` blocks from A; `beta = blk[B]` |
//! | `unpack4(A, _, C, D, E)` | `blk[D + i]`, `i < C`, is the extension element of lanes `E + 4i` to `E + 4i + 3` of the blocks from A |
//!
//! An element is in lanes 0 to 3 of a block, whose other lanes are zero. The table
//! [`ext`](super::ext) does the same for the field of degree 5, and has precompiles without an
//! extension field beside. A product in both fields would need columns and a flag more on its every
//! row, in every proof of a join. So this is another table, and its constraints are written out
//! again: the order of those of `ext` is part of the key of every machine.
//!
//! A call takes one row; `horner4` takes one row per block; `unpack4` takes one row per element, and
//! one more if the last element leaves its block. The rows form a ring in which row 0 follows the
//! last row. `continues` is zero on row 0, so no chain continues across the end of the table.
//!
//! Messages: `call` received once on the first row of a call; `block` looked up at A, at B, at C
//! and at D (at beta's address on every row of a `horner4` chain, at D on its last row).

mod air;
mod chain;
mod columns;
mod horner;
#[cfg(test)]
mod tests;
mod trace;
mod unpack;

pub use air::Ext4Table;
pub use columns::Ext4Cols;
