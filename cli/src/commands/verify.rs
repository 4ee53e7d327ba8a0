//! `droste verify` and `droste inspect`: check a proof or an aggregate and print what it says.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

use clap::Args;
use droste_native::{codec, files};
use droste_verifier::aggregate::{AggregateOptions, UnverifiedAggregate};
use droste_verifier::claim::AcceptedLeaves;
use droste_verifier::file;
use droste_verifier::keys::{Cache, Deriver, DigestKind};
use droste_verifier::program_keys::mismatch;
use droste_verifier::proofs::{self, Known};
use droste_verifier::summary::{
    AggregateSummary, Evidence, FoldLeafSummary, ProofSummary, SecuritySummary, milliseconds,
};
use droste_vm::key::KeyDigest;
use droste_vm::verifier::VerifyOptions;
use serde::Serialize;

use crate::calling::Calls;
use crate::commands::aggregate::{Summary, rows_of_fold};
use crate::commands::tree;
use crate::error::CommandError;
use crate::fields::field_list;
use crate::folds::{FoldClaims, bits_of_exit, rules_of, with_rules};
use crate::kind::{FileKind, decode_aggregate};
use crate::output::{Format, Report, counted, list, print, row};
use crate::parameters::StatedParameters;
use crate::paths::{Input, Output};
use crate::progress::Progress;
use crate::trust::{ExpectedKey, LeafKeys, Trust};

/// Arguments of `droste verify`.
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("what").required(true).multiple(true).args(
    ["programs", "program_key", "exit_key", "key_set", "key"]
)))]
pub struct Verify {
    /// The proof, or the aggregate of proofs.
    proof: Input,
    /// File of the program of which it must be a proof; parameters are taken from the proof, unless
    /// --program-key is given, too: an error then says which of them differs. For an aggregate: of
    /// a program of which leaves may be proofs. May then be given several times.
    #[arg(long = "program", value_name = "FILE")]
    programs: Vec<Input>,
    #[command(flatten)]
    calls: Calls,
    #[command(flatten)]
    key: ExpectedKey,
    /// Claim that an aggregate must make: 64 hexadecimal digits.
    #[arg(long, conflicts_with = "public")]
    claim: Option<KeyDigest>,
    /// Elements that its statement must begin with, public inputs before outputs: comma-separated
    /// integers below the field's order.
    #[arg(long, default_value = "")]
    public: String,
    /// Proven bits of security that the proof must have at least; in an aggregate, each proof of
    /// the tree.
    #[arg(long, default_value_t = 100)]
    min_bits: usize,
    /// Proven bits of security that all proofs of an aggregate must have together at least, by the
    /// union bound: 100, unless --min-bits asks for less of each.
    #[arg(long, conflicts_with = "public")]
    min_tree_bits: Option<usize>,
    #[command(flatten)]
    leaves: LeafKeys,
    #[command(flatten)]
    folds: FoldClaims,
    /// Largest number of rows, blowup included, of a commitment to a program that the parameters of
    /// the proof, or of the leaves, may require, and an eighth of all for the leaves: this bounds
    /// the work of verifying. The default allows the longest runs at blowup 4.
    #[arg(long, default_value_t = VerifyOptions::DEFAULT.limit, requires = "programs")]
    limit: usize,
    #[command(flatten)]
    #[allow(dead_code, reason = "no value is accepted")]
    stated: StatedParameters,
}

/// Arguments of `droste inspect`.
#[derive(Debug, Args)]
pub struct Inspect {
    /// The proof, or the aggregate of proofs.
    proof: Input,
    /// Show what an aggregate claims without deriving its recursion keys. What is printed proves
    /// nothing.
    #[arg(long, conflicts_with = "key_sets")]
    claimed: bool,
    /// Show all leaves of an aggregate. By default the table shows the first 64; `--format json`
    /// always has all.
    #[arg(long)]
    all: bool,
    /// Also write the tree of an aggregate's keys and statements to this file, a web page that
    /// needs no network.
    #[arg(long, value_name = "FILE")]
    report: Option<Output>,
    #[command(flatten)]
    trust: Trust,
    #[command(flatten)]
    #[allow(dead_code, reason = "no value is accepted")]
    stated: StatedParameters,
}

/// What a proof says, and what is known of the work on it.
#[derive(Debug, Serialize)]
pub struct Verified {
    /// What was accepted, if this command verified it against what its caller knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    #[serde(flatten)]
    pub says: ProofSummary,
    /// What it says, if it is the last proof of a fold which the caller opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fold: Option<FoldLeafSummary>,
    /// Cycles of the run, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycles: Option<usize>,
    /// Time to prove, if this command proved it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prove_ms: Option<f64>,
    /// Whether the table has every term of the bits, as `--format json` does.
    #[serde(skip)]
    pub shows_terms: bool,
}

