//! What precompiles share: Merkle paths of digests of one block and, for byte hashes, of two.

use droste_native::F;
use droste_native::precompile::{Block, ByteDigest, LANES, PrecompileError, SpongeOutput};
use p3_field::PrimeField32;

use super::Operand::{self, A, B, C, D, E};
use super::{Check, Function, Integers, Output, Parameter, Refusal, any};
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
pub(super) const fn sponge(name: &'static str, check: Check, output: Output) -> Function {
    Function {
        name,
        parameters: &[DATA, Parameter::Integer(E), Parameter::Block(B)],
        check,
        output,
    }
}

/// Declares `duplex(A, B, C, D, E)`: a [`sponge`] with the tag D.
pub(super) const fn duplex(name: &'static str, check: Check, output: Output) -> Function {
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
    sponge: impl FnOnce(&[Block], usize, &Block, F) -> Result<SpongeOutput<N>, PrecompileError>,
) -> Result<(), Fault> {
    let (at, tag, capacity) = (call.address(A)?, call.value(D)?, call.read(B)?);
    let (lanes, least) = (call.immediate() as usize, N * LANES);
    if lanes < least {
        return Err(call.refuse(format!("{lanes} lanes, at least {least} are needed")));
    }
    let memory = call.memory();
    let mut blocks = Vec::new();
    for first in (0..lanes).step_by(LANES) {
        let at = at + blocks.len() as u32;
        blocks.push(if lanes - first < LANES {
            let known = memory.partial_block(at);
            let unset = known.iter().take(lanes - first).any(Option::is_none);
            let block = known.map(Option::unwrap_or_default);
            (!unset).then_some(block).ok_or(Fault::UnsetBlock(at))?
        } else {
            memory.block(at)?
        });
    }
    let output = call.solved(sponge(&blocks, lanes, &capacity, tag))?;
    let memory = call.memory();
    memory.set_block(at + blocks.len() as u32 - 1, output.last_block)?;
    let written = if writes_all { N + 1 } else { 1 };
    let results = output.rate.into_iter().chain([output.capacity]);
    call.write_all(C, results.take(written))
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
    root: impl FnOnce(&Block, u32, &[Block]) -> Result<Block, PrecompileError>,
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
