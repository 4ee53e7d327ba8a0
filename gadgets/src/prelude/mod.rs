//! What every zk-DSL program builds on, in its native execution.
//!
//! A program is plain Rust over these types. Under `rustc` it runs on this module; inside the machine
//! the compiler replaces everything here by instructions of the same meaning, so this module is the
//! meaning. Field elements are [`Felt`] and [`Ext`], memory is [`Block`]s of 8 lanes and [`Slice`]s of
//! consecutive blocks, hints come out of a tape as [`Unchecked`] values, and the statement is what
//! [`public_input`] read and [`reveal`] wrote.
//!
//! ```
//! use droste_gadgets::prelude::*;
//! use droste_gadgets::{Tape, run_native};
//!
//! fn square() {
//!     let x = public_input();
//!     reveal(x * x);
//! }
//!
//! let statement = run_native(&Tape::default(), &[7], square)?;
//! assert_eq!(statement[..2], [7, 49]);
//! # Ok::<(), droste_gadgets::Failure>(())
//! ```

mod block;
mod ext;
mod felt;
mod hints;
mod index;
mod precompiles;
pub(crate) mod run;

pub use block::{Block, Slice};
pub use ext::Ext;
pub use felt::{Felt, felt};
pub use hints::{Unchecked, hint_ext, hint_felt, hint_slice};
pub use index::{Index, Words, count, count_to};
pub use precompiles::{
    assert_unpacked, blake3_chunk, blake3_merkle, blake3_parent, fold_pair, horner, keccak_hash,
    keccak_merkle, limbs, poseidon16_compress, poseidon16_duplex, poseidon16_hash,
    poseidon16_merkle, poseidon16_sponge, unpack,
};
pub use run::{public_input, reveal};
