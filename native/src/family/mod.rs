//! One trait, three hashes: everything a proof needs from the hash it is committed in.
//!
//! Code generic over the hash is generic over [`HashFamily`]; [`HashId`] is matched on only where a
//! configuration is chosen at run time.
//!
//! | family | leaf | parent | challenger | digest |
//! |---|---|---|---|---|
//! | [`Poseidon16Family`] | overwrite sponge, rate 8 | `truncate_8(P(x) + x)` | duplex, rate 8 | 8 elements |
//! | [`Blake3Family`] | BLAKE3 of the row's bytes | BLAKE3 of 64 bytes | byte | 32 bytes |
//! | [`KeccakFamily`] | Keccak-256 of the row's bytes | Keccak-256 of 64 bytes | byte | 32 bytes |
//!
//! Trees carry no tags: depths and row widths are fixed by the key and by the heights a transcript
//! absorbs before it uses any root, which keeps a leaf from passing for a parent.

mod bytes;
mod poseidon16;
mod scheme;

use std::fmt::{Debug, Display};
use std::str::FromStr;

use p3_challenger::{CanObserve, CanSample, FieldChallenger, GrindingChallenger};
use p3_commit::{ExtensionMmcs, Mmcs};
use p3_matrix::Dimensions;
use p3_matrix::dense::RowMajorMatrix;
use p3_merkle_tree::MerkleTreeError;
use p3_symmetric::MerkleCap;
use p3_uni_stark::StarkConfig;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use bytes::{Blake3Family, ByteFamily, ByteHash, ByteMmcs, KeccakFamily};
pub use poseidon16::{Poseidon16Family, Poseidon16Mmcs};
pub use scheme::{
    Claims, Committed, CommittedData, Dft, Evaluations, FriPcs, Opened, OpeningError, OpeningProof,
    OpeningProverError, Pcs,
};

use crate::field::{EF, F};

/// A hash and the configuration of every primitive built on it.
pub trait HashFamily: Copy + Debug + Default + Send + Sync + 'static {
    /// Name as the command line spells it.
    const NAME: &'static str;

    /// The run-time name of this family.
    const ID: HashId;

    /// Bits of security against collisions of digests: 124 for 8 KoalaBear elements, 128 for 256 bits.
    /// Of commitments only: what is proved is named by digests in Poseidon-16
    /// ([`crate::security::DIGEST_COLLISION_BITS`]).
    const COLLISION_BITS: usize;

    /// A digest: `[F; 8]` or `[u8; 32]`.
    type Digest: Copy
        + Debug
        + Default
        + Eq
        + Ord
        + std::hash::Hash
        + Serialize
        + DeserializeOwned
        + Send
        + Sync
        + 'static;

    /// Merkle trees over rows of base field elements. Their commitment is a cap of digests.
    type ValMmcs: Mmcs<
            F,
            Commitment: FamilyCap<Self::Digest> + Debug + PartialEq + Eq + Send + Sync + 'static,
            Proof: Debug + Send + Sync,
            MultiProof: Debug + Send + Sync,
            ProverData<RowMajorMatrix<F>>: Send + Sync,
            Error: Debug + Send + Sync,
        > + Debug
        + Send
        + Sync
        + 'static;

    /// The Fiat-Shamir transcript, with deterministic grinding.
    type Challenger: FieldChallenger<F>
        + CanObserve<Commitment<Self>>
        + CanSample<EF>
        + GrindingChallenger<Witness = F>
        + Clone
        + Debug
        + Send
        + Sync
        + 'static;

    /// Merkle trees whose commitment is the layer of (at most) `2^cap_height` digests.
    fn val_mmcs(cap_height: usize) -> Self::ValMmcs;

    /// A transcript that has observed nothing.
    fn challenger() -> Self::Challenger;

    /// One full authentication path per query, leaf level first, out of a proof that shares siblings
    /// between queries; level by level, the siblings' digests.
    ///
    /// `rows` holds, per query, the opened row of each matrix; `dimensions` the matrices' heights and
    /// widths. Nothing is checked against a commitment.
    ///
    /// # Errors
    /// If the proof does not fit the tree that dimensions and indices describe.
    fn restore_paths(
        mmcs: &Self::ValMmcs,
        dimensions: &[Dimensions],
        indices: &[usize],
        rows: &[Vec<Vec<F>>],
        proof: &MultiProof<Self>,
    ) -> Result<Vec<Vec<Self::Digest>>, MerkleTreeError>;

    /// A digest as elements, in whole blocks of 8: itself, or the 16 little-endian 16-bit limbs of 32
    /// bytes.
    fn digest_elements(digest: &Self::Digest) -> Vec<F>;

    scheme::compiled_scheme!();
}

/// A proof for several queries of one commitment.
pub type MultiProof<H> = <<H as HashFamily>::ValMmcs as Mmcs<F>>::MultiProof;

/// Access to the digests of a commitment, for code generic over the family.
pub trait FamilyCap<D> {
    /// The digests of the cap, one for a cap of height 0.
    fn digests(&self) -> &[D];

    /// The commitment with these digests.
    fn from_digests(digests: Vec<D>) -> Self;
}

impl<D> FamilyCap<D> for MerkleCap<F, D> {
    fn digests(&self) -> &[D] {
        self.roots()
    }

    fn from_digests(digests: Vec<D>) -> Self {
        Self::new(digests)
    }
}

/// Commitment to a list of matrices.
pub type Commitment<H> = <<H as HashFamily>::ValMmcs as Mmcs<F>>::Commitment;

/// Merkle trees over rows of challenge field elements, flattened to base field elements.
pub type ChallengeMmcs<H> = ExtensionMmcs<F, EF, <H as HashFamily>::ValMmcs>;

/// The configuration that `p3-uni-stark` and `p3-batch-stark` take.
pub type Config<H> = StarkConfig<Pcs<H>, EF, <H as HashFamily>::Challenger>;

/// Name of a hash family at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HashId {
    /// [`Poseidon16Family`].
    Poseidon16,
    /// [`Blake3Family`].
    Blake3,
    /// [`KeccakFamily`].
    Keccak,
}

impl HashId {
    /// All families.
    pub const ALL: [Self; 3] = [Self::Poseidon16, Self::Blake3, Self::Keccak];

    /// The family's [`HashFamily::NAME`].
    pub const fn name(self) -> &'static str {
        match self {
            Self::Poseidon16 => Poseidon16Family::NAME,
            Self::Blake3 => Blake3Family::NAME,
            Self::Keccak => KeccakFamily::NAME,
        }
    }
}

impl Display for HashId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is none of the three hashes'.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("unknown hash `{0}`: expected poseidon16, blake3 or keccak")]
pub struct UnknownHash(pub String);

impl FromStr for HashId {
    type Err = UnknownHash;

    fn from_str(name: &str) -> Result<Self, UnknownHash> {
        Self::ALL
            .into_iter()
            .find(|id| id.name() == name)
            .ok_or_else(|| UnknownHash(name.to_owned()))
    }
}
