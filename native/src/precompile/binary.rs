//! Arithmetic in GF(2^128), of which a block holds one element.
//!
//! An element is a polynomial over GF(2) modulo `x^128 + x^7 + x^2 + x + 1`. Lane `i` of its block
//! holds the bits of `x^(30 i)` and the powers after it: 30 in each of the first four lanes, the
//! last 8 in the fifth. The other lanes are zero, so that a block of an element has the form of a
//! block of an extension element.

use p3_binary_field::{Ghash128, TowerLevel};
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::{Block, LANES, PrecompileError, Result, check_range};
use crate::field::F;

/// GF(2^128) in the polynomial basis; bit `i` is the coefficient of `x^i`.
pub type Binary = Ghash128;

/// Bits in a full lane of a block.
pub const BINARY_LANE_BITS: usize = 30;

/// Lanes of a block that hold bits.
pub const BINARY_LANES: usize = 5;

/// Bits of an element, and its conjugates: the power `2^128` is the identity.
pub const BINARY_BITS: usize = 128;

/// Number of bits in a lane of a block.
pub const fn binary_lane_bits(lane: usize) -> usize {
    match lane {
        0..4 => BINARY_LANE_BITS,
        4 => BINARY_BITS - 4 * BINARY_LANE_BITS,
        _ => 0,
    }
}

/// The block of an element.
pub fn binary_to_block(x: Binary) -> Block {
    let bits = x.to_repr();
    std::array::from_fn(|lane| {
        let mask = (1u128 << binary_lane_bits(lane)) - 1;
        let shifted = bits.checked_shr((BINARY_LANE_BITS * lane) as u32);
        F::from_u32((shifted.unwrap_or(0) & mask) as u32)
    })
}

/// The element of a block.
///
/// # Errors
/// If a lane has more bits than [`binary_lane_bits`].
pub fn binary_from_block(block: &Block) -> Result<Binary> {
    let mut bits = 0u128;
    for (lane, value) in block.iter().enumerate() {
        let value = value.as_canonical_u32();
        if value >> binary_lane_bits(lane) != 0 {
            return Err(PrecompileError::NotBinary { lane, value });
        }
        if value != 0 {
            bits |= u128::from(value) << (BINARY_LANE_BITS * lane);
        }
    }
    Ok(Binary::from_repr(bits))
}

/// The sum of the products of pairs of elements, and `added`.
///
/// # Errors
/// If a block is not that of an element.
pub fn binary_products(pairs: &[[&Block; 2]], added: &Block) -> Result<Block> {
    let mut sum = binary_from_block(added)?;
    for [left, right] in pairs {
        sum += binary_from_block(left)? * binary_from_block(right)?;
    }
    Ok(binary_to_block(sum))
}

/// Number of 32-bit words of an element.
const WORDS: usize = BINARY_BITS / 32;

/// Largest number of blocks whose words [`word_products`] multiplies.
pub const MAX_WORD_BLOCKS: usize = 2;

/// The sum of the products of words with as many weights, and `added`.
///
/// The words of each block are two elements: those that a byte hash absorbs for four of its lanes
/// each (see [`crate::hash::encoding`]), the lowest one first.
///
/// # Errors
/// If there are no blocks of words or more than [`MAX_WORD_BLOCKS`], another number of weights than
/// twice that, or a block of the others is not that of an element.
pub fn word_products(words: &[Block], weights: &[Block], added: &Block) -> Result<Block> {
    const NAME: &str = "word_products";
    let (blocks, given) = (words.len() as u64, weights.len() as u64);
    check_range(NAME, "blocks", blocks, 1, MAX_WORD_BLOCKS as u64)?;
    check_range(NAME, "weights", given, 2 * blocks, 2 * blocks)?;
    let mut sum = binary_from_block(added)?;
    let (words, _) = words.as_flattened().as_chunks::<WORDS>();
    for (word, weight) in words.iter().zip(weights) {
        sum += from_words(word) * binary_from_block(weight)?;
    }
    Ok(binary_to_block(sum))
}

/// The element whose words are those of field elements.
fn from_words(elements: &[F; WORDS]) -> Binary {
    let words = elements.iter().rev();
    Binary::from_repr(words.fold(0_u128, |bits, element| {
        bits << 32 | u128::from(element.to_unique_u32())
    }))
}

/// The point of a position: the sum of the elements of the Cantor basis at its bits.
///
/// The basis begins with 1, and `x^2 + x` maps each element to the one before, so it maps the point
/// of `i` to that of `i >> 1` (Lin, Chung and Han, "Novel polynomial basis and its application to
/// Reed-Solomon erasure codes", section II).
pub fn binary_point(position: u32) -> Binary {
    let basis = (0..32).filter(|i| position >> i & 1 == 1);
    basis.map(Binary::cantor_basis).sum()
}

