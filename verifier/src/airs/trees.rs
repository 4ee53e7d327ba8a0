//! Merkle trees of Plonky3's configurations: with salts in their leaves, or without.

use droste_native::field::BaseField;
use p3_commit::Mmcs;
use p3_field::PackedValue;
use p3_merkle_tree::{MerkleCap, MerkleTreeError, MerkleTreeHidingMmcs, MerkleTreeMmcs};

use super::known::Known;
use crate::shape::Hiding;

/// Random elements of every query's rows, one list for each matrix.
type Salts<V> = [Vec<Vec<V>>];

/// Only Plonky3's trees are known to hash what programs hash.
mod sealed {
    use p3_merkle_tree::{MerkleTreeHidingMmcs, MerkleTreeMmcs};

    use super::{HidingTrees, Salted};

    pub trait Sealed {}

    impl<P, W, H, C, const N: usize, const D: usize> Sealed for MerkleTreeMmcs<P, W, H, C, N, D> {}
    impl<P, W, H, C, R, const N: usize, const D: usize, const SALTS: usize> Sealed
        for MerkleTreeHidingMmcs<P, W, H, C, R, N, D, SALTS>
    {
    }
    impl<S: Salted> Sealed for HidingTrees<S> {}
}

/// The trees of a configuration over the field `V` with transcript `C`, and what proofs hide by.
pub trait StockTrees<V: BaseField, C>: sealed::Sealed + Clone + 'static {
    /// The same trees without salts.
    type Known: Known<V, C>;

    /// The trees in which proofs are committed.
    type Trees: Mmcs<
            V,
            Commitment = MerkleCap<V, <Self::Known as Known<V, C>>::Digest>,
            MultiProof: Sync,
            Error = MerkleTreeError,
        > + 'static;

    /// The trees in which proofs are committed.
    fn trees(&self) -> &Self::Trees;

    /// The same trees without salts.
    fn known(&self) -> &Self::Known;

    /// What proofs hide by, if they do.
    fn hiding(&self) -> Option<Hiding>;

    /// The salts of an opening, if its trees have any.
    fn salts(proof: &<Self::Trees as Mmcs<V>>::MultiProof) -> Option<&Salts<V>>;

    /// The digests of an opening.
    fn digests(
        proof: &<Self::Trees as Mmcs<V>>::MultiProof,
    ) -> &<Self::Known as Mmcs<V>>::MultiProof;
}

impl<P, W, Leaf, Parent, V, C, const ARITY: usize, const DIGEST: usize> StockTrees<V, C>
    for MerkleTreeMmcs<P, W, Leaf, Parent, ARITY, DIGEST>
where
    V: BaseField,
    Self: Known<V, C>,
{
    type Known = Self;
    type Trees = Self;

    fn trees(&self) -> &Self {
        self
    }

    fn known(&self) -> &Self {
        self
    }

    fn hiding(&self) -> Option<Hiding> {
        None
    }

    fn salts(_: &<Self as Mmcs<V>>::MultiProof) -> Option<&Salts<V>> {
        None
    }

    fn digests(proof: &<Self as Mmcs<V>>::MultiProof) -> &<Self as Mmcs<V>>::MultiProof {
        proof
    }
}

/// Merkle trees whose leaves end in salts.
pub trait Salted:
    sealed::Sealed + Mmcs<<Self as Salted>::Val, Error = MerkleTreeError> + 'static
{
    /// The field of rows and salts.
    type Val: BaseField;

    /// The same trees without salts.
    type Plain: Mmcs<Self::Val>;

    /// Number of random elements that follow each row of a matrix in its leaf.
    const SALTS: usize;

    /// The salts of an opening.
    fn salts(proof: &<Self as Mmcs<Self::Val>>::MultiProof) -> &Salts<Self::Val>;

    /// The digests of an opening.
    fn digests(
        proof: &<Self as Mmcs<Self::Val>>::MultiProof,
    ) -> &<Self::Plain as Mmcs<Self::Val>>::MultiProof;
}

impl<P, W, Leaf, Parent, R, const ARITY: usize, const DIGEST: usize, const SALTS: usize> Salted
    for MerkleTreeHidingMmcs<P, W, Leaf, Parent, R, ARITY, DIGEST, SALTS>
where
    P: PackedValue<Value: BaseField>,
    MerkleTreeMmcs<P, W, Leaf, Parent, ARITY, DIGEST>: Mmcs<P::Value>,
    Self: Mmcs<
            P::Value,
            MultiProof = (
                Vec<Vec<Vec<P::Value>>>,
                <MerkleTreeMmcs<P, W, Leaf, Parent, ARITY, DIGEST> as Mmcs<P::Value>>::MultiProof,
            ),
            Error = MerkleTreeError,
        > + 'static,
{
    type Val = P::Value;
    type Plain = MerkleTreeMmcs<P, W, Leaf, Parent, ARITY, DIGEST>;

    const SALTS: usize = SALTS;

    fn salts(proof: &<Self as Mmcs<P::Value>>::MultiProof) -> &Salts<P::Value> {
        &proof.0
    }

    fn digests(
        proof: &<Self as Mmcs<P::Value>>::MultiProof,
    ) -> &<Self::Plain as Mmcs<P::Value>>::MultiProof {
        &proof.1
    }
}

/// The trees of a configuration of `HidingFriPcs`, and the number of its random codewords: neither
/// shows the other, nor does the configuration show any of them.
#[derive(Clone, Debug)]
pub struct HidingTrees<S: Salted> {
    salted: S,
    plain: S::Plain,
    random_codewords: usize,
}

impl<S: Salted> HidingTrees<S> {
    /// The trees with salts that the configuration has, trees of the same hash, compression and cap
    /// without salts, and the number of random codewords.
    pub const fn new(salted: S, plain: S::Plain, random_codewords: usize) -> Self {
        Self {
            salted,
            plain,
            random_codewords,
        }
    }
}

impl<S, V, C> StockTrees<V, C> for HidingTrees<S>
where
    V: BaseField,
    S: Salted<Val = V, Plain: Known<V, C>>
        + Mmcs<
            V,
            Commitment = MerkleCap<V, <<S as Salted>::Plain as Known<V, C>>::Digest>,
            MultiProof: Sync,
        >,
{
    type Known = S::Plain;
    type Trees = S;

    fn trees(&self) -> &S {
        &self.salted
    }

    fn known(&self) -> &S::Plain {
        &self.plain
    }

    fn hiding(&self) -> Option<Hiding> {
        Some(Hiding {
            random_codewords: self.random_codewords,
            salts: S::SALTS,
        })
    }

    fn salts(proof: &<S as Mmcs<V>>::MultiProof) -> Option<&Salts<V>> {
        Some(<S as Salted>::salts(proof))
    }

    fn digests(proof: &<S as Mmcs<V>>::MultiProof) -> &<S::Plain as Mmcs<V>>::MultiProof {
        <S as Salted>::digests(proof)
    }
}
