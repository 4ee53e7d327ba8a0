//! Extension arithmetic and sums of products in the challenge field of proofs over BabyBear, for
//! programs that begin with `baby_bear()`.
//!
//! The block of an element has the four Montgomery words of its coefficients, as limbs. A call
//! asserts that the words at A are canonical, so every word that comes from outside is at A of a
//! call. Blocks at B, C and D may have any words; what a run writes is canonical.

use droste_native::BabyBear4;
use droste_native::precompile::{
    WORDS_PER_BLOCK, baby_bear_dot, baby_bear_from_block, baby_bear_to_block,
};
use p3_field::{Field, PrimeField32};

use super::Operand::{A, B, C, D, E};
use super::{Function, Output, Parameter, Precompile, Refusal};
use crate::executor::{CallContext, Fault};
use crate::isa::MAX_CELLS;

/// `baby_bear(A, B, C, D)` writes to D `blk[A] * blk[B] + blk[C]`: it is [`EXT`](super::EXT) in a
/// program that begins with `baby_bear()`.
pub const BABY_BEAR: Precompile = Precompile {
    name: "baby_bear",
    identity: 44,
    functions: &[],
    is_total: false,
    run: product,
    rows: |_| 1,
};

/// `baby_bear_dot(A, B, C, D, E)` writes to D the sum of `blk[C]` and of the words of the `E`
/// blocks from A on, each multiplied by the element that is its weight. The weights are the blocks
/// from B on, four for each block of words.
pub const BABY_BEAR_DOT: Precompile = Precompile {
    name: "baby_bear_dot",
    identity: 45,
    functions: &[Function {
        name: "baby_bear_dot",
        parameters: &[
            Parameter::Slice(A, |[blocks, ..]| blocks),
            Parameter::Slice(B, |[blocks, ..]| WORDS_PER_BLOCK as u64 * blocks),
            Parameter::Integer(E),
            Parameter::Ext(C),
        ],
        check: |[blocks, ..]| {
            Refusal::unless(
                (1..=MAX_BLOCKS as u64).contains(&blocks),
                || format!("a sum of products of the words of {blocks} blocks"),
                "it is of at least one block; the sum of no products is the element itself",
            )
        },
        output: Output::Ext(D),
    }],
    is_total: false,
    run: |call| {
        let blocks = call.immediate();
        if blocks == 0 || blocks > MAX_BLOCKS {
            return Err(call.refuse(format!("the words of {blocks} blocks")));
        }
        let data = call.read_all(A, blocks)?;
        let weights = call.read_all(B, WORDS_PER_BLOCK as u32 * blocks)?;
        let sum = call.read(C)?;
        let result = call.solved(baby_bear_dot(&data, &weights, &sum))?;
        call.write(D, baby_bear_to_block(result))
    },
    rows: |call| u64::from(call.e.as_canonical_u32()),
};

/// Largest number of blocks of words, whose weights fill the memory.
const MAX_BLOCKS: u32 = (MAX_CELLS / WORDS_PER_BLOCK) as u32;

/// Whether the words of a block must be canonical.
const CANONICAL: bool = true;

/// Returns the element in a block, or `None` if one of its lanes has not been set.
fn read(call: &mut CallContext<'_>, at: u32, canonical: bool) -> Result<Option<BabyBear4>, Fault> {
    let Ok(block) = call.memory().block(at) else {
        return Ok(None);
    };
    call.solved(baby_bear_from_block(&block, canonical))
        .map(Some)
}

/// Returns the element in a block. If a lane has not been set, the fault is that of the block
/// `missing`.
fn known(call: &mut CallContext<'_>, at: u32, missing: u32) -> Result<BabyBear4, Fault> {
    read(call, at, !CANONICAL)?.ok_or(Fault::UnsetBlock(missing))
}

/// Runs `D = A * B + C`, solved for the only block that has not been set.
fn product(call: &mut CallContext<'_>) -> Result<(), Fault> {
    if call.immediate() != 0 {
        return Err(call.refuse(format!("operand E is {}, expected 0", call.immediate())));
    }
    let (a, b) = (call.address(A)?, call.address(B)?);
    let (c, d) = (call.address(C)?, call.address(D)?);
    let factor = known(call, b, b)?;
    let left = read(call, a, CANONICAL)?;
    let addend = read(call, c, !CANONICAL)?;
    let (at, value) = match (left, addend) {
        (Some(left), Some(addend)) => (d, left * factor + addend),
        (Some(left), None) => (c, known(call, d, d)? - left * factor),
        (None, Some(addend)) => {
            // The element is multiplied by zero, so nothing determines it.
            let result = known(call, d, a)?;
            let inverse = factor.try_inverse().ok_or(Fault::DivisionByZero)?;
            (a, (result - addend) * inverse)
        }
        (None, None) => return Err(Fault::UnsetBlock(a)),
    };
    call.memory().set_block(at, baby_bear_to_block(value))
}
