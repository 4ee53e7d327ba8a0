use droste_gadgets::prelude::*;

fn next_permutation<T: Ord>(items: &mut [T]) -> bool {
    let Some(i) = items.windows(2).rposition(|w| w[0] < w[1]) else {
        return false;
    };
    let j = items.iter().rposition(|v| *v > items[i]).unwrap();
    items.swap(i, j);
    items[i + 1..].reverse();
    true
}

struct Combinations {
    n: usize,
    current: Option<Vec<usize>>,
}

impl Combinations {
    fn new(n: usize, k: usize) -> Self {
        Self {
            n,
            current: (k <= n).then(|| (0..k).collect()),
        }
    }
}

impl Iterator for Combinations {
    type Item = Vec<usize>;

    fn next(&mut self) -> Option<Self::Item> {
        let result = self.current.take()?;
        let k = result.len();
        let mut next = result.clone();
        if let Some(i) = (0..k).rev().find(|&i| next[i] < self.n - k + i) {
            next[i] += 1;
            for j in i + 1..k {
                next[j] = next[j - 1] + 1;
            }
            self.current = Some(next);
        }
        Some(result)
    }
}

pub fn main() {
    let x = public_input();
    let mut tour = [0usize, 1, 2, 3];
    let dist = [
        [0, 10, 15, 20],
        [10, 0, 35, 25],
        [15, 35, 0, 30],
        [20, 25, 30, 0],
    ];
    let mut best = u32::MAX;
    let mut count = 0;
    loop {
        let length = tour
            .iter()
            .zip(tour.iter().cycle().skip(1))
            .map(|(&a, &b)| dist[a][b])
            .sum();
        best = best.min(length);
        count += 1;
        if !next_permutation(&mut tour) {
            break;
        }
    }
    assert_eq!(count, 24);

    let values = [x, felt(2), x * x, felt(5), felt(7)];
    let symmetric = Combinations::new(5, 3)
        .map(|c| c.iter().fold(felt(1), |p, &i| p * values[i]))
        .fold(felt(0), |a, b| a + b);
    assert_eq!(Combinations::new(6, 2).count(), 15);
    reveal(symmetric);
    reveal(felt(best as usize));
}
