//! Makes leaf roots of aggregates.

use droste_native::F;
use droste_native::whir::WhirSettings;
use droste_vm::heights::Heights;
use droste_vm::key::KeyDigest;
use droste_vm::machine::StandardTables;
use droste_vm::stack::Prove;
use droste_vm::verifier::VerifyOptions;
use droste_vm::whir::ProvingKey;
use p3_field::PrimeCharacteristicRing;

use super::{Hints, LeafRoot, LeafRootError, LeafRootProgram, LeafTree, ListedKeys, PinnedKeys};
use crate::aggregate::{
    Aggregate, AggregateError, Aggregator, VerifiedProof, least_heights, settings_for,
};
use crate::claim::{Claim, ClaimTree};

/// An aggregate joined with the proof of its leaf root.
#[derive(Debug)]
pub struct Rooted {
    /// The join of the two, whose last proof has the statement [`LeafRoot::exit_statement`].
    pub aggregate: Aggregate,
    /// The leaves, and what proves their root.
    pub leaves: RootedLeaves,
}

/// Leaves with their root, and what is known of the proof of it.
#[derive(Clone, Debug)]
pub struct RootedLeaves {
    /// What the leaf root says.
    pub leaf_root: LeafRoot,
    /// The recursion keys that it was made with.
    pub listed: ListedKeys,
    /// The program that computed it.
    pub program: LeafRootProgram,
    /// The leaves and their tree.
    pub tree: LeafTree,
    /// The keys that a verifier must know.
    pub pinned: PinnedKeys,
}

/// Keys that a verifier of last proofs must know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExitKeys {
    /// The key of the last proofs of all aggregates of one canonical shape.
    pub exit: KeyDigest,
    /// The keys between a leaf root and the last proof, if they were asked for.
    pub leaf_root: Option<PinnedKeys>,
}

/// The wrap of the proof of a leaf root.
struct Wrapped {
    wrap: Aggregate,
    /// Key of the program.
    program: KeyDigest,
}

impl Aggregator {
    /// Proves the Keccak-256 root of the leaves of an aggregate of canonical shape, and joins the
    /// proof to it: by the smallest program that takes its tree, with its own recursion keys.
    ///
    /// # Errors
    /// If the aggregate has another shape, too many recursion keys or too large a tree, or if R's
    /// heights are too small for a join of two.
    pub fn leaf_root(&self, aggregate: Aggregate) -> Result<Rooted, LeafRootError> {
        let keys = aggregate.keys().claimed().iter();
        let listed = ListedKeys::new(keys.map(|(key, _)| key))?;
        let program = LeafRootProgram::for_tree(aggregate.tree())?;
        self.leaf_root_with(aggregate, listed, program)
    }

    /// Like [`Self::leaf_root`], with a list of recursion keys that has those of the aggregate and
    /// others, and with a program of one's own choice. So one verifier, which knows the digest of
    /// the list and the keys of the program, takes the leaf roots of every aggregate of these keys.
    ///
    /// # Errors
    /// As for [`Self::leaf_root`], and if a key of the aggregate is not listed.
    pub fn leaf_root_with(
        &self,
        aggregate: Aggregate,
        listed: ListedKeys,
        program: LeafRootProgram,
    ) -> Result<Rooted, LeafRootError> {
        let canonical = self.check_canonical(aggregate.proof());
        canonical.map_err(|source| AggregateError::OtherShape { child: 0, source })?;
        let hints = program.hints(aggregate.tree(), &listed)?;
        let Wrapped { wrap, program: key } = self.wrap_leaf_root(program, &hints)?;
        let wraps = keys_above_leaf(wrap.tree());
        let aggregate = self.join(vec![aggregate, wrap])?;
        let leaves = RootedLeaves {
            pinned: PinnedKeys {
                join: aggregate.proof().key.digest(),
                wraps,
                program: key,
            },
            leaf_root: hints.says,
            listed,
            program,
            tree: hints.tree,
        };
        Ok(Rooted { aggregate, leaves })
    }

    /// The keys that a verifier of last proofs with these settings must know, and of leaf roots by
    /// `leaf_root`, if it is some. They do not depend on the aggregate, so this makes one of its
    /// own: the wrap of the proof of a leaf root.
    ///
    /// # Errors
    /// If the settings make no last proofs, or if R's heights are too small for a wrap, or for the
    /// join of an aggregate and a leaf root.
    pub fn exit_keys(
        &self,
        settings: WhirSettings,
        leaf_root: Option<LeafRootProgram>,
    ) -> Result<ExitKeys, LeafRootError> {
        let program = leaf_root.unwrap_or(LeafRootProgram::SMALLEST);
        let leaf = ClaimTree {
            key: KeyDigest([F::ZERO; 8]),
            claim: Claim::Statement([F::ZERO; 8]),
        };
        let hints = program.hints(&leaf, &ListedKeys::new([leaf.key])?)?;
        let Wrapped { wrap, program } = self.wrap_leaf_root(program, &hints)?;
        let proof = wrap.proof();
        let pinned = || {
            Ok::<_, AggregateError>(PinnedKeys {
                join: self.join_key(proof, 2)?,
                wraps: keys_above_leaf(wrap.tree()),
                program,
            })
        };
        let (_, key) = self.exit_run(proof, settings)?;
        Ok(ExitKeys {
            exit: key.key().digest(),
            leaf_root: leaf_root.map(|_| pinned()).transpose()?,
        })
    }

    /// Proves the run of a program with these hints, and wraps the proof.
    fn wrap_leaf_root(
        &self,
        program: LeafRootProgram,
        hints: &Hints,
    ) -> Result<Wrapped, LeafRootError> {
        let compiled = program.compile()?;
        let rows = program.rows(&compiled)?;
        let settings = settings_for(*self.intermediate_settings(), &rows);
        let settings = settings.ok_or(AggregateError::TooManyCells)?;
        let heights = Heights::Exact(least_heights(&rows));
        let key = ProvingKey::<StandardTables>::new(&compiled, settings, heights)?;
        let proof = key.prove_run(&program.run(&compiled, &hints.tape)?)?;
        let expected = hints.says.statement();
        let proof = VerifiedProof::new(proof, key.key(), &expected, VerifyOptions::min_bits(0))?;
        Ok(Wrapped {
            wrap: self.wrap(&proof)?,
            program: key.key().digest(),
        })
    }
}

/// The keys of the wraps of one leaf, from the root down.
fn keys_above_leaf(wrap: &ClaimTree) -> Vec<KeyDigest> {
    let nodes = wrap.nodes().map(|(_, node)| node);
    let wraps = nodes.filter(|node| !node.children().is_empty());
    wraps.map(|node| node.key).collect()
}
