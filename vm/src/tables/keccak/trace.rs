//! Traces of the table of Keccak calls and of the permutations they need.

use std::borrow::BorrowMut;

use droste_air::keccak::sponge::{RATE, absorb};
use droste_air::keccak::{State, permute};
use droste_native::F;
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_matrix::dense::RowMajorMatrix;
use p3_maybe_rayon::prelude::*;

use super::columns::{BLOCKS, KeccakCols, WORDS};
use crate::isa::id;
use crate::record::{Call, Execution, Image};
use crate::tables::LookupCounts;
use crate::tables::digest_chain::{Kind, Link, word};
use crate::tables::{LANES, block};

/// The calls that this table serves, in the order of its rows.
pub(super) const IDENTITIES: [u32; 2] = [id::KECCAK_HASH, id::KECCAK_MERKLE];

type Lanes = [F; LANES * BLOCKS];

/// One row.
struct Step {
    link: Link,
    present: usize,
    lanes: Lanes,
    block: [u8; RATE],
    before: State,
    output: State,
}

fn length(call: &Call) -> usize {
    call.e.as_canonical_u32() as usize
}

fn call_rows(identity: u32, call: &Call) -> usize {
    if identity == id::KECCAK_HASH {
        length(call) / WORDS + 1
    } else {
        length(call)
    }
}

/// Every call with its identity, in the order of the rows.
fn calls(execution: &Execution) -> impl Iterator<Item = (u32, &Call)> {
    IDENTITIES.into_iter().flat_map(|identity| {
        let calls = execution.calls[identity as usize].iter();
        calls.map(move |call| (identity, call))
    })
}

/// Permutations that the calls of a run take: one row each.
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
        if identity == id::KECCAK_HASH {
            for row in 0..call_rows(identity, call) {
                let present = (length(call) - WORDS * row).min(WORDS);
                for block in 0..present.div_ceil(LANES / 2) {
                    uses.block(call.a + F::from_usize(10 * row + block));
                }
            }
            pair(uses, call.c);
        } else {
            for level in 0..length(call) {
                pair(uses, call.c + F::from_usize(2 * level));
            }
            pair(uses, call.a);
            pair(uses, call.d);
        }
    }
}

/// The rows of one call.
fn steps(image: &Image, identity: u32, call: &Call) -> Vec<Step> {
    if identity == id::KECCAK_HASH {
        hash_steps(image, call)
    } else {
        merkle_steps(image, call)
    }
}

/// Absorbs the first `present` words of `lanes`, padded unless all 34 are present, and permutes.
fn step(link: Link, present: usize, lanes: Lanes, before: State) -> Step {
    let mut block = [0; RATE];
    for (index, bytes) in block.as_chunks_mut().0.iter_mut().take(present).enumerate() {
        *bytes = word(&lanes, index).to_le_bytes();
    }
    if present < WORDS {
        block[4 * present] ^= 0x01;
        block[RATE - 1] ^= 0x80;
    }
    Step {
        link,
        present,
        lanes,
        block,
        before,
        output: permute(absorb(&block, &before)),
    }
}

fn hash_steps(image: &Image, call: &Call) -> Vec<Step> {
    let mut state: State = [0; 25];
    let steps = (0..call_rows(id::KECCAK_HASH, call)).map(|row| {
        let remaining = length(call) - WORDS * row;
        let present = remaining.min(WORDS);
        let low = call.a + F::from_usize(10 * row);
        let link = Link {
            starts: row == 0,
            kind: Kind::Hash,
            low,
            high: low + F::TWO,
            out: call.c,
            remaining: F::from_usize(remaining),
            index: F::ZERO,
        };
        let mut lanes = [F::ZERO; LANES * BLOCKS];
        for (index, lanes) in lanes.chunks_exact_mut(LANES).enumerate() {
            if LANES / 2 * index < present {
                lanes.copy_from_slice(&block(image, low + F::from_usize(index)));
            }
        }
        let step = step(link, present, lanes, state);
        state = step.output;
        step
    });
    steps.collect()
}

fn merkle_steps(image: &Image, call: &Call) -> Vec<Step> {
    let depth = length(call);
    let index = call.b.as_canonical_u32();
    let two = |address: F| [block(image, address), block(image, address + F::ONE)];
    let mut node = two(call.a);
    let steps = (0..depth).map(|level| {
        let link = Link::merkle(call, index, level, depth);
        let sibling = two(call.c + F::from_usize(2 * level));
        let children = if link.kind == Kind::Right {
            [sibling, node]
        } else {
            [node, sibling]
        };
        let mut lanes = [F::ZERO; LANES * BLOCKS];
        lanes[..4 * LANES].copy_from_slice(children.as_flattened().as_flattened());
        let step = step(link, 2 * LANES, lanes, [0; 25]);
        node = std::array::from_fn(|half| {
            std::array::from_fn(|lane| F::from_u16(limb(&step.output, LANES * half + lane)))
        });
        step
    });
    steps.collect()
}

/// Limb `index` of a state.
fn limb(state: &State, index: usize) -> u16 {
    (state[index / 4] >> (16 * (index % 4))) as u16
}

/// The permutations that the calls need, in the order of the rows.
pub(super) fn permutations(execution: &Execution) -> Vec<State> {
    let calls: Vec<(u32, &Call)> = calls(execution).collect();
    calls
        .into_par_iter()
        .flat_map_iter(|(identity, call)| steps(&execution.image, identity, call))
        .map(|step| absorb(&step.block, &step.before))
        .collect()
}

/// The trace: one row per permutation, then padding up to `2^log_height` rows, which are at least
/// [`rows`].
pub(super) fn generate(execution: &Execution, log_height: usize) -> RowMajorMatrix<F> {
    let width = KeccakCols::<u8>::WIDTH;
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
        let row: &mut KeccakCols<F> = row.borrow_mut();
        row.chain.starts = F::ONE;
    }
    RowMajorMatrix::new(values, width)
}

fn fill_row(step: &Step, row: &mut KeccakCols<F>) {
    step.link.fill(&mut row.chain);
    row.present = std::array::from_fn(|i| F::from_bool(i < step.present));
    row.lanes = step.lanes;
    row.block.fill(&step.block, &step.before);
}
