//! Lists of inputs and of calls: a line each, in hexadecimal digits. Empty lines and lines that
//! begin with # are left out.

use std::fmt::Write;

use droste_binary::{Hash, HashCalls, StatementError};
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
        expected: &'static str,
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
        /// `input` or `output`.
        part: &'static str,
        /// Number of the character in its word, from 1.
        place: usize,
        /// The character.
        found: char,
    },
    /// A word is too long or too short.
    #[error("line {line}: the {part} has {found} digits, those of {hash} have {expected}")]
    Digits {
        /// Number of the line, from 1.
        line: usize,
        /// `input` or `output`.
        part: &'static str,
        /// The hash that is called.
        hash: Hash,
        /// Digits that it should have.
        expected: usize,
        /// Digits that it has.
        found: usize,
    },
    /// The list has no calls, or more than a proof has.
    #[error(transparent)]
    Statement(#[from] StatementError),
}

/// The true statement about a list of inputs.
pub fn of_inputs(hash: Hash, text: &str) -> Result<HashCalls, ListError> {
    let inputs = lines(hash, text)?.map(|(line, words)| match words.as_slice() {
        [input] => bytes(hash, line, "input", input, hash.input_bytes()),
        _ => Err(ListError::Words {
            line,
            expected: "one `INPUT`",
            found: words.len(),
        }),
    });
    let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
    Ok(HashCalls::of_inputs(hash, inputs)?)
}

/// The statement that a list of calls is, true or not.
pub fn of_calls(hash: Hash, text: &str) -> Result<HashCalls, ListError> {
    let calls = lines(hash, text)?.map(|(line, words)| match words.as_slice() {
        [input, output] => Ok((
            bytes(hash, line, "input", input, hash.input_bytes())?,
            bytes(hash, line, "output", output, hash.output_bytes())?,
        )),
        _ => Err(ListError::Words {
            line,
            expected: "`INPUT OUTPUT`",
            found: words.len(),
        }),
    });
    let calls = calls.collect::<Result<Vec<_>, _>>()?;
    Ok(HashCalls::new(hash, calls)?)
}

/// The list of a statement's calls, as [`of_calls`] reads it.
pub fn write(statement: &HashCalls) -> String {
    let mut text = String::new();
    for (input, output) in statement.calls() {
        digits(&mut text, input);
        text.push(' ');
        digits(&mut text, output);
        text.push('\n');
    }
    text
}

fn digits(text: &mut String, bytes: &[u8]) {
    for byte in bytes {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
}

/// The words of each line that has some, with the line's number. They are counted before anything
/// is made of them.
fn lines(
    hash: Hash,
    text: &str,
) -> Result<impl Iterator<Item = (usize, Vec<&str>)>, StatementError> {
    let lines = (1..).zip(text.lines());
    let lines = lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let (found, most) = (lines.clone().count(), hash.max_calls());
    match found > most {
        true => Err(StatementError::TooManyCalls { hash, found, most }),
        false => Ok(lines.map(|(line, text)| (line, text.split_whitespace().collect()))),
    }
}

/// The bytes of a word that must have so many.
fn bytes(
    hash: Hash,
    line: usize,
    part: &'static str,
    word: &str,
    length: usize,
) -> Result<Vec<u8>, ListError> {
    let digit = |(place, found): (usize, char)| {
        let digit = found.to_digit(16).and_then(|digit| digit.try_into().ok());
        digit.ok_or(ListError::Digit {
            line,
            part,
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
            part,
            hash,
            expected: 2 * length,
            found: digits.len(),
        });
    }
    let pairs = digits.as_chunks().0.iter();
    Ok(pairs.map(|[high, low]| high << 4 | low).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_written_as_they_are_read() {
        for hash in Hash::ALL {
            let input = "0aB1".repeat(hash.input_bytes() / 2);
            let text = format!("# inputs\n\n{input}\r\n  {input}\n \n");
            let statement = of_inputs(hash, &text).unwrap();
            assert_eq!(statement.len(), 2);
            let (bytes, _) = statement.calls().next().unwrap();
            assert_eq!(bytes.first_chunk(), Some(&[0x0a, 0xb1]));
            assert_eq!(of_calls(hash, &write(&statement)).unwrap(), statement);
        }
    }

    #[test]
    fn errors_name_the_line() {
        let input = "00".repeat(112);
        let refused = |text: String| of_inputs(Hash::Blake3, &text).unwrap_err().to_string();
        assert_eq!(
            refused(format!("{input}\n\n{}g", &input[1..])),
            "line 3: the input's character 224 is `g`, expected a hexadecimal digit"
        );
        assert_eq!(
            refused(format!("#\n{input}0")),
            "line 2: the input has 225 digits, those of blake3 have 224"
        );
        assert_eq!(
            refused(format!("{input} {input}")),
            "line 1 has 2 words, expected one `INPUT`"
        );
        assert!(refused("# nothing\n".to_owned()).contains("empty"));
        let calls = of_calls(Hash::Blake3, &format!("{input} {input}"));
        assert_eq!(
            calls.unwrap_err().to_string(),
            "line 1: the output has 224 digits, those of blake3 have 128"
        );
    }
}