impl Verified {
    /// What a proof says that another command made.
    pub const fn new(says: ProofSummary) -> Self {
        Self {
            verdict: None,
            says,
            fold: None,
            cycles: None,
            prove_ms: None,
            shows_terms: false,
        }
    }
}

impl Report for Verified {
    fn rows(&self) -> Vec<Vec<String>> {
        let says = &self.says;
        let (stack, blowup, queries) = (says.stack, says.blowup, says.queries);
        let parameters = format!("{stack}, blowup {blowup}, {queries} queries");
        let mut rows = rows_of_verdict(self.verdict.as_deref());
        rows.extend([
            row(says.key_is, &says.key),
            row("hash", says.hash),
            row("statement", list(&says.statement)),
            row("parameters", parameters),
            row("proven bits", says.proven_bits),
        ]);
        rows.extend(self.fold.iter().flat_map(rows_of_fold));
        rows.extend(security_rows(&says.security, self.shows_terms));
        let milliseconds = |value: f64| format!("{value:.1} ms");
        rows.extend(self.cycles.map(|cycles| row("cycles", cycles)));
        rows.extend(self.prove_ms.map(|time| row("prove", milliseconds(time))));
        rows.extend([
            row("verify", milliseconds(says.verify_ms)),
            row("proof", format!("{} bytes", says.proof_bytes)),
            row("fft_cost", says.fft_cost),
            row("opened per query", says.opened_per_query),
        ]);
        rows.extend(says.tables.iter().map(|table| {
            let text = format!(
                "height {}, main {}, preprocessed {}, lookup {}, degree {}, fft_cost {}",
                table.height,
                table.main,
                table.preprocessed,
                table.lookup,
                table.degree,
                table.fft_cost
            );
            row(format!("table {}", table.name), text)
        }));
        rows
    }
}

/// The line that says what was accepted, if it is said, before all others.
pub fn rows_of_verdict(verdict: Option<&str>) -> Vec<Vec<String>> {
    verdict
        .map(|verdict| vec![verdict.to_owned()])
        .into_iter()
        .collect()
}

/// What is accepted with an aggregate of so many leaves, some of them opened folds, whose proofs have
/// `bits` at least. The binary proofs that leaves verify have `of_calls` at least, if there are any.
fn verdict_of_aggregate(
    leaves: usize,
    folds: usize,
    accepted: &AcceptedLeaves,
    bits: usize,
    of_calls: Option<usize>,
) -> String {
    let others = leaves.saturating_sub(folds);
    let (others, folds) = (
        (others > 0).then(|| counted(others, "leaf", "leaves")),
        (folds > 0).then(|| counted(folds, "fold", "folds")),
    );
    let what = match (accepted, others, folds) {
        (_, None, Some(folds)) => format!("{folds} that you named"),
        (AcceptedLeaves::Any, others, folds) => {
            let folds =
                folds.map_or_else(String::new, |folds| format!(" and {folds} that you named"));
            format!("{} of any programs{folds}", others.unwrap_or_default())
        }
        (AcceptedLeaves::Keys(_), others, folds) => {
            let folds = folds.map_or_else(String::new, |folds| format!(" and {folds}"));
            let others = others.unwrap_or_default();
            format!("{others} of programs{folds} that you named")
        }
    };
    let bits = of_calls.map_or(bits, |of_calls| of_calls.min(bits));
    format!("accepted: {what}, {bits} bits")
}

/// What is proven of a proof, without the newest bound on proximity gaps and with it.
pub fn security_rows(security: &SecuritySummary, terms: bool) -> Vec<Vec<String>> {
    let bounds = security.rows().map(|(name, value)| row(name, value));
    let mut rows = bounds.to_vec();
    if terms {
        let terms = security.terms().into_iter();
        rows.extend(terms.map(|(name, value)| row(format!("term {name}"), value)));
    }
    rows
}

/// Reads the file of a proof or an aggregate.
fn read(path: &Path) -> Result<Vec<u8>, CommandError> {
    let bytes = codec::read_file(path).map_err(CommandError::file(path))?;
    match FileKind::of(&bytes) {
        Some(kind @ (FileKind::Membership | FileKind::Binary | FileKind::Fold)) => {
            Err(CommandError::usage(format!("this is {kind}")))
        }
        _ => Ok(bytes),
    }
}

