//! Poseidon-16: compression, overwrite sponge, and Merkle paths.

use droste_native::precompile::{LANES, poseidon16_compress, poseidon16_duplex, poseidon16_merkle};
use p3_field::PrimeField32;

use super::Operand::{A, B, C};
use super::digest::{
    block_merkle, compress, duplex, merkle_rows, run_block_merkle, run_sponge, sponge,
};
use super::{Integers, Output, Precompile, Refusal};
use crate::record::Call;

/// `poseidon16_compress(A, B, C, _, _)` writes to C the compression of the blocks at A and B.
pub const POSEIDON16_COMPRESS: Precompile = Precompile {
    name: "poseidon16_compress",
    identity: 5,
    functions: &[compress("poseidon16_compress")],
    is_total: true,
    run: |call| {
        let (left, right) = (call.read(A)?, call.read(B)?);
        call.write(C, poseidon16_compress(&left, &right))
    },
    rows: |_| 1,
};

/// `poseidon16_sponge(A, B, C, D, E)` writes to C the rate and the capacity of the overwrite sponge
/// over `E` lanes from A on. The sponge begins with the capacity at B, and adds D to it before
/// every permutation.
pub const POSEIDON16_SPONGE: Precompile = Precompile {
    name: "poseidon16_sponge",
    identity: 6,
    functions: &[
        sponge("poseidon16_sponge", check_lanes, Output::Pair(C)),
        duplex("poseidon16_duplex", check_lanes, Output::Slice(C, |_| 2)),
    ],
    is_total: false,
    run: |call| run_sponge(call, true, poseidon16_duplex),
    rows: sponge_rows,
};

/// Like [`POSEIDON16_SPONGE`], but writes only the rate.
pub const POSEIDON16_HASH: Precompile = Precompile {
    name: "poseidon16_hash",
    identity: 15,
    functions: &[sponge("poseidon16_hash", check_lanes, Output::Block(C))],
    is_total: false,
    run: |call| run_sponge(call, false, poseidon16_duplex),
    rows: sponge_rows,
};

/// `poseidon16_merkle(A, B, C, D, E)` writes to A the root that is reached from the leaf at D at
/// index `B < 2^E` through the siblings at `C, C + 1, ..`. Operand A can be any address, so the
/// root can be written where another value is, and is then compared with it.
pub const POSEIDON16_MERKLE: Precompile = Precompile {
    name: "poseidon16_merkle",
    identity: 7,
    functions: &[block_merkle("poseidon16_merkle")],
    is_total: false,
    run: |call| run_block_merkle(call, poseidon16_merkle),
    rows: merkle_rows,
};

fn check_lanes([lanes, ..]: Integers) -> Result<(), Refusal> {
    let message = || format!("a sponge must absorb at least 8 lanes, not {lanes}");
    Refusal::unless(
        lanes >= LANES as u64,
        message,
        "pad the message to one block",
    )
}

fn sponge_rows(call: &Call) -> u64 {
    u64::from(call.e.as_canonical_u32()).div_ceil(LANES as u64)
}
