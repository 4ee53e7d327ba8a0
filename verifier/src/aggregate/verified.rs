//! Proofs and aggregates that have been verified, and those that have not.

use droste_native::{F, HashFamily, Poseidon16Family};
use droste_vm::isa::Program;
use droste_vm::key::{Key, KeyDigest};
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::prover::Proof;
use droste_vm::verifier::{Report, Verifier, VerifyError, verify, verify_program};

use super::{AggregateError, Step};
use crate::claim::{Claim, ClaimError, ClaimTree, TreeBits};
use crate::keys::{ClaimedKeys, Deriver, KeySet, KeysError};

/// The proof of an ordinary program, verified natively.
#[derive(Debug)]
pub struct VerifiedProof<H: HashFamily> {
    proof: Proof<H>,
    report: Report,
}

impl<H: HashFamily> VerifiedProof<H>
where
    StandardTables: Provable<H>,
{
    /// Verifies `proof` against `key`, for a statement that begins with `public`, at `min_bits` proven
    /// bits or more: [`droste_vm::verifier::verify`].
    ///
    /// # Errors
    /// Why the proof is rejected.
    pub fn new(
        proof: Proof<H>,
        key: &Key<H>,
        public: &[F],
        min_bits: usize,
    ) -> Result<Self, VerifyError> {
        let report = verify::<H, StandardTables>(key, public, min_bits, &proof)?;
        Ok(Self { proof, report })
    }

    /// Verifies that `proof` is of `program`, with the parameters that it states, committing at most
    /// `limit` rows: [`droste_vm::verifier::verify_program`].
    ///
    /// # Errors
    /// Why the proof is rejected.
    pub fn of_program(
        proof: Proof<H>,
        program: &Program,
        public: &[F],
        min_bits: usize,
        limit: usize,
    ) -> Result<Self, VerifyError> {
        let report = verify_program::<H, StandardTables>(program, public, min_bits, limit, &proof)?;
        Ok(Self { proof, report })
    }

    /// Verifies `proof` under the key that it carries: it is valid, but what of is for the caller to see.
    ///
    /// # Errors
    /// Why the proof is rejected.
    pub fn under_its_own_key(proof: Proof<H>) -> Result<Self, VerifyError> {
        let key = proof.key.clone();
        Self::new(proof, &key, &[], 0)
    }

    /// The proof.
    pub const fn proof(&self) -> &Proof<H> {
        &self.proof
    }

    /// What it says.
    pub const fn report(&self) -> &Report {
        &self.report
    }
}

/// A recursion proof and what somebody says that it claims: nothing in it is verified, and nothing
/// takes it for verified. [`crate::file::decode`] makes it.
#[derive(Debug)]
pub struct UnverifiedAggregate {
    /// The proof.
    pub proof: Proof<Poseidon16Family>,
    /// Keys and statements below it.
    pub tree: ClaimTree,
    /// Keys of the recursion programs in the tree.
    pub keys: ClaimedKeys,
}

/// A recursion proof and what it claims, verified, with recursion keys that are derived or pinned.
#[derive(Debug)]
pub struct Aggregate {
    proof: Proof<Poseidon16Family>,
    tree: ClaimTree,
    keys: KeySet,
    accepted: Accepted,
    steps: Vec<Step>,
}

/// What an accepted aggregate says.
#[derive(Clone, Debug, PartialEq)]
pub struct Accepted {
    /// The proof at the root.
    pub root: Report,
    /// Proven bits that every proof of the tree has, the root's and those at the leaves included.
    pub bits: usize,
    /// Proven bits of all proofs of the tree together, by the union bound.
    pub tree_bits: usize,
    /// Number of proofs of the tree.
    pub proofs: u64,
}

impl Accepted {
    fn new(root: Report, mut below: TreeBits) -> Self {
        let bits = root.security.bits();
        below.add(bits, 1);
        Self {
            bits: below.least().unwrap_or(bits),
            tree_bits: below.union().unwrap_or(bits),
            proofs: below.proofs(),
            root,
        }
    }
}

impl UnverifiedAggregate {
    /// The digest of the recursion keys that are listed.
    pub fn key(&self) -> KeyDigest {
        self.keys.digest()
    }

    /// What the aggregate claims.
    pub const fn claim(&self) -> [F; 8] {
        self.proof.statement
    }

    /// Accepts the aggregate if it proves `claim`, with recursion keys from the set of digest `key`,
    /// and every proof of its tree has `min_bits` proven bits or more.
    ///
    /// `key` is trusted: it comes from a derivation ([`Deriver::derive`], `droste keys`). `claim` binds
    /// the keys and statements of all ordinary proofs below, in order ([`ClaimTree::leaves`]): a caller
    /// who takes it from elsewhere must look at those.
    ///
    /// # Errors
    /// Why it is rejected.
    pub fn verify(
        self,
        key: KeyDigest,
        claim: &[F; 8],
        min_bits: usize,
    ) -> Result<Aggregate, AggregateError> {
        let found = self.key();
        if found != key {
            let expected = key;
            return Err(KeysError::Digest { expected, found }.into());
        }
        if self.claim() != *claim {
            return Err(AggregateError::Statement {
                expected: *claim,
                found: self.claim(),
            });
        }
        self.pinned(key, min_bits)
    }

