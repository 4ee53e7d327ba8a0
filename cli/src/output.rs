//! Prints results as tables for people or as JSON for programs.

use std::fmt::{Display, Write as _};
use std::io::{self, Write as _};

use clap::ValueEnum;
use serde::Serialize;

/// How results are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A table with aligned columns.
    Table,
    /// One JSON value; `aggregate` and `fold all` print one a task before it. If the exit code is
    /// not 0, the last line is an object with the fields `error`, `causes` and `exit_code`.
    Json,
}

impl Format {
    /// Whether the arguments of this process ask for JSON. Only for arguments that cannot be parsed.
    pub fn is_json_asked_for() -> bool {
        let arguments: Vec<_> = std::env::args_os().collect();
        let is_json = |pair: &[std::ffi::OsString]| pair == ["--format", "json"];
        arguments.windows(2).any(is_json) || arguments.iter().any(|one| one == "--format=json")
    }
}

/// A result that can be printed as a table and as JSON.
pub trait Report: Serialize {
    /// Rows of the table, each a list of cells.
    fn rows(&self) -> Vec<Vec<String>>;
}

/// A row of a name and a value.
pub fn row(name: impl Display, value: impl Display) -> Vec<String> {
    vec![name.to_string(), value.to_string()]
}

/// Field elements, separated by commas.
pub fn list(elements: &[u32]) -> String {
    let elements: Vec<String> = elements.iter().map(u32::to_string).collect();
    elements.join(",")
}

/// `number` things: "1 leaf", "2 leaves".
pub fn counted(number: usize, one: &str, several: &str) -> String {
    let word = if number == 1 { one } else { several };
    format!("{number} {word}")
}

/// Writes `report` to standard output.
///
/// # Errors
/// If standard output cannot be written, for instance because a pipe is closed.
pub fn print(report: &impl Report, format: Format) -> io::Result<()> {
    let text = match format {
        Format::Json => serde_json::to_string(report).map_err(io::Error::other)? + "\n",
        Format::Table => align(&report.rows()),
    };
    io::stdout().lock().write_all(text.as_bytes())
}

/// Writes a line to standard error. If that is closed, nobody reads it.
pub fn tell(line: impl Display) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Writes what a program printed with `dbg!` to standard error.
pub fn print_lines(lines: &[String]) {
    for line in lines {
        tell(visible(line));
    }
}

/// A text in which control characters are escaped: what comes from a file must not move the cursor
/// of a terminal or look like another line.
pub fn visible(text: &str) -> String {
    let mut visible = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() {
            visible.extend(character.escape_default())
        } else {
            visible.push(character)
        }
    }
    visible
}

/// Pads each column to its widest cell. The last cell of a row is not padded and does not widen its
/// column.
fn align(rows: &[Vec<String>]) -> String {
    let rows = rows
        .iter()
        .map(|row| row.iter().map(|cell| visible(cell)).collect());
    let rows: Vec<Vec<String>> = rows.collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let inner = rows.iter().filter(|row| column + 1 < row.len());
        let cells = inner.filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        for (column, cell) in row.iter().enumerate() {
            if column + 1 == row.len() {
                text.push_str(cell);
            } else {
                let width = widths.get(column).copied().unwrap_or(0);
                let _ = write!(text, "{cell:<width$}  ");
            }
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{align, row};

    #[test]
    fn columns_line_up() {
        let rows = [["name", "rows"], ["cpu", "8"], ["poseidon16", "16"]];
        let rows: Vec<Vec<String>> = rows
            .iter()
            .map(|row| row.map(String::from).to_vec())
            .collect();
        assert_eq!(
            align(&rows),
            "name        rows\ncpu         8\nposeidon16  16\n"
        );
        let rows = vec![vec!["a long line of one cell".to_owned()], row("cpu", "8")];
        assert_eq!(align(&rows), "a long line of one cell\ncpu  8\n");
        let rows = vec![row("\u{1b}[2Ja\nb\u{9b}", "é")];
        assert_eq!(align(&rows), "\\u{1b}[2Ja\\nb\\u{9b}  é\n");
    }
}