impl Verify {
    /// Verifies the proof or aggregate and prints what it says.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        if self.calls.is_given() && self.programs.is_empty() {
            let message = "--calls and --library say how --program is compiled: give the program";
            return Err(CommandError::usage(message));
        }
        self.folds.check()?;
        let progress = Progress::spinner("verifying");
        let bytes = read(&self.proof)?;
        if file::is_aggregate(&bytes) {
            let key = self.key.of(DigestKind::KeySet)?;
            let (Some(key), Some(claim)) = (key, self.claim) else {
                let message = "this is an aggregate: verify it against --key-set and --claim";
                return Err(CommandError::usage(message));
            };
            let aggregate = decode_aggregate(&self.proof, &bytes)?;
            let claims = self.folds.read()?;
            let rules = rules_of(&claims);
            let (leaves, of_calls) = self.accepted_leaves(&aggregate, key, &rules)?;
            let start = Instant::now();
            let options = AggregateOptions::min_bits(self.min_bits);
            let options = options.with_min_tree_bits(self.min_tree_bits);
            let aggregate = aggregate.verify(key, &claim.0, options, &leaves)?;
            let opened = self.folds.are_given();
            let opened = opened.then(|| self.folds.accept(&aggregate, &claims, options));
            let opened = opened.transpose()?;
            let verify_ms = milliseconds(start.elapsed());
            let deriver = Deriver::new().with_cache(Cache::of_user());
            let hidden = deriver.hidden_leaves_but(&aggregate, &rules)?;
            let mut says = AggregateSummary::new(&aggregate, Evidence::Pinned, verify_ms)?;
            if let Some(opened) = opened {
                says = says.with_folds(&opened, &claims);
            }
            let (accepted, bits) = (&says.accepted_leaves, says.proven_bits);
            let leaves = aggregate.tree().leaves().into_iter();
            let folds = leaves.filter(|(key, _)| rules.contains(key)).count();
            let verdict = verdict_of_aggregate(says.leaves, folds, accepted, bits, of_calls);
            let summary = Summary {
                verdict: Some(verdict),
                rules,
                ..Summary::new(says.with_hidden_leaves(&hidden))
            };
            progress.finish();
            return Ok(print(&summary, format)?);
        }
        let of_fold = self.folds.are_given();
        if (self.min_tree_bits.is_some() && !of_fold) || self.leaves.are_given() {
            let message = "--min-tree-bits, --leaf and --any-leaf are for aggregates of proofs";
            return Err(CommandError::usage(message));
        }
        if self.claim.is_some() {
            return Err(CommandError::usage(
                "--claim is for aggregates of proofs, not for the proof of one program",
            ));
        }
        let mut public = field_list(&self.public)?;
        let claimed = proofs::claimed(&bytes).map_err(CommandError::failed);
        let claimed = claimed.map_err(CommandError::about(self.proof.display()))?;
        let key = self.key.of(claimed.key_is)?;
        let is_exit = claimed.key_is == DigestKind::ExitKey && self.programs.is_empty();
        if of_fold && !(is_exit && public.is_empty()) {
            return Err(CommandError::usage(
                "--fold-claim is for aggregates that have folds as leaves, and for the last proof \
                 of a fold, by its exit key and without --public",
            ));
        }
        let opened = of_fold.then(|| self.folds.of_exit(&claimed.statement));
        let opened = opened.transpose()?;
        if opened.is_some() {
            public = claimed.statement.to_vec();
        }
        if claimed.key_is == DigestKind::ExitKey
            && self.programs.is_empty()
            && public.len() < claimed.statement.len()
        {
            let message = "this is a last proof: all aggregates of a shape have the same exit key, \
                           so give its whole statement with --public, as `droste exit` prints it";
            return Err(CommandError::usage(message));
        }
        let program = match self.programs.as_slice() {
            [] => None,
            [program] => Some(self.calls.compile(program)?),
            _ => {
                let message =
                    "this is the proof of one program: give one --program, --program-key, or both";
                return Err(CommandError::usage(message));
            }
        };
        if let (Some(compiled), Some(key)) = (&program, key)
            && claimed.key != key
        {
            // Finding what differs commits to the program many times: not for an invalid proof.
            proofs::verify(&bytes, Known::Nothing, &[], VerifyOptions::min_bits(0))?;
            let program = &compiled.program;
            return Err(mismatch(program, key, &claimed, self.limit).into());
        }
        let known = key.map_or(Known::Nothing, Known::Key);
        let says = match &program {
            Some(program) => program.verify(&bytes, &public, self.options())?,
            None => proofs::verify(&bytes, known, &public, self.options())?,
        };
        let mut bits = says.proven_bits;
        if let Some(claim) = &opened {
            let options = AggregateOptions::min_bits(self.min_bits);
            let options = options.with_min_tree_bits(self.min_tree_bits);
            bits = bits_of_exit(claim, bits, options)?;
        }
        let what = match (says.key_is, &program) {
            (_, Some(_)) => "a run of the program that you named",
            _ if opened.is_some() => "the last proof of a fold that you named, with what it says",
            (DigestKind::ExitKey, None) => {
                "the last proof of an aggregate or a fold, by its exit key and statement"
            }
            (_, None) => "a run of the program whose key you named",
        };
        let verified = Verified {
            verdict: Some(format!("accepted: {what}, {bits} bits")),
            fold: opened.as_ref().map(FoldLeafSummary::new),
            ..Verified::new(says)
        };
        progress.finish();
        Ok(print(&verified, format)?)
    }

    const fn options(&self) -> VerifyOptions {
        VerifyOptions::min_bits(self.min_bits).with_limit(self.limit)
    }

    /// The leaves that the options accept, with those of rules of folds, and the least bits of the
    /// binary proofs that they verify, if `--calls` says so. The keys of programs depend on the
    /// parameters of the aggregate's leaves.
    fn accepted_leaves(
        &self,
        aggregate: &UnverifiedAggregate,
        key: KeyDigest,
        rules: &BTreeSet<KeyDigest>,
    ) -> Result<(AcceptedLeaves, Option<usize>), CommandError> {
        // Before any work that the file determines.
        aggregate.check_key(key)?;
        let mut least: Option<usize> = None;
        let mut keys = (!self.programs.is_empty()).then(BTreeSet::new);
        for path in &self.programs {
            let compiled = self.calls.compile(path)?;
            compiled.check_bits(self.min_bits)?;
            least = least.into_iter().chain(compiled.bits()).min();
            let of_program = aggregate.keys_of_leaves(&compiled, self.options());
            let of_program = of_program.map_err(CommandError::about(path.display()))?;
            keys.get_or_insert_default().extend(of_program);
        }
        // Folds may be the only leaves that are accepted.
        let only_folds = keys.is_none() && !rules.is_empty() && !self.leaves.are_given();
        let named = self
            .leaves
            .accepted(keys.or(only_folds.then(BTreeSet::new)))?;
        Ok((with_rules(named, rules), least))
    }
}

