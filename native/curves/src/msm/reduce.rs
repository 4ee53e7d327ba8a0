//! Affine bucket reduction: `sum_k k B_k` for every window, in batches.
//!
//! Let `m` be a power of two and `k - 1 = i m + j`. The rows `R_i = sum_j B_(im+j+1)` and the
//! columns `C_j = sum_i B_(im+j+1)` satisfy `sum_k k B_k = m sum_i i R_i + sum_j (j + 1) C_j`: two
//! problems of about the square root of the size, at a cost of two additions per bucket. A problem
//! of at most [`LEAF`] buckets ends in one sum for each bit of the weight `k`. All windows are
//! reduced together, one level at a time.

use super::accumulate::{Sums, Workspace, sum_stream};
use super::arena::{Carver, Size};
use super::backend::Backend;
use super::curve::MsmCurve;
use super::schedule::{Entry, NONE, Shape, Stream};

/// Size of the largest problem that is summed bit by bit.
const LEAF: usize = 8;

/// Most terms per slot. A smaller number makes more slots, which fill batches better but must be
/// joined.
const CAP: usize = 16;

/// The problem of computing `2^shift sum_k k B_k` over `len` buckets, with `k` from 1.
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

    /// Number of sums that this problem consists of.
    fn sums(&self) -> usize {
        if self.is_leaf() {
            (usize::BITS - self.len.leading_zeros()) as usize
        } else {
            self.parts().map(|part| part.len).sum()
        }
    }

    /// Number of buckets, each counted once per sum that it is in.
    fn terms(&self) -> usize {
        if self.is_leaf() {
            (1..=self.len)
                .map(|weight| weight.count_ones() as usize)
                .sum()
        } else {
            2 * self.len - (1 << self.columns())
        }
    }

    /// The problems of the next level: the columns, then the rows, from the second row on, since
    /// row 0 has weight 0. Their starts are counted from 0.
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

    /// Calls `visit` with the number of each sum, counted from 0, that contains the bucket of
    /// weight `offset + 1`.
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

/// The problems of a level, each with its window.
type Problems = Vec<(usize, Problem)>;

/// All problems of a level as a stream; `location` has the positions of the buckets among the
/// points.
struct Level<'a> {
    problems: &'a [(usize, Problem)],
    location: &'a [u32],
}

impl Stream for Level<'_> {
    fn for_each(&self, mut visit: impl FnMut(u32, Entry)) {
        let mut base = 0;
        for (_, problem) in self.problems {
            let buckets = &self.location[problem.start..problem.start + problem.len];
            for (offset, &at) in buckets.iter().enumerate().filter(|(_, at)| **at != NONE) {
                problem.visit(offset, |sum| visit((base + sum) as u32, at << 1));
            }
            base += problem.sums();
        }
    }
}

/// The problems of each level.
fn levels(windows: usize, buckets: usize) -> impl Iterator<Item = Problems> {
    let whole = |window| Problem {
        start: window * buckets,
        len: buckets,
        shift: 0,
    };
    let first: Problems = (0..windows).map(|window| (window, whole(window))).collect();
    std::iter::successors(Some(first), |level| {
        let mut base = 0;
        let mut next = vec![];
        for (window, problem) in level {
            if !problem.is_leaf() {
                next.extend(problem.parts().map(|part| {
                    let start = base + part.start;
                    (*window, Problem { start, ..part })
                }));
            }
            base += problem.sums();
        }
        (!next.is_empty()).then_some(next)
    })
}

fn shape(level: &[(usize, Problem)]) -> Shape {
    let terms = level.iter().map(|(_, problem)| problem.terms()).sum();
    let sums = level.iter().map(|(_, problem)| problem.sums()).sum();
    Shape::new(terms, sums, CAP)
}

/// Memory for [`reduce`]: the sums of every level, and a workspace that the levels share.
pub struct Reducer<'a, P> {
    levels: Vec<(Problems, Sums<'a, P>)>,
    workspace: Carver<'a, P>,
}

impl<'a, P> Reducer<'a, P> {
    /// Takes memory for windows of `buckets` buckets each.
    pub fn lay_out(carver: &mut Carver<'a, P>, windows: usize, buckets: usize) -> Self {
        let mut workspace = Size::default();
        let levels = levels(windows, buckets).map(|level| {
            let shape = shape(&level);
            workspace = workspace.max(Size::of::<P, _>(|c| drop(Workspace::lay_out(c, shape))));
            (level, Sums::lay_out(carver, shape))
        });
        Self {
            levels: levels.collect(),
            workspace: carver.part(workspace),
        }
    }
}

