//! The value of the claims of a grid, and what of it is known.
//!
//! It is `sum_q Q[q] (words_q + caps_q)`, and constants. `Q[q]` and `S[s]` are what query and step
//! weigh at the zerocheck's point, and `p_e` is the power of element `e`. `words_q` is the sum of
//! the elements of the query's rows, each times `S[s] p_e`; `caps_q` is that of the digests which
//! the index names, each times `S[s] p_e` of the last step of its tree: one entry of a table.

use crate::bits::Bits;
use crate::prelude::*;
use crate::unchecked::UncheckedSlice;
use crate::verify::binary::field::{
    complements, constant, constants, dot, first_entries, first_total, one, product, total_at,
};
use crate::verify::binary::grid::Known;
use crate::verify::binary::grid::layout::{
    FIRST, Grid, KECCAK_WORDS, NEXT, Step, constants_of, element_of, elements_of, message_element,
    region_blocks,
};
use crate::verify::binary::shape::Element;

/// `2^-32` in the field: this times an element is the element whose word in Montgomery's form is
/// the element's integer.
const TO_WORD: Felt = Felt::new(1_057_030_144);

/// `x^16`, by which the odd limbs of a digest are multiplied.
const ODD_LIMBS: u32 = 1 << 16;

/// Whether a step is a block of a leaf.
fn is_block(step: &Step) -> bool {
    step.kind == FIRST || step.kind == NEXT
}

/// What is known of all queries, at the zerocheck's point.
struct Sums {
    /// What each element of a region weighs, two for each block but that of the index.
    weights: Slice,
    /// What the digests of caps add, by the top bits of the index.
    caps: Slice,
    /// Logarithm of the number of these sums.
    levels: usize,
}

/// Returns the value of the claims at a point over calls. `of_steps` is what each step weighs
/// there, `queries` are the coordinates of queries.
pub fn claimed(
    grid: &Grid,
    steps: &[Step],
    known: &Known,
    queries: &[Block],
    of_steps: &[Block],
    powers: &[Block],
) -> Block {
    let (caps, levels) = cap_sums(grid, steps, known, of_steps, powers);
    let sums = Sums {
        weights: Slice::from_blocks(region_weights(grid, steps, of_steps, powers)),
        caps,
        levels,
    };
    let zeros = complements(queries);
    let mut value = Block::ZERO;
    let (of_constants, has_constants) = constants_value(grid, steps, of_steps, powers);
    if has_constants {
        let all = first_total(&zeros, queries, grid.queries);
        value = product(all, of_constants);
    }
    let of_queries = Slice::from_blocks(first_entries(&zeros, queries, grid.queries));
    let blocks = region_blocks(grid);
    for i in count(grid.queries) {
        // In bounds: there are a region and a weight for each iteration.
        let region = known.regions.skip_unchecked(i * felt(blocks), blocks);
        let own = query_value(grid, steps, region, &sums);
        value = binary_product(of_queries.at_unchecked(i), own, value);
    }
    value
}

/// Returns what is known of a query, with the weights of steps. Fails if the index has more bits,
/// or if a word after a row, in the row's last element, is not zero.
#[inline(never)]
fn query_value(grid: &Grid, steps: &[Step], region: Slice, sums: &Sums) -> Block {
    let blocks = region_blocks(grid) - 1;
    let index = index_bits(grid, region);
    assert_eq!(index.above(grid.index_bits), Felt::ZERO);
    let mut all = if sums.levels == 0 {
        sums.caps.block(0)
    } else {
        // In bounds: there is a sum for each integer of so many bits.
        let top = index.part(grid.index_bits - sums.levels, grid.index_bits);
        sums.caps.at_unchecked(top)
    };
    // Rows follow one another without gaps between blocks. What is between the words weighs zero.
    for i in 0..blocks / 2 {
        let words = region.skip(2 * i);
        all = word_products(words, 2, sums.weights.skip(4 * i), all);
    }
    if blocks % 2 == 1 {
        let words = region.skip(blocks - 1);
        all = word_products(words, 1, sums.weights.skip(2 * (blocks - 1)), all);
    }
    for step in steps {
        if is_block(step) {
            // The last element of Keccak's rate has no other lane: what follows the words there is
            // in no constraint of the trace.
            let end = (4 * elements_of(step.words)).min(KECCAK_WORDS);
            for i in step.words..end {
                let word = region.block(step.block + i / 8).lane(i % 8);
                assert_eq!(word, Felt::ZERO);
            }
        }
    }
    all
}

