//! Sums of weights of bits, for 64 words at a time.
//!
//! A [`WordMap`] takes a word to the sum of the weights of its bits: a map from 64 bits to the 128
//! of an element that is linear over GF(2). With 64 words' bits transposed it adds up, for each
//! bit, the weights of those words that have it. [`Bytes`] are 64 elements of GF(2^8).

#[cfg(all(
    target_arch = "x86_64",
    target_feature = "gfni",
    target_feature = "avx512bw",
    target_feature = "avx512vbmi"
))]
mod gfni;
#[cfg(any(
    test,
    not(all(
        target_arch = "x86_64",
        target_feature = "gfni",
        target_feature = "avx512bw",
        target_feature = "avx512vbmi"
    ))
))]
mod portable;

use crate::circuit::BITS;

#[cfg(all(
    target_arch = "x86_64",
    target_feature = "gfni",
    target_feature = "avx512bw",
    target_feature = "avx512vbmi"
))]
pub use gfni::{BitMatrix, Bytes, BytesFactor, Sums, WordMap, Words};
#[cfg(not(all(
    target_arch = "x86_64",
    target_feature = "gfni",
    target_feature = "avx512bw",
    target_feature = "avx512vbmi"
)))]
pub use portable::{BitMatrix, Bytes, BytesFactor, Sums, WordMap, Words};

/// Words that are mapped together.
pub const BLOCK: usize = 64;

/// As many bits as there are words in a block, so that a block can be transposed.
const _: () = assert!(BITS == BLOCK);

#[cfg(test)]
mod tests {
    use p3_binary_field::TowerLevel;
    use p3_field::PrimeCharacteristicRing;
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    use super::*;
    use crate::field::K;

    /// Maps of random and extreme words, and of transposed ones, by the definition.
    macro_rules! check {
        ($module:ident) => {{
            let mut random = SmallRng::seed_from_u64(3);
            for round in 0..20 {
                let weights: [K; BLOCK] = std::array::from_fn(|i| match round {
                    0 => K::from_bool(i == 63),
                    1 => K::from_repr(u128::MAX),
                    _ => random.random(),
                });
                let words: [u64; BLOCK] = std::array::from_fn(|i| match round {
                    2 => 1 << i,
                    3 => u64::MAX,
                    _ => random.random(),
                });
                let eights = |words: [u64; BLOCK]| -> [[u64; 8]; BLOCK / 8] {
                    std::array::from_fn(|i| std::array::from_fn(|j| words[8 * i + j]))
                };
                let map = $module::WordMap::new(&weights);
                let before: [u64; BLOCK] = random.random();
                let mut sums = $module::Sums::default();
                map.add(&$module::Words::new(&eights(before)), &mut sums);
                let mut transposed = sums.clone();
                map.add(&$module::Words::new(&eights(words)), &mut sums);
                map.add(&$module::Words::transposed(&eights(words)), &mut transposed);
                let value = |bit: &dyn Fn(usize) -> bool| -> K {
                    (0..BLOCK).filter(|&z| bit(z)).map(|z| weights[z]).sum()
                };
                for i in 0..BLOCK {
                    let first = value(&|z| before[i] >> z & 1 == 1);
                    let own = value(&|z| words[i] >> z & 1 == 1);
                    assert_eq!(sums.elements()[i], first + own);
                    let column = value(&|z| words[z] >> i & 1 == 1);
                    assert_eq!(transposed.elements()[i], first + column);
                }
                let mut twice = sums.clone();
                twice += &transposed;
                twice += &sums;
                assert_eq!(twice.elements(), transposed.elements());
            }
        }};
    }

    /// The product of two elements of GF(2^8).
    fn product(a: u8, b: u8) -> u8 {
        (0..8).rev().fold(0, |sum: u8, i| {
            let sum = (sum << 1) ^ ((sum >> 7) * 0x1b);
            sum ^ ((a >> i & 1) * b)
        })
    }

    macro_rules! check_bytes {
        ($module:ident) => {{
            let mut random = SmallRng::seed_from_u64(4);
            for _ in 0..20 {
                let words: [[u64; 8]; BLOCK / 8] = random.random();
                let columns: [u8; 8] = random.random();
                let bytes = $module::Words::new(&words).bytes();
                let values = |bytes: $module::Bytes| -> [u8; BLOCK] {
                    let slices = bytes.slices();
                    let bit = |i: usize, b: usize| ((slices[b] >> i & 1) as u8) << b;
                    std::array::from_fn(|i| (0..8).map(|b| bit(i, b)).sum())
                };
                let [first, second] = [bytes[0], bytes[7]].map(values);
                for (i, word) in words.as_flattened().iter().enumerate() {
                    let word = word.to_le_bytes();
                    assert_eq!([first[i], second[i]], [word[0], word[7]]);
                }
                let sums = values(bytes[0] ^ bytes[7]);
                let products = values(bytes[0].times(bytes[7]));
                let matrix = $module::BitMatrix::new(&columns);
                let images = values(bytes[0].factor().image(&matrix));
                for i in 0..BLOCK {
                    assert_eq!(sums[i], first[i] ^ second[i]);
                    assert_eq!(products[i], product(first[i], second[i]));
                    let bits = (0..8).filter(|y| first[i] >> y & 1 == 1);
                    assert_eq!(images[i], bits.fold(0, |sum, y| sum ^ columns[y]));
                }
            }
        }};
    }

    #[test]
    fn portable_maps() {
        check!(portable);
        check_bytes!(portable);
    }

    #[test]
    fn maps_of_this_machine() {
        check!(super);
        check_bytes!(super);
    }
}
