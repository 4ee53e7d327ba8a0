//! Constraints of the table `poseidon2_24`. Those of modes, chains and ends are those of the table
//! `poseidon2_sponge`.

use droste_air::poseidon2::eval_poseidon2_sponge_with;
use droste_native::F;
use droste_native::hash::poseidon2::{RATE, SPONGE_WIDTH};
use p3_air::AirBuilder;
use p3_field::PrimeCharacteristicRing;
use p3_lookup::InteractionBuilder;

use super::columns::WideCols;
use crate::isa::id;
use crate::tables::bus::{self, CallMessage};
use crate::tables::round_constants::eval_loading;
use crate::tables::{LANES, sum};

droste_air::air! {
    /// The table `poseidon2_24`: calls of `poseidon2_24_constants`, `poseidon2_24_duplex` and
    /// `poseidon2_24_hash`.
    pub struct Poseidon2WideTable(WideCols as Row), degree = 3, eval = eval(local, next)
}

fn eval<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    eval_poseidon2_sponge_with(builder, local.round_constants(), &local.permutation);
    eval_modes(builder, local);
    eval_chain(builder, local, next);
    eval_end(builder, local, next);
    eval_constants(builder, local, next);
    eval_messages(builder, local, next);
}

/// Returns the three blocks of a state: the two of the rate, and the capacity.
fn blocks<T: Copy>(state: &[T; SPONGE_WIDTH]) -> [[T; LANES]; 3] {
    [0, 1, 2].map(|block| std::array::from_fn(|lane| state[LANES * block + lane]))
}

/// Constrains every selector to be boolean on every row. Calls begin on row 0 and below the last
/// row of the call before. Rows that load constants, which are chained by flags of their own, all
/// start.
fn eval_modes<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>) {
    for flag in [local.is_sponge, local.is_hash, local.starts, local.is_short] {
        builder.assert_bool(flag);
    }
    for flag in local.past_end {
        builder.assert_bool(flag);
    }
    let loads = local.loading().reads_one::<AB::Expr>();
    builder.assert_bool(loads + local.is_sponge);
    let is_padding = AB::Expr::ONE - local.is_sponge;
    builder.assert_zero(local.is_hash * is_padding.clone());
    builder.assert_zero(local.tag * is_padding);
    builder.when_first_row().assert_one(local.starts);
    builder
        .when(AB::Expr::ONE - local.starts)
        .assert_one(local.is_sponge);
}

/// Constrains a row that continues a call: its blocks follow those of the row above, its capacity
/// is the output above with the call's tag added to its first lane, and it absorbs what remains.
fn eval_chain<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    let [_, _, capacity] = blocks(local.permutation.outputs());
    let [_, _, next_capacity] = blocks(&next.permutation.inputs);
    let mut chain = builder.when(AB::Expr::ONE - next.starts);
    // The row below is one of `sponge`, since it continues a call.
    chain.assert_one(local.is_sponge);
    chain.assert_eq(next.is_hash, local.is_hash);
    chain.assert_eq(next.tag, local.tag);
    chain.assert_eq(next.out_address, local.out_address);
    chain.assert_eq(next.address, local.address + AB::Expr::TWO);
    chain.assert_eq(next.remaining + AB::Expr::from_usize(RATE), local.remaining);
    for (lane, (input, output)) in next_capacity.into_iter().zip(capacity).enumerate() {
        let carried: AB::Expr = if lane == 0 {
            output + local.tag
        } else {
            output.into()
        };
        chain.assert_eq(input, carried);
    }
}

/// Constrains the end of a call: all its rows absorb two whole blocks, except that the last row, if
/// it is not the first, may absorb fewer lanes. Lanes past the end equal the previous output.
fn eval_end<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    let [.., last] = local.past_end;
    for pair in local.past_end.windows(2) {
        if let [lane, above] = *pair {
            builder.assert_zero(lane * (AB::Expr::ONE - above));
        }
    }
    // Zero exactly on a row that ends a call and does not begin it.
    let whole = (AB::Expr::ONE - next.starts) + local.starts + AB::Expr::ONE - local.is_sponge;
    builder.assert_zero(last * whole.clone());
    builder.assert_zero(local.is_short * whole);
    let lanes = AB::Expr::from_usize(RATE)
        - local.is_short * F::from_usize(LANES)
        - sum::<AB::Expr, _>(&local.past_end);
    builder
        .when(local.is_sponge)
        .when(next.starts)
        .assert_eq(local.remaining, lanes);

    let [low, high, _] = blocks(local.permutation.outputs());
    let [next_low, next_high, _] = blocks(&next.permutation.inputs);
    for lane in 0..LANES {
        let carried_low = next_low[lane] - low[lane];
        let carried_high = next_high[lane] - high[lane];
        builder.assert_zero(next.is_short * carried_high.clone());
        if lane > 0 {
            // On a short row, whose second block is wholly past the end, both hold.
            let past_end = next.past_end[lane - 1];
            builder.assert_zero(past_end * carried_high);
            builder.assert_zero(next.is_short * past_end * carried_low);
        }
    }
}

/// Constrains the constants to be those that the table's first rows load from memory.
fn eval_constants<AB: InteractionBuilder<F = F>>(
    builder: &mut AB,
    local: &Row<AB>,
    next: &Row<AB>,
) {
    let (loading, below) = (local.loading(), next.loading());
    let inputs = &local.permutation.inputs;
    eval_loading(builder, &loading, &below, local.address, inputs);
}

/// Receives the call, and looks up the blocks that are read and written.
fn eval_messages<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    let loading = local.loading();
    let [loads_first, ..] = local.load;
    let call = CallMessage {
        id: local.is_sponge * F::from_u32(id::POSEIDON2_24_DUPLEX)
            + local.is_hash * F::from_u32(id::POSEIDON2_24_HASH - id::POSEIDON2_24_DUPLEX)
            + loads_first * F::from_u32(id::POSEIDON2_24_CONSTANTS),
        a: local.address.into(),
        b: local.capacity_address.into(),
        c: local.out_address.into(),
        d: local.tag.into(),
        e: local.remaining.into(),
    };
    bus::receive_call(builder, call, local.is_sponge * local.starts + loads_first);

    let [low, high, capacity] = blocks(&local.permutation.inputs);
    let address: AB::Expr = local.address.into();
    let reads_low = loading.reads_one::<AB::Expr>() + local.is_sponge;
    bus::lookup_block(builder, address.clone(), low, reads_low);
    let reads_high = loading.reads_two::<AB::Expr>() + local.is_sponge - local.is_short;
    bus::lookup_block(builder, address + AB::Expr::ONE, high, reads_high);
    // The block in memory is the capacity without the tag.
    let mut untagged: [AB::Expr; LANES] = capacity.map(Into::into);
    untagged[0] = untagged[0].clone() - local.tag;
    let begins = local.is_sponge * local.starts;
    bus::lookup_block(builder, local.capacity_address, untagged, begins);
    let ends = local.is_sponge * next.starts;
    let all: AB::Expr = (local.is_sponge - local.is_hash) * next.starts;
    let out: AB::Expr = local.out_address.into();
    let addresses = [
        out.clone(),
        out.clone() + AB::Expr::ONE,
        out + AB::Expr::ONE.double(),
    ];
    let outputs = blocks(local.permutation.outputs());
    for ((address, lanes), count) in
        addresses
            .into_iter()
            .zip(outputs)
            .zip([ends, all.clone(), all])
    {
        bus::lookup_block(builder, address, lanes, count);
    }
}
