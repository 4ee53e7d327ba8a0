//! Low bits of field elements: precompile `low_24_bits` (22).
//!
//! `low_24_bits(A, B, _, _, _)`: A is not `p - 1`, and B is the low 24 bits of its canonical
//! integer. Operands named `_` are zero. One call per row.
//!
//! The modulus is `p = 127 * 2^24 + 1`, so an integer of 31 bits whose seven highest bits are not
//! all ones is below `p - 1`, and is the canonical integer of its element.

mod air;
mod columns;
#[cfg(test)]
mod tests;
mod trace;

pub use air::Low24BitsTable;
pub use columns::Low24BitsCols;
