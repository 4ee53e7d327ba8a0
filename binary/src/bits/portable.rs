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

    /// The bytes of each word, from the lowest one on.
    pub fn bytes(&self) -> [Bytes; 8] {
        let (eights, _) = self.0.as_chunks::<8>();
        let Self(bits) = Self::transposed(&from_fn(|i| eights[i]));
        let (bytes, _) = bits.as_chunks();
        from_fn(|b| Bytes(bytes[b]))
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

/// A byte for each of 64 words: bit `i` of word `b` is bit `b` of byte `i`.
///
/// Bytes are elements of GF(2^8), too: coordinates by the powers of `t`, a root of `t^8 + t^4 + t^3
/// + t + 1`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bytes([u64; 8]);

impl Bytes {
    /// Products of elements of GF(2^8).
    #[inline]
    pub fn times(self, other: Self) -> Self {
        // Horner's rule, from the highest coordinate down.
        Self(self.0.iter().rev().fold([0; 8], |sum, mask| {
            let sum = times_t(sum);
            from_fn(|i| sum[i] ^ mask & other.0[i])
        }))
    }

    /// As they are multiplied by many matrices.
    #[inline]
    pub fn factor(self) -> BytesFactor {
        let (halves, _) = self.0.as_chunks::<4>();
        BytesFactor(from_fn(|half| {
            let mut sums = [0; 16];
            for (i, bit) in halves[half].iter().enumerate() {
                for index in 0..1 << i {
                    sums[index + (1 << i)] = sums[index] ^ bit;
                }
            }
            sums
        }))
    }

    /// Word `b` has bit `b` of each byte.
    pub const fn slices(self) -> [u64; 8] {
        self.0
    }
}

impl std::ops::BitXor for Bytes {
    type Output = Self;

    #[inline]
    fn bitxor(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i] ^ other.0[i]))
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

/// A matrix of eight by eight bits, which takes a byte to the sum of the columns of its bits.
#[derive(Clone, Copy, Debug)]
pub struct BitMatrix([u8; 8]);

impl BitMatrix {
    /// The matrix with these columns: column `y` is what bit `y` becomes.
    pub fn new(columns: &[u8; 8]) -> Self {
        let row = |i: usize| (0..8).map(|y| (columns[y] >> i & 1) << y).sum::<u8>();
        Self(from_fn(row))
    }
}

/// [`Bytes`] as they are multiplied by many matrices: all sums of their low four and of their high
/// four bits.
#[derive(Clone, Copy, Debug)]
pub struct BytesFactor([[u64; 16]; 2]);

impl BytesFactor {
    /// What a matrix makes of each byte.
    #[inline]
    pub fn image(&self, matrix: &BitMatrix) -> Bytes {
        let [low, high] = &self.0;
        Bytes(
            matrix
                .0
                .map(|row| low[usize::from(row % 16)] ^ high[usize::from(row / 16)]),
        )
    }
}
