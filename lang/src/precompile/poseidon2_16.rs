//! Poseidon2 of width 16 with round constants that the program gives: compression, overwrite sponge
//! of rate 8, and Merkle paths.

use droste_native::hash::poseidon2::Constants;
use droste_native::precompile::LANES;
use p3_field::PrimeField32;

use super::Operand::{A, B, C};
use super::digest::{
    block_merkle, compress, duplex, merkle_rows, run_block_merkle, run_sponge, sponge,
};
use super::{Function, Integers, Output, Parameter, Precompile, Refusal, any};
use crate::record::Call;

/// `poseidon2_16_compress(A, B, C, _, _)` writes to C the parent of the digests at A and B.
pub const POSEIDON2_16_COMPRESS: Precompile = Precompile {
    name: "poseidon2_16_compress",
    identity: 32,
    functions: &[compress("poseidon2_16_compress")],
    // It has no result without constants.
    is_total: false,
    run: |call| {
        let (left, right) = (call.read(A)?, call.read(B)?);
        let parent = call.permutations().poseidon2_16_compress(&left, &right);
        let parent = call.solved(parent)?;
        call.write(C, parent)
    },
    rows: |_| 1,
};

/// `poseidon2_16_duplex(A, B, C, D, E)` writes to C the rate and the capacity of the overwrite
/// sponge over `E` lanes from A on. The sponge begins with the capacity at B, and adds D to it
/// before every permutation.
pub const POSEIDON2_16_DUPLEX: Precompile = Precompile {
    name: "poseidon2_16_duplex",
    identity: 33,
    functions: &[duplex(
        "poseidon2_16_duplex",
        check_lanes,
        Output::Slice(C, |_| 2),
    )],
    is_total: false,
    run: |call| {
        let permutations = call.permutations().clone();
        run_sponge(call, true, |blocks, lanes, capacity, tag| {
            permutations.poseidon2_16_duplex(blocks, lanes, capacity, tag)
        })
    },
    rows: sponge_rows,
};

/// Like [`POSEIDON2_16_DUPLEX`], but writes only the rate.
pub const POSEIDON2_16_HASH: Precompile = Precompile {
    name: "poseidon2_16_hash",
    identity: 34,
    functions: &[sponge("poseidon2_16_hash", check_lanes, Output::Block(C))],
    is_total: false,
    run: |call| {
        let permutations = call.permutations().clone();
        run_sponge(call, false, |blocks, lanes, capacity, tag| {
            permutations.poseidon2_16_duplex(blocks, lanes, capacity, tag)
        })
    },
    rows: sponge_rows,
};

/// `poseidon2_16_merkle(A, B, C, D, E)` writes to A the root that is reached from the leaf at D at
/// index `B < 2^E` through the siblings at `C, C + 1, ..`. Operand A can be any address, so the
/// root can be written where another value is, and is then compared with it.
pub const POSEIDON2_16_MERKLE: Precompile = Precompile {
    name: "poseidon2_16_merkle",
    identity: 35,
    functions: &[block_merkle("poseidon2_16_merkle")],
    is_total: false,
    run: |call| {
        let permutations = call.permutations().clone();
        run_block_merkle(call, |leaf, index, siblings| {
            permutations.poseidon2_16_merkle(leaf, index, siblings)
        })
    },
    rows: merkle_rows,
};

/// `poseidon2_16_constants(A, _, _, _, _)` takes the round constants of the other calls, of the
/// whole run, from the blocks from A on, in the order in which the permutation adds them. A run
/// calls it once, before the others.
pub const POSEIDON2_16_CONSTANTS: Precompile = Precompile {
    name: "poseidon2_16_constants",
    identity: 36,
    functions: &[Function {
        name: "poseidon2_16_constants",
        parameters: &[Parameter::Slice(A, |_| Constants::<16>::BLOCKS as u64)],
        check: any,
        output: Output::Nothing,
    }],
    is_total: false,
    run: |call| {
        let blocks = call.read_all(A, Constants::<16>::BLOCKS as u32)?;
        let taken = call.permutations().poseidon2_16_constants(&blocks);
        call.solved(taken)
    },
    // Two blocks a row.
    rows: |_| Constants::<16>::BLOCKS.div_ceil(2) as u64,
};

fn check_lanes([lanes, ..]: Integers) -> Result<(), Refusal> {
    let message = || format!("a sponge must absorb at least {LANES} lanes, not {lanes}");
    Refusal::unless(
        lanes >= LANES as u64,
        message,
        "pad the message to one block",
    )
}

fn sponge_rows(call: &Call) -> u64 {
    u64::from(call.e.as_canonical_u32()).div_ceil(LANES as u64)
}
