//! Tables of the machine, and the trait that every table implements.
//!
//! A machine has the tables `cpu`, `program`, `words` and `blocks`, and those of the precompiles
//! that its program calls. Tables exchange messages on the buses of [`bus`].

pub mod baby_bear;
pub mod binary_products;
pub mod blake3;
pub mod blocks;
pub mod bus;
pub mod byte_pairs;
mod call_table;
pub mod carry_pairs;
pub mod cpu;
#[doc(hidden)]
pub mod declare;
pub mod digest_chain;
pub mod ext;
pub mod ext4;
pub mod keccak;
pub mod keccak_sponge;
pub mod limbs;
mod lookup_counts;
pub mod low_24_bits;
mod path;
mod polynomial_identity;
pub mod poseidon16;
pub mod poseidon16_tweaked;
pub mod poseidon2_16;
pub mod poseidon2_24;
pub mod poseidon2_parent;
pub mod poseidon2_sponge;
pub mod power_weights;
pub mod program;
mod round_constants;
pub mod spread;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
pub mod word_products;
pub mod words;

pub use call_table::{CallTable, Row, Rows, call_rows, calls};
pub use lookup_counts::LookupCounts;
pub use polynomial_identity::{Coefficients, PolynomialIdentity};
pub(crate) use polynomial_identity::{constraints_after, evaluate_identities, evaluate_weight};

use std::iter::Sum;

use droste_air::{End, TraceError};
use droste_native::{F, HashId};
use p3_air::BaseAir;
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_matrix::dense::RowMajorMatrix;
use p3_maybe_rayon::prelude::*;

use crate::isa::Program;
use crate::precompile::Precompile;
use crate::record::{Execution, FinalMemory};

/// Number of elements of a block.
pub const LANES: usize = 8;

/// The rows of a table, one after the other.
pub type Trace = RowMajorMatrix<F>;

/// What traces are made from. Every table gets the same.
#[derive(Clone, Copy, Debug)]
pub struct TraceInput<'a> {
    /// The program that was run.
    pub program: &'a Program,
    /// What its run left behind.
    pub execution: &'a Execution,
}

/// What a table adds to a program that verifies a proof of its machine, at most. Programs are
/// refused by such bounds before they are generated, so a bound must not be too small; it is
/// measured on generated programs and rounded up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerifierCost {
    /// Instructions for the table's constraints and columns in a proof over FRI.
    pub over_fri: usize,
    /// The same over WHIR, where identities of polynomials are evaluated as a whole.
    pub over_whir: usize,
    /// The work of shortening the code that evaluates the constraints, once for all proofs, in units
    /// of the work of generating an instruction.
    pub evaluator: usize,
}

impl VerifierCost {
    /// Instructions in a proof over either stack, and the work of shortening the evaluator.
    pub const fn new(instructions: usize, evaluator: usize) -> Self {
        Self {
            over_fri: instructions,
            over_whir: instructions,
            evaluator,
        }
    }
}

impl Default for VerifierCost {
    fn default() -> Self {
        Self::new(350, 2_000)
    }
}

/// One table of a machine.
///
/// Besides this trait a table implements
/// `Air<AB> for AB: InteractionBuilder<F = F>`, or with any weaker bound: what a verifier evaluates
/// constraints with has no more.
/// It must override every method of
/// [`BaseAir`] whose default is wrong for it, above all [`BaseAir::main_next_row_columns`]. That
/// list must be empty if no constraint reads the next row, since a table that names any column is
/// opened at two points.
///
/// # Soundness
///
/// A table must not rely on its height or on the content of its padding: a prover chooses both.
/// Flags that count messages must be constrained to be boolean on every row. A chain of rows must
/// begin on the table's first row or after the last row of another chain, and no chain may continue
/// past the table's last row.
pub trait Table: BaseAir<F> + Send + Sync {
    /// Name of the table in keys, errors and reports.
    fn name(&self) -> &'static str;

