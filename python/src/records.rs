//! What functions return as dictionaries: the fields that the command prints with `--format json`.

use droste_verifier::summary::ProofSummary;
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

/// What a verified proof says.
#[derive(Serialize)]
pub struct Verified {
    #[serde(flatten)]
    pub says: ProofSummary,
    pub verify_ms: f64,
}
