//! The processor, table `cpu`: one row per executed instruction.
//!
//! Operand A is `a + a_fp * fp`, or, if `a_mem` is one, the word at `fp + a`; likewise B and C.
//! Operand D is `d + d_fp * fp`.
//!
//! | instruction | equation |
//! |---|---|
//! | add | `A + B = C` |
//! | mul | `A * B = C` |
//! | deref | `word[A + d] = C` |
//! | jump | `A` boolean; `pc' = A ? B : pc + 1`, `fp' = A ? C : fp` |
//! | call | message `(id, A, B, C, D, E)` |
//!
//! Messages per row: its instruction, fetched at `pc`; up to four words; a call.

mod air;
mod columns;
mod trace;

pub use air::CpuTable;
pub use columns::CpuCols;
