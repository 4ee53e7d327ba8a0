//! The window size, from a model of what a call costs.

use super::recode::{bucket_count, window_count};

/// Largest window: digits and buckets stay small enough for 32-bit positions.
pub const MAX_WINDOW: u32 = 20;

/// Nanoseconds of the parts of a call, on one thread; `droste-bench msm --calibrate` measures them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CostModel {
    /// One term of one window: extraction, sorting and the addition to its bucket.
    pub term: f64,
    /// One bucket of one window: its share of the reduction.
    pub bucket: f64,
    /// One window, whatever its size.
    pub window: f64,
    /// One scalar's split by the endomorphism, with its point's image.
    pub split: f64,
}

impl CostModel {
    /// Fitted to the portable backend.
    pub const PORTABLE: Self = Self {
        term: 112.0,
        bucket: 146.0,
        window: 0.0,
        split: 200.0,
    };

    /// Fitted to the AVX-512 IFMA backend.
    pub const IFMA: Self = Self {
        term: 36.0,
        bucket: 74.0,
        window: 3500.0,
        split: 100.0,
    };

    /// Nanoseconds for `terms` scalars of `bits` bits in windows of `window` bits.
    pub fn cost(&self, terms: usize, bits: u32, window: u32) -> f64 {
        let terms = terms as f64 * self.term;
        let buckets = bucket_count(window) as f64 * self.bucket;
        f64::from(window_count(bits, window)) * (terms + buckets + self.window)
    }

    /// Whether splitting scalars in two halves of `half_bits` bits pays.
    pub fn split_pays(&self, terms: usize, bits: u32, half_bits: u32) -> bool {
        if bits <= half_bits {
            return false;
        }
        let best = |terms, bits| self.cost(terms, bits, self.window(terms, bits));
        let split = best(2 * terms, half_bits) + terms as f64 * self.split;
        split < best(terms, bits)
    }

    /// The cheapest window.
    pub fn window(&self, terms: usize, bits: u32) -> u32 {
        let cost = |window: &u32| self.cost(terms, bits, *window);
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
        let windows: Vec<u32> = (0..=24).map(|log| model.window(1 << log, 254)).collect();
        assert!(windows.is_sorted());
        assert!((11..=15).contains(&windows[16]), "{windows:?}");
        assert_eq!(model.window(1 << 16, 1), 2);
    }
}
