//! Block memory: one row per address, with eight lanes.
//!
//! Columns `address`, `lanes` and `count`. The constraints are those of word memory, except that
//! addresses start at 0, and that block 0 is the statement: the public values of the proof.

use droste_native::F;
use p3_air::{Air, AirBuilder, BaseAir};
use p3_field::PrimeCharacteristicRing;
use p3_lookup::InteractionBuilder;

use crate::tables::bus::{BLOCK, BlockMessage};
use crate::tables::{
    LANES, LookupCounts, Table, Trace, TraceInput, fill_rows, sound_with_every_end,
};

droste_air::columns! {
    /// One block.
    pub struct BlockCols<T> {
        /// Address of the block.
        pub address: T,
        /// Elements of the block.
        pub lanes: [T; LANES],
        /// How often the block is looked up.
        pub count: T,
    }
}

/// The block memory table.
#[derive(Clone, Copy, Debug, Default)]
pub struct BlocksTable;

impl BaseAir<F> for BlocksTable {
    fn width(&self) -> usize {
        BlockCols::<u8>::WIDTH
    }

    fn main_next_row_columns(&self) -> Vec<usize> {
        vec![0]
    }

    fn num_public_values(&self) -> usize {
        LANES
    }
}

impl<AB: InteractionBuilder<F = F>> Air<AB> for BlocksTable {
    fn eval(&self, builder: &mut AB) {
        droste_air::rows!(builder, local, next: BlockCols<AB::Var>);
        let statement: [AB::PublicVar; LANES] =
            std::array::from_fn(|lane| builder.public_values()[lane]);
        builder.when_first_row().assert_zero(local.address);
        for (lane, public) in local.lanes.into_iter().zip(statement) {
            builder.when_first_row().assert_eq(lane, public);
        }
        builder
            .when_transition()
            .assert_eq(next.address, local.address + F::ONE);
        let block = BlockMessage {
            address: local.address.into(),
            lanes: local.lanes.map(Into::into),
        };
        BLOCK.table_entry(builder, block.into_fields(), local.count);
    }
}

impl Table for BlocksTable {
    sound_with_every_end!("blocks");

    fn rows(&self, input: &TraceInput<'_>) -> usize {
        input.execution.memory.blocks.len()
    }

    fn trace(&self, input: &TraceInput<'_>, log_height: usize, counts: &mut LookupCounts) -> Trace {
        let memory = &input.execution.memory;
        fill_rows(self.width(), log_height, |index, row: &mut BlockCols<F>| {
            row.address = F::from_usize(index);
            row.lanes = memory.blocks.get(index).copied().unwrap_or_default();
            row.count = F::from_u32(counts.blocks.get(index).copied().unwrap_or(0));
        })
    }
}
