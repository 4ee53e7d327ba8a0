//! Types that tell verified aggregates from unverified ones.

use droste_native::F;
use droste_vm::key::KeyDigest;
use droste_vm::machine::StandardTables;
use droste_vm::verifier::{Report, VerifyOptions};
use droste_vm::whir;

#[cfg(feature = "prover")]
use super::Step;
use super::{AcceptError, BitsError};
use crate::claim::{AcceptedLeaves, Claim, ClaimError, ClaimTree, check_size};
use crate::keys::{ClaimedKeys, DigestKind, KeySet, KeysError, TreeBits};
#[cfg(feature = "prover")]
use crate::keys::{Deriver, Evidence};

/// A recursion proof with a claim tree and keys, of which nothing has been verified.
/// [`crate::file::decode`] makes it; it must be accepted as an [`Aggregate`] before it can be
/// wrapped or joined.
#[derive(Clone, Debug)]
pub struct UnverifiedAggregate {
    /// The proof.
    pub proof: whir::Proof,
    /// Claim tree with this proof at its root.
    pub tree: ClaimTree,
    /// Keys of the recursion programs in the tree.
    pub keys: ClaimedKeys,
}

/// A verified recursion proof with its claim tree; its recursion keys are derived or pinned.
#[derive(Clone, Debug)]
pub struct Aggregate {
    proof: whir::Proof,
    tree: ClaimTree,
    keys: KeySet,
    accepted: Accepted,
    #[cfg(feature = "prover")]
    steps: Vec<Step>,
}

/// What a caller asks of an aggregate, beside its keys, claim and leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AggregateOptions {
    /// Proven bits that every proof of the tree must have at least: 100 unless the caller says
    /// otherwise.
    pub min_bits: usize,
    /// Proven bits that all proofs must have together, by the union bound. If the caller does not
    /// say, 100, or none if fewer are asked of each proof.
    pub min_tree_bits: Option<usize>,
}

/// Bits that all proofs of a tree must have together unless the caller says otherwise.
const MIN_TREE_BITS: usize = 100;

impl Default for AggregateOptions {
    fn default() -> Self {
        Self::min_bits(VerifyOptions::DEFAULT.min_bits)
    }
}

impl AggregateOptions {
    /// So many proven bits of every proof, and the default of all together. With 0, aggregates
    /// without security are accepted.
    pub const fn min_bits(min_bits: usize) -> Self {
        Self {
            min_bits,
            min_tree_bits: None,
        }
    }

    /// The same options, and so many bits of all proofs together, if it is some.
    #[must_use]
    pub const fn with_min_tree_bits(self, min_tree_bits: Option<usize>) -> Self {
        Self {
            min_tree_bits,
            ..self
        }
    }

    /// Checks that the least bits of any proof of a tree, and those of all together, are as many as
    /// these options ask for.
    ///
    /// # Errors
    /// Which are missing.
    pub fn check(self, bits: usize, tree_bits: usize) -> Result<(), BitsError> {
        let (expected, found) = (self.min_bits, bits);
        if found < expected {
            return Err(BitsError::Proof { expected, found });
        }
        let (expected, found) = (self.tree_bits(), tree_bits);
        if found < expected {
            Err(BitsError::Tree { expected, found })
        } else {
            Ok(())
        }
    }

    fn tree_bits(self) -> usize {
        let default = if self.min_bits < MIN_TREE_BITS {
            0
        } else {
            MIN_TREE_BITS
        };
        self.min_tree_bits.unwrap_or(default)
    }
}

/// What an accepted aggregate says.
#[derive(Clone, Debug, PartialEq)]
pub struct Accepted {
    /// The proof at the root.
    pub root: Report,
    /// Proven bits that every proof of the tree has at least, including the root and the leaves.
    pub bits: usize,
    /// Proven bits of all proofs of the tree together, by the union bound.
    pub tree_bits: usize,
    /// Number of proofs in the tree.
    pub proofs: u64,
    /// The keys that its leaves were allowed to have.
    pub leaves: AcceptedLeaves,
}

impl Accepted {
    pub(crate) fn new(root: Report, mut below: TreeBits, leaves: &AcceptedLeaves) -> Self {
        let bits = root.bits();
        below.add(bits, 1);
        Self {
            bits: below.least().unwrap_or(bits),
            tree_bits: below.union().unwrap_or(bits),
            proofs: below.proofs(),
            leaves: leaves.clone(),
            root,
        }
    }

    /// Checks that there are the proven bits that are asked for.
    ///
    /// # Errors
    /// Which are missing.
    pub fn check(&self, options: AggregateOptions) -> Result<(), BitsError> {
        options.check(self.bits, self.tree_bits)
    }
}

impl UnverifiedAggregate {
    /// The digest of the listed recursion keys.
    pub fn key(&self) -> KeyDigest {
        self.keys.digest()
    }

