//! Lists of inputs, and of calls.

use droste_binary::{Hash, HashCalls, StatementError};

use super::words::{ListError, bytes, lines, write_digits};

/// The true statement about a list of inputs.
pub fn of_inputs(hash: Hash, text: &str) -> Result<HashCalls, ListError> {
    let inputs = words(hash, text)?.map(|(line, words)| match words.as_slice() {
        [input] => bytes(hash, line, &"input", input, hash.input_bytes()),
        _ => Err(ListError::Words {
            line,
            expected: "one `INPUT`".to_owned(),
            found: words.len(),
        }),
    });
    let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
    Ok(HashCalls::of_inputs(hash, inputs)?)
}

/// The statement that a list of calls is, true or not.
pub fn of_calls(hash: Hash, text: &str) -> Result<HashCalls, ListError> {
    let calls = words(hash, text)?.map(|(line, words)| match words.as_slice() {
        [input, output] => Ok((
            bytes(hash, line, &"input", input, hash.input_bytes())?,
            bytes(hash, line, &"output", output, hash.output_bytes())?,
        )),
        _ => Err(ListError::Words {
            line,
            expected: "`INPUT OUTPUT`".to_owned(),
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
        write_digits(&mut text, input);
        text.push(' ');
        write_digits(&mut text, output);
        text.push('\n');
    }
    text
}

/// The words of each line.
fn words(hash: Hash, text: &str) -> Result<impl Iterator<Item = (usize, Vec<&str>)>, ListError> {
    let most = hash.max_calls();
    lines(text, most, move |found| StatementError::TooManyCalls {
        hash,
        found,
        most,
    })
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
            "line 2: the input has 225 digits, expected 224 for blake3"
        );
        assert_eq!(
            refused(format!("{input} {input}")),
            "line 1 has 2 words, expected one `INPUT`"
        );
        assert!(refused("# nothing\n".to_owned()).contains("no calls"));
        let calls = of_calls(Hash::Blake3, &format!("{input} {input}"));
        assert_eq!(
            calls.unwrap_err().to_string(),
            "line 1: the output has 224 digits, expected 128 for blake3"
        );
    }
}
