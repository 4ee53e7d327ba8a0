//! Errors.

use thiserror::Error;

use super::expression::Name;

/// Why code cannot be assembled.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AssemblerError {
    /// A variable that is not on the stack.
    #[error("no variable {0}")]
    NoVariable(Name),
    /// A variable that is taken although it is not on top of the stack.
    #[error("variable {0} is not on top of the stack")]
    NotOnTop(Name),
    /// A word below the 16th of the stack.
    #[error("{0} is deeper in the stack than instructions reach")]
    TooDeep(Name),
    /// An instruction that takes more words than the stack has.
    #[error("{0} takes more words than the stack has")]
    Underflow(String),
    /// Two ways that lead to one place with different stacks.
    #[error("{place}: a stack of {found} words, expected {expected}")]
    Height {
        /// What the place is.
        place: Name,
        /// Height of the stack on the way that was there first.
        expected: usize,
        /// Height on the other one.
        found: usize,
    },
    /// A variable that is elsewhere on the stack at the end of a block or loop.
    #[error("variable {0} is elsewhere on the stack at the end of a block")]
    Moved(Name),
    /// A function or table that is used but not defined.
    #[error("nothing is called {0}")]
    Undefined(Name),
    /// A function or table that is defined twice.
    #[error("{0} is defined twice")]
    DefinedTwice(Name),
    /// A call that does not have as many arguments as the function, or not as many results.
    #[error("{name} takes {expected:?} words and leaves so many, {found:?} expected")]
    Signature {
        /// Name of the function.
        name: Name,
        /// Words that it takes and leaves.
        expected: (usize, usize),
        /// Words that the call gives it and expects back.
        found: (usize, usize),
    },
    /// A loop that is generated once, although its passes would have to be different.
    #[error("the transcript is another one at the end of a loop")]
    Loop,
    /// Code that does not fit.
    #[error("the code has {0} bytes")]
    TooLong(usize),
}
