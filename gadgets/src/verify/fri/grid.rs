//! One FRI query whose leaves and Merkle paths are in a batch.
//!
//! Claim: as that of [`crate::verify::fri::query`], if the query's rows are those of the leaves at
//! the index. [`crate::verify::binary::grid`] shows this of all queries at once, with the same rows in
//! the same memory.
//!
//! The batch multiplies words of field elements, while rows over BabyBear are combined as limbs of
//! words. There the region has the elements of the machine's field that have the same words, and the
//! table `limbs` returns the limbs of these: the batch and the arithmetic read the same words. A word
//! from the order of BabyBear on is refused where it is combined, as it is without a batch.

use crate::prelude::*;
use crate::suites::hash::{Challenger, Hash};
use crate::verify::binary::grid::layout::row_blocks;
use crate::verify::fri::folding::{check_last, fold_row, row_elements, row_width};
use crate::verify::fri::query::{Places, Values, first_points, index, reduced, subtract_row};
use crate::verify::fri::shape::Shape;

/// Checks one query but for its leaves and paths. The region has its rows, in the order of
/// [`grid_trees`](crate::verify::fri::shape::grid_trees), then its index. Fails unless that is the
/// index for which the sampled word stands.
#[inline(never)]
pub fn query_opened<H: Hash, C: Challenger>(
    shape: &Shape,
    places: &Places,
    values: &Values,
    word: [Felt; 2],
    region: Slice,
) {
    let index = index::<C>(shape, places, word);
    let (point, inverse_start) = first_points::<H::Point>(shape, &index);
    let mut heights = values.heights.clone();
    let mut at = 0usize;
    for round in shape.rounds() {
        for layer in round.layers() {
            let row = stored_row::<H>(region.skip(at), layer.width);
            heights = subtract_row::<H>(values, &layer, row, heights);
            at += row_blocks(H::GRID, layer.width);
        }
    }
    let reduced = reduced(shape, point, &heights);
    let folding = &values.folding;
    let mut value = reduced[0];
    let mut start = inverse_start;
    let mut from = 0usize;
    for round in 0..shape.log_arities.len() {
        let width = row_width(shape, round);
        let row = stored_row::<H>(region.skip(at), width);
        let elements = row_elements::<H>(shape, &index, round, from, row, value);
        (value, start) = fold_row(shape, &index, folding, &reduced, round, &elements, start);
        at += row_blocks(H::GRID, width);
        from += shape.log_arities[round];
    }
    check_last(shape, folding, &reduced, value, point, start);
    let sampled = index.integer(0, index.pieces.length);
    assert_eq!(region.block(at).lane(0), sampled);
}

/// Returns a row of so many elements as proofs without a batch store it: those at the start of
/// `elements`, or, over BabyBear, the limbs of their words.
fn stored_row<H: Hash>(elements: Slice, width: usize) -> Slice {
    if H::LANES == 2 {
        limbs(elements, row_blocks(H::GRID, width))
    } else {
        elements
    }
}

#[cfg(test)]
mod tests {
    use droste_native::F;
    use p3_field::{PrimeCharacteristicRing, PrimeField32};

    use super::stored_row;
    use crate::packing::word_place;
    use crate::prelude::*;
    use crate::suites::baby_bear::OverBabyBear;
    use crate::suites::blake3::Blake3;
    use crate::suites::bytes::ByteHash;
    use crate::suites::keccak::Keccak;
    use crate::suites::keccak_sponge::KeccakSponge;
    use crate::verify::binary::grid::layout::{
        FIRST, Grid, K64, Leaf, NEXT, NODE, Places, Step, region_blocks, row_blocks, steps,
    };
    use crate::verify::fri::shape::{Shape, Table, grid_trees};
    use crate::{NativeTape, run_native};

    /// Elements in runs become limbs where those of a row over BabyBear are hinted.
    fn limbs_are_those_of_words<B: ByteHash>() {
        for words in [1, 8, 33, 34, 35, 37, 68, 75] {
            let blocks = row_blocks(B::GRID, words);
            let element = |block: usize, lane: usize| F::from_usize(100 * block + lane + 1);
            let lanes = |block: usize| std::array::from_fn(|i| Felt::from(element(block, i)));
            let region: Vec<Block> = (0..blocks).map(|block| Block::new(lanes(block))).collect();
            let row = stored_row::<OverBabyBear<B>>(Slice::from_blocks(region), words);
            for word in 0..words {
                let (run, within) = (word / B::RUN, word % B::RUN);
                let own = element(run * B::RUN_BLOCKS + within / 8, within % 8).to_unique_u32();
                let (block, lane) = word_place::<OverBabyBear<B>>(word);
                let limbs = [row.block(block).lane(lane), row.block(block).lane(lane + 1)];
                assert_eq!(limbs, [own & 0xffff, own >> 16].map(Felt::new));
            }
        }
    }

