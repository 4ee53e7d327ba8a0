//! Poseidon-16: compression, overwrite sponge, and Merkle paths.

use droste_native::F;
use droste_native::hash::poseidon16::Poseidon16;
use droste_native::precompile::{LANES, poseidon16_compress};
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::Operand::{A, B, C, D, E};
use super::digest::{block_merkle, compress, merkle_rows, run_block_merkle};
use super::{Function, Integers, Output, Parameter, Precompile, Refusal};
use crate::executor::{CallContext, Fault};
use crate::record::Call;

/// `poseidon16_compress(A, B, C, _, _)` writes to C the compression of the blocks at A and B.
pub const POSEIDON16_COMPRESS: Precompile = Precompile {
    name: "poseidon16_compress",
    identity: 5,
    functions: &[compress("poseidon16_compress")],
    is_total: true,
    run: |call| {
        let (left, right) = (call.read(A)?, call.read(B)?);
        call.write(C, Poseidon16.compress_pair(left, right))
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
        Function {
            name: "poseidon16_sponge",
            parameters: SPONGE,
            check: check_lanes,
            output: Output::Pair(C),
        },
        Function {
            name: "poseidon16_duplex",
            parameters: &[
                DATA,
                Parameter::Integer(E),
                Parameter::Block(B),
                Parameter::Integer(D),
            ],
            check: check_lanes,
            output: Output::Slice(C, |_| 2),
        },
    ],
    is_total: false,
    run: |call| sponge(call, true),
    rows: sponge_rows,
};

/// Like [`POSEIDON16_SPONGE`], but writes only the rate.
pub const POSEIDON16_HASH: Precompile = Precompile {
    name: "poseidon16_hash",
    identity: 15,
    functions: &[Function {
        name: "poseidon16_hash",
        parameters: SPONGE,
        check: check_lanes,
        output: Output::Block(C),
    }],
    is_total: false,
    run: |call| sponge(call, false),
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
    run: |call| run_block_merkle(call, poseidon16_compress),
    rows: merkle_rows,
};

const DATA: Parameter = Parameter::Slice(A, |[lanes, ..]| lanes.div_ceil(LANES as u64));

const SPONGE: &[Parameter] = &[DATA, Parameter::Integer(E), Parameter::Block(B)];

fn check_lanes([lanes, ..]: Integers) -> Result<(), Refusal> {
    if lanes >= LANES as u64 {
        return Ok(());
    }
    Err(Refusal {
        message: format!("a sponge must absorb at least 8 lanes, not {lanes}"),
        help: "pad the message to one block",
    })
}

fn sponge_rows(call: &Call) -> u64 {
    u64::from(call.e.as_canonical_u32()).div_ceil(LANES as u64)
}

/// Sets lanes of a partial last block that have not been set to the values that are carried into
/// it.
fn sponge(call: &mut CallContext<'_>, keeps_capacity: bool) -> Result<(), Fault> {
    let mut at = call.address(A)?;
    let tag = call.value(D)?;
    let mut capacity = call.read(B)?;
    let mut length = call.immediate() as usize;
    if length < LANES {
        return Err(call.refuse(format!("{length} lanes, at least 8 are needed")));
    }
    let memory = call.memory();
    let mut rate = [F::ZERO; LANES];
    while length > 0 {
        let lanes = length.min(LANES);
        for (lane, carried) in rate.into_iter().enumerate().skip(lanes) {
            memory.set_lane(at, lane, carried)?;
        }
        capacity[0] += tag;
        let mut state = [F::ZERO; 2 * LANES];
        state[..LANES].copy_from_slice(&memory.block(at)?);
        state[LANES..].copy_from_slice(&capacity);
        let state = Poseidon16.permute(state);
        rate.copy_from_slice(&state[..LANES]);
        capacity.copy_from_slice(&state[LANES..]);
        length -= lanes;
        at += 1;
    }
    let out = call.address(C)?;
    let memory = call.memory();
    memory.set_block(out, rate)?;
    if keeps_capacity {
        memory.set_block(out + 1, capacity)?;
    }
    Ok(())
}
