//! The suite of the algebraic hash: digests of 8 field elements.

use p3_field::Field;
use p3_matrix::Dimensions;
use p3_merkle_tree::{MerkleTreeError, MerkleTreeMmcs};

use super::scheme::compiled_scheme;
use super::{HashId, HashSuite, MultiProof};
use crate::field::{DIGEST, F};
use crate::hash::poseidon16::{Poseidon16, Poseidon16LeafHasher};
use crate::stark::challenger::Poseidon16Challenger;

/// Merkle trees in Poseidon-16.
///
/// A leaf is the overwrite sponge of rate 8 over the row, Plonky3's `PaddingFreeSponge`; no padding
/// is needed, since the key fixes the widths of rows. A parent is the feed-forward compression of
/// its two children.
pub type Poseidon16Mmcs = MerkleTreeMmcs<
    <F as Field>::Packing,
    <F as Field>::Packing,
    Poseidon16LeafHasher,
    Poseidon16,
    2,
    DIGEST,
>;

/// Poseidon-16: the suite whose proofs are cheapest to verify in-circuit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Poseidon16Suite;

impl HashSuite for Poseidon16Suite {
    const NAME: &'static str = "poseidon16";
    const ID: HashId = HashId::Poseidon16;
    const COLLISION_BITS: usize = 124;

    type Digest = [F; DIGEST];
    type ValMmcs = Poseidon16Mmcs;
    type Challenger = Poseidon16Challenger;

    fn val_mmcs(cap_height: usize) -> Self::ValMmcs {
        MerkleTreeMmcs::new(Poseidon16LeafHasher, Poseidon16, cap_height)
    }

    fn challenger() -> Self::Challenger {
        Poseidon16Challenger::default()
    }

    fn restore_paths(
        mmcs: &Self::ValMmcs,
        dimensions: &[Dimensions],
        indices: &[usize],
        rows: &[Vec<Vec<F>>],
        proof: &MultiProof<Self>,
    ) -> Result<Vec<Vec<Self::Digest>>, MerkleTreeError> {
        let paths = mmcs.restore_and_recompute_paths(dimensions, indices, rows, proof)?;
        Ok(paths.into_iter().map(|path| path.siblings).collect())
    }

    fn digest_elements(digest: &Self::Digest) -> Vec<F> {
        digest.to_vec()
    }

    compiled_scheme!();
}
