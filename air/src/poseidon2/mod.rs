#![doc = include_str!("README.md")]

mod air;
mod columns;
mod constraints;
mod instance;
mod partial;
#[cfg(test)]
mod tests;
mod trace;

pub use air::{
    PARENT_BUS, ParentMessage, Poseidon2ParentAir, Poseidon2ParentTable, Poseidon2SpongeAir,
    Poseidon2SpongeTable, SPONGE_BUS, SpongeMessage,
};
pub use columns::{
    Poseidon2ParentCols, Poseidon2ParentConstants, Poseidon2ParentTableCols, Poseidon2SpongeCols,
    Poseidon2SpongeConstants, Poseidon2SpongeTableCols,
};
pub use constraints::{
    DEGREE, eval_poseidon2_parent, eval_poseidon2_parent_with, eval_poseidon2_sponge,
    eval_poseidon2_sponge_with,
};
pub use trace::{
    fill_parent_row, fill_parent_row_with, fill_sponge_row, fill_sponge_row_with,
    generate_parent_permutations, generate_parent_table, generate_sponge_permutations,
    generate_sponge_table,
};
