//! Joining of the bucket sums of both halves of split scalars.
//!
//! The endomorphism maps sums to sums: `sum_i (k_i P_i + l_i phi(P_i)) = sum_i k_i P_i +
//! phi(sum_i l_i P_i)`. So the second halves, too, are summed over the points themselves, and their
//! bucket sums are mapped. No image of a point is ever stored, and as joining a bucket's two sums
//! takes one addition, the number of additions stays the same.

use super::accumulate::Sums;
use super::arena::Carver;
use super::backend::Backend;
use super::curve::MsmCurve;
use super::schedule::{Entry, NONE, TILE};

/// The memory that is needed only while halves are being joined.
pub struct Joining<'a, P> {
    points: &'a mut [P],
    /// The first sums of a tile, then the second ones.
    entries: &'a mut [Entry],
    /// The bucket of each addition; before that, the position of each point that is mapped.
    places: &'a mut [u32],
    identity: &'a mut [u32],
}

impl<'a, P> Joining<'a, P> {
    /// Takes memory for any number of buckets.
    pub fn lay_out(carver: &mut Carver<'a, P>) -> Self {
        Self {
            points: carver.points(TILE),
            entries: carver.words(2 * TILE),
            places: carver.words(TILE),
            identity: carver.words(TILE),
        }
    }
}

/// Maps second sums by the endomorphism, which multiplies abscissas by `beta`, and adds them to
/// first sums. There are `buckets` first sums of each window, followed by its `buckets` second
/// sums; joined sums follow one another without gaps.
pub fn join_halves<C: MsmCurve, B: Backend<C>>(
    backend: &B,
    beta: &C::BaseField,
    [windows, buckets]: [usize; 2],
    sums: &mut Sums<'_, B::Point>,
    memory: Joining<'_, B::Point>,
    scratch: &mut B::Scratch,
) {
    let Joining {
        points,
        entries,
        places,
        identity,
    } = memory;
    let joined = windows * buckets;
    for start in (0..joined).step_by(TILE) {
        // The position of a joined sum is never beyond those of its two sums.
        let tile = start..joined.min(start + TILE);
        let sources = |bucket: usize| {
            let first = bucket + bucket / buckets * buckets;
            [first, first + buckets]
        };
        let mut count = 0;
        for bucket in tile.clone() {
            let second = sums.location[sources(bucket)[1]];
            if second != NONE {
                (places[count], points[count]) = (second, sums.points[second as usize]);
                count += 1;
            }
        }
        backend.multiply_x(beta, &mut points[..count]);
        for (&at, point) in places[..count].iter().zip(&*points) {
            sums.points[at as usize] = *point;
        }
        let (first_terms, second_terms) = entries.split_at_mut(TILE);
        let mut count = 0;
        for bucket in tile {
            let [first, second] = sources(bucket).map(|source| sums.location[source]);
            sums.location[bucket] = if first == NONE { second } else { first };
            if first != NONE && second != NONE {
                (first_terms[count], second_terms[count]) = (first << 1, second << 1);
                places[count] = bucket as u32;
                count += 1;
            }
        }
        // Rows are padded with term 0.
        let rows = [[0, count as u32], [TILE as u32, count as u32]];
        first_terms[count..].fill(0);
        second_terms[count..].fill(0);
        let (points, identity) = (&mut points[..count], &mut identity[..count]);
        backend.sum_tile(sums.points, entries, &rows, scratch, points, identity);
        let found = points.iter().zip(&*identity);
        for ((&bucket, &first), (point, &identity)) in places.iter().zip(&*entries).zip(found) {
            sums.points[(first >> 1) as usize] = *point;
            if identity != 0 {
                sums.location[bucket as usize] = NONE;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use ark_bn254::{Fr, g1::Config};
    use ark_ec::CurveGroup;
    use ark_ec::short_weierstrass::Affine;

    use super::super::arena::{Arena, Size};
    use super::super::endomorphism::endomorphism;
    use super::super::tests::{multiples, on_backends, scalars};
    use super::*;

    /// Sums with every combination of absent ones, some of which are opposite or equal to the image
    /// that they are added to.
    fn check<B: Backend<Config>>(backend: &B, windows: usize, buckets: usize) {
        let beta = endomorphism::<Config>().unwrap().beta;
        let image = |point: Affine<Config>| Affine::new(point.x * beta, point.y);
        let by = scalars::<Fr>(21, 2 * windows * buckets);
        let mut whole = multiples::<Config>(&by);
        let mut location: Vec<u32> = (0..whole.len() as u32).collect();
        for window in 0..windows {
            for bucket in 0..buckets {
                let first = 2 * window * buckets + bucket;
                let second = first + buckets;
                match bucket % 7 {
                    1 => location[first] = NONE,
                    2 => location[second] = NONE,
                    3 => (location[first], location[second]) = (NONE, NONE),
                    4 => whole[first] = -image(whole[second]),
                    5 => whole[first] = image(whole[second]),
                    _ => {}
                }
            }
        }
        let sum = |set: usize| match location[set] {
            NONE => Affine::identity(),
            at => whole[at as usize],
        };
        let expected: Vec<Affine<Config>> = (0..windows * buckets)
            .map(|joined| {
                let first = joined / buckets * 2 * buckets + joined % buckets;
                let second = sum(first + buckets);
                let mapped = if second == Affine::identity() {
                    second
                } else {
                    image(second)
                };
                (sum(first) + mapped).into_affine()
            })
            .collect();
        let mut points: Vec<B::Point> = whole.iter().map(|point| backend.pack(point)).collect();
        let mut sums = Sums {
            points: &mut points,
            location: &mut location,
        };
        let mut arena = Arena::default();
        let size = Size::of::<B::Point, _>(|c| {
            Joining::lay_out(c);
        });
        let memory = Joining::lay_out(&mut arena.carve(size));
        let shape = [windows, buckets];
        join_halves(
            backend,
            &beta,
            shape,
            &mut sums,
            memory,
            &mut B::Scratch::default(),
        );
        for (joined, expected) in expected.iter().enumerate() {
            let found = sums.get(joined).map(|point| backend.unpack(point));
            assert_eq!(found.unwrap_or_default(), *expected, "{joined}");
        }
    }

    #[test]
    fn sums_of_both_halves() {
        for (windows, buckets) in [(0, 4), (1, 1), (1, 2), (2, 8), (3, 64), (3, 1024)] {
            on_backends!(backend => check(backend, windows, buckets));
        }
    }
}
