//! Signed-window recoding without carry chains.
//!
//! Adding `K = sum_i 2^(c-1) 2^(c i)` to a scalar once makes its windows independent: window `i` of
//! `k + K`, less `2^(c-1)`, is a digit in `[-2^(c-1), 2^(c-1)]`, and the digits sum back to `k`.
//! The top window is taken whole, so that the carry into it needs no window of its own.

use super::arena::Carver;
use super::parallel::for_columns;
use super::planes::Block;
use super::schedule::LANES;

/// Words of a biased scalar: the bias may reach past bit 255.
const WORDS: usize = 5;

/// Scalars plus bias, stored word by word: first the lowest word of all scalars, and so on, so that
/// a window reads only the words that it overlaps. Each term has one scalar, or two halves: then
/// the words of all second halves follow those of all first halves.
#[derive(Debug)]
pub struct Digits<'a> {
    planes: Vec<&'a mut [u64]>,
    /// Number of planes of one scalar or half.
    words: usize,
    window: u32,
    windows: u32,
}

/// Number of windows of `window` bits that a scalar of `bits` bits needs. One extra bit holds the
/// sign.
pub fn window_count(bits: u32, window: u32) -> u32 {
    (bits + 1).div_ceil(window)
}

/// Number of buckets of one window, which is the largest absolute value of a digit.
pub fn bucket_count(window: u32) -> usize {
    1 << (window - 1)
}

/// A digit packed for sorting: its absolute value, shifted left by one, with the sign in bit 0. 0
/// means that there is no digit.
pub type Packed = u32;

impl<'a> Digits<'a> {
    /// Takes memory for the digits of `terms` times `halves` scalars of at most `bits` bits, not
    /// counting a sign.
    pub fn lay_out<P>(
        carver: &mut Carver<'a, P>,
        [terms, halves]: [usize; 2],
        bits: u32,
        window: u32,
    ) -> Self {
        let windows = window_count(bits, window);
        let words = (windows * window / 64 + 1) as usize;
        Self {
            planes: (0..halves * words).map(|_| carver.longs(terms)).collect(),
            words,
            window,
            windows,
        }
    }

    /// Recodes the scalars, or halves, that `blocks` returns for the eight terms from a position
    /// on. They must be as many and as long as the memory was laid out for. A negative scalar of
    /// `bits` bits is at least `-2^bits`, so with the bias added it is not negative.
    pub fn recode<const HALVES: usize>(
        &mut self,
        signed: bool,
        threads: usize,
        blocks: impl Fn(usize) -> [Block; HALVES] + Sync,
    ) {
        let bias = bias(self.window, self.windows);
        let words = self.words;
        for_columns(threads, &mut self.planes, &|start, planes| {
            let count = planes.first().map_or(0, |plane| plane.len());
            for at in (0..count).step_by(LANES) {
                let blocks = blocks(start + at);
                for (block, planes) in blocks.iter().zip(planes.chunks_mut(words)) {
                    let [a, b, c, d] = block;
                    let mut sign = [0; LANES];
                    for (sign, word) in sign.iter_mut().zip(d).filter(|_| signed) {
                        *sign = (*word as i64 >> 63) as u64;
                    }
                    let mut carries = [0; LANES];
                    let own = [a, b, c, d, &sign];
                    for (word, plane) in planes.iter_mut().enumerate() {
                        let sums = add(own[word], bias[word], &mut carries);
                        let rest = &mut plane[at..];
                        match rest.first_chunk_mut() {
                            Some(first) => *first = sums,
                            None => rest.copy_from_slice(&sums[..rest.len()]),
                        }
                    }
                }
            }
        });
    }

    /// Number of windows.
    pub fn windows(&self) -> u32 {
        self.windows
    }

    /// Writes the digits of one window to `out`, for one half of the terms in `range`. Scalars that
    /// are not split are half 0.
    pub fn extract(
        &self,
        window: u32,
        half: usize,
        range: std::ops::Range<usize>,
        out: &mut [Packed],
    ) {
        let planes = &self.planes[half * self.words..(half + 1) * self.words];
        let position = (window * self.window) as usize;
        let (word, shift) = (position / 64, position % 64);
        let half = 1u64 << (self.window - 1);
        let mask = if window + 1 == self.windows {
            u64::MAX
        } else {
            2 * half - 1
        };
        let low = &planes[word][range.clone()];
        let pack = |biased: u64| {
            let digit = biased.wrapping_sub(half) as i64;
            (digit.unsigned_abs() as u32) << 1 | (digit as u64 >> 63) as u32
        };
        let last = window + 1 == self.windows;
        if (last || shift + self.window as usize > 64) && word + 1 < planes.len() {
            let high = &planes[word + 1][range];
            let left = (64 - shift as u32) % 64;
            let keep = if shift == 0 { 0 } else { u64::MAX };
            for (out, (&l, &h)) in out.iter_mut().zip(low.iter().zip(high)) {
                *out = pack((l >> shift | (h << left) & keep) & mask);
            }
        } else {
            for (out, &l) in out.iter_mut().zip(low) {
                *out = pack((l >> shift) & mask);
            }
        }
    }
}

