//! Extension arithmetic, lanes, copies and random combinations: precompiles `ext` (1), `lane` (2),
//! `block_eq` (3), `horner` (4), `unpack` (14) and `right_shifts` (23) in one table.
//!
//! They share a table because they share columns: a block, three extension elements, four operands.
//! With a table of its own, `horner` would open some 45 more elements per query.
//!
//! | call | relation |
//! |---|---|
//! | `ext(A, B, C, D, E)` | `blk[D] = blk[A] * b + c` in `F[X] / (X^5 + X^2 - 1)`; bit 0 of E: `b` is the scalar B, else `blk[B]`; bit 1 of E: `c` is the scalar C, else `blk[C]`; bit 2 of E: instead `blk[D] = (blk[A] + b) / 2 + c * (blk[A] - b)`, a step of FRI folding |
//! | `lane(A, B, _, _, E)` | lane E of `blk[A]` is B |
//! | `block_eq(A, B)` | `blk[A] = blk[B]`, all 8 lanes |
//! | `horner(A, B, C, D, E)` | `blk[D] = sum of beta^(8R - 1 - j) * lane_j`, over lanes `E <= j < E + C` of the `R` blocks from A; `beta = blk[B]` |
//! | `unpack(A, _, C, D, E)` | `blk[D + i]`, `i < C`, is the extension element of lanes `E + 5i` to `E + 5i + 4` of the blocks from A |
//! | `right_shifts(A, B, C)` | the integer of B has at most `8C` bits; lane `j` of `blk[A + i]`, `i < C`, is it shifted right by `8i + j` bits |
//!
//! A call takes one row; `horner` and `right_shifts` take one row per block; `unpack` takes one row
//! per element, and one more if the last element leaves its block. The rows form a ring in which
//! row 0 follows the last row. `continues` is zero on row 0, so no chain continues across the end
//! of the table.
//!
//! Messages: `call` received once on the first row of a call; `block` looked up at A, at B, at C
//! and at D (at beta's address on every row of a `horner` chain, at D on its last row).

mod air;
mod chain;
mod columns;
mod horner;
mod shifts;
#[cfg(test)]
mod tests;
mod trace;
mod unpack;

pub use air::ExtTable;
pub use columns::ExtCols;
