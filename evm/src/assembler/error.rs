//! Errors.

use thiserror::Error;

use super::expression::Name;

/// Why code cannot be assembled.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AssemblerError {
    /// A variable that is not on the stack.
    #[error("there is no variable {0}")]
    NoVariable(Name),
    /// A variable that is taken although it is not on top of the stack.
    #[error("variable {0} is not on top of the stack")]
    NotOnTop(Name),
    /// A word below the 16th of the stack.
    #[error("variable {0} is deeper in the stack than the 16 words that instructions reach")]
    TooDeep(Name),
    /// An instruction that takes more words than the stack has.
    #[error("{0} takes more words than the stack has")]
    Underflow(String),
    /// Two ways that lead to one place with different stacks.
    #[error(
        "{place}: one way here leaves a stack of {found} words, another one of {expected}, \
         expected the same"
    )]
    Height {
        /// What the place is.
        place: Name,
        /// Height of the stack on the way that was there first.
        expected: usize,
        /// Height on the other one.
        found: usize,
    },
    /// A variable that is elsewhere on the stack at the end of a block or loop.
    #[error("variable {0} is not where it was on the stack at the end of a block or loop")]
    Moved(Name),
    /// A function or table that is used but not defined.
    #[error("function or table {0} is used but not defined")]
    Undefined(Name),
    /// A function or table that is defined twice.
    #[error("function or table {0} is defined twice")]
    DefinedTwice(Name),
    /// A call that does not have as many arguments as the function, or not as many results.
    #[error(
        "function {name} takes {} words and leaves {}, but a call gives it {} and expects {}",
        .expected.0, .expected.1, .found.0, .found.1
    )]
    Signature {
        /// Name of the function.
        name: Name,
        /// Words that it takes and leaves.
        expected: (usize, usize),
        /// Words that the call gives it and expects back.
        found: (usize, usize),
    },
    /// A loop that is generated once, although its passes would have to be different.
    #[error("the transcript's state at the end of a loop is not that at its start")]
    Loop,
    /// A label without a place in the code.
    #[error("the code jumps to label {0}, which has no place")]
    NoPlace(usize),
    /// A list of a wrong length.
    #[error("{found} {what} were given, expected {expected}")]
    Length {
        /// What the list is of.
        what: &'static str,
        /// Its length, if it is right.
        expected: usize,
        /// Its length.
        found: usize,
    },
    /// Code that jumps cannot address.
    #[error("the code has {0} bytes, expected fewer than 2^16")]
    TooLong(usize),
}
