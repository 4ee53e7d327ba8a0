//! Constraints of the table `poseidon16_tweaked`.

use droste_air::limb::bits_value;
use droste_air::poseidon16::eval_poseidon16_outputs;
use droste_native::F;
use droste_native::precompile::{DIGIT_BITS, DIGIT_ELEMENTS, LAST_POSITION, NODE_LANES};
use p3_air::AirBuilder;
use p3_field::PrimeCharacteristicRing;
use p3_lookup::InteractionBuilder;

use super::columns::TweakedCols;
use crate::isa::id;
use crate::tables::LANES;
use crate::tables::bus::{self, CallMessage};

/// Number of digits' values of one chain: the number of a chain of a pair's second chain is higher
/// by this.
const POSITIONS: u32 = 1 << DIGIT_BITS;

/// The two digits of a pair when both chains are at their ends.
const BOTH_ENDED: u32 = LAST_POSITION + POSITIONS * LAST_POSITION;

droste_air::air! {
    /// The table `poseidon16_tweaked`: calls of `poseidon16_winternitz` and
    /// `poseidon16_tweaked_path`.
    pub struct Poseidon16TweakedTable(TweakedCols as Row), degree = 3, eval = eval(local, next)
}

fn eval<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    let outputs = std::array::from_fn(|i| {
        let committed = local.permutation.outputs()[i];
        if i < LANES {
            committed - local.permutation.inputs[i]
        } else {
            committed.into()
        }
    });
    eval_poseidon16_outputs(builder, &local.permutation, outputs);
    eval_modes(builder, local);
    eval_calls(builder, local, next);
    eval_digits(builder, local, next);
    eval_chains(builder, local, next);
    eval_path(builder, local, next);
    eval_messages(builder, local, next);
}

fn walks<AB: InteractionBuilder<F = F>>(row: &Row<AB>) -> AB::Expr {
    row.is_even + row.is_odd
}

fn is_winternitz<AB: InteractionBuilder<F = F>>(row: &Row<AB>) -> AB::Expr {
    walks::<AB>(row) + row.absorbs
}

fn is_path<AB: InteractionBuilder<F = F>>(row: &Row<AB>) -> AB::Expr {
    row.is_left + row.is_right
}

fn is_active<AB: InteractionBuilder<F = F>>(row: &Row<AB>) -> AB::Expr {
    is_winternitz::<AB>(row) + is_path::<AB>(row)
}

/// Returns one quarter of the permutation's inputs.
fn input<T: Copy>(row: &TweakedCols<T>, quarter: usize) -> [T; NODE_LANES] {
    std::array::from_fn(|lane| row.permutation.inputs[quarter * NODE_LANES + lane])
}

/// Constrains flags and bits to be boolean on every row, and at most one mode to be on.
fn eval_modes<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>) {
    builder.assert_bools([
        local.is_even,
        local.is_odd,
        local.absorbs,
        local.ends_element,
        local.is_left,
        local.is_right,
        local.starts,
        local.begins_pair,
    ]);
    builder.assert_bools(local.pairs_of_element);
    builder.assert_bools(local.steps);
    builder.assert_bool(is_active::<AB>(local));
    builder.assert_zero(local.ends_element * (AB::Expr::ONE - local.absorbs));
    builder.assert_zero(local.begins_pair * (AB::Expr::ONE - is_winternitz::<AB>(local)));
    // No bit is free where it has no meaning.
    let walks = walks::<AB>(local);
    for bit in local.steps {
        builder.assert_zero((AB::Expr::ONE - walks.clone()) * bit);
    }
    for bit in local.pairs_of_element {
        builder.assert_zero((AB::Expr::ONE - is_winternitz::<AB>(local)) * bit);
    }
}

