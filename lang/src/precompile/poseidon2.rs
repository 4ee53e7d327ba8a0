//! Poseidon2: parents and Merkle paths at width 16, the overwrite sponge of rate 16 at width 24.

use droste_native::hash::poseidon2::RATE;
use droste_native::precompile::{poseidon2_compress, poseidon2_merkle, poseidon2_sponge};
use p3_field::PrimeField32;

use super::Operand::{A, B, C};
use super::digest::{
    block_merkle, compress, duplex, merkle_rows, run_block_merkle, run_sponge, sponge,
};
use super::{Integers, Output, Precompile, Refusal};
use crate::record::Call;

/// `poseidon2_compress(A, B, C, _, _)` writes to C the parent of the digests at A and B.
pub const POSEIDON2_COMPRESS: Precompile = Precompile {
    name: "poseidon2_compress",
    identity: 16,
    functions: &[compress("poseidon2_compress")],
    is_total: true,
    run: |call| {
        let (left, right) = (call.read(A)?, call.read(B)?);
        call.write(C, poseidon2_compress(&left, &right))
    },
    rows: |_| 1,
};

/// `poseidon2_merkle(A, B, C, D, E)` writes to A the root that is reached from the leaf at D at
/// index `B < 2^E` through the siblings at `C, C + 1, ..`. Operand A can be any address, so the
/// root can be written where another value is, and is then compared with it.
pub const POSEIDON2_MERKLE: Precompile = Precompile {
    name: "poseidon2_merkle",
    identity: 17,
    functions: &[block_merkle("poseidon2_merkle")],
    is_total: false,
    run: |call| run_block_merkle(call, poseidon2_merkle),
    rows: merkle_rows,
};

/// `poseidon2_sponge(A, B, C, D, E)` writes to C three blocks, the rate and the capacity of the
/// overwrite sponge over `E` lanes from A on. The sponge begins with the capacity at B, and adds D
/// to it before every permutation.
pub const POSEIDON2_SPONGE: Precompile = Precompile {
    name: "poseidon2_sponge",
    identity: 18,
    functions: &[duplex(
        "poseidon2_duplex",
        check_lanes,
        Output::Slice(C, |_| 3),
    )],
    is_total: false,
    run: |call| run_sponge(call, true, poseidon2_sponge),
    rows: sponge_rows,
};

/// Like [`POSEIDON2_SPONGE`], but writes only the first block of the rate.
pub const POSEIDON2_HASH: Precompile = Precompile {
    name: "poseidon2_hash",
    identity: 19,
    functions: &[sponge("poseidon2_hash", check_lanes, Output::Block(C))],
    is_total: false,
    run: |call| run_sponge(call, false, poseidon2_sponge),
    rows: sponge_rows,
};

fn check_lanes([lanes, ..]: Integers) -> Result<(), Refusal> {
    let message = || format!("a Poseidon2 sponge must absorb at least {RATE} lanes, not {lanes}");
    Refusal::unless(
        lanes >= RATE as u64,
        message,
        "pad the message to two blocks",
    )
}

fn sponge_rows(call: &Call) -> u64 {
    u64::from(call.e.as_canonical_u32()).div_ceil(RATE as u64)
}
