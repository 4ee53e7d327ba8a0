//! Reads rows that `droste cost --format json` printed before.

use std::path::Path;

use droste_verifier::cost::{Cost as Figures, WrapCost};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::rows::{Row, Rows};
use crate::error::CommandError;
use crate::paths::Input;
use crate::program::read_text;

/// Reads the rows of all files, each with the name of its file.
///
/// # Errors
/// The first file that cannot be read, holds no rows, or holds something that this version does not
/// know, by its name.
pub fn files(paths: &[Input]) -> Result<Vec<(Option<String>, Row)>, CommandError> {
    let mut rows = vec![];
    for path in paths {
        let name = path.display().to_string();
        let of_file = file(path).map_err(CommandError::about(&name))?;
        rows.extend(of_file.into_iter().map(|row| (Some(name.clone()), row)));
    }
    Ok(rows)
}

fn file(path: &Path) -> Result<Vec<Row>, CommandError> {
    let text = read_text(path)?;
    let what = "not rows that `droste cost --format json` printed";
    let found: Vec<Map<String, Value>> =
        serde_json::from_str(&text).map_err(CommandError::about(what))?;
    if found.is_empty() {
        return Err(CommandError::failed("there are no rows"));
    }
    let rows = found.iter().enumerate().map(|(index, row)| one(index, row));
    let rows = Rows(rows.collect::<Result<_, _>>()?);
    let found = Value::from_iter(found.into_iter().map(Value::Object));
    let known = serde_json::to_value(&rows)?;
    if let Some(name) = unknown(&found, &known, "") {
        let message = format!("{name} is not a figure that this version of droste knows");
        return Err(CommandError::failed(message));
    }
    Ok(rows.0)
}

/// One row. What is flattened in a row and in its figures is read apart, because serde does not say
/// where in a flattened value an error is.
fn one(index: usize, row: &Map<String, Value>) -> Result<Row, CommandError> {
    let place = format!("row {index}");
    let mut figures = row.clone();
    let mut rest = |name: &str| figures.remove(name).unwrap_or_default();
    let (canonical, run) = (rest("canonical"), rest("run"));
    let wrap: WrapCost = typed(figures.clone().into(), &place)?;
    let figures: Figures = typed(figures.into(), &place)?;
    Ok(Row {
        figures: Figures { wrap, ..figures },
        canonical: typed(canonical, &format!("{place}.canonical"))?,
        run: typed(run, &format!("{place}.run"))?,
    })
}

/// Reads a value that stands at `place`.
fn typed<T: DeserializeOwned>(value: Value, place: &str) -> Result<T, CommandError> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let (path, error) = (error.path().to_string(), error.into_inner());
        CommandError::failed(match path.as_str() {
            "." => format!("{place}: {error}"),
            path => format!("{place}.{path}: {error}"),
        })
    })
}

/// The path of the first name in `found` that is not in `known`, which was read from it and written
/// again. A null stands for an absent value.
fn unknown(found: &Value, known: &Value, path: &str) -> Option<String> {
    match (found, known) {
        (Value::Object(found), Value::Object(known)) => found.iter().find_map(|(name, value)| {
            let path = if path.is_empty() {
                name.clone()
            } else {
                format!("{path}.{name}")
            };
            match known.get(name) {
                Some(known) => unknown(value, known, &path),
                None => (!value.is_null()).then_some(path),
            }
        }),
        (Value::Array(found), Value::Array(known)) => {
            let mut pairs = found.iter().zip(known).enumerate();
            pairs.find_map(|(index, (found, known))| {
                let path = if path.is_empty() {
                    format!("row {index}")
                } else {
                    format!("{path}[{index}]")
                };
                unknown(found, known, &path)
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::unknown;

    #[test]
    fn unknown_names_are_found_at_any_depth() {
        let known = json!([{ "a": 1, "b": [{ "c": null }, { "c": 2 }] }]);
        assert_eq!(unknown(&known, &known, ""), None);
        let found = |text: &str| unknown(&serde_json::from_str(text).unwrap(), &known, "");
        assert_eq!(found(r#"[{"a": 1, "x": null}]"#), None);
        assert_eq!(found(r#"[{"a": 1, "x": 0}]"#), Some("row 0.x".to_owned()));
        assert_eq!(
            found(r#"[{"b": [{}, {"d": 1}]}]"#),
            Some("row 0.b[1].d".to_owned())
        );
    }
}
