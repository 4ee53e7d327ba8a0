//! Weighted sums of opened leaves: elements of the base field in calldata, weights in the challenge
//! field.
//!
//! A leaf is observed by no transcript but hashed as it stands, so its words are those of elements:
//! 4 bytes, low bytes first, `2^32` times the value. Eight of them are a word of the EVM. With four
//! values `k` and four weights `v`, 64 bits apart and in opposite orders, the product of two words
//! has `k_0 v_0 + .. + k_3 v_3` in its top 64 bits: `4 p^2 < 2^64`, so nothing is carried. So one
//! `mul` is four products, for one of the weights' five coefficients.
//!
//! Weights are prepared once for all leaves of a commitment: their coefficients are below `p`, and
//! multiplied by `2^-32`, which cancels what the values are multiplied by. Elements of the
//! challenge field in a leaf are five values, of which value `j` has the weight times `X^j`
//! ([`extension_weights`]).

#[cfg(test)]
mod tests;

use droste_native::F;
use p3_field::{Field, PrimeCharacteristicRing, PrimeField32};

use crate::assembler::{Assembler, Expr, Name, Op, Word, call, load, var};
use crate::field::{ELEMENT_BYTES, Element, LANE_BITS, LANES, P, VALUE_MAX, joined, shifted};

/// Values in a word of calldata.
const VALUES: usize = 8;

/// Bytes of a value.
const VALUE_BYTES: u64 = 4;

/// Words of prepared weights for a word of values: for each coefficient two, of four weights each.
const PREPARED: usize = 2 * LANES;

/// Bytes of the prepared weights of so many values.
pub const fn prepared_bytes(values: usize) -> u64 {
    ELEMENT_BYTES * (PREPARED * values.div_ceil(VALUES)) as u64
}

/// Bytes of a leaf of so many values.
pub const fn leaf_bytes(values: usize) -> u64 {
    VALUE_BYTES * values as u64
}

/// Prepares the weights at `from`, consecutive elements in memory, and writes them to `to`. Up to
/// seven words behind the weights are set to zero.
pub fn prepare(a: &mut Assembler, from: u64, values: usize, to: u64) {
    let words = values.div_ceil(VALUES);
    for missing in values..VALUES * words {
        a.store(from + ELEMENT_BYTES * missing as u64, 0);
    }
    let scale = F::TWO.exp_u64(32).inverse().as_canonical_u32();
    pack(a, from, to, words, scale.into());
}

/// Packs the coefficients of eight elements for each word of values, times a number below `p`.
pub(crate) fn pack(a: &mut Assembler, from: u64, to: u64, words: usize, scale: u64) {
    let end = from + ELEMENT_BYTES * (VALUES * words) as u64;
    a.call("pack", [from.into(), to.into(), end.into(), scale.into()]);
}

/// Defines the function that packs weights.
///
/// Value `i` of a word is in bits `224 - 32 i` and above. Those in even places from below are taken
/// by a mask, and the others by the same mask after a shift: first values 7, 5, 3, 1, and then 6,
/// 4, 2, 0, each time the first one lowest. Weights are in the opposite order: 1, 3, 5, 7, and 0,
/// 2, 4, 6.
pub fn define(a: &mut Assembler) {
    let bits = u64::from(LANE_BITS);
    a.function("pack", ["from", "to", "end", "scale"], |a| {
        a.repeat_while(|a| {
            a.bind("shift", 0);
            a.repeat_while(|a| {
                for group in 0..2 {
                    let weight = |lane: u64| {
                        let value = 1 - group + 2 * lane;
                        let element = load(var("from") + ELEMENT_BYTES * value);
                        let lanes = Expr::Op(Op::Shr, vec![var("shift"), element]);
                        let lanes = lanes & ((1_u64 << bits) - 1);
                        let arguments = vec![lanes, var("scale"), P.into()];
                        shifted(Expr::Op(Op::MulMod, arguments), 64 * lane as i64)
                    };
                    let sum = (1..4).fold(weight(0), |sum, lane| weight(lane) | sum);
                    a.store(var("to") + ELEMENT_BYTES * group, sum);
                }
                a.advance("to", 2 * ELEMENT_BYTES);
                a.advance("shift", bits);
                var("shift").lt(bits * LANES as u64)
            });
            a.op(Op::Pop);
            a.advance("from", ELEMENT_BYTES * VALUES as u64);
            var("from").lt(var("end"))
        });
        None
    });
}

/// The lanes of the masks that sums of leaves use, of 32 bits.
const MASKS: [u64; 5] = [0x00ff_00ff, 0xffff, (1 << 31) - 1, (1 << 31) - P, 1 << 31];

