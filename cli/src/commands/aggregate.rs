//! `droste wrap` and `droste join`, and what an aggregate of proofs says.

use std::collections::BTreeSet;
use std::iter;
use std::path::Path;

use clap::Args;
use droste_native::{codec, files};
use droste_verifier::aggregate::{Aggregate, Aggregator};
use droste_verifier::circuit::Openings;
use droste_verifier::claim::AcceptedLeaves;
use droste_verifier::file;
use droste_verifier::fold::Counters;
use droste_verifier::proofs::{self, Known};
use droste_verifier::summary::{AggregateSummary, Evidence, FoldLeafSummary, Node, milliseconds};
use droste_vm::key::KeyDigest;
use droste_vm::verifier::VerifyOptions;
use serde::Serialize;

use crate::commands::verify::{rows_of_verdict, security_rows};
use crate::error::CommandError;
use crate::fields::field_list;
use crate::folds::FoldKeys;
use crate::kind::{FileKind, decode_aggregate};
use crate::output::{Format, Report, counted, list, print, row, visible};
use crate::parameters::{CanonicalShape, warn_of_weak};
use crate::paths::{self, Input};
use crate::program;
use crate::progress::{Progress, note};
use crate::stock;
use crate::trust::{Trust, doubt_of, text_of, text_of_leaves};

/// Arguments of `droste wrap`.
#[derive(Debug, Args)]
pub struct Wrap {
    /// The proof to wrap: of a program, committed in any hash; an aggregate of another preset or
    /// arity; a fold; or with --stock one that Plonky3's own code made.
    proof: Input,
    /// File of the program of which it must be a proof; required unless it is an aggregate or a
    /// fold, or --stock describes it.
    #[arg(long, conflicts_with = "stock")]
    program: Option<Input>,
    /// Elements that its statement must begin with, public inputs before outputs: comma-separated
    /// integers below the field's order.
    #[arg(long, default_value = "")]
    public: String,
    /// Largest number of rows, blowup included, of the commitment to the program that the proof's
    /// parameters may require: this bounds the work of verifying.
    #[arg(long, default_value_t = VerifyOptions::DEFAULT.limit)]
    limit: usize,
    /// Proven bits of security that a proof which --stock describes must have at least: 100 unless
    /// given. They are those of its own FRI parameters: Plonky3's have 57 to 66. Of an aggregate
    /// with such leaves, the bits that each of its proofs must have; none are asked unless given.
    #[arg(long, requires = "stock")]
    min_bits: Option<usize>,
    /// How the wrap verifies the openings at the queries of a proof over FRI in Blake3 or Keccak:
    /// tables, or in a batch over GF(2^128) (batch), which makes another wrap of the same leaf. The
    /// default is tables, and for a proof that --stock describes what costs less.
    #[arg(long, value_name = "WAY")]
    openings: Option<Openings>,
    #[command(flatten)]
    folds: FoldKeys,
    #[command(flatten)]
    trust: Trust,
    #[command(flatten)]
    output: Output,
}

/// Arguments of `droste join`.
#[derive(Debug, Args)]
pub struct Join {
    /// Aggregates to join, in this order: files that `droste wrap` or `droste join` wrote with the
    /// same preset and arity; and folds, which are wrapped.
    #[arg(required = true)]
    aggregates: Vec<Input>,
    #[command(flatten)]
    folds: FoldKeys,
    #[command(flatten)]
    trust: Trust,
    #[command(flatten)]
    output: Output,
}

/// The shape of an aggregate that is made, and its file.
#[derive(Debug, Args)]
pub struct Output {
    #[command(flatten)]
    shape: CanonicalShape,
    /// File to write the aggregate to.
    #[arg(short, long)]
    output: paths::Output,
}

/// Number of leaves of a tree that tables show unless all are asked for.
const SHOWN_LEAVES: usize = 64;

/// Number of levels from which on the lines of a tree are not indented further, so that their
/// lengths do not grow with its depth.
const INDENTED_LEVELS: usize = 32;

