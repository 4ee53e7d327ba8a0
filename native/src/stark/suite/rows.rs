//! Opened rows of one matrix, verified with many hashes at once.
//!
//! Plonky3's verifier hashes rows and nodes one by one. Kernels hash up to sixteen in little more
//! time than one.

use std::iter::zip;

use p3_matrix::Dimensions;
use p3_symmetric::{CryptographicHasher, PseudoCompressionFunction};

use crate::field::F;

/// The commitment to the rows of a matrix, by a binary tree.
pub(super) struct CommittedRows<'a, D> {
    /// The matrix's dimensions.
    pub dimensions: Dimensions,
    /// The commitment.
    pub cap: &'a [D],
    /// Logarithm of the number of its digests, which are fewer if there are fewer rows.
    pub cap_height: usize,
}

impl<D: Copy + Default + PartialEq> CommittedRows<'_, D> {
    /// Whether `rows` are those at `indices`. `siblings` are the nodes that their paths need and
    /// that cannot be computed from them, as Plonky3 orders them: level by level from the leaves
    /// on, from left to right.
    ///
    /// It is `true` only where Plonky3's verifier accepts. Heights that are no powers of two are
    /// left to that one.
    pub(super) fn are<L, P>(
        &self,
        leaf: &L,
        parent: &P,
        indices: &[usize],
        rows: &[Vec<F>],
        siblings: &[D],
    ) -> bool
    where
        L: CryptographicHasher<F, D>,
        P: PseudoCompressionFunction<D, 2>,
    {
        let Dimensions { width, height } = self.dimensions;
        let fit = height.is_power_of_two()
            && rows.len() == indices.len()
            && rows.iter().all(|row| row.len() == width)
            && indices.iter().all(|&index| index < height);
        if !fit {
            return false;
        }
        let rows = rows.iter().map(Vec::as_slice);
        let mut opened: Vec<(usize, &[F])> = zip(indices.iter().copied(), rows).collect();
        opened.sort_unstable_by_key(|&(index, _)| index);
        // Of a leaf that was drawn several times, one row is left only if all are the same.
        opened.dedup();
        let (mut places, rows): (Vec<usize>, Vec<&[F]>) = opened.into_iter().unzip();
        if !places.is_sorted_by(|place, next| place < next) {
            return false;
        }
        let mut digests = vec![D::default(); places.len()];
        leaf.hash_many(&rows.concat(), &mut digests);

        let mut siblings = siblings.iter().copied();
        let levels = height.ilog2() as usize;
        for _ in self.cap_height.min(levels)..levels {
            let mut above = Vec::with_capacity(places.len());
            let mut pairs = Vec::with_capacity(places.len());
            let mut nodes = zip(&places, &digests).peekable();
            while let Some((&place, &digest)) = nodes.next() {
                let is_left = place % 2 == 0;
                // The node to the left of this one would have been paired with it.
                let right = if is_left {
                    nodes.next_if(|(next, _)| **next == place + 1)
                } else {
                    None
                };
                let known = right.map(|(_, &digest)| digest);
                let Some(other) = known.or_else(|| siblings.next()) else {
                    return false;
                };
                above.push(place / 2);
                pairs.push(if is_left {
                    [digest, other]
                } else {
                    [other, digest]
                });
            }
            places = above;
            digests.truncate(pairs.len());
            parent.compress_many(&pairs, &mut digests);
        }
        siblings.next().is_none()
            && zip(places, digests).all(|(place, digest)| self.cap.get(place) == Some(&digest))
    }
}

#[cfg(test)]
mod tests;
