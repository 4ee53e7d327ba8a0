//! What functions return as dictionaries: the fields that the command prints with `--format json`.

use serde::Serialize;

/// What a run gave.
#[derive(Serialize)]
pub struct Ran {
    pub outputs: Vec<u32>,
    pub cycles: usize,
    pub calls: std::collections::BTreeMap<&'static str, usize>,
    pub words: usize,
    pub blocks: usize,
}
