//! Affine bucket reduction: `sum_k k B_k` for every window, in batches.
//!
//! With `m` a power of two and `k - 1 = i m + j`, rows `R_i = sum_j B_(im+j+1)` and columns
//! `C_j = sum_i B_(im+j+1)` give `sum_k k B_k = m sum_i i R_i + sum_j (j + 1) C_j`: two problems of
//! about the square root of the size, for two additions a bucket. Problems of at most [`LEAF`] end
//! in one sum for each bit of the weight. All windows go through a level together.

use super::accumulate::{Sums, Workspace, sum_stream};
use super::arena::{Carver, Size};
use super::backend::Backend;
use super::curve::MsmCurve;
use super::schedule::{Entry, NONE, Shape, Stream};

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

    /// Number of buckets, each counted as often as it is in a sum.
    fn terms(&self) -> usize {
        if self.is_leaf() {
            (1..=self.len)
                .map(|weight| weight.count_ones() as usize)
                .sum()
        } else {
            2 * self.len - (1 << self.columns())
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

/// The problems of a level, with the window each belongs to.
type Problems = Vec<(usize, Problem)>;

/// All problems of a level; `location` tells where the buckets are among `points`.
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
    /// Memory for windows of `buckets` buckets each.
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

/// Reduces windows, one after the other in `sums`. Calls `emit(window, shift, point)` with points
/// whose multiples by `2^shift` add up to the sum of the window.
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
        let mut workspace = Workspace::lay_out(&mut workspace.again(), shape);
        sum_stream(
            backend,
            before.points,
            shape.buckets,
            &level,
            &mut workspace,
            scratch,
            sums,
        );
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