/// What an aggregate says, as commands print it.
#[derive(Debug, Serialize)]
pub struct Summary {
    /// What was accepted, if this command verified it against what its caller knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) verdict: Option<String>,
    #[serde(flatten)]
    pub(super) says: AggregateSummary,
    /// Whether the table shows every leaf.
    #[serde(skip)]
    pub(super) shows_all_leaves: bool,
    /// Whether the table has every term of the bits of the proof at the root.
    #[serde(skip)]
    pub(super) shows_terms: bool,
    /// Keys of the rules of opened folds, which the table does not list.
    #[serde(skip)]
    pub(super) rules: BTreeSet<KeyDigest>,
    /// Whether a fold was just made a leaf, so that the bits do not count what is below it.
    #[serde(skip)]
    pub(super) hides_folds: bool,
}

/// Appends one line per node, children indented below their parent, until `leaves` leaves were
/// shown. Returns how many are left to be shown.
fn lines_of(node: &Node, indent: usize, leaves: usize, lines: &mut Vec<String>) -> usize {
    if leaves == 0 {
        return 0;
    }
    let space = "  ".repeat(indent.min(INDENTED_LEVELS));
    match node {
        Node::Leaf { key, statement } => {
            lines.push(format!("{space}{key} says {}", list(statement)));
            leaves - 1
        }
        Node::Inner { key, children } => {
            lines.push(format!("{space}{key} verifies {}", children.len()));
            children.iter().fold(leaves, |leaves, child| {
                lines_of(child, indent + 1, leaves, lines)
            })
        }
    }
}

/// The lines of a tree of `leaves` leaves up to number `shown`, and one that says how many leaves
/// are left out.
fn first_lines(tree: &Node, leaves: usize, shown: usize) -> Vec<String> {
    let mut lines = vec![];
    lines_of(tree, 0, shown, &mut lines);
    if let Some(more @ 1..) = leaves.checked_sub(shown) {
        let how = "`droste inspect --all` shows them";
        lines.push(format!("and {more} more leaves: {how}"));
    }
    lines
}

/// What a leaf says that is a fold.
pub(super) fn rows_of_fold(fold: &FoldLeafSummary) -> Vec<Vec<String>> {
    let Counters {
        rules,
        behind,
        depth,
    } = fold.counters;
    let proofs = format!("{rules} of rules and last wraps, {behind} behind these; {depth} levels");
    let mut rows = vec![row("fold leaf", &fold.key), row("its proofs", proofs)];
    let names = iter::once("its state").chain(iter::repeat(""));
    let state = names.zip(&fold.state);
    rows.extend(state.map(|(name, block)| row(name, list(block))));
    rows
}

impl Summary {
    /// Prints the first leaves of the tree.
    pub const fn new(says: AggregateSummary) -> Self {
        Self {
            verdict: None,
            says,
            shows_all_leaves: false,
            shows_terms: false,
            rules: BTreeSet::new(),
            hides_folds: false,
        }
    }

    /// The keys that leaves were asked to have. Those of a fold's rules are counted: they say little
    /// beside the fold key.
    fn text_of_leaves(&self) -> String {
        let accepted = &self.says.accepted_leaves;
        let AcceptedLeaves::Keys(keys) = accepted else {
            return text_of_leaves(accepted);
        };
        let others = keys - &self.rules;
        let rules = counted(self.rules.len(), "rule of a fold", "rules of folds");
        match (self.rules.is_empty(), others.is_empty()) {
            (true, _) => text_of_leaves(accepted),
            (false, true) => format!("with a key of {rules}"),
            (false, false) => {
                let others = text_of_leaves(&AcceptedLeaves::Keys(others));
                format!("{others}, or of {rules}")
            }
        }
    }
}

/// The keys of an aggregate's leaves, where each was verified to be a proof of a program that the
/// caller named.
pub fn keys_of_leaves(aggregate: &Aggregate) -> AcceptedLeaves {
    let leaves = aggregate.tree().leaves();
    leaves.into_iter().map(|(key, _)| key).collect()
}

