//! Word memory: one row per address.
//!
//! Columns `address, value, uses`. Addresses go up by one from row to row, so no two rows share one
//! and a word has one value for the whole run; the first address is the prover's choice, and a value
//! that no instruction constrains is a free hint. `uses` is free: it has to be the number of
//! look-ups, or the bus does not balance.

use std::borrow::{Borrow, BorrowMut};

use droste_native::F;
use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};
use p3_field::PrimeCharacteristicRing;
use p3_lookup::InteractionBuilder;
use p3_matrix::dense::RowMajorMatrix;
use p3_maybe_rayon::prelude::*;

use crate::tables::LookupCounts;
use crate::tables::bus::provide_word;
use crate::tables::{Table, TraceInput};

droste_air::columns! {
    /// One word.
    pub struct WordCols<T> {
        /// Its address.
        pub address: T,
        /// Its value.
        pub value: T,
        /// How often it is looked up.
        pub uses: T,
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
        let main = builder.main();
        let local: &WordCols<AB::Var> = main.current_slice().borrow();
        let next: &WordCols<AB::Var> = main.next_slice().borrow();
        builder
            .when_transition()
            .assert_eq(next.address, local.address + F::ONE);
        provide_word(builder, local.address, local.value, local.uses);
    }
}

impl Table for WordsTable {
    fn name(&self) -> &'static str {
        "words"
    }

    fn rows(&self, input: &TraceInput<'_>) -> usize {
        input.execution.image.words.len()
    }

    fn trace(
        &self,
        input: &TraceInput<'_>,
        log_height: usize,
        uses: &mut LookupCounts,
    ) -> RowMajorMatrix<F> {
        let image = &input.execution.image;
        let width = WordCols::<u8>::WIDTH;
        let mut values = F::zero_vec(width << log_height);
        values
            .par_chunks_exact_mut(width)
            .enumerate()
            .for_each(|(index, row)| {
                let row: &mut WordCols<F> = row.borrow_mut();
                row.address = F::from_u32(image.word_base) + F::from_usize(index);
                row.value = image.words.get(index).copied().unwrap_or_default();
                row.uses = F::from_u32(uses.words.get(index).copied().unwrap_or(0));
            });
        RowMajorMatrix::new(values, width)
    }
}
