//! `droste xmss check`.

use std::path::PathBuf;

use clap::Args;
use droste_native::hash_signature::Xmss;
use droste_verifier::summary::ClaimsSummary;
use droste_verifier::xmss::{SignatureClaims, Wanted};

use super::read_json;
use crate::error::CommandError;
use crate::output::{Format, Report, print};
use crate::progress::Progress;
use crate::trust::{Trust, text_of};

/// Number of batches that tables show.
const SHOWN: usize = 64;

/// Arguments of `droste xmss check`.
#[derive(Debug, Args)]
pub struct Check {
    /// The aggregate.
    aggregate: PathBuf,
    /// File with the claims, as `droste xmss aggregate` writes it. Nothing in it is believed: the
    /// program's key and the statement of every batch are computed from it and compared with the
    /// aggregate.
    #[arg(long)]
    claims: PathBuf,
    /// JSON file with a list of what must be claimed, each entry with the fields `slot`, `message`,
    /// `root` and `public_param`. Fails if one of them is not.
    #[arg(long)]
    json: Option<PathBuf>,
    /// Proven bits of security that each proof of the tree must have at least.
    #[arg(long, default_value_t = 100)]
    min_bits: usize,
    #[command(flatten)]
    trust: Trust,
}

impl Report for ClaimsSummary {
    fn rows(&self) -> Vec<Vec<String>> {
        let row = |name: &str, value: String| vec![name.to_owned(), value];
        let mut rows = vec![
            row("recursion keys", text_of(self.keys_are).to_owned()),
            row("proven bits", format!("{} of each proof", self.proven_bits)),
            row(
                "bits of the tree",
                format!("{}, by the union bound", self.tree_bits),
            ),
            row("signatures", self.signatures.to_string()),
        ];
        for batch in self.batches.iter().take(SHOWN) {
            let message: Vec<String> = batch.message.iter().map(u32::to_string).collect();
            let message = message.join(",");
            let text = format!(
                "{} keys signed {message} in slot {}",
                batch.keys, batch.slot
            );
            rows.push(row("batch", text));
        }
        if let Some(more @ 1..) = self.batches.len().checked_sub(SHOWN) {
            rows.push(row("", format!("and {more} more batches")));
        }
        rows
    }
}

impl Check {
    /// Verifies the aggregate, compares the claims with it, and prints what is claimed.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let progress = Progress::spinner("verifying");
        let claims: SignatureClaims = read_json(&self.claims)?;
        let wanted: Vec<Wanted> = match &self.json {
            Some(path) => read_json(path)?,
            None => vec![],
        };
        let (aggregate, keys_are) = self.trust.read(&self.aggregate, &self.trust.deriver())?;
        claims
            .check_aggregate(&aggregate, &Xmss::DEFAULT, self.min_bits, &wanted)
            .map_err(CommandError::failed)?;
        let checked = ClaimsSummary::new(&claims, &aggregate, keys_are);
        drop(progress);
        Ok(print(&checked, format)?)
    }
}
