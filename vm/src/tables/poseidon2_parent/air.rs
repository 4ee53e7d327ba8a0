//! Constraints of the table `poseidon2_parent`.

use std::borrow::Borrow;

use droste_air::poseidon2::eval_poseidon2_parent;
use droste_native::F;
use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};
use p3_field::PrimeCharacteristicRing;
use p3_lookup::{Count, InteractionBuilder};

use super::columns::ParentCols;
use crate::isa::id;
use crate::tables::LANES;
use crate::tables::bus::{self, BlockMessage, CallMessage};

/// The table `poseidon2_parent`: calls of `poseidon2_compress` and `poseidon2_merkle`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Poseidon2ParentTable;

impl BaseAir<F> for Poseidon2ParentTable {
    fn width(&self) -> usize {
        ParentCols::<u8>::WIDTH
    }

    fn max_constraint_degree(&self) -> Option<usize> {
        Some(3)
    }
}

impl<AB: InteractionBuilder<F = F>> Air<AB> for Poseidon2ParentTable {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let local: &ParentCols<AB::Var> = main.current_slice().borrow();
        let next: &ParentCols<AB::Var> = main.next_slice().borrow();
        eval_poseidon2_parent(builder, &local.permutation);
        eval_modes(builder, local);
        eval_path(builder, local, next);
        eval_messages(builder, local, next);
    }
}

fn is_merkle<AB: InteractionBuilder<F = F>>(row: &ParentCols<AB::Var>) -> AB::Expr {
    row.is_left + row.is_right
}

fn is_active<AB: InteractionBuilder<F = F>>(row: &ParentCols<AB::Var>) -> AB::Expr {
    is_merkle::<AB>(row) + row.is_compress
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
fn eval_modes<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &ParentCols<AB::Var>) {
    for flag in [
        local.is_compress,
        local.is_left,
        local.is_right,
        local.starts,
    ] {
        builder.assert_bool(flag);
    }
    builder.assert_bool(is_active::<AB>(local));
    builder.when_first_row().assert_one(local.starts);
    builder
        .when(AB::Expr::ONE - local.starts)
        .assert_one(is_merkle::<AB>(local));
}

/// Constrains Merkle paths: the node is the parent of the row above, the siblings are consecutive,
/// the bits are those of the index, low first, and the rows are as many as the call says.
fn eval_path<AB: InteractionBuilder<F = F>>(
    builder: &mut AB,
    local: &ParentCols<AB::Var>,
    next: &ParentCols<AB::Var>,
) {
    let sibling_address = |row: &ParentCols<AB::Var>| -> AB::Expr {
        row.is_left * row.high_address + row.is_right * row.low_address
    };
    let (parent, [next_low, next_high]) = (parent(local), inputs(next));

    let mut chain = builder.when(AB::Expr::ONE - next.starts);
    // The row below is one of `merkle`, since it continues a call.
    chain.assert_one(is_merkle::<AB>(local));
    chain.assert_eq(next.out_address, local.out_address);
    chain.assert_eq(next.remaining + AB::Expr::ONE, local.remaining);
    chain.assert_eq(
        sibling_address(next),
        sibling_address(local) + AB::Expr::ONE,
    );
    for lane in 0..LANES {
        let node = next.is_left * next_low[lane] + next.is_right * next_high[lane];
        chain.assert_eq(node, parent[lane]);
    }

    let mut merkle = builder.when(is_merkle::<AB>(local));
    let index_above = local.index - local.is_right;
    merkle
        .when(AB::Expr::ONE - next.starts)
        .assert_eq(next.index.into().double(), index_above.clone());
    merkle.when(next.starts).assert_zero(index_above);
    merkle.when(next.starts).assert_one(local.remaining);
}

/// Receives the call, and looks up the blocks that are read and written.
fn eval_messages<AB: InteractionBuilder<F = F>>(
    builder: &mut AB,
    local: &ParentCols<AB::Var>,
    next: &ParentCols<AB::Var>,
) {
    let merkle = is_merkle::<AB>(local);
    let is_compress: AB::Expr = local.is_compress.into();
    let call = CallMessage {
        id: is_compress.clone() * F::from_u32(id::POSEIDON2_COMPRESS)
            + merkle.clone() * F::from_u32(id::POSEIDON2_MERKLE),
        a: is_compress.clone() * local.low_address + merkle.clone() * local.out_address,
        b: is_compress.clone() * local.high_address + merkle * local.index,
        c: is_compress.clone() * local.out_address
            + local.is_left * local.high_address
            + local.is_right * local.low_address,
        d: local.is_left * local.low_address + local.is_right * local.high_address,
        e: local.remaining.into(),
    };
    bus::receive_call(builder, call, is_active::<AB>(local) * local.starts);

    let [low, high] = inputs(local);
    let lookups = [
        (
            local.low_address,
            low,
            is_compress.clone() + local.is_right + local.is_left * local.starts,
        ),
        (
            local.high_address,
            high,
            is_compress + local.is_left + local.is_right * local.starts,
        ),
        (
            local.out_address,
            parent(local),
            is_active::<AB>(local) * next.starts,
        ),
    ];
    for (address, lanes, count) in lookups {
        let message = BlockMessage {
            address: address.into(),
            lanes: lanes.map(Into::into),
        };
        bus::lookup_block(builder, message, Count::bounded(count, 1));
    }
}
