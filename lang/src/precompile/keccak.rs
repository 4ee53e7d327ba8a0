//! Keccak-256: hashes of words, and Merkle paths.

use droste_native::precompile::{
    KECCAK_RATE_BLOCKS, KECCAK_RATE_WORDS, keccak_hash, keccak_merkle,
};
use p3_field::PrimeField32;

use super::Operand::{A, C, E};
use super::{Function, Integers, Output, Parameter, Precompile, any, digest};
use crate::executor::{CallContext, Fault};

/// `keccak_hash(A, _, C, _, E)` writes to C the hash of `E` words from A on.
pub const KECCAK_HASH: Precompile = Precompile {
    name: "keccak_hash",
    identity: 11,
    functions: &[Function {
        name: "keccak_hash",
        parameters: &[Parameter::Slice(A, blocks), Parameter::Integer(E)],
        check: any,
        output: Output::Slice(C, |_| 2),
    }],
    is_total: false,
    run: hash,
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

/// Returns the number of blocks that hold so many words: rate blocks one after the other, the last
/// one only as far as its last word.
fn blocks([words, ..]: Integers) -> u64 {
    let runs = words.saturating_sub(1) / KECCAK_RATE_WORDS as u64;
    let rest = words - runs * KECCAK_RATE_WORDS as u64;
    runs * KECCAK_RATE_BLOCKS as u64 + rest.div_ceil(4)
}

fn hash(call: &mut CallContext<'_>) -> Result<(), Fault> {
    let words = call.immediate() as usize;
    let (runs, rest) = (words / KECCAK_RATE_WORDS, words % KECCAK_RATE_WORDS);
    let count = runs * KECCAK_RATE_BLOCKS + rest.div_ceil(4);
    let blocks = call.read_available(A, count)?;
    digest::write(call, C, keccak_hash(&blocks, words))
}
