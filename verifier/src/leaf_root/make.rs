//! Makes leaf roots of aggregates.

use droste_vm::heights::Heights;
use droste_vm::key::KeyDigest;
use droste_vm::machine::StandardTables;
use droste_vm::stack::Prove;
use droste_vm::verifier::VerifyOptions;
use droste_vm::whir::ProvingKey;

use super::{LeafRoot, LeafRootError, LeafRootProgram, LeafTree, ListedKeys, PinnedKeys};
use crate::aggregate::{
    Aggregate, AggregateError, Aggregator, VerifiedProof, least_heights, settings_for,
};
use crate::claim::ClaimTree;

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
    /// The recursion keys that it was made with: those of the aggregate.
    pub listed: ListedKeys,
    /// The leaves and their tree.
    pub tree: LeafTree,
    /// The keys that a verifier must know.
    pub pinned: PinnedKeys,
}

impl Aggregator {
    /// Proves the Keccak-256 root of the leaves of an aggregate of canonical shape, and joins the
    /// proof to it.
    ///
    /// # Errors
    /// If the aggregate has another shape, too many recursion keys or too large a tree, or if R's
    /// heights are too small for a join of two.
    pub fn leaf_root(&self, aggregate: Aggregate) -> Result<Rooted, LeafRootError> {
        let canonical = self.check_canonical(aggregate.proof());
        canonical.map_err(|source| AggregateError::OtherShape { child: 0, source })?;
        let keys = aggregate.keys().claimed().iter();
        let listed = ListedKeys::new(keys.map(|(key, _)| key))?;
        let (program, hints) = LeafRootProgram::for_tree(aggregate.tree(), &listed)?;

        let compiled = program.compile()?;
        let rows = program.rows(&compiled)?;
        let settings = settings_for(*self.intermediate_settings(), &rows);
        let settings = settings.ok_or(AggregateError::TooManyCells)?;
        let heights = Heights::Exact(least_heights(&rows));
        let key = ProvingKey::<StandardTables>::new(&compiled, settings, heights)?;
        let proof = key.prove_run(&program.run(&compiled, &hints.tape)?)?;
        let expected = hints.says.statement();
        let proof = VerifiedProof::new(proof, key.key(), &expected, VerifyOptions::min_bits(0))?;

        let wrap = self.wrap(&proof)?;
        let wraps = keys_above_leaf(wrap.tree());
        let aggregate = self.join(vec![aggregate, wrap])?;
        let leaves = RootedLeaves {
            pinned: PinnedKeys {
                join: aggregate.proof().key.digest(),
                wraps,
                program: key.key().digest(),
            },
            leaf_root: hints.says,
            listed,
            tree: hints.tree,
        };
        Ok(Rooted { aggregate, leaves })
    }
}

/// The keys of the wraps of one leaf, from the root down.
fn keys_above_leaf(wrap: &ClaimTree) -> Vec<KeyDigest> {
    let nodes = wrap.nodes().map(|(_, node)| node);
    let wraps = nodes.filter(|node| !node.children().is_empty());
    wraps.map(|node| node.key).collect()
}
