//! Traces of the table of Blake3 calls and of the compressions they need.

use std::borrow::BorrowMut;

use droste_air::blake3::{CHUNK_END, CHUNK_START, Compression, IV, PARENT, ROOT};
use droste_native::F;
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_matrix::dense::RowMajorMatrix;
use p3_maybe_rayon::prelude::*;

use super::columns::{Blake3Cols, WORDS};
use crate::isa::id;
use crate::record::{Call, Execution, Image};
use crate::tables::LookupCounts;
use crate::tables::digest_chain::{DIGEST_LIMBS, Kind, Link, limbs, word};
use crate::tables::{LANES, block};

/// The calls that this table serves, in the order of its rows.
pub(super) const IDENTITIES: [u32; 3] = [id::BLAKE3_CHUNK, id::BLAKE3_PARENT, id::BLAKE3_MERKLE];

/// One row.
struct Step {
    link: Link,
    is_root: bool,
    present: usize,
    lanes: [F; 2 * WORDS],
    compression: Compression,
    output: [u32; 8],
}

fn length(call: &Call) -> usize {
    call.e.as_canonical_u32() as usize
}

fn call_rows(identity: u32, call: &Call) -> usize {
    match identity {
        id::BLAKE3_CHUNK => length(call).div_ceil(WORDS),
        id::BLAKE3_MERKLE => length(call),
        _ => 1,
    }
}

/// Every call with its identity, in the order of the rows.
fn calls(execution: &Execution) -> impl Iterator<Item = (u32, &Call)> {
    IDENTITIES.into_iter().flat_map(|identity| {
        let calls = execution.calls[identity as usize].iter();
        calls.map(move |call| (identity, call))
    })
}

/// Rows that the calls of a run take: one per compression.
pub(super) fn rows(execution: &Execution) -> usize {
    calls(execution)
        .map(|(identity, call)| call_rows(identity, call))
        .sum()
}

/// Counts the look-ups of the trace into the multiplicities of block memory.
pub(super) fn count_uses(execution: &Execution, uses: &mut LookupCounts) {
    let pair = |uses: &mut LookupCounts, address: F| {
        uses.block(address);
        uses.block(address + F::ONE);
    };
    for (identity, call) in calls(execution) {
        match identity {
            id::BLAKE3_CHUNK => {
                for block in 0..length(call).div_ceil(LANES / 2) {
                    uses.block(call.a + F::from_usize(block));
                }
                pair(uses, call.c);
            }
            id::BLAKE3_PARENT => {
                for address in [call.a, call.b, call.c] {
                    pair(uses, address);
                }
            }
            _ => {
                for level in 0..length(call) {
                    pair(uses, call.c + F::from_usize(2 * level));
                }
                pair(uses, call.a);
                pair(uses, call.d);
            }
        }
    }
}

/// The rows of one call.
fn steps(image: &Image, identity: u32, call: &Call) -> Vec<Step> {
    match identity {
        id::BLAKE3_CHUNK => chunk_steps(image, call),
        id::BLAKE3_PARENT => vec![parent_step(image, call)],
        _ => merkle_steps(image, call),
    }
}

/// Two blocks.
fn digest(image: &Image, address: F) -> [F; DIGEST_LIMBS] {
    let blocks = [block(image, address), block(image, address + F::ONE)];
    std::array::from_fn(|lane| blocks[lane / LANES][lane % LANES])
}

fn join(low: [F; DIGEST_LIMBS], high: [F; DIGEST_LIMBS]) -> [F; 2 * WORDS] {
    std::array::from_fn(|lane| {
        if lane < DIGEST_LIMBS {
            low[lane]
        } else {
            high[lane - DIGEST_LIMBS]
        }
    })
}

fn step(
    link: Link,
    is_root: bool,
    (present, lanes): (usize, [F; 2 * WORDS]),
    (chaining, counter, flags): ([u32; 8], u64, u8),
) -> Step {
    let compression = Compression {
        chaining,
        message: std::array::from_fn(|i| if i < present { word(&lanes, i) } else { 0 }),
        counter,
        block_length: 4 * present as u8,
        flags,
    };
    Step {
        link,
        is_root,
        present,
        lanes,
        compression,
        output: compression.output(),
    }
}

