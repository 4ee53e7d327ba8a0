//! The suites of algebraic hashes: digests of 8 field elements.

use p3_field::Field;
use p3_merkle_tree::MerkleTreeMmcs;

use super::HashId;
use super::scheme::hash_suite;
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

hash_suite! {
    Poseidon16Suite: ("poseidon16", HashId::Poseidon16, collisions = DIGEST_COLLISION_BITS),
    digest = [F; DIGEST], elements = <[F]>::to_vec,
    trees = Poseidon16Mmcs: (Poseidon16LeafHasher, Poseidon16),
    challenger = Poseidon16Challenger: Self::Challenger::default()
}

hash_suite! {
    Poseidon2Suite: ("poseidon2", HashId::Poseidon2, collisions = DIGEST_COLLISION_BITS),
    digest = [F; DIGEST], elements = <[F]>::to_vec,
    trees = Poseidon2Mmcs: (poseidon2::leaf_hasher(), poseidon2::compression()),
    challenger = Poseidon2Challenger: Self::Challenger::default()
}