/// Constrains calls to begin on row 0 and below the last row of the call before, to keep their mode
/// and what belongs to the whole call, and to end when nothing remains. The rows form a ring in
/// which row 0 follows the last row. Where that one is followed by itself it cannot continue a
/// call, since one of `remaining` and `pairs_remaining` would have to be less than itself.
fn eval_calls<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    builder.when_first_row().assert_one(local.starts);
    builder
        .when(AB::Expr::ONE - local.starts)
        .assert_one(is_active::<AB>(local));

    let walks = walks::<AB>(local);
    let path = is_path::<AB>(local);
    let mut chain = builder.when(AB::Expr::ONE - next.starts);
    chain.assert_eq(is_winternitz::<AB>(next), is_winternitz::<AB>(local));
    chain.assert_eq(is_path::<AB>(next), path.clone());
    chain.assert_eq(
        next.remaining + walks.clone() + path.clone(),
        local.remaining,
    );
    chain.assert_eq(next.pairs_remaining + local.absorbs, local.pairs_remaining);
    chain.assert_eq(next.high_address, local.high_address + path.clone());
    chain.assert_eq(next.out_address, local.out_address + local.absorbs);
    chain.assert_eq(
        next.values_address,
        local.values_address + local.absorbs + path.clone(),
    );
    let state = local.absorbs * (local.out_address - local.low_address);
    chain.assert_eq(next.low_address, local.low_address + state);
    chain.assert_eq(next.context_address, local.context_address);

    let mut last = builder.when(next.starts);
    last.assert_zero(walks);
    last.when(path).assert_one(local.remaining);
    last.when(local.absorbs).assert_zero(local.remaining);
    last.when(local.absorbs).assert_one(local.pairs_remaining);

    // The digits and the first state of chains are in the blocks after the parameter.
    let mut first = builder.when(local.starts);
    let mut first = first.when(is_winternitz::<AB>(local));
    first.assert_eq(local.context_address, local.high_address + AB::Expr::ONE);
    first.assert_eq(local.low_address, local.high_address + AB::Expr::TWO);
}

/// Constrains the digits: each step adds one to its chain's digit, both digits of a pair are 7 when
/// their ends are compressed, and nothing is left of an element after four pairs, or at the end.
///
/// A chain has at most 7 steps, since they count down in three bits, so the digits of an element
/// are those in base 8 of its integer, which is below `2^24`.
fn eval_digits<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    let continues = AB::Expr::ONE - next.starts;
    let [element, later @ ..] = local.elements;
    let [next_element, next_later @ ..] = next.elements;
    let both_ended = F::from_u32(BOTH_ENDED);

    let steps = local.is_even + local.is_odd * F::from_u32(POSITIONS);
    builder
        .when(continues.clone())
        .when(AB::Expr::ONE - local.absorbs)
        .assert_eq(next_element, element + steps);
    builder
        .when(continues.clone())
        .when(local.absorbs - local.ends_element)
        .assert_eq(
            next_element * F::from_u32(BOTH_ENDED + 1) + both_ended,
            element,
        );
    let mut ends = builder.when(local.ends_element);
    ends.assert_eq(element, AB::Expr::from(both_ended));
    ends.when(continues.clone())
        .assert_eq(next_element, later[0]);
    builder
        .when(next.starts)
        .when(local.absorbs)
        .assert_eq(element, AB::Expr::from(both_ended));
    for lane in 0..DIGIT_ELEMENTS - 1 {
        let moved = later
            .get(lane + 1)
            .map_or(AB::Expr::ZERO, |&after| after.into());
        builder.when(continues.clone()).assert_eq(
            next_later[lane],
            later[lane] + local.ends_element * (moved - later[lane]),
        );
    }

    // The count of an element's pairs cannot go below zero, so the fourth pair ends the element
    // unless the call ends there.
    let pairs = bits_value::<AB>(&local.pairs_of_element);
    for bit in local.pairs_of_element {
        builder
            .when(local.starts)
            .when(is_winternitz::<AB>(local))
            .assert_one(bit);
        builder.assert_zero(local.ends_element * bit);
    }
    let four = F::from_u32(4);
    builder.when(continues).assert_eq(
        bits_value::<AB>(&next.pairs_of_element) + local.absorbs,
        pairs + local.ends_element * four,
    );
}

/// Constrains the order of rows and the values of chains: the steps of the first chain of a pair,
/// those of the second, the compression of both ends.
fn eval_chains<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    let walks = walks::<AB>(local);
    let continues = AB::Expr::ONE - next.starts;
    builder
        .when(local.starts)
        .when(is_winternitz::<AB>(local))
        .assert_one(local.begins_pair);
    builder
        .when(continues.clone())
        .when(local.absorbs)
        .assert_one(next.begins_pair);
    builder.when(walks.clone()).assert_zero(next.begins_pair);
    builder.when(local.is_odd).assert_zero(next.is_even);

    // A chain ends after its last step, and not before.
    let steps = bits_value::<AB>(&local.steps);
    let next_steps = bits_value::<AB>(&next.steps);
    for (is_chain, goes_on) in [(local.is_even, next.is_even), (local.is_odd, next.is_odd)] {
        let mut chain = builder.when(is_chain);
        chain
            .when(goes_on)
            .assert_eq(next_steps.clone() + AB::Expr::ONE, steps.clone());
        chain
            .when(AB::Expr::ONE - goes_on)
            .assert_one(steps.clone());
    }

    // A step hashes the chain's value under the tweak of its position.
    let [t0, t1, zero, also_zero] = input(local, 0);
    let mut step = builder.when(walks);
    step.assert_eq(t1, local.tweak_low);
    step.assert_eq(
        t0 + steps,
        local.tweak_base + local.is_odd * F::from_u32(POSITIONS) + F::from_u32(LAST_POSITION),
    );
    let mut tweaked = builder.when(is_active::<AB>(local) - local.absorbs);
    tweaked.assert_zeros([zero, also_zero]);
    for lane in 0..NODE_LANES {
        let output = local.permutation.outputs()[lane];
        let (left, right) = (local.values[lane], local.values[NODE_LANES + lane]);
        let (next_left, next_right) = (next.values[lane], next.values[NODE_LANES + lane]);
        let mut even = builder.when(local.is_even);
        even.assert_eq(input(local, 1)[lane], left);
        even.assert_eq(next_left, output);
        even.assert_eq(next_right, right);
        let mut odd = builder.when(local.is_odd);
        odd.assert_eq(input(local, 1)[lane], right);
        odd.assert_eq(next_left, left);
        odd.assert_eq(next_right, output);
    }
    for lane in 0..LANES {
        builder
            .when(local.absorbs)
            .assert_eq(local.permutation.inputs[LANES + lane], local.values[lane]);
    }

    let pair = local.absorbs * F::from_u32(2 * POSITIONS);
    let mut chain = builder.when(continues);
    chain.assert_eq(next.tweak_base, local.tweak_base + pair);
    chain.assert_eq(next.tweak_low, local.tweak_low);
}

