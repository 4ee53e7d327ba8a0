//! Signed-window recoding without carry chains.
//!
//! Adding `K = sum_i 2^(c-1) 2^(c i)` to a scalar once makes its windows independent: window `i` of
//! `k + K`, less `2^(c-1)`, is a digit in `[-2^(c-1), 2^(c-1)]`, and the digits sum back to `k`.
//! The top window is taken whole, so that the carry into it needs no window of its own.

use super::parallel::collect;

/// Words of a biased scalar: a bias may reach past bit 255.
const WORDS: usize = 5;

/// Scalars plus bias, one plane a word, so that a window reads only the words it touches.
#[derive(Debug, Default)]
pub struct Digits {
    planes: Vec<Vec<u64>>,
    /// 1 where the digits count negated.
    negate: Vec<u32>,
    window: u32,
    windows: u32,
}

/// Windows of `window` bits that a scalar of `bits` bits needs; one bit goes to the sign.
pub fn window_count(bits: u32, window: u32) -> u32 {
    (bits + 1).div_ceil(window)
}

/// Buckets of one window: the largest absolute digit.
pub fn bucket_count(window: u32) -> usize {
    1 << (window - 1)
}

/// A digit packed for sorting: absolute value above the sign bit; 0 is no digit.
pub type Packed = u32;

impl Digits {
    /// Recodes scalars of at most `bits` bits, each with 1 if it counts negated.
    pub fn new(scalars: &[([u64; 4], u32)], bits: u32, window: u32, threads: usize) -> Self {
        let windows = window_count(bits, window);
        let bias = bias(window, windows);
        let words_used = (windows * window / 64 + 1) as usize;
        let planes = (0..words_used).map(|plane| {
            collect(threads, scalars.len(), |i| {
                // Carries are worked out anew for each plane: few, and cheap.
                let mut carry = false;
                let mut sum = 0;
                for (word, bias) in bias.iter().enumerate().take(plane + 1) {
                    let own = scalars[i].0.get(word).copied().unwrap_or(0);
                    let (first, over) = own.overflowing_add(*bias);
                    let (second, again) = first.overflowing_add(u64::from(carry));
                    carry = over | again;
                    sum = second;
                }
                sum
            })
        });
        Self {
            planes: planes.collect(),
            negate: collect(threads, scalars.len(), |i| scalars[i].1),
            window,
            windows,
        }
    }

    /// Number of scalars.
    pub fn len(&self) -> usize {
        self.negate.len()
    }

    /// Number of windows.
    pub fn windows(&self) -> u32 {
        self.windows
    }

    /// The digits of one window of the scalars `range`, appended to `out`.
    pub fn extract(&self, window: u32, range: std::ops::Range<usize>, out: &mut Vec<Packed>) {
        let position = (window * self.window) as usize;
        let (word, shift) = (position / 64, position % 64);
        let half = 1u64 << (self.window - 1);
        let mask = if window + 1 == self.windows {
            u64::MAX
        } else {
            2 * half - 1
        };
        let negate = &self.negate[range.clone()];
        let low = &self.planes[word][range.clone()];
        let pack = |biased: u64, negate: u32| {
            let digit = biased.wrapping_sub(half) as i64;
            (digit.unsigned_abs() as u32) << 1 | (negate ^ (digit as u64 >> 63) as u32)
        };
        // A digit of zero may carry a sign bit here: the sort asks only for the value above it.
        let last = window + 1 == self.windows;
        if (last || shift + self.window as usize > 64) && word + 1 < self.planes.len() {
            let high = &self.planes[word + 1][range];
            let left = (64 - shift as u32) % 64;
            let keep = if shift == 0 { 0 } else { u64::MAX };
            out.extend(
                low.iter()
                    .zip(high)
                    .zip(negate)
                    .map(|((&l, &h), &n)| pack((l >> shift | (h << left) & keep) & mask, n)),
            );
        } else {
            out.extend(
                low.iter()
                    .zip(negate)
                    .map(|(&l, &n)| pack((l >> shift) & mask, n)),
            );
        }
    }
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
    use super::*;
    use proptest::prelude::*;

    /// Sum of digits modulo a prime, against the scalar modulo that prime.
    fn check(words: [u64; 4], bits: u32, window: u32) {
        const PRIME: i128 = (1 << 61) - 1;
        let digits = Digits::new(&[(words, 0), (words, 1)], bits, window, 1);
        let mut sums = [0i128; 2];
        let mut weight = 1i128;
        for w in 0..digits.windows() {
            let mut out = Vec::new();
            digits.extract(w, 0..2, &mut out);
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
        assert_eq!(sums[0], expected, "window {window}, bits {bits}");
        assert_eq!(sums[1], (-expected).rem_euclid(PRIME));
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

    proptest! {
        #[test]
        fn digits_sum_to_the_scalar(words: [u64; 4], bits in 1u32..=256, window in 1u32..=22) {
            check(truncate(words, bits), bits, window);
        }
    }
}
