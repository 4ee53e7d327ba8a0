//! `droste fold`: recursion with rules of the user's own.

pub mod all;
mod family;
mod inspect;
mod key;
mod new;
mod page;
mod step;
mod tasks;
mod test;
mod verify;

use std::path::Path;

use clap::Subcommand;
use droste_native::{F, codec};
use droste_verifier::file;
use droste_verifier::fold::{Fold as Rules, UnverifiedFold, state_of};
use droste_verifier::summary::{Evidence, FoldSummary};
use serde::Serialize;

use crate::commands::verify::{rows_of_verdict, security_rows};
use crate::error::CommandError;
use crate::output::{Format, Report, list, row};
use crate::program::read_json;
use crate::trust::doubt_of;

/// What to do with folds.
#[derive(Debug, Subcommand)]
pub enum Fold {
    /// Write a cargo package with rules, a leaf program and their tests.
    New(new::New),
    /// Test the functions of rules by false hints: which of them are accepted. Nothing is proved.
    Test(test::Test),
    /// Derive the keys of the rules and print the fold key.
    Key(key::Key),
    /// Prove one rule.
    Step(step::Step),
    /// Make one fold of any number of leaves, by as many rules as that takes.
    All(all::All),
    /// Verify a fold against a fold key, and print or compare its state.
    Verify(verify::Verify),
    /// Show what a fold says, after verifying it under the rules that it lists, or under those of a
    /// file.
    Inspect(inspect::Inspect),
}

impl Fold {
    /// Runs the command, printing its result in `format`.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        run!(self, format: New Test Key Step All Verify Inspect)
    }
}

/// What a fold says, as commands print it.
#[derive(Debug, Serialize)]
pub struct Summary {
    /// What was accepted, if this command verified it against what its caller knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<String>,
    /// Name of the rule at the root, if the rules are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_name: Option<String>,
    #[serde(flatten)]
    says: FoldSummary,
    /// Whether the table has every term of the bits of the proof at the root.
    #[serde(skip)]
    shows_terms: bool,
}

impl Summary {
    const fn new(says: FoldSummary) -> Self {
        Self {
            verdict: None,
            rule_name: None,
            says,
            shows_terms: false,
        }
    }

    /// With the name of the rule at the root.
    fn of(rules: &Rules, says: FoldSummary) -> Self {
        let mut known = rules.rules();
        let rule = known.find(|rule| rule.key.to_string() == says.rule);
        Self {
            rule_name: rule.map(|rule| rule.name),
            ..Self::new(says)
        }
    }
}

/// The words for the reason why a fold key is trusted that no option of this command names.
const fn text_of(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::Derived => "derived from the rules",
        Evidence::Pinned => "as good as the key that --fold pins",
        Evidence::Claimed => "claimed by the file",
    }
}

impl Report for Summary {
    fn rows(&self) -> Vec<Vec<String>> {
        let says = &self.says;
        let doubt = doubt_of(says.keys_are);
        // What was accepted was compared with --key.
        let keys_are = match (says.keys_are, &self.verdict) {
            (Evidence::Pinned, Some(_)) => "pinned by --key",
            (keys_are, _) => text_of(keys_are),
        };
        let counters = says.counters;
        let proofs = format!(
            "{}: {} of rules and last wraps, {} behind these; {} levels",
            says.proofs, counters.rules, counters.behind, counters.depth
        );
        let rule = match &self.rule_name {
            Some(name) => format!("{name}, {}", says.rule),
            None => says.rule.clone(),
        };
        let bits = format!("{} of each proof{doubt}", says.proven_bits);
        let tree_bits = format!(
            "{}, by the union bound over {} proofs{doubt}",
            says.tree_bits, says.proofs
        );
        let mut rows = rows_of_verdict(self.verdict.as_deref());
        rows.extend([
            row(says.key_is, &says.key),
            row("its rules", keys_are),
            row("rule", rule),
            row("proofs", proofs),
        ]);
        let names = std::iter::once("state").chain(std::iter::repeat(""));
        let state = names.zip(&says.state);
        rows.extend(state.map(|(name, block)| row(name, list(block))));
        rows.extend([row("proven bits", bits), row("bits of the tree", tree_bits)]);
        rows.extend(security_rows(&says.root_security, self.shows_terms));
        let parameters = format!("blowup {}, {} queries", says.blowup, says.queries);
        rows.extend([
            row("parameters", parameters),
            row("proof", format!("{} bytes", says.proof_bytes)),
            row("verify", format!("{:.1} ms", says.verify_ms)),
        ]);
        if let Some(bytes) = says.peak_rss_bytes {
            let gib = bytes as f64 / f64::from(1 << 30);
            rows.push(row("memory", format!("{gib:.2} GiB at most")));
        }
        rows.extend(says.steps.iter().map(|step| row("step", step.text())));
        rows
    }
}

/// Reads and decodes a fold's file.
fn read(path: &Path) -> Result<UnverifiedFold, CommandError> {
    let bytes = codec::read_file(path).map_err(CommandError::file(path))?;
    file::fold::decode(&bytes).map_err(CommandError::about(path.display()))
}

/// Reads a state from a JSON file: a list of blocks, lists of eight canonical integers.
fn read_state(path: &Path) -> Result<Vec<[F; 8]>, CommandError> {
    let blocks: Result<Vec<[u32; 8]>, CommandError> = read_json(path);
    let blocks = blocks.map_err(CommandError::about(
        "the state, a list of blocks of eight integers",
    ))?;
    state_of(&blocks).map_err(CommandError::about(path.display()))
}