impl Inspect {
    /// Prints what a proof says, after verifying it under the key it carries; or what an aggregate
    /// says, after deriving its recursion keys unless they are pinned or only claimed.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let progress = Progress::spinner("verifying");
        let bytes = read(&self.proof)?;
        if file::is_aggregate(&bytes) {
            let start = Instant::now();
            let aggregate = decode_aggregate(&self.proof, &bytes)?;
            let elapsed_ms = || milliseconds(start.elapsed());
            let says = if self.claimed {
                let accepted = aggregate.check()?;
                AggregateSummary::claimed(&aggregate, &accepted, elapsed_ms())?
            } else {
                let deriver = self.trust.deriver()?;
                let (aggregate, evidence) = self.trust.accept(aggregate, &deriver)?;
                let hidden = deriver.hidden_leaves(&aggregate)?;
                AggregateSummary::new(&aggregate, evidence, elapsed_ms())?
                    .with_hidden_leaves(&hidden)
            };
            let summary = Summary {
                shows_all_leaves: self.all,
                shows_terms: true,
                ..Summary::new(says)
            };
            progress.finish();
            print(&summary, format)?;
            if let Some(path) = &self.report {
                let page = tree::page(&self.proof, &summary.says)?;
                files::write(path, page.as_bytes()).map_err(CommandError::file(path))?;
            }
            return Ok(());
        }
        if self.report.is_some() {
            let message = "--report is for aggregates of proofs";
            return Err(CommandError::usage(message));
        }
        let insecure = VerifyOptions::min_bits(0);
        let says = proofs::verify(&bytes, Known::Nothing, &[], insecure)
            .map_err(CommandError::about(self.proof.display()))?;
        let verified = Verified {
            shows_terms: true,
            ..Verified::new(says)
        };
        progress.finish();
        Ok(print(&verified, format)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A leaf that verifies a binary proof is no stronger than that.
    #[test]
    fn the_verdict_has_the_bits_of_the_weakest_proof() {
        for (bits, of_calls, least) in
            [(103, Some(101), 101), (99, Some(101), 99), (103, None, 103)]
        {
            let verdict = verdict_of_aggregate(2, 0, &AcceptedLeaves::Any, bits, of_calls);
            let expected = format!("accepted: 2 leaves of any programs, {least} bits");
            assert_eq!(verdict, expected);
        }
    }

    #[test]
    fn the_verdict_counts_folds() {
        let named = AcceptedLeaves::Keys(BTreeSet::new());
        for (leaves, folds, accepted, what) in [
            (1, 1, &named, "1 fold that you named"),
            (
                3,
                1,
                &named,
                "2 leaves of programs and 1 fold that you named",
            ),
            (2, 0, &named, "2 leaves of programs that you named"),
            (
                3,
                2,
                &AcceptedLeaves::Any,
                "1 leaf of any programs and 2 folds that you named",
            ),
        ] {
            let verdict = verdict_of_aggregate(leaves, folds, accepted, 100, None);
            assert_eq!(verdict, format!("accepted: {what}, 100 bits"));
        }
    }
}
