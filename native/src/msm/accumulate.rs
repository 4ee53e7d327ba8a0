//! Summing a stream: sort it, sum its slots tile by tile, join the buckets that were split.

use super::arena::Carver;
use super::backend::Backend;
use super::curve::MsmCurve;
use super::schedule::{NONE, Schedule, Shape, Stream, TILE};

/// Terms of a slot when the slots of split buckets are joined.
const JOIN_CAP: usize = 8;

/// How the slots of split buckets are joined, if there can be any.
fn joins(shape: Shape) -> Option<Shape> {
    let splits = shape.splits();
    (splits > 0).then(|| Shape::new(shape.split_slots(), splits, JOIN_CAP))
}

/// Bucket sums: points, and which point belongs to each bucket, if any.
#[derive(Debug)]
pub struct Sums<'a, P> {
    /// The points that [`Sums::location`] refers to, among others.
    pub points: &'a mut [P],
    /// Position of each bucket's sum, [`NONE`] where the sum is the identity.
    pub location: &'a mut [u32],
}

impl<'a, P> Sums<'a, P> {
    /// Memory for the sums of any stream of a shape.
    pub fn lay_out(carver: &mut Carver<'a, P>, shape: Shape) -> Self {
        let levels = std::iter::successors(Some(shape), |&shape| joins(shape));
        Self {
            points: carver.points(levels.map(|shape| shape.slots()).sum()),
            location: carver.words(shape.buckets),
        }
    }

    /// The sum of a bucket, unless it is the identity.
    pub fn get(&self, bucket: usize) -> Option<&P> {
        self.points.get(self.location[bucket] as usize)
    }
}

/// What summing a stream needs until its sums are there.
#[derive(Debug)]
pub struct Workspace<'a> {
    schedule: Schedule<'a>,
    /// 1 for each slot whose sum is the identity.
    identity: &'a mut [u32],
    joins: Option<Box<Workspace<'a>>>,
    /// Positions of the joined buckets.
    joined: &'a mut [u32],
}

impl<'a> Workspace<'a> {
    /// Memory for any stream of a shape.
    pub fn lay_out<P>(carver: &mut Carver<'a, P>, shape: Shape) -> Self {
        let next = joins(shape);
        Self {
            schedule: Schedule::lay_out(carver, shape),
            identity: carver.words(shape.slots()),
            joined: carver.words(next.map_or(0, |next| next.buckets)),
            joins: next.map(|next| Box::new(Self::lay_out(carver, next))),
        }
    }
}

/// The slots of split buckets, as terms of one bucket a split.
struct Joins<'a> {
    schedule: &'a Schedule<'a>,
    identity: &'a [u32],
}

impl Stream for Joins<'_> {
    fn for_each(&self, mut visit: impl FnMut(u32, u32)) {
        for (i, split) in self.schedule.splits().enumerate() {
            for slot in split
                .slots()
                .filter(|&slot| self.identity[slot as usize] == 0)
            {
                visit(i as u32, slot << 1);
            }
        }
    }
}

/// Sums the terms of every bucket of a stream. Workspace and sums must be of its shape, or of a larger
/// one with the same cap.
pub fn sum_stream<C: MsmCurve, B: Backend<C>>(
    backend: &B,
    points: &[B::Point],
    buckets: usize,
    stream: &impl Stream,
    workspace: &mut Workspace<'_>,
    scratch: &mut B::Scratch,
    out: &mut Sums<'_, B::Point>,
) {
    let Workspace {
        schedule,
        identity,
        joins,
        joined,
    } = workspace;
    schedule.build(buckets, stream);
    let slots = schedule.slots();
    let (sums, room) = out.points.split_at_mut(slots);
    let identity = &mut identity[..slots];
    for (tile, (sums, identity)) in sums
        .chunks_mut(TILE)
        .zip(identity.chunks_mut(TILE))
        .enumerate()
    {
        let (entries, rows) = (schedule.entries(), schedule.tile(tile));
        backend.sum_tile(points, entries, rows, scratch, sums, identity);
    }
    for (at, &slot) in out.location.iter_mut().zip(schedule.slot_of()) {
        let summed = identity.get(slot as usize) == Some(&0);
        *at = if summed { slot } else { NONE };
    }
    let (Some(joins), count @ 1..) = (joins, schedule.splits().len()) else {
        return;
    };
    let stream = Joins { schedule, identity };
    let mut sums_of_joins = Sums {
        points: room,
        location: joined,
    };
    sum_stream(
        backend,
        sums,
        count,
        &stream,
        joins,
        scratch,
        &mut sums_of_joins,
    );
    for (split, &at) in schedule.splits().zip(joined.iter()) {
        out.location[split.bucket as usize] = if at == NONE { NONE } else { slots as u32 + at };
    }
}
