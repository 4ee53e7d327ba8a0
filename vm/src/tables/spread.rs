//! The table `spread`: spread bytes, whose sums other tables look up.
//!
//! Its columns and constraints are those of [`droste_air::spread`].

pub use droste_air::spread::SpreadTable;

use droste_air::keccak::bytes;
use droste_air::spread::{self, PAIRS};

use super::keccak::{self, KeccakTable};
use super::{
    LookupCounts, Table, Trace, TraceInput, VerifierCost, or_overfull, sound_with_every_end,
};
use crate::precompile::Precompile;

impl Table for SpreadTable {
    sound_with_every_end!("spread");

    fn precompiles(&self) -> &'static [Precompile] {
        keccak::PRECOMPILES
    }

    fn verifier_cost(&self) -> VerifierCost {
        VerifierCost::new(4_000, 12_000)
    }

    /// One row for each pair of bytes, or for each lookup if these are fewer. Idle rows look up the
    /// same pairs.
    fn rows(&self, input: &TraceInput<'_>) -> usize {
        let lookups = bytes::LOOKUPS * KeccakTable.rows(input);
        lookups.min(PAIRS)
    }

    fn trace(&self, _: &TraceInput<'_>, log_height: usize, counts: &mut LookupCounts) -> Trace {
        let trace = spread::generate_table(&counts.spread, Some(1 << log_height));
        or_overfull(self, log_height, trace, counts)
    }
}
