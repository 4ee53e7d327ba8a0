//! Why a run stopped, in terms of the source.

use std::sync::Arc;

use droste_native::F;
use miette::Diagnostic;

/// What went wrong, without the place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// An assertion over known values does not hold.
    #[error("assertion failed: {left} is not {right}")]
    Assertion {
        /// Value computed.
        left: F,
        /// Value required.
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
    /// More than one operand of a relation is unset.
    #[error("the instruction reads a word that has not been written")]
    UnsetWord,
    /// A block was read before it was complete.
    #[error("block {0} is read before all its lanes are written")]
    UnsetBlock(u32),
    /// A relation has no solution: division by zero.
    #[error("division by zero")]
    DivisionByZero,
    /// The condition of a jump is neither zero nor one.
    #[error("the condition {0} is not a boolean")]
    NotBoolean(F),
    /// A block used as an extension element has a nonzero lane 5, 6 or 7.
    #[error("block {0} is not an extension element: lanes 5 to 7 must be zero")]
    NotExtension(u32),
    /// Address outside what a memory can hold.
    #[error("address {0} is out of range")]
    Address(u32),
    /// A jump to a place that is no instruction.
    #[error("jump to {0}, which is not an instruction")]
    Target(u32),
    /// The program asked for more hints than the tape has.
    #[error("the hint tape is exhausted: the program asks for hint number {0}")]
    TapeExhausted(usize),
    /// The next hint on the tape is of another kind.
    #[error("hint number {index} is {found}, expected {expected}")]
    TapeKind {
        /// Position on the tape.
        index: usize,
        /// What the program asks for.
        expected: String,
        /// What the tape holds.
        found: String,
    },
    /// Hints are left at the end of the run.
    #[error("{0} hints are left on the tape")]
    TapeLeft(usize),
    /// Number of public inputs given and expected.
    #[error("the program reads {expected} public inputs, {found} given")]
    PublicInputs {
        /// Number the program reads.
        expected: usize,
        /// Number given.
        found: usize,
    },
    /// The run is longer than allowed.
    #[error("the instruction limit of {0} is reached")]
    Limit(u64),
    /// An index is not below the bound its precompile or type demands.
    #[error("value {value} is out of range: it must be below {bound}")]
    OutOfRange {
        /// The value.
        value: u32,
        /// Its exclusive bound.
        bound: u64,
    },
    /// A precompile was called with an operand outside its domain.
    #[error("precompile {id}: {reason}")]
    Precompile {
        /// Identity.
        id: u32,
        /// What is wrong.
        reason: String,
    },
}

/// A place in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// File.
    pub path: String,
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// Function the place is in.
    pub function: String,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            path,
            line,
            column,
            function,
        } = self;
        write!(f, "{path}:{line}:{column} in {function}")
    }
}

/// A run that did not finish: what went wrong, at which instruction, and where in the source.
#[derive(Clone, Debug, Diagnostic, thiserror::Error)]
#[error("{fault}{}", chain(places))]
pub struct RunError {
    /// What went wrong.
    pub fault: Fault,
    /// Instruction at which it did.
    pub pc: u32,
    /// Innermost place first, then the calls that lead there.
    pub places: Vec<Place>,
    /// The source of the innermost place.
    #[source_code]
    pub source_code: Option<Arc<miette::NamedSource<String>>>,
    /// The expression.
    #[label("while running this")]
    pub span: Option<miette::SourceSpan>,
}

fn chain(places: &[Place]) -> String {
    let mut text = String::new();
    for (depth, place) in places.iter().enumerate() {
        let word = if depth == 0 { "at" } else { "called from" };
        text.push_str(&format!("\n  {word} {place}"));
    }
    text
}
