//! Why there is no proof, or one is refused.

use droste_native::codec::DecodeError;
use droste_native::stark::security::decimals;
use thiserror::Error;

use crate::calls::Hash;
use crate::graph::{GraphError, WitnessError};
use crate::opening::{OpeningError, SettingsError};
use crate::paths::SiblingsError;
use crate::reduction::ReductionError;
use crate::shape::StatementShape;

/// Why there is no proof of a statement, or one is refused.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum BinaryError {
    /// A call's output is not that of its input.
    #[error("the output of call {call} is not what {hash} gives for its input")]
    FalseCall {
        /// Hash of the call.
        hash: Hash,
        /// Index of the call.
        call: usize,
    },
    /// The siblings are not those of the paths.
    #[error(transparent)]
    Siblings(#[from] SiblingsError),
    /// A graph without calls.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// Values that are not those of a graph's witness elements.
    #[error(transparent)]
    Witness(#[from] WitnessError),
    /// There are no settings for so many calls.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The bytes are not those of a proof.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The file is of another statement.
    #[error(
        "the proof is not about the list that was given ({expected}): use the list that it was \
         made for"
    )]
    OtherList {
        /// Shape of the statement that was expected.
        expected: StatementShape,
    },
    /// The proof has fewer proven bits than required.
    #[error("the proof has {} proven bits, expected at least {expected}", decimals(*.found))]
    Bits {
        /// Bits that were asked for.
        expected: f64,
        /// Bits that it has.
        found: f64,
    },
    /// A part of the reduction.
    #[error(transparent)]
    Reduction(#[from] ReductionError),
    /// A part of the opening.
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// The opened value is not that of the claim: the list, or a message, is false.
    #[error("the committed trace does not have the calls and rounds that the proof claims")]
    Claim,
}
