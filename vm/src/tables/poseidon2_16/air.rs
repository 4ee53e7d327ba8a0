//! Constraints of the table `poseidon2_16`. Those of modes, chains, sponges and paths are those of
//! the table `poseidon16`, whose outputs differ: there is no feed-forward here.

use droste_air::poseidon2::eval_poseidon2_parent_with;
use droste_native::F;
use p3_air::AirBuilder;
use p3_field::PrimeCharacteristicRing;
use p3_lookup::InteractionBuilder;

use super::columns::NarrowCols;
use crate::isa::id;
use crate::tables::path::{self, eval_index};
use crate::tables::round_constants::eval_loading;
use crate::tables::{LANES, bus, sum};

droste_air::air! {
    /// The table `poseidon2_16`: calls of `poseidon2_16_constants`, `poseidon2_16_compress`,
    /// `poseidon2_16_duplex`, `poseidon2_16_hash` and `poseidon2_16_merkle`.
    pub struct Poseidon2NarrowTable(NarrowCols as Row), degree = 3, eval = eval(local, next)
}

fn eval<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    eval_poseidon2_parent_with(builder, local.round_constants(), &local.permutation);
    eval_modes(builder, local);
    eval_chain(builder, local, next);
    eval_sponge(builder, local, next);
    eval_merkle(builder, local, next);
    eval_constants(builder, local, next);
    eval_messages(builder, local, next);
}

fn is_active<AB: InteractionBuilder<F = F>>(row: &Row<AB>) -> AB::Expr {
    row.path.is_merkle::<AB::Expr>() + row.is_compress + row.is_sponge
}

/// Returns the two blocks of a state.
fn halves<T: Copy>(state: &[T; 2 * LANES]) -> ([T; LANES], [T; LANES]) {
    (
        std::array::from_fn(|lane| state[lane]),
        std::array::from_fn(|lane| state[LANES + lane]),
    )
}

/// Constrains every selector to be boolean on every row, and at most one mode to be on. Loading
/// constants is one of the modes.
fn eval_modes<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>) {
    builder.assert_bools([
        local.is_compress,
        local.is_sponge,
        local.is_hash,
        local.path.is_left,
        local.path.is_right,
        local.path.starts,
    ]);
    let loads = local.loading().reads_one::<AB::Expr>();
    builder.assert_bool(is_active::<AB>(local) + loads);
    builder.assert_zero(local.is_hash * (AB::Expr::ONE - local.is_sponge));
}

/// Constrains calls to begin on row 0 and below the last row of the call before. Only sponges and
/// `merkle` calls have more rows: these keep mode and result address, until nothing remains. So the
/// last row of the table ends a call, whether row 0 follows it or it is followed by itself.
///
/// Rows that load constants, which are chained by flags of their own, all start.
fn eval_chain<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    let (path, below) = (&local.path, &next.path);
    let merkle: AB::Expr = path.is_merkle();
    builder.when_first_row().assert_one(path.starts);
    builder
        .when(AB::Expr::ONE - path.starts)
        .assert_one(merkle.clone() + local.is_sponge);

    let mut chain = builder.when(AB::Expr::ONE - below.starts);
    chain.assert_eq(next.is_sponge, local.is_sponge);
    chain.assert_eq(next.is_hash, local.is_hash);
    chain.assert_eq::<AB::Expr, _>(below.is_merkle(), merkle.clone());
    chain.assert_eq(below.out_address, path.out_address);
    let taken = merkle + local.is_sponge * F::from_usize(LANES);
    chain.assert_eq(below.remaining + taken, path.remaining);
}

/// Constrains sponges: the capacity is the previous output with the call's tag added to its first
/// lane, the blocks are consecutive, and lanes past the end of the last block equal the previous
/// output.
fn eval_sponge<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    let continues = AB::Expr::ONE - next.path.starts;
    let (low, high) = halves(local.permutation.outputs());
    let (next_low, next_high) = halves(&next.permutation.inputs);

    let mut chain = builder.when(continues.clone() * local.is_sponge);
    chain.assert_eq(
        next.path.low_address,
        local.path.low_address + AB::Expr::ONE,
    );
    chain.assert_eq(next.tag, local.tag);
    for (lane, (input, output)) in next_high.into_iter().zip(high).enumerate() {
        let carried: AB::Expr = if lane == 0 {
            output + local.tag
        } else {
            output.into()
        };
        chain.assert_eq(input, carried);
    }
    builder.assert_zero(local.tag * (AB::Expr::ONE - local.is_sponge));

    // Every block is whole except the last of a chain, and a chain's first block is whole, too.
    let half: AB::Expr = local.path.index.into();
    let [first, second, third] = local.past_end;
    for flag in local.past_end {
        builder.assert_bool(flag);
    }
    builder.assert_zero(first * (AB::Expr::ONE - second));
    builder.assert_zero(second * (AB::Expr::ONE - third));
    builder.assert_zero(
        third * (continues.clone() + local.path.starts + AB::Expr::ONE - local.is_sponge),
    );
    let mut sponge = builder.when(local.is_sponge);
    sponge.assert_bool(half.clone());
    sponge.assert_zero(half.clone() * (continues + local.path.starts));
    let lanes = -sum::<AB::Expr, _>(&local.past_end) - half * F::from_u32(4) + F::from_usize(LANES);
    sponge
        .when(next.path.starts)
        .assert_eq(local.path.remaining, lanes);

    // Lanes past the end equal the previous output: those of the lower half if the upper half is
    // wholly past the end, those of the upper half in any case, and then all of the upper half.
    let carried = |lane: usize| next_low[lane] - low[lane];
    for (lane, &past_end) in next.past_end.iter().enumerate() {
        let lane = lane + 1;
        builder.assert_zero(next.path.index * past_end * carried(lane));
        builder.assert_zero(past_end * carried(LANES / 2 + lane));
    }
    for lane in LANES / 2..LANES {
        builder.assert_zero(next.is_sponge * next.path.index * carried(lane));
    }
}

