//! The fold that says which keys of a registry have signed a message in a slot, each counted once.
//!
//! Its leaves are proofs of batches, and its rules those of the example `signers`, with as many
//! blocks as a set of the registry's keys has. All batches have one shape, so no sample of them is
//! needed: scheme, size of the registry, largest batch and preset decide the fold key.

use std::sync::Arc;

use droste_gadgets::signers::blocks_for;
use droste_native::codec::EncodeError;
use droste_native::hash_signature::{self, SignError};
use droste_native::precompile::Block;
use droste_native::stark::security::Preset;
use droste_vm::compiler::CompileError;
use droste_vm::executor::{RunError, Tape};
use droste_vm::heights::Heights;
use droste_vm::key::{KeyDigest, KeyError};
use droste_vm::stack::ProveError;
use thiserror::Error;

use super::batch::slice;
use super::{
    Registry, RegistryError, SignatureBatch, SignatureBatchError, SignatureBatchProgram,
    SignatureBatchProver, Signers, SignersClaim,
};
use crate::aggregate::{Aggregator, tables_of_r};
use crate::circuit::{ChildShape, Children};
use crate::fold::plan::{FoldPlan, FoldPlanError, LeafFileError, PlanRules};
use crate::fold::{
    Child, Fold, FoldError, Folded, LeafKind, LeafProgram, LeafRecipe, Options, PathRecipe,
    RefusedFold, Room, Source, UnverifiedFold,
};
use crate::keys::{Deriver, Recipe};
use crate::plan::StoreError;

/// Largest number of signatures of a batch, unless another one is chosen: so many fit tables of
/// 2^16 rows. Proving twice as many takes less time than two proofs, and half as much memory again.
pub const DEFAULT_BATCH: usize = 400;

/// The line of the example that depends on the size of the registry.
const BLOCKS: &str = "const BLOCKS: usize = 11;";

/// Tables of the recursion machine that are twice as tall as in joins: `poseidon16`, so that one
/// wrap brings a batch, whose proof has longer leaves, to the fold's shape; and `ext`, so that a
/// union fits beside the verifier of two nodes of this shape. `blocks` is as tall as the tallest.
const TALLER: [&str; 2] = ["ext", "poseidon16"];

/// The fold of the signatures by keys of a registry.
#[derive(Debug)]
pub struct SignatureFold {
    prover: SignatureBatchProver,
    fold: Arc<Fold>,
}

/// What a fold must show: that so many keys of the registry at least have signed the message in the
/// slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The slot.
    pub slot: u32,
    /// The message.
    pub message: Block,
    /// Least number of keys. None is too few, whatever this is.
    pub min_signers: u32,
}

