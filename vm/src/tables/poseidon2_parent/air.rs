//! Constraints of the table `poseidon2_parent`.

use droste_air::poseidon2::eval_poseidon2_parent;
use droste_native::F;
use p3_air::AirBuilder;
use p3_field::PrimeCharacteristicRing;
use p3_lookup::InteractionBuilder;

use super::columns::ParentCols;
use crate::isa::id;
use crate::tables::path::{self, eval_index};
use crate::tables::{LANES, bus};

droste_air::air! {
    /// The table `poseidon2_parent`: calls of `poseidon2_compress` and `poseidon2_merkle`.
    pub struct Poseidon2ParentTable(ParentCols as Row), degree = 3, eval = eval(local, next)
}

fn eval<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    eval_poseidon2_parent(builder, &local.permutation);
    eval_modes(builder, local);
    eval_path(builder, local, next);
    eval_messages(builder, local, next);
}

fn is_active<AB: InteractionBuilder<F = F>>(row: &Row<AB>) -> AB::Expr {
    row.path.is_merkle::<AB::Expr>() + row.is_compress
}

/// Returns the parent, which is the first half of the permutation's output.
fn parent<T: Copy>(row: &ParentCols<T>) -> [T; LANES] {
    let outputs = row.permutation.outputs();
    std::array::from_fn(|lane| outputs[lane])
}

/// Returns the two blocks of the permutation's input.
fn inputs<T: Copy>(row: &ParentCols<T>) -> [[T; LANES]; 2] {
    let inputs = &row.permutation.inputs;
    [0, LANES].map(|first| std::array::from_fn(|lane| inputs[first + lane]))
}

/// Constrains every selector to be boolean on every row, and at most one mode to be on. Calls begin
/// on row 0 and below the last row of the call before; only `merkle` calls have more rows.
fn eval_modes<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>) {
    let path = &local.path;
    builder.assert_bools([local.is_compress, path.is_left, path.is_right, path.starts]);
    builder.assert_bool(is_active::<AB>(local));
    builder.when_first_row().assert_one(path.starts);
    builder
        .when(AB::Expr::ONE - path.starts)
        .assert_one::<AB::Expr>(path.is_merkle());
}

/// Constrains Merkle paths: the node is the parent of the row above, the siblings are consecutive,
/// the bits are those of the index, low first, and the rows are as many as the call says.
fn eval_path<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    let (parent, [next_low, next_high]) = (parent(local), inputs(next));
    let (path, below) = (&local.path, &next.path);

    let mut chain = builder.when(AB::Expr::ONE - below.starts);
    // The row below is one of `merkle`, since it continues a call.
    chain.assert_one::<AB::Expr>(path.is_merkle());
    chain.assert_eq(below.out_address, path.out_address);
    chain.assert_eq(below.remaining + AB::Expr::ONE, path.remaining);
    chain.assert_eq::<AB::Expr, _>(
        below.sibling_address(),
        path.sibling_address::<AB::Expr>() + AB::Expr::ONE,
    );
    for lane in 0..LANES {
        let node = below.is_left * next_low[lane] + below.is_right * next_high[lane];
        chain.assert_eq(node, parent[lane]);
    }
    eval_index(builder, path, below);
}

/// Receives the call, and looks up the blocks that are read and written.
fn eval_messages<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    let path = &local.path;
    let is_compress: AB::Expr = local.is_compress.into();
    let id = is_compress.clone() * F::from_u32(id::POSEIDON2_COMPRESS)
        + path.is_merkle::<AB::Expr>() * F::from_u32(id::POSEIDON2_MERKLE);
    let call = path::call::<AB>(path, id, is_compress.clone());
    bus::receive_call(builder, call, is_active::<AB>(local) * path.starts);

    let [low, high] = inputs(local);
    let reads_low = is_compress.clone() + path.is_right + path.is_left * path.starts;
    bus::lookup_block(builder, path.low_address, low, reads_low);
    let reads_high = is_compress + path.is_left + path.is_right * path.starts;
    bus::lookup_block(builder, path.high_address, high, reads_high);
    let ends = is_active::<AB>(local) * next.path.starts;
    bus::lookup_block(builder, path.out_address, parent(local), ends);
}
