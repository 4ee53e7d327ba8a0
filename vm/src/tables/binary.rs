//! Elements of GF(2^128) in rows: a column for each bit, in order of the powers of `x`.

use droste_native::F;
use droste_native::precompile::{BINARY_LANE_BITS, BINARY_LANES};
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::LANES;

/// Number of bits of an element.
pub const BITS: usize = 128;

const _: () = assert!(BITS.div_ceil(BINARY_LANE_BITS) == BINARY_LANES);

/// Returns the bits of the element in a block. Of a block that holds none, they mean nothing.
pub fn element(block: &[F; LANES]) -> u128 {
    let lanes = block.iter().take(BINARY_LANES).rev();
    lanes.fold(0, |bits, lane| {
        bits << BINARY_LANE_BITS | u128::from(lane.as_canonical_u32())
    })
}

/// Returns the columns of an element.
pub fn bits(element: u128) -> [F; BITS] {
    std::array::from_fn(|i| F::from_bool(element >> i & 1 == 1))
}

/// Returns the block of the element with these bits.
///
/// # Soundness
/// If the bits are boolean, the block determines them: a lane of 30 bits is less than the order of
/// the field.
pub fn lanes<R: PrimeCharacteristicRing>(bits: [impl Into<R>; BITS]) -> [R; LANES] {
    let mut lanes = [const { R::ZERO }; LANES];
    for (i, bit) in bits.into_iter().enumerate().rev() {
        let lane = &mut lanes[i / BINARY_LANE_BITS];
        // As an expression, a double is a sum of two, which doubles its size.
        *lane = lane.clone() * R::TWO + bit.into();
    }
    lanes
}
