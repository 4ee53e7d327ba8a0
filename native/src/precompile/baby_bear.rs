//! Arithmetic in the challenge field of proofs over BabyBear, of which a block holds one element.
//!
//! The block of an element has the four words of its coefficients, constant term first, as limbs. A
//! word `w` stands for the coefficient `w / 2^32`: it is the Montgomery word, which is what Plonky3
//! hashes and observes. So a block of a row's words is an element, too, and nothing is converted.
//!
//! A word is canonical if it is below the order of BabyBear. Other words stand for the same
//! coefficients, and Plonky3 refuses them in proofs.

use p3_field::{BasedVectorSpace, PrimeCharacteristicRing, PrimeField32};

use super::{Block, Result, WORDS_PER_BLOCK, check_range, limb_value};
use crate::field::{BabyBear, BabyBear4, F};

/// Name of the precompiles in errors.
const NAME: &str = "baby_bear";

/// `1 / 2^32`, with which the integer of a word is multiplied for its coefficient.
const INVERSE_RADIX: BabyBear = BabyBear::new(943_718_400);

/// Largest number of blocks of [`baby_bear_dot`]: more do not fit into memory.
const MAX_DOT_BLOCKS: u64 = 1 << 24;

/// The limbs of an element's Montgomery word, the low one first.
pub fn word_limbs(x: BabyBear) -> [F; 2] {
    let word = x.to_unique_u32();
    [word & 0xffff, word >> 16].map(F::from_u32)
}

/// The block of an element: the limbs of the canonical words of its coefficients.
pub fn baby_bear_to_block(x: BabyBear4) -> Block {
    let mut block = Block::default();
    let coefficients: &[BabyBear] = x.as_basis_coefficients_slice();
    let words = block.as_chunks_mut().0.iter_mut();
    for (limbs, &coefficient) in words.zip(coefficients) {
        *limbs = word_limbs(coefficient);
    }
    block
}

/// The element of a block.
///
/// # Errors
/// If a limb is not below `2^16`, or the words must be canonical and one of them is not.
pub fn baby_bear_from_block(block: &Block, canonical: bool) -> Result<BabyBear4> {
    let mut coefficients = [BabyBear::ZERO; WORDS_PER_BLOCK];
    let words = block.as_chunks().0.iter();
    for (coefficient, &[low, high]) in coefficients.iter_mut().zip(words) {
        let [low, high] = [limb_value(NAME, low)?, limb_value(NAME, high)?].map(u32::from);
        let word = high << 16 | low;
        if canonical {
            let last = u64::from(BabyBear::ORDER_U32) - 1;
            check_range(NAME, "word", u64::from(word), 0, last)?;
        }
        *coefficient = BabyBear::from_u32(word) * INVERSE_RADIX;
    }
    Ok(BabyBear4::from_basis_coefficients_fn(|i| {
        coefficients.get(i).copied().unwrap_or_default()
    }))
}

