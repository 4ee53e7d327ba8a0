//! The points of a call, in the backend's form, with their images under the endomorphism.

use std::sync::atomic::{AtomicBool, Ordering};

use ark_ec::AffineRepr;
use ark_ec::short_weierstrass::Affine;

use super::backend::Backend;
use super::curve::MsmCurve;
use super::parallel::{collect_within, for_chunks};

/// Packed points. Later points may be dropped again; the first ones and their images stay.
#[derive(Default)]
pub struct Table<P> {
    /// The points.
    pub points: Vec<P>,
    /// That many points come first, and then their images, in the same order.
    shared: usize,
}

/// Where the images of a list of points are.
#[derive(Clone, Copy, Debug)]
pub struct Images {
    /// Points of the list whose images are shared; those of the others lie from `base` on.
    cut: usize,
    shared: usize,
    base: usize,
}

impl Images {
    /// Position of the image of `point`, the one at `index` of the list.
    pub fn position(&self, index: usize, point: u32) -> u32 {
        if index < self.cut {
            point + self.shared as u32
        } else {
            (self.base + index - self.cut) as u32
        }
    }
}

impl<P: Copy + Default + Send + Sync> Table<P> {
    /// Packs the bases at these positions, and leaves room for some more points. None if there is an
    /// identity among them.
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

    /// Appends a point and tells its position.
    pub fn push(&mut self, point: P) -> u32 {
        self.points.push(point);
        (self.points.len() - 1) as u32
    }

    /// Images of all points so far, which stay. Must come before points that do not.
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

    /// Images of the points of a list, those that are shared coming first, computed where they are
    /// missing.
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
