//! Recipes: everything that a recursion key is derived from.

use droste_native::whir::WhirSettings;
use droste_vm::heights::Heights;
use droste_vm::stack::StackSettingsError;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Children;
#[cfg(feature = "prover")]
use crate::circuit::CircuitError;

/// Limit on the sum of what deriving takes over the keys of one list that have to be derived.
pub const MAX_COST: usize = 1 << 22;

/// What a recursion key is derived from: the proofs that its program verifies, and the settings and
/// heights at which the program's runs are proved, over WHIR. Their machine has the tables of
/// [`PRECOMPILES`](crate::circuit::PRECOMPILES) and of whatever other precompiles the program
/// calls.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// The proofs that the program verifies.
    pub children: Children,
    /// Settings of the proofs of its runs.
    pub settings: WhirSettings,
    /// Heights of the tables in those proofs.
    pub heights: Heights,
}

/// Why no key is derived from a recipe.
#[derive(Debug, Error)]
#[error(transparent)]
pub enum RecipeError {
    /// Settings out of range.
    Settings(#[from] StackSettingsError),
    /// A number is larger than the limit for recipes, which bounds the work of deriving.
    #[error("{what} is {found}, expected at most {max}")]
    TooLarge {
        /// What the number is of.
        what: &'static str,
        /// The number.
        found: usize,
        /// The limit.
        max: usize,
    },
    /// A number for which there is no program.
    #[error("{what} is {found}, for which there is no program")]
    Malformed {
        /// What the number is of.
        what: &'static str,
        /// The number.
        found: usize,
    },
    /// The program verifies a proof of AIRs that the deriver does not have.
    #[error(
        "its program verifies proofs of AIRs that are not known here, so its key cannot be \
         derived: name them with `Deriver::with_airs` (`droste join --stock CONFIG`), or pin the \
         key set (`droste join --key-set DIGEST`)"
    )]
    UnknownAirs,
    /// The deriver has another program for the identity of these AIRs.
    #[error("other AIRs with the same identity are known here, which another program verifies")]
    OtherAirs,
    /// The program verifies a proof on a machine that the deriver does not have.
    #[error(
        "its program verifies proofs on a machine whose tables are not known here, so its key \
         cannot be derived: name it with `Deriver::with_machine`, or pin the key set (`droste join \
         --key-set DIGEST`)"
    )]
    UnknownMachine,
    /// The program cannot be generated.
    #[cfg(feature = "prover")]
    Circuit(#[from] CircuitError),
}
