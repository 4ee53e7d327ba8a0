//! Trace of the table `carry_pairs`.

use droste_air::pair_counts::{self, PairCounts};
use droste_native::F;
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::air::{CarryPairsTable, LEAST_CARRY};
use super::columns::CarryPairsCols;
use crate::isa::Instruction;
use crate::precompile::{
    BABY_BEAR, BABY_BEAR_DOT, BINARY_PRODUCT, BINARY_PRODUCTS, Precompile, WORD_PRODUCTS,
};
use crate::tables::baby_bear::{BabyBearTable, LOOKUPS, PADDING_PAIRS};
use crate::tables::binary_products::{BITS, BinaryProductsTable};
use crate::tables::word_products::WordProductsTable;
use crate::tables::{
    CallTable, LookupCounts, Row, Table, Trace, TraceInput, or_overfull, sound_with_every_end,
};

/// The precompiles of the tables that look up pairs.
const PRECOMPILES: &[Precompile] = &[
    BINARY_PRODUCT,
    BINARY_PRODUCTS,
    WORD_PRODUCTS,
    BABY_BEAR,
    BABY_BEAR_DOT,
];

/// Largest sum of two carries that are looked up together: in coefficients `k` and `k + 128`, of
/// two products each, `2 (k + 1)` and `2 (127 - k)` bits are added, and another bit in the first.
pub const LARGEST_SUM: i32 = BITS as i32;

/// The same of four products with elements of four words, of each of which two bits of 32 are zero
/// at least: `4 (128 - 8)` bits and another one are added in both coefficients together.
pub const LARGEST_SUM_OF_WORDS: i32 = 2 * (BITS as i32 - 8);

/// Number of pairs of carries with a sum of at most [`LARGEST_SUM`]. Of bytes there can be all
/// pairs.
pub const PAIRS: usize = pairs(LARGEST_SUM);

/// Number of pairs of carries with a sum of at most [`LARGEST_SUM_OF_WORDS`].
pub const PAIRS_OF_WORDS: usize = pairs(LARGEST_SUM_OF_WORDS);

/// Number of pairs of carries with a sum of at most `largest`, none of them below the least one.
const fn pairs(largest: i32) -> usize {
    let sums = (largest - 2 * LEAST_CARRY + 1) as usize;
    sums * (sums + 1) / 2
}

/// Counts a lookup of two carries, as [`count_bytes`] does.
pub fn count(counts: &mut PairCounts<1>, carries: [F; 2]) {
    count_bytes(
        counts,
        carries.map(|carry| carry - F::from_i32(LEAST_CARRY)),
    );
}

/// Counts a lookup of two bytes. One that no row can answer is not counted: no proof can then be
/// made.
pub fn count_bytes(counts: &mut PairCounts<1>, bytes: [F; 2]) {
    let byte = |byte: F| u8::try_from(byte.as_canonical_u32());
    if let [Ok(first), Ok(second)] = bytes.map(byte) {
        counts.add_pair([first, second], 0);
    }
}

/// Whether the machine of a run has the table of arithmetic over BabyBear: if its program has such
/// a call, even one that the run does not make.
fn has_elements(input: &TraceInput<'_>) -> bool {
    let is_call = |instruction: &Instruction| {
        let mut precompiles = BabyBearTable::PRECOMPILES.iter();
        precompiles.any(|precompile| precompile.identity == instruction.id)
    };
    BabyBearTable.rows(input) > 0 || input.program.instructions.iter().any(is_call)
}

/// Number of rows for the pairs of carries of products: one for each pair, or for each lookup if
/// these are fewer.
fn of_products(input: &TraceInput<'_>) -> usize {
    let [products, words] = [
        BinaryProductsTable.rows(input),
        WordProductsTable.rows(input),
    ];
    let pairs = if words == 0 { PAIRS } else { PAIRS_OF_WORDS };
    (BITS * (products + words) + 1).min(pairs)
}

impl Table for CarryPairsTable {
    sound_with_every_end!("carry_pairs");

    fn precompiles(&self) -> &'static [Precompile] {
        PRECOMPILES
    }

    /// One row for each pair, or for each lookup if these are fewer. Rows of padding look up the
    /// same pairs.
    fn rows(&self, input: &TraceInput<'_>) -> usize {
        let of_products = of_products(input);
        if !has_elements(input) {
            return of_products;
        }
        let of_elements = LOOKUPS * BabyBearTable.rows(input) + PADDING_PAIRS;
        (of_products + of_elements).min(pair_counts::PAIRS)
    }

    fn trace(&self, _: &TraceInput<'_>, log_height: usize, counts: &mut LookupCounts) -> Trace {
        let width = CarryPairsCols::<u8>::WIDTH;
        let pairs = &counts.carry_pairs;
        let trace = pairs.trace(width, Some(1 << log_height), |row, pair, lookups| {
            let ([first, second], [lookups]) = (pair, lookups);
            *CarryPairsCols::of(row) = CarryPairsCols {
                first,
                second,
                lookups,
            };
        });
        or_overfull(self, log_height, trace, counts)
    }
}
