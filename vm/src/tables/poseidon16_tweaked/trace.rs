//! Trace of the table `poseidon16_tweaked`, from the calls and the final memory.

use droste_air::limb::bits;
use droste_air::poseidon16::fill_row;
use droste_native::hash::poseidon16::HALF_FULL_ROUNDS;
use droste_native::precompile::{
    DIGIT_BITS, DIGIT_ELEMENTS, LAST_POSITION, NODE_LANES, PAIRS_PER_ELEMENT,
};
use droste_native::{F, HashId};
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::air::Poseidon16TweakedTable;
use super::columns::TweakedCols;
use crate::isa::id;
use crate::precompile::{POSEIDON16_TWEAKED_PATH, POSEIDON16_WINTERNITZ, Precompile};
use crate::record::{Call, FinalMemory};
use crate::tables::{CallTable, LANES, LookupCounts, Rows, VerifierCost, block, call_rows};

/// Chains, then paths, then permutations of zero.
impl CallTable for Poseidon16TweakedTable {
    type Row = TweakedCols<F>;

    const NAME: &'static str = "poseidon16_tweaked";

    const PRECOMPILES: &'static [Precompile] = &[POSEIDON16_WINTERNITZ, POSEIDON16_TWEAKED_PATH];

    const PERMUTATION: Option<HashId> = Some(HashId::Poseidon16);

    fn verifier_cost() -> VerifierCost {
        VerifierCost::new(4_000, 12_000)
    }

    fn fill(memory: &FinalMemory, precompile: &Precompile, call: &Call, rows: Rows<'_, Self>) {
        match precompile.identity {
            id::POSEIDON16_WINTERNITZ => fill_chains(memory, call, rows),
            _ => fill_path(memory, call, rows),
        }
    }

    fn pad(row: &mut TweakedCols<F>) {
        row.starts = F::ONE;
        fill_compression(row, [F::ZERO; LANES], [F::ZERO; LANES]);
    }

    fn count(precompile: &Precompile, call: &Call, counts: &mut LookupCounts) {
        if precompile.identity == id::POSEIDON16_WINTERNITZ {
            let pairs = call.d.as_canonical_u32() as usize;
            counts.block_times(call.b, call.e.as_canonical_u32());
            counts.block_range(call.b + F::ONE, 2);
            counts.block_range(call.a, pairs);
            counts.block_range(call.c, pairs);
            // The state after the last pair is not read again.
            counts.block_range(call.c, pairs.saturating_sub(1));
        } else {
            let levels = call_rows(precompile, call);
            counts.block_range(call.b, levels);
            counts.block_range(call.c, levels);
            counts.block(call.a);
            counts.block(call.d);
        }
    }
}

/// Fills the compression of two blocks: `P(x)`, with `x` added to its first half.
pub(super) fn fill_compression(row: &mut TweakedCols<F>, low: [F; LANES], high: [F; LANES]) {
    let input = std::array::from_fn(|i| if i < LANES { low[i] } else { high[i - LANES] });
    fill_row(input, &mut row.permutation);
    let outputs = &mut row.permutation.ending[HALF_FULL_ROUNDS - 1];
    for (output, input) in outputs.iter_mut().zip(low) {
        *output += input;
    }
}

/// The part of a call's rows that changes from row to row.
#[derive(Clone, Copy)]
struct Chains {
    low_address: F,
    out_address: F,
    values_address: F,
    remaining: F,
    pairs_remaining: F,
    pairs_of_element: usize,
    values: [F; LANES],
    elements: [F; DIGIT_ELEMENTS],
    tweak_base: F,
}

