//! The proofs that a circuit verifies: everything its program is generated from, apart from the
//! AIRs themselves.

use droste_native::{F, HashId, HashSuite};
use droste_vm::codec::short_list;
use droste_vm::key::{Key, KeyHeights, ProofSystem};
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::stack::{Stack, StackSettings};
use droste_vm::verifier::Verifier;
use droste_vm::whir;
use serde::{Deserialize, Serialize};

use super::CircuitError;

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
}

impl Children {
    /// The number of proofs.
    pub const fn count(&self) -> usize {
        match self {
            Self::Programs { count, .. } => *count,
            Self::Airs { .. } => 1,
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

impl ChildShape {
    /// The shape of proofs of `key` with these heights.
    pub fn new<P: ProofSystem>(key: &Key<P>, log_heights: &[usize]) -> Self {
        Self {
            hash: P::HASH,
            settings: key.settings.into(),
            tables: key.tables.clone(),
            log_heights: log_heights.to_vec(),
            fixed: key.heights != KeyHeights::Free,
        }
    }

    /// The verifier of such proofs over FRI in `H`, without a program.
    pub(crate) fn verifier<H: HashSuite>(&self) -> Result<Verifier<H, StandardTables>, CircuitError>
    where
        StandardTables: Provable<H>,
    {
        let StackSettings::Fri(settings) = self.settings else {
            return Err(CircuitError::Stack {
                expected: Stack::Fri,
                found: Stack::Whir,
            });
        };
        let program = self.program_log_height();
        Verifier::of_machine(settings, &self.tables, self.key_heights(), program)
            .map_err(CircuitError::ChildMachine)
    }

    /// The verifier of such proofs over WHIR in `H`, without a program.
    pub(crate) fn verifier_over_whir<H: HashSuite>(
        &self,
    ) -> Result<whir::Verifier<StandardTables, H>, CircuitError> {
        let StackSettings::Whir(settings) = self.settings else {
            return Err(CircuitError::Stack {
                expected: Stack::Whir,
                found: Stack::Fri,
            });
        };
        let program = self.program_log_height();
        whir::Verifier::of_machine(settings, &self.tables, self.key_heights(), program)
            .map_err(CircuitError::ChildMachine)
    }

    /// What their keys say about heights.
    fn key_heights(&self) -> KeyHeights {
        match self.fixed {
            true => KeyHeights::Fixed(self.log_heights.clone()),
            false => KeyHeights::Free,
        }
    }

    /// Logarithm of the height of the program's table; 0 if there is none.
    pub(crate) fn program_log_height(&self) -> usize {
        let mut named = self.tables.iter().zip(&self.log_heights);
        let program = named.find(|(name, _)| *name == "program");
        program.map_or(0, |(_, &log_height)| log_height)
    }
}