const _: () = assert!(BINARY_LANES < LANES);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn block(bits: u128) -> Block {
        binary_to_block(Binary::from_repr(bits))
    }

    #[test]
    fn blocks_of_elements() {
        let ones = (1 << 30) - 1;
        let expected = [ones, ones, ones, ones, 255, 0, 0, 0].map(F::from_u32);
        assert_eq!(block(u128::MAX), expected);
        assert_eq!(
            binary_from_block(&expected),
            Ok(Binary::from_repr(u128::MAX))
        );
        for (lane, value) in [(0, 1 << 30), (3, 1 << 30), (4, 256), (5, 1), (7, 1)] {
            let mut other = expected;
            other[lane] = F::from_u32(value);
            let error = PrecompileError::NotBinary { lane, value };
            assert_eq!(binary_from_block(&other), Err(error));
        }
    }

    /// Example of the GHASH specification in another order of bits: `x^127 x = x^7 + x^2 + x + 1`.
    #[test]
    fn reduction() {
        let product = binary_products(&[[&block(1 << 127), &block(2)]], &block(1));
        assert_eq!(product, Ok(block(0x86)));
    }

    /// The carry-less product, reduced bit by bit.
    fn product(left: u128, right: u128) -> u128 {
        let mut product = 0;
        for i in (0..128).rev() {
            let carry = product >> 127 & 1;
            product = product << 1 ^ (carry * 0x87) ^ if right >> i & 1 == 1 { left } else { 0 };
        }
        product
    }

    /// Words of Montgomery's form are those that byte hashes absorb: `2^32` times the element.
    #[test]
    fn words_are_those_of_byte_hashes() {
        let element = |word: u32| F::from_u32(word) / F::from_u64(1 << 32);
        let words = [1, 2, 3, 0x7f00_0000, 5, 0, 0, 0x7eff_ffff].map(element);
        let bits = [
            0x7f00_0000_0000_0003_0000_0002_0000_0001,
            0x7eff_ffff_0000_0000_0000_0000_0000_0005,
        ];
        let product = |at: usize| {
            let mut weights = [block(0); 4];
            weights[at] = block(1);
            let other = element(0x1234_5678);
            word_products(&[words, [other; 8]], &weights, &block(7))
        };
        assert_eq!(product(0), Ok(block(bits[0] ^ 7)));
        assert_eq!(product(1), Ok(block(bits[1] ^ 7)));
        assert_eq!(
            product(2),
            Ok(block(0x1234_5678_1234_5678_1234_5678_1234_5678 ^ 7))
        );
        assert_eq!(product(2), product(3));
    }

    #[test]
    fn other_numbers_of_words_are_refused() {
        let error = |words: usize, weights: usize| {
            let (words, weights) = (vec![block(1); words], vec![block(1); weights]);
            word_products(&words, &weights, &block(0)).unwrap_err()
        };
        let refused = |name, value, [min, max]: [u64; 2]| PrecompileError::OutOfRange {
            precompile: "word_products",
            name,
            value,
            min,
            max,
        };
        assert_eq!(error(0, 0), refused("blocks", 0, [1, 2]));
        assert_eq!(error(3, 6), refused("blocks", 3, [1, 2]));
        assert_eq!(error(1, 4), refused("weights", 4, [2, 2]));
        assert_eq!(error(2, 3), refused("weights", 3, [4, 4]));
        let mut other = block(0);
        other[4] = F::from_u32(256);
        let error = PrecompileError::NotBinary {
            lane: 4,
            value: 256,
        };
        let found = word_products(&[block(0)], &[block(0), other], &block(0));
        assert_eq!(found, Err(error.clone()));
        let found = word_products(&[block(0)], &[block(0); 2], &other);
        assert_eq!(found, Err(error));
    }

    proptest! {
        #[test]
        fn word_products_are_products(lanes: [[u32; 8]; 2], values: [u128; 5]) {
            let words = lanes.map(|block| block.map(F::from_u32));
            let mut expected = values[4];
            let elements = words.as_flattened().chunks(4);
            for (index, elements) in elements.enumerate() {
                let words = elements.iter().enumerate();
                let bits: u128 = words
                    .map(|(i, word)| u128::from(word.to_unique_u32()) << (32 * i))
                    .sum();
                expected ^= product(bits, values[index]);
            }
            let weights: Vec<_> = values[..4].iter().copied().map(block).collect();
            let found = word_products(&words, &weights, &block(values[4]));
            prop_assert_eq!(found, Ok(block(expected)));
        }

        #[test]
        fn products(values: [u128; 5]) {
            let [a, b, c, d, e] = values.map(block);
            let expected = product(values[0], values[1]) ^ product(values[2], values[3]) ^ values[4];
            prop_assert_eq!(binary_products(&[[&a, &b], [&c, &d]], &e), Ok(block(expected)));
        }

        #[test]
        fn points_of_halves(position: u32) {
            let point = binary_point(position);
            prop_assert_eq!(point.square() + point, binary_point(position >> 1));
        }
    }
}
