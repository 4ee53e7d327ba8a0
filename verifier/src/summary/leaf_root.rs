//! What the leaf root of an aggregate says, and the keys that are pinned for last proofs.

use droste_native::F;
use droste_vm::key::KeyDigest;
use serde::Serialize;

use super::integers;
use crate::aggregate::Exit;
use crate::leaf_root::{ExitKeys, LeafRootProgram, ListedKeys, PinnedKeys, RootedLeaves};

/// What is constant in a registry of leaf roots. All digests are 64 hexadecimal digits.
#[derive(Clone, Debug, Serialize)]
pub struct RegistrySummary {
    /// Largest number of leaves that the program takes.
    pub most_leaves: usize,
    /// Digest of the list of recursion keys.
    pub recursion_keys_digest: String,
    /// The list, ascending.
    pub recursion_keys: Vec<String>,
    /// Key of the program that computes the root.
    pub program_key: String,
    /// Keys of the wraps of its proof, the last one first.
    pub wrap_keys: Vec<String>,
    /// Key of the join of the aggregate and the wrap.
    pub join_key: String,
}

/// The keys that a verifier of last proofs pins.
#[derive(Clone, Debug, Serialize)]
pub struct ExitKeysSummary {
    /// Key of the last proofs.
    pub exit_key: String,
    /// Those of leaf roots, if they were asked for.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub registry: Option<RegistrySummary>,
}

/// What a contract and a consumer need of a leaf root. Digests, keys, claims and statements are
/// text: 64 hexadecimal digits for the 32 bytes that are hashed in Keccak.
#[derive(Clone, Debug, Serialize)]
pub struct LeafRootSummary {
    /// Root of the Keccak tree of the leaves.
    pub root: String,
    /// Number of leaves.
    pub leaf_count: u32,
    /// Key of the aggregate's root.
    pub aggregate_key: String,
    /// Claim of the aggregate.
    pub claim: String,
    /// What its registry is made with.
    #[serde(flatten)]
    pub registry: RegistrySummary,
    /// Key of the last proof.
    pub exit_key: String,
    /// Statement of the last proof, as integers.
    pub exit_statement: Vec<u32>,
    /// Proven bits that every proof of the tree has at least, the last one included.
    pub least_bits: usize,
    /// Proven bits of all of them together.
    pub tree_bits: usize,
    /// The leaves in order.
    pub leaves: Vec<LeafSummary>,
}

/// A leaf.
#[derive(Clone, Debug, Serialize)]
pub struct LeafSummary {
    /// Its key.
    pub key: String,
    /// What it says.
    pub statement: String,
}

/// Keys as text.
fn texts(keys: &[KeyDigest]) -> Vec<String> {
    keys.iter().map(KeyDigest::to_string).collect()
}

impl RegistrySummary {
    /// Of leaf roots with these recursion keys, by this program.
    pub fn new(listed: &ListedKeys, program: LeafRootProgram, pinned: &PinnedKeys) -> Self {
        Self {
            most_leaves: program.leaves(),
            recursion_keys_digest: listed.digest().to_string(),
            recursion_keys: texts(listed.keys()),
            program_key: pinned.program.to_string(),
            wrap_keys: texts(&pinned.wraps),
            join_key: pinned.join.to_string(),
        }
    }
}

impl ExitKeysSummary {
    /// The keys, with those of leaf roots by a program if the keys of the aggregates are given.
    pub fn new(keys: &ExitKeys, leaf_root: Option<(&ListedKeys, LeafRootProgram)>) -> Self {
        let pinned = leaf_root.zip(keys.leaf_root.as_ref());
        Self {
            exit_key: keys.exit.to_string(),
            registry: pinned
                .map(|((listed, program), pinned)| RegistrySummary::new(listed, program, pinned)),
        }
    }
}

impl LeafRootSummary {
    /// What a leaf root says, of which this is the last proof.
    pub fn new(rooted: &RootedLeaves, exit: &Exit) -> Self {
        let elements = |elements: [F; 8]| KeyDigest(elements).to_string();
        let (says, pinned) = (&rooted.leaf_root, &rooted.pinned);
        let leaves = rooted.tree.leaves().iter();
        Self {
            root: says.root.map(|byte| format!("{byte:02x}")).concat(),
            leaf_count: says.leaves,
            aggregate_key: says.key.to_string(),
            claim: elements(says.claim),
            registry: RegistrySummary::new(&rooted.listed, rooted.program, pinned),
            exit_key: exit.proof.key.digest().to_string(),
            exit_statement: integers(&says.exit_statement(pinned)),
            least_bits: exit.accepted.bits,
            tree_bits: exit.accepted.tree_bits,
            leaves: leaves
                .map(|(key, statement)| LeafSummary {
                    key: key.to_string(),
                    statement: elements(*statement),
                })
                .collect(),
        }
    }
}
