//! Bucket sums of a stream: sorts it, sums its slots tile by tile, and joins the buckets that were
//! split over several slots.

use super::arena::Carver;
use super::backend::Backend;
use super::curve::MsmCurve;
use super::schedule::{NONE, Schedule, Shape, Stream, TILE};

/// Most terms per slot when the slots of split buckets are joined.
const JOIN_CAP: usize = 8;

/// The shape of the stream that joins the slots of split buckets, if buckets can be split at all.
fn joins(shape: Shape) -> Option<Shape> {
    let splits = shape.splits();
    (splits > 0).then(|| Shape::new(shape.split_slots(), splits, JOIN_CAP))
}

/// Bucket sums: points, and for each bucket the position of its sum among them, if it has one.
#[derive(Debug)]
pub struct Sums<'a, P> {
    /// The points that [`Sums::location`] refers to; others may lie between them.
    pub points: &'a mut [P],
    /// Position of each bucket's sum, [`NONE`] where the sum is the identity.
    pub location: &'a mut [u32],
}

impl<'a, P> Sums<'a, P> {
    /// Takes memory for the sums of any stream of a shape.
    pub fn lay_out(carver: &mut Carver<'a, P>, shape: Shape) -> Self {
        let levels = std::iter::successors(Some(shape), |&shape| joins(shape));
        Self {
            points: carver.points(levels.map(|shape| shape.slots()).sum()),
            location: carver.words(shape.buckets),
        }
    }

    /// The sum of a bucket, or nothing if it is the identity.
    pub fn get(&self, bucket: usize) -> Option<&P> {
        self.points.get(self.location[bucket] as usize)
    }
}

/// The memory that is needed only while a stream is being summed.
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
    /// Takes memory for any stream of a shape.
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

/// The slots of split buckets as a stream in which each split bucket is one bucket.
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

/// Sums the terms of every bucket of a stream. Workspace and sums must have been laid out for the
/// stream's shape, or for a larger one with the same cap.
pub fn sum_stream<C: MsmCurve, B: Backend<C>>(
    backend: &B,
    points: &[B::Point],
    buckets: usize,
    stream: &impl Stream,
    workspace: &mut Workspace<'_>,
    scratch: &mut B::Scratch,
    out: &mut Sums<'_, B::Point>,
) {
    workspace.schedule.build(buckets, stream);
    sum_slots(backend, points, workspace, scratch, out);
}

/// Sums the slots of the schedule, tile by tile, and joins those of split buckets. It is compiled
/// once for all streams.
fn sum_slots<C: MsmCurve, B: Backend<C>>(
    backend: &B,
    points: &[B::Point],
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
    joins.schedule.build(count, &Joins { schedule, identity });
    let mut sums_of_joins = Sums {
        points: room,
        location: joined,
    };
    sum_slots(backend, sums, joins, scratch, &mut sums_of_joins);
    for (split, &at) in schedule.splits().zip(joined.iter()) {
        out.location[split.bucket as usize] = if at == NONE { NONE } else { slots as u32 + at };
    }
}

#[cfg(test)]
mod tests {
    use ark_bn254::{Fr, g1::Config};
    use ark_ec::{CurveGroup, PrimeGroup};
    use ark_ff::AdditiveGroup;

    use super::super::arena::{Arena, Size};
    use super::super::tests::{multiples, on_backends, scalars};
    use super::*;
    use crate::test_utils::on_words;

    struct Pairs(Vec<(u32, u32)>);

    impl Stream for Pairs {
        fn for_each(&self, mut visit: impl FnMut(u32, u32)) {
            self.0
                .iter()
                .for_each(|&(bucket, entry)| visit(bucket, entry));
        }
    }

    fn check_with<B: Backend<Config>>(
        backend: &B,
        by: &[Fr],
        buckets: usize,
        cap: usize,
        pairs: &Pairs,
    ) {
        let points: Vec<_> = multiples::<Config>(by)
            .iter()
            .map(|point| backend.pack(point))
            .collect();
        let shape = Shape::new(pairs.0.len(), buckets, cap);
        let lay_out = |c: &mut Carver<'_, B::Point>| {
            Sums::lay_out(c, shape);
            Workspace::lay_out(c, shape);
        };
        let mut arena = Arena::default();
        let mut carver = arena.carve(Size::of(lay_out));
        let mut sums = Sums::lay_out(&mut carver, shape);
        let mut workspace = Workspace::lay_out(&mut carver, shape);
        let mut scratch = B::Scratch::default();
        // Twice in the same memory: the second sum must not depend on what the first one left
        // there.
        for _ in 0..2 {
            let (memory, scratch) = (&mut workspace, &mut scratch);
            sum_stream(backend, &points, buckets, pairs, memory, scratch, &mut sums);
            let mut expected = vec![Fr::ZERO; buckets];
            for &(bucket, entry) in &pairs.0 {
                let multiple = by[(entry >> 1) as usize];
                let sum = &mut expected[bucket as usize];
                *sum += if entry & 1 == 1 { -multiple } else { multiple };
            }
            for (bucket, expected) in expected.iter().enumerate() {
                let point = sums.get(bucket).map(|point| backend.unpack(point));
                let expected = ark_bn254::G1Projective::generator() * expected;
                assert_eq!(
                    point.unwrap_or_default(),
                    expected.into_affine(),
                    "{bucket}"
                );
            }
        }
    }

    fn check(by: &[Fr], buckets: usize, cap: usize, pairs: Vec<(u32, u32)>) {
        let pairs = Pairs(pairs);
        on_backends!(backend => check_with(backend, by, buckets, cap, &pairs));
    }

    #[test]
    fn one_point_and_its_opposite() {
        let by = [Fr::from(3u64)];
        for count in [0, 1, 2, 3, 64, 65, 1000] {
            for cap in [1, 2, 7, 100] {
                check(&by, 2, cap, vec![(1, 0); count]);
                check(&by, 1, cap, (0..count as u32).map(|i| (0, i & 1)).collect());
            }
        }
    }

    #[test]
    fn slots_beyond_a_tile() {
        let by = scalars::<Fr>(11, 50);
        let count = TILE as u32 + 77;
        check(
            &by,
            count as usize,
            3,
            (0..2 * count).map(|i| (i % count, i % 100)).collect(),
        );
    }

    #[test]
    fn buckets_of_any_size() {
        on_words(24, 5 + 600, &|words| {
            let (head, keys) = words.split_at(5);
            let (buckets, cap) = (1 + (head[0] % 59) as u32, 1 + (head[1] % 19) as usize);
            let (skew, count) = (1 + (head[2] % 4) as u32, (head[3] % 600) as usize);
            let mut by = scalars::<Fr>(head[4], 20);
            // Some points are repeated or are the opposites of others.
            by.extend([by[0], -by[1], by[2] + by[3]]);
            let pairs = keys[..count].iter().map(|&word| {
                let (key, point) = (word as u32, (word >> 32) as u8);
                let entry = u32::from(point) % (2 * by.len() as u32);
                ((key % buckets) / skew.pow(key % 3), entry)
            });
            check(&by, buckets as usize, cap, pairs.collect());
        });
    }
}
