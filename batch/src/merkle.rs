//! Merkle trees of Poseidon-16 over rows of elements of [`K`].
//!
//! A row is hashed as its limbs ([`for_each_limb`]) by the sponge of rows of one width. Paths are
//! whole, one for each leaf that is opened: they are longer than pruned ones together, but a
//! verifier checks each alike.

use droste_poseidon16::{Poseidon16, Poseidon16LeafHasher};
use p3_field::PrimeCharacteristicRing;
use p3_maybe_rayon::prelude::*;
use p3_symmetric::{CryptographicHasher, PseudoCompressionFunction};

use crate::field::{F, K, for_each_limb, num_limbs};

/// A digest of Poseidon-16: 248 bits, hence 124 bits against collisions.
pub type Digest = [F; 8];

/// Leaves or nodes that are hashed by one task: limbs of a few ten kilobytes.
const CHUNK: usize = 128;

/// A Merkle tree, with all its nodes.
#[derive(Clone, Debug)]
pub struct MerkleTree {
    /// The digests of the leaves, their parents, and so on; the last layer is the root alone.
    layers: Vec<Vec<Digest>>,
}

impl MerkleTree {
    /// The tree over rows of `width` elements each, one after the other.
    ///
    /// # Panics
    /// If the width is 0, or there is not a power of two of whole rows.
    pub fn new(values: &[K], width: usize) -> Self {
        let rows = values.len() / width;
        assert!(
            rows.is_power_of_two() && rows * width == values.len(),
            "{} elements are not a power of two of rows of {width}",
            values.len()
        );
        let mut layer = zero_digests(rows);
        (values.par_chunks(CHUNK * width))
            .zip(layer.par_chunks_mut(CHUNK))
            .for_each(|(rows, digests)| {
                let mut limbs = Vec::with_capacity(digests.len() * num_limbs(width));
                for row in rows.chunks_exact(width) {
                    for_each_limb(row, |limb| limbs.push(limb));
                }
                Poseidon16LeafHasher.hash_many(&limbs, digests);
            });
        let mut layers = Vec::new();
        while layer.len() > 1 {
            let pairs = layer.as_chunks::<2>().0;
            let mut parents = zero_digests(pairs.len());
            pairs
                .par_chunks(CHUNK)
                .zip(parents.par_chunks_mut(CHUNK))
                .for_each(|(pairs, parents)| Poseidon16.compress_many(pairs, parents));
            layers.push(std::mem::replace(&mut layer, parents));
        }
        layers.push(layer);
        Self { layers }
    }

    /// The root.
    pub fn root(&self) -> Digest {
        self.layers[self.layers.len() - 1][0]
    }

    /// The siblings of the nodes from the leaf `index` up to the root, which has none.
    ///
    /// # Panics
    /// If there are no more than `index` leaves.
    pub fn path(&self, index: usize) -> Vec<Digest> {
        let below_root = &self.layers[..self.layers.len() - 1];
        below_root
            .iter()
            .enumerate()
            .map(|(height, layer)| layer[(index >> height) ^ 1])
            .collect()
    }
}

/// The root of a tree whose leaf `index` is `row`, with a path of [`MerkleTree::path`].
///
/// The caller checks that the path has as many digests as the tree has layers below its root.
pub fn root_of_path(row: &[K], index: usize, path: &[Digest]) -> Digest {
    let mut limbs = Vec::with_capacity(num_limbs(row.len()));
    for_each_limb(row, |limb| limbs.push(limb));
    let leaf = Poseidon16LeafHasher.hash_slice(&limbs);
    path.iter()
        .enumerate()
        .fold(leaf, |node, (height, &sibling)| {
            if index >> height & 1 == 0 {
                Poseidon16.compress_pair(node, sibling)
            } else {
                Poseidon16.compress_pair(sibling, node)
            }
        })
}

fn zero_digests(count: usize) -> Vec<Digest> {
    vec![[F::ZERO; 8]; count]
}

#[cfg(test)]
mod tests {
    use p3_binary_field::TowerLevel;

    use super::*;

    #[test]
    fn paths_lead_to_the_root() {
        for log in 0..10 {
            let rows: Vec<[K; 3]> = (0..1u128 << log)
                .map(|i| [i, i << 77, i * i].map(K::from_repr))
                .collect();
            let tree = MerkleTree::new(rows.as_flattened(), 3);
            for (index, row) in rows.iter().enumerate() {
                let path = tree.path(index);
                assert_eq!(path.len(), log);
                assert_eq!(root_of_path(row, index, &path), tree.root());
                if log > 0 {
                    assert_ne!(root_of_path(row, index ^ 1, &path), tree.root());
                }
            }
        }
    }

    /// The root by the functions of one row and one pair.
    #[test]
    fn root_of_two_rows() {
        let rows = [[K::from_repr(5)], [K::from_repr(u128::MAX)]];
        let digests = rows.map(|row| {
            let mut limbs = Vec::new();
            for_each_limb(&row, |limb| limbs.push(limb));
            Poseidon16LeafHasher.hash_slice(&limbs)
        });
        let root = Poseidon16.compress_pair(digests[0], digests[1]);
        assert_eq!(MerkleTree::new(rows.as_flattened(), 1).root(), root);
    }
}
