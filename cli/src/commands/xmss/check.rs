//! `droste xmss check`.

use clap::Args;
use droste_native::hash_signature::Xmss;
use droste_verifier::aggregate::AggregateOptions;
use droste_verifier::summary::ClaimsSummary;
use droste_verifier::xmss::{SignatureClaims, Wanted};

use super::read_json;
use crate::error::CommandError;
use crate::output::{Format, Report, list, print, row};
use crate::paths::Input;
use crate::progress::Progress;
use crate::trust::{Trust, text_of};

/// Number of messages, and of repeated keys of each, that tables show.
const SHOWN: usize = 64;

/// Arguments of `droste xmss check`.
#[derive(Debug, Args)]
pub struct Check {
    /// The aggregate.
    aggregate: Input,
    /// File with the claims, as `droste xmss aggregate` writes it. Nothing in it is believed: the
    /// program's key and the statement of every batch are computed from it and compared with the
    /// aggregate.
    #[arg(long)]
    claims: Input,
    /// JSON file with a list of what must be claimed, each entry with the fields `slot`, `message`,
    /// `root` and `public_param`. Fails if one of them is not.
    #[arg(long)]
    json: Option<Input>,
    /// Proven bits of security that each proof of the tree must have at least.
    #[arg(long, default_value_t = 100)]
    min_bits: usize,
    /// Proven bits of security that all proofs of the tree must have together at least, by the
    /// union bound: 100, unless --min-bits asks for less of each.
    #[arg(long)]
    min_tree_bits: Option<usize>,
    #[command(flatten)]
    trust: Trust,
}

impl Report for ClaimsSummary {
    fn rows(&self) -> Vec<Vec<String>> {
        let tree_bits = format!("{}, by the union bound", self.tree_bits);
        let mut rows = vec![
            row("recursion keys", text_of(self.keys_are)),
            row("proven bits", format!("{} of each proof", self.proven_bits)),
            row("bits of the tree", tree_bits),
            row("signatures", self.signatures),
        ];
        for signed in self.signed.iter().take(SHOWN) {
            let (keys, message) = (signed.keys, list(&signed.message));
            let text = format!("{keys} keys signed {message} in slot {}", signed.slot);
            rows.push(row("signed", text));
            for key in signed.repeated.iter().take(SHOWN) {
                let (root, param, times) = (list(&key.root), list(&key.public_param), key.times);
                let key = format!("root {root}, public parameter {param}");
                rows.push(row(
                    "repeated",
                    format!("{key}: {times} times, counted once"),
                ));
            }
            if let Some(more @ 1..) = signed.repeated.len().checked_sub(SHOWN) {
                rows.push(row("", format!("and {more} more repeated keys")));
            }
        }
        if let Some(more @ 1..) = self.signed.len().checked_sub(SHOWN) {
            rows.push(row("", format!("and {more} more messages or slots")));
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
        // All leaves must be the batches that are claimed, of the key that the claims give.
        let options = AggregateOptions::min_bits(self.min_bits);
        let options = options.with_min_tree_bits(self.min_tree_bits);
        claims.check_aggregate(&aggregate, &Xmss::DEFAULT, options, &wanted)?;
        let checked = ClaimsSummary::new(&claims, &aggregate, keys_are);
        progress.finish();
        Ok(print(&checked, format)?)
    }
}
