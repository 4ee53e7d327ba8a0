//! A precompile of our own, following docs/precompiles.md: the squares of a block's lanes.

use droste::machine::tables::{LANES, LookupCounts, Table, TraceInput, block, bus};
use droste::prelude::*;
use droste::program::isa::id;
use droste::program::{Call, Fault, Memory, Output, Parameter, Precompile};

const SQUARES: u32 = id::CUSTOM.start;

/// The native function.
pub fn squares(block: [F; LANES]) -> [F; LANES] {
    block.map(|lane| lane * lane)
}

/// Columns: whether the row is a call, the two addresses, the lanes, their squares.
const REAL: usize = 0;
const FROM: usize = 1;
const TO: usize = 2;
const LANE: usize = 3;
const SQUARE: usize = LANE + LANES;
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
        let zero = AB::Expr::ZERO;
        let operands = [
            row[FROM].into(),
            zero.clone(),
            zero.clone(),
            row[TO].into(),
            zero,
        ];
        bus::receive_call(builder, F::from_u32(SQUARES), operands, row[REAL]);
        for (address, first) in [(FROM, LANE), (TO, SQUARE)] {
            let lanes = std::array::from_fn(|lane| row[first + lane].into());
            let count = Count::bounded(row[REAL].into(), 1);
            bus::lookup_block(builder, row[address], lanes, count);
        }
    }
}

fn run(call: &Call, memory: &mut Memory) -> Result<(), Fault> {
    let input = memory.block(call.a.as_canonical_u32())?;
    memory.set_block(call.d.as_canonical_u32(), squares(input))
}

impl Table for SquaresTable {
    fn name(&self) -> &'static str {
        "squares"
    }

    fn precompiles(&self) -> &'static [u32] {
        &[SQUARES]
    }

    fn custom(&self) -> &'static [Precompile] {
        &[Precompile {
            name: "squares",
            identity: SQUARES,
            parameters: &[Parameter::Block],
            output: Output::Block,
            run,
        }]
    }

    fn rows(&self, input: &TraceInput<'_>) -> usize {
        input.execution.calls[SQUARES as usize].len()
    }

    fn trace(
        &self,
        input: &TraceInput<'_>,
        log_height: usize,
        uses: &mut LookupCounts,
    ) -> RowMajorMatrix<F> {
        let mut values = F::zero_vec(WIDTH << log_height);
        let calls = &input.execution.calls[SQUARES as usize];
        for (row, call) in values.chunks_exact_mut(WIDTH).zip(calls) {
            let lanes = block(&input.execution.image, call.a);
            (row[REAL], row[FROM], row[TO]) = (F::ONE, call.a, call.d);
            row[LANE..SQUARE].copy_from_slice(&lanes);
            row[SQUARE..].copy_from_slice(&squares(lanes));
            uses.block(call.a);
            uses.block(call.d);
        }
        RowMajorMatrix::new(values, WIDTH)
    }
}
