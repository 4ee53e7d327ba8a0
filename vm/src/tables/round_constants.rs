//! What the tables of Poseidon2 with round constants of a program's own share: columns that hold
//! the constants and are equal on all rows, and the table's first rows, which load them.
//!
//! A call names the address of the constants' blocks. The row that receives it, row 0 among them,
//! reads the first two blocks, and each row below two more. Since row 0 loads, a table without such
//! a call has no trace; since the constants are equal on all rows, all its permutations have those
//! that were loaded.

use droste_native::F;
use p3_air::AirBuilder;
use p3_field::PrimeCharacteristicRing;

use super::{LANES, TraceInput, block, sum};
use crate::precompile::Precompile;

/// The columns of a row that hold round constants, and say whether it loads them.
pub struct Loading<'a, V> {
    /// The round constants, in the order of the rounds.
    pub constants: &'a [V],
    /// Address of the first of the blocks that hold them.
    pub address: V,
    /// One flag for each row of the call that loads them, which reads two blocks. The last row reads
    /// one.
    pub load: &'a [V],
}

impl<V: Copy> Loading<'_, V> {
    /// Returns one on a row that loads, and so reads a block.
    pub fn reads_one<E>(&self) -> E
    where
        V: Into<E>,
        E: std::iter::Sum<E>,
    {
        sum(self.load)
    }

    /// Returns one on a row that loads and reads two blocks.
    pub fn reads_two<E>(&self) -> E
    where
        V: Into<E>,
        E: std::iter::Sum<E>,
    {
        let rows = self.load.split_last();
        sum(rows.map_or(&[][..], |(_, rows)| rows))
    }
}

/// Constrains the constants to be those that are loaded, and rows that load them to take the first
/// constants from row 0 on. `address` is that of the row's first block, and `inputs` begin with its
/// blocks; they are zero where a row that loads has no constant.
///
/// The table must constrain a row that loads to do nothing else, and at most one of the flags to be
/// one.
pub fn eval_loading<AB: AirBuilder<F = F>>(
    builder: &mut AB,
    local: &Loading<'_, AB::Var>,
    next: &Loading<'_, AB::Var>,
    address: AB::Var,
    inputs: &[AB::Var],
) {
    for (&below, &above) in next.constants.iter().zip(local.constants) {
        builder.assert_eq(below, above);
    }
    builder.assert_eq(next.address, local.address);

    for &load in local.load {
        builder.assert_bool(load);
    }
    if let Some(&first) = local.load.first() {
        builder.when_first_row().assert_one(first);
    }
    for (&above, &below) in local.load.iter().zip(next.load.iter().skip(1)) {
        builder.assert_eq(below, above);
    }

    let loads: AB::Expr = local.reads_one();
    let rows = local.load.iter().enumerate();
    let distance: AB::Expr = rows.map(|(row, &load)| load * F::from_usize(2 * row)).sum();
    builder.assert_eq(loads.clone() * (address - local.address), distance);
    for (lane, &input) in inputs.iter().enumerate() {
        let rows = local.load.iter().zip(local.constants.chunks(2 * LANES));
        let read = rows.filter_map(|(&load, constants)| Some(load * *constants.get(lane)?));
        builder.assert_eq(loads.clone() * input, read.sum::<AB::Expr>());
    }
}

/// Reads the constants from memory for a trace, and returns the address that the run's first call of
/// this precompile names. There is none if the run does not call it.
pub fn load_constants(
    input: &TraceInput<'_>,
    precompile: &Precompile,
    constants: &mut [F],
) -> Option<F> {
    let execution = input.execution;
    let address = execution.calls[precompile.identity as usize].first()?.a;
    for (index, constants) in constants.chunks_mut(LANES).enumerate() {
        let block = block(&execution.memory, address + F::from_usize(index));
        constants.copy_from_slice(&block[..constants.len()]);
    }
    Some(address)
}
