//! The registry of a leaf root, and a contract that uses it.

use std::collections::BTreeSet;
use std::path::Path;

use droste_evm::assembler::Code;
use droste_evm::contract::deploy::{Address, DEPLOYER, located};
use droste_evm::registry::{ACCEPT, Opening, Registry, Says, consumer};
use droste_native::{F, files};
use droste_verifier::leaf_root::{LeafRoot, LeafTree, PinnedKeys};
use droste_vm::key::KeyDigest;
use serde::{Deserialize, Serialize};

use super::hex;
use crate::error::CommandError;
use crate::program::from_json;
use crate::registry::{MAX_BYTES, RegistryFields, RegistryKeys, Text};

/// What `droste exit --leaf-root` writes, as far as it is used.
#[derive(Deserialize)]
struct LeavesFile {
    aggregate_key: Text,
    claim: Text,
    #[serde(flatten)]
    registry: RegistryFields,
    #[serde(flatten)]
    bits: TreeBits,
    leaves: Vec<Leaf>,
}

#[derive(Deserialize)]
struct Leaf {
    key: Text,
    statement: Text,
}

/// An [`Opening`] as text, for a contract's `opens` or `holds`.
#[derive(Serialize)]
struct Opened {
    key: String,
    statement: String,
    sides: u64,
    path: Vec<String>,
}

/// The leaf root of a last proof.
pub struct Leaves {
    says: LeafRoot,
    pinned: PinnedKeys,
    tree: LeafTree,
    accepted: BTreeSet<KeyDigest>,
    bits: TreeBits,
}

/// Proven bits of the tree below a last proof, with that proof, as a file claims them.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct TreeBits {
    /// Those that each proof has at least.
    pub least_bits: usize,
    /// Those of all of them together.
    pub tree_bits: usize,
}

impl Leaves {
    /// Reads the leaf root, which must be that of the last proof with this statement.
    pub fn read(
        path: &Path,
        statement: &[F; 8],
        accepted: &[KeyDigest],
    ) -> Result<Self, CommandError> {
        let bytes = files::read(path, MAX_BYTES).map_err(CommandError::file(path))?;
        let what = "what `droste exit --leaf-root` writes";
        let file: LeavesFile = from_json(path, &bytes, what)?;
        let RegistryKeys { listed, pinned, .. } = file.registry.keys()?;
        // Such a leaf would be a node that the prover did not open.
        if let Some(key) = accepted.iter().find(|key| listed.keys().contains(key)) {
            let message =
                format!("{key} is the key of a recursion program, expected keys of leaves");
            return Err(CommandError::failed(message));
        }
        let leaves = file.leaves.iter();
        let leaves: Vec<_> = leaves
            .map(|leaf| (leaf.key.0, leaf.statement.0.0))
            .collect();
        let count = u32::try_from(leaves.len()).map_err(CommandError::failed)?;
        let tree = LeafTree::new(leaves);
        let tree =
            tree.ok_or_else(|| CommandError::failed("the file of the leaf root lists no leaves"))?;
        let says = LeafRoot {
            keys: listed.digest(),
            key: file.aggregate_key.0,
            claim: file.claim.0.0,
            root: tree.root(),
            leaves: count,
        };
        if says.exit_statement(&pinned) != *statement {
            let message = "the statement of the proof is not that of the leaf root";
            return Err(CommandError::failed(message));
        }
        let accepted = accepted.iter().copied().collect();
        Ok(Self {
            says,
            pinned,
            tree,
            accepted,
            bits: file.bits,
        })
    }

    /// The proven bits that the file claims.
    pub const fn bits(&self) -> TreeBits {
        self.bits
    }

    /// The digest of the list of recursion keys.
    pub fn recursion_keys(&self) -> KeyDigest {
        self.says.keys
    }

    /// The root.
    pub fn root(&self) -> [u8; 32] {
        self.says.root
    }

    /// The registry and the consumer, and where they are.
    pub fn contracts(&self, verifier: Address) -> Result<[(Address, Code); 2], CommandError> {
        let registry = Registry {
            verifier,
            recursion_keys: self.says.keys,
            join: self.pinned.join,
            wraps: self.pinned.wraps.clone(),
            program: self.pinned.program,
            leaves: self.accepted.iter().copied().collect(),
        };
        let code = registry.code().map_err(CommandError::failed)?;
        let registry = located(&DEPLOYER, code);
        let code = consumer(&registry.0).map_err(CommandError::failed)?;
        Ok([registry, located(&DEPLOYER, code)])
    }

    /// The calldata with which the consumer accepts the root.
    pub fn accept_data(&self, proof: &[u8]) -> Vec<u8> {
        let says = Says {
            key: self.says.key,
            claim: self.says.claim,
            leaves: self.says.leaves,
        };
        says.call_data(ACCEPT, proof, &self.says.root)
    }

    /// The openings of all leaves whose keys are accepted.
    pub fn openings(&self) -> impl Iterator<Item = Opening> {
        let leaves = (0..).zip(self.tree.leaves());
        let accepted = leaves.filter(|(_, (key, _))| self.accepted.contains(key));
        accepted.filter_map(|(leaf, &(key, statement))| {
            Some(Opening {
                key,
                statement,
                sides: self.tree.sides(leaf)?,
                path: self.tree.path(leaf)?,
            })
        })
    }

    /// The same as JSON.
    pub fn openings_json(&self) -> Result<String, CommandError> {
        let openings = self.openings().map(|opening| Opened {
            key: format!("0x{}", opening.key),
            statement: format!("0x{}", KeyDigest(opening.statement)),
            sides: opening.sides,
            path: opening.path.iter().map(|digest| hex(digest)).collect(),
        });
        let openings: Vec<Opened> = openings.collect();
        Ok(serde_json::to_string_pretty(&openings)?)
    }
}
