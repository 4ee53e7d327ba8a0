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
use super::recode::{Digits, Word, bucket_count, window_count};
use super::reduce::{Reducer, reduce};
use super::schedule::{Entry, Shape, Stream};
use super::trace::{Stages, timed};

/// Number of buckets that a group of windows should have, so that batches of additions are long
/// enough to share an inversion.
const GROUP_BUCKETS: usize = 4096;

/// One sum to compute: scalars, and the point of each.
pub struct Job {
    /// The scalars. They are freed once they are recoded.
    pub scalars: Vec<Word>,
    /// Whether the scalars are in two's complement.
    pub signed: bool,
    /// Length in bits of the longest scalar.
    pub bits: u32,
    /// The position of the point of each scalar.
    pub points: Vec<u32>,
}

/// A unit of work, which one worker takes at a time: some windows of some of the terms of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Group {
    job: usize,
    windows: Range<u32>,
    terms: Range<usize>,
}

/// The digits of a group as a stream of buckets and points.
struct GroupStream<'a> {
    digits: &'a [u32],
    points: &'a [u32],
    buckets: usize,
}

impl Stream for GroupStream<'_> {
    fn for_each(&self, mut visit: impl FnMut(u32, Entry)) {
        let mut base = 0;
        for digits in self.digits.chunks(self.points.len().max(1)) {
            for (&point, &digit) in self.points.iter().zip(digits) {
                if digit > 1 {
                    visit(base + (digit >> 1) - 1, point << 1 | (digit & 1));
                }
            }
            base += self.buckets as u32;
        }
    }
}

/// Cuts a job into groups: the same number for each worker, if there are enough windows.
fn groups(job: usize, terms: usize, windows: u32, window: u32, threads: usize) -> Vec<Group> {
    let wanted = GROUP_BUCKETS.div_ceil(bucket_count(window));
    let least = (windows as usize).div_ceil(wanted);
    let count = (least.next_multiple_of(threads) as u32).clamp(1, windows.max(1));
    // If there are more workers than windows, each window is cut into slices of the terms.
    let slices = (threads / count as usize).max(1);
    let mut groups = Vec::new();
    // Larger groups come first.
    for i in (0..count).rev() {
        for slice in 0..slices {
            groups.push(Group {
                job,
                windows: windows * i / count..windows * (i + 1) / count,
                terms: terms * slice / slices..terms * (slice + 1) / slices,
            });
        }
    }
    groups
}

impl Group {
    /// The shape of the group's stream of digits. A slot holds up to about twice what an average
    /// bucket holds.
    fn shape(&self, buckets: usize) -> Shape {
        let (terms, windows) = (self.terms.len(), self.windows.len());
        Shape::new(terms * windows, buckets * windows, 2 * terms / buckets + 8)
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
        let before = Size::of(|c: &mut Carver<'_, P>| {
            Filling::lay_out(c, group, buckets);
        });
        let after = Size::of(|c: &mut Carver<'_, P>| {
            Reducer::lay_out(c, group.windows.len(), buckets);
        });
        Self {
            sums: Sums::lay_out(carver, group.shape(buckets)),
            shared: carver.part(before.max(after)),
        }
    }
}

/// The memory that summing the buckets of a group needs besides the sums.
struct Filling<'a> {
    digits: &'a mut [u32],
    workspace: Workspace<'a>,
}

impl<'a> Filling<'a> {
    fn lay_out<P>(carver: &mut Carver<'a, P>, group: &Group, buckets: usize) -> Self {
        Self {
            digits: carver.words(group.windows.len() * group.terms.len()),
            workspace: Workspace::lay_out(carver, group.shape(buckets)),
        }
    }
}

/// The memory of all jobs: digits, which all workers read, and each worker's own memory.
struct Memory<'a, P> {
    digits: Vec<Digits<'a>>,
    workers: Vec<Carver<'a, P>>,
}

