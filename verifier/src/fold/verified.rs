//! Types that tell verified folds from unverified ones.

use std::collections::BTreeMap;

use droste_native::F;
use droste_vm::key::KeyDigest;
use droste_vm::verifier::{Report, VerifyOptions};
use droste_vm::whir;

use super::verifier::KnownMachine;
use super::{Counters, Family, MAX_BLOCKS, RefusedFold, statement};
#[cfg(feature = "prover")]
use crate::aggregate::Step;
use crate::aggregate::{AggregateOptions, BitsError};
use crate::keys::{DigestKind, Evidence, TreeBits};

/// A fold's proof with what it says, of which nothing has been verified.
/// [`crate::file::fold::decode`] makes it.
#[derive(Debug)]
pub struct UnverifiedFold {
    /// The rules.
    pub family: Family,
    /// What is counted of the proofs below the root, and the root.
    pub counters: Counters,
    /// What the fold says, as blocks.
    pub state: Vec<[F; 8]>,
    /// The proof of a rule, at the root.
    pub proof: whir::Proof,
}

/// A verified proof of a fold. Only verification makes it, and a rule that was proved here.
#[derive(Debug)]
pub struct Folded {
    fold: UnverifiedFold,
    accepted: Accepted,
    evidence: Evidence,
    #[cfg(feature = "prover")]
    steps: Vec<Step>,
}

/// What a caller asks of a fold, beside its key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// The proven bits that are asked for.
    pub bits: AggregateOptions,
    /// Largest number of proofs that the root may stand for, itself included.
    pub max_proofs: Option<u64>,
    /// Largest number of levels of rules below the root.
    pub max_depth: Option<u32>,
    /// The state. Without one any is accepted, and the caller must look at it.
    pub state: Option<Vec<[F; 8]>>,
    /// Single blocks of the state, by their numbers. The caller must look at the others, unless
    /// there is a state.
    pub blocks: BTreeMap<usize, [F; 8]>,
}

/// What an accepted fold says of its proofs.
#[derive(Clone, Debug, PartialEq)]
pub struct Accepted {
    /// The proof at the root.
    pub root: Report,
    /// Proven bits that every proof has at least, the root and the leaves included.
    pub bits: usize,
    /// Proven bits of all proofs together, by the union bound over the counters.
    pub tree_bits: usize,
    /// How many proofs there are.
    pub counters: Counters,
}

impl Options {
    /// So many proven bits of every proof, and the default of all together
    /// ([`AggregateOptions::min_bits`]).
    pub const fn min_bits(min_bits: usize) -> Self {
        Self {
            bits: AggregateOptions::min_bits(min_bits),
            max_proofs: None,
            max_depth: None,
            state: None,
            blocks: BTreeMap::new(),
        }
    }

    /// The same options, and so many bits of all proofs together, if it is some.
    #[must_use]
    pub fn with_min_tree_bits(self, min_tree_bits: impl Into<Option<usize>>) -> Self {
        Self {
            bits: self.bits.with_min_tree_bits(min_tree_bits.into()),
            ..self
        }
    }

    /// The same options, and at most so many proofs, if it is some.
    #[must_use]
    pub fn with_max_proofs(self, max_proofs: impl Into<Option<u64>>) -> Self {
        Self {
            max_proofs: max_proofs.into(),
            ..self
        }
    }

    /// The same options, and at most so many levels of rules below the root, if it is some.
    #[must_use]
    pub fn with_max_depth(self, max_depth: impl Into<Option<u32>>) -> Self {
        Self {
            max_depth: max_depth.into(),
            ..self
        }
    }

    /// The same options, and this state, if it is some.
    #[must_use]
    pub fn with_state(self, state: impl Into<Option<Vec<[F; 8]>>>) -> Self {
        Self {
            state: state.into(),
            ..self
        }
    }

    /// The same options, and this block of the state, which is counted from 0, instead of another
    /// one that was asked for in its place.
    #[must_use]
    pub fn with_block(mut self, block: usize, lanes: [F; 8]) -> Self {
        self.blocks.insert(block, lanes);
        self
    }

