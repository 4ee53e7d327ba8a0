//! Trace of the table `poseidon2_parent`, from the calls and the final memory.

use droste_air::poseidon2::fill_parent_row;
use droste_native::{F, HashId};
use p3_field::PrimeCharacteristicRing;

use super::air::Poseidon2ParentTable;
use super::columns::ParentCols;
use crate::precompile::{POSEIDON2_COMPRESS, POSEIDON2_MERKLE, Precompile};
use crate::record::{Call, FinalMemory};
use crate::tables::path::{PathCols, climb, count_compress, count_path};
use crate::tables::{CallTable, LANES, LookupCounts, Rows, VerifierCost, block, call_rows};

/// The calls of `compress` and `merkle` in this order, then permutations of zero.
impl CallTable for Poseidon2ParentTable {
    type Row = ParentCols<F>;

    const NAME: &'static str = "poseidon2_parent";

    const PRECOMPILES: &'static [Precompile] = &[POSEIDON2_COMPRESS, POSEIDON2_MERKLE];

    const PERMUTATION: Option<HashId> = Some(HashId::Poseidon2);

    fn verifier_cost() -> VerifierCost {
        VerifierCost::new(2_600, 8_000)
    }

    fn fill(memory: &FinalMemory, precompile: &Precompile, call: &Call, rows: Rows<'_, Self>) {
        if *precompile == POSEIDON2_MERKLE {
            return climb(memory, call, rows, |row, path, [low, high]| {
                row.path = path;
                fill_permutation(row, low, high);
                let outputs = row.permutation.outputs();
                std::array::from_fn(|lane| outputs[lane])
            });
        }
        for row in rows {
            row.is_compress = F::ONE;
            row.path = PathCols::compress(call);
            fill_permutation(row, block(memory, call.a), block(memory, call.b));
        }
    }

    fn pad(row: &mut ParentCols<F>) {
        row.path.starts = F::ONE;
        fill_parent_row([F::ZERO; 2 * LANES], &mut row.permutation);
    }

    fn count(precompile: &Precompile, call: &Call, counts: &mut LookupCounts) {
        if *precompile == POSEIDON2_MERKLE {
            count_path(call, call_rows(precompile, call), counts);
        } else {
            count_compress(call, counts);
        }
    }
}

/// Fills the permutation of two blocks.
pub(super) fn fill_permutation(row: &mut ParentCols<F>, low: [F; LANES], high: [F; LANES]) {
    let input = std::array::from_fn(|i| if i < LANES { low[i] } else { high[i - LANES] });
    fill_parent_row(input, &mut row.permutation);
}