impl<'a, P> Memory<'a, P> {
    fn lay_out(
        carver: &mut Carver<'a, P>,
        jobs: &[Job],
        groups: &[Group],
        window: u32,
        workers: usize,
    ) -> Self {
        let buckets = bucket_count(window);
        let digits = |job: &Job| Digits::lay_out(carver, job.points.len(), job.bits, window);
        let digits = jobs.iter().map(digits).collect();
        // The groups of a job differ in size by at most one term or window, so there are few sizes,
        // and each is laid out only once.
        let mut sizes: Vec<&Group> = groups.iter().collect();
        sizes.sort_by_key(|group| (group.windows.len(), group.terms.len()));
        sizes.dedup_by_key(|group| (group.windows.len(), group.terms.len()));
        let size = sizes
            .into_iter()
            .map(|group| {
                Size::of(|c: &mut Carver<'_, P>| {
                    GroupMemory::lay_out(c, group, buckets);
                })
            })
            .fold(Size::default(), Size::max);
        Self {
            digits,
            workers: (0..workers).map(|_| carver.part(size)).collect(),
        }
    }
}

/// Returns `sum_i k_i P_i` for every job. All jobs are recoded in windows of `window` bits.
pub fn sum_jobs<C: MsmCurve, B: Backend<C>>(
    backend: &B,
    points: &[B::Point],
    jobs: &mut [Job],
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
            groups(i, job.points.len(), windows, window, threads)
        })
        .collect();
    let workers = threads.clamp(1, groups.len().max(1));
    let size = Size::of(|c: &mut Carver<'_, B::Point>| {
        Memory::lay_out(c, jobs, &groups, window, workers);
    });
    let mut carver = arena.carve(size);
    let mut memory = Memory::lay_out(&mut carver, jobs, &groups, window, workers);
    timed(&mut stages.recode, || {
        for (job, digits) in jobs.iter_mut().zip(&mut memory.digits) {
            digits.recode(&job.scalars, job.signed, threads);
            job.scalars = vec![];
        }
    });
    let (jobs, digits) = (&*jobs, &memory.digits);
    let next = AtomicUsize::new(0);
    let found = Mutex::new((vec![vec![]; jobs.len()], Stages::default()));
    let work = |mut memory: Carver<'_, B::Point>| {
        let mut own = Stages::default();
        let mut scratch = B::Scratch::default();
        let mut terms = vec![];
        while let Some(group) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
            let GroupMemory {
                mut sums,
                mut shared,
            } = GroupMemory::lay_out(&mut memory.again(), group, buckets);
            timed(&mut own.accumulate, || {
                let mut filling = Filling::lay_out(&mut shared.again(), group, buckets);
                let rows = filling.digits.chunks_mut(group.terms.len().max(1));
                for (window, row) in group.windows.clone().zip(rows) {
                    digits[group.job].extract(window, group.terms.clone(), row);
                }
                let stream = GroupStream {
                    digits: filling.digits,
                    points: &jobs[group.job].points[group.terms.clone()],
                    buckets,
                };
                let count = buckets * group.windows.len();
                let workspace = &mut filling.workspace;
                sum_stream(
                    backend,
                    points,
                    count,
                    &stream,
                    workspace,
                    &mut scratch,
                    &mut sums,
                );
            });
            timed(&mut own.reduce, || {
                let mut memory = shared.again();
                let memory = Reducer::lay_out(&mut memory, group.windows.len(), buckets);
                reduce(
                    backend,
                    &sums,
                    memory,
                    &mut scratch,
                    |index, shift, point| {
                        let window_index = group.windows.start + index as u32;
                        terms.push((
                            group.job,
                            window_index * window + shift,
                            backend.unpack(point),
                        ));
                    },
                );
            });
        }
        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
        for (job, shift, point) in terms {
            found.0[job].push((shift, point));
        }
        found.1.accumulate += own.accumulate;
        found.1.reduce += own.reduce;
    };
    if let [_] = &memory.workers[..] {
        memory.workers.into_iter().for_each(work);
    } else {
        let work = &work;
        rayon::scope(|scope| {
            for memory in memory.workers {
                scope.spawn(move |_| work(memory));
            }
        });
    }
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
        for terms in [0, 1, 5, 1000] {
            for windows in [1, 2, 7, 20, 37] {
                for threads in [1, 2, 3, 16, 100] {
                    let mut seen = vec![vec![0; terms]; windows as usize];
                    for group in groups(3, terms, windows, 13, threads) {
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
