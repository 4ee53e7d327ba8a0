//! The points of a call, in the backend's form, with their images under the endomorphism.

use std::sync::atomic::{AtomicBool, Ordering};

use ark_ec::AffineRepr;
use ark_ec::short_weierstrass::Affine;

use super::backend::Backend;
use super::curve::MsmCurve;
use super::parallel::{collect_within, for_chunks};

/// Packed points. The first ones and their images stay for the whole call; later ones can be
/// dropped.
#[derive(Default)]
pub struct Table<P> {
    /// The points.
    pub points: Vec<P>,
    /// Number of points that come first; their images follow them in the same order.
    shared: usize,
}

/// The positions of the images of a list of points.
#[derive(Clone, Copy, Debug)]
pub struct Images {
    /// Number of points of the list whose images are shared; the images of the others start at
    /// `base`.
    cut: usize,
    shared: usize,
    base: usize,
}

impl Images {
    /// The position of the image of `point`, which is the point at `index` of the list.
    pub fn position(&self, index: usize, point: u32) -> u32 {
        if index < self.cut {
            point + self.shared as u32
        } else {
            (self.base + index - self.cut) as u32
        }
    }
}

impl<P: Copy + Default + Send + Sync> Table<P> {
    /// Packs the bases at these positions, with capacity for `room` more points. Returns `None` if
    /// one of them is the identity.
    pub fn new<C: MsmCurve, B: Backend<C, Point = P>>(
        backend: &B,
        bases: &[Affine<C>],
        positions: &[u32],
        room: usize,
        threads: usize,
    ) -> Option<Self> {
        let identities = AtomicBool::new(false);
        let count = positions.len();
        let points = collect_within(threads, count, count + room, |i| {
            let base = &bases[positions[i] as usize];
            if base.is_zero() {
                identities.store(true, Ordering::Relaxed);
            }
            backend.pack(base)
        });
        (!identities.into_inner()).then_some(Self { points, shared: 0 })
    }

    /// Appends a point and returns its position.
    pub fn push(&mut self, point: P) -> u32 {
        self.points.push(point);
        (self.points.len() - 1) as u32
    }

    /// Computes the images of all points so far, to be shared by all vectors. Must be called before
    /// points are appended that will be dropped.
    pub fn share_images<C: MsmCurve, B: Backend<C, Point = P>>(
        &mut self,
        backend: &B,
        beta: &C::BaseField,
        threads: usize,
    ) {
        let all: Vec<u32> = (0..self.points.len() as u32).collect();
        self.images(backend, beta, &all, threads);
        self.shared = all.len();
    }

    /// Returns the images of the points of a list, in which points with shared images must come
    /// first. Computes the images that are missing.
    pub fn images<C: MsmCurve, B: Backend<C, Point = P>>(
        &mut self,
        backend: &B,
        beta: &C::BaseField,
        of: &[u32],
        threads: usize,
    ) -> Images {
        let cut = of.partition_point(|&point| (point as usize) < self.shared);
        let (missing, base) = (&of[cut..], self.points.len());
        self.points.resize(base + missing.len(), P::default());
        let (known, new) = self.points.split_at_mut(base);
        for_chunks(threads, new, |start, chunk| {
            for (image, &point) in chunk.iter_mut().zip(&missing[start..]) {
                *image = known[point as usize];
            }
            backend.multiply_x(beta, chunk);
        });
        Images {
            cut,
            shared: self.shared,
            base,
        }
    }

    /// Drops the points from `len` on.
    pub fn truncate(&mut self, len: usize) {
        self.points.truncate(len);
    }
}

#[cfg(test)]
mod tests {
    use ark_bn254::{Fr, g1::Config};

    use super::super::endomorphism::endomorphism;
    use super::super::portable::Portable;
    use super::super::tests::{multiples, scalars};
    use super::*;

    fn check<B: Backend<Config>>(backend: &B, threads: usize) {
        let beta = endomorphism::<Config>().unwrap().beta;
        let mut bases = multiples::<Config>(&scalars::<Fr>(13, 2100));
        let positions: Vec<u32> = (1..2100).filter(|i| i % 50 != 0).collect();
        let (first, cut) = (positions.len(), 100);
        let new = |bases: &[Affine<Config>]| Table::new(backend, bases, &positions, 9, threads);
        let mut table = new(&bases).unwrap();
        let at =
            |table: &Table<B::Point>, point: u32| backend.unpack(&table.points[point as usize]);
        for (point, &base) in (0..).zip(&positions) {
            assert_eq!(at(&table, point), bases[base as usize]);
        }
        let image = |point: Affine<Config>| Affine::new(point.x * beta, point.y);
        // A list's images, before and after all images are shared.
        for shared in [false, true] {
            if shared {
                table.truncate(first);
                table.share_images(backend, &beta, threads);
            }
            let kept = table.points.len();
            let mut list: Vec<u32> = (0..first as u32).step_by(3).collect();
            list.extend((0..cut).map(|i| table.push(table.points[2 * i])));
            let images = table.images(backend, &beta, &list, threads);
            let new = if shared { cut } else { list.len() };
            assert_eq!(table.points.len(), kept + cut + new);
            for (index, &point) in list.iter().enumerate() {
                let found = at(&table, images.position(index, point));
                assert_eq!(found, image(at(&table, point)));
            }
            table.truncate(kept);
        }
        bases[1] = Affine::identity();
        assert!(new(&bases).is_none());
    }

    #[test]
    fn points_and_their_images() {
        for threads in [1, 2] {
            check(&Portable, threads);
            #[cfg(target_arch = "x86_64")]
            if let Some(ifma) = super::super::ifma::Ifma::<Config>::new() {
                check(&ifma, threads);
            }
        }
    }
}