/// Adds a word of the bias and the carries of the words below.
#[allow(clippy::needless_range_loop)] // several arrays step together
#[inline(always)]
fn add(words: &[u64; LANES], bias: u64, carries: &mut [u64; LANES]) -> [u64; LANES] {
    let mut sums = [0; LANES];
    for lane in 0..LANES {
        let biased = words[lane].wrapping_add(bias);
        sums[lane] = biased.wrapping_add(carries[lane]);
        carries[lane] = u64::from(biased < bias) | u64::from(sums[lane] < biased);
    }
    sums
}

fn bias(window: u32, windows: u32) -> [u64; WORDS] {
    let mut bias = [0u64; WORDS];
    for i in 0..windows {
        let position = (i * window + window - 1) as usize;
        bias[position / 64] |= 1 << (position % 64);
    }
    bias
}

#[cfg(test)]
mod tests {
    use super::super::arena::{Arena, Size};
    use super::super::planes::{Planes, Word};
    use super::*;
    use crate::test_utils::{on_words, rows};

    const PRIME: i128 = (1 << 61) - 1;

    /// Compares the sum of the digits with the scalar, both modulo a prime.
    fn check(words: [u64; 4], bits: u32, window: u32) {
        let mut arena = Arena::<()>::default();
        let size = Size::of::<(), _>(|c| drop(Digits::lay_out(c, [2, 2], bits, window)));
        let mut digits = Digits::lay_out(&mut arena.carve(size), [2, 2], bits, window);
        let block = |scalars: [Word; 2]| scalars.into_iter().collect::<Planes>().block(0);
        if bits < 256 {
            let halves = [[words, negated(words)], [negated(words), words]];
            digits.recode(true, 1, |_| halves.map(block));
            check_digits(&digits, 0, words, [1, -1]);
            check_digits(&digits, 1, words, [-1, 1]);
        }
        digits.recode(false, 1, |_| [[words, words]; 2].map(block));
        check_digits(&digits, 1, words, [1, 1]);
    }

    fn negated(words: [u64; 4]) -> [u64; 4] {
        let mut carry = true;
        words.map(|word| {
            let (sum, over) = (!word).overflowing_add(u64::from(carry));
            carry = over;
            sum
        })
    }

    fn check_digits(digits: &Digits<'_>, half: usize, words: [u64; 4], signs: [i128; 2]) {
        let (window, mut sums) = (digits.window, [0i128; 2]);
        let mut weight = 1i128;
        for w in 0..digits.windows() {
            let mut out = [0; 2];
            digits.extract(w, half, 0..2, &mut out);
            for (sum, packed) in sums.iter_mut().zip(out) {
                let value = i128::from(packed >> 1);
                assert!(value <= bucket_count(window) as i128, "digit out of range");
                let digit = if packed & 1 == 1 { -value } else { value };
                *sum = (*sum + digit * weight).rem_euclid(PRIME);
            }
            weight = (weight << window) % PRIME;
        }
        let expected = words.iter().rev().fold(0i128, |sum, &word| {
            ((sum << 64) % PRIME + i128::from(word)) % PRIME
        });
        let expected = signs.map(|sign| (sign * expected).rem_euclid(PRIME));
        assert_eq!(sums, expected, "window {window}, {words:?}");
    }

    fn truncate(words: [u64; 4], bits: u32) -> [u64; 4] {
        std::array::from_fn(|i| {
            let kept = bits.saturating_sub(64 * i as u32).min(64);
            if kept == 64 {
                words[i]
            } else {
                words[i] & ((1 << kept) - 1)
            }
        })
    }

    #[test]
    fn every_window_at_the_edges() {
        for window in 1..=22 {
            for bits in 1..=256 {
                check(truncate([u64::MAX; 4], bits), bits, window);
                check([0; 4], bits, window);
                let mut top = [0; 4];
                top[(bits as usize - 1) / 64] = 1 << ((bits - 1) % 64);
                check(top, bits, window);
            }
        }
    }

    #[test]
    fn digits_sum_to_the_scalar() {
        on_words(256, 6, &|words| {
            let (bits, window) = (1 + (words[4] % 256) as u32, 1 + (words[5] % 22) as u32);
            let [scalar] = rows(words);
            check(truncate(scalar, bits), bits, window);
        });
    }
}