fn words(word: u64) -> Word {
    Word::from_lanes(32, &[word; VALUES])
}

/// Every other word of 32 bits.
fn alternate() -> Word {
    Word::from_lanes(64, &[u64::from(u32::MAX); 4])
}

/// Words that [`keep_masks`] keeps.
pub const KEPT: usize = MASKS.len() + 1;

/// Keeps the masks of sums at this place of the memory, so that they are shorter.
pub fn keep_masks(a: &mut Assembler, place: u64) {
    let masks = MASKS.map(words).into_iter().chain([alternate()]);
    let places = (place..).step_by(ELEMENT_BYTES as usize);
    places
        .zip(masks)
        .for_each(|(place, mask)| a.keep(mask, place));
}

/// Defines a function: the weighted sum of the leaf at a place of the calldata, of so many values
/// whose weights are prepared at `weights`. Reverts if one of the values is not below `p`. What
/// follows the leaf in the calldata is not read.
pub fn define_weighted_sum(a: &mut Assembler, name: impl Into<Name>, values: usize, weights: u64) {
    let swap = |name: &'static str, bits: u32, low: u64| {
        let low = words(low);
        (var(name) & low) << bits | (var(name) >> bits) & low
    };
    let sum = |lane: usize| format!("s{lane}");
    a.function(name, ["place"], |a| {
        (0..LANES).for_each(|lane| a.bind(sum(lane), 0));
        for word in 0..values.div_ceil(VALUES) {
            a.block(|a| {
                let place = var("place") + VALUE_BYTES * (VALUES * word) as u64;
                let missing = (VALUES * (word + 1)).saturating_sub(values);
                // What follows the leaf is shifted out.
                let bytes = shifted(place.calldata(), -32 * missing as i64);
                a.bind("bytes", shifted(bytes, 32 * missing as i64));
                a.bind("pairs", swap("bytes", 8, 0x00ff_00ff));
                a.bind("words", swap("pairs", 16, 0xffff));
                let exceeds = (var("words") & words((1 << 31) - 1)) + words((1 << 31) - P);
                a.revert_if((exceeds | var("words")) & words(1 << 31));
                a.bind("odd", var("words") & alternate());
                a.bind("even", (var("words") >> 32) & alternate());
                for lane in 0..LANES {
                    let index = PREPARED * word + 2 * lane;
                    let weights = weights + ELEMENT_BYTES * index as u64;
                    a.set(sum(lane), var(sum(lane)) + products(weights.into()));
                }
            });
        }
        Some(joined(|lane| var(sum(lane as usize)).modulo(P)))
    });
}

/// The sum of the values in the variables `odd` and `even`, times the weights at this place: a
/// number that is congruent to a coefficient.
pub(crate) fn products(weights: Expr) -> Expr {
    let odd = (load(weights.clone()) * var("odd")) >> 192;
    let even = (load(weights + ELEMENT_BYTES) * var("even")) >> 192;
    odd + even
}

/// The weighted sum of a leaf, by a function that [`define_weighted_sum`] has defined.
pub fn weighted_sum(name: impl Into<Name>, place: impl Into<Expr>) -> Element {
    Element::new(call(name, [place.into()]), P - 1)
}

/// Writes, for each of the elements at `from`, `w, w X, .., w X^4` to `to`: the weights of the
/// coefficients of an element.
pub fn extension_weights(a: &mut Assembler, from: u64, count: usize, to: u64) {
    let mask = |lanes: [u64; LANES]| {
        let full = (1 << LANE_BITS) - 1;
        Expr::from(Word::from_lanes(LANE_BITS, &lanes.map(|lane| lane * full)))
    };
    a.bind("from", from);
    a.bind("to", to);
    let end = from + ELEMENT_BYTES * count as u64;
    a.repeat_while(|a| {
        a.bind_element("weight", Element::load(var("from")));
        a.store(var("to"), var("weight"));
        for power in 1..LANES as u64 {
            // `w_4 X^5 = w_4 - w_4 X^2`.
            let top = || var("weight") >> (LANE_BITS * (LANES as u32 - 1));
            let rest = (var("weight") & mask([1, 1, 1, 1, 0])) << LANE_BITS;
            let product = Element::new(rest | top(), VALUE_MAX);
            let top = Element::new(top() << (2 * LANE_BITS), VALUE_MAX);
            a.set("weight", (product - top).value());
            a.store(var("to") + ELEMENT_BYTES * power, var("weight"));
        }
        a.advance("to", ELEMENT_BYTES * LANES as u64);
        a.advance("from", ELEMENT_BYTES);
        var("from").lt(end)
    });
}
