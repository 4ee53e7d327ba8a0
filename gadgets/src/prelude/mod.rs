//! The types and functions that every zk-DSL program uses, as native code.
//!
//! A program is plain Rust over these types. Compiled by `rustc`, it runs on this module; for the
//! machine, the compiler replaces everything in this module by instructions with the same meaning,
//! so the code here defines what a program means. Field elements are [`Felt`] and [`Ext`]; memory
//! consists of [`Block`]s of 8 lanes and [`Slice`]s of consecutive blocks; hints are read from a
//! tape as [`Unchecked`] values; and the statement consists of the elements that [`public_input`]
//! read and [`reveal`] wrote.
//!
//! ```
//! use droste_gadgets::prelude::*;
//! use droste_gadgets::{NativeTape, run_native};
//!
//! fn square() {
//!     let x = public_input();
//!     reveal(x * x);
//! }
//!
//! let statement = run_native(&NativeTape::default(), &[7], square)?;
//! assert_eq!(statement[..2], [7, 49]);
//! # Ok::<(), droste_gadgets::Failure>(())
//! ```

#[cfg(test)]
mod baby_bear_tests;
mod block;
mod ext;
mod felt;
mod hints;
mod index;
mod permutations;
mod precompiles;
pub(crate) mod run;
#[cfg(test)]
mod tests;

pub use block::{Block, Slice};
pub use ext::Ext;
pub use felt::{Felt, felt};
pub use hints::{Unchecked, hint_ext, hint_felt, hint_slice};
pub use index::{Index, Words, count, count_to};
pub use permutations::{
    poseidon2_16_compress, poseidon2_16_constants, poseidon2_16_duplex, poseidon2_16_hash,
    poseidon2_16_merkle, poseidon2_24_constants, poseidon2_24_duplex, poseidon2_24_hash,
};
pub use precompiles::{
    assert_low_24_bits, assert_poseidon16_tweaked_path, assert_unpacked, baby_bear_dot, binary_dot,
    binary_product, binary_scale, blake3_chunk, blake3_merkle, blake3_parent, fold_pair, horner,
    keccak_hash, keccak_merkle, keccak_sponge, keccak_sponge_merkle, limbs, poseidon2_compress,
    poseidon2_duplex, poseidon2_hash, poseidon2_merkle, poseidon16_compress, poseidon16_duplex,
    poseidon16_hash, poseidon16_merkle, poseidon16_sponge, poseidon16_winternitz, power_weights,
    right_shifts, unpack, unpack_binary, word_products,
};
pub use run::{baby_bear, public_input, quartic, reveal};
