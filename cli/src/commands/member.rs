//! `droste member` and `droste verify-member`: that a leaf is in the claim of an aggregate.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use droste_native::F;
use droste_verifier::claim::AcceptedLeaves;
use droste_verifier::file::{self, member};
use droste_verifier::member::{Member, Membership};
use droste_verifier::summary::Evidence;
use droste_vm::codec;
use droste_vm::files;
use droste_vm::key::KeyDigest;
use droste_vm::verifier::{VerifyOptions, check_statement};
use p3_field::PrimeField32;
use serde::Serialize;

use crate::error::CommandError;
use crate::fields::field_list;
use crate::output::{Format, Report, print};
use crate::progress::Progress;
use crate::trust::{LeafKeys, doubt_of, text_of, text_of_leaves};

/// Arguments of `droste member`.
#[derive(Debug, Args)]
pub struct MakeMember {
    /// The aggregate of proofs.
    aggregate: PathBuf,
    /// Number of the leaf, from 0, in the order in which `droste inspect` shows the leaves.
    #[arg(long)]
    leaf: usize,
    /// File to write the membership to.
    #[arg(short, long)]
    output: PathBuf,
}

/// Arguments of `droste verify-member`.
#[derive(Debug, Args)]
pub struct VerifyMember {
    /// The membership, which `droste member` wrote.
    member: PathBuf,
    /// Claim of the aggregate: 64 hexadecimal digits.
    #[arg(long)]
    claim: KeyDigest,
    /// Digest of the set of the aggregate's recursion keys, as `droste keys` prints it.
    #[arg(long)]
    key: KeyDigest,
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
    key: String,
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
        let member = membership.verify(claim, key, VerifyOptions::min_bits(min_bits), &leaves);
        let member = member.map_err(CommandError::failed)?;
        let shown = Self {
            key: key.to_string(),
            claim: KeyDigest(*claim).to_string(),
            keys_are: Evidence::Pinned,
            leaf: None,
            accepted_leaves: leaves,
            position: position(&member),
            leaf_key: member.key.to_string(),
            statement: member.statement.iter().map(F::as_canonical_u32).collect(),
            proven_bits: member.bits,
            member_bytes,
            verify_ms: start.elapsed().as_secs_f64() * 1e3,
        };
        Ok((shown, member))
    }
}

/// The numbers of the children that lead to a leaf, as text.
fn position(member: &Member) -> String {
    let numbers: Vec<String> = member.position.iter().map(u32::to_string).collect();
    numbers.join(".")
}

impl Report for Shown {
    fn rows(&self) -> Vec<Vec<String>> {
        let statement: Vec<String> = self.statement.iter().map(u32::to_string).collect();
        let doubt = doubt_of(self.keys_are);
        let mut rows = vec![
            vec!["key".to_owned(), self.key.clone()],
            vec!["claim".to_owned(), self.claim.clone()],
            vec![
                "recursion keys".to_owned(),
                text_of(self.keys_are).to_owned(),
            ],
        ];
        if let Some(leaf) = self.leaf {
            rows.push(vec!["leaf".to_owned(), leaf.to_string()]);
        }
        rows.extend([
            vec!["position".to_owned(), self.position.clone()],
            vec![
                "key of the leaf".to_owned(),
                format!("{}{doubt}", self.leaf_key),
            ],
            vec![
                "accepted".to_owned(),
                format!("leaves {}", text_of_leaves(&self.accepted_leaves)),
            ],
            vec![
                "statement".to_owned(),
                format!("{}{doubt}", statement.join(",")),
            ],
            vec![
                "proven bits".to_owned(),
                format!("{} of each proof below the root{doubt}", self.proven_bits),
            ],
            vec![
                "membership".to_owned(),
                format!("{} bytes", self.member_bytes),
            ],
            vec!["verify".to_owned(), format!("{:.2} ms", self.verify_ms)],
            vec![
                "holds for".to_owned(),
                "aggregates that `droste verify` accepts with this key and claim".to_owned(),
            ],
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
        let aggregate = file::decode(&bytes).map_err(CommandError::failed)?;
        aggregate.check().map_err(CommandError::failed)?;
        let membership = Membership::new(&aggregate.tree, &aggregate.keys, self.leaf)
            .map_err(CommandError::failed)?;
        let bytes = member::encode(&membership).map_err(CommandError::failed)?;
        // What is written is what others will accept.
        let (claim, key) = (aggregate.claim(), aggregate.key());
        let any = AcceptedLeaves::Any;
        let (mut shown, _) = Shown::new(&membership, &claim, key, 0, any, bytes.len())?;
        shown.keys_are = Evidence::Claimed;
        shown.leaf = Some(self.leaf);
        files::write(&self.output, &bytes).map_err(CommandError::file(&self.output))?;
        drop(progress);
        Ok(print(&shown, format)?)
    }
}

impl VerifyMember {
    /// Verifies the membership and prints what it shows.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let expected = field_list(&self.statement)?;
        let bytes = codec::read_file(&self.member).map_err(CommandError::file(&self.member))?;
        let membership = member::decode(&bytes).map_err(CommandError::failed)?;
        let (claim, length) = (self.claim.0, bytes.len());
        let leaves = self.leaves.accepted(None)?;
        let shown = Shown::new(&membership, &claim, self.key, self.min_bits, leaves, length);
        let (shown, member) = shown?;
        check_statement(&expected, &member.statement).map_err(CommandError::failed)?;
        if let Some(position) = self.position
            && position != shown.position
        {
            let found = &shown.position;
            let message = format!("the leaf is at {found}, expected at {position}");
            return Err(CommandError::failed(message));
        }
        Ok(print(&shown, format)?)
    }
}
