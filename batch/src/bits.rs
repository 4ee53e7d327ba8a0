//! Sums of weights of bits, by tables of bytes.

use p3_field::PrimeCharacteristicRing;

use crate::circuit::BITS;
use crate::field::K;

/// Tables that add up weights of the bits of a byte.
#[inline]
pub fn subset_sums(weights: &[K; 8]) -> [K; 256] {
    let mut table = [K::ZERO; 256];
    for (i, &weight) in weights.iter().enumerate() {
        for index in 0..1 << i {
            table[index + (1 << i)] = table[index] + weight;
        }
    }
    table
}

/// A word's value, given [`subset_sums`] for each of its bytes.
#[inline]
pub fn word_value(tables: &[[K; 256]], word: u64) -> K {
    (tables.iter().zip(word.to_le_bytes()))
        .map(|(table, byte)| table[usize::from(byte)])
        .sum()
}

/// The tables of [`word_value`].
pub fn word_tables(bits: &[K; BITS]) -> Vec<[K; 256]> {
    bits.as_chunks().0.iter().map(subset_sums).collect()
}

/// Adds to each of 64 sums the weights of those of eight words that have its bit.
#[inline]
pub fn add_bits(words: &[u64; 8], weights: &[K; 256], sums: &mut [K; 64]) {
    let bytes = words.map(u64::to_le_bytes);
    for (byte, sums) in sums.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        let block = u64::from_le_bytes(std::array::from_fn(|word| bytes[word][byte]));
        for (sum, index) in sums.iter_mut().zip(transpose_bits(block).to_le_bytes()) {
            *sum += weights[usize::from(index)];
        }
    }
}

/// Transposes bytes: bit `i` of byte `j` becomes bit `j` of byte `i`.
#[inline]
pub const fn transpose_bits(mut x: u64) -> u64 {
    let mut t = (x ^ x >> 7) & 0x00aa_00aa_00aa_00aa;
    x ^= t ^ t << 7;
    t = (x ^ x >> 14) & 0x0000_cccc_0000_cccc;
    x ^= t ^ t << 14;
    t = (x ^ x >> 28) & 0x0000_0000_f0f0_f0f0;
    x ^ t ^ t << 28
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_transposed() {
        for i in 0..64 {
            assert_eq!(transpose_bits(1 << i), 1 << (8 * (i % 8) + i / 8));
        }
    }
}