    /// Checks the digest of the listed recursion keys.
    ///
    /// # Errors
    /// [`KeysError::Digest`].
    pub fn check_key(&self, expected: KeyDigest) -> Result<(), KeysError> {
        let found = self.key();
        if found == expected {
            Ok(())
        } else {
            let is = self.kind_of(expected);
            Err(KeysError::Digest {
                expected,
                found,
                is,
            })
        }
    }

    /// What the file has with this digest, if anything. Nothing of it is verified.
    pub fn kind_of(&self, digest: KeyDigest) -> Option<DigestKind> {
        if digest == self.key() {
            Some(DigestKind::KeySet)
        } else if digest.0 == self.claim() {
            Some(DigestKind::Claim)
        } else if self.keys.bits(digest).is_some() {
            Some(DigestKind::RecursionKey)
        } else {
            let mut nodes = self.tree.nodes();
            let has_it = nodes.any(|(_, node)| node.key == digest);
            has_it.then_some(DigestKind::ProgramKey)
        }
    }

    /// What the aggregate claims. [`KeyDigest`] of it prints what the command prints and takes as
    /// `--claim`: `KeyDigest(aggregate.claim()).to_string()`.
    pub const fn claim(&self) -> [F; 8] {
        self.proof.statement
    }

    /// Accepts the aggregate if it proves `claim`, its set of recursion keys has the digest `key`,
    /// every leaf of its tree is one of `leaves`, and it is as `options` ask.
    ///
    /// # Soundness obligations
    ///
    /// The caller must have `key` from a derivation ([`Deriver::derive`], `droste keys`), and the
    /// keys of the leaves from their programs, not from the file. `claim` binds the keys and
    /// statements of all leaves, in order ([`ClaimTree::leaves`]): a caller who did not compute it
    /// from them must check them.
    ///
    /// # Errors
    /// Why it is rejected.
    pub fn verify(
        self,
        key: KeyDigest,
        claim: &[F; 8],
        options: AggregateOptions,
        leaves: &AcceptedLeaves,
    ) -> Result<Aggregate, AcceptError> {
        self.check_key(key)?;
        if self.claim() != *claim {
            return Err(AcceptError::OtherClaim {
                expected: *claim,
                found: self.claim(),
                is: self.kind_of(KeyDigest(*claim)),
            });
        }
        self.pinned(key, options, leaves)
    }

    /// Like [`Self::verify`], but accepts any claim.
    ///
    /// # Errors
    /// Why it is rejected.
    pub fn pinned(
        self,
        key: KeyDigest,
        options: AggregateOptions,
        leaves: &AcceptedLeaves,
    ) -> Result<Aggregate, AcceptError> {
        self.accept(options, leaves, |claimed| claimed.pinned(key))
    }

    /// Verifies the aggregate under the keys that it lists, without trusting them, with any leaves.
    /// This shows only that the aggregate is consistent in itself.
    ///
    /// # Errors
    /// Why it is not.
    pub fn check(&self) -> Result<Accepted, AcceptError> {
        self.accept_listed(AggregateOptions::min_bits(0), &AcceptedLeaves::Any)
    }

    fn accept(
        self,
        options: AggregateOptions,
        leaves: &AcceptedLeaves,
        trust: impl FnOnce(ClaimedKeys) -> Result<KeySet, KeysError>,
    ) -> Result<Aggregate, AcceptError> {
        // The cheap checks come first. They may use the listed keys, because `trust` either refuses
        // the keys or returns them and their bits unchanged.
        let accepted = self.accept_listed(options, leaves)?;
        Ok(Aggregate {
            keys: trust(self.keys)?,
            proof: self.proof,
            tree: self.tree,
            accepted,
            #[cfg(feature = "prover")]
            steps: vec![],
        })
    }

    fn accept_listed(
        &self,
        options: AggregateOptions,
        leaves: &AcceptedLeaves,
    ) -> Result<Accepted, AcceptError> {
        let min_bits = options.min_bits;
        let below = check_tree(&self.proof, &self.tree, &self.keys, min_bits)?;
        self.tree
            .check_leaves(leaves)
            .map_err(|error| self.mistaken_leaves(leaves).unwrap_or(error))?;
        let verifier = whir::Verifier::<StandardTables>::new(self.proof.key.clone())?;
        let root = verifier.verify(&[], VerifyOptions::min_bits(min_bits), &self.proof)?;
        let accepted = Accepted::new(root, below, leaves);
        accepted.check(options)?;
        Ok(accepted)
    }

    /// If one of the keys that a caller gave for leaves is something else in this aggregate.
    fn mistaken_leaves(&self, leaves: &AcceptedLeaves) -> Option<ClaimError> {
        let AcceptedLeaves::Keys(keys) = leaves else {
            return None;
        };
        keys.iter().find_map(|&key| match self.kind_of(key) {
            None | Some(DigestKind::ProgramKey) => None,
            Some(is) => Some(ClaimError::NoLeafKey { key, is }),
        })
    }
}

impl Aggregate {
    /// The proof.
    pub const fn proof(&self) -> &whir::Proof {
        &self.proof
    }

