//! The suites of algebraic hashes: digests of 8 field elements.

use p3_field::Field;
use p3_matrix::Dimensions;
use p3_merkle_tree::{MerkleTreeError, MerkleTreeMmcs};

use super::scheme::compiled_scheme;
use super::{HashId, HashSuite, MultiProof};
use crate::field::{DIGEST, F};
use crate::hash::poseidon2::{self, Poseidon2Compression, Poseidon2LeafHasher};
use crate::hash::poseidon16::{Poseidon16, Poseidon16LeafHasher};
use crate::stark::challenger::{Poseidon2Challenger, Poseidon16Challenger};
use crate::stark::security::DIGEST_COLLISION_BITS;

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

/// Merkle trees in Poseidon2, as Plonky3's examples have them: a leaf is the overwrite sponge of
/// width 24 and rate 16 over the row, a parent the first 8 elements of the permutation of width 16.
pub type Poseidon2Mmcs = MerkleTreeMmcs<
    <F as Field>::Packing,
    <F as Field>::Packing,
    Poseidon2LeafHasher,
    Poseidon2Compression,
    2,
    DIGEST,
>;

/// Poseidon2: the suite of Plonky3's examples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Poseidon2Suite;

/// Implements [`HashSuite`] for one algebraic hash. A generic implementation would be compiled in
/// every crate that uses it instead of in this one (see [`scheme`](super::scheme)).
macro_rules! field_suite {
    ($suite:ty: $name:literal, $id:ident, $mmcs:ty, $leaf:expr, $parent:expr, $challenger:ty) => {
        impl HashSuite for $suite {
            const NAME: &'static str = $name;
            const ID: HashId = HashId::$id;
            const COLLISION_BITS: f64 = DIGEST_COLLISION_BITS;

            type Digest = [F; DIGEST];
            type ValMmcs = $mmcs;
            type Challenger = $challenger;

            fn val_mmcs(cap_height: usize) -> Self::ValMmcs {
                MerkleTreeMmcs::new($leaf, $parent, cap_height)
            }

            fn challenger() -> Self::Challenger {
                Self::Challenger::default()
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
    };
}

field_suite!(
    Poseidon16Suite: "poseidon16",
    Poseidon16,
    Poseidon16Mmcs,
    Poseidon16LeafHasher,
    Poseidon16,
    Poseidon16Challenger
);
field_suite!(
    Poseidon2Suite: "poseidon2",
    Poseidon2,
    Poseidon2Mmcs,
    poseidon2::leaf_hasher(),
    poseidon2::compression(),
    Poseidon2Challenger
);
