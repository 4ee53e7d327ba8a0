//! What verifies proofs over FRI of a configuration, natively and in the machine.

use std::fmt::Debug;

use droste_gadgets::suites::hash::{Challenger, Hash};
use droste_native::field::{AnyChallenge, BaseField, ChallengeField};
use droste_native::stark::suite::SuiteCap;
use droste_native::{EF, F, HashId, HashSuite, Poseidon2Suite, with_suite};
use p3_commit::Mmcs;
use p3_matrix::Dimensions;
use p3_merkle_tree::MerkleTreeError;

use super::suite::TapeSuite;
use crate::codegen::SymbolicField;

/// Names the Merkle trees and the transcript of proofs over FRI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreesId {
    /// Those of a hash suite.
    Suite(HashId),
    /// Trees in the sponge over the 64-bit lanes of Keccak-f, with the transcript of Keccak-256.
    KeccakSponge,
    /// Trees and transcript in Poseidon2 of width 16, with round constants that the program gives.
    Poseidon2Narrow,
    /// Those of the suite Poseidon2, with round constants that the program gives.
    Poseidon2Wide,
}

impl From<HashId> for TreesId {
    fn from(hash: HashId) -> Self {
        Self::Suite(hash)
    }
}

impl TreesId {
    /// Name in keys.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Suite(hash) => hash.name(),
            Self::KeccakSponge => "keccak-sponge",
            Self::Poseidon2Narrow => "poseidon2-16",
            Self::Poseidon2Wide => "poseidon2-24",
        }
    }

    /// These, or the suite that does the same: [`Self::Poseidon2Wide`] without constants of its own
    /// has those of the suite Poseidon2.
    pub const fn with(self, constants: &[[F; 8]]) -> Self {
        match self {
            Self::Poseidon2Wide if constants.is_empty() => Self::Suite(HashId::Poseidon2),
            trees => trees,
        }
    }

    /// The suite whose transcript samples the same words.
    pub const fn hash(self) -> HashId {
        match self {
            Self::Suite(hash) => hash,
            Self::KeccakSponge => HashId::Keccak,
            Self::Poseidon2Narrow | Self::Poseidon2Wide => HashId::Poseidon2,
        }
    }

    /// Whether trees and transcript hash bytes, of which elements of any field are made.
    pub const fn are_of_bytes(self) -> bool {
        self.hash().is_of_bytes()
    }

    /// Bits of security against collisions of digests.
    pub const fn collision_bits(self) -> f64 {
        match self {
            Self::Suite(hash) => with_suite!(hash, H => H::COLLISION_BITS),
            // Digests of 256 bits, and a capacity of 512.
            Self::KeccakSponge => 128.0,
            // Digests and capacity of 8 elements, if the constants were drawn at random.
            Self::Poseidon2Narrow | Self::Poseidon2Wide => Poseidon2Suite::COLLISION_BITS,
        }
    }
}

/// A configuration whose proofs over FRI can be verified in-circuit: a hash suite, or
/// [`Stock`](crate::airs::Stock).
pub trait FriConfig: sealed::Sealed + Clone + Debug + Eq + 'static {
    /// Its trees and its transcript.
    const TREES: TreesId;

    /// The field of challenges.
    const FIELD: ChallengeField = <Self::Challenge as AnyChallenge>::FIELD;

    /// Degree of the field of challenges.
    const DEGREE: usize = Self::FIELD.degree();

    /// The field of traces and public values.
    type Val: BaseField;

    /// The field of challenges.
    type Challenge: SymbolicField<Base = Self::Val>;

    /// A digest.
    type Digest: Copy + Debug + Eq + Send + Sync;

    /// Merkle trees over rows of base field elements.
    type Trees: Mmcs<
            Self::Val,
            Commitment: SuiteCap<Self::Digest>,
            MultiProof: Sync,
            Error = MerkleTreeError,
        >;

    /// What opens these trees.
    type Opener: Clone;

    /// The gadget for its digests and Merkle trees.
    type Gadget: Hash;

    /// The gadget for its transcript.
    type Transcript: Challenger;

    /// The trees that it opens.
    fn trees(opener: &Self::Opener) -> &Self::Trees;

    /// What follows the rows of each query in their leaves, one list for each matrix, if the trees
    /// have salts.
    fn salts(
        _proof: &<Self::Trees as Mmcs<Self::Val>>::MultiProof,
    ) -> Option<&[Vec<Vec<Self::Val>>]> {
        None
    }

    /// Restores one full authentication path per query ([`HashSuite::restore_paths`]). Rows, and
    /// the dimensions' widths, have their salts.
    ///
    /// # Errors
    /// If the proof does not fit the tree that the dimensions and indices describe.
    fn restore_paths(
        opener: &Self::Opener,
        dimensions: &[Dimensions],
        indices: &[usize],
        rows: &[Vec<Vec<Self::Val>>],
        proof: &<Self::Trees as Mmcs<Self::Val>>::MultiProof,
    ) -> Result<Vec<Vec<Self::Digest>>, MerkleTreeError>;

    /// A digest, as blocks of the machine.
    fn digest_blocks(digest: &Self::Digest) -> Vec<[F; 8]>;

    /// Does natively what a program does first: gives the round constants of the permutations, whose
    /// blocks these are.
    fn set_constants(_constants: &[[u32; 8]]) {}

    /// The integer whose low bits are a query index, from a word that the transcript sampled.
    fn integer(word: [F; 2]) -> u32 {
        super::suite::integer(Self::TREES.hash(), word)
    }
}

/// Other crates have configurations only by way of suites: degree and name are derived here.
pub(crate) mod sealed {
    pub trait Sealed {}

    impl<H: super::TapeSuite> Sealed for H {}
}

impl<H: TapeSuite> FriConfig for H {
    const TREES: TreesId = TreesId::Suite(<H as HashSuite>::ID);

    type Val = F;
    type Challenge = EF;
    type Digest = <H as HashSuite>::Digest;
    type Trees = <H as HashSuite>::ValMmcs;
    type Opener = <H as HashSuite>::ValMmcs;
    type Gadget = <H as TapeSuite>::Gadget;
    type Transcript = <H as TapeSuite>::Transcript;

    fn trees(opener: &Self::Opener) -> &Self::Trees {
        opener
    }

    fn restore_paths(
        opener: &Self::Opener,
        dimensions: &[Dimensions],
        indices: &[usize],
        rows: &[Vec<Vec<F>>],
        proof: &<Self::Trees as Mmcs<F>>::MultiProof,
    ) -> Result<Vec<Vec<Self::Digest>>, MerkleTreeError> {
        <H as HashSuite>::restore_paths(opener, dimensions, indices, rows, proof)
    }

    fn digest_blocks(digest: &Self::Digest) -> Vec<[F; 8]> {
        <H as TapeSuite>::digest_blocks(digest)
    }

    fn integer(word: [F; 2]) -> u32 {
        <H as TapeSuite>::integer(word)
    }
}

/// A commitment to a list of matrices.
pub type Cap<V> = <<V as FriConfig>::Trees as Mmcs<<V as FriConfig>::Val>>::Commitment;
