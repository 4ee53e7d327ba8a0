//! Everything that a proof needs from the hash in which it is committed: one trait, for four
//! hashes.
//!
//! Code that works with any hash is generic over [`HashSuite`]. [`HashId`] is matched on only where
//! a configuration is chosen at run time.
//!
//! | suite | leaf | parent | challenger | digest |
//! |---|---|---|---|---|
//! | [`Poseidon16Suite`] | overwrite sponge, rate 8 | `truncate_8(P(x) + x)` | duplex, rate 8 | 8 elements |
//! | [`Poseidon2Suite`] | overwrite sponge, rate 16 | `truncate_8(P(x))` | duplex, rate 16 | 8 elements |
//! | [`Blake3Suite`] | BLAKE3 of the row's bytes | BLAKE3 of 64 bytes | byte | 32 bytes |
//! | [`KeccakSuite`] | Keccak-256 of the row's bytes | Keccak-256 of 64 bytes | byte | 32 bytes |
//!
//! Trees have no domain separation between leaves and parents. An attacker still cannot pass off a
//! leaf as a parent: the key, and the heights that the transcript absorbs before it uses any root,
//! fix all depths and row widths.

mod bytes;
mod fields;
mod rows;
mod scheme;

use std::fmt::Debug;

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

pub use bytes::{Blake3Suite, ByteMmcs, KeccakSuite};
pub use fields::{Poseidon2Mmcs, Poseidon2Suite, Poseidon16Mmcs, Poseidon16Suite};
pub use scheme::{
    Committed, CommittedData, Dft, Evaluations, FriPcs, Opened, OpeningClaims, OpeningError,
    OpeningProof, OpeningProverError, Pcs,
};

use crate::field::{EF, F};
use crate::stark::challenger::{ExtensionTranscript, Observe, Transcript};

/// A hash and the configuration of every primitive built on it.
pub trait HashSuite: Copy + Debug + Default + Eq + Send + Sync + 'static {
    /// The suite's name on the command line.
    const NAME: &'static str;

    /// The value that stands for this suite at run time.
    const ID: HashId;

    /// Bits of security against collisions of digests: 123.9 for 8 KoalaBear elements, 128 for 256
    /// bits. This applies to commitments only: what a proof is about is named by Poseidon-16
    /// digests ([`crate::stark::security::DIGEST_COLLISION_BITS`]).
    const COLLISION_BITS: f64;

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

    /// Merkle trees over rows of base field elements (Plonky3: MMCS). A commitment is a cap of
    /// digests.
    type ValMmcs: Mmcs<
            F,
            Commitment: SuiteCap<Self::Digest>
                            + for<'a> Observe<dyn Transcript<Self> + 'a>
                            + Debug
                            + PartialEq
                            + Eq
                            + Send
                            + Sync
                            + 'static,
            Proof: Debug + Send + Sync,
            MultiProof: Debug + Send + Sync,
            ProverData<RowMajorMatrix<F>>: Send + Sync,
            Error = MerkleTreeError,
        > + Debug
        + Send
        + Sync
        + 'static;

    /// The challenger (Fiat-Shamir transcript), with deterministic grinding.
    type Challenger: FieldChallenger<F>
        + ExtensionTranscript
        + CanObserve<Commitment<Self>>
        + CanSample<EF>
        + GrindingChallenger<Witness = F>
        + Clone
        + Debug
        + Send
        + Sync
        + 'static;

    /// Returns Merkle trees whose commitment is the layer of `2^cap_height` digests, or fewer if
    /// the tree is smaller.
    fn val_mmcs(cap_height: usize) -> Self::ValMmcs;

    /// Returns a transcript that has observed nothing.
    fn challenger() -> Self::Challenger;

    /// Restores one full authentication path per query from a proof in which queries share
    /// siblings. A path contains the siblings' digests level by level, the leaf's level first.
    ///
    /// `rows` has, per query, the opened row of each matrix; `dimensions` are the matrices' heights
    /// and widths. Nothing is checked against a commitment.
    ///
    /// # Errors
    /// If the proof does not fit the tree that the dimensions and indices describe.
    fn restore_paths(
        mmcs: &Self::ValMmcs,
        dimensions: &[Dimensions],
        indices: &[usize],
        rows: &[Vec<Vec<F>>],
        proof: &MultiProof<Self>,
    ) -> Result<Vec<Vec<Self::Digest>>, MerkleTreeError>;

    /// Verifies rows of a matrix of these dimensions. The verdict is that of Plonky3's verifier, which
    /// hashes one by one what is hashed many at once here.
    ///
    /// # Errors
    /// If they are not those that were committed to.
    fn verify_rows(
        mmcs: &Self::ValMmcs,
        commitment: &Commitment<Self>,
        dimensions: Dimensions,
        indices: &[usize],
        rows: &[Vec<F>],
        proof: &MultiProof<Self>,
    ) -> Result<(), MerkleTreeError>;

    /// Converts a digest to field elements, in whole blocks of 8. A digest of 8 elements stays as
    /// it is; 32 bytes become 16 little-endian limbs of 16 bits.
    fn digest_elements(digest: &Self::Digest) -> Vec<F>;

    scheme::compiled_scheme!();
}

