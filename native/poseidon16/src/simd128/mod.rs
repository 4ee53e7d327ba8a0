//! The kernel of Poseidon-16 for WebAssembly with vectors of 128 bits.
//!
//! # Numbers
//!
//! A state is four vectors of four signed integers of 32 bits, each of which stands for an element
//! in Plonky3's Montgomery form, that is, times `2^32`. They need not be reduced: all that is
//! required is that nothing overflows, and the bounds are at the functions.
//!
//! # Matrix
//!
//! The circulant matrix has entries below 102, and `i32x4.dot_i16x8_s` multiplies eight integers of
//! 16 bits and adds up pairs. So an integer is split into signed halves, `x = low + 2^16 high`, and
//! the matrix multiplies each. With `p = 1 + 127 * 2^24`, that is, `2^-16 = -127 * 2^8 mod p`,
//! these two sums make one integer of 32 bits again, divided by `2^16`, by one more such
//! instruction. What a round adds is where the sums start.
//!
//! # Scale
//!
//! So after each round the state is some power of two times what it should be, the same for all
//! elements. Round constants have it as a factor, and a last multiplication removes it. The cubes
//! of a full round cube it; in a partial round a constant factor in the one cube makes up for that.

mod constants;
#[cfg(test)]
mod lanes;
#[cfg(test)]
mod tests;
mod vector;
#[cfg(poseidon16 = "simd128")]
mod wasm;

use constants::{Constants, Round};
use vector::Vector;

use super::constants::{HALF_FULL_ROUNDS, PARTIAL_ROUNDS, WIDTH};
use crate::field::{F, MODULUS};

/// The permutation on one state. It is not inlined, so that it is compiled in this crate, at its
/// level of optimisation, whatever the caller's is.
#[cfg(poseidon16 = "simd128")]
#[inline(never)]
pub(super) fn permute(state: &mut [F; WIDTH]) {
    *state = permutation::<wasm::Words>(constants::constants(), state);
}

/// Vectors for a state.
const VECTORS: usize = WIDTH / 4;

/// `p^-1 mod 2^32`.
const INVERSE: i32 = {
    let inverse = 1_u32.wrapping_sub(127 << 24);
    assert!(MODULUS.wrapping_mul(inverse) == 1);
    inverse.cast_signed()
};

/// The state after the permutation.
#[inline(always)]
fn permutation<V: Vector>(constants: &Constants, state: &[F; WIDTH]) -> [F; WIDTH] {
    let matrix = Matrix(constants.matrix.map(V::new));
    let first = constants.first.map(V::new);
    let mut x: [V; VECTORS] = std::array::from_fn(|i| V::of_elements(state, i).add(first[i]));
    let (initial, rest) = constants.rounds.split_at(HALF_FULL_ROUNDS);
    let (partial, terminal) = rest.split_at(PARTIAL_ROUNDS);
    for round in initial {
        x = matrix.full_round(x, round);
    }
    for (round, &factor) in partial.iter().zip(&constants.factors) {
        x = matrix.partial_round(x, factor, round);
    }
    for round in terminal {
        x = matrix.full_round(x, round);
    }
    let (last, modulus) = (
        V::new([constants.last; 4]),
        V::new([MODULUS.cast_signed(); 4]),
    );
    let end = |x| montgomery(x, last).add_to_negative(modulus);
    let [a, b, c, d] = x;
    V::to_elements([end(a), end(b), end(c), end(d)])
}

/// The matrix, and the rounds by it.
struct Matrix<V>([V; 8]);

impl<V: Vector> Matrix<V> {
    #[inline(always)]
    fn full_round(&self, x: [V; VECTORS], round: &Round) -> [V; VECTORS] {
        let cube = |x| montgomery(montgomery(x, x), x);
        // Not by `map`, of which the compiler makes a loop over memory.
        let [a, b, c, d] = x;
        self.multiply([cube(a), cube(b), cube(c), cube(d)], round)
    }

    /// A partial round. The matrix multiplies all but the first element while that one is cubed.
    #[inline(always)]
    fn partial_round(&self, x: [V; VECTORS], factor: i32, round: &Round) -> [V; VECTORS] {
        let [a, b, c, d] = x;
        let cube = scaled_cube(a.first(), factor);
        let a = a.with_first(0);
        let low = self.product([a.low_halves(b), c.low_halves(d)], &round.low);
        let high = self.product([a.high_halves(b), c.high_halves(d)], &round.high);
        let column = |half: i32| {
            let half = V::new([halves(half, 0); 4]);
            [0, 2, 4, 6].map(|i| half.dot(self.0[i]))
        };
        merge(
            sum(low, column(cube)),
            sum(high, column((cube + (1 << 15)) >> 16)),
        )
    }