fn chunk_steps(image: &Image, call: &Call) -> Vec<Step> {
    let counter = call.b.as_canonical_u32() / 2;
    let is_root = call.b.as_canonical_u32() % 2 == 1;
    let (words, rows) = (length(call), call_rows(id::BLAKE3_CHUNK, call));
    let mut chaining = IV;
    let steps = (0..rows).map(|row| {
        let remaining = words - WORDS * row;
        let present = remaining.min(WORDS);
        let low = call.a + F::from_usize(4 * row);
        let link = Link {
            starts: row == 0,
            kind: Kind::Hash,
            low,
            high: low + F::TWO,
            out: call.c,
            remaining: F::from_usize(remaining),
            index: F::from_u32(counter),
        };
        let mut lanes = [F::ZERO; 2 * WORDS];
        for (index, lanes) in lanes.chunks_exact_mut(LANES).enumerate() {
            if LANES / 2 * index < present {
                lanes.copy_from_slice(&block(image, low + F::from_usize(index)));
            }
        }
        let mut flags = if row == 0 { CHUNK_START } else { 0 };
        if row + 1 == rows {
            flags |= CHUNK_END | if is_root { ROOT } else { 0 };
        }
        let inputs = (chaining, u64::from(counter), flags);
        let step = step(link, is_root, (present, lanes), inputs);
        chaining = step.output;
        step
    });
    steps.collect()
}

fn parent_step(image: &Image, call: &Call) -> Step {
    let is_root = call.e == F::ONE;
    let link = Link {
        starts: true,
        kind: Kind::Other,
        low: call.a,
        high: call.b,
        out: call.c,
        remaining: call.e,
        index: F::ZERO,
    };
    let lanes = join(digest(image, call.a), digest(image, call.b));
    let flags = PARENT | if is_root { ROOT } else { 0 };
    step(link, is_root, (WORDS, lanes), (IV, 0, flags))
}

fn merkle_steps(image: &Image, call: &Call) -> Vec<Step> {
    let depth = length(call);
    let index = call.b.as_canonical_u32();
    let mut node = digest(image, call.a);
    let steps = (0..depth).map(|level| {
        let link = Link::merkle(call, index, level, depth);
        let sibling = digest(image, call.c + F::from_usize(2 * level));
        let lanes = if link.kind == Kind::Right {
            join(sibling, node)
        } else {
            join(node, sibling)
        };
        let flags = CHUNK_START | CHUNK_END | ROOT;
        let step = step(link, false, (WORDS, lanes), (IV, 0, flags));
        node = limbs(&step.output);
        step
    });
    steps.collect()
}

/// The compressions that the calls need, in the order of the rows.
pub(super) fn compressions(execution: &Execution) -> Vec<Compression> {
    let calls: Vec<(u32, &Call)> = calls(execution).collect();
    calls
        .into_par_iter()
        .flat_map_iter(|(identity, call)| steps(&execution.image, identity, call))
        .map(|step| step.compression)
        .collect()
}

/// The trace: one row per compression, then padding up to `2^log_height` rows, which are at least
/// [`rows`].
pub(super) fn generate(execution: &Execution, log_height: usize) -> RowMajorMatrix<F> {
    let width = Blake3Cols::<u8>::WIDTH;
    let mut values = F::zero_vec(width << log_height);
    let mut rest = values.as_mut_slice();
    let mut chains = Vec::new();
    for (identity, call) in calls(execution) {
        let (rows, below) = rest.split_at_mut(call_rows(identity, call) * width);
        chains.push((identity, call, rows));
        rest = below;
    }
    chains.into_par_iter().for_each(|(identity, call, rows)| {
        let steps = steps(&execution.image, identity, call);
        for (step, row) in steps.iter().zip(rows.chunks_exact_mut(width)) {
            fill_row(step, row.borrow_mut());
        }
    });
    for row in rest.chunks_exact_mut(width) {
        let row: &mut Blake3Cols<F> = row.borrow_mut();
        row.chain.starts = F::ONE;
        row.chaining = limbs(&IV);
    }
    RowMajorMatrix::new(values, width)
}

fn fill_row(step: &Step, row: &mut Blake3Cols<F>) {
    step.link.fill(&mut row.chain);
    row.is_parent = F::from_bool(step.link.kind == Kind::Other);
    row.is_root = F::from_bool(step.is_root);
    row.present = std::array::from_fn(|i| F::from_bool(i < step.present));
    row.lanes = step.lanes;
    row.chaining = limbs(&step.compression.chaining);
    row.flags = F::from_u8(step.compression.flags);
    row.output = limbs(&step.output);
}
