//! Merkle trees over rows of elements of [`K`].
//!
//! Paths are whole, one for each leaf that is opened: they are longer than pruned ones together,
//! but a verifier checks each alike.

use p3_maybe_rayon::prelude::*;

use crate::field::K;
use crate::tree_hash::TreeHash;

/// Leaves or nodes that are hashed by one task: a few ten kilobytes.
const CHUNK: usize = 128;

/// A Merkle tree, with all its nodes but the leaves: they are half of all, and rows tell them.
#[derive(Clone, Debug)]
pub struct MerkleTree<H: TreeHash> {
    /// The parents of leaves, their parents, and so on; the last layer is the root alone.
    layers: Vec<Vec<H::Digest>>,
}

impl<H: TreeHash> MerkleTree<H> {
    /// The tree over rows of `width` elements each, one after the other.
    ///
    /// # Panics
    /// If the width is 0, or there is not a power of two of whole rows, two or more.
    pub fn new(values: &[K], width: usize) -> Self {
        let rows = values.len() / width;
        assert!(
            rows > 1 && rows.is_power_of_two() && rows * width == values.len(),
            "{} elements are not a power of two of rows of {width}",
            values.len()
        );
        let chunk = CHUNK.min(rows);
        let mut layer = vec![H::Digest::default(); rows / 2];
        (values.par_chunks(chunk * width))
            .zip(layer.par_chunks_mut(chunk / 2))
            .for_each(|(rows, parents)| {
                let mut leaves = [H::Digest::default(); CHUNK];
                let leaves = &mut leaves[..chunk];
                H::hash_rows(rows, width, leaves);
                H::compress(leaves.as_chunks().0, parents);
            });
        let mut layers = Vec::new();
        while layer.len() > 1 {
            let pairs = layer.as_chunks::<2>().0;
            let mut parents = vec![H::Digest::default(); pairs.len()];
            pairs
                .par_chunks(CHUNK)
                .zip(parents.par_chunks_mut(CHUNK))
                .for_each(|(pairs, parents)| H::compress(pairs, parents));
            layers.push(std::mem::replace(&mut layer, parents));
        }
        layers.push(layer);
        Self { layers }
    }

    /// The root.
    pub fn root(&self) -> H::Digest {
        self.layers[self.layers.len() - 1][0]
    }

    /// The siblings of the nodes from the leaf `index` up to the root, which has none, given the
    /// row of the leaf's sibling.
    ///
    /// # Panics
    /// If there are no more than `index` leaves.
    pub fn path(&self, index: usize, sibling: &[K]) -> Vec<H::Digest> {
        let mut path = vec![H::Digest::default()];
        H::hash_rows(sibling, sibling.len(), &mut path);
        let below_root = self.layers[..self.layers.len() - 1].iter().enumerate();
        path.extend(below_root.map(|(height, layer)| layer[(index >> (height + 1)) ^ 1]));
        path
    }
}

/// The root of a tree whose leaf `index` is `row`, with a path of [`MerkleTree::path`].
///
/// The caller checks that the path has as many digests as the tree has layers below its root.
pub fn root_of_path<H: TreeHash>(row: &[K], index: usize, path: &[H::Digest]) -> H::Digest {
    let mut node = [H::Digest::default()];
    H::hash_rows(row, row.len(), &mut node);
    for (height, &sibling) in path.iter().enumerate() {
        let pair = match index >> height & 1 {
            0 => [node[0], sibling],
            _ => [sibling, node[0]],
        };
        H::compress(&[pair], &mut node);
    }
    node[0]
}

#[cfg(test)]
mod tests {
    use p3_binary_field::TowerLevel;

    use super::*;
    use crate::tree_hash::{Blake3, Poseidon16};

    #[test]
    fn paths_lead_to_the_root() {
        check_paths::<Poseidon16>();
        check_paths::<Blake3>();
    }

    fn check_paths<H: TreeHash>() {
        for log in 1..10 {
            let rows: Vec<[K; 3]> = (0..1u128 << log)
                .map(|i| [i, i << 77, i * i].map(K::from_repr))
                .collect();
            let tree = MerkleTree::<H>::new(rows.as_flattened(), 3);
            for (index, row) in rows.iter().enumerate() {
                let path = tree.path(index, &rows[index ^ 1]);
                assert_eq!(path.len(), log);
                assert_eq!(root_of_path::<H>(row, index, &path), tree.root());
                assert_ne!(root_of_path::<H>(row, index ^ 1, &path), tree.root());
            }
        }
    }
}
