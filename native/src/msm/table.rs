//! The points of a call, in the backend's form, with their images under the endomorphism.

use ark_ec::AffineRepr;
use ark_ec::short_weierstrass::Affine;

use super::backend::Backend;
use super::curve::MsmCurve;
use super::parallel::for_chunks;
use super::schedule::NONE;

/// Packed points. Later points may be dropped again; the first ones and their images stay.
pub struct Table<P> {
    /// The points.
    pub points: Vec<P>,
    /// Where the image of each point is, [`NONE`] where it was not asked for yet.
    image: Vec<u32>,
}

impl<P: Copy + Default + Send + Sync> Table<P> {
    /// Packs the bases at these positions.
    pub fn new<C: MsmCurve, B: Backend<C, Point = P>>(
        backend: &B,
        bases: &[Affine<C>],
        positions: &[u32],
        threads: usize,
    ) -> Self {
        let mut points = vec![P::default(); positions.len()];
        for_chunks(threads, &mut points, |start, chunk| {
            let wanted = &positions[start..start + chunk.len()];
            backend.pack(&mut wanted.iter().map(|&i| &bases[i as usize]), chunk);
        });
        let image = vec![NONE; points.len()];
        Self { points, image }
    }

    /// Appends a point and tells its position.
    pub fn push(&mut self, point: P) -> u32 {
        self.points.push(point);
        self.image.push(NONE);
        (self.points.len() - 1) as u32
    }

    /// Positions of the images of points, computed where they are missing.
    pub fn images<C: MsmCurve, B: Backend<C, Point = P>>(
        &mut self,
        backend: &B,
        beta: &C::BaseField,
        of: &[u32],
    ) -> Vec<u32> {
        let mut missing = vec![];
        let base = self.points.len();
        for &point in of {
            let image = &mut self.image[point as usize];
            if *image == NONE {
                *image = (base + missing.len()) as u32;
                missing.push(point);
            }
        }
        self.points.resize(base + missing.len(), P::default());
        self.image.resize(base + missing.len(), NONE);
        let (known, new) = self.points.split_at_mut(base);
        new.iter_mut()
            .zip(missing)
            .for_each(|(new, of)| *new = known[of as usize]);
        backend.multiply_x(beta, new);
        of.iter().map(|&point| self.image[point as usize]).collect()
    }

    /// Drops the points from `len` on.
    pub fn truncate(&mut self, len: usize) {
        self.points.truncate(len);
        self.image.truncate(len);
        for image in self
            .image
            .iter_mut()
            .filter(|image| **image as usize >= len)
        {
            *image = NONE;
        }
    }
}

/// Positions of the bases that are not the identity.
pub fn nonidentity<C: MsmCurve>(bases: &[Affine<C>]) -> Vec<u32> {
    let positions = 0u32..;
    let paired = positions.zip(bases).filter(|(_, base)| !base.is_zero());
    paired.map(|(i, _)| i).collect()
}
