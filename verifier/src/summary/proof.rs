//! What the proof of a program says.

use droste_native::{HashId, HashSuite};
use droste_vm::prover::Proof;
use droste_vm::verifier::Report;
use serde::Serialize;

use super::{SecuritySummary, integers};

/// What a verified proof says.
#[derive(Clone, Debug, Serialize)]
pub struct ProofSummary {
    /// Digest of its key.
    pub key: String,
    /// Hash in which it is committed.
    pub hash: HashId,
    /// Its statement.
    pub statement: Vec<u32>,
    /// Blowup.
    pub blowup: usize,
    /// Number of queries.
    pub queries: usize,
    /// Proven bits, without ePrint 2026/2056.
    pub proven_bits: usize,
    /// Every term of them.
    pub security: SecuritySummary,
    /// Bytes of its file.
    pub proof_bytes: usize,
    /// `width * height * log2(height)`, summed over its tables.
    pub fft_cost: u64,
    /// Base field elements that one query opens.
    pub opened_per_query: usize,
    /// Its tables.
    pub tables: Vec<TableSummary>,
    /// Time to verify it.
    pub verify_ms: f64,
}

/// A table of a proof.
#[derive(Clone, Debug, Serialize)]
pub struct TableSummary {
    /// Its name.
    pub name: &'static str,
    /// Rows.
    pub height: usize,
    /// Main columns.
    pub main: usize,
    /// Preprocessed columns.
    pub preprocessed: usize,
    /// Lookup columns, in base field elements.
    pub lookup: usize,
    /// Largest degree of its constraints.
    pub degree: usize,
    /// `width * height * log2(height)`.
    pub fft_cost: u64,
}

impl ProofSummary {
    /// Gathers what a proof of so many bytes, and the report of its verification, say.
    pub fn new<H: HashSuite>(
        proof: &Proof<H>,
        report: &Report,
        proof_bytes: usize,
        verify_ms: f64,
    ) -> Self {
        let settings = &proof.key.settings;
        let tables = report.tables.iter();
        Self {
            key: report.key.to_string(),
            hash: H::ID,
            statement: integers(&report.statement),
            blowup: settings.blowup(),
            queries: settings.num_queries,
            proven_bits: report.security.bits(),
            security: SecuritySummary::new(&report.security),
            proof_bytes,
            fft_cost: tables.clone().map(|table| table.fft_cost()).sum(),
            opened_per_query: tables.clone().map(|table| table.opened_elements()).sum(),
            tables: tables
                .map(|table| TableSummary {
                    name: table.name,
                    height: table.height(),
                    main: table.shape.main_width,
                    preprocessed: table.shape.preprocessed_width,
                    lookup: table.lookup_width(),
                    degree: table.shape.degree,
                    fft_cost: table.fft_cost(),
                })
                .collect(),
            verify_ms,
        }
    }
}
