//! Tweaked hashes in Poseidon-16: Winternitz chains, and Merkle paths of nodes of four elements.
//!
//! A tweaked hash has, besides its input, a public parameter and a tweak, which differs for every
//! call, so that an attacker cannot aim at many calls at once (XMSS, RFC 8391, section 2.5). Here
//! `C` is [`poseidon16_compress`], `|` joins lanes, and the tweak is the first two lanes.

use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::{Block, LANES, PrecompileError, Result, check_range, poseidon16_compress};
use crate::field::F;

/// Number of elements of a value of a chain, and of a node of a path.
pub const NODE_LANES: usize = LANES / 2;

/// Number of bits of a digit, which is the position in a chain at which it starts.
pub const DIGIT_BITS: u32 = 3;

/// Largest digit: the last position of a chain.
pub const LAST_POSITION: u32 = (1 << DIGIT_BITS) - 1;

/// Number of pairs of chains whose digits are in one element: four pairs of two digits are 24 bits.
pub const PAIRS_PER_ELEMENT: usize = 4;

/// Number of elements with digits in a block of [`poseidon16_winternitz`]'s digits. The two lanes
/// after them are the tweak.
pub const DIGIT_ELEMENTS: usize = 6;

/// Largest number of pairs of chains.
pub const MAX_PAIRS: usize = PAIRS_PER_ELEMENT * DIGIT_ELEMENTS;

/// Largest number of levels of [`poseidon16_tweaked_root`].
pub const MAX_TWEAKED_LEVELS: usize = 64;

/// A hash with a tweak: the first four elements of `C(tweak | 0 0 | left | right)`.
pub fn poseidon16_tweaked(tweak: [F; 2], left: [F; NODE_LANES], right: Block) -> [F; NODE_LANES] {
    let mut low = [F::ZERO; LANES];
    low[..2].copy_from_slice(&tweak);
    low[NODE_LANES..].copy_from_slice(&left);
    split(poseidon16_compress(&low, &right)).0
}

/// Walks pairs of Winternitz chains to their ends, and compresses the ends, pair by pair.
///
/// A block of `starts` holds the values at which two chains begin, four lanes each. Chain `i` goes
/// on from position `e_i`, its digit, to position 7. The step at position `j` is
/// `x -> first four lanes of C(t0 + 8 i + j, t1, 0 0 | x | parameter)`, where `t0` and `t1` are
/// lanes 6 and 7 of `digits`. The digits of pair `k` are 3 bits each of lane `k / 4` of `digits`,
/// low first: chain `2 k` has bits `6 (k % 4)` to `6 (k % 4) + 2`. A lane must be zero above the
/// digits that are used.
///
/// Returns, for each pair, the state after it:
/// `s -> C(s | end of chain 2 k | end of chain 2 k + 1)` from `first` on.
///
/// # Errors
/// If there is no pair, or more than [`MAX_PAIRS`], a lane has more than its digits, or the number
/// of steps of all chains is not `steps`.
pub fn poseidon16_winternitz(
    starts: &[Block],
    parameter: &Block,
    digits: &Block,
    first: &Block,
    steps: u32,
) -> Result<Vec<Block>> {
    const NAME: &str = "poseidon16_winternitz";
    check_range(NAME, "pairs", starts.len() as u64, 1, MAX_PAIRS as u64)?;
    let [elements @ .., tweak_base, tweak_low] = *digits;
    let mut rest = elements.map(|element| element.as_canonical_u32());
    let mut walked = 0;
    let mut state = *first;
    let mut states = Vec::with_capacity(starts.len());
    for (pair, start) in starts.iter().enumerate() {
        let (left, right) = split(*start);
        let mut ends = [left, right];
        for (side, value) in ends.iter_mut().enumerate() {
            let chain = 2 * pair + side;
            for position in take_digit(&mut rest, pair)..LAST_POSITION {
                let number = F::from_usize(chain << DIGIT_BITS) + F::from_u32(position);
                *value = poseidon16_tweaked([tweak_base + number, tweak_low], *value, *parameter);
                walked += 1;
            }
        }
        state = poseidon16_compress(&state, &join(ends[0], ends[1]));
        states.push(state);
    }
    let used = starts.len().div_ceil(PAIRS_PER_ELEMENT);
    for &left in rest.iter().take(used) {
        check_range(NAME, "digits beyond the last pair", left.into(), 0, 0)?;
    }
    let steps = u64::from(steps);
    check_range(NAME, "number of steps", walked, steps, steps)?;
    Ok(states)
}

/// Removes the lowest digit of the element that holds the digits of a pair.
fn take_digit(rest: &mut [u32; DIGIT_ELEMENTS], pair: usize) -> u32 {
    let Some(element) = rest.get_mut(pair / PAIRS_PER_ELEMENT) else {
        return 0;
    };
    let digit = *element & LAST_POSITION;
    *element >>= DIGIT_BITS;
    digit
}

/// The root of a Merkle path of nodes of four elements.
///
/// A block of `children` holds both children of a node, the left one first. The parent is the first
/// four lanes of `C(tweak | 0 0 | parameter | left | right)`. A block of `tweaks` holds the tweak
/// in lanes 0 and 1, and in lane 2 zero if the node below is the left child, one if it is the right
/// one. The first node below is the first half of `leaf`.
///
/// # Errors
/// If there is no level, or more than [`MAX_TWEAKED_LEVELS`], there are not as many `tweaks` as
/// `children`, a lane 2 is not zero or one, or a block of `children` does not hold the node below.
pub fn poseidon16_tweaked_root(
    leaf: &Block,
    parameter: [F; NODE_LANES],
    tweaks: &[Block],
    children: &[Block],
) -> Result<[F; NODE_LANES]> {
    const NAME: &str = "poseidon16_tweaked_path";
    let levels = children.len() as u64;
    check_range(NAME, "levels", levels, 1, MAX_TWEAKED_LEVELS as u64)?;
    check_range(NAME, "tweaks", tweaks.len() as u64, levels, levels)?;
    let mut node = split(*leaf).0;
    for (level, (children, tweak)) in children.iter().zip(tweaks).enumerate() {
        let [t0, t1, is_right, ..] = *tweak;
        let is_right = u64::from(is_right.as_canonical_u32());
        check_range(NAME, "side", is_right, 0, 1)?;
        let (left, right) = split(*children);
        let below = if is_right == 1 { right } else { left };
        if below != node {
            return Err(PrecompileError::NotThePath { level });
        }
        node = poseidon16_tweaked([t0, t1], parameter, *children);
    }
    Ok(node)
}

/// Splits a block into its halves.
fn split(block: Block) -> ([F; NODE_LANES], [F; NODE_LANES]) {
    let [a, b, c, d, e, f, g, h] = block;
    ([a, b, c, d], [e, f, g, h])
}

/// The block of these halves.
fn join(left: [F; NODE_LANES], right: [F; NODE_LANES]) -> Block {
    let ([a, b, c, d], [e, f, g, h]) = (left, right);
    [a, b, c, d, e, f, g, h]
}

/// The low 24 bits of the canonical integer of an element. The seven bits above are not all ones,
/// since that is so only for `p - 1 = 127 * 2^24`.
///
/// # Errors
/// If the element is `p - 1`.
pub fn low_24_bits(element: F) -> Result<F> {
    let integer = u64::from(element.as_canonical_u32());
    check_range("low_24_bits", "element", integer, 0, (127 << 24) - 1)?;
    Ok(F::from_u64(integer & 0xff_ffff))
}