/// Constrains paths: the tweak and the side of the node below are those in memory, the parameter
/// stays the same, and the node below is the parent before, or the leaf.
fn eval_path<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    let path = is_path::<AB>(local);
    let [t0, t1, ..] = input(local, 0);
    let mut level = builder.when(path.clone());
    level.assert_eq(t0, local.values[0]);
    level.assert_eq(t1, local.values[1]);
    level.assert_eq(local.is_right, local.values[2]);

    let below = |row: &Row<AB>, lane: usize| -> AB::Expr {
        row.is_left * input(row, 2)[lane] + row.is_right * input(row, 3)[lane]
    };
    for lane in 0..NODE_LANES {
        // Rows of chains satisfy the first two, too: both sides are zero there.
        builder
            .when(local.starts)
            .assert_eq(below(local, lane), path.clone() * local.elements[lane]);
        let parent = path.clone() * local.permutation.outputs()[lane];
        let mut chain = builder.when(AB::Expr::ONE - next.starts);
        chain.assert_eq(below(next, lane), parent);
        chain
            .when(path.clone())
            .assert_eq(input(next, 1)[lane], input(local, 1)[lane]);
    }
}

/// Receives the call, and looks up the blocks that are read and written.
fn eval_messages<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    let chains = is_winternitz::<AB>(local);
    let path = is_path::<AB>(local);
    let either =
        |of_chains: AB::Var, of_path: AB::Var| chains.clone() * of_chains + path.clone() * of_path;
    let call = CallMessage {
        id: chains.clone() * F::from_u32(id::POSEIDON16_WINTERNITZ)
            + path.clone() * F::from_u32(id::POSEIDON16_TWEAKED_PATH),
        a: either(local.values_address, local.out_address),
        b: either(local.high_address, local.values_address),
        c: either(local.out_address, local.high_address),
        d: either(local.pairs_remaining, local.context_address),
        e: local.remaining.into(),
    };
    let starts = is_active::<AB>(local) * local.starts;
    bus::receive_call(builder, call, starts.clone());

    let inputs = local.permutation.inputs;
    let half = |half: usize| std::array::from_fn(|lane| inputs[half * LANES + lane]);
    // The state before a pair, and the parameter of a step or the children of a level.
    bus::lookup_block(builder, local.low_address, half(0), local.absorbs);
    let reads = walks::<AB>(local) + path.clone();
    bus::lookup_block(builder, local.high_address, half(1), reads);
    // The first values of a pair or the tweak of a level, and the digits or the leaf of a call.
    let reads = local.begins_pair + path.clone();
    bus::lookup_block(builder, local.values_address, local.values, reads);
    let context = std::array::from_fn(|lane| match lane.checked_sub(DIGIT_ELEMENTS) {
        None => local.elements[lane],
        Some(0) => local.tweak_base,
        Some(_) => local.tweak_low,
    });
    bus::lookup_block(builder, local.context_address, context, starts);
    // The state after a pair, or the key: the root of a path and its parameter.
    let result: [AB::Expr; LANES] = std::array::from_fn(|lane| {
        let output = local.permutation.outputs()[lane];
        if lane < NODE_LANES {
            output.into()
        } else {
            local.absorbs * output + path.clone() * local.permutation.inputs[lane]
        }
    });
    let count = local.absorbs + path * next.starts;
    bus::lookup_block(builder, local.out_address, result, count);
}
