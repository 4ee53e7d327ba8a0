//! Example programs in the zk-DSL. Each module is a program whose `main` runs natively and in the
//! machine; [`keccak_calls`] has a `Program` instead, and [`folds`] has rules of folds.

pub mod blake3_chain;
pub mod blake3_membership;
pub mod factorial;
pub mod fibonacci;
pub mod folds;
pub mod keccak_calls;
pub mod keccak_chain;
pub mod keccak_membership;
pub mod leaf_root;
pub mod merkle_paths;
pub mod poseidon16_chain;
pub mod poseidon16_membership;
pub mod poseidon16_permute;
pub mod sort;

pub use folds::{FOLD_SOURCES, fold_source};

/// Text of [`keccak_calls`], which is compiled for a number of calls
/// (`droste_verifier::binary::CallingProgram`).
pub const KECCAK_CALLS: &str = include_str!("keccak_calls.rs");

/// Name and text of every program that has a `main`, for the machine's compiler.
pub const SOURCES: &[(&str, &str)] = &[
    ("blake3_chain", include_str!("blake3_chain.rs")),
    ("blake3_membership", include_str!("blake3_membership.rs")),
    ("factorial", include_str!("factorial.rs")),
    ("fibonacci", include_str!("fibonacci.rs")),
    ("keccak_chain", include_str!("keccak_chain.rs")),
    ("keccak_membership", include_str!("keccak_membership.rs")),
    ("leaf_root", include_str!("leaf_root.rs")),
    ("merkle_paths", include_str!("merkle_paths.rs")),
    ("poseidon16_chain", include_str!("poseidon16_chain.rs")),
    (
        "poseidon16_membership",
        include_str!("poseidon16_membership.rs"),
    ),
    ("poseidon16_permute", include_str!("poseidon16_permute.rs")),
    ("sort", include_str!("sort.rs")),
];

/// Returns the text of the program called `name`, if there is one.
pub fn source(name: &str) -> Option<&'static str> {
    SOURCES
        .iter()
        .find_map(|&(program, text)| (program == name).then_some(text))
}
