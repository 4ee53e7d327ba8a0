//! Poseidon2: parents and Merkle paths at width 16, the overwrite sponge of rate 16 at width 24.

use droste_native::F;
use droste_native::hash::poseidon2::RATE;
use droste_native::precompile::{LANES, poseidon2_compress, poseidon2_permute};
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::Operand::{A, B, C, D, E};
use super::digest::{block_merkle, compress, merkle_rows, run_block_merkle};
use super::{Function, Integers, Output, Parameter, Precompile, Refusal};
use crate::executor::{CallContext, Fault};
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
    run: |call| run_block_merkle(call, poseidon2_compress),
    rows: merkle_rows,
};

/// `poseidon2_sponge(A, B, C, D, E)` writes to C three blocks, the rate and the capacity of the
/// overwrite sponge over `E` lanes from A on. The sponge begins with the capacity at B, and adds D
/// to it before every permutation.
pub const POSEIDON2_SPONGE: Precompile = Precompile {
    name: "poseidon2_sponge",
    identity: 18,
    functions: &[Function {
        name: "poseidon2_duplex",
        parameters: &[
            DATA,
            Parameter::Integer(E),
            Parameter::Block(B),
            Parameter::Integer(D),
        ],
        check: check_lanes,
        output: Output::Slice(C, |_| 3),
    }],
    is_total: false,
    run: |call| sponge(call, true),
    rows: sponge_rows,
};

/// Like [`POSEIDON2_SPONGE`], but writes only the first block of the rate.
pub const POSEIDON2_HASH: Precompile = Precompile {
    name: "poseidon2_hash",
    identity: 19,
    functions: &[Function {
        name: "poseidon2_hash",
        parameters: &[DATA, Parameter::Integer(E), Parameter::Block(B)],
        check: check_lanes,
        output: Output::Block(C),
    }],
    is_total: false,
    run: |call| sponge(call, false),
    rows: sponge_rows,
};

const DATA: Parameter = Parameter::Slice(A, |[lanes, ..]| lanes.div_ceil(LANES as u64));

fn check_lanes([lanes, ..]: Integers) -> Result<(), Refusal> {
    if lanes >= RATE as u64 {
        return Ok(());
    }
    Err(Refusal {
        message: format!("a Poseidon2 sponge must absorb at least {RATE} lanes, not {lanes}"),
        help: "pad the message to two blocks",
    })
}

fn sponge_rows(call: &Call) -> u64 {
    u64::from(call.e.as_canonical_u32()).div_ceil(RATE as u64)
}

/// Sets lanes of a partial last block that have not been set to the values that are carried into
/// it.
fn sponge(call: &mut CallContext<'_>, keeps_capacity: bool) -> Result<(), Fault> {
    let mut at = call.address(A)?;
    let tag = call.value(D)?;
    let mut capacity = call.read(B)?;
    let mut length = call.immediate() as usize;
    if length < RATE {
        return Err(call.refuse(format!("{length} lanes, at least {RATE} are needed")));
    }
    let memory = call.memory();
    let mut rate = [[F::ZERO; LANES]; 2];
    while length > 0 {
        let mut lanes = length.min(RATE);
        length -= lanes;
        // A block of the rate that the input does not reach keeps the previous output.
        for block in &mut rate {
            if lanes == 0 {
                break;
            }
            let absorbed = lanes.min(LANES);
            for (lane, carried) in block.iter().enumerate().skip(absorbed) {
                memory.set_lane(at, lane, *carried)?;
            }
            *block = memory.block(at)?;
            at += 1;
            lanes -= absorbed;
        }
        capacity[0] += tag;
        (rate, capacity) = poseidon2_permute(rate, capacity);
    }
    let out = call.address(C)?;
    let memory = call.memory();
    let [low, high] = rate;
    memory.set_block(out, low)?;
    if keeps_capacity {
        memory.set_block(out + 1, high)?;
        memory.set_block(out + 2, capacity)?;
    }
    Ok(())
}
