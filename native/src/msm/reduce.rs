//! Affine bucket reduction: `sum_k k B_k` for every window, in batches.
//!
//! With `m` a power of two and `k - 1 = i m + j`, rows `R_i = sum_j B_(im+j+1)` and columns
//! `C_j = sum_i B_(im+j+1)` give `sum_k k B_k = m sum_i i R_i + sum_j (j + 1) C_j`: two problems of
//! about the square root of the size, for two additions a bucket. Problems of at most [`LEAF`] end
//! in one sum for each bit of the weight. All windows go through a level together.

use super::accumulate::{Sums, Worker, sum_stream};
use super::backend::Backend;
use super::curve::MsmCurve;
use super::schedule::{Entry, NONE, Stream};

/// Largest problem that is summed bit by bit.
const LEAF: usize = 8;

/// Terms of a slot: more slots make fuller batches, and more joins.
const CAP: usize = 16;

/// `2^shift sum_k k B_k` over `len` buckets, `k` from 1.
#[derive(Clone, Copy, Debug)]
struct Problem {
    start: usize,
    len: usize,
    shift: u32,
}

impl Problem {
    fn is_leaf(&self) -> bool {
        self.len <= LEAF
    }

    /// Logarithm of the number of columns.
    fn columns(&self) -> u32 {
        self.len.next_power_of_two().trailing_zeros().div_ceil(2)
    }

    /// Number of sums this problem asks for.
    fn sums(&self) -> usize {
        if self.is_leaf() {
            (usize::BITS - self.len.leading_zeros()) as usize
        } else {
            self.parts().map(|part| part.len).sum()
        }
    }

    /// Columns, then rows from the second on, counted from 0.
    fn parts(&self) -> std::array::IntoIter<Problem, 2> {
        let log = self.columns();
        let columns = Problem {
            start: 0,
            len: 1 << log,
            shift: self.shift,
        };
        let rows = Problem {
            start: columns.len,
            len: (self.len - 1) >> log,
            shift: self.shift + log,
        };
        [columns, rows].into_iter()
    }

    /// Calls `visit` with the sums, counted from 0, that the bucket of weight `offset + 1` is in.
    fn visit(&self, offset: usize, mut visit: impl FnMut(usize)) {
        if self.is_leaf() {
            let weight = offset + 1;
            (0..self.sums())
                .filter(|bit| weight >> bit & 1 == 1)
                .for_each(visit);
        } else {
            let log = self.columns();
            visit(offset & ((1 << log) - 1));
            if offset >> log > 0 {
                visit((1 << log) + (offset >> log) - 1);
            }
        }
    }
}

/// All problems of a level; `location` tells where the buckets are among `points`.
struct Level<'a> {
    problems: &'a [Problem],
    location: &'a [u32],
}

impl Stream for Level<'_> {
    fn for_each(&self, mut visit: impl FnMut(u32, Entry)) {
        let mut base = 0;
        for problem in self.problems {
            let buckets = &self.location[problem.start..problem.start + problem.len];
            for (offset, &at) in buckets.iter().enumerate().filter(|(_, at)| **at != NONE) {
                problem.visit(offset, |sum| visit((base + sum) as u32, at << 1));
            }
            base += problem.sums();
        }
    }
}

/// Reduces windows of `buckets` buckets each, one after the other in `sums`. Calls
/// `emit(window, shift, point)` with points whose multiples by `2^shift` add up to the sum of the
/// window.
pub fn reduce<C: MsmCurve, B: Backend<C>>(
    backend: &B,
    mut sums: Sums<B::Point>,
    windows: usize,
    buckets: usize,
    worker: &mut Worker<C, B>,
    mut emit: impl FnMut(usize, u32, &B::Point),
) {
    let mut problems: Vec<Problem> = (0..windows)
        .map(|window| Problem {
            start: window * buckets,
            len: buckets,
            shift: 0,
        })
        .collect();
    let mut owners: Vec<usize> = (0..windows).collect();
    while !problems.is_empty() {
        let count = problems.iter().map(Problem::sums).sum();
        let level = Level {
            problems: &problems,
            location: &sums.location,
        };
        let mut reduced = Sums::default();
        let points = &sums.points;
        sum_stream(backend, points, count, CAP, &level, worker, &mut reduced);
        sums = reduced;

        let mut base = 0;
        let (mut next, mut next_owners) = (vec![], vec![]);
        for (problem, &window) in problems.iter().zip(&owners) {
            if problem.is_leaf() {
                for bit in 0..problem.sums() {
                    if let Some(point) = sums.get(base + bit) {
                        emit(window, problem.shift + bit as u32, point);
                    }
                }
            } else {
                for part in problem.parts() {
                    let start = base + part.start;
                    next.push(Problem { start, ..part });
                    next_owners.push(window);
                }
            }
            base += problem.sums();
        }
        (problems, owners) = (next, next_owners);
    }
}