/// Reduces the windows whose bucket sums are in `sums`, one window after the other. Calls
/// `emit(window, shift, point)` for points whose multiples by `2^shift` add up to the sum of the
/// window.
pub fn reduce<C: MsmCurve, B: Backend<C>>(
    backend: &B,
    sums: &Sums<'_, B::Point>,
    memory: Reducer<'_, B::Point>,
    scratch: &mut B::Scratch,
    mut emit: impl FnMut(usize, u32, &B::Point),
) {
    let Reducer {
        mut levels,
        mut workspace,
    } = memory;
    let mut before = sums;
    for (problems, sums) in &mut levels {
        let shape = shape(problems);
        let level = Level {
            problems,
            location: before.location,
        };
        let (points, total) = (&*before.points, shape.buckets);
        let memory = &mut Workspace::lay_out(&mut workspace.again(), shape);
        sum_stream(backend, points, total, &level, memory, scratch, sums);
        let mut base = 0;
        for (window, problem) in problems.iter() {
            for bit in (0..problem.sums()).filter(|_| problem.is_leaf()) {
                if let Some(point) = sums.get(base + bit) {
                    emit(*window, problem.shift + bit as u32, point);
                }
            }
            base += problem.sums();
        }
        before = sums;
    }
}

#[cfg(test)]
mod tests {
    use ark_bn254::{Fr, G1Projective, g1::Config};
    use ark_ec::PrimeGroup;
    use ark_ff::{AdditiveGroup, Field};

    use super::super::arena::Arena;
    use super::super::tests::{multiples, on_backends, scalars};
    use super::*;

    /// Some buckets are empty, some are equal to others or their opposites.
    fn check<B: Backend<Config>>(backend: &B, windows: usize, buckets: usize) {
        let mut by = scalars::<Fr>(12, windows * buckets);
        for i in 0..by.len() {
            match i % 5 {
                1 => by[i] = by[i - 1],
                2 => by[i] = -by[i - 1],
                _ => {}
            }
        }
        let mut points: Vec<_> = multiples::<Config>(&by)
            .iter()
            .map(|point| backend.pack(point))
            .collect();
        let empty = |i: usize| i % 7 == 3;
        let mut location: Vec<u32> = (0..by.len())
            .map(|i| if empty(i) { NONE } else { i as u32 })
            .collect();
        let sums = Sums {
            points: &mut points,
            location: &mut location,
        };
        let size = Size::of(|c: &mut Carver<'_, B::Point>| {
            Reducer::lay_out(c, windows, buckets);
        });
        let mut arena = Arena::default();
        let memory = Reducer::lay_out(&mut arena.carve(size), windows, buckets);
        let mut totals = vec![G1Projective::default(); windows];
        let scratch = &mut B::Scratch::default();
        reduce(backend, &sums, memory, scratch, |window, shift, point| {
            let weight = Fr::from(2u64).pow([u64::from(shift)]);
            totals[window] += backend.unpack(point) * weight;
        });
        for (window, total) in totals.iter().enumerate() {
            let weighted = (0..buckets).map(|k| {
                let i = window * buckets + k;
                let multiple = if empty(i) { Fr::ZERO } else { by[i] };
                Fr::from(k as u64 + 1) * multiple
            });
            let expected = G1Projective::generator() * weighted.sum::<Fr>();
            assert_eq!(
                *total, expected,
                "window {window} of {windows}, {buckets} buckets"
            );
        }
    }

    #[test]
    fn weighted_sums_of_every_window() {
        for (windows, buckets) in [
            (1, 1),
            (2, 2),
            (3, 4),
            (1, 8),
            (2, 16),
            (5, 32),
            (3, 128),
            (1, 512),
        ] {
            on_backends!(backend => check(backend, windows, buckets));
        }
    }

    #[test]
    fn problems_have_the_sums_and_terms_they_say() {
        for len in 1..300 {
            let problem = Problem {
                start: 0,
                len,
                shift: 0,
            };
            let mut seen = vec![0; problem.sums()];
            (0..len).for_each(|offset| problem.visit(offset, |sum| seen[sum] += 1));
            assert_eq!(seen.iter().sum::<usize>(), problem.terms(), "{len} buckets");
            assert!(seen.iter().all(|&terms| terms > 0));
        }
    }
}