    #[test]
    fn rows_over_baby_bear_are_limbs_of_the_words_of_a_region() {
        let all = || {
            limbs_are_those_of_words::<KeccakSponge>();
            limbs_are_those_of_words::<Keccak>();
            limbs_are_those_of_words::<Blake3>();
        };
        run_native(&NativeTape::default(), &[], all).unwrap();
    }

    /// A table of a main trace alone.
    fn table(log_height: usize, main_width: usize, quotient_chunks: usize) -> Table {
        Table {
            log_height,
            main_width,
            main_next: true,
            preprocessed_width: 0,
            preprocessed_next: false,
            permutation_width: 0,
            quotient_chunks,
            public_values: 0,
        }
    }

    fn shape(tables: Vec<Table>, cap_height: usize, log_arities: Vec<usize>) -> Shape {
        Shape {
            uni: tables.len() == 1,
            degree: 4,
            random_codewords: 0,
            salts: 0,
            tables,
            buses: 0,
            message_width: 0,
            log_blowup: 1,
            cap_height,
            num_queries: 100,
            log_final_poly_len: 0,
            log_arities,
            lookup_grinding_bits: 0,
            ood_grinding_bits: 0,
            batch_grinding_bits: 0,
            commit_grinding_bits: 0,
            query_grinding_bits: 0,
            stark_seed: Vec::new(),
            opening_seed: Vec::new(),
            fri_seed: Vec::new(),
        }
    }

    fn grid(shape: &Shape) -> Grid {
        Grid {
            hash: K64,
            queries: shape.num_queries,
            index_bits: shape.log_length(),
            trees: grid_trees(shape),
            places: Places {
                inputs: Vec::new(),
                outputs: Vec::new(),
                copies: Vec::new(),
            },
            offset: Vec::new(),
        }
    }

    /// The proof that `prove_prime_field_31` of Plonky3 makes of 2^16 rows of its Poseidon2 in Keccak:
    /// 1,312 columns, two quotient chunks, a cap of eight digests, and folds by two.
    #[test]
    fn a_query_of_a_known_proof_makes_the_counted_calls() {
        let grid = grid(&shape(vec![table(16, 1_312, 2)], 3, vec![1; 16]));
        assert_eq!(grid.index_bits, 17);
        let steps = steps(&grid);
        let count = |kind: usize| steps.iter().filter(|step| step.kind == kind).count();
        assert_eq!(count(FIRST), 18);
        // 34 words a call.
        assert_eq!(count(NEXT), 1_312_usize.div_ceil(34) - 1);
        // Two trees of 2^17 leaves, and those of 2^16 to 2^3.
        assert_eq!(count(NODE), 2 * 14 + (0..14).sum::<usize>());
        assert_eq!(steps.len(), 175);
        let words: usize = steps.iter().map(|step| step.words).sum();
        assert_eq!(words, 1_312 + 2 * 4 + 16 * 2 * 4);
        // 38 runs of five blocks and 20 words, then one block for each other row, and the index.
        assert_eq!(region_blocks(&grid), 38 * 5 + 3 + 1 + 16 + 1);
        let ends: Vec<usize> = steps
            .iter()
            .map(|step| step.end)
            .filter(|&end| end > 0)
            .collect();
        assert_eq!(ends, (1..=18).collect::<Vec<_>>());
        let last = |step: &&Step| step.kind == NODE && step.end > 0;
        assert!(steps.iter().filter(last).all(|step| step.bit == 13));
    }

    /// Two heights in a tree, rows of several elements folded at once, and salts.
    #[test]
    fn trees_are_those_of_the_shape() {
        let mut shape = shape(vec![table(2, 5, 1), table(6, 40, 2)], 2, vec![3, 2, 1]);
        shape.salts = 4;
        let leaf = |words, depth, first_bit| Leaf {
            words,
            depth,
            first_bit,
        };
        let all: Vec<_> = grid_trees(&shape)
            .into_iter()
            .map(|tree| (tree.leaves, tree.cap_levels))
            .collect();
        let expected = vec![
            (vec![leaf(44, 4, 0), leaf(9, 1, 4)], 2),
            (vec![leaf(16, 4, 0), leaf(8, 1, 4)], 2),
            (vec![leaf(36, 2, 3)], 2),
            (vec![leaf(20, 0, 5)], 2),
            (vec![leaf(12, 0, 6)], 1),
        ];
        assert_eq!(all, expected);
    }
}