impl Report for Summary {
    fn rows(&self) -> Vec<Vec<String>> {
        let says = &self.says;
        let parameters = format!("blowup {}, {} queries", says.blowup, says.queries);
        let doubt = doubt_of(says.keys_are);
        let (bits, proofs) = (says.tree_bits, says.proofs);
        let folds = if self.hides_folds {
            " (a fold as one proof; `droste verify --fold-claim` counts all)"
        } else {
            ""
        };
        let tree_bits = format!("{bits}, by the union bound over {proofs} proofs{folds}{doubt}");
        let bits = format!("{} of each proof{doubt}", says.proven_bits);
        let leaves = format!("{}, {}", says.leaves, self.text_of_leaves());
        let mut rows = rows_of_verdict(self.verdict.as_deref());
        rows.extend([
            row(says.key_is, &says.key),
            row("claim", &says.claim),
            row("recursion keys", text_of(says.keys_are)),
            row("proven bits", bits),
            row("bits of the tree", tree_bits),
            row("leaves", leaves),
        ]);
        rows.extend(says.folds.iter().flat_map(rows_of_fold));
        rows.extend(security_rows(&says.root_security, self.shows_terms));
        rows.extend([
            row("parameters", parameters),
            row("proof", format!("{} bytes", says.proof_bytes)),
            row("verify", format!("{:.1} ms", says.verify_ms)),
        ]);
        if let Some(bytes) = says.peak_rss_bytes {
            let gib = bytes as f64 / f64::from(1 << 30);
            rows.push(row("memory", format!("{gib:.2} GiB at most")));
        }
        for key in &says.hidden_leaves {
            let text =
                "is a recursion proof: what it verified is not listed, and not counted in the bits";
            rows.push(row("warning", format!("the leaf {key} {text}")));
        }
        for step in &says.steps {
            rows.push(row("step", step.text()));
        }
        for key in &says.recursion_keys {
            let (key, bits) = (&key.key, key.bits_of_children);
            let text = format!("{key}, verifies proofs of {bits} bits{doubt}");
            rows.push(row("recursion key", text));
        }
        let shown = if self.shows_all_leaves {
            usize::MAX
        } else {
            SHOWN_LEAVES
        };
        let lines = first_lines(&says.tree, says.leaves, shown);
        let names = iter::once("tree").chain(iter::repeat(""));
        rows.extend(names.zip(lines).map(|(name, line)| row(name, line)));
        rows
    }
}

