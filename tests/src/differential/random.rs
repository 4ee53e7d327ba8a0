//! Random choices for one program. They depend only on the seed and the program's number.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// The random choices for one program.
pub struct Random(SmallRng);

impl Random {
    /// Returns the choices for program `index` of `seed`.
    pub fn new(seed: u64, index: u64) -> Self {
        let mixed =
            seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ index.wrapping_mul(0xd1b5_4a32_d192_ed03);
        Self(SmallRng::seed_from_u64(mixed))
    }

    /// Returns a number below `n`, which must not be zero.
    pub fn below(&mut self, n: usize) -> usize {
        self.0.random_range(0..n)
    }

    /// Returns a number from `low` to `high`, both included.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        self.0.random_range(low..=high)
    }

    /// Returns true with a probability of `percent` in a hundred.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Returns an element of `list`, which must not be empty.
    pub fn pick<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }

    /// Returns the numbers below `n` in random order.
    pub fn order(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for last in (1..n).rev() {
            order.swap(last, self.below(last + 1));
        }
        order
    }
}
