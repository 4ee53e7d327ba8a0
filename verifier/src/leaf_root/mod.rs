//! The Keccak-256 root of the leaves of an aggregate, for contracts, to which Poseidon-16 is dear.
//!
//! [`Aggregator::leaf_root`](crate::aggregate::Aggregator::leaf_root) runs an ordinary program,
//! `droste_gadgets::leaf_root`, that goes through the claim tree of an aggregate and computes the
//! root of a Keccak tree over the keys and statements of its leaves ([`LeafTree`]), and joins the
//! proof of the run to the aggregate. What the result says is a [`LeafRoot`]: whoever knows the
//! keys of the steps in between ([`PinnedKeys`]) computes from it the statement of the last proof
//! ([`LeafRoot::exit_statement`], [`crate::aggregate::exit_statement`]).
//!
//! # What it shows
//!
//! Let a verifier have accepted the last proof with that statement under a key that it knows, let
//! it know the pinned keys, and let the list of recursion keys with the digest [`LeafRoot::keys`]
//! have none but keys of wraps and joins. Then valid proofs exist of all leaves of the Keccak tree,
//! under their keys: the aggregate's root is a valid proof, and each node that the program opened
//! has a listed key, so its children are valid proofs, too. The leaves are *all* leaves of the
//! claim tree, level by level, which is not the order of
//! [`ClaimTree::leaves`](crate::claim::ClaimTree::leaves) where they are at different depths.
//!
//! # What it does not show
//!
//! - **Bits.** The list has keys and no bits. Whoever registers its digest checks what the programs
//!   of these keys accept.
//! - **That leaves are ordinary programs.** A prover may leave any node closed. It is then a leaf
//!   with a recursion key, and what is below it is not in the tree. Consumers accept leaves by key,
//!   so this does no harm: nobody accepts a recursion key for a leaf.

mod make;
mod program;
#[cfg(test)]
mod tests;
mod tree;

use droste_gadgets::leaf_root::{KEYS, KEYS_TAG, ROOT_WORD};
use droste_native::F;
use droste_native::hash::keccak::Keccak256;
use droste_native::hash::poseidon16::Poseidon16;
use droste_vm::compiler::CompileError;
use droste_vm::executor::RunError;
use droste_vm::key::{KeyDigest, KeyError};
use droste_vm::stack::ProveError;
use droste_vm::verifier::VerifyError;
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use thiserror::Error;

pub use make::{ExitKeys, Rooted, RootedLeaves};
pub use program::{Hints, LeafRootProgram};
pub use tree::{LeafTree, PathError, leaf_digest, verify_path};

use crate::aggregate::AggregateError;
use crate::circuit::CircuitError;
use crate::claim::claim_digest;

