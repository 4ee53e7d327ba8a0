//! What precompiles share: Merkle paths of digests of one block and, for byte hashes, of two.

use droste_native::F;
use droste_native::precompile::{Block, ByteDigest, LANES, PrecompileError};
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::Operand::{self, A, B, C, D, E};
use super::{Function, Integers, Output, Parameter, Refusal, any};
use crate::executor::{CallContext, Fault};
use crate::record::Call;

/// Refuses lengths of a path, given as the first integer, for which no table has rows.
pub(super) fn check_depth([depth, ..]: Integers) -> Result<(), Refusal> {
    let message = || format!("the depth of a Merkle path must be 1 to 30, not {depth}");
    Refusal::unless(
        (1..=30).contains(&depth),
        message,
        "a path of depth 0 is its leaf",
    )
}

/// Declares `compress(A, B, C, _, _)`, which writes to C the parent of the digests at A and B.
pub(super) const fn compress(name: &'static str) -> Function {
    Function {
        name,
        parameters: &[Parameter::Block(A), Parameter::Block(B)],
        check: any,
        output: Output::Block(C),
    }
}

/// The lanes that a sponge absorbs.
const DATA: Parameter = Parameter::Slice(A, |[lanes, ..]| lanes.div_ceil(LANES as u64));

/// Declares `sponge(A, B, C, _, E)`: a sponge over E lanes from A on, from the capacity at B. See
/// [`run_sponge`].
pub(super) const fn sponge(
    name: &'static str,
    check: fn(Integers) -> Result<(), Refusal>,
    output: Output,
) -> Function {
    Function {
        name,
        parameters: &[DATA, Parameter::Integer(E), Parameter::Block(B)],
        check,
        output,
    }
}

/// Declares `duplex(A, B, C, D, E)`: a [`sponge`] with the tag D.
pub(super) const fn duplex(
    name: &'static str,
    check: fn(Integers) -> Result<(), Refusal>,
    output: Output,
) -> Function {
    Function {
        name,
        parameters: &[
            DATA,
            Parameter::Integer(E),
            Parameter::Block(B),
            Parameter::Integer(D),
        ],
        check,
        output,
    }
}

/// Runs an overwrite sponge of a rate of `N` blocks over E lanes from A on. It begins with the
/// capacity at B, and adds D to the capacity before every permutation. Writes to C the first block
/// of the rate or, if `writes_all`, the rate and the capacity.
///
/// Sets lanes of a partial last block that have not been set to the values that are carried into
/// it.
pub(super) fn run_sponge<const N: usize>(
    call: &mut CallContext<'_>,
    writes_all: bool,
    permute: impl Fn([Block; N], Block) -> ([Block; N], Block),
) -> Result<(), Fault> {
    let mut at = call.address(A)?;
    let tag = call.value(D)?;
    let mut capacity = call.read(B)?;
    let mut length = call.immediate() as usize;
    if length < N * LANES {
        let least = N * LANES;
        return Err(call.refuse(format!("{length} lanes, at least {least} are needed")));
    }
    let memory = call.memory();
    let mut rate = [[F::ZERO; LANES]; N];
    while length > 0 {
        // A block of the rate that the input does not reach keeps the previous output.
        for block in &mut rate {
            let absorbed = length.min(LANES);
            if absorbed == 0 {
                break;
            }
            for (lane, carried) in block.iter().enumerate().skip(absorbed) {
                memory.set_lane(at, lane, *carried)?;
            }
            *block = memory.block(at)?;
            at += 1;
            length -= absorbed;
        }
        capacity[0] += tag;
        (rate, capacity) = permute(rate, capacity);
    }
    let written = if writes_all { N + 1 } else { 1 };
    call.write_all(C, rate.into_iter().chain([capacity]).take(written))
}

/// Declares `merkle(A, B, C, D, E)` for digests of one block. See [`run_block_merkle`].
pub(super) const fn block_merkle(name: &'static str) -> Function {
    Function {
        name,
        parameters: &[
            Parameter::Block(D),
            Parameter::Felt(B),
            Parameter::Slice(C, |[depth, ..]| depth),
            Parameter::Integer(E),
        ],
        check: check_depth,
        output: Output::Block(A),
    }
}

/// Runs `merkle(A, B, C, D, E)` for digests of one block, which writes to A the root that is
/// reached from the leaf at D at index `B < 2^E` through the siblings at `C, C + 1, ..`.
pub(super) fn run_block_merkle(
    call: &mut CallContext<'_>,
    root: fn(&Block, u32, &[Block]) -> Result<Block, PrecompileError>,
) -> Result<(), Fault> {
    let leaf = call.read(D)?;
    let depth = call.immediate();
    if !(1..=30).contains(&depth) {
        return Err(call.refuse(format!("{depth} levels, 1 to 30 are possible")));
    }
    let index = call.index(B, depth)?;
    let siblings = call.read_all(C, depth)?;
    let root = call.solved(root(&leaf, index, &siblings))?;
    call.write(A, root)
}

/// Declares `merkle(A, B, C, D, E)`, which writes to D the root that is reached from the leaf at A
/// at index `B < 2^E` through the siblings at `C, C + 2, ..`.
pub(super) const fn merkle(name: &'static str) -> Function {
    Function {
        name,
        parameters: &[
            Parameter::Slice(A, |_| 2),
            Parameter::Felt(B),
            Parameter::Slice(C, |[depth, ..]| 2 * depth),
            Parameter::Integer(E),
        ],
        check: check_depth,
        output: Output::Slice(D, |_| 2),
    }
}

/// Runs a [`merkle`] call with its native function.
pub(super) fn run_merkle(
    call: &mut CallContext<'_>,
    root: fn(&ByteDigest, u32, &[ByteDigest]) -> Result<ByteDigest, PrecompileError>,
) -> Result<(), Fault> {
    let leaf = read(call, A)?;
    let depth = call.immediate();
    let index = call.index(B, depth)?;
    let siblings = call.read_all(C, 2 * depth)?;
    write(call, D, root(&leaf, index, siblings.as_chunks().0))
}

/// Returns the number of rows: one per level.
pub(super) fn merkle_rows(call: &Call) -> u64 {
    u64::from(call.e.as_canonical_u32())
}

/// Returns the digest at the address that an operand holds.
pub(super) fn read(call: &mut CallContext<'_>, operand: Operand) -> Result<ByteDigest, Fault> {
    let at = call.address(operand)?;
    let memory = call.memory();
    Ok([memory.block(at)?, memory.block(at + 1)?])
}

/// Writes a digest to the address that an operand holds.
pub(super) fn write(
    call: &mut CallContext<'_>,
    operand: Operand,
    digest: Result<ByteDigest, PrecompileError>,
) -> Result<(), Fault> {
    let digest = call.solved(digest)?;
    call.write_all(operand, digest)
}
