use droste_gadgets::prelude::*;
use std::ops::{AddAssign, Sub};

/// Fenwick tree and coordinate compression: counting inversions and range sums.
#[derive(Clone)]
struct Fenwick<T> {
    tree: Vec<T>,
}

impl<T: Copy + Default + AddAssign + Sub<Output = T>> Fenwick<T> {
    fn new(n: usize) -> Self {
        Fenwick {
            tree: vec![T::default(); n + 1],
        }
    }

    fn add(&mut self, index: usize, delta: T) {
        let mut i = index + 1;
        while i < self.tree.len() {
            self.tree[i] += delta;
            i += i & i.wrapping_neg();
        }
    }

    /// Sum over [0, end).
    fn prefix(&self, end: usize) -> T {
        let mut acc = T::default();
        let mut i = end;
        while i > 0 {
            acc += self.tree[i];
            i &= i - 1;
        }
        acc
    }

    fn range(&self, r: std::ops::RangeInclusive<usize>) -> T {
        self.prefix(*r.end() + 1) - self.prefix(*r.start())
    }
}

fn compress(values: &[i64]) -> Vec<usize> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    values
        .iter()
        .map(|v| sorted.binary_search(v).unwrap_or_else(|_| unreachable!()))
        .collect()
}

fn inversions(values: &[i64]) -> u64 {
    let ranks = compress(values);
    let mut seen = Fenwick::<u64>::new(values.len());
    let mut count = 0;
    for (i, &r) in ranks.iter().enumerate() {
        count += i as u64 - seen.prefix(r + 1);
        seen.add(r, 1);
    }
    count
}

pub fn main() {
    let x = public_input();
    let data = [40, -7, 1_000_000, 3, 3, 0, -7, 12];
    let naive = (0..data.len())
        .flat_map(|i| (i + 1..data.len()).map(move |j| (i, j)))
        .filter(|&(i, j)| data[i] > data[j])
        .count();
    assert_eq!(inversions(&data), naive as u64);

    let mut sums = Fenwick::new(data.len());
    for (i, &v) in data.iter().enumerate() {
        sums.add(i, v);
    }
    sums.add(2, -999_000);
    assert_eq!(sums.range(0..=1), 33);
    reveal(felt(naive) * x);
    reveal(felt(sums.range(1..=5) as usize));
}
