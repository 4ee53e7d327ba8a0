//! Arithmetic in GF(2^128), of which a block holds one element.
//!
//! An element is a polynomial over GF(2) modulo `x^128 + x^7 + x^2 + x + 1`. Lane `i` of its block
//! holds the bits of `x^(30 i)` and the powers after it: 30 in each of the first four lanes, the
//! last 8 in the fifth. The other lanes are zero, so that a block of an element has the form of a
//! block of an extension element.

use p3_binary_field::{Ghash128, TowerLevel};
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::{Block, LANES, PrecompileError, Result};
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

    proptest! {
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
