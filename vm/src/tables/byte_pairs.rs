//! The table `byte_pairs`: exclusive ors of bytes, which other tables look up.
//!
//! Its columns and constraints are those of [`droste_air::byte_pairs`].

pub use droste_air::byte_pairs::BytePairsTable;

use droste_air::blake3;
use droste_air::byte_pairs::{self, PAIRS};

use super::blake3::{Blake3CallTable, Blake3Table};
use super::{
    LookupCounts, Table, Trace, TraceInput, VerifierCost, or_overfull, sound_with_every_end,
};

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
