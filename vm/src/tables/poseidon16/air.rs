//! Constraints of the table `poseidon16`.

use droste_air::poseidon16::eval_poseidon16_outputs;
use droste_native::F;
use p3_air::AirBuilder;
use p3_field::PrimeCharacteristicRing;
use p3_lookup::InteractionBuilder;

use super::columns::ChainCols;
use crate::isa::id;
use crate::tables::path::{self, eval_index};
use crate::tables::{LANES, bus, sum};

droste_air::air! {
    /// The table `poseidon16`: calls of `poseidon16_compress`, `poseidon16_sponge`,
    /// `poseidon16_hash` and `poseidon16_merkle`.
    pub struct Poseidon16CallTable(ChainCols as Row), degree = 3, eval = eval(local, next)
}

fn eval<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    eval_permutation(builder, local);
    eval_modes(builder, local);
    eval_chain(builder, local, next);
    eval_sponge(builder, local, next);
    eval_merkle(builder, local, next);
    eval_messages(builder, local, next);
}

fn is_active<AB: InteractionBuilder<F = F>>(row: &Row<AB>) -> AB::Expr {
    row.path.is_merkle::<AB::Expr>() + row.is_compress + row.is_sponge
}

/// Returns outputs 0 to 7, with the feed-forward except on `sponge` rows, and outputs 8 to 15.
fn outputs<T: Copy>(row: &ChainCols<T>) -> ([T; LANES], [T; LANES]) {
    let outputs = row.permutation.outputs();
    halves(outputs)
}

fn halves<T: Copy>(state: &[T; 2 * LANES]) -> ([T; LANES], [T; LANES]) {
    (
        std::array::from_fn(|lane| state[lane]),
        std::array::from_fn(|lane| state[LANES + lane]),
    )
}

/// Constrains the permutation. The first 8 output columns include the feed-forward if the call has
/// one.
fn eval_permutation<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>) {
    let feeds_forward = local.path.is_merkle::<AB::Expr>() + local.is_compress;
    let committed = local.permutation.outputs();
    let outputs = std::array::from_fn(|i| {
        if i < LANES {
            -(feeds_forward.clone() * local.permutation.inputs[i]) + committed[i]
        } else {
            committed[i].into()
        }
    });
    eval_poseidon16_outputs(builder, &local.permutation, outputs);
}

/// Constrains every selector to be boolean on every row, and at most one mode to be on.
fn eval_modes<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>) {
    builder.assert_bools([
        local.is_compress,
        local.is_sponge,
        local.is_hash,
        local.path.is_left,
        local.path.is_right,
        local.path.starts,
    ]);
    builder.assert_bool(is_active::<AB>(local));
    builder.assert_zero(local.is_hash * (AB::Expr::ONE - local.is_sponge));
}

/// Constrains calls to begin on row 0 and below the last row of the call before. Only `sponge` and
/// `merkle` calls have more rows: these keep mode and result address, until nothing remains. So the
/// last row of the table ends a call, whether row 0 follows it or it is followed by itself.
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
    let (low, high) = outputs(local);
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
    let (parent, _) = outputs(local);
    let (next_low, next_high) = halves(&next.permutation.inputs);
    let (path, below) = (&local.path, &next.path);

    // Rows that continue a `sponge` satisfy this, too: every term is zero there.
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

/// Receives the call, and looks up the blocks that are read and written.
fn eval_messages<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    let path = &local.path;
    let id = local.is_compress * F::from_u32(id::POSEIDON16_COMPRESS)
        + local.is_sponge * F::from_u32(id::POSEIDON16_SPONGE)
        + local.is_hash * F::from_u32(id::POSEIDON16_HASH - id::POSEIDON16_SPONGE)
        + path.is_merkle::<AB::Expr>() * F::from_u32(id::POSEIDON16_MERKLE);
    let mut call = path::call::<AB>(path, id, local.is_compress + local.is_sponge);
    call.d += local.tag.into();
    bus::receive_call(builder, call, is_active::<AB>(local) * path.starts);

    let (low, high) = halves(&local.permutation.inputs);
    let (out_low, out_high) = outputs(local);
    let is_compress: AB::Expr = local.is_compress.into();
    let reads_low =
        is_compress.clone() + local.is_sponge + path.is_right + path.is_left * path.starts;
    bus::lookup_block(builder, path.low_address, low, reads_low);
    // The block in memory is the capacity without the tag.
    let mut high: [AB::Expr; LANES] = high.map(Into::into);
    high[0] = high[0].clone() - local.tag;
    let reads_high = is_compress + path.is_left + (local.is_sponge + path.is_right) * path.starts;
    bus::lookup_block(builder, path.high_address, high, reads_high);
    let ends = is_active::<AB>(local) * next.path.starts;
    bus::lookup_block(builder, path.out_address, out_low, ends);
    let writes_capacity = (local.is_sponge - local.is_hash) * next.path.starts;
    let address = path.out_address + AB::Expr::ONE;
    bus::lookup_block(builder, address, out_high, writes_capacity);
}
