//! Blake3: chunks, parents, Merkle paths.

use droste_native::precompile::{BLAKE3_BLOCK_WORDS, blake3_chunk, blake3_merkle, blake3_parent};
use p3_field::PrimeField32;

use super::Operand::{A, B, C, E};
use super::{Function, Output, Parameter, Precompile, any, digest};
use crate::executor::{CallContext, Fault};

/// `blake3_chunk(A, B, C, _, E)` writes to C the chaining value of the chunk of `E` words from A
/// on, with `B = 2 counter + root`.
pub const BLAKE3_CHUNK: Precompile = Precompile {
    name: "blake3_chunk",
    identity: 8,
    functions: &[Function {
        name: "blake3_chunk",
        parameters: &[
            Parameter::Slice(A, |[words, ..]| words.div_ceil(4)),
            Parameter::Integer(E),
            Parameter::Multiple(B, 2),
            Parameter::Flag(B),
        ],
        check: any,
        output: Output::Slice(C, |_| 2),
    }],
    is_total: false,
    run: chunk,
    rows: |call| u64::from(call.e.as_canonical_u32()).div_ceil(BLAKE3_BLOCK_WORDS as u64),
};

/// `blake3_parent(A, B, C, _, E)` writes to C the parent node of the chaining values at A and B,
/// which is a hash if E is one.
pub const BLAKE3_PARENT: Precompile = Precompile {
    name: "blake3_parent",
    identity: 9,
    functions: &[Function {
        name: "blake3_parent",
        parameters: &[
            Parameter::Slice(A, |_| 2),
            Parameter::Slice(B, |_| 2),
            Parameter::Flag(E),
        ],
        check: any,
        output: Output::Slice(C, |_| 2),
    }],
    is_total: false,
    run: parent,
    rows: |_| 1,
};

/// `blake3_merkle(A, B, C, D, E)`: the root of a Merkle path, with digests of two blocks.
pub const BLAKE3_MERKLE: Precompile = Precompile {
    name: "blake3_merkle",
    identity: 10,
    functions: &[digest::merkle("blake3_merkle")],
    is_total: false,
    run: |call| digest::run_merkle(call, blake3_merkle),
    rows: digest::merkle_rows,
};

fn chunk(call: &mut CallContext<'_>) -> Result<(), Fault> {
    let mode = call.value(B)?.as_canonical_u32();
    let words = call.immediate() as usize;
    let blocks = call.read_available(A, words.div_ceil(4))?;
    let (counter, root) = (mode / 2, mode % 2 == 1);
    digest::write(call, C, blake3_chunk(&blocks, words, counter, root))
}

fn parent(call: &mut CallContext<'_>) -> Result<(), Fault> {
    let (left, right) = (digest::read(call, A)?, digest::read(call, B)?);
    let is_root = call.immediate() == 1;
    digest::write(call, C, blake3_parent(&left, &right, is_root))
}