/// Why signatures are not proved, or their proofs not folded.
#[derive(Debug, Error)]
#[error(transparent)]
pub enum SignatureFoldError {
    /// The program does not compile, which is an error of this crate.
    #[error("the program does not compile")]
    Compile(#[source] Box<CompileError>),
    /// No key signs with the scheme.
    Slots(#[from] hash_signature::KeyError),
    /// No signature has the target sum of the scheme.
    Sign(#[from] SignError),
    /// Sample keys make no registry, which is an error of this crate.
    Registry(#[from] RegistryError),
    /// The settings make no key.
    Key(#[from] KeyError),
    /// A signature is not valid, or the batch is none of the program.
    Batch(#[from] SignatureBatchError),
    /// The program does not accept what was verified natively, which is an error of this crate.
    #[error("the program does not verify the batch")]
    Run(#[source] Box<RunError>),
    /// The run cannot be proved.
    Prove(#[from] ProveError),
    /// The proof cannot be encoded.
    Encode(#[from] EncodeError),
    /// The proof cannot be stored.
    Store(#[from] StoreError),
    /// The numbers of batches and of their proofs differ.
    #[error("{0} batches and {1} proofs were given, expected a proof of each batch")]
    Proofs(usize, usize),
    /// A proof says something else than its batch.
    #[error("proof {0} is one of another batch")]
    OtherBatch(usize),
    /// A fold is not about its signers, or folds are about different things.
    Signers(#[from] SignersError),
    /// A proof is not one of a batch.
    Leaf(#[from] LeafFileError),
    /// The batches make no plan.
    Plan(#[from] FoldPlanError),
    /// The fold cannot be made, or a rule not be proved.
    Fold(#[from] FoldError),
}

/// Why a fold does not show what is expected.
#[derive(Debug, Error)]
pub enum SignersError {
    /// The fold is refused.
    #[error(transparent)]
    Refused(#[from] RefusedFold),
    /// The state is none of the rules.
    #[error("the fold's state says nothing about signers")]
    State,
    /// The slot, the message or the registry is another one.
    #[error("the fold is about {what} {found}, expected {expected}")]
    Other {
        /// Slot, message, or root of the registry.
        what: &'static str,
        /// The one that it says.
        found: String,
        /// The one that is expected.
        expected: String,
    },
    /// Too few have signed.
    #[error("{found} keys have signed, expected at least {expected}")]
    TooFew {
        /// The number of signers that the fold says.
        found: u32,
        /// The least number that is expected.
        expected: u32,
    },
    /// More have signed than the registry has, which would be an error of the rules.
    #[error("{0} keys have signed, but the registry has {1}")]
    TooMany(u32, usize),
    /// Others have signed.
    #[error("the fold says that others have signed: {found} keys, given were {given}")]
    Signers {
        /// The number of signers that it says.
        found: u32,
        /// The number of those that were given.
        given: u32,
    },
}

impl SignatureFold {
    /// The fold of the proofs of a program.
    ///
    /// # Soundness obligations
    ///
    /// The program's scheme is the caller's. A public key does not say to which target sum it
    /// belongs, and who may choose the sum forges a signature from a true one: by walking its
    /// chains on to an encoding whose digits are nowhere smaller.
    ///
    /// # Errors
    /// If nobody signs with the scheme, or keys cannot be derived.
    pub fn new(
        program: SignatureBatchProgram,
        preset: Preset,
        deriver: Arc<Deriver>,
    ) -> Result<Self, SignatureFoldError> {
        let rules = source(program.registry().log_keys())?;
        let prover = SignatureBatchProver::new(program, preset)?;
        let builder = Fold::of(rules, preset)
            .with_room(Room::Heights(log_heights(preset)?))
            .with_deriver(Arc::clone(&deriver));
        let aggregator = builder.aggregator()?;
        let wrap = Recipe {
            children: Children::Programs {
                shape: ChildShape::new(prover.key(), prover.log_heights()),
                count: 1,
            },
            settings: *aggregator.settings(),
            heights: Heights::Exact(aggregator.log_heights().to_vec()),
        };
        let recipe = LeafRecipe {
            name: "registered".to_owned(),
            calls: None,
            paths: vec![PathRecipe {
                key: prover.key().digest(),
                wraps: vec![wrap],
            }],
        };
        let program = LeafProgram::Program(&prover.compiled().program);
        let leaf = LeafKind::from_recipe(&recipe, program, &deriver).map_err(FoldError::leaf(0))?;
        Ok(Self {
            fold: Arc::new(builder.with_leaf(leaf).build()?),
            prover,
        })
    }

    /// What proves batches.
    pub const fn prover(&self) -> &SignatureBatchProver {
        &self.prover
    }

    /// The fold.
    pub const fn fold(&self) -> &Arc<Fold> {
        &self.fold
    }

    fn registry(&self) -> &Registry {
        self.prover.program().registry()
    }

    /// The keys that have signed according to one of these batches at least.
    pub fn signers(&self, batches: &[SignatureBatch]) -> Signers {
        let signers = batches.iter().map(SignatureBatch::signers);
        signers.fold(Signers::none(self.registry()), |all, some| all.union(&some))
    }

    /// Plans the fold of the proofs of these batches, which [`crate::fold::plan::run`] proves.
    ///
    /// # Errors
    /// If there is not one proof of each batch, or the batches are of different messages or slots,
    /// or of another registry.
    pub fn plan(
        &self,
        batches: &[SignatureBatch],
        proofs: &[Vec<u8>],
    ) -> Result<FoldPlan, SignatureFoldError> {
        if batches.len() != proofs.len() {
            return Err(SignatureFoldError::Proofs(batches.len(), proofs.len()));
        }
        let mut leaves = vec![];
        for (index, (batch, proof)) in batches.iter().zip(proofs).enumerate() {
            self.prover.program().check(batch)?;
            let (claim, leaf) = (batch.claim(), self.fold.leaf(proof)?);
            if *leaf.statement() != claim.statement() {
                return Err(SignatureFoldError::OtherBatch(index));
            }
            let items = vec![slice(&claim.state())];
            leaves.push(leaf.with_hints(Tape { items }));
        }
        let rules = PlanRules::default();
        let plan = self.fold.plan_with(&leaves, &rules, &mut |applied| {
            let mut hints = applied.hints.clone();
            if let [left, right] = applied.leaves {
                let [left, right] = [left, right].map(|leaves| {
                    let batches = batches.get(leaves.clone());
                    self.signers(batches.unwrap_or_default())
                });
                hints.items.extend(left.hints_of_union(&right));
            }
            Ok(hints)
        });
        Ok(plan?)
    }

    /// Proves who has signed according to one fold or the other, whose signers are given. If one
    /// of them says it already, nothing is proved: the other's proofs would count again.
    ///
    /// # Errors
    /// If these are not the signers, or the folds are of different messages or slots, or of another
    /// registry or fold.
    pub fn unite(
        &self,
        left: (Folded, Signers),
        right: (Folded, Signers),
    ) -> Result<(Folded, Signers), SignatureFoldError> {
        let mut about = None;
        for (folded, signers) in [&left, &right] {
            // Nothing else compares the key of one that is returned as it is.
            if folded.key() != self.fold.key() {
                return Err(SignersError::State.into());
            }
            let claim = SignersClaim::of_state(folded.state())?;
            claim.check(signers)?;
            let wanted = about.get_or_insert(claim.wanted());
            wanted.check(&claim, self.registry())?;
        }
        let signers = left.1.union(&right.1);
        if signers == left.1 {
            return Ok(left);
        }
        if signers == right.1 {
            return Ok(right);
        }
        let items = left.1.hints_of_union(&right.1).into();
        let children = [Child::Node(&left.0), Child::Node(&right.0)];
        let folded = self.fold.prove("unite", &children, &Tape { items })?;
        Ok((folded, signers))
    }

    /// Verifies under the derived key that a fold shows what is wanted of the registry's keys.
    ///
    /// # Errors
    /// If it is refused, or says something else.
    pub fn check(
        &self,
        fold: UnverifiedFold,
        wanted: &Wanted,
        options: &Options,
    ) -> Result<(Folded, SignersClaim), SignersError> {
        let folded = self.fold.accept(fold, options)?;
        let claim = SignersClaim::of_state(folded.state())?;
        wanted.check(&claim, self.registry())?;
        Ok((folded, claim))
    }
}

impl Wanted {
    /// Compares a claim with what is wanted of the keys of this registry.
    pub(super) fn check(
        &self,
        claim: &SignersClaim,
        registry: &Registry,
    ) -> Result<(), SignersError> {
        let digests = |blocks: [Block; 2]| blocks.map(|block| KeyDigest(block).to_string());
        for (what, [found, expected]) in [
            ("slot", [claim.slot, self.slot].map(|slot| slot.to_string())),
            ("the message", digests([claim.message, self.message])),
            ("the registry", digests([claim.registry, registry.root()])),
        ] {
            if found != expected {
                return Err(SignersError::Other {
                    what,
                    found,
                    expected,
                });
            }
        }
        let (found, expected) = (claim.count, self.min_signers.max(1));
        if found < expected {
            return Err(SignersError::TooFew { found, expected });
        }
        let keys = registry.keys().len();
        if found as usize > keys {
            return Err(SignersError::TooMany(found, keys));
        }
        Ok(())
    }
}

impl SignersClaim {
    /// What a fold must show at least to say the same as this.
    pub const fn wanted(&self) -> Wanted {
        Wanted {
            slot: self.slot,
            message: self.message,
            min_signers: 1,
        }
    }

    /// Checks that the signers are these.
    ///
    /// # Errors
    /// If they are others.
    pub fn check(&self, signers: &Signers) -> Result<(), SignersError> {
        let given = signers.count();
        if signers.digest() == self.signers && given == self.count {
            Ok(())
        } else {
            let found = self.count;
            Err(SignersError::Signers { found, given })
        }
    }
}

/// Logarithms of the heights of the proofs of the rules and of wraps.
fn log_heights(preset: Preset) -> Result<Vec<usize>, FoldError> {
    let (tables, joins) = (tables_of_r()?, Aggregator::for_preset(preset, 2));
    let mut log_heights = joins.log_heights().to_vec();
    for (table, log_height) in tables.iter().zip(&mut log_heights) {
        *log_height += usize::from(TALLER.contains(&table.as_str()));
    }
    let tallest = log_heights.iter().copied().fold(0, usize::max);
    for (table, log_height) in tables.iter().zip(&mut log_heights) {
        if table == "blocks" {
            *log_height = tallest;
        }
    }
    Ok(log_heights)
}

/// The rules, for registries whose tree has so many levels.
fn source(log_keys: u32) -> Result<Source, FoldError> {
    let text = droste_programs::fold_source("signers").unwrap_or_default();
    let blocks = format!("const BLOCKS: usize = {};", blocks_for(1 << log_keys));
    Source::new("signers", text.replacen(BLOCKS, &blocks, 1))
}
