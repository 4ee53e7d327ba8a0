//! In-circuit gadgets, written in the zk-DSL, and the prelude that runs them natively.
//!
//! All modules but [`prelude`], [`unchecked`], [`advice`] and [`record`] are zk-DSL: plain Rust
//! that `rustc` compiles against the prelude, and that the machine's compiler, which gets its text
//! from [`SOURCES`], turns into instructions.

// zk-DSL code loops over indices, because its arrays exist only at compile time.
#![allow(
    clippy::assign_op_pattern,
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
pub mod fri;
pub mod hash;
pub mod keccak;
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

/// Path and text of every gadget module, for the machine's compiler.
pub const SOURCES: &[(&str, &str)] = &[
    ("droste_gadgets/bits.rs", include_str!("bits.rs")),
    (
        "droste_gadgets/constraints.rs",
        include_str!("constraints.rs"),
    ),
    ("droste_gadgets/blake3.rs", include_str!("blake3.rs")),
    ("droste_gadgets/bytes.rs", include_str!("bytes.rs")),
    ("droste_gadgets/keccak.rs", include_str!("keccak.rs")),
    ("droste_gadgets/fri.rs", include_str!("fri.rs")),
    ("droste_gadgets/hash.rs", include_str!("hash.rs")),
    ("droste_gadgets/packing.rs", include_str!("packing.rs")),
    (
        "droste_gadgets/poseidon16.rs",
        include_str!("poseidon16.rs"),
    ),
    ("droste_gadgets/poseidon2.rs", include_str!("poseidon2.rs")),
    ("droste_gadgets/verify.rs", include_str!("verify/mod.rs")),
    (
        "droste_gadgets/verify/constraints.rs",
        include_str!("verify/constraints.rs"),
    ),
    (
        "droste_gadgets/verify/fri.rs",
        include_str!("verify/fri.rs"),
    ),
    (
        "droste_gadgets/verify/index.rs",
        include_str!("verify/index.rs"),
    ),
    (
        "droste_gadgets/verify/query.rs",
        include_str!("verify/query.rs"),
    ),
    (
        "droste_gadgets/verify/recursion.rs",
        include_str!("verify/recursion.rs"),
    ),
    (
        "droste_gadgets/verify/shape.rs",
        include_str!("verify/shape.rs"),
    ),
    (
        "droste_gadgets/verify/transcript.rs",
        include_str!("verify/transcript.rs"),
    ),
    (
        "droste_gadgets/verify/multilinear.rs",
        include_str!("verify/multilinear/mod.rs"),
    ),
    (
        "droste_gadgets/verify/multilinear/constraints.rs",
        include_str!("verify/multilinear/constraints.rs"),
    ),
    (
        "droste_gadgets/verify/multilinear/gkr.rs",
        include_str!("verify/multilinear/gkr.rs"),
    ),
    (
        "droste_gadgets/verify/multilinear/shape.rs",
        include_str!("verify/multilinear/shape.rs"),
    ),
    (
        "droste_gadgets/verify/multilinear/sumcheck.rs",
        include_str!("verify/multilinear/sumcheck.rs"),
    ),
    (
        "droste_gadgets/verify/multilinear/transcript.rs",
        include_str!("verify/multilinear/transcript.rs"),
    ),
    (
        "droste_gadgets/verify/multilinear/weights.rs",
        include_str!("verify/multilinear/weights.rs"),
    ),
    (
        "droste_gadgets/verify/whir.rs",
        include_str!("verify/whir/mod.rs"),
    ),
    (
        "droste_gadgets/verify/whir/claims.rs",
        include_str!("verify/whir/claims.rs"),
    ),
    (
        "droste_gadgets/verify/whir/query.rs",
        include_str!("verify/whir/query.rs"),
    ),
    (
        "droste_gadgets/verify/whir/rows.rs",
        include_str!("verify/whir/rows.rs"),
    ),
    (
        "droste_gadgets/verify/whir/shape.rs",
        include_str!("verify/whir/shape.rs"),
    ),
    (
        "droste_gadgets/verify/whir/sumcheck.rs",
        include_str!("verify/whir/sumcheck.rs"),
    ),
    ("droste_gadgets/xmss.rs", include_str!("xmss.rs")),
];
