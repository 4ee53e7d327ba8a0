//! The functions of the field.

use super::{
    LANE_BITS, LANE_MAX, LANES, LEFT_MAX, P, PRODUCT_MAX, RIGHT_MAX, SHIFT, VALUE_MAX, lanes,
};
use crate::assembler::{Assembler, Expr, Op, Word, take, var};

/// `2^255 + 2^102 - 1`: the value of `X^5 + X^2 - 1` at `2^51`.
const MODULUS: Word = Word::from_limbs([u64::MAX, (1 << 38) - 1, 0, 1 << 63]);

/// Bits of the first digit of the first factor.
const DIGIT_BITS: u32 = 16;

/// The multiple of `p` that makes a lane of `a_0 b` and what is left of it not negative. A
/// coefficient of a product of polynomials is the sum of at most six products, minus at most four.
const FIRST_BIAS: u64 = (4 * DIGIT_MAX * RIGHT_MAX + DIGIT_MAX * P).div_ceil(P) * P;
const DIGIT_MAX: u64 = (1 << DIGIT_BITS) - 1;

/// The same for `a_1 b`.
const SECOND_BIAS: u64 = (4 * (LEFT_MAX >> DIGIT_BITS) * RIGHT_MAX).div_ceil(P) * P;

const _: () = {
    assert!(PRODUCT_MAX <= VALUE_MAX && VALUE_MAX <= RIGHT_MAX && RIGHT_MAX <= LEFT_MAX);
    let first = 6 * DIGIT_MAX * RIGHT_MAX + FIRST_BIAS;
    assert!(first <= LANE_MAX);
    let second = 6 * (LEFT_MAX >> DIGIT_BITS) * RIGHT_MAX + SECOND_BIAS;
    assert!(second + (first >> DIGIT_BITS) <= LANE_MAX);
    // What is subtracted last is at most 127 (2^24 - 1) < p.
    assert!(P == 1 + (127 << 24) && LANE_MAX >> 24 <= PRODUCT_MAX - P);
};

/// Defines the functions that elements call.
pub fn define(a: &mut Assembler) {
    multiply(a);
    fold(a);
    is_nonzero(a);
    read_element(a);
}

fn mulmod(x: Expr, y: Expr) -> Expr {
    Expr::Op(Op::MulMod, vec![x, y, MODULUS.into()])
}

/// `multiply(x, y)`: lanes of `x` are at most [`LEFT_MAX`], those of `y` at most [`RIGHT_MAX`].
fn multiply(a: &mut Assembler) {
    a.function("multiply", ["x", "y"], |a| {
        a.push(MODULUS);
        let low = mulmod(var("x") & lanes(DIGIT_MAX), var("y"));
        let low = Expr::Op(
            Op::AddMod,
            vec![low, lanes(FIRST_BIAS).into(), MODULUS.into()],
        );
        a.bind("low", low);
        a.push((var("low") & lanes(DIGIT_MAX)) * P);
        a.swap(1);
        a.op(Op::Sub);
        a.rename("low");
        a.push((take("low") >> DIGIT_BITS) + lanes(SECOND_BIAS));
        let high = (var("x") >> DIGIT_BITS) & lanes(LEFT_MAX >> DIGIT_BITS | DIGIT_MAX);
        a.push(mulmod(high, var("y")));
        a.op(Op::AddMod);
        a.swap(2);
        a.op(Op::Pop);
        a.op(Op::Pop);
        a.rename("t");
        a.push((var("t") & lanes((1 << 24) - 1)) * 127);
        a.swap(1);
        a.rename("t");
        a.bind(
            "high",
            ((take("t") >> 24) & lanes(LANE_MAX >> 24)) + lanes(P),
        );
        a.op(Op::Sub);
        a.rename("product");
        Some(take("product"))
    });
}

/// `fold(x)`: adds `2^24 - 1` for each `2^31` of a lane.
fn fold(a: &mut Assembler) {
    a.function("fold", ["x"], |a| {
        fold_top(a);
        a.rename("sum");
        Some(take("sum"))
    });
}

/// The masks of [`fold_top`]: of the bits from 31 on, shifted down, and of those below.
pub const FOLD_MASKS: [u64; 2] = [LANE_MAX >> 31, (1 << 31) - 1];

/// Folds the top of the stack, an element.
pub fn fold_top(a: &mut Assembler) {
    let [high, low] = FOLD_MASKS.map(lanes);
    a.rename("x");
    let quotient = (var("x") >> 31) & high;
    a.push(quotient * ((1_u64 << 24) - 1));
    a.swap(1);
    a.push(take("x") & low);
    a.op(Op::Add);
}

/// `is_nonzero(x)`: not zero if a lane of `x` is not a multiple of `p`.
fn is_nonzero(a: &mut Assembler) {
    a.function("is_nonzero", ["x"], |_| {
        let lane = |lane: u32| {
            let lanes = shifted(var("x"), -i64::from(lane * LANE_BITS));
            (lanes & LANE_MAX).modulo(P)
        };
        let remainders = (1..LANES as u32).map(lane);
        Some(remainders.fold(lane(0), |sum, remainder| sum | remainder))
    });
}

/// `read_element(place)`: the element at this place of the calldata, 20 bytes: five words, low
/// bytes first, that are congruent to `2^32` times the coefficients. Reverts if one is not below
/// `p`.
fn read_element(a: &mut Assembler) {
    let words = |word: u64| Expr::from(Word::from_lanes(32, &[word; LANES]));
    let swap = |name: &'static str, bits: u32, low: u64| {
        let low = words(low);
        (var(name) & low.clone()) << bits | (var(name) >> bits) & low
    };
    a.function("read_element", ["place"], |a| {
        a.bind("packed", var("place").calldata() >> 96);
        a.bind("pairs", swap("packed", 8, 0x00ff_00ff));
        a.bind("words", swap("pairs", 16, 0xffff));
        // The top bit of a word is set by the sum if the other 31 are a number of at least p.
        let exceeds = (var("words") & words((1 << 31) - 1)) + words((1 << 31) - P);
        a.revert_if((exceeds | var("words")) & words(1 << 31));
        // Coefficients are packed with the constant one on top.
        let top = LANES as u32 - 1;
        let lane = |lane: u32| {
            let word = shifted(
                var("words"),
                i64::from(SHIFT - 32) - i64::from(32 * (top - lane)),
            );
            (word & (u64::from(u32::MAX) << (SHIFT - 32))).modulo(P)
        };
        Some(joined(lane))
    });
}

/// An expression times a power of two, or divided by one.
pub fn shifted(expr: Expr, bits: i64) -> Expr {
    match bits {
        0 => expr,
        1.. => expr << bits as u32,
        _ => expr >> -bits as u32,
    }
}

/// The element of these lanes.
pub fn joined(lane: impl Fn(u32) -> Expr) -> Expr {
    let top = LANES as u32 - 1;
    let lower = (0..top).rev().map(&lane);
    lower.fold(lane(top), |sum, lane| sum << LANE_BITS | lane)
}
