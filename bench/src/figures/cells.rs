//! What figures in documents are written in: tables, numbers, and where a group was measured. As
//! [`super::markdown`], it is compiled by the test `docs` of droste-tests, too.

use serde_json::Value;

use super::figure::{Figure, NOT_PUBLISHED, plausible};

pub const KIB: f64 = 1024.0;
pub const MIB: f64 = 1_048_576.0;

pub type Text = Result<String, String>;

pub fn table(header: &[&str], body: Vec<Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let rule = "|---".repeat(header.len());
    let header = line(&header.iter().map(ToString::to_string).collect::<Vec<_>>());
    let body: String = body.iter().map(|cells| line(cells)).collect();
    format!("\n{header}{rule}|\n{body}")
}

/// A table with a line for each row. Columns have a header, a path, and the unit in which the
/// figure is shown, or 0 if it is text. A figure that there is none of is null. Times of rows whose
/// fields of the names `same` are the same grow with the field `size`.
pub fn listed(group: &Value, columns: &[(&str, &str, f64)], same: &[&str], size: &str) -> Text {
    let rows = rows(group)?;
    let mut body = vec![vec![]; rows.len()];
    for &(_, path, unit) in columns {
        let figure = |row: &Value| Ok(Figure::of(row, path)?.in_units(unit));
        let is_plausible = if path.ends_with("_ms") {
            plausible_rows(rows, same, |row| number(row, size), figure)?
        } else {
            vec![true; rows.len()]
        };
        for ((row, line), is_plausible) in rows.iter().zip(&mut body).zip(is_plausible) {
            line.push(match row.pointer(path) {
                Some(Value::String(text)) if unit == 0.0 => text.clone(),
                Some(Value::Null) => "-".to_owned(),
                _ => figure(row)?.show(is_plausible, short),
            });
        }
    }
    let header: Vec<&str> = columns.iter().map(|(header, ..)| *header).collect();
    Ok(table(&header, body))
}

/// For each row, whether its figure is plausible beside those of its neighbours: rows of other sizes
/// in which the fields of these names are the same, and whose figures are certain. Rows are in the
/// order of their sizes.
pub fn plausible_rows(
    rows: &[Value],
    same: &[&str],
    size: impl Fn(&Value) -> Result<f64, String>,
    figure: impl Fn(&Value) -> Result<Figure, String>,
) -> Result<Vec<bool>, String> {
    let mut all = vec![true; rows.len()];
    for first in rows {
        let (mut places, mut series) = (vec![], vec![]);
        for (place, row) in rows.iter().enumerate() {
            let figure = figure(row)?;
            if same.iter().all(|name| row[name] == first[name]) && figure.doubt().is_none() {
                places.push(place);
                series.push((size(row)?, figure));
            }
        }
        for (place, is_plausible) in places.into_iter().zip(plausible(&series)) {
            all[place] = is_plausible;
        }
    }
    Ok(all)
}

pub fn rows(group: &Value) -> Result<&[Value], String> {
    let rows = group["rows"].as_array().filter(|rows| !rows.is_empty());
    rows.map(Vec::as_slice).ok_or_else(|| "no rows".to_owned())
}

pub fn number(value: &Value, path: &str) -> Result<f64, String> {
    let number = value.pointer(path).and_then(Value::as_f64);
    number.ok_or_else(|| format!("{path} is not a number"))
}

/// Where a group was measured, and by which commands.
pub fn measured(group: &Value) -> Text {
    let place = place(group)?;
    let rounds = match group["rounds"].as_u64() {
        Some(rounds) => format!(", medians of {rounds} rounds [and their spreads]"),
        None => String::new(),
    };
    let beside = match group["load_before"].as_f64() {
        Some(load) if load > 1.0 => ", beside other work",
        _ => "",
    };
    Ok(format!("\n{place}{rounds}{beside}.\n{}", commands(group)?))
}

/// The processor that a group was measured on, and what of it kernels use.
pub fn place(group: &Value) -> Text {
    let machine = group["machine"].as_str().ok_or("no machine")?;
    let (processor, build) = machine.split_once(':').ok_or("no processor")?;
    let (_, features) = build.split_once(" has ").ok_or("no features")?;
    Ok(format!("{processor} ({features})"))
}

/// The commands of a group, and the commit at which they ran.
pub fn commands(group: &Value) -> Text {
    let commands = group["commands"].as_array().ok_or("no commands")?;
    let commands: Vec<&str> = commands.iter().filter_map(Value::as_str).collect();
    let commit = group["commit"].as_str().unwrap_or("unknown");
    Ok(format!(
        "\nAt commit `{commit}`:\n\n```sh\n{}\n```\n",
        commands.join("\n")
    ))
}

/// A figure as it is shown, with its ratio to another one. If neither is published, one reason is
/// enough.
pub fn with_ratio(shown: String, to_other: &Figure, is_plausible: bool) -> String {
    let ratio = to_other.show(is_plausible, ratio);
    if to_other.is_one()
        || [&shown, &ratio]
            .iter()
            .all(|text| text.contains(NOT_PUBLISHED))
    {
        return shown;
    }
    format!("{shown} ({ratio})")
}

pub fn ratio(ratio: f64) -> String {
    match ratio {
        10.0.. => format!("{ratio:.0}"),
        _ => format!("{ratio:.2}"),
    }
}

/// A figure: its exponent from a million on, one digit behind the point below ten, else whole.
pub fn short(figure: f64) -> String {
    match figure {
        1e6.. => format!("{figure:.2e}"),
        1e3.. => {
            let figure = figure.round() as u64;
            format!("{},{:03}", figure / 1000, figure % 1000)
        }
        ..10.0 if figure.fract() != 0.0 => format!("{figure:.1}"),
        _ => format!("{figure:.0}"),
    }
}

/// `a, b and c`.
pub fn in_words(items: &[String]) -> String {
    match items {
        [all @ .., last] if !all.is_empty() => format!("{} and {last}", all.join(", ")),
        items => items.concat(),
    }
}
