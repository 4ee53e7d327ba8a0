//! The table `byte_pairs`: exclusive ors of bytes, which other tables look up.
//!
//! Its columns and constraints are those of [`droste_air::byte_pairs`].

use std::marker::PhantomData;

pub use droste_air::byte_pairs::BytePairsTable;

use droste_air::byte_pairs::{self, PAIRS};
use droste_air::{End, blake3};
use droste_native::F;
use p3_air::{Air, BaseAir};
use p3_lookup::InteractionBuilder;

use super::blake3::{Blake3CallTable, Blake3Table};
use super::{
    LookupCounts, Table, Trace, TraceInput, VerifierCost, or_overfull, sound_with_every_end,
};
use crate::precompile::Precompile;

impl Table for BytePairsTable {
    sound_with_every_end!("byte_pairs", serves Blake3CallTable);

    fn verifier_cost(&self) -> VerifierCost {
        VerifierCost::new(2_600, 8_000)
    }

    /// One row for each pair, or for each lookup if these are fewer. Idle rows look up the same
    /// pairs as the first of them does, except for the one below the last compression.
    fn rows(&self, input: &TraceInput<'_>) -> usize {
        let lookups = blake3::bytes::LOOKUPS * Blake3Table.rows(input);
        lookups.min(PAIRS)
    }

    fn trace(&self, _: &TraceInput<'_>, log_height: usize, counts: &mut LookupCounts) -> Trace {
        let trace = byte_pairs::generate_table(&counts.byte_pairs, Some(1 << log_height));
        or_overfull(self, log_height, trace, counts)
    }
}

/// What looks up pairs of bytes on a machine of one's own ([`BytePairsOf`]).
pub trait BytePairLookups: Send + Sync {
    /// The precompiles whose tables look pairs up.
    const PRECOMPILES: &'static [Precompile];

    /// The number of lookups in the traces of a run, at most.
    fn lookups(input: &TraceInput<'_>) -> usize;
}

/// The table `byte_pairs` for the precompiles of `L`. [`BytePairsTable`] is there for those of
/// Blake3 only, and a machine has one of both.
///
/// Tables that look up pairs come before it in the machine's list. They send a message on
/// [`BUS`](droste_air::byte_pairs::BUS) for each lookup and count it in
/// [`LookupCounts::byte_pairs`].
#[derive(Clone, Copy, Debug, Default)]
pub struct BytePairsOf<L>(PhantomData<L>);

impl<L: BytePairLookups> BaseAir<F> for BytePairsOf<L> {
    fn width(&self) -> usize {
        BaseAir::<F>::width(&BytePairsTable)
    }

    fn max_constraint_degree(&self) -> Option<usize> {
        BaseAir::<F>::max_constraint_degree(&BytePairsTable)
    }

    fn main_next_row_columns(&self) -> Vec<usize> {
        BaseAir::<F>::main_next_row_columns(&BytePairsTable)
    }
}

impl<L: BytePairLookups, AB: InteractionBuilder<F = F>> Air<AB> for BytePairsOf<L> {
    fn eval(&self, builder: &mut AB) {
        Air::<AB>::eval(&BytePairsTable, builder);
    }
}

impl<L: BytePairLookups> Table for BytePairsOf<L> {
    fn name(&self) -> &'static str {
        BytePairsTable.name()
    }

    fn is_sound_with(&self, end: End) -> bool {
        BytePairsTable.is_sound_with(end)
    }

    fn precompiles(&self) -> &'static [Precompile] {
        L::PRECOMPILES
    }

    fn verifier_cost(&self) -> VerifierCost {
        BytePairsTable.verifier_cost()
    }

    fn rows(&self, input: &TraceInput<'_>) -> usize {
        L::lookups(input).min(PAIRS)
    }

    fn trace(&self, input: &TraceInput<'_>, log_height: usize, counts: &mut LookupCounts) -> Trace {
        BytePairsTable.trace(input, log_height, counts)
    }
}