/// Constrains Merkle paths: the node is the previous parent, the siblings are consecutive, and the
/// bits are those of the index, low first.
fn eval_merkle<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    let (parent, _) = halves(local.permutation.outputs());
    let (next_low, next_high) = halves(&next.permutation.inputs);
    let (path, below) = (&local.path, &next.path);

    // Rows that continue a sponge satisfy this, too: every term is zero there.
    let merkle: AB::Expr = path.is_merkle();
    let mut chain = builder.when(AB::Expr::ONE - below.starts);
    chain.assert_eq::<AB::Expr, _>(
        below.sibling_address(),
        path.sibling_address::<AB::Expr>() + merkle.clone(),
    );
    for lane in 0..LANES {
        let node = below.is_left * next_low[lane] + below.is_right * next_high[lane];
        chain.assert_eq(node, merkle.clone() * parent[lane]);
    }
    eval_index(builder, path, below);
}

/// Constrains the constants to be those that the table's first rows load from memory.
fn eval_constants<AB: InteractionBuilder<F = F>>(
    builder: &mut AB,
    local: &Row<AB>,
    next: &Row<AB>,
) {
    let (loading, path) = (local.loading(), &local.path);
    let inputs = &local.permutation.inputs;
    eval_loading(builder, &loading, &next.loading(), path.low_address, inputs);
    builder
        .when::<AB::Expr>(loading.reads_two())
        .assert_eq(path.high_address, path.low_address + AB::Expr::ONE);
}

/// Receives the call, and looks up the blocks that are read and written.
fn eval_messages<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    let (loading, path) = (local.loading(), &local.path);
    let [loads_first, ..] = local.load;
    let id = local.is_compress * F::from_u32(id::POSEIDON2_16_COMPRESS)
        + local.is_sponge * F::from_u32(id::POSEIDON2_16_DUPLEX)
        + local.is_hash * F::from_u32(id::POSEIDON2_16_HASH - id::POSEIDON2_16_DUPLEX)
        + path.is_merkle::<AB::Expr>() * F::from_u32(id::POSEIDON2_16_MERKLE)
        + loads_first * F::from_u32(id::POSEIDON2_16_CONSTANTS);
    let mut call = path::call::<AB>(path, id, local.is_compress + local.is_sponge);
    call.a += loads_first * local.constants_address;
    call.d += local.tag.into();
    let begins = is_active::<AB>(local) * path.starts + loads_first;
    bus::receive_call(builder, call, begins);

    let (low, high) = halves(&local.permutation.inputs);
    let (out_low, out_high) = halves(local.permutation.outputs());
    let is_compress: AB::Expr = local.is_compress.into();
    let reads_low = is_compress.clone()
        + local.is_sponge
        + path.is_right
        + path.is_left * path.starts
        + loading.reads_one::<AB::Expr>();
    bus::lookup_block(builder, path.low_address, low, reads_low);
    // The block in memory is the capacity without the tag.
    let mut high: [AB::Expr; LANES] = high.map(Into::into);
    high[0] = high[0].clone() - local.tag;
    let reads_high = is_compress
        + path.is_left
        + (local.is_sponge + path.is_right) * path.starts
        + loading.reads_two::<AB::Expr>();
    bus::lookup_block(builder, path.high_address, high, reads_high);
    let ends = is_active::<AB>(local) * next.path.starts;
    bus::lookup_block(builder, path.out_address, out_low, ends);
    let writes_capacity = (local.is_sponge - local.is_hash) * next.path.starts;
    let address = path.out_address + AB::Expr::ONE;
    bus::lookup_block(builder, address, out_high, writes_capacity);
}
