//! The stages in order, over workers that share out groups of windows.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use ark_ec::short_weierstrass::Projective;

use super::accumulate::{Sums, Worker, sum_stream};
use super::backend::Backend;
use super::combine::combine;
use super::curve::MsmCurve;
use super::recode::{Digits, bucket_count};
use super::reduce::reduce;
use super::schedule::{Entry, Stream};
use super::trace::{Stages, timed};

/// Buckets that a group of windows should have, for rows long enough to share an inversion.
const GROUP_BUCKETS: usize = 4096;

/// One sum: recoded scalars, and the point of each.
pub struct Job {
    /// The digits.
    pub digits: Digits,
    /// Positions of the points.
    pub points: Vec<u32>,
}

/// Windows of a slice of the terms of a job, which one worker takes at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Group {
    job: usize,
    windows: Range<u32>,
    terms: Range<usize>,
}

/// Digits of a group, as a stream of buckets and points.
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

/// Cuts the work so that every worker gets several groups, where there are enough windows.
fn groups(job: usize, terms: usize, windows: u32, window: u32, threads: usize) -> Vec<Group> {
    let threads = threads as u32;
    let wanted = GROUP_BUCKETS.div_ceil(bucket_count(window)) as u32;
    let width = wanted.min(windows.div_ceil(threads)).max(1);
    // More workers than windows: each window is cut into slices of the points.
    let slices = (threads / windows.max(1)).max(1) as usize;
    let mut groups = Vec::new();
    let mut first = 0;
    while first < windows {
        let last = (first + width).min(windows);
        for slice in 0..slices {
            groups.push(Group {
                job,
                windows: first..last,
                terms: terms * slice / slices..terms * (slice + 1) / slices,
            });
        }
        first = last;
    }
    groups
}

/// Terms of a slot: about twice what an average bucket holds.
fn cap(terms: usize, buckets: usize) -> usize {
    (2 * terms / buckets + 8).min(super::schedule::MAX_CAP)
}

/// `sum_i d_i P_i` of every job, all recoded in windows of `window` bits.
pub fn sum_jobs<C: MsmCurve, B: Backend<C>>(
    backend: &B,
    points: &[B::Point],
    jobs: &[Job],
    window: u32,
    threads: usize,
    stages: &mut Stages,
) -> Vec<Projective<C>> {
    let buckets = bucket_count(window);
    let groups: Vec<Group> = jobs
        .iter()
        .enumerate()
        .flat_map(|(i, job)| groups(i, job.digits.len(), job.digits.windows(), window, threads))
        .collect();
    let next = AtomicUsize::new(0);
    let found = Mutex::new((vec![vec![]; jobs.len()], Stages::default()));
    let work = || {
        let mut own = Stages::default();
        let mut worker = Worker::<C, B>::default();
        let mut sums = Sums::default();
        let mut owners = vec![];
        let mut row = vec![];
        while let Some(group) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
            timed(&mut own.accumulate, || {
                let job = &jobs[group.job];
                row.clear();
                for window in group.windows.clone() {
                    job.digits.extract(window, group.terms.clone(), &mut row);
                    owners.push((group.job, window));
                }
                let stream = GroupStream {
                    digits: &row,
                    points: &job.points[group.terms.clone()],
                    buckets,
                };
                let count = buckets * group.windows.len();
                let cap = cap(group.terms.len(), buckets);
                sum_stream(backend, points, count, cap, &stream, &mut worker, &mut sums);
            });
        }
        let mut terms = vec![];
        timed(&mut own.reduce, || {
            let count = owners.len();
            reduce(
                backend,
                sums,
                count,
                buckets,
                &mut worker,
                |owner, shift, point| {
                    let (job, index) = owners[owner];
                    terms.push((job, index * window + shift, backend.unpack(point)));
                },
            );
        });
        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
        for (job, shift, point) in terms {
            found.0[job].push((shift, point));
        }
        found.1.accumulate += own.accumulate;
        found.1.reduce += own.reduce;
    };
    let workers = threads.min(groups.len());
    if workers <= 1 {
        work();
    } else {
        rayon::scope(|scope| (0..workers).for_each(|_| scope.spawn(|_| work())));
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