/// Returns the bits of a query's index.
pub fn index_bits(grid: &Grid, region: Slice) -> Bits {
    let index = region.block(region_blocks(grid) - 1).lane(0);
    Bits::new(index, grid.index_bits.div_ceil(8))
}

/// Returns what each element of a region weighs.
fn region_weights(grid: &Grid, steps: &[Step], of_steps: &[Block], powers: &[Block]) -> Vec<Block> {
    let mut weights = vec![Block::ZERO; 2 * (region_blocks(grid) - 1)];
    let first = message_element(grid.hash);
    for i in 0..steps.len() {
        if is_block(&steps[i]) {
            for j in 0..elements_of(steps[i].words) {
                weights[2 * steps[i].block + j] = product(of_steps[i], powers[first + j]);
            }
        }
    }
    weights
}

/// Returns the sums of the digests that all trees have for the top bits of an index, and the
/// logarithm of their number.
fn cap_sums(
    grid: &Grid,
    steps: &[Step],
    known: &Known,
    of_steps: &[Block],
    powers: &[Block],
) -> (Slice, usize) {
    let mut levels = 0usize;
    for tree in &grid.trees {
        levels = levels.max(tree.cap_levels);
    }
    let outputs = grid.places.inputs.len();
    let odd = constant(&[ODD_LIMBS]);
    let mut all = vec![Block::ZERO];
    for level in 0..levels + 1 {
        if level > 0 {
            // The entries so far are for one bit less, which are the top ones.
            let mut twice = Vec::new();
            for i in 0..1usize << level {
                twice.push(all[i / 2]);
            }
            all = twice;
        }
        for step in 0..steps.len() {
            let end = steps[step].end;
            if end > 0 && grid.trees[end - 1].cap_levels == level {
                let mut weights = Vec::new();
                for i in 0..2 {
                    let even = product(of_steps[step], powers[outputs + i]);
                    weights.push(even);
                    weights.push(product(even, odd));
                }
                let weights = Slice::from_blocks(weights);
                let cap = known.caps[end - 1];
                for i in 0..1usize << level {
                    all[i] = digest_value(cap.block(2 * i), cap.block(2 * i + 1), weights, all[i]);
                }
            }
        }
    }
    (Slice::from_blocks(all), levels)
}

/// Adds a digest, two blocks of limbs below 2^16. The even limbs of each have a weight, and the odd
/// ones.
///
/// Nothing depends on the bound: other limbs would stand for some digest, too.
#[inline(never)]
fn digest_value(low: Block, high: Block, weights: Slice, added: Block) -> Block {
    let mut blocks = Vec::new();
    for half in [low, high] {
        let mut words = [Felt::ZERO; 8];
        for j in 0..4 {
            words[j] = half.lane(2 * j) * TO_WORD;
            words[4 + j] = half.lane(2 * j + 1) * TO_WORD;
        }
        blocks.push(Block::new(words));
    }
    word_products(Slice::from_blocks(blocks), 2, weights, added)
}

/// Whether two steps have the same constants.
fn same_constants(left: &Step, right: &Step) -> bool {
    left.kind == right.kind
        && left.words == right.words
        && left.flags == right.flags
        && left.counter == right.counter
}

/// Returns what constants add to the value, but for the weights of queries, and whether there are
/// any.
fn constants_value(
    grid: &Grid,
    steps: &[Step],
    of_steps: &[Block],
    powers: &[Block],
) -> (Block, bool) {
    let ones = Slice::from_blocks([one(), one()]);
    let weights = Slice::from_blocks(of_steps);
    let last = grid.places.inputs.len() - 1;
    let mut value = Block::ZERO;
    let mut any = false;
    for i in 0..steps.len() {
        let mut before = 0usize;
        while !same_constants(&steps[before], &steps[i]) {
            before += 1;
        }
        let own = constants_of(grid.hash, &steps[i]);
        if before == i && !own.is_empty() {
            let mut same = Vec::new();
            for j in i..steps.len() {
                if same_constants(&steps[i], &steps[j]) {
                    same.push(j);
                }
            }
            let mut elements: Vec<Element> = Vec::new();
            let mut own_powers = Vec::new();
            for known in &own {
                let mut element = element_of(known.words);
                if known.element == last {
                    for j in 0..grid.offset.len() {
                        element[j] ^= grid.offset[j];
                    }
                }
                elements.push(element);
                own_powers.push(powers[known.element]);
            }
            let n = own_powers.len();
            let own_powers = Slice::from_blocks(own_powers);
            let inner = dot(constants(&elements), own_powers, n, Block::ZERO);
            value = binary_product(total_at(weights, &same, ones), inner, value);
            any = true;
        }
    }
    (value, any)
}
