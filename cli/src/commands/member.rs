//! `droste member` and `droste verify-member`: that a leaf is in the claim of an aggregate.

use std::time::Instant;

use clap::Args;
use droste_native::{F, codec, files};
use droste_verifier::claim::AcceptedLeaves;
use droste_verifier::file::member;
use droste_verifier::member::{Member, Membership};
use droste_verifier::summary::{DigestKind, Evidence, integers, milliseconds};
use droste_vm::key::KeyDigest;
use droste_vm::verifier::{VerifyOptions, check_statement};
use serde::Serialize;

use crate::commands::verify::rows_of_verdict;
use crate::error::CommandError;
use crate::fields::field_list;
use crate::kind::decode_aggregate;
use crate::output::{Format, Report, list, print, row};
use crate::paths::{Input, Output};
use crate::progress::Progress;
use crate::trust::{LeafKeys, doubt_of, text_of, text_of_leaves};

/// Arguments of `droste member`.
#[derive(Debug, Args)]
pub struct MakeMember {
    /// The aggregate of proofs.
    aggregate: Input,
    /// Number of the leaf, from 0, in the order in which `droste inspect` shows the leaves.
    #[arg(long)]
    leaf: usize,
    /// File to write the membership to.
    #[arg(short, long)]
    output: Output,
}

/// Arguments of `droste verify-member`.
#[derive(Debug, Args)]
pub struct VerifyMember {
    /// The membership, which `droste member` wrote.
    member: Input,
    /// Claim of the aggregate: 64 hexadecimal digits.
    #[arg(long)]
    claim: KeyDigest,
    /// Key set of the aggregate, as `droste keys` prints it.
    #[arg(long, visible_alias = "key", value_name = "DIGEST")]
    key_set: KeyDigest,
    #[command(flatten)]
    leaves: LeafKeys,
    /// Elements that the leaf's statement must begin with, public inputs before outputs:
    /// comma-separated integers below the field's order.
    #[arg(long, default_value = "")]
    statement: String,
    /// Where the leaf must be: on each level of the tree the number of the child that leads to it,
    /// from 0, as in `0.1.0`.
    #[arg(long)]
    position: Option<String>,
    /// Proven bits of security that every proof below the root must have at least.
    #[arg(long, default_value_t = 100)]
    min_bits: usize,
}

/// What a membership shows.
#[derive(Debug, Serialize)]
struct Shown {
    /// What was accepted, if it was verified.
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<String>,
    key: String,
    key_is: DigestKind,
    claim: String,
    /// Why the keys are trusted: pinned by whoever verifies, or not at all.
    keys_are: Evidence,
    /// Number of the leaf in the whole tree; only whoever has the tree knows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    leaf: Option<usize>,
    position: String,
    leaf_key: String,
    accepted_leaves: AcceptedLeaves,
    statement: Vec<u32>,
    proven_bits: usize,
    member_bytes: usize,
    verify_ms: f64,
}

impl Shown {
    /// Verifies a membership and says what it shows.
    fn new(
        membership: &Membership,
        claim: &[F; 8],
        key: KeyDigest,
        min_bits: usize,
        leaves: AcceptedLeaves,
        member_bytes: usize,
    ) -> Result<(Self, Member), CommandError> {
        let start = Instant::now();
        let member = membership.verify(claim, key, VerifyOptions::min_bits(min_bits), &leaves)?;
        let shown = Self {
            verdict: None,
            key: key.to_string(),
            key_is: DigestKind::KeySet,
            claim: KeyDigest(*claim).to_string(),
            keys_are: Evidence::Pinned,
            leaf: None,
            accepted_leaves: leaves,
            position: list(&member.position).replace(',', "."),
            leaf_key: member.key.to_string(),
            statement: integers(&member.statement),
            proven_bits: member.bits,
            member_bytes,
            verify_ms: milliseconds(start.elapsed()),
        };
        Ok((shown, member))
    }
}

impl Report for Shown {
    fn rows(&self) -> Vec<Vec<String>> {
        let doubt = doubt_of(self.keys_are);
        let accepted = format!("leaves {}", text_of_leaves(&self.accepted_leaves));
        let bits = format!("{} of each proof below the root{doubt}", self.proven_bits);
        let of = "aggregates that `droste verify` accepts with this key set and claim";
        let mut rows = rows_of_verdict(self.verdict.as_deref());
        rows.extend([
            row(self.key_is, &self.key),
            row("claim", &self.claim),
            row("recursion keys", text_of(self.keys_are)),
        ]);
        rows.extend(self.leaf.map(|leaf| row("leaf", leaf)));
        rows.extend([
            row("position", &self.position),
            row("program key", format!("{}{doubt}", self.leaf_key)),
            row("accepted", accepted),
            row("statement", format!("{}{doubt}", list(&self.statement))),
            row("proven bits", bits),
            row("membership", format!("{} bytes", self.member_bytes)),
            row("verify", format!("{:.2} ms", self.verify_ms)),
            row("holds for", of),
        ]);
        rows
    }
}

impl MakeMember {
    /// Checks that the aggregate is consistent in itself, writes the membership of a leaf and
    /// prints what it shows, if what the file claims is true.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let progress = Progress::spinner("reading the aggregate");
        let bytes =
            codec::read_file(&self.aggregate).map_err(CommandError::file(&self.aggregate))?;
        let aggregate = decode_aggregate(&self.aggregate, &bytes)?;
        aggregate.check()?;
        let membership = Membership::new(&aggregate.tree, &aggregate.keys, self.leaf)?;
        let bytes = member::encode(&membership)?;
        // What is written is what others will accept.
        let (claim, key) = (aggregate.claim(), aggregate.key());
        let any = AcceptedLeaves::Any;
        let (mut shown, _) = Shown::new(&membership, &claim, key, 0, any, bytes.len())?;
        shown.keys_are = Evidence::Claimed;
        shown.leaf = Some(self.leaf);
        files::write(&self.output, &bytes).map_err(CommandError::file(&self.output))?;
        progress.finish();
        Ok(print(&shown, format)?)
    }
}

impl VerifyMember {
    /// Verifies the membership and prints what it shows.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let expected = field_list(&self.statement)?;
        let bytes = codec::read_file(&self.member).map_err(CommandError::file(&self.member))?;
        let membership = member::decode(&bytes);
        let membership = membership.map_err(CommandError::about(self.member.display()))?;
        let (claim, key, length) = (self.claim.0, self.key_set, bytes.len());
        let leaves = self.leaves.accepted(None)?;
        let (mut shown, member) =
            Shown::new(&membership, &claim, key, self.min_bits, leaves, length)?;
        check_statement(&expected, &member.statement)?;
        if let Some(position) = self.position
            && position != shown.position
        {
            let found = &shown.position;
            let message = format!("the leaf is at {found}, expected at {position}");
            return Err(CommandError::failed(message));
        }
        let program = match shown.accepted_leaves {
            AcceptedLeaves::Any => "any program",
            AcceptedLeaves::Keys(_) => "a program that you named",
        };
        let bits = shown.proven_bits;
        shown.verdict = Some(format!("accepted: a leaf of {program}, {bits} bits"));
        Ok(print(&shown, format)?)
    }
}
