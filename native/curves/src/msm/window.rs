//! Choice of the window size by a model of the cost of a call.

use super::recode::{bucket_count, window_count};

/// Largest window, in bits. It keeps digits and buckets small enough for 32-bit positions.
pub const MAX_WINDOW: u32 = 20;

/// Nanoseconds that the parts of a call take on one thread, as measured by
/// `droste-bench msm --calibrate`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CostModel {
    /// Per term and window: extraction, sorting and the addition to its bucket.
    pub term: f64,
    /// Per bucket and window: its share of the reduction.
    pub bucket: f64,
    /// Per window, whatever its size.
    pub window: f64,
    /// Per scalar that is split by the endomorphism, with its share of joining the halves.
    pub split: f64,
}

/// How many of the windows are taken whole, each by one worker, and into how many slices of the
/// terms each other window is cut, so that workers get equal shares. With other jobs, there are
/// enough windows for all workers unless there are fewer windows than workers.
pub fn shares(windows: usize, threads: usize, alone: bool) -> (usize, usize) {
    let left = windows % threads;
    if left == 0 || !alone && windows >= threads {
        return (windows, 1);
    }
    (windows - left, threads / left)
}

impl CostModel {
    /// Fitted to the portable backend.
    pub const PORTABLE: Self = Self {
        term: 102.0,
        bucket: 125.0,
        window: 2200.0,
        split: 60.0,
    };

    /// Fitted to the AVX-512 IFMA backend.
    pub const IFMA: Self = Self {
        term: 30.0,
        bucket: 66.0,
        window: 4400.0,
        split: 45.0,
    };

    /// Nanoseconds for `terms` scalars of `bits` bits in windows of `window` bits, on one thread.
    pub fn cost(&self, terms: usize, bits: u32, window: u32) -> f64 {
        self.elapsed([terms, 1, 1], bits, window)
    }

    /// Nanoseconds until `threads` workers have computed `jobs` sums of `terms` scalars of `bits`
    /// bits in windows of `window` bits.
    fn elapsed(&self, [terms, jobs, threads]: [usize; 3], bits: u32, window: u32) -> f64 {
        let windows = window_count(bits, window) as usize * jobs;
        let (whole, slices) = shares(windows, threads, jobs == 1);
        let buckets = bucket_count(window) as f64 * self.bucket + self.window;
        let rounds = |slices: usize, windows: usize| {
            let terms = (terms / slices) as f64 * self.term;
            (windows * slices).div_ceil(threads) as f64 * (terms + buckets)
        };
        rounds(1, whole) + rounds(slices, windows - whole)
    }

    /// Whether splitting scalars into two halves of `half_bits` bits saves time.
    pub fn split_pays(&self, terms: usize, threads: usize, bits: u32, half_bits: u32) -> bool {
        if bits <= half_bits {
            return false;
        }
        let best = |model: &Self, terms, bits| {
            let window = model.window(terms, 1, threads, bits);
            model.elapsed([terms, 1, threads], bits, window)
        };
        let halves = best(&self.of_halves(), 2 * terms, half_bits);
        halves + (terms as f64 * self.split / threads as f64) < best(self, terms, bits)
    }

    /// The model of a sum of scalars that are split: joining both sums of a bucket was measured to
    /// take up to about half as long as a term.
    pub(super) fn of_halves(&self) -> Self {
        Self {
            bucket: self.bucket + self.term / 2.0,
            ..*self
        }
    }

    /// The cheapest window for `jobs` sums of `terms` scalars of `bits` bits each.
    pub fn window(&self, terms: usize, jobs: usize, threads: usize, bits: u32) -> u32 {
        let cost = |window: &u32| self.elapsed([terms, jobs, threads], bits, *window);
        (2..=MAX_WINDOW)
            .min_by(|a, b| cost(a).total_cmp(&cost(b)))
            .unwrap_or(2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_grow_with_the_terms() {
        let model = CostModel::PORTABLE;
        let windows: Vec<u32> = (0..=24)
            .map(|log| model.window(1 << log, 1, 1, 254))
            .collect();
        assert!(windows.is_sorted());
        assert!((11..=15).contains(&windows[16]), "{windows:?}");
        assert_eq!(model.window(1 << 16, 1, 1, 1), 2);
    }

    #[test]
    fn workers_get_equal_shares() {
        for windows in 0..40 {
            assert_eq!(shares(windows, 1, true), (windows, 1));
            for threads in 1..20 {
                for alone in [true, false] {
                    let (whole, slices) = shares(windows, threads, alone);
                    assert!(whole <= windows && (windows - whole) * slices <= threads);
                    assert!(!alone || whole % threads == 0);
                }
            }
        }
        assert_eq!(shares(11, 2, true), (10, 2));
        assert_eq!(shares(11, 2, false), (11, 1));
        assert_eq!(shares(5, 16, false), (0, 3));
        for threads in [2, 3, 4] {
            for log in 12..=20 {
                let many = CostModel::IFMA.window(1 << log, 64, threads, 254);
                assert_eq!(many, CostModel::IFMA.window(1 << log, 1, 1, 254));
            }
        }
    }
}
