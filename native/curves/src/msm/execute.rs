//! Runs the stages in order. Workers share the windows among them, in groups.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use ark_ec::short_weierstrass::Projective;

use super::accumulate::{Sums, Workspace, sum_stream};
use super::arena::{Arena, Carver, Size};
use super::backend::Backend;
use super::combine::combine;
use super::curve::MsmCurve;
use super::endomorphism::Endomorphism;
use super::halves::{Joining, join_halves};
use super::parallel::on_workers;
use super::planes::Planes;
use super::recode::{Digits, bucket_count, window_count};
use super::reduce::{Reducer, reduce};
use super::schedule::{Entry, Shape, Stream};
use super::trace::{Stages, timed};
use super::window::shares;

/// Number of buckets that a group of windows should have, so that batches of additions are long
/// enough to share an inversion.
const GROUP_BUCKETS: usize = 4096;

/// Number of terms whose digits are extracted at a time.
const BLOCK: usize = 512;

/// One sum to compute: scalars, and the point of each.
pub struct Job<F> {
    /// The scalars. They are freed once they are recoded.
    pub scalars: Planes,
    /// By what the scalars are split into halves, if they are.
    pub split: Option<Endomorphism<F>>,
    /// Length in bits of the longest scalar or half.
    pub bits: u32,
    /// The position of the point of each scalar.
    pub points: Vec<u32>,
}

impl<F> Job<F> {
    /// Number of scalars or halves.
    pub fn halves(&self) -> usize {
        self.shape().iter().product()
    }

    /// Numbers of terms and of halves of each.
    fn shape(&self) -> [usize; 2] {
        [self.points.len(), if self.split.is_some() { 2 } else { 1 }]
    }
}

/// A unit of work, which one worker takes at a time: some windows of some of the terms of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Group {
    job: usize,
    windows: Range<u32>,
    terms: Range<usize>,
    halves: usize,
}

/// The digits of a group as a stream of buckets and points: for each window, the buckets of the
/// first halves and then those of the second halves.
struct GroupStream<'a> {
    group: &'a Group,
    digits: &'a Digits<'a>,
    /// The points of the group's terms.
    points: &'a [u32],
    buckets: usize,
}

impl Stream for GroupStream<'_> {
    fn for_each(&self, mut visit: impl FnMut(u32, Entry)) {
        let Group {
            windows,
            terms,
            halves,
            ..
        } = self.group;
        let mut digits = [0; BLOCK];
        let mut base = 0;
        for window in windows.clone() {
            for half in 0..*halves {
                for (i, points) in self.points.chunks(BLOCK).enumerate() {
                    let start = terms.start + i * BLOCK;
                    let range = start..start + points.len();
                    self.digits.extract(window, half, range, &mut digits);
                    for (&point, &digit) in points.iter().zip(&digits) {
                        if digit > 1 {
                            visit(base + (digit >> 1) - 1, point << 1 | (digit & 1));
                        }
                    }
                }
                base += self.buckets as u32;
            }
        }
    }
}

/// Cuts a job of this shape into groups, of which workers get equal shares. `alone` says whether
/// there is no other job.
fn groups(
    job: usize,
    [terms, halves]: [usize; 2],
    windows: u32,
    window: u32,
    threads: usize,
    alone: bool,
) -> Vec<Group> {
    let (whole, slices) = shares(windows as usize, threads, alone);
    let wanted = GROUP_BUCKETS.div_ceil(bucket_count(window));
    let count = whole.div_ceil(wanted).next_multiple_of(threads).min(whole);
    let mut groups = Vec::new();
    // Larger groups come first.
    for i in (0..count).rev() {
        groups.push(Group {
            job,
            windows: (whole * i / count) as u32..(whole * (i + 1) / count) as u32,
            terms: 0..terms,
            halves,
        });
    }
    for window in whole as u32..windows {
        for slice in 0..slices {
            groups.push(Group {
                job,
                windows: window..window + 1,
                terms: terms * slice / slices..terms * (slice + 1) / slices,
                halves,
            });
        }
    }
    groups
}

impl Group {
    /// The shape of the group's stream of digits. A slot holds up to about twice what an average
    /// bucket holds.
    fn shape(&self, buckets: usize) -> Shape {
        let (terms, sets) = (self.terms.len(), self.windows.len() * self.halves);
        Shape::new(terms * sets, buckets * sets, 2 * terms / buckets + 8)
    }
}

/// A worker's memory for one group: the sums of the buckets, and memory that is used first for
/// computing these sums and then for reducing them.
struct GroupMemory<'a, P> {
    sums: Sums<'a, P>,
    shared: Carver<'a, P>,
}

impl<'a, P> GroupMemory<'a, P> {
    fn lay_out(carver: &mut Carver<'a, P>, group: &Group, buckets: usize) -> Self {
        let steps = [
            Size::of::<P, _>(|c| drop(Workspace::lay_out(c, group.shape(buckets)))),
            Size::of::<P, _>(|c| {
                Joining::lay_out(c);
            }),
            Size::of::<P, _>(|c| drop(Reducer::lay_out(c, group.windows.len(), buckets))),
        ];
        Self {
            sums: Sums::lay_out(carver, group.shape(buckets)),
            shared: carver.part(steps.into_iter().fold(Size::default(), Size::max)),
        }
    }

