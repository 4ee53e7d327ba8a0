//! The proofs that a circuit verifies: everything its program is generated from, apart from the
//! AIRs themselves.

use droste_native::codec::short_list;
use droste_native::{F, HashId};
use droste_vm::stack::StackSettings;
use serde::{Deserialize, Serialize};

/// Largest number of a machine's tables that a recipe may name.
pub const MAX_TABLES: usize = 16;

/// The proofs that a recursion program verifies.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Children {
    /// One or more proofs of programs, all of one shape.
    Programs {
        /// Their shape.
        shape: ChildShape,
        /// Their number.
        count: usize,
    },
    /// One proof of AIRs that are not part of this library: [`crate::airs`]. The program can be
    /// generated only by a caller who has the AIRs.
    Airs {
        /// [`crate::airs::AirKey::identity`].
        identity: [F; 8],
    },
    /// One proof of `droste-binary` about Merkle paths, with trees and transcript in Poseidon-16.
    Paths(PathsShape),
    /// One proof of `droste-binary` about calls, with trees and transcript in Poseidon-16.
    Calls(CallsShape),
    /// One proof of a program on a machine other than the standard one: [`crate::circuit`]. The
    /// program can be generated only by a caller who has the machine's tables.
    OwnMachine {
        /// Its shape.
        shape: ChildShape,
        /// The machine's identity ([`droste_vm::key::Key::machine_id`]), which names constraints
        /// and lookups of its tables.
        identity: [F; 8],
    },
}

impl Children {
    /// The number of proofs.
    pub const fn count(&self) -> usize {
        match self {
            Self::Programs { count, .. } => *count,
            Self::Airs { .. } | Self::Paths(_) | Self::Calls(_) | Self::OwnMachine { .. } => 1,
        }
    }
}

/// Shape of proofs of programs: everything that their keys and heights fix, apart from the program.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChildShape {
    /// Hash of their commitments.
    pub hash: HashId,
    /// Their stack and settings.
    pub settings: StackSettings,
    /// Names of the machine's tables, in order.
    #[serde(deserialize_with = "short_list::<_, _, MAX_TABLES>")]
    pub tables: Vec<String>,
    /// Logarithms of the tables' heights, in the same order.
    #[serde(deserialize_with = "short_list::<_, _, MAX_TABLES>")]
    pub log_heights: Vec<usize>,
    /// Whether their keys fix the heights.
    pub fixed: bool,
}

/// Shape of proofs of `droste-binary` about calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallsShape {
    /// Number of the bit hash: 0 BLAKE3, 1 BLAKE2s, 2 Keccak-f.
    pub hash: u8,
    /// Logarithm of the number of calls.
    pub log_calls: usize,
}

/// Shape of proofs of `droste-binary`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryShape {
    /// About Merkle paths.
    Paths(PathsShape),
    /// About calls.
    Calls(CallsShape),
}

impl From<PathsShape> for BinaryShape {
    fn from(shape: PathsShape) -> Self {
        Self::Paths(shape)
    }
}

impl From<CallsShape> for BinaryShape {
    fn from(shape: CallsShape) -> Self {
        Self::Calls(shape)
    }
}

impl From<BinaryShape> for Children {
    fn from(shape: BinaryShape) -> Self {
        match shape {
            BinaryShape::Paths(shape) => Self::Paths(shape),
            BinaryShape::Calls(shape) => Self::Calls(shape),
        }
    }
}

/// Shape of proofs of `droste-binary` about Merkle paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathsShape {
    /// Number of the bit hash of the nodes: 0 BLAKE3, 1 BLAKE2s, 2 Keccak-256.
    pub hash: u8,
    /// Logarithm of the number of nodes from a leaf's parent to the root.
    pub log_depth: usize,
    /// Logarithm of the number of paths.
    pub log_paths: usize,
}
