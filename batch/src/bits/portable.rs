//! Maps by tables of half bytes.

use std::array::from_fn;

use p3_field::PrimeCharacteristicRing;

use super::BLOCK;
use crate::circuit::Lanes;
use crate::field::K;

/// Bits that index a table: with more, the tables of a circuit's maps do not fit the second cache.
const INDEX_BITS: usize = 4;

/// 64 words.
#[derive(Clone, Debug)]
pub struct Words([u64; BLOCK]);

impl Words {
    /// The words.
    pub fn new(words: &[Lanes; BLOCK / 8]) -> Self {
        Self(from_fn(|i| words[i / 8][i % 8]))
    }

    /// Word `z` has bit `z` of each of these.
    pub fn transposed(words: &[Lanes; BLOCK / 8]) -> Self {
        let Self(mut words) = Self::new(words);
        // Halves of ever smaller squares are exchanged (Hacker's Delight, section 7-3).
        let (mut width, mut mask) = (BLOCK / 2, u64::MAX >> 32);
        while width > 0 {
            for i in (0..BLOCK).filter(|i| i & width == 0) {
                let difference = (words[i] >> width ^ words[i + width]) & mask;
                words[i] ^= difference << width;
                words[i + width] ^= difference;
            }
            width /= 2;
            mask ^= mask << width;
        }
        Self(words)
    }
}

/// A map from words to elements that is linear over GF(2).
#[derive(Clone, Debug)]
pub struct WordMap([[K; 1 << INDEX_BITS]; BLOCK / INDEX_BITS]);

impl WordMap {
    /// The map that takes a word to the sum of the weights of its bits.
    pub fn new(weights: &[K; BLOCK]) -> Self {
        let mut tables = [[K::ZERO; 1 << INDEX_BITS]; BLOCK / INDEX_BITS];
        for (table, weights) in tables.iter_mut().zip(weights.chunks(INDEX_BITS)) {
            for (i, &weight) in weights.iter().enumerate() {
                for index in 0..1 << i {
                    table[index + (1 << i)] = table[index] + weight;
                }
            }
        }
        Self(tables)
    }

    /// Adds the values of 64 words.
    #[inline]
    pub fn add(&self, words: &Words, sums: &mut Sums) {
        for (&word, sum) in words.0.iter().zip(&mut sums.0) {
            for (i, table) in self.0.iter().enumerate() {
                *sum += table[(word >> (INDEX_BITS * i)) as usize % (1 << INDEX_BITS)];
            }
        }
    }
}

/// A sum of elements for each of 64 words.
#[derive(Clone, Debug)]
pub struct Sums([K; BLOCK]);

impl Default for Sums {
    fn default() -> Self {
        Self([K::ZERO; BLOCK])
    }
}

impl Sums {
    /// The sums.
    pub const fn elements(&self) -> [K; BLOCK] {
        self.0
    }
}

impl std::ops::AddAssign<&Self> for Sums {
    fn add_assign(&mut self, other: &Self) {
        for (sum, &other) in self.0.iter_mut().zip(&other.0) {
            *sum += other;
        }
    }
}

/// 64 elements of GF(2^8): bit `p` of word `b` is coordinate `b` of element `p`, by the powers of
/// `t`, a root of `t^8 + t^4 + t^3 + t + 1`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Points([u64; 8]);

impl Points {
    /// Elements by their coordinates.
    pub fn new(elements: &[u8; BLOCK]) -> Self {
        let bit = |p: usize, b: usize| u64::from(elements[p] >> b & 1) << p;
        Self(from_fn(|b| (0..BLOCK).map(|p| bit(p, b)).sum()))
    }

    /// Exchanges the elements `p` and `p + width` for each `p` without the bit `width`, which is 8,
    /// 16 or 32.
    #[inline(always)]
    pub fn exchanged(&self, width: usize) -> Self {
        // The bits of indices without that bit: 1, repeated, of `width` bits each.
        let low = u64::MAX / ((1 << width) + 1);
        Self(
            self.0
                .map(|word| (word & low) << width | word >> width & low),
        )
    }

    /// Adds the products with `t^power` of two lists, to the first of which `constant` is added.
    #[inline]
    pub fn add_products(&mut self, first: &Self, constant: u8, second: &Self, power: usize) {
        // Horner's rule, from the highest coordinate of the first list down.
        let mut sum = [0; 8];
        for (b, coordinate) in first.0.iter().enumerate().rev() {
            let mask = coordinate ^ 0u64.wrapping_sub(u64::from(constant >> b & 1));
            sum = times_t(sum);
            sum = from_fn(|i| sum[i] ^ mask & second.0[i]);
        }
        for _ in 0..power {
            sum = times_t(sum);
        }
        *self += &Self(sum);
    }

    /// Bit `p` of word `b` is coordinate `b` of element `p`.
    pub const fn slices(&self) -> [u64; 8] {
        self.0
    }
}

/// Products with `t`.
#[inline(always)]
const fn times_t(x: [u64; 8]) -> [u64; 8] {
    let high = x[7];
    [
        high,
        x[0] ^ high,
        x[1],
        x[2] ^ high,
        x[3] ^ high,
        x[4],
        x[5],
        x[6],
    ]
}

impl std::ops::AddAssign<&Self> for Points {
    #[inline]
    fn add_assign(&mut self, other: &Self) {
        self.0 = from_fn(|i| self.0[i] ^ other.0[i]);
    }
}
