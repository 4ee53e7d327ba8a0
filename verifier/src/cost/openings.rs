//! What it costs to verify openings of Merkle trees in a batch, and where that costs less than
//! tables.

use std::time::Duration;

use droste_gadgets::verify::binary::grid::layout::steps;
use droste_native::HashId;
use serde::{Deserialize, Serialize};

use super::{Recorder, TableCost};
use crate::circuit::{Openings, RecursionCircuit};
use crate::summary::milliseconds;

/// The span in which whoever writes the hints proves a batch.
const SPAN: &str = "openings in a batch";

/// The table that the verifier of a batch's proof needs most of.
const PRODUCTS: &str = "binary_products";

/// Calls from which on a batch is chosen where nobody chooses. Verifying its proof costs the same
/// whatever their number, and a call in a table costs the more the wider the table is.
const LEAST_OF_KECCAK: usize = 1_000;
const LEAST_OF_BLAKE3: usize = 3_000;

/// What verifying the openings of a proof in a batch costs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpeningsCost {
    /// Calls of the batch, those of all queries: permutations of Keccak-f or compressions.
    pub calls: usize,
    /// Time to prove the batch, within the time to write the hints and run the wrap; 0 if the
    /// process records other spans.
    pub native_ms: f64,
    /// Rows of `binary_products`, before padding.
    pub rows: usize,
    /// Proven bits of the proof that is verified and of the batch's, together.
    pub bits: usize,
}

impl OpeningsCost {
    /// Of a circuit whose run has these tables; proving the batch took `native`. None if the circuit
    /// verifies no batch.
    pub(super) fn new(
        circuit: &RecursionCircuit,
        tables: &[TableCost],
        native: Duration,
    ) -> Option<Self> {
        if circuit.openings() == Openings::Tables {
            return None;
        }
        let products = tables.iter().filter(|table| table.name == PRODUCTS);
        Some(Self {
            calls: calls_at_queries(circuit)?,
            native_ms: milliseconds(native),
            rows: products.map(|table| table.rows).sum(),
            bits: circuit.bits(),
        })
    }
}

/// Time in which batches were proved, since the recorder was installed.
pub(super) fn native_time(recorder: Option<&Recorder>) -> Duration {
    recorder.map_or(Duration::ZERO, |recorder| recorder.time_of(&[SPAN]))
}

/// Number of calls with which a circuit verifies the openings of a proof, at all queries. None if
/// no batch takes them.
pub fn calls_at_queries(circuit: &RecursionCircuit) -> Option<usize> {
    let grid = circuit.grid().ok()?;
    Some(grid.queries * steps(&grid).len())
}

/// How to verify the openings of the proofs that a circuit verifies where nobody chooses: in a
/// batch if it takes them, they have so many calls that its fixed cost pays, and the proofs have as
/// many bits with it as without.
pub fn cheaper_openings(circuit: &RecursionCircuit) -> Openings {
    let calls = calls_at_queries(circuit);
    let is_cheaper = calls.is_some_and(|calls| is_batch_cheaper(circuit.hash(), calls));
    let has_bits = || {
        let bits = circuit.bits_in_batch();
        bits.is_ok_and(|bits| bits >= circuit.bits())
    };
    if is_cheaper && has_bits() {
        Openings::Batch
    } else {
        Openings::Tables
    }
}

/// Whether so many calls of a hash at queries are enough for a batch, where nobody chooses.
pub const fn is_batch_cheaper(hash: HashId, calls: usize) -> bool {
    match hash {
        HashId::Keccak => calls >= LEAST_OF_KECCAK,
        HashId::Blake3 => calls >= LEAST_OF_BLAKE3,
        HashId::Poseidon16 | HashId::Poseidon2 => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_is_chosen_from_some_number_of_calls_on() {
        for (hash, least) in [
            (HashId::Keccak, LEAST_OF_KECCAK),
            (HashId::Blake3, LEAST_OF_BLAKE3),
        ] {
            assert!(!is_batch_cheaper(hash, least - 1));
            assert!(is_batch_cheaper(hash, least));
        }
        assert!(!is_batch_cheaper(HashId::Poseidon16, usize::MAX));
        assert!(!is_batch_cheaper(HashId::Poseidon2, usize::MAX));
    }
}
