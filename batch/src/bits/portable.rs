//! Maps by tables of half bytes.

use p3_field::PrimeCharacteristicRing;

use super::BLOCK;
use crate::field::K;

/// Bits that index a table: with more, the tables of a circuit's maps do not fit the second cache.
const INDEX_BITS: usize = 4;

/// 64 words.
#[derive(Clone, Debug)]
pub struct Words([u64; BLOCK]);

impl Words {
    /// The words.
    pub const fn new(words: &[u64; BLOCK]) -> Self {
        Self(*words)
    }

    /// Word `z` has bit `z` of each of these.
    pub fn transposed(words: &[u64; BLOCK]) -> Self {
        let mut words = *words;
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