    /// The precompiles that need this table: it receives their calls, or it serves a table that
    /// does. Empty for the tables that every machine has.
    fn precompiles(&self) -> &'static [Precompile] {
        &[]
    }

    /// Logarithm of the height of a table with fixed content, `None` for a table whose height
    /// depends on the run.
    fn fixed_log_height(&self) -> Option<usize> {
        None
    }

    /// Whether the table is sound where this follows its last row. A proof system refuses tables
    /// that do not say so.
    ///
    /// Every table must be sound where rows form a ring. Where the last row is followed by itself
    /// instead, a table must be as strict about all that its messages say; cells of the first row
    /// that only the last one of a ring looks at may be free. It need accept a run only if the last
    /// row is padding.
    fn is_sound_with(&self, end: End) -> bool {
        end == End::Ring
    }

    /// Identities whose constraints are the first ones that the table's AIR emits, in order, as
    /// [`PolynomialIdentity::constrain`] does. A proof system that evaluates them as a whole checks
    /// that they are, and refuses the table otherwise.
    fn identities(&self) -> Vec<PolynomialIdentity> {
        Vec::new()
    }

    /// What the table adds to a program that verifies a proof of its machine, at most. By default it
    /// is that of a small table: a few columns, and constraints of a few operations.
    fn verifier_cost(&self) -> VerifierCost {
        VerifierCost::default()
    }

    /// The hash that the table computes, if each row of a call is one of its permutations or
    /// compressions.
    fn permutation(&self) -> Option<HashId> {
        None
    }

    /// Returns the number of rows that the run fills, before padding: those of the calls, unless
    /// the table overrides it. It must be cheap, computing no row.
    fn rows(&self, input: &TraceInput<'_>) -> usize {
        calls(self.precompiles(), input.execution)
            .map(|(precompile, call)| call_rows(precompile, call))
            .sum()
    }

    /// Returns the number of rows that the run needs where the last row is followed by itself.
    ///
    /// A call of several rows must not end there, and calls are not told apart here by their
    /// length: a table of calls whose constraints read the next row has a row of padding after
    /// them.
    fn padded_rows(&self, input: &TraceInput<'_>) -> usize {
        let is_of_calls = !self.precompiles().is_empty();
        let reads_next = !self.main_next_row_columns().is_empty();
        self.rows(input) + usize::from(is_of_calls && reads_next)
    }

    /// Returns the trace, padded to `2^log_height` rows, which are at least [`Self::rows`].
    ///
    /// It must count every lookup of its rows in `counts`. The same input must lead to the same
    /// trace at any number of threads.
    fn trace(&self, input: &TraceInput<'_>, log_height: usize, counts: &mut LookupCounts) -> Trace;
}

/// What a table that is sound with every [`End`] says of itself: its name and, if it serves a table
/// of calls, the precompiles of that table.
macro_rules! sound_with_every_end {
    ($name:literal $(, serves $calls:ty)?) => {
        fn name(&self) -> &'static str {
            $name
        }

        fn is_sound_with(&self, _: droste_air::End) -> bool {
            true
        }

        $(
            fn precompiles(&self) -> &'static [$crate::precompile::Precompile] {
                <$calls as $crate::tables::CallTable>::PRECOMPILES
            }
        )?
    };
}

pub(crate) use sound_with_every_end;

/// Returns a trace of `2^log_height` rows with so many cells each, filled in parallel.
fn fill_rows<R: Row>(
    width: usize,
    log_height: usize,
    fill: impl Fn(usize, &mut R) + Sync,
) -> Trace {
    let mut values = F::zero_vec(width << log_height);
    let rows = values.par_chunks_exact_mut(width).enumerate();
    rows.for_each(|(index, cells)| fill(index, R::of(cells)));
    RowMajorMatrix::new(values, width)
}

/// Returns the trace of a table that others look up. If they look up more rows than the height
/// allows, there is none, and `counts` say so.
fn or_overfull(
    table: &impl Table,
    log_height: usize,
    trace: Result<Trace, TraceError>,
    counts: &mut LookupCounts,
) -> Trace {
    trace.unwrap_or_else(|_| {
        counts.overfull = Some(table.name());
        let width = table.width();
        RowMajorMatrix::new(F::zero_vec(width << log_height), width)
    })
}

/// Returns the sum of expressions.
pub fn sum<E: Sum<E>, V: Copy + Into<E>>(terms: &[V]) -> E {
    terms.iter().map(|&term| term.into()).sum()
}

/// Returns the word at an address, or zero outside memory.
pub fn word(memory: &FinalMemory, address: F) -> F {
    let index = address.as_canonical_u32().wrapping_sub(memory.word_base);
    memory
        .words
        .get(index as usize)
        .copied()
        .unwrap_or_default()
}

/// Returns the block at an address, or zeros outside memory.
pub fn block(memory: &FinalMemory, address: F) -> [F; LANES] {
    let address = address.as_canonical_u32() as usize;
    memory.blocks.get(address).copied().unwrap_or_default()
}
