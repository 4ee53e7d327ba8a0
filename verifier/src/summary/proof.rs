//! What the proof of a program says.

use droste_native::HashId;
use droste_native::stark::security::Security;
use droste_vm::key::ProofSystem;
use droste_vm::report::TableReport;
use droste_vm::stack::{Stack, StackSettings};
use droste_vm::verifier::Report;
use serde::Serialize;

use super::{SecuritySummary, integers};
use crate::aggregate::tables_of_r;
use crate::circuit::LeafProof;
use crate::keys::DigestKind;

/// What a verified proof says.
#[derive(Clone, Debug, Serialize)]
pub struct ProofSummary {
    /// Digest of its key.
    pub key: String,
    /// A program key, or an exit key.
    pub key_is: DigestKind,
    /// Hash in which it is committed.
    pub hash: HashId,
    /// Its stack.
    pub stack: Stack,
    /// Its statement.
    pub statement: Vec<u32>,
    /// Blowup.
    pub blowup: usize,
    /// Number of queries; over WHIR to the commitment to the tables, later ones have fewer.
    pub queries: usize,
    /// Proven bits, without ePrint 2026/2056.
    pub proven_bits: usize,
    /// Every term of them.
    pub security: SecuritySummary,
    /// Bytes of its file.
    pub proof_bytes: usize,
    /// `width * height * log2(height)`, summed over its tables.
    pub fft_cost: u64,
    /// Base field elements that one such query opens.
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
    /// Lookup columns, in base field elements; over WHIR there are none.
    pub lookup: usize,
    /// Largest degree of its constraints.
    pub degree: usize,
    /// `width * height * log2(height)`.
    pub fft_cost: u64,
}

impl ProofSummary {
    /// Gathers what a proof of so many bytes, and the report of its verification, say.
    pub fn new<P: LeafProof>(
        proof: &P,
        report: &Report,
        proof_bytes: usize,
        verify_ms: f64,
    ) -> Self {
        let settings: StackSettings = proof.key().settings.into();
        let tables = report.tables.iter();
        Self {
            key: report.key.to_string(),
            key_is: kind_of_key(proof),
            hash: P::System::HASH,
            stack: settings.stack(),
            statement: integers(&report.statement),
            blowup: 1 << settings.log_blowup(),
            queries: proof.queries(),
            proven_bits: report.security.bits(),
            security: SecuritySummary::new(&report.security),
            proof_bytes,
            fft_cost: tables.clone().map(TableReport::fft_cost).sum(),
            opened_per_query: proof.opened_per_query(report),
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

    /// What the proof says if its run verified another proof of this security: the bits are those of
    /// the weakest term of both.
    #[must_use]
    pub fn with_inner(self, inner: &Security) -> Self {
        let security = self.security.and(inner);
        Self {
            proven_bits: security.without_eprint_2026_2056.bits,
            security,
            ..self
        }
    }
}

/// Whether the key of a proof is an exit key. It is for a proof in Keccak on the recursion machine:
/// programs do not call all precompiles of that machine, and no other, unless they verify proofs.
pub(crate) fn kind_of_key<P: LeafProof>(proof: &P) -> DigestKind {
    let settings: StackSettings = proof.key().settings.into();
    let is_in_keccak = (settings.stack(), P::System::HASH) == (Stack::Whir, HashId::Keccak);
    if is_in_keccak && tables_of_r().is_ok_and(|tables| tables == proof.key().tables) {
        DigestKind::ExitKey
    } else {
        DigestKind::ProgramKey
    }
}
