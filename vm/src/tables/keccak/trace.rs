//! Traces of the table of Keccak calls and of the permutations that they need.

use droste_air::keccak::State;
use droste_air::keccak::bytes::{Input, permutation_of};
use droste_air::keccak::sponge::{RATE, absorb};
use droste_native::{F, HashId};
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_maybe_rayon::prelude::*;

use super::air::KeccakCallTable;
use super::columns::{BLOCKS, KeccakCallCols, STRIDE, WORDS};
use crate::precompile::{KECCAK_HASH, KECCAK_MERKLE, Precompile};
use crate::record::{Call, Execution, FinalMemory};
use crate::tables::digest_chain::{Link, climb, count_digest, count_path, data, word};
use crate::tables::{CallTable, LANES, LookupCounts, Rows, VerifierCost, call_rows, calls};

/// The blocks that a row reads, as memory has them.
pub(in crate::tables) type Lanes = [F; LANES * BLOCKS];

/// One row of the trace, before it is written to columns.
pub(in crate::tables) struct Step {
    link: Link,
    present: usize,
    lanes: Lanes,
    block: [u8; RATE],
    before: State,
    output: State,
}

impl Step {
    /// Absorbs the first `present` words of `lanes`, as `block` has them, and permutes the state.
    pub fn new(link: Link, present: usize, lanes: Lanes, block: [u8; RATE], before: State) -> Self {
        Self {
            link,
            present,
            lanes,
            block,
            before,
            output: permutation_of(&absorb(&block, &before)),
        }
    }

    /// The bytes of the first `present` words of `lanes`, then zeros.
    pub fn bytes(lanes: &Lanes, present: usize) -> [u8; RATE] {
        let mut block = [0; RATE];
        for (index, bytes) in block.as_chunks_mut().0.iter_mut().take(present).enumerate() {
            *bytes = word(lanes, index).to_le_bytes();
        }
        block
    }

    /// Writes the columns of the row.
    pub fn fill(&self, row: &mut KeccakCallCols<F>) {
        self.link.fill(&mut row.chain);
        row.present = std::array::from_fn(|i| F::from_bool(i < self.present));
        row.lanes = self.lanes;
        row.block.fill(&self.block, &self.before);
    }
}

fn length(call: &Call) -> usize {
    call.e.as_canonical_u32() as usize
}

/// Returns the rows of one call.
pub(super) fn steps(memory: &FinalMemory, precompile: &Precompile, call: &Call) -> Vec<Step> {
    if *precompile == KECCAK_HASH {
        hash_steps(memory, precompile, call, step)
    } else {
        climb_steps(memory, call, step)
    }
}

/// Absorbs the first `present` words of `lanes`, with padding unless all 34 are present, and
/// permutes the state.
fn step(link: Link, present: usize, lanes: Lanes, before: State) -> Step {
    let mut block = Step::bytes(&lanes, present);
    if present < WORDS {
        block[4 * present] ^= 0x01;
        block[RATE - 1] ^= 0x80;
    }
    Step::new(link, present, lanes, block, before)
}

/// Returns the rows of a Merkle path, each made by `step`.
pub(in crate::tables) fn climb_steps(
    memory: &FinalMemory,
    call: &Call,
    step: impl Fn(Link, usize, Lanes, State) -> Step,
) -> Vec<Step> {
    climb(memory, call, |link, children| {
        let mut lanes = [F::ZERO; LANES * BLOCKS];
        lanes[..children.len()].copy_from_slice(&children);
        let step = step(link, children.len() / 2, lanes, [0; 25]);
        let parent = std::array::from_fn(|index| F::from_u16(limb(&step.output, index)));
        (step, parent)
    })
}

/// Returns the rows of a hash, each made by `step`.
pub(in crate::tables) fn hash_steps(
    memory: &FinalMemory,
    precompile: &Precompile,
    call: &Call,
    step: impl Fn(Link, usize, Lanes, State) -> Step,
) -> Vec<Step> {
    let mut state: State = [0; 25];
    let steps = (0..call_rows(precompile, call)).map(|row| {
        let remaining = length(call) - WORDS * row;
        let present = remaining.min(WORDS);
        let low = call.a + F::from_usize(STRIDE * row);
        let link = Link::hash(call, row, low, remaining, 0);
        let lanes = data(memory, low, present);
        let step = step(link, present, lanes, state);
        state = step.output;
        step
    });
    steps.collect()
}

/// Returns limb `index` of a state.
fn limb(state: &State, index: usize) -> u16 {
    (state[index / 4] >> (16 * (index % 4))) as u16
}

/// Returns the permutations that the calls of a table need, in the order of its rows, which `steps`
/// returns for a call.
pub(in crate::tables) fn permutations<T: CallTable>(
    execution: &Execution,
    steps: impl Fn(&FinalMemory, &Precompile, &Call) -> Vec<Step> + Sync,
) -> Vec<Input> {
    let calls: Vec<_> = calls(T::PRECOMPILES, execution).collect();
    calls
        .into_par_iter()
        .flat_map_iter(|(precompile, call)| steps(&execution.memory, precompile, call))
        .map(|step| absorb(&step.block, &step.before))
        .collect()
}

/// Counts the blocks that a hash or a path looks up.
pub(in crate::tables) fn count_call(
    is_hash: bool,
    precompile: &Precompile,
    call: &Call,
    counts: &mut LookupCounts,
) {
    if !is_hash {
        return count_path(counts, call);
    }
    for row in 0..call_rows(precompile, call) {
        let present = (length(call) - WORDS * row).min(WORDS);
        let blocks = present.div_ceil(LANES / 2);
        counts.block_range(call.a + F::from_usize(STRIDE * row), blocks);
    }
    count_digest(counts, call.c);
}

/// One row per permutation, then padding.
impl CallTable for KeccakCallTable {
    type Row = KeccakCallCols<F>;

    const NAME: &'static str = "keccak_calls";

    const PRECOMPILES: &'static [Precompile] = &[KECCAK_HASH, KECCAK_MERKLE];

    const PERMUTATION: Option<HashId> = Some(HashId::Keccak);

    fn verifier_cost() -> VerifierCost {
        VerifierCost::new(8_000, 20_000)
    }

    fn fill(memory: &FinalMemory, precompile: &Precompile, call: &Call, rows: Rows<'_, Self>) {
        for (step, row) in steps(memory, precompile, call).iter().zip(rows) {
            step.fill(row);
        }
    }

    fn place(row: &mut KeccakCallCols<F>, index: usize) {
        row.block.number = F::from_usize(1 + index);
    }

    fn pad(row: &mut KeccakCallCols<F>) {
        row.chain.starts = F::ONE;
    }

    fn count(precompile: &Precompile, call: &Call, counts: &mut LookupCounts) {
        count_call(*precompile == KECCAK_HASH, precompile, call, counts);
    }
}