fn fill_chains(memory: &FinalMemory, call: &Call, mut rows: Rows<'_, Poseidon16TweakedTable>) {
    let parameter = block(memory, call.b);
    let [elements @ .., tweak_base, tweak_low] = block(memory, call.b + F::ONE);
    let pairs = call.d.as_canonical_u32();
    let mut state = block(memory, call.b + F::TWO);
    let mut at = Chains {
        low_address: call.b + F::TWO,
        out_address: call.c,
        values_address: call.a,
        remaining: call.e,
        pairs_remaining: call.d,
        pairs_of_element: PAIRS_PER_ELEMENT - 1,
        values: [F::ZERO; LANES],
        elements,
        tweak_base,
    };
    let mut is_first = true;
    let mut fill = |at: &Chains, begins_pair: bool| {
        let row = rows.next()?;
        row.starts = F::from_bool(is_first);
        is_first = false;
        row.begins_pair = F::from_bool(begins_pair);
        row.high_address = call.b;
        row.context_address = call.b + F::ONE;
        row.tweak_low = tweak_low;
        row.low_address = at.low_address;
        row.out_address = at.out_address;
        row.values_address = at.values_address;
        row.remaining = at.remaining;
        row.pairs_remaining = at.pairs_remaining;
        row.pairs_of_element = bits(at.pairs_of_element as u32);
        row.values = at.values;
        row.elements = at.elements;
        row.tweak_base = at.tweak_base;
        Some(row)
    };
    for _ in 0..pairs {
        at.values = block(memory, at.values_address);
        let mut begins_pair = true;
        let digits = at.elements[0].as_canonical_u32();
        for side in 0..2 {
            let shift = DIGIT_BITS * side;
            for position in (digits >> shift & LAST_POSITION)..LAST_POSITION {
                let Some(row) = fill(&at, begins_pair) else {
                    return;
                };
                begins_pair = false;
                let (flag, from) = if side == 0 {
                    (&mut row.is_even, 0)
                } else {
                    (&mut row.is_odd, NODE_LANES)
                };
                *flag = F::ONE;
                row.steps = bits(LAST_POSITION - position);
                let number = F::from_u32((side << DIGIT_BITS) + position);
                let mut low = [F::ZERO; LANES];
                (low[0], low[1]) = (at.tweak_base + number, tweak_low);
                low[NODE_LANES..].copy_from_slice(&at.values[from..][..NODE_LANES]);
                fill_compression(row, low, parameter);
                let end = &row.permutation.outputs()[..NODE_LANES];
                at.values[from..][..NODE_LANES].copy_from_slice(end);
                at.elements[0] += F::from_u32(1 << shift);
                at.remaining -= F::ONE;
            }
        }
        let Some(row) = fill(&at, begins_pair) else {
            return;
        };
        row.absorbs = F::ONE;
        let ends_element = at.pairs_of_element == 0;
        row.ends_element = F::from_bool(ends_element);
        fill_compression(row, state, at.values);
        state.copy_from_slice(&row.permutation.outputs()[..LANES]);
        at.low_address = at.out_address;
        at.out_address += F::ONE;
        at.values_address += F::ONE;
        at.pairs_remaining -= F::ONE;
        at.tweak_base += F::from_u32(2 << DIGIT_BITS);
        if ends_element {
            at.elements.copy_within(1.., 0);
            at.elements[DIGIT_ELEMENTS - 1] = F::ZERO;
            at.pairs_of_element = PAIRS_PER_ELEMENT - 1;
        } else {
            at.elements[0] = F::from_u32(digits >> (2 * DIGIT_BITS));
            at.pairs_of_element -= 1;
        }
    }
}

fn fill_path(memory: &FinalMemory, call: &Call, rows: Rows<'_, Poseidon16TweakedTable>) {
    let levels = call.e.as_canonical_u32() as usize;
    let key = block(memory, call.a);
    let [elements @ .., tweak_base, tweak_low] = block(memory, call.d);
    for (level, row) in rows.enumerate() {
        let at = F::from_usize(level);
        row.starts = F::from_bool(level == 0);
        row.out_address = call.a;
        row.values_address = call.b + at;
        row.high_address = call.c + at;
        row.context_address = call.d;
        row.remaining = F::from_usize(levels - level);
        row.elements = elements;
        (row.tweak_base, row.tweak_low) = (tweak_base, tweak_low);
        row.values = block(memory, row.values_address);
        let [t0, t1, is_right, ..] = row.values;
        row.is_right = is_right;
        row.is_left = F::ONE - is_right;
        let mut low = [F::ZERO; LANES];
        (low[0], low[1]) = (t0, t1);
        low[NODE_LANES..].copy_from_slice(&key[NODE_LANES..]);
        fill_compression(row, low, block(memory, row.high_address));
    }
}