/// A Merkle tree over the rows of one matrix.
pub type Tree<H> = <<H as HashSuite>::ValMmcs as Mmcs<F>>::ProverData<RowMajorMatrix<F>>;

/// A proof of several queries to one commitment.
pub type MultiProof<H> = <<H as HashSuite>::ValMmcs as Mmcs<F>>::MultiProof;

/// Access to the digests of a commitment, for code generic over the suite.
pub trait SuiteCap<D> {
    /// The digests of the cap; a cap of height 0 has one.
    fn digests(&self) -> &[D];

    /// The commitment with these digests.
    fn from_digests(digests: Vec<D>) -> Self;
}

impl<V, D> SuiteCap<D> for MerkleCap<V, D> {
    fn digests(&self) -> &[D] {
        self.roots()
    }

    fn from_digests(digests: Vec<D>) -> Self {
        Self::new(digests)
    }
}

/// A commitment to a list of matrices.
pub type Commitment<H> = <<H as HashSuite>::ValMmcs as Mmcs<F>>::Commitment;

/// Merkle trees over rows of challenge field elements, flattened to base field elements.
pub type ChallengeMmcs<H> = ExtensionMmcs<F, EF, <H as HashSuite>::ValMmcs>;

/// The configuration that `p3-uni-stark` and `p3-batch-stark` take.
pub type Config<H> = StarkConfig<Pcs<H>, EF, <H as HashSuite>::Challenger>;

/// A hash suite, as a value at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HashId {
    /// [`Poseidon16Suite`].
    Poseidon16 = 0,
    /// [`Blake3Suite`].
    Blake3 = 1,
    /// [`KeccakSuite`].
    Keccak = 2,
    /// [`Poseidon2Suite`].
    Poseidon2 = 3,
}

/// Evaluates an expression with the suite of a [`HashId`] as the type `$suite`: the one place where
/// code that is generic over the hash is chosen at run time.
///
/// ```
/// use droste_native::{HashId, HashSuite, with_suite};
///
/// for hash in HashId::ALL {
///     assert_eq!(with_suite!(hash, H => H::ID), hash);
/// }
/// ```
#[macro_export]
macro_rules! with_suite {
    ($hash:expr, $suite:ident => $body:expr) => {
        match $hash {
            $crate::HashId::Poseidon16 => {
                type $suite = $crate::Poseidon16Suite;
                $body
            }
            $crate::HashId::Poseidon2 => {
                type $suite = $crate::Poseidon2Suite;
                $body
            }
            $crate::HashId::Blake3 => {
                type $suite = $crate::Blake3Suite;
                $body
            }
            $crate::HashId::Keccak => {
                type $suite = $crate::KeccakSuite;
                $body
            }
        }
    };
}

impl HashId {
    /// All suites.
    pub const ALL: [Self; 4] = [
        Self::Poseidon16,
        Self::Poseidon2,
        Self::Blake3,
        Self::Keccak,
    ];

    /// The suite's [`HashSuite::NAME`].
    pub const fn name(self) -> &'static str {
        with_suite!(self, H => H::NAME)
    }

    /// The suite's number in keys and files.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// Bits that an error term of a proof over WHIR has less than if extension elements were
    /// sampled uniformly. In a byte hash each has 2^-14 bits less
    /// ([`extension_from_digest`](crate::hash::encoding::extension_from_digest)): this is enough
    /// for an event that is about four of them.
    pub const fn sampling_loss(self) -> f64 {
        if self.is_of_bytes() {
            1.0 / 4096.0
        } else {
            0.0
        }
    }

    /// Whether digests are bytes, not field elements.
    pub const fn is_of_bytes(self) -> bool {
        matches!(self, Self::Blake3 | Self::Keccak)
    }
}

/// A name that no hash has.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("unknown hash `{0}`: expected poseidon16, poseidon2, blake3 or keccak")]
pub struct UnknownHash(pub String);

crate::named!(HashId, UnknownHash);
