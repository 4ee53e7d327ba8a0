//! Keccak: hashes of words and Merkle paths, by Keccak-256 and by the overwrite sponge over 64-bit
//! lanes with which most proofs of Plonky3 commit.

use droste_native::precompile::{
    Block, ByteDigest, KECCAK_RATE_BLOCKS, KECCAK_RATE_WORDS, PrecompileError, keccak_hash,
    keccak_merkle, keccak_sponge, keccak_sponge_merkle,
};
use p3_field::PrimeField32;

use super::Operand::{A, C, E};
use super::{Function, Integers, Output, Parameter, Precompile, any, digest};
use crate::executor::{CallContext, Fault};

/// `keccak_hash(A, _, C, _, E)` writes to C the hash of `E` words from A on.
pub const KECCAK_HASH: Precompile = Precompile {
    name: "keccak_hash",
    identity: 11,
    functions: &[of_words("keccak_hash")],
    is_total: false,
    run: |call| hash(call, keccak_hash),
    rows: |call| u64::from(call.e.as_canonical_u32()) / KECCAK_RATE_WORDS as u64 + 1,
};

/// `keccak_merkle(A, B, C, D, E)`: the root of a Merkle path, with digests of two blocks.
pub const KECCAK_MERKLE: Precompile = Precompile {
    name: "keccak_merkle",
    identity: 12,
    functions: &[digest::merkle("keccak_merkle")],
    is_total: false,
    run: |call| digest::run_merkle(call, keccak_merkle),
    rows: digest::merkle_rows,
};

/// `keccak_sponge(A, _, C, _, E)` writes to C the digest of `E` words from A on, by the overwrite
/// sponge without padding.
pub const KECCAK_SPONGE: Precompile = Precompile {
    name: "keccak_sponge",
    identity: 30,
    functions: &[of_words("keccak_sponge")],
    is_total: false,
    run: |call| hash(call, keccak_sponge),
    rows: |call| u64::from(call.e.as_canonical_u32()).div_ceil(KECCAK_RATE_WORDS as u64),
};

/// `keccak_sponge_merkle(A, B, C, D, E)`: the root of a Merkle path whose parents are the overwrite
/// sponge over both children, with digests of two blocks.
pub const KECCAK_SPONGE_MERKLE: Precompile = Precompile {
    name: "keccak_sponge_merkle",
    identity: 31,
    functions: &[digest::merkle("keccak_sponge_merkle")],
    is_total: false,
    run: |call| digest::run_merkle(call, keccak_sponge_merkle),
    rows: digest::merkle_rows,
};

/// Declares `hash(A, _, C, _, E)`, which writes to C the digest of `E` words from A on.
const fn of_words(name: &'static str) -> Function {
    Function {
        name,
        parameters: &[Parameter::Slice(A, blocks), Parameter::Integer(E)],
        check: any,
        output: Output::Slice(C, |_| 2),
    }
}

/// Returns the number of blocks that hold so many words: rate blocks one after the other, the last
/// one only as far as its last word.
fn blocks([words, ..]: Integers) -> u64 {
    let runs = words.saturating_sub(1) / KECCAK_RATE_WORDS as u64;
    let rest = words - runs * KECCAK_RATE_WORDS as u64;
    runs * KECCAK_RATE_BLOCKS as u64 + rest.div_ceil(4)
}

/// Runs a call of [`of_words`] with its native function.
fn hash(
    call: &mut CallContext<'_>,
    native: fn(&[Block], usize) -> Result<ByteDigest, PrecompileError>,
) -> Result<(), Fault> {
    let words = call.immediate() as usize;
    let (runs, rest) = (words / KECCAK_RATE_WORDS, words % KECCAK_RATE_WORDS);
    let count = runs * KECCAK_RATE_BLOCKS + rest.div_ceil(4);
    let blocks = call.read_available(A, count)?;
    digest::write(call, C, native(&blocks, words))
}