impl Wrap {
    /// Verifies the proof, wraps it, writes the aggregate and prints what it says.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let bytes = codec::read_file(&self.proof).map_err(CommandError::file(&self.proof))?;
        let progress = Progress::spinner("wrapping");
        let after_step = progress.clone();
        let aggregator = self.output.aggregator().with_progress(move |step| {
            if !step.canonical {
                after_step.stage("bringing the wrap to the canonical shape");
            }
        });
        let aggregator = aggregator.with_openings(self.openings.unwrap_or_default());
        let is_fold = file::fold::is_fold(&bytes);
        if is_fold && self.program.is_some() {
            let message = "--program is for proofs of programs, but this is a fold";
            return Err(CommandError::usage(message));
        }
        if is_fold && self.trust.stocks.are_given() {
            let message = "--stock is for proofs that Plonky3's own code makes, and aggregates of \
                           them, but this is a fold";
            return Err(CommandError::usage(message));
        }
        let is_aggregate = file::is_aggregate(&bytes);
        if self.openings.is_some() && (is_fold || is_aggregate) {
            let message = "--openings is for proofs of programs, and for those that --stock describes, \
                           but this is an aggregate or a fold";
            return Err(CommandError::usage(message));
        }
        // The key of its leaf is that of what the caller named.
        let is_of_named = !is_fold && !is_aggregate;
        let (aggregate, evidence) = match (is_aggregate, &self.program) {
            _ if is_fold => (self.folds.wrap(&bytes, &aggregator)?, Evidence::Derived),
            (true, None) => self.to_canonical_shape(&bytes, &aggregator, &progress)?,
            (false, Some(program)) => {
                let public = field_list(&self.public)?;
                let compiled = program::compile(program)?;
                let insecure = VerifyOptions::min_bits(0);
                let says = proofs::verify(&bytes, Known::Nothing, &public, insecure)
                    .map_err(CommandError::about(self.proof.display()))?;
                let warn = |bits| progress.suspend(|| self.output.warn_of_weak(&self.proof, bits));
                let in_batch = self.openings == Some(Openings::Batch);
                if !in_batch {
                    warn(says.proven_bits);
                }
                let options = insecure.with_limit(self.limit);
                let wrap = aggregator.wrap_bytes(&bytes, compiled, &public, options)?;
                if in_batch {
                    // Those with the batch are known once its program is.
                    let bits = wrap.keys().iter().map(|(_, bits)| bits);
                    warn(bits.fold(says.proven_bits, usize::min));
                }
                (wrap, Evidence::Derived)
            }
            (true, Some(_)) => {
                let message = "--program is for proofs of programs, but this is an aggregate";
                return Err(CommandError::usage(message));
            }
            (false, None) if FileKind::of(&bytes).is_none() && self.trust.stocks.are_given() => (
                self.of_stock(&bytes, &aggregator, &progress)?,
                Evidence::Derived,
            ),
            (false, None) => {
                let message = match FileKind::of(&bytes) {
                    Some(FileKind::Program) => "this is the proof of a program: name the program \
                                                with --program"
                        .to_owned(),
                    Some(kind) => format!("this is {kind}"),
                    None => {
                        "this is neither a proof nor an aggregate: if Plonky3's own code made it, \
                             describe it with --stock"
                            .to_owned()
                    }
                };
                return Err(CommandError::usage(message));
            }
        };
        let mut summary = self.output.write(&aggregate, evidence)?;
        summary.hides_folds = is_fold;
        if is_of_named {
            summary.says.accepted_leaves = keys_of_leaves(&aggregate);
        }
        progress.finish();
        Ok(print(&summary, format)?)
    }

    /// Wraps a proof that Plonky3's own code made, unless it has too few bits.
    fn of_stock(
        &self,
        bytes: &[u8],
        aggregator: &Aggregator,
        progress: &Progress,
    ) -> Result<Aggregate, CommandError> {
        if !self.public.is_empty() {
            let message = "--public is for proofs of programs: Plonky3's AIRs of hashes have no \
                           public values";
            return Err(CommandError::usage(message));
        }
        let circuit = self.trust.stocks.only(self.openings)?;
        let security = circuit.security();
        progress.suspend(|| {
            let path = visible(&self.proof.display().to_string());
            note(format_args!("{path} has {}", stock::text_of(security)));
            if circuit.openings() == Openings::Batch {
                note(stock::IN_A_BATCH);
            }
            note(stock::OBLIGATION);
        });
        let bits = security.bits();
        self.check_bits(bits, self.min_bits.unwrap_or(100))?;
        progress.suspend(|| self.output.warn_of_weak(&self.proof, bits));
        let run = circuit
            .run(bytes)
            .map_err(CommandError::about(self.proof.display()))?;
        Ok(aggregator.wrap_run(run)?)
    }

    /// Refuses a proof, or an aggregate, of fewer bits.
    fn check_bits(&self, bits: usize, least: usize) -> Result<(), CommandError> {
        if bits >= least {
            return Ok(());
        }
        let message = format!(
            "it has {bits} proven bits of security, expected at least {least} (--min-bits)"
        );
        let of_proof = CommandError::about(self.proof.display());
        Err(of_proof(CommandError::failed(message)))
    }

    /// Brings an aggregate of another shape to the aggregator's canonical shape.
    fn to_canonical_shape(
        &self,
        bytes: &[u8],
        aggregator: &Aggregator,
        progress: &Progress,
    ) -> Result<(Aggregate, Evidence), CommandError> {
        let aggregate = decode_aggregate(&self.proof, bytes)?;
        let (aggregate, evidence) = self.trust.accept(aggregate, &self.trust.deriver()?)?;
        let bits = aggregate.accepted().bits;
        self.check_bits(bits, self.min_bits.unwrap_or(0))?;
        progress.suspend(|| self.output.warn_of_weak(&self.proof, bits));
        Ok((aggregator.to_canonical_shape(aggregate)?, evidence))
    }
}

