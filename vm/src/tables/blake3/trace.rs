//! Traces of the table of Blake3 calls and of the compressions that they need.

use droste_air::blake3::{CHUNK_END, CHUNK_START, Compression, IV, PARENT, ROOT};
use droste_native::{F, HashId};
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_maybe_rayon::prelude::*;

use super::air::Blake3CallTable;
use super::columns::{Blake3CallCols, WORDS};
use crate::isa::id;
use crate::precompile::{BLAKE3_CHUNK, BLAKE3_MERKLE, BLAKE3_PARENT, Precompile};
use crate::record::{Call, Execution, FinalMemory};
use crate::tables::digest_chain::{
    Kind, Link, climb, count_digest, count_path, data, digest, limbs, word,
};
use crate::tables::{CallTable, LANES, LookupCounts, Rows, VerifierCost, call_rows, calls};

/// One row of the trace, before it is written to columns.
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

/// Returns the rows of one call.
fn steps(memory: &FinalMemory, precompile: &Precompile, call: &Call) -> Vec<Step> {
    match precompile.identity {
        id::BLAKE3_CHUNK => chunk_steps(memory, call),
        id::BLAKE3_PARENT => vec![parent_step(memory, call)],
        _ => climb(memory, call, |link, lanes| {
            let flags = CHUNK_START | CHUNK_END | ROOT;
            let step = step(link, false, (WORDS, lanes), (IV, 0, flags));
            let parent = limbs(&step.output);
            (step, parent)
        }),
    }
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

fn chunk_steps(memory: &FinalMemory, call: &Call) -> Vec<Step> {
    let counter = call.b.as_canonical_u32() / 2;
    let is_root = call.b.as_canonical_u32() % 2 == 1;
    let (words, rows) = (length(call), call_rows(&BLAKE3_CHUNK, call));
    let mut chaining = IV;
    let steps = (0..rows).map(|row| {
        let remaining = words - WORDS * row;
        let present = remaining.min(WORDS);
        let low = call.a + F::from_usize(4 * row);
        let link = Link::hash(call, row, low, remaining, counter);
        let lanes = data(memory, low, present);
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

fn parent_step(memory: &FinalMemory, call: &Call) -> Step {
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
    let (left, right) = (digest(memory, call.a), digest(memory, call.b));
    let lanes = std::array::from_fn(|lane| *left.get(lane).unwrap_or(&right[lane % left.len()]));
    let flags = PARENT | if is_root { ROOT } else { 0 };
    step(link, is_root, (WORDS, lanes), (IV, 0, flags))
}

/// Returns the compressions that the calls need, in the order of the rows.
pub(super) fn compressions(execution: &Execution) -> Vec<Compression> {
    let calls: Vec<_> = calls(Blake3CallTable::PRECOMPILES, execution).collect();
    calls
        .into_par_iter()
        .flat_map_iter(|(precompile, call)| steps(&execution.memory, precompile, call))
        .map(|step| step.compression)
        .collect()
}

/// One row per compression, then padding.
impl CallTable for Blake3CallTable {
    type Row = Blake3CallCols<F>;

    const NAME: &'static str = "blake3_calls";

    const PRECOMPILES: &'static [Precompile] = &[BLAKE3_CHUNK, BLAKE3_PARENT, BLAKE3_MERKLE];

    const PERMUTATION: Option<HashId> = Some(HashId::Blake3);

    fn verifier_cost() -> VerifierCost {
        VerifierCost::new(8_000, 20_000)
    }

    fn fill(memory: &FinalMemory, precompile: &Precompile, call: &Call, rows: Rows<'_, Self>) {
        for (step, row) in steps(memory, precompile, call).iter().zip(rows) {
            fill_row(step, row);
        }
    }

    fn pad(row: &mut Blake3CallCols<F>) {
        row.chain.starts = F::ONE;
        row.chaining = limbs(&IV);
    }

    fn count(precompile: &Precompile, call: &Call, counts: &mut LookupCounts) {
        match precompile.identity {
            id::BLAKE3_CHUNK => {
                counts.block_range(call.a, length(call).div_ceil(LANES / 2));
                count_digest(counts, call.c);
            }
            id::BLAKE3_PARENT => {
                for address in [call.a, call.b, call.c] {
                    count_digest(counts, address);
                }
            }
            _ => count_path(counts, call),
        }
    }
}

fn fill_row(step: &Step, row: &mut Blake3CallCols<F>) {
    step.link.fill(&mut row.chain);
    row.is_parent = F::from_bool(step.link.kind == Kind::Other);
    row.is_root = F::from_bool(step.is_root);
    row.present = std::array::from_fn(|i| F::from_bool(i < step.present));
    row.lanes = step.lanes;
    row.chaining = limbs(&step.compression.chaining);
    row.flags = F::from_u8(step.compression.flags);
    row.output = limbs(&step.output);
}