    /// As [`Self::verify`], whatever the claim.
    ///
    /// # Errors
    /// Why it is rejected.
    pub fn pinned(self, key: KeyDigest, min_bits: usize) -> Result<Aggregate, AggregateError> {
        self.accept(min_bits, |claimed| claimed.pinned(key))
    }

    /// Accepts the aggregate, whatever its claim, if each of its recursion keys is that of the program
    /// it is listed with: derived here, not taken over.
    ///
    /// # Errors
    /// Why it is rejected.
    pub fn derive(self, deriver: &Deriver) -> Result<Aggregate, AggregateError> {
        self.accept(0, |claimed| deriver.derive(&claimed))
    }

    /// Verifies the aggregate under the keys that it lists, and believes nothing: what that proves is
    /// that the file is consistent with itself.
    ///
    /// # Errors
    /// Why it is not.
    pub fn check(&self) -> Result<Accepted, AggregateError> {
        self.accept_listed(0)
    }

    fn accept(
        self,
        min_bits: usize,
        trust: impl FnOnce(ClaimedKeys) -> Result<KeySet, KeysError>,
    ) -> Result<Aggregate, AggregateError> {
        // Both ways to trust keys give them and their bits unchanged, or refuse them. What costs little
        // is done first.
        let accepted = self.accept_listed(min_bits)?;
        Ok(Aggregate {
            keys: trust(self.keys)?,
            proof: self.proof,
            tree: self.tree,
            accepted,
            steps: vec![],
        })
    }

    fn accept_listed(&self, min_bits: usize) -> Result<Accepted, AggregateError> {
        let below = check_tree(&self.proof, &self.tree, &self.keys, min_bits)?;
        let verifier = Verifier::<Poseidon16Family, StandardTables>::new(self.proof.key.clone())?;
        let root = verifier.verify(&self.proof.statement, min_bits, &self.proof)?;
        Ok(Accepted::new(root, below))
    }
}

impl Aggregate {
    /// The proof that a step made and verified, and what is known of those below it.
    pub(super) fn made(
        proof: Proof<Poseidon16Family>,
        tree: ClaimTree,
        keys: KeySet,
        root: Report,
        step: Step,
    ) -> Result<Self, AggregateError> {
        let below = check_tree(&proof, &tree, keys.claimed(), 0)?;
        Ok(Self {
            accepted: Accepted::new(root, below),
            proof,
            tree,
            keys,
            steps: vec![step],
        })
    }

    /// The same, made by these steps and then its own.
    pub(super) fn after(mut self, mut steps: Vec<Step>) -> Self {
        steps.append(&mut self.steps);
        Self { steps, ..self }
    }

    /// The proof.
    pub const fn proof(&self) -> &Proof<Poseidon16Family> {
        &self.proof
    }

    /// Keys and statements below it.
    pub const fn tree(&self) -> &ClaimTree {
        &self.tree
    }

    /// Keys of the recursion programs in the tree.
    pub const fn keys(&self) -> &KeySet {
        &self.keys
    }

    /// What verification found.
    pub const fn accepted(&self) -> &Accepted {
        &self.accepted
    }

    /// The steps that made it from its children, last one last; none where it was read from a file.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The digest of the recursion keys below, for [`UnverifiedAggregate::verify`].
    pub fn key(&self) -> KeyDigest {
        self.keys.digest()
    }

    /// What the aggregate claims.
    pub const fn claim(&self) -> [F; 8] {
        self.proof.statement
    }

    /// Its parts.
    pub(super) fn into_parts(self) -> (Proof<Poseidon16Family>, ClaimTree, KeySet, Vec<Step>) {
        (self.proof, self.tree, self.keys, self.steps)
    }
}

/// The tree is the proof's, its recursion keys are those that are listed, and every proof below the
/// root has `min_bits`; the bits that they have. The proof itself is not verified here.
fn check_tree(
    proof: &Proof<Poseidon16Family>,
    tree: &ClaimTree,
    keys: &ClaimedKeys,
    min_bits: usize,
) -> Result<TreeBits, ClaimError> {
    let expected = proof.key.digest();
    let found = tree.key;
    if found != expected {
        return Err(ClaimError::Root { expected, found });
    }
    // A root without children would make an ordinary program's statement a claim.
    if matches!(tree.claim, Claim::Statement(_)) {
        return Err(ClaimError::Hidden(found));
    }
    if tree.claim.statement() != proof.statement {
        return Err(ClaimError::Digest);
    }
    tree.check_listed(keys, min_bits)
}
