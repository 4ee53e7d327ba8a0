//! Results of a command, and how they are printed.

use clap::ValueEnum;
use droste_native::{kernels, processor_features};
use serde_json::Value;

/// Output format.
#[derive(Clone, Copy, Default, ValueEnum)]
pub enum Format {
    /// A table for people to read.
    #[default]
    Table,
    /// One JSON object.
    Json,
}

/// What a command measured, in both formats.
pub struct Report {
    /// The JSON object.
    pub json: Value,
    /// Header and rows of the table.
    pub table: Vec<Vec<String>>,
}

impl Report {
    /// Makes a report of a list of objects: in JSON as they are, in the table with one column per
    /// key.
    pub fn from_rows(rows: Vec<Value>) -> Self {
        let mut header: Vec<String> = vec![];
        for key in rows
            .iter()
            .filter_map(Value::as_object)
            .flat_map(|row| row.keys())
        {
            if !header.contains(key) {
                header.push(key.clone());
            }
        }
        let cell = |value: Option<&Value>| match value {
            None | Some(Value::Null) => "-".to_owned(),
            Some(Value::Number(n)) if n.is_f64() => {
                n.as_f64().map_or_else(String::new, |n| format!("{n:.3}"))
            }
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        };
        let body = rows
            .iter()
            .map(|row| header.iter().map(|key| cell(row.get(key))).collect());
        let table = std::iter::once(header.clone()).chain(body).collect();
        Self {
            json: Value::Array(rows),
            table,
        }
    }

    /// Returns the report as text, with what measured: in JSON as the field `machine` of the object
    /// or of each one in the list, in the table as its last line.
    pub fn print(mut self, format: Format) -> String {
        let machine = machine();
        match format {
            Format::Json => {
                let objects = match &mut self.json {
                    Value::Array(rows) => rows.iter_mut().collect(),
                    object => vec![object],
                };
                for object in objects.into_iter().filter_map(Value::as_object_mut) {
                    object.insert("machine".to_owned(), machine.clone().into());
                }
                self.json.to_string()
            }
            Format::Table => format!("{}\n\n{machine}", align(&self.table)),
        }
    }
}

/// The kernels of this build and the features of this processor.
pub fn machine() -> String {
    format!(
        "{}; this processor has {}",
        kernels(),
        processor_features().join(" "),
    )
}

fn align(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|column| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        })
        .collect();
    let lines: Vec<String> = rows
        .iter()
        .map(|row| {
            let cells: Vec<String> = row
                .iter()
                .zip(&widths)
                .map(|(cell, &width)| format!("{cell:<width$}"))
                .collect();
            cells.join("  ").trim_end().to_owned()
        })
        .collect();
    lines.join("\n")
}