    /// The product by the matrix over `2^16`, plus the round's constants.
    ///
    /// The halves of `|x| <= p` are at most `2^15` in absolute value, and the entries of a row of
    /// the matrix add up to 371. So both sums are below `2^24`, and the result is at most
    /// `127 * 2^8 * 2^15 + 2^24`, which is some `p / 2`.
    #[inline(always)]
    fn multiply(&self, [a, b, c, d]: [V; VECTORS], round: &Round) -> [V; VECTORS] {
        let low = self.product([a.low_halves(b), c.low_halves(d)], &round.low);
        let high = self.product([a.high_halves(b), c.high_halves(d)], &round.high);
        merge(low, high)
    }

    /// The product by the matrix of integers of 16 bits, plus constants.
    #[inline(always)]
    fn product(&self, halves: [V; 2], start: &[[i32; 4]; VECTORS]) -> [V; VECTORS] {
        let mut sums = start.map(V::new);
        for (part, halves) in halves.into_iter().enumerate() {
            for (j, pair) in halves.pairs().into_iter().enumerate() {
                for (i, sum) in sums.iter_mut().enumerate() {
                    *sum = sum.add(pair.dot(self.0[(8 + 2 * i - 4 * part - j) % 8]));
                }
            }
        }
        sums
    }
}

/// The integers of these halves, the low ones of which are `2^15` more than that, over `2^16`.
#[inline(always)]
fn merge<V: Vector>(low: [V; VECTORS], high: [V; VECTORS]) -> [V; VECTORS] {
    // Of a low sum, the low half is 2^15 more than it should be, without a sign, and the exclusive
    // or puts that right. The high half is rounded to the nearest by it.
    let sign = V::new([1 << 15; 4]);
    let merge = V::new([halves(-127 << 8, 1); 4]);
    std::array::from_fn(|i| low[i].xor(sign).dot(merge).add(high[i]))
}

/// `a b / 2^32` modulo `p` (P. Montgomery, "Modular multiplication without trial division", 1985):
/// `(a b - q p) / 2^32` with `-2^31 <= q < 2^31`. Its absolute value is at most
/// `|a b| / 2^32 + p / 2`. For `|a|, |b| <= p` that is below `p`.
#[inline(always)]
fn montgomery<V: Vector>(a: V, b: V) -> V {
    let quotient = a.low_product(b).low_product(V::new([INVERSE; 4]));
    a.high_product(b).sub(high_multiple(quotient))
}

/// The high half of `q p`, that is, `(127 q + q / 2^24) / 2^8`, each quotient rounded down. This is
/// for `q = 2^8 h + l`.
///
/// By shifts: of a product by a factor that it knows the compiler makes one of 64 bits by 64, which
/// processors do not have.
#[inline(always)]
fn high_multiple<V: Vector>(q: V) -> V {
    let times_127 = |x: V| x.shift_left::<7>().sub(x);
    let (h, l) = (q.shift_right::<8>(), q.and(V::new([0xff; 4])));
    let rest = times_127(l).add(q.shift_right::<24>());
    times_127(h).add(rest.shift_right::<8>())
}

/// As [`montgomery`], of two integers.
#[inline(always)]
fn montgomery_alone(a: i32, b: i32) -> i32 {
    let product = i64::from(a) * i64::from(b);
    let quotient = i64::from((product as i32).wrapping_mul(INVERSE));
    ((product - quotient * i64::from(MODULUS)) >> 32) as i32
}

/// The cube times a factor, for a partial round.
#[inline(always)]
fn scaled_cube(x: i32, factor: i32) -> i32 {
    montgomery_alone(montgomery_alone(x, x), montgomery_alone(x, factor))
}

#[inline(always)]
fn sum<V: Vector>(a: [V; VECTORS], b: [V; VECTORS]) -> [V; VECTORS] {
    std::array::from_fn(|i| a[i].add(b[i]))
}

/// Two integers of 16 bits as one of 32.
const fn halves(low: i32, high: i32) -> i32 {
    (low & 0xffff) | (high << 16)
}