    /// Checks everything but the bits.
    fn check(&self, counters: Counters, state: &[[F; 8]]) -> Result<(), RefusedFold> {
        if let Some(expected) = &self.state {
            check_state(state, expected)?;
        }
        for (&block, expected) in &self.blocks {
            let found = state.get(block).ok_or(RefusedFold::NoBlock {
                block,
                found: state.len(),
            })?;
            check_block(block, found, expected)?;
        }
        let found = counters.proofs();
        if let Some(expected) = self.max_proofs
            && found > expected
        {
            return Err(RefusedFold::Proofs { found, expected });
        }
        let found = counters.depth;
        if let Some(expected) = self.max_depth
            && found > expected
        {
            return Err(RefusedFold::Depth { found, expected });
        }
        Ok(())
    }
}

/// Compares a state with the one that the caller expects.
fn check_state(found: &[[F; 8]], expected: &[[F; 8]]) -> Result<(), RefusedFold> {
    if found.len() != expected.len() {
        return Err(RefusedFold::StateLength {
            found: found.len(),
            expected: expected.len(),
        });
    }
    let mut blocks = found.iter().zip(expected).enumerate();
    blocks.try_for_each(|(block, (found, expected))| check_block(block, found, expected))
}

/// Compares the block of this number with the one that the caller expects.
fn check_block(block: usize, found: &[F; 8], expected: &[F; 8]) -> Result<(), RefusedFold> {
    let mut lanes = found.iter().zip(expected).enumerate();
    match lanes.find(|(_, (found, expected))| found != expected) {
        None => Ok(()),
        Some((lane, (&found, &expected))) => Err(RefusedFold::State {
            block,
            lane,
            found,
            expected,
        }),
    }
}

/// Checks that a fold may say this: family, counters and the number of blocks.
pub(super) fn check_ranges(
    family: &Family,
    counters: Counters,
    state: &[[F; 8]],
) -> Result<(), RefusedFold> {
    family.check()?;
    counters.check()?;
    match state.len() {
        1..=MAX_BLOCKS => Ok(()),
        blocks => Err(RefusedFold::Blocks(blocks)),
    }
}

impl Family {
    /// Adds the bits of the proofs below a node of the family with these counters.
    pub(super) fn add_below(&self, counters: Counters, bits: &mut TreeBits) {
        for (of_each, proofs) in [
            (self.bits, counters.rules.saturating_sub(1)),
            (self.bits_behind, counters.behind),
        ] {
            // Bits that no proof has must not be the least.
            if proofs > 0 {
                bits.add(of_each.into(), proofs as usize);
            }
        }
    }

    /// The bits of the proofs below a node of the family with these counters.
    pub(super) fn below(&self, counters: Counters) -> TreeBits {
        let mut bits = TreeBits::default();
        self.add_below(counters, &mut bits);
        bits
    }
}

