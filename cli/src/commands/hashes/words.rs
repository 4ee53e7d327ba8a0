//! Lists: a line each, of words in hexadecimal digits. Empty lines and lines that begin with # are
//! left out.

use std::fmt::{Display, Write};

use droste_binary::paths::PathsError;
use droste_binary::{Hash, StatementError};
use thiserror::Error;

/// Why a text is not a list.
#[derive(Debug, Error)]
pub enum ListError {
    /// A line has more or fewer words.
    #[error("line {line} has {found} words, expected {expected}")]
    Words {
        /// Number of the line, from 1.
        line: usize,
        /// What it should have.
        expected: String,
        /// Words that it has.
        found: usize,
    },
    /// A word has a character that is no digit.
    #[error(
        "line {line}: the {part}'s character {place} is `{found}`, expected a hexadecimal digit"
    )]
    Digit {
        /// Number of the line, from 1.
        line: usize,
        /// What it should be.
        part: String,
        /// Number of the character in its word, from 1.
        place: usize,
        /// The character.
        found: char,
    },
    /// A word is too long or too short.
    #[error("line {line}: the {part} has {found} digits, expected {expected} for {hash}")]
    Digits {
        /// Number of the line, from 1.
        line: usize,
        /// What it should be.
        part: String,
        /// The hash that is called.
        hash: Hash,
        /// Digits that it should have.
        expected: usize,
        /// Digits that it has.
        found: usize,
    },
    /// An index is not that of a leaf.
    #[error("line {line}: the index is `{found}`, expected a number below 2^{depth}")]
    Index {
        /// Number of the line, from 1.
        line: usize,
        /// Depth of the paths.
        depth: usize,
        /// The word.
        found: String,
    },
    /// Siblings do not lead to the root.
    #[error("line {line}: at level {level} the siblings lead to {found}, not to the root")]
    Root {
        /// Number of the line, from 1.
        line: usize,
        /// Level of the root, above the leaf.
        level: usize,
        /// The digest at that level, in hexadecimal digits.
        found: String,
    },
    /// The list has no calls, or more than a proof has.
    #[error(transparent)]
    Calls(#[from] StatementError),
    /// The list has no paths, or more than a proof has.
    #[error(transparent)]
    Paths(#[from] PathsError),
}

/// Writes bytes as hexadecimal digits.
pub fn write_digits(text: &mut String, bytes: &[u8]) {
    for byte in bytes {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
}

/// The words of each line that has some, with the line's number.
///
/// # Errors
/// If there are more than `most` lines, which is found before anything is made of them: what the
/// function says of their number.
pub fn lines<E: Into<ListError>>(
    text: &str,
    most: usize,
    too_many: impl FnOnce(usize) -> E,
) -> Result<impl Iterator<Item = (usize, Vec<&str>)>, ListError> {
    let lines = (1..).zip(text.lines());
    let lines = lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let found = lines.clone().count();
    if found > most {
        Err(too_many(found).into())
    } else {
        Ok(lines.map(|(line, text)| (line, text.split_whitespace().collect())))
    }
}

/// The bytes of a word that must have `length` of them.
pub fn bytes(
    hash: Hash,
    line: usize,
    part: &dyn Display,
    word: &str,
    length: usize,
) -> Result<Vec<u8>, ListError> {
    let digit = |(place, found): (usize, char)| {
        let digit = found.to_digit(16).and_then(|digit| digit.try_into().ok());
        digit.ok_or_else(|| ListError::Digit {
            line,
            part: part.to_string(),
            place,
            found,
        })
    };
    let digits: Vec<u8> = (1..)
        .zip(word.chars())
        .map(digit)
        .collect::<Result<_, _>>()?;
    if digits.len() != 2 * length {
        return Err(ListError::Digits {
            line,
            part: part.to_string(),
            hash,
            expected: 2 * length,
            found: digits.len(),
        });
    }
    let pairs = digits.as_chunks().0.iter();
    Ok(pairs.map(|[high, low]| high << 4 | low).collect())
}
