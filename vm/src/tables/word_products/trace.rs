//! Trace of the table `word_products`.

use std::borrow::Borrow;

use droste_air::limb;
use droste_native::F;
use p3_field::{Field, PrimeCharacteristicRing, PrimeField32};

use super::air::{WordProductsTable, identity};
use super::columns::{LOW_BITS, WordProductsCols, elements};
use crate::precompile::{Precompile, WORD_PRODUCTS};
use crate::record::{Call, FinalMemory};
use crate::tables::binary_products::{COEFFICIENTS, Division, add_product, bits, count_carries};
use crate::tables::{
    CallTable, LANES, LookupCounts, PolynomialIdentity, Rows, VerifierCost, block,
};

type Columns = WordProductsCols<F>;

/// One row per call, then padding.
impl CallTable for WordProductsTable {
    type Row = Columns;

    const NAME: &'static str = "word_products";

    const PRECOMPILES: &'static [Precompile] = &[WORD_PRODUCTS];

    fn identities() -> Vec<PolynomialIdentity> {
        vec![identity()]
    }

    fn verifier_cost() -> VerifierCost {
        VerifierCost {
            // Its polynomial identity is evaluated as a whole.
            over_whir: 15_000,
            ..VerifierCost::new(100_000, 300_000)
        }
    }

    fn fill(memory: &FinalMemory, _: &Precompile, call: &Call, rows: Rows<'_, Self>) {
        let blocks = num_blocks(call);
        for row in rows {
            row.is_one = F::from_bool(blocks == 1);
            row.is_two = F::from_bool(blocks == 2);
            row.words_address = call.a;
            row.weights_address = call.b;
            row.added_address = call.c;
            row.result_address = call.d;
            let words = row.words.chunks_exact_mut(LANES).take(blocks);
            for (index, words) in words.enumerate() {
                let elements = block(memory, call.a + F::from_usize(index));
                for (word, element) in words.iter_mut().zip(elements) {
                    *word = limb::bits(element.to_unique_u32());
                }
            }
            let weights = row.weights.iter_mut().take(2 * blocks);
            for (index, weight) in weights.enumerate() {
                *weight = bits(&block(memory, call.b + F::from_usize(index)));
            }
            row.added = bits(&block(memory, call.c));
            compute(row);
        }
    }

    fn pad(row: &mut Columns) {
        compute(row);
    }

    fn count_rows(rows: &[F], counts: &mut LookupCounts) {
        for row in rows.chunks_exact(Columns::WIDTH) {
            let row: &Columns = row.borrow();
            count_carries(&row.carries, counts);
        }
    }

    fn count(_: &Precompile, call: &Call, counts: &mut LookupCounts) {
        let blocks = num_blocks(call);
        counts.block_range(call.a, blocks);
        counts.block_range(call.b, 2 * blocks);
        counts.block(call.c);
        counts.block(call.d);
    }
}

/// Number of blocks of words: operand E.
fn num_blocks(call: &Call) -> usize {
    call.e.as_canonical_u32() as usize
}

/// Computes inverses, the result, the multiple of the modulus and the carries from the bits of
/// words, weights and what is added.
pub fn compute(row: &mut Columns) {
    for (inverse, word) in row.inverses.iter_mut().zip(&row.words) {
        let zeros: F = word[LOW_BITS..].iter().map(|&bit| F::ONE - bit).sum();
        *inverse = zeros.try_inverse().unwrap_or_default();
    }
    let mut sums = [0; COEFFICIENTS];
    for (words, weight) in elements(&row.words, row.zero).zip(&row.weights) {
        add_product(&mut sums, &words, weight);
    }
    let division = Division::new(sums, &row.added);
    row.result = division.result;
    row.multiple = division.multiple;
    row.carries = division.carries;
}
