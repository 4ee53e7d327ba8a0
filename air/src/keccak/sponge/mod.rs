#![doc = include_str!("README.md")]

mod absorb;
mod air;
mod columns;
#[cfg(test)]
mod tests;
mod trace;

pub use absorb::{
    AbsorbCols, RATE, RATE_LIMBS, absorb, eval_absorb, eval_state, output, receive_permutation,
};
pub use air::{AbsorbedMessage, BUS, DEGREE, SpongeTable};
pub use columns::{DIGEST_LIMBS, SpongeCols};
pub use trace::{generate_table, permutations, rows};
