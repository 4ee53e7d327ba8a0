//! `droste hashes paths`: proves Merkle paths, verifies the proofs, and makes aggregates of them.

mod cost;
mod known;
mod leaf;
mod list;
mod prove;
mod verify;
mod wrap;

use clap::Subcommand;
use droste_binary::paths::{Digest, MAX_DEPTH, MerklePaths};

use crate::error::CommandError;
use crate::output::Format;

/// What to do with Merkle paths.
#[derive(Debug, Subcommand)]
pub enum Paths {
    /// Prove that siblings lead from each leaf, at its index, to its root. The proof does not
    /// contain them, but is not made to hide them.
    Prove(prove::Prove),
    /// Verify that leaves are at their indices in trees with their roots, by a proof.
    Verify(verify::Verify),
    /// Prove paths and verify that proof in the machine: the aggregate can be joined with others.
    /// Their number and depth are powers of two, with eight nodes or more.
    Wrap(wrap::Wrap),
    /// Measure what it costs to verify a proof of paths in the machine, and to prove that run.
    Cost(cost::Cost),
    /// Print key and statement of the leaf that a proof about a list of paths is in an aggregate.
    Leaf(leaf::Leaf),
}

impl Paths {
    /// Runs the command, printing its result in `format`.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        run!(self, format: Prove Verify Wrap Cost Leaf)
    }
}

/// Paths and what only the prover knows of them.
#[derive(Debug, PartialEq, Eq)]
pub struct KnownPaths {
    /// Leaves, indices and roots.
    pub statement: MerklePaths,
    /// The siblings of each path, from its leaf to its root.
    pub siblings: Vec<Vec<Digest>>,
}

/// A depth that paths can have.
fn depth(text: &str) -> Result<usize, String> {
    let depth = text.parse().ok();
    let depth = depth.filter(|depth| (1..=MAX_DEPTH).contains(depth));
    depth.ok_or_else(|| format!("expected 1 to {MAX_DEPTH}"))
}
