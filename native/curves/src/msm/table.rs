//! The points of a call, in the backend's form.

use std::sync::atomic::{AtomicBool, Ordering};

use ark_ec::AffineRepr;
use ark_ec::short_weierstrass::Affine;

use super::backend::Backend;
use super::curve::MsmCurve;
use super::parallel::collect_within;

/// Packed points. The first ones stay for the whole call; later ones can be dropped.
#[derive(Default)]
pub struct Table<P> {
    /// The points.
    pub points: Vec<P>,
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
        (!identities.into_inner()).then_some(Self { points })
    }

    /// Appends a point and returns its position.
    pub fn push(&mut self, point: P) -> u32 {
        self.points.push(point);
        (self.points.len() - 1) as u32
    }

    /// Drops the points from `len` on.
    pub fn truncate(&mut self, len: usize) {
        self.points.truncate(len);
    }
}

#[cfg(test)]
mod tests {
    use ark_bn254::{Fr, g1::Config};

    use super::super::tests::{multiples, on_backends, scalars};
    use super::*;

    fn check<B: Backend<Config>>(backend: &B, threads: usize) {
        let mut bases = multiples::<Config>(&scalars::<Fr>(13, 2100));
        let positions: Vec<u32> = (1..2100).filter(|i| i % 50 != 0).collect();
        let new = |bases: &[Affine<Config>]| Table::new(backend, bases, &positions, 9, threads);
        let mut table = new(&bases).unwrap();
        let first = table.points[0];
        assert_eq!(table.push(first) as usize, positions.len());
        for (point, &base) in table.points.iter().zip(positions.iter().chain([&1])) {
            assert_eq!(backend.unpack(point), bases[base as usize]);
        }
        table.truncate(positions.len());
        assert_eq!(table.points.len(), positions.len());
        bases[1] = Affine::identity();
        assert!(new(&bases).is_none());
    }

    #[test]
    fn points_and_identities() {
        for threads in [1, 2] {
            on_backends!(backend => check(backend, threads));
        }
    }
}
