//! What the leaf root of an aggregate says.

use droste_native::F;
use droste_vm::key::KeyDigest;
use serde::Serialize;

use super::integers;
use crate::leaf_root::RootedLeaves;

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
    /// Key of the last proof.
    pub exit_key: String,
    /// Statement of the last proof, as integers.
    pub exit_statement: Vec<u32>,
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

impl LeafRootSummary {
    /// What a leaf root says, of which the last proof has this key.
    pub fn new(rooted: &RootedLeaves, exit_key: KeyDigest) -> Self {
        let elements = |elements: [F; 8]| KeyDigest(elements).to_string();
        let keys = |keys: &[KeyDigest]| keys.iter().map(KeyDigest::to_string).collect();
        let (says, pinned) = (&rooted.leaf_root, &rooted.pinned);
        let leaves = rooted.tree.leaves().iter();
        Self {
            root: says.root.map(|byte| format!("{byte:02x}")).concat(),
            leaf_count: says.leaves,
            aggregate_key: says.key.to_string(),
            claim: elements(says.claim),
            recursion_keys_digest: says.keys.to_string(),
            recursion_keys: keys(rooted.listed.keys()),
            program_key: pinned.program.to_string(),
            wrap_keys: keys(&pinned.wraps),
            join_key: pinned.join.to_string(),
            exit_key: exit_key.to_string(),
            exit_statement: integers(&says.exit_statement(pinned)),
            leaves: leaves
                .map(|(key, statement)| LeafSummary {
                    key: key.to_string(),
                    statement: elements(*statement),
                })
                .collect(),
        }
    }
}