impl Join {
    /// Joins the aggregates, writes the result and prints what it says.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let aggregator = self.output.aggregator();
        let progress = Progress::spinner(format!("joining {} proofs", self.aggregates.len()));
        let deriver = self.trust.deriver()?;
        let children = self.aggregates.iter();
        let read = |path: &Input| {
            let bytes = codec::read_file(path).map_err(CommandError::file(path))?;
            let is_fold = file::fold::is_fold(&bytes);
            let (child, evidence) = if is_fold {
                let wrap = self.folds.wrap(&bytes, &aggregator);
                (
                    wrap.map_err(CommandError::about(path.display()))?,
                    Evidence::Derived,
                )
            } else {
                self.trust.read_bytes(path, &bytes, &deriver)?
            };
            let is_canonical = aggregator.check_canonical(child.proof());
            is_canonical.map_err(CommandError::about(path.display()))?;
            progress.suspend(|| self.output.warn_of_weak(path, child.accepted().bits));
            Ok((child, (evidence, is_fold)))
        };
        let children: Vec<(Aggregate, (Evidence, bool))> =
            children.map(read).collect::<Result<_, CommandError>>()?;
        let (children, about): (Vec<_>, Vec<_>) = children.into_iter().unzip();
        let (evidence, are_folds): (Vec<_>, Vec<_>) = about.into_iter().unzip();
        let joined = aggregator.join(children)?;
        // The join adds one key, which this process derived, so the weakest evidence of the
        // children decides; it sorts last.
        let evidence = evidence.into_iter().max().unwrap_or(Evidence::Derived);
        let mut summary = self.output.write(&joined, evidence)?;
        summary.hides_folds = are_folds.contains(&true);
        progress.finish();
        Ok(print(&summary, format)?)
    }
}

impl Output {
    /// What makes aggregates of this shape.
    pub fn aggregator(&self) -> Aggregator {
        self.shape.aggregator()
    }

    /// Says that a proof has fewer bits than the preset.
    fn warn_of_weak(&self, path: &Path, bits: usize) {
        warn_of_weak(self.shape.preset, path.display(), bits);
    }

    /// Writes the aggregate that was just made and summarizes it; `evidence` is the reason why its
    /// recursion keys are trusted.
    pub fn write(
        &self,
        aggregate: &Aggregate,
        evidence: Evidence,
    ) -> Result<Summary, CommandError> {
        let steps = aggregate.steps().iter();
        let verify_ms = steps.last().map_or(0.0, |step| milliseconds(step.verify));
        let says = AggregateSummary::new(aggregate, evidence, verify_ms)?;
        let bytes = file::encode(aggregate)?;
        files::write(&self.output, &bytes).map_err(CommandError::file(&self.output))?;
        Ok(Summary::new(says))
    }
}

#[cfg(test)]
mod tests {
    use droste_native::F;
    use droste_verifier::claim::MAX_DEPTH;
    use p3_field::PrimeCharacteristicRing;

    use droste_verifier::claim::{Claim, ClaimTree};

    use super::*;

    const KEY: KeyDigest = KeyDigest([F::new(1); 8]);

    fn node(children: Vec<ClaimTree>) -> ClaimTree {
        ClaimTree {
            key: KEY,
            claim: Claim::Children(children),
        }
    }

    fn leaf(n: usize) -> ClaimTree {
        ClaimTree {
            key: KEY,
            claim: Claim::Statement([F::from_usize(n); 8]),
        }
    }

    #[test]
    fn large_trees_are_cut_and_counted() {
        let wraps = (0..100).map(|n| node(vec![leaf(n)])).collect();
        let tree = Node::new(&node(wraps));
        // The root, then a wrap and a leaf in turns.
        let cut = first_lines(&tree, 100, 64);
        assert_eq!(cut.len(), 1 + 2 * 64 + 1);
        assert!(cut[128].ends_with("says 63,63,63,63,63,63,63,63"));
        assert!(cut[129].starts_with("and 36 more leaves"), "{}", cut[129]);
        for shown in [100, usize::MAX] {
            let all = first_lines(&tree, 100, shown);
            assert_eq!(all.len(), 201);
            assert_eq!(all[..129], cut[..129]);
        }
    }

    /// Functions that call themselves once a level do not overflow the stack, not even a test's.
    #[test]
    fn the_deepest_tree_is_shown() {
        let tree = (1..MAX_DEPTH).fold(leaf(7), |tree, _| node(vec![tree]));
        let shown = Node::new(&tree);
        let lines = first_lines(&shown, 1, SHOWN_LEAVES);
        assert_eq!(lines.len(), MAX_DEPTH);
        assert!(lines.iter().all(|line| line.len() < 200));
        let text = serde_json::to_string(&shown).unwrap();
        assert_eq!(text.matches("children").count(), MAX_DEPTH - 1);
    }
}
