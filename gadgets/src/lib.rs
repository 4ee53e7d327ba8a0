//! In-circuit gadgets, written in the zk-DSL, and the prelude that runs them natively.
//!
//! All modules but [`prelude`], [`unchecked`], [`advice`] and [`record`] are zk-DSL: plain Rust
//! that `rustc` compiles against the prelude, and that the machine's compiler, which gets its text
//! from [`SOURCES`], turns into instructions.

// zk-DSL code loops over indices, because its arrays exist only at compile time.
#![allow(
    clippy::assign_op_pattern,
    clippy::explicit_counter_loop,
    clippy::manual_div_ceil,
    clippy::manual_is_multiple_of,
    clippy::manual_memcpy,
    clippy::needless_range_loop
)]

pub mod advice;
pub mod bits;
pub mod blake3;
pub mod bytes;
pub mod constraints;
pub mod duplex;
pub mod fri;
pub mod hash;
pub mod keccak;
pub mod leaf_root;
pub mod packing;
pub mod poseidon16;
pub mod poseidon2;
pub mod prelude;
pub mod record;
pub mod unchecked;
pub mod verify;
pub mod xmss;

/// The crate of the field to which the hints of a [`NativeTape`] belong.
pub use droste_native;
pub use prelude::run::{Failure, Hint, NativeTape, STATEMENT_LANES, run_native};

/// Lists modules with their texts: those that are one file, then those that are a folder.
macro_rules! sources {
    ($($file:literal)*; $($folder:literal)*) => {
        &[
            $((
                concat!("droste_gadgets/", $file, ".rs"),
                include_str!(concat!($file, ".rs")),
            ),)*
            $((
                concat!("droste_gadgets/", $folder, ".rs"),
                include_str!(concat!($folder, "/mod.rs")),
            ),)*
        ]
    };
}

/// Path and text of every gadget module, for the machine's compiler.
pub const SOURCES: &[(&str, &str)] = sources![
    "bits" "constraints" "blake3" "bytes" "keccak" "duplex" "fri" "hash" "packing"
    "poseidon16" "poseidon2" "verify/binary/field" "verify/binary/called" "verify/binary/calls" "verify/binary/columns" "verify/binary/opening"
    "verify/binary/queries" "verify/binary/ring_switch" "verify/binary/shape" "verify/binary/statement"
    "verify/binary/sumcheck" "verify/binary/transcript" "verify/binary/zerocheck" "verify/constraints" "verify/fri" "verify/index" "verify/query"
    "verify/recursion" "verify/shape" "verify/transcript" "verify/multilinear/constraints"
    "verify/multilinear/gkr" "verify/multilinear/shape" "verify/multilinear/sumcheck"
    "verify/multilinear/transcript" "verify/multilinear/weights"
    "verify/whir/claims" "verify/whir/query" "verify/whir/rows" "verify/whir/shape"
    "verify/whir/sumcheck" "leaf_root" "xmss";
    "verify" "verify/binary" "verify/multilinear" "verify/whir"
];