impl Accepted {
    /// What is accepted with this proof at the root, above proofs with these bits.
    pub(super) fn new(root: Report, mut bits: TreeBits, counters: Counters) -> Self {
        let own = root.bits();
        bits.add(own, 1);
        Self {
            bits: bits.least().unwrap_or(own),
            tree_bits: bits.union().unwrap_or(own),
            counters,
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

impl UnverifiedFold {
    /// The fold key: the digest of the listed rules.
    pub fn key(&self) -> KeyDigest {
        self.family.key()
    }

    /// What the file has with this digest, if anything. Nothing of it is verified.
    pub fn kind_of(&self, digest: KeyDigest) -> Option<DigestKind> {
        if digest == self.key() {
            Some(DigestKind::FoldKey)
        } else {
            let rule = self.family.place(digest);
            rule.map(|_| DigestKind::RuleKey)
        }
    }

    /// Accepts the fold if its list of rules has the digest `key`, its proof is valid and one of a
    /// rule that says these counters and this state, and it is as `options` ask.
    ///
    /// # Soundness obligations
    ///
    /// `key` must come from a derivation (`Fold::key`, `droste fold key`) of rules that the caller
    /// has read, or from somebody whom the caller believes. A list under another key may have a
    /// program that checks nothing, and may state any bits. If `options` have no state, the caller
    /// must look at [`Folded::state`], in so far as they have no single blocks of it.
    ///
    /// # Errors
    /// Why it is rejected.
    pub fn verify(self, key: KeyDigest, options: &Options) -> Result<Folded, RefusedFold> {
        self.accept(key, options, Evidence::Pinned, &KnownMachine::default())
    }

    /// Verifies the fold under the rules that it lists, without trusting them. This shows only that
    /// it is consistent in itself.
    ///
    /// # Errors
    /// Why it is not.
    pub fn check(&self) -> Result<Accepted, RefusedFold> {
        self.accept_listed(None, &Options::min_bits(0), &KnownMachine::default())
    }

    /// Like [`Self::verify`], for a reason to trust the key.
    pub(super) fn accept(
        self,
        key: KeyDigest,
        options: &Options,
        evidence: Evidence,
        machine: &KnownMachine,
    ) -> Result<Folded, RefusedFold> {
        Ok(Folded {
            accepted: self.accept_listed(Some(key), options, machine)?,
            fold: self,
            evidence,
            #[cfg(feature = "prover")]
            steps: vec![],
        })
    }

    fn accept_listed(
        &self,
        key: Option<KeyDigest>,
        options: &Options,
        machine: &KnownMachine,
    ) -> Result<Accepted, RefusedFold> {
        self.check_said(key, options)?;
        let (proof, asked) = (&self.proof, VerifyOptions::min_bits(options.bits.min_bits));
        let verifier = machine.verifier(&proof.key)?;
        let root = verifier.verify(&proof.statement, asked, proof)?;
        let accepted = Accepted::new(root, self.family.below(self.counters), self.counters);
        accepted.check(options.bits)?;
        Ok(accepted)
    }

    /// Checks everything but the proof itself and the bits: what costs the least comes first.
    fn check_said(&self, key: Option<KeyDigest>, options: &Options) -> Result<(), RefusedFold> {
        check_ranges(&self.family, self.counters, &self.state)?;
        let found = self.key();
        if let Some(expected) = key
            && found != expected
        {
            let is = self.kind_of(expected);
            return Err(RefusedFold::Key {
                expected,
                found,
                is,
            });
        }
        options.check(self.counters, &self.state)?;
        let rule = self.proof.key.digest();
        if self.family.place(rule).is_none() {
            return Err(RefusedFold::Rule(rule));
        }
        // It binds the digest of the list, too.
        if statement(found, self.counters, &self.state) != self.proof.statement {
            return Err(RefusedFold::Statement);
        }
        Ok(())
    }
}

impl Folded {
    /// The proof of a rule, at the root.
    pub const fn proof(&self) -> &whir::Proof {
        &self.fold.proof
    }

    /// The rules.
    pub const fn family(&self) -> &Family {
        &self.fold.family
    }

    /// The fold key.
    pub fn key(&self) -> KeyDigest {
        self.fold.key()
    }

    /// The key of the rule at the root.
    pub fn rule(&self) -> KeyDigest {
        self.fold.proof.key.digest()
    }

    /// What is counted of the proofs below the root, and the root.
    pub const fn counters(&self) -> Counters {
        self.fold.counters
    }

    /// What it says, as blocks.
    pub fn state(&self) -> &[[F; 8]] {
        &self.fold.state
    }

    /// The digest of family, counters and state, which the proof states.
    pub const fn statement(&self) -> [F; 8] {
        self.fold.proof.statement
    }

    /// What verifying it established.
    pub const fn accepted(&self) -> &Accepted {
        &self.accepted
    }

    /// Why its key is trusted.
    pub const fn evidence(&self) -> Evidence {
        self.evidence
    }

    /// Proof and what it says, for instance to write them to a file.
    pub const fn unverified(&self) -> &UnverifiedFold {
        &self.fold
    }

    /// Proof and what it says. That they were verified is forgotten.
    pub fn into_unverified(self) -> UnverifiedFold {
        self.fold
    }
}

#[cfg(feature = "prover")]
impl Folded {
    /// The fold of a proof that a rule made and verified, whose fold key is trusted because of
    /// `evidence`; `root` is the report of its verification.
    pub(super) fn made(
        fold: UnverifiedFold,
        root: Report,
        step: Step,
        evidence: Evidence,
    ) -> Result<Self, RefusedFold> {
        fold.check_said(None, &Options::min_bits(0))?;
        Ok(Self {
            accepted: Accepted::new(root, fold.family.below(fold.counters), fold.counters),
            fold,
            evidence,
            steps: vec![step],
        })
    }

    /// The step that made it; none if it was read from a file.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }
}

#[cfg(test)]
mod tests;
