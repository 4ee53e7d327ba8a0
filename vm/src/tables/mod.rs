//! Tables of the machine, and what every table implements.
//!
//! A machine is `cpu`, `program`, `words` and `blocks`, and the tables of the precompiles that its
//! program calls. Tables exchange messages on the buses of [`bus`].

pub mod blake3;
pub mod blocks;
pub mod bus;
pub mod cpu;
#[doc(hidden)]
pub mod declare;
pub mod digest_chain;
pub mod ext;
pub mod keccak;
pub mod limbs;
mod lookup_counts;
pub mod poseidon16;
pub mod program;
#[cfg(test)]
mod run_testing;
#[cfg(test)]
mod testing;
pub mod words;

pub use lookup_counts::LookupCounts;

use std::iter::Sum;

use droste_native::F;
use p3_air::BaseAir;
use p3_field::PrimeField32;
use p3_matrix::dense::RowMajorMatrix;

use crate::isa::Program;
use crate::precompile::Precompile;
use crate::record::{Execution, Image};

/// Elements of a block.
pub const LANES: usize = 8;

/// What traces are made from: the same for every table.
#[derive(Clone, Copy, Debug)]
pub struct TraceInput<'a> {
    /// The program.
    pub program: &'a Program,
    /// Its run.
    pub execution: &'a Execution,
}

/// One table of a machine.
///
/// Besides this trait a table implements
/// `Air<AB> for AB: PermutationAirBuilder + InteractionBuilder<F = F>`, or any weaker bound, and must
/// override every method of [`BaseAir`] whose default is not right for it, above all
/// [`BaseAir::main_next_row_columns`]: empty if no constraint reads the next row, since a table that
/// names any column is opened at two points.
///
/// # Soundness
///
/// A table must not rely on its height or on how its padding looks: a prover chooses both. Flags
/// that count messages are constrained to be boolean on every row. A chain of rows begins on the
/// table's first row or after the last row of another, and none is open on the table's last row.
pub trait Table: BaseAir<F> + Send + Sync {
    /// Name in reports.
    fn name(&self) -> &'static str;

    /// Identities of the precompiles that need the table: whose calls it receives, or whose table it
    /// serves in turn. Empty for the tables that every machine has.
    fn precompiles(&self) -> &'static [u32] {
        &[]
    }

    /// Those of [`Self::precompiles`] that are a user's: what the compiler and the executor know of
    /// them. A precompile that several tables serve is named by one.
    fn custom(&self) -> &'static [Precompile] {
        &[]
    }

    /// Logarithm of the height of a table with fixed content; `None` for a table whose height follows
    /// from the run.
    fn fixed_log_height(&self) -> Option<usize> {
        None
    }

    /// Rows that the run fills, before padding. Cheap: no row is computed.
    fn rows(&self, input: &TraceInput<'_>) -> usize;

    /// The trace, padded to `2^log_height` rows, which are at least [`Self::rows`].
    ///
    /// Counts every look-up of its rows in `uses`. Same input, same trace, at any number of threads.
    fn trace(
        &self,
        input: &TraceInput<'_>,
        log_height: usize,
        uses: &mut LookupCounts,
    ) -> RowMajorMatrix<F>;
}

/// Sum of expressions.
pub fn sum<E: Sum<E>, V: Copy + Into<E>>(terms: &[V]) -> E {
    terms.iter().map(|&term| term.into()).sum()
}

/// The word at an address; zero outside memory.
pub fn word(image: &Image, address: F) -> F {
    let index = address.as_canonical_u32().wrapping_sub(image.word_base);
    image.words.get(index as usize).copied().unwrap_or_default()
}

/// The block at an address; zero outside memory.
pub fn block(image: &Image, address: F) -> [F; LANES] {
    let address = address.as_canonical_u32() as usize;
    image.blocks.get(address).copied().unwrap_or_default()
}