/// Why there is no leaf root of an aggregate.
#[derive(Debug, Error)]
#[error(transparent)]
pub enum LeafRootError {
    /// The list would have none or too many recursion keys.
    #[error("the list has {0} recursion keys, expected 1 to {KEYS}")]
    Keys(usize),
    /// A node with children has a key that is not in the list.
    #[error("{0} is a recursion key of the aggregate, but not one of those listed for leaf roots")]
    NotListed(KeyDigest),
    /// The program does not take a claim tree of this size.
    #[error(
        "the claim tree has {leaves} leaves and {nodes} nodes, expected at most {} and {}",
        .program.leaves(),
        .program.nodes()
    )]
    TooLarge {
        /// Number of leaves.
        leaves: usize,
        /// Number of nodes.
        nodes: usize,
        /// The program, the largest one if another could be chosen.
        program: LeafRootProgram,
    },
    /// The program does not compile, which is an error of this crate.
    #[error("the program does not compile")]
    Compile(#[source] Box<CompileError>),
    /// The program does not accept the tree, which is an error of this crate.
    #[error("the program does not accept the claim tree")]
    Run(#[source] Box<RunError>),
    /// The settings make no key.
    Key(#[from] KeyError),
    /// The run cannot be proved.
    Prove(#[from] ProveError),
    /// The proof is not valid, which is an error of this crate.
    Verify(#[from] VerifyError),
    /// The program has no machine.
    Circuit(#[from] CircuitError),
    /// The proof cannot be wrapped, or not be joined to the aggregate.
    Aggregate(#[from] AggregateError),
}

/// A list of recursion keys, ascending: 1 to 32 of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedKeys(Vec<KeyDigest>);

impl ListedKeys {
    /// The list of these keys.
    ///
    /// # Errors
    /// If there are none or too many.
    pub fn new(keys: impl IntoIterator<Item = KeyDigest>) -> Result<Self, LeafRootError> {
        let mut keys: Vec<_> = keys.into_iter().collect();
        keys.sort_unstable();
        keys.dedup();
        match keys.len() {
            1..=KEYS => Ok(Self(keys)),
            count => Err(LeafRootError::Keys(count)),
        }
    }

    /// The keys.
    pub fn keys(&self) -> &[KeyDigest] {
        &self.0
    }

    /// The digest that names the list: `Poseidon16::hash` under the tag `rkey` of 32 keys, where
    /// the last one is repeated if there are fewer.
    pub fn digest(&self) -> KeyDigest {
        let message = self.blocks();
        KeyDigest(Poseidon16.hash(F::new(KEYS_TAG), message.as_flattened()))
    }

    /// The keys as the program reads them.
    fn blocks(&self) -> Vec<[F; 8]> {
        let mut blocks: Vec<_> = self.0.iter().map(|key| key.0).collect();
        let last = blocks.last().copied().unwrap_or_default();
        blocks.resize(KEYS, last);
        blocks
    }

    /// The place of a key.
    fn place(&self, key: KeyDigest) -> Result<usize, LeafRootError> {
        let place = self.0.binary_search(&key);
        place.map_err(|_| LeafRootError::NotListed(key))
    }
}

/// What a proof of the program says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeafRoot {
    /// Digest of the list of recursion keys ([`ListedKeys::digest`]).
    pub keys: KeyDigest,
    /// Key of the aggregate's root.
    pub key: KeyDigest,
    /// Claim of the aggregate.
    pub claim: [F; 8],
    /// Root of the Keccak tree ([`LeafTree::root`]).
    pub root: [u8; 32],
    /// Number of leaves.
    pub leaves: u32,
}

/// The keys of the steps between a leaf root and the last proof. Whoever verifies must know them:
/// they do not depend on the aggregate, but on its canonical shape and on the size of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PinnedKeys {
    /// Key of the join of the aggregate and the wrap.
    pub join: KeyDigest,
    /// Keys of the wraps, the last one first: each verified the next.
    pub wraps: Vec<KeyDigest>,
    /// Key of the program.
    pub program: KeyDigest,
}

impl LeafRoot {
    /// The statement of the program's proof: the words of the Keccak-256 digest of a message of 136
    /// bytes, modulo `p`. The message is the digest of the list, the key and the claim, as the
    /// bytes of canonical integers, low byte first; the root; the number of leaves; and `root` in
    /// ASCII.
    pub fn statement(&self) -> [F; 8] {
        let mut message = Vec::with_capacity(136);
        for elements in [&self.keys.0, &self.key.0, &self.claim] {
            message.extend(bytes(elements));
        }
        message.extend(self.root);
        message.extend(self.leaves.to_le_bytes());
        message.extend((ROOT_WORD as u32).to_le_bytes());
        let digest = Keccak256.hash(&message);
        let mut statement = [F::ZERO; 8];
        for (element, word) in statement.iter_mut().zip(digest.as_chunks().0) {
            *element = F::from_u32(u32::from_le_bytes(*word));
        }
        statement
    }

    /// The statement of the last proof of the aggregate to which the leaf root was joined.
    pub fn exit_statement(&self, pinned: &PinnedKeys) -> [F; 8] {
        let leaf = (pinned.program, self.statement());
        let wraps = pinned.wraps.iter().rev();
        let wrap = wraps.fold(leaf, |below, &wrap| (wrap, claim_digest(&[below])));
        let joined = claim_digest(&[(self.key, self.claim), wrap]);
        claim_digest(&[(pinned.join, joined)])
    }
}

/// The bytes of the canonical integers of elements, low byte first.
fn bytes(elements: &[F; 8]) -> impl Iterator<Item = u8> {
    let elements = elements.iter();
    elements.flat_map(|element| element.as_canonical_u32().to_le_bytes())
}
