//! `droste exit`: the last proof of a chain.

use std::path::PathBuf;

use clap::Args;
use droste_native::stark::security::Preset;
use droste_native::whir::WhirSettings;
use droste_verifier::summary::{Evidence, ProofSummary, milliseconds};
use droste_vm::files;
use droste_vm::whir;
use serde::Serialize;

use crate::commands::verify::Verified;
use crate::error::CommandError;
use crate::output::{Format, Report, print, row};
use crate::parameters::CanonicalShape;
use crate::progress::Progress;
use crate::trust::{Trust, text_of};

/// Arguments of `droste exit`.
#[derive(Debug, Args)]
pub struct MakeExit {
    /// The aggregate of proofs, which `droste wrap`, `join` or `aggregate` wrote with this preset
    /// and arity.
    aggregate: PathBuf,
    #[command(flatten)]
    shape: CanonicalShape,
    /// Security level of the last proof: proven-100, proven-120, proven-128 or toy (insecure).
    #[arg(long, default_value_t)]
    exit_preset: Preset,
    #[command(flatten)]
    trust: Trust,
    /// File to write the proof to. `droste verify` verifies it against the key and the statement
    /// that are printed.
    #[arg(short, long)]
    output: PathBuf,
}

/// What the last proof says.
#[derive(Debug, Serialize)]
struct Shown {
    #[serde(flatten)]
    proof: Verified,
    /// Why the aggregate's recursion keys are trusted.
    keys_are: Evidence,
    /// Proven bits that every proof of the tree has at least, with this one.
    least_bits: usize,
    /// Proven bits of all of them together.
    tree_bits: usize,
}

impl Report for Shown {
    fn rows(&self) -> Vec<Vec<String>> {
        let mut rows = self.proof.rows();
        rows.extend([
            row("recursion keys", text_of(self.keys_are)),
            row("bits of each proof", self.least_bits),
            row("bits of the tree", self.tree_bits),
        ]);
        rows
    }
}

impl MakeExit {
    /// Makes the proof, writes it and prints what it says.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let progress = Progress::spinner("proving once more, in Keccak");
        let (aggregate, keys_are) = self.trust.read(&self.aggregate, &self.trust.deriver())?;
        let settings = WhirSettings::of_exit(self.exit_preset);
        let exit = self.shape.aggregator().exit(&aggregate, settings)?;
        let bytes = whir::encode(&exit.proof)?;
        files::write(&self.output, &bytes).map_err(CommandError::file(&self.output))?;
        let root = &exit.accepted.root;
        let says = ProofSummary::new(&exit.proof, root, bytes.len(), milliseconds(exit.verify));
        let shown = Shown {
            proof: Verified {
                prove_ms: Some(milliseconds(exit.prove)),
                ..Verified::new(says)
            },
            keys_are,
            least_bits: exit.accepted.bits,
            tree_bits: exit.accepted.tree_bits,
        };
        drop(progress);
        Ok(print(&shown, format)?)
    }
}
