//! The proofs that a circuit verifies: everything its program is generated from, apart from the
//! AIRs themselves.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use droste_native::codec::short_list;
use droste_native::{F, HashId};
use droste_vm::stack::StackSettings;
use serde::{Deserialize, Serialize};
use thiserror::Error;

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
    /// One proof of a program over FRI in a hash of bytes, whose openings are in a batch
    /// ([`Openings::Batch`]).
    Opened {
        /// Its shape.
        shape: ChildShape,
    },
    /// As [`Self::Airs`], with the openings in a batch.
    OpenedAirs {
        /// [`crate::airs::AirKey::identity`].
        identity: [F; 8],
    },
}

impl Children {
    /// One proof of a program, whose openings are verified so.
    pub fn leaf(shape: ChildShape, openings: Openings) -> Self {
        match openings {
            Openings::Tables => Self::Programs { shape, count: 1 },
            Openings::Batch => Self::Opened { shape },
        }
    }

    /// The number of proofs.
    pub const fn count(&self) -> usize {
        match self {
            Self::Programs { count, .. } => *count,
            Self::Airs { .. }
            | Self::Paths(_)
            | Self::Calls(_)
            | Self::OwnMachine { .. }
            | Self::Opened { .. }
            | Self::OpenedAirs { .. } => 1,
        }
    }

    /// Whether it is a proof of AIRs that are not part of this library.
    pub const fn is_of_airs(&self) -> bool {
        matches!(self, Self::Airs { .. } | Self::OpenedAirs { .. })
    }

    /// How the openings of the proofs are verified.
    pub const fn openings(&self) -> Openings {
        match self {
            Self::Opened { .. } | Self::OpenedAirs { .. } => Openings::Batch,
            _ => Openings::Tables,
        }
    }
}

/// How a recursion program verifies the openings of Merkle trees at the queries of a proof over
/// FRI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Openings {
    /// Every call of the hash is one of a table.
    #[default]
    Tables,
    /// The calls are those of a graph of which `droste-binary` proves one proof, which the program
    /// verifies. The hash is one of bytes.
    Batch,
}

impl Openings {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Tables, Self::Batch];

    /// The word that commands use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tables => "tables",
            Self::Batch => "batch",
        }
    }
}

impl Display for Openings {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A word names no way to verify openings.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("there are no openings by {0:?}, expected tables or batch")]
pub struct OpeningsNameError(pub String);

impl FromStr for Openings {
    type Err = OpeningsNameError;

    fn from_str(name: &str) -> Result<Self, OpeningsNameError> {
        let mut all = Self::ALL.into_iter();
        all.find(|openings| openings.name() == name)
            .ok_or_else(|| OpeningsNameError(name.to_owned()))
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

#[cfg(test)]
mod tests {
    use droste_native::codec::encode_body;
    use p3_field::PrimeCharacteristicRing;

    use super::*;

    /// Files have the numbers of the kinds, and reports their names.
    #[test]
    fn new_kinds_leave_the_numbers_of_older_ones() {
        let shape = || ChildShape {
            hash: HashId::Keccak,
            settings: droste_native::FriSettings::toy().into(),
            tables: Vec::new(),
            log_heights: Vec::new(),
            fixed: false,
        };
        let identity = [F::ONE; 8];
        let calls = CallsShape {
            hash: 0,
            log_calls: 3,
        };
        let paths = PathsShape {
            hash: 0,
            log_depth: 1,
            log_paths: 2,
        };
        let kinds = [
            Children::leaf(shape(), Openings::Tables),
            Children::Airs { identity },
            Children::Paths(paths),
            Children::Calls(calls),
            Children::OwnMachine {
                shape: shape(),
                identity,
            },
            Children::leaf(shape(), Openings::Batch),
            Children::OpenedAirs { identity },
        ];
        for (number, children) in kinds.iter().enumerate() {
            let encoding = encode_body(Vec::new(), children).unwrap();
            assert_eq!(usize::from(encoding[0]), number);
            let json = serde_json::to_string(children).unwrap();
            assert_eq!(
                serde_json::from_str::<Children>(&json).unwrap(),
                *children,
                "{json}"
            );
            assert_eq!(children.count(), 1);
            assert_eq!(children.is_of_airs(), [1, 6].contains(&number));
            let in_batch = children.openings() == Openings::Batch;
            assert_eq!(in_batch, number >= 5);
        }
    }

    #[test]
    fn openings_have_names() {
        for openings in Openings::ALL {
            assert_eq!(openings.to_string().parse(), Ok(openings));
            let json = serde_json::to_string(&openings).unwrap();
            assert_eq!(json, format!("\"{openings}\""));
        }
        let refused = "table".parse::<Openings>();
        assert_eq!(refused, Err(OpeningsNameError("table".into())));
        assert_eq!(Openings::default(), Openings::Tables);
    }
}
