//! What failed in a run.

use droste_native::F;

use crate::precompile;

/// What failed, without the place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// An assertion about known values does not hold.
    #[error("assertion failed: {left} is not {right}")]
    Assertion {
        /// The value that was computed.
        left: F,
        /// The value that was required.
        right: F,
    },
    /// A word was set twice, to different values.
    #[error("assertion failed: word {address} is {old}, not {new} (a cell is written once)")]
    WordConflict {
        /// Address.
        address: u32,
        /// First value.
        old: F,
        /// Second value.
        new: F,
    },
    /// A lane was set twice, to different values.
    #[error(
        "assertion failed: lane {lane} of block {address} is {old}, not {new} (a cell is written once)"
    )]
    LaneConflict {
        /// Block address.
        address: u32,
        /// Lane, 0 to 7.
        lane: usize,
        /// First value.
        old: F,
        /// Second value.
        new: F,
    },
    /// More than one operand of an instruction's relation has not been set.
    #[error("the instruction reads a word that has not been written")]
    UnsetWord,
    /// A block is read before all of its lanes have been set.
    #[error("block {0} is read before all its lanes are written")]
    UnsetBlock(u32),
    /// A relation has no solution, as it divides by zero.
    #[error("division by zero")]
    DivisionByZero,
    /// The condition of a jump is neither zero nor one.
    #[error("the condition {0} is not a boolean")]
    NotBoolean(F),
    /// A block that is used as an extension element has a nonzero lane after its coefficients.
    #[error("block {0} is not an extension element: lanes after its coefficients must be zero")]
    NotExtension(u32),
    /// The address is outside of what a memory can hold.
    #[error("address {0} is out of range")]
    Address(u32),
    /// The target of a jump is not an instruction.
    #[error("jump to {0}, which is not an instruction")]
    Target(u32),
    /// The program asks for more hints than the tape has.
    #[error("the hint tape is exhausted: the program asks for hint number {0}")]
    TapeExhausted(usize),
    /// The next hint on the tape is of another kind.
    #[error("hint number {index} is {found}, expected {expected}")]
    TapeKind {
        /// Index of the hint on the tape.
        index: usize,
        /// The kind of hint that the program asks for.
        expected: Box<str>,
        /// The kind of hint on the tape.
        found: Box<str>,
    },
    /// Hints are left on the tape at the end of the run.
    #[error("{0} hints are left on the tape")]
    TapeLeft(usize),
    /// The number of public inputs is not the one that the program reads.
    #[error("the program reads {expected} public inputs, {found} were given")]
    PublicInputs {
        /// Number that the program reads.
        expected: usize,
        /// Number that was given.
        found: usize,
    },
    /// The run takes more instructions than allowed.
    #[error("the run takes more than {0} instructions, which is the limit")]
    Limit(u64),
    /// An index is not below the bound of its precompile or type.
    #[error("value {value} is out of range: it must be below {bound}")]
    OutOfRange {
        /// The value.
        value: u32,
        /// Its exclusive bound.
        bound: u64,
    },
    /// A precompile was called with operands for which it has no result.
    #[error("{}: {reason}", named(*.id))]
    Precompile {
        /// Identity of the precompile.
        id: u32,
        /// What is wrong with the operands.
        reason: String,
    },
}

/// The name of a built-in precompile, or the identity of a user's.
fn named(id: u32) -> String {
    match precompile::find(id, &[]) {
        Some(precompile) => format!("`{}`", precompile.name),
        None => format!("precompile {id}"),
    }
}
