//! Poseidon2 of width 24 with round constants that the program gives: the overwrite sponge of rate
//! 16. Parents are those of width 16.

use droste_native::hash::poseidon2::{Constants, RATE};
use p3_field::PrimeField32;

use super::Operand::{A, C};
use super::digest::{duplex, run_sponge, sponge};
use super::{Function, Integers, Output, Parameter, Precompile, Refusal, any};
use crate::record::Call;

/// `poseidon2_24_duplex(A, B, C, D, E)` writes to C three blocks, the rate and the capacity of the
/// overwrite sponge over `E` lanes from A on. The sponge begins with the capacity at B, and adds D
/// to it before every permutation.
pub const POSEIDON2_24_DUPLEX: Precompile = Precompile {
    name: "poseidon2_24_duplex",
    identity: 37,
    functions: &[duplex(
        "poseidon2_24_duplex",
        check_lanes,
        Output::Slice(C, |_| 3),
    )],
    is_total: false,
    run: |call| {
        let permutations = call.permutations().clone();
        run_sponge(call, true, |blocks, lanes, capacity, tag| {
            permutations.poseidon2_24_duplex(blocks, lanes, capacity, tag)
        })
    },
    rows: sponge_rows,
};

/// Like [`POSEIDON2_24_DUPLEX`], but writes only the first block of the rate.
pub const POSEIDON2_24_HASH: Precompile = Precompile {
    name: "poseidon2_24_hash",
    identity: 38,
    functions: &[sponge("poseidon2_24_hash", check_lanes, Output::Block(C))],
    is_total: false,
    run: |call| {
        let permutations = call.permutations().clone();
        run_sponge(call, false, |blocks, lanes, capacity, tag| {
            permutations.poseidon2_24_duplex(blocks, lanes, capacity, tag)
        })
    },
    rows: sponge_rows,
};

/// `poseidon2_24_constants(A, _, _, _, _)` takes the round constants of the other calls, of the
/// whole run, from the blocks from A on, in the order in which the permutation adds them. A run
/// calls it once, before the others.
pub const POSEIDON2_24_CONSTANTS: Precompile = Precompile {
    name: "poseidon2_24_constants",
    identity: 39,
    functions: &[Function {
        name: "poseidon2_24_constants",
        parameters: &[Parameter::Slice(A, |_| Constants::<24>::BLOCKS as u64)],
        check: any,
        output: Output::Nothing,
    }],
    is_total: false,
    run: |call| {
        let blocks = call.read_all(A, Constants::<24>::BLOCKS as u32)?;
        let taken = call.permutations().poseidon2_24_constants(&blocks);
        call.solved(taken)
    },
    // Two blocks a row.
    rows: |_| Constants::<24>::BLOCKS.div_ceil(2) as u64,
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
