//! The extension module `droste._native` of the Python package `droste`.
//!
//! Each file here binds one topic. Functions take Python objects apart, do the work in Rust types
//! on a thread of their own (`compute`), and return Python objects; what the work consists of is
//! in the crates below. Proofs and aggregates are held as the bytes of their files, so that what
//! reaches a function from Python is always decoded and verified again.

// Input from outside (proofs, programs, arguments) ends in an error, never in a panic.
#![warn(clippy::unwrap_used, clippy::expect_used)]
#![warn(clippy::panic, clippy::unreachable)]
#![warn(clippy::todo, clippy::unimplemented)]
#![warn(clippy::indexing_slicing)]
#![warn(clippy::print_stderr, clippy::print_stdout)]

mod aggregate;
mod arguments;
mod arrays;
mod calling;
mod compute;
mod cost;
mod error;
mod extract;
mod features;
mod files;
mod fold;
mod hash;
mod hashes;
mod merkle;
mod msm;
mod plan;
mod program;
mod proof;
mod records;
mod signatures;
mod store;
mod trust;

use mimalloc::MiMalloc;
use pyo3::prelude::*;

/// The allocator of the command `droste`, for what is allocated in Rust.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// The compiled part of the package `droste`, which exports all of its names.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::{
        aggregate::{Aggregate, exit_proof, join, keys, rooted_exit_proof, wrap},
        cost::cost_row,
        features::features,
        fold::{Fold, FoldPlan, Folded},
        hash::{Blake3, Keccak256, Poseidon16, commitment, digest_to_limbs, hash},
        hashes::{prove_hashes, prove_paths, verify_hashes, verify_paths},
        merkle::MerkleTree,
        msm::msm,
        plan::{Plan, Worker},
        program::Program,
        proof::Proof,
        signatures::{
            Registry, SignatureBatch, SignatureFold, SignedMessage, StoredKey, read_signatures,
            signatures_from_json, signatures_to_json, verify_signatures,
        },
        store::Store,
    };
}
