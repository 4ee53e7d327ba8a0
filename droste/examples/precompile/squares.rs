//! A precompile that squares the lanes of a block, written as docs/precompiles.md describes.

use droste::machine::tables::bus::{self, CallMessage};
use droste::machine::tables::{LANES, LookupCounts, Table, Trace, TraceInput, block};
use droste::prelude::*;
use droste::program::isa::id;
use droste::program::{Call, Function, Operand, Output, Parameter, Precompile, any};
use droste::table::End;
use droste_gadgets::prelude::{Block, Felt};

/// What programs call. In a native run it is this function.
pub fn squares(block: Block) -> Block {
    let lanes = std::array::from_fn(|lane| block.lane(lane).into());
    Block::new(square_lanes(lanes).map(Felt::from))
}

/// The same for the executor.
fn square_lanes(lanes: [F; LANES]) -> [F; LANES] {
    lanes.map(|lane| lane * lane)
}

/// Columns: whether the row is a call, the addresses of input and result, the lanes, their squares.
pub const REAL: usize = 0;
pub const FROM: usize = 1;
pub const TO: usize = 2;
pub const LANE: usize = 3;
pub const SQUARE: usize = LANE + LANES;
pub const WIDTH: usize = SQUARE + LANES;

#[derive(Clone, Copy, Debug, Default)]
pub struct SquaresTable;

impl BaseAir<F> for SquaresTable {
    fn width(&self) -> usize {
        WIDTH
    }

    fn main_next_row_columns(&self) -> Vec<usize> {
        vec![]
    }

    fn max_constraint_degree(&self) -> Option<usize> {
        Some(2)
    }
}

impl<AB: InteractionBuilder<F = F>> Air<AB> for SquaresTable {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let row = main.current_slice();
        builder.assert_bool(row[REAL]);
        for lane in 0..LANES {
            let value: AB::Expr = row[LANE + lane].into();
            builder.assert_eq(value.square(), row[SQUARE + lane]);
        }
        messages(builder, row);
    }
}

/// Receives the call, reads the block and writes the result.
pub fn messages<AB: InteractionBuilder<F = F>>(builder: &mut AB, row: &[AB::Var]) {
    let call = CallMessage {
        id: F::from_u32(SQUARES.identity).into(),
        a: row[FROM].into(),
        b: AB::Expr::ZERO,
        c: AB::Expr::ZERO,
        d: row[TO].into(),
        e: AB::Expr::ZERO,
    };
    bus::receive_call(builder, call, row[REAL]);
    for (address, first) in [(FROM, LANE), (TO, SQUARE)] {
        let lanes: [AB::Var; LANES] = std::array::from_fn(|lane| row[first + lane]);
        bus::lookup_block(builder, row[address], lanes, row[REAL]);
    }
}

/// The declaration, from which compiler, executor and machine take everything they need.
pub const SQUARES: Precompile = Precompile {
    name: "squares",
    identity: id::CUSTOM.start,
    functions: &[Function {
        name: "squares",
        parameters: &[Parameter::Block(Operand::A)],
        check: any,
        output: Output::Block(Operand::D),
    }],
    is_total: true,
    run: |call| {
        let input = call.read(Operand::A)?;
        call.write(Operand::D, square_lanes(input))
    },
    rows: |_| 1,
};

impl Table for SquaresTable {
    fn name(&self) -> &'static str {
        "squares"
    }

    fn precompiles(&self) -> &'static [Precompile] {
        &[SQUARES]
    }

    // No constraint reads the next row.
    fn is_sound_with(&self, _: End) -> bool {
        true
    }

    fn trace(&self, input: &TraceInput<'_>, log_height: usize, counts: &mut LookupCounts) -> Trace {
        let memory = &input.execution.memory;
        trace_of_calls(&SQUARES, input, WIDTH, log_height, |row, call| {
            (row[REAL], row[FROM], row[TO]) = (F::ONE, call.a, call.d);
            row[LANE..SQUARE].copy_from_slice(&block(memory, call.a));
            row[SQUARE..].copy_from_slice(&block(memory, call.d));
            counts.block(call.a);
            counts.block(call.d);
        })
    }
}

/// A trace with a row for each call, which `fill` writes, and zeros as padding.
pub fn trace_of_calls(
    precompile: &Precompile,
    input: &TraceInput<'_>,
    width: usize,
    log_height: usize,
    mut fill: impl FnMut(&mut [F], &Call),
) -> Trace {
    let mut values = F::zero_vec(width << log_height);
    let calls = &input.execution.calls[precompile.identity as usize];
    for (row, call) in values.chunks_exact_mut(width).zip(calls) {
        fill(row, call);
    }
    RowMajorMatrix::new(values, width)
}
