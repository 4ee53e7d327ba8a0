//! Summing a stream: sort it, sum its slots tile by tile, join the buckets that were split.

use super::backend::Backend;
use super::curve::MsmCurve;
use super::schedule::{Entry, NONE, Schedule, Stream};

/// Terms of a slot when the slots of split buckets are joined.
const JOIN_CAP: usize = 8;

/// Everything a worker keeps from one stream to the next.
pub struct Worker<C: MsmCurve, B: Backend<C>> {
    schedule: Schedule,
    scratch: B::Scratch,
    identity: Vec<bool>,
}

impl<C: MsmCurve, B: Backend<C>> Default for Worker<C, B> {
    fn default() -> Self {
        Self {
            schedule: Schedule::default(),
            scratch: B::Scratch::default(),
            identity: vec![],
        }
    }
}

/// Bucket sums: points, and which point belongs to each bucket, if any.
pub struct Sums<P> {
    /// The points that [`Sums::location`] refers to, among others.
    pub points: Vec<P>,
    /// Position of each bucket's sum, [`NONE`] where the sum is the identity.
    pub location: Vec<u32>,
}

impl<P> Default for Sums<P> {
    fn default() -> Self {
        Self {
            points: vec![],
            location: vec![],
        }
    }
}

impl<P> Sums<P> {
    /// The sum of a bucket, unless it is the identity.
    pub fn get(&self, bucket: usize) -> Option<&P> {
        self.points.get(self.location[bucket] as usize)
    }
}

/// The slots of split buckets, as terms of one bucket a split.
struct Joins<'a> {
    schedule: &'a Schedule,
    identity: &'a [bool],
}

impl Stream for Joins<'_> {
    fn for_each(&self, mut visit: impl FnMut(u32, Entry)) {
        for (i, split) in self.schedule.splits().iter().enumerate() {
            for slot in split.slots().filter(|&slot| !self.identity[slot as usize]) {
                visit(i as u32, slot << 1);
            }
        }
    }
}

/// Sums the terms of every bucket of a stream, in slots of at most `cap` terms; the buckets are
/// appended to `out`.
pub fn sum_stream<C: MsmCurve, B: Backend<C>>(
    backend: &B,
    points: &[B::Point],
    buckets: usize,
    cap: usize,
    stream: &impl Stream,
    worker: &mut Worker<C, B>,
    out: &mut Sums<B::Point>,
) {
    let Worker {
        schedule,
        scratch,
        identity,
        ..
    } = worker;
    schedule.build(buckets, cap, stream);
    let base = out.points.len();
    out.points.reserve(schedule.slots());
    identity.clear();
    for tile in 0..schedule.tiles() {
        let (entries, rows) = (schedule.entries(), schedule.tile(tile));
        backend.sum_tile(points, entries, rows, scratch, &mut out.points, identity);
    }
    let first = out.location.len();
    let located = schedule.slot_of().iter().map(|&slot| {
        let summed = identity.get(slot as usize) == Some(&false);
        if summed { base as u32 + slot } else { NONE }
    });
    out.location.extend(located);

    let splits = schedule.splits();
    if splits.is_empty() {
        return;
    }
    let joins = Joins { schedule, identity };
    let mut joined = Sums::default();
    sum_stream(
        backend,
        &out.points[base..],
        splits.len(),
        JOIN_CAP,
        &joins,
        &mut Worker::default(),
        &mut joined,
    );
    let base = out.points.len() as u32;
    for (split, at) in splits.iter().zip(joined.location) {
        out.location[first + split.bucket as usize] = if at == NONE { NONE } else { base + at };
    }
    out.points.extend(joined.points);
}