    /// Claim tree with this proof at its root.
    pub const fn tree(&self) -> &ClaimTree {
        &self.tree
    }

    /// Keys of the recursion programs in the tree.
    pub const fn keys(&self) -> &KeySet {
        &self.keys
    }

    /// What verifying it established.
    pub const fn accepted(&self) -> &Accepted {
        &self.accepted
    }

    /// The digest of its recursion keys, for [`UnverifiedAggregate::verify`].
    pub fn key(&self) -> KeyDigest {
        self.keys.digest()
    }

    /// What the aggregate claims. [`KeyDigest`] of it prints what the command prints and takes as
    /// `--claim`: `KeyDigest(aggregate.claim()).to_string()`.
    pub const fn claim(&self) -> [F; 8] {
        self.proof.statement
    }
}

#[cfg(feature = "prover")]
impl UnverifiedAggregate {
    /// Accepts the aggregate, with any claim, if each of its recursion keys is the key of the
    /// program it is listed with, and every leaf of its tree is one of `leaves`. The keys are
    /// derived from those programs, not taken from the list.
    ///
    /// # Errors
    /// Why it is rejected.
    pub fn derive(
        self,
        deriver: &Deriver,
        leaves: &AcceptedLeaves,
    ) -> Result<Aggregate, AcceptError> {
        let options = AggregateOptions::min_bits(0);
        self.accept(options, leaves, |claimed| deriver.derive(&claimed))
    }

    /// Accepts the aggregate, with any claim, leaves and bits, if the digest of its set of keys is
    /// one of `pinned`, which are known to be good; otherwise as [`Self::derive`] does. Returns the
    /// reason why its keys are trusted, too.
    ///
    /// # Errors
    /// Why it is rejected.
    pub fn trusted(
        self,
        pinned: &[KeyDigest],
        deriver: &Deriver,
    ) -> Result<(Aggregate, Evidence), AcceptError> {
        let (key, any) = (self.key(), &AcceptedLeaves::Any);
        Ok(if pinned.contains(&key) {
            let options = AggregateOptions::min_bits(0);
            (self.pinned(key, options, any)?, Evidence::Pinned)
        } else {
            (self.derive(deriver, any)?, Evidence::Derived)
        })
    }
}

#[cfg(feature = "prover")]
impl Aggregate {
    /// An aggregate of the proof that a step made and verified; `root` is the report of its
    /// verification.
    pub(super) fn made(
        proof: whir::Proof,
        tree: ClaimTree,
        keys: KeySet,
        root: Report,
        step: Step,
    ) -> Result<Self, AcceptError> {
        let below = check_tree(&proof, &tree, keys.claimed(), 0)?;
        Ok(Self {
            accepted: Accepted::new(root, below, &AcceptedLeaves::Any),
            proof,
            tree,
            keys,
            steps: vec![step],
        })
    }

    /// Prepends the steps that came before this aggregate's own.
    pub(super) fn after(mut self, mut steps: Vec<Step>) -> Self {
        steps.append(&mut self.steps);
        Self { steps, ..self }
    }

    /// The steps that made it from its children, in order; none if it was read from a file.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Proof, claim tree, recursion keys and steps.
    pub(super) fn into_parts(self) -> (whir::Proof, ClaimTree, KeySet, Vec<Step>) {
        (self.proof, self.tree, self.keys, self.steps)
    }
}

/// Checks that the tree belongs to the proof, that its recursion keys are the listed ones, and that
/// every proof below the root has at least `min_bits` proven bits. Returns the bits of those
/// proofs. Does not verify the proof itself.
fn check_tree(
    proof: &whir::Proof,
    tree: &ClaimTree,
    keys: &ClaimedKeys,
    min_bits: usize,
) -> Result<TreeBits, ClaimError> {
    let expected = proof.key.digest();
    let found = tree.key;
    if found != expected {
        return Err(ClaimError::Root { expected, found });
    }
    // The root must have children: otherwise an ordinary program's statement would pass for a
    // claim.
    if matches!(tree.claim, Claim::Statement(_)) {
        return Err(ClaimError::Hidden(found));
    }
    check_size(tree.children())?;
    if tree.claim.statement() != proof.statement {
        return Err(ClaimError::Digest);
    }
    tree.check_listed(keys, min_bits)
}

#[cfg(test)]
mod tests {
    use super::AggregateOptions;

    #[test]
    fn trees_have_a_hundred_bits_unless_less_is_asked_of_each_proof() {
        let tree_bits = |tree, bits| {
            let options = AggregateOptions::min_bits(bits);
            options.with_min_tree_bits(tree).tree_bits()
        };
        assert_eq!(AggregateOptions::default().tree_bits(), 100);
        assert_eq!([100, 120].map(|bits| tree_bits(None, bits)), [100, 100]);
        assert_eq!([0, 99].map(|bits| tree_bits(None, bits)), [0, 0]);
        assert_eq!(tree_bits(Some(7), 100), 7);
        assert_eq!(tree_bits(Some(112), 0), 112);
    }
}
