//! In-circuit gadgets, written in the zk-DSL, and the prelude that runs them natively.
//!
//! All modules but [`prelude`], [`unchecked`], [`advice`], [`record`] and [`paper`](mod@paper) are
//! zk-DSL: plain Rust that `rustc` compiles against the prelude, and that the machine's compiler,
//! which gets its text from [`SOURCES`], turns into instructions.

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
pub mod commitment;
pub mod constraints;
pub mod fold;
pub mod fri;
pub mod integers;
pub mod leaf_root;
pub mod packing;
pub mod paper;
pub mod prelude;
pub mod record;
pub mod signers;
pub mod suites;
pub mod unchecked;
pub mod verify;
pub mod xmss;

/// The crate of the field to which the hints of a [`NativeTape`] belong.
pub use droste_native;
pub use prelude::run::{Failure, Hint, NativeTape, STATEMENT_LANES, run_native};

/// Lists modules with their texts: those that are one file, then those that are a folder.
macro_rules! sources {
    (files: $($file:literal)* ; folders: $($folder:literal)*) => {
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
    files:
    "bits"
    "commitment"
    "constraints"
    "fold"
    "fri"
    "integers"
    "leaf_root"
    "packing"
    "signers"
    "suites/baby_bear"
    "suites/blake3"
    "suites/bytes"
    "suites/duplex"
    "suites/hash"
    "suites/keccak"
    "suites/keccak_sponge"
    "suites/poseidon16"
    "suites/poseidon2"
    "suites/poseidon2_16"
    "suites/poseidon2_24"
    "verify/binary/called"
    "verify/binary/calls"
    "verify/binary/columns"
    "verify/binary/field"
    "verify/binary/grid/layout"
    "verify/binary/grid/value"
    "verify/binary/grid/weights"
    "verify/binary/opening"
    "verify/binary/queries"
    "verify/binary/ring_switch"
    "verify/binary/shape"
    "verify/binary/statement"
    "verify/binary/sumcheck"
    "verify/binary/transcript"
    "verify/binary/zerocheck"
    "verify/fri/constraints"
    "verify/fri/folding"
    "verify/fri/grid"
    "verify/fri/index"
    "verify/fri/point"
    "verify/fri/query"
    "verify/fri/shape"
    "verify/fri/transcript"
    "verify/fri/weighted"
    "verify/opened"
    "verify/recursion"
    "verify/whir/constraints"
    "verify/whir/gkr"
    "verify/whir/opening/claims"
    "verify/whir/opening/query"
    "verify/whir/opening/rows"
    "verify/whir/opening/shape"
    "verify/whir/opening/sumcheck"
    "verify/whir/shape"
    "verify/whir/sumcheck"
    "verify/whir/transcript"
    "verify/whir/weights"
    "xmss"
    ;
    folders:
    "suites"
    "verify"
    "verify/binary"
    "verify/binary/grid"
    "verify/fri"
    "verify/whir"
    "verify/whir/opening"
];