/// The sum of the words of `data`, each multiplied by the element that is its weight, and `sum`.
///
/// # Errors
/// If there are no blocks of data, they have other than four weights each, a block is not that of
/// an element, or a word of data is not canonical.
pub fn baby_bear_dot(data: &[Block], weights: &[Block], sum: &Block) -> Result<BabyBear4> {
    let blocks = data.len() as u64;
    check_range(NAME, "blocks", blocks, 1, MAX_DOT_BLOCKS)?;
    let words = WORDS_PER_BLOCK as u64 * blocks;
    check_range(NAME, "weights", weights.len() as u64, words, words)?;
    let mut sum = baby_bear_from_block(sum, false)?;
    for (block, weights) in data.iter().zip(weights.chunks_exact(WORDS_PER_BLOCK)) {
        let words = baby_bear_from_block(block, true)?;
        let words: &[BabyBear] = words.as_basis_coefficients_slice();
        for (&word, weight) in words.iter().zip(weights) {
            sum += baby_bear_from_block(weight, false)? * word;
        }
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::precompile::{LANES, words_to_limbs};

    const ORDER: u32 = BabyBear::ORDER_U32;

    /// `2^32` modulo the order: the word of one.
    const ONE: u32 = 268_435_454;

    fn block(words: [u32; 4]) -> Block {
        words_to_limbs(&words)[0]
    }

    /// The coefficient of a word, by division.
    fn coefficient(word: u32) -> BabyBear {
        BabyBear::from_u32(word) / BabyBear::from_u64(1 << 32)
    }

    fn element(words: [u32; 4]) -> BabyBear4 {
        BabyBear4::from_basis_coefficients_fn(|i| coefficient(words[i]))
    }

    #[test]
    fn the_radix_is_two_to_the_32() {
        assert_eq!(INVERSE_RADIX * BabyBear::from_u64(1 << 32), BabyBear::ONE);
        assert_eq!(u64::from(ONE), (1 << 32) % u64::from(ORDER));
        assert_eq!(BabyBear::ONE.to_unique_u32(), ONE);
    }

    #[test]
    fn blocks_of_elements() {
        let one = block([ONE, 0, 0, 0]);
        assert_eq!(baby_bear_to_block(BabyBear4::ONE), one);
        assert_eq!(one[..2], [0xfffe, 0x0fff].map(F::from_u32));
        assert_eq!(baby_bear_from_block(&one, true), Ok(BabyBear4::ONE));
        let words = [0, 1, ORDER - 1, ONE];
        assert_eq!(baby_bear_to_block(element(words)), block(words));
        assert_eq!(
            baby_bear_from_block(&block(words), true),
            Ok(element(words))
        );
    }

    #[test]
    fn words_that_are_not_canonical() {
        for word in [ORDER, ORDER + 1, 1 << 31, u32::MAX] {
            for i in 0..4 {
                let mut words = [7; 4];
                words[i] = word;
                let block = block(words);
                assert!(baby_bear_from_block(&block, true).is_err());
                assert_eq!(baby_bear_from_block(&block, false), Ok(element(words)));
                let one = baby_bear_to_block(BabyBear4::ONE);
                assert!(baby_bear_dot(&[block], &[one; 4], &one).is_err());
                let weights = [one, one, block, one];
                assert!(baby_bear_dot(&[one], &weights, &block).is_ok());
            }
        }
        for lane in 0..LANES {
            let mut block = Block::default();
            block[lane] = F::from_u32(1 << 16);
            assert!(baby_bear_from_block(&block, true).is_err());
            assert!(baby_bear_from_block(&block, false).is_err());
        }
    }

    #[test]
    fn numbers_of_blocks() {
        let zero = Block::default();
        assert!(baby_bear_dot(&[], &[], &zero).is_err());
        for weights in [0, 3, 5, 8] {
            assert!(baby_bear_dot(&[zero], &vec![zero; weights], &zero).is_err());
        }
        let sum = block([5, 6, 7, 8]);
        assert_eq!(
            baby_bear_dot(&[zero; 2], &[zero; 8], &sum),
            Ok(element([5, 6, 7, 8]))
        );
    }

    /// Over the integers: `a b + 2^32 c`, reduced by `X^4 - 11`, is `2^32` times the result's word,
    /// up to a multiple of the order. This is what the table's constraints say.
    #[test]
    fn products_of_words() {
        let edges = [0, 1, 2, ONE, ORDER - 1, ORDER, ORDER + 1, u32::MAX];
        let quadruple = |i: usize| std::array::from_fn(|j| edges[(i + 3 * j + i * j) % 8]);
        for i in 0..64 {
            let [a, b, c]: [[u32; 4]; 3] = [i % 8, i / 8, i % 5].map(quadruple);
            let product = element(a) * element(b) + element(c);
            let words: [u32; 4] = std::array::from_fn(|k| {
                let mut sum = u128::from(c[k]) << 32;
                for (i, &left) in a.iter().enumerate() {
                    for (j, &right) in b.iter().enumerate() {
                        let product = u128::from(left) * u128::from(right);
                        if i + j == k {
                            sum += product;
                        } else if i + j == k + 4 {
                            sum += 11 * product;
                        }
                    }
                }
                let order = u128::from(ORDER);
                let inverse = u128::from(INVERSE_RADIX.as_canonical_u32());
                (sum % order * inverse % order) as u32
            });
            assert_eq!(baby_bear_to_block(product), block(words));
        }
    }

    proptest! {
        #[test]
        fn every_element_has_its_block(words: [u32; 4]) {
            let canonical = words.map(|word| word % ORDER);
            prop_assert_eq!(baby_bear_from_block(&block(words), false), Ok(element(words)));
            prop_assert_eq!(baby_bear_to_block(element(words)), block(canonical));
        }

        #[test]
        fn dot_products(data: [u32; 4], weights: [[u32; 4]; 4], sum: [u32; 4]) {
            let data = data.map(|word| word % ORDER);
            let products = data.iter().zip(&weights);
            let products = products.map(|(&word, &weight)| element(weight) * coefficient(word));
            let expected = products.sum::<BabyBear4>() + element(sum);
            let weights = weights.map(block);
            prop_assert_eq!(
                baby_bear_dot(&[block(data)], &weights, &block(sum)),
                Ok(expected)
            );
            // The same block and weights once more.
            let twice = expected + expected - element(sum);
            prop_assert_eq!(
                baby_bear_dot(&[block(data); 2], &[weights; 2].concat(), &block(sum)),
                Ok(twice)
            );
        }
    }
}
