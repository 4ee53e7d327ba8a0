//! Word memory: one row per address.
//!
//! Columns `address`, `value` and `count`. Addresses increase by one from row to row, so no two
//! rows have the same address, and a word has one value for the whole run. The prover chooses the
//! first address, and a value that no instruction constrains is a free hint. No constraint is
//! needed for `count`: unless it is the number of lookups, the bus does not balance.

use droste_native::F;
use p3_air::{Air, AirBuilder, BaseAir};
use p3_field::PrimeCharacteristicRing;
use p3_lookup::InteractionBuilder;

use crate::tables::bus::{WORD, WordMessage};
use crate::tables::{LookupCounts, Table, Trace, TraceInput, fill_rows, sound_with_every_end};

droste_air::columns! {
    /// One word.
    pub struct WordCols<T> {
        /// Address of the word.
        pub address: T,
        /// Value of the word.
        pub value: T,
        /// How often the word is looked up.
        pub count: T,
    }
}

/// The word memory table.
#[derive(Clone, Copy, Debug, Default)]
pub struct WordsTable;

impl BaseAir<F> for WordsTable {
    fn width(&self) -> usize {
        WordCols::<u8>::WIDTH
    }

    fn main_next_row_columns(&self) -> Vec<usize> {
        vec![0]
    }
}

impl<AB: InteractionBuilder<F = F>> Air<AB> for WordsTable {
    fn eval(&self, builder: &mut AB) {
        droste_air::rows!(builder, local, next: WordCols<AB::Var>);
        builder
            .when_transition()
            .assert_eq(next.address, local.address + F::ONE);
        let word = WordMessage {
            address: local.address.into(),
            value: local.value.into(),
        };
        WORD.table_entry(builder, word.into_fields(), local.count);
    }
}

impl Table for WordsTable {
    sound_with_every_end!("words");

    fn rows(&self, input: &TraceInput<'_>) -> usize {
        input.execution.memory.words.len()
    }

    fn trace(&self, input: &TraceInput<'_>, log_height: usize, counts: &mut LookupCounts) -> Trace {
        let memory = &input.execution.memory;
        fill_rows(self.width(), log_height, |index, row: &mut WordCols<F>| {
            row.address = F::from_u32(memory.word_base) + F::from_usize(index);
            row.value = memory.words.get(index).copied().unwrap_or_default();
            row.count = F::from_u32(counts.words.get(index).copied().unwrap_or(0));
        })
    }
}