    /// The memory that is enough for any of these groups.
    fn size(groups: &[Group], buckets: usize) -> Size {
        let key = |group: &&Group| (group.windows.len(), group.terms.len(), group.halves);
        // The groups of a job differ in size by at most one term or window, so there are few sizes,
        // and each is laid out only once.
        let mut sizes: Vec<&Group> = groups.iter().collect();
        sizes.sort_by_key(key);
        sizes.dedup_by_key(|group| key(&&**group));
        sizes
            .into_iter()
            .map(|group| {
                Size::of::<P, _>(|c| {
                    GroupMemory::lay_out(c, group, buckets);
                })
            })
            .fold(Size::default(), Size::max)
    }
}

/// Takes memory for the digits of all jobs, which all workers read.
fn lay_out_digits<'a, P, F>(
    carver: &mut Carver<'a, P>,
    jobs: &[Job<F>],
    window: u32,
) -> Vec<Digits<'a>> {
    jobs.iter()
        .map(|job| Digits::lay_out(carver, job.shape(), job.bits, window))
        .collect()
}

/// Returns `sum_i k_i P_i` for every job. All jobs are recoded in windows of `window` bits.
pub fn sum_jobs<C: MsmCurve, B: Backend<C>>(
    backend: &B,
    points: &[B::Point],
    jobs: &mut [Job<C::BaseField>],
    window: u32,
    threads: usize,
    arena: &mut Arena<B::Point>,
    stages: &mut Stages,
) -> Vec<Projective<C>> {
    let buckets = bucket_count(window);
    let groups: Vec<Group> = jobs
        .iter()
        .enumerate()
        .flat_map(|(i, job)| {
            let windows = window_count(job.bits, window);
            groups(i, job.shape(), windows, window, threads, jobs.len() == 1)
        })
        .collect();
    let size = Size::of::<B::Point, _>(|c| drop(lay_out_digits(c, jobs, window)));
    let mut digits = lay_out_digits(&mut arena.carve(size), jobs, window);
    for (job, digits) in jobs.iter_mut().zip(&mut digits) {
        let scalars = std::mem::take(&mut job.scalars);
        match &job.split {
            None => timed(&mut stages.recode, || {
                digits.recode(false, threads, |start| [scalars.block(start)]);
            }),
            Some(endomorphism) => timed(&mut stages.split, || {
                digits.recode(true, threads, |start| {
                    backend.split(endomorphism, &scalars.block(start))
                });
            }),
        }
    }
    let (jobs, digits) = (&*jobs, &digits);
    let memory = GroupMemory::<B::Point>::size(&groups, buckets);
    let next = AtomicUsize::new(0);
    let found = Mutex::new((vec![vec![]; jobs.len()], Stages::default()));
    let work = || {
        let mut own = Stages::default();
        let mut scratch = B::Scratch::default();
        let mut terms = vec![];
        // Each worker allocates its own memory, since the pages are then cleared by all at once.
        let mut arena = Arena::default();
        let mut memory = arena.carve(memory);
        while let Some(group) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
            let job = &jobs[group.job];
            let GroupMemory {
                mut sums,
                mut shared,
            } = GroupMemory::lay_out(&mut memory.again(), group, buckets);
            timed(&mut own.accumulate, || {
                let shape = group.shape(buckets);
                let stream = GroupStream {
                    group,
                    digits: &digits[group.job],
                    points: &job.points[group.terms.clone()],
                    buckets,
                };
                let (total, scratch, sums) = (shape.buckets, &mut scratch, &mut sums);
                let memory = &mut Workspace::lay_out(&mut shared.again(), shape);
                sum_stream(backend, points, total, &stream, memory, scratch, sums);
                if let Some(Endomorphism { beta, .. }) = &job.split {
                    let shape = [group.windows.len(), buckets];
                    let memory = Joining::lay_out(&mut shared.again());
                    join_halves(backend, beta, shape, sums, memory, scratch);
                }
            });
            timed(&mut own.reduce, || {
                let mut memory = shared.again();
                let memory = Reducer::lay_out(&mut memory, group.windows.len(), buckets);
                let scratch = &mut scratch;
                reduce(backend, &sums, memory, scratch, |index, shift, point| {
                    let shift = (group.windows.start + index as u32) * window + shift;
                    terms.push((group.job, shift, backend.unpack(point)));
                });
            });
        }
        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
        for (job, shift, point) in terms {
            found.0[job].push((shift, point));
        }
        found.1.accumulate += own.accumulate;
        found.1.reduce += own.reduce;
    };
    on_workers(threads.min(groups.len()), &work);
    let (found, own) = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    stages.accumulate += own.accumulate;
    stages.reduce += own.reduce;
    timed(&mut stages.combine, || {
        found.into_iter().map(combine).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_cover_every_window_and_term_once() {
        for terms in [0, 1, 2, 5, 1000] {
            for windows in [1, 2, 7, 20, 37] {
                for threads in [1, 2, 3, 16, 100] {
                    for alone in [true, false] {
                        let mut seen = vec![vec![0; terms]; windows as usize];
                        for group in groups(3, [terms, 2], windows, 13, threads, alone) {
                            for window in group.windows {
                                seen[window as usize][group.terms.clone()]
                                    .iter_mut()
                                    .for_each(|count| *count += 1);
                            }
                        }
                        assert!(seen.iter().flatten().all(|&count| count == 1));
                    }
                }
            }
        }
    }
}
