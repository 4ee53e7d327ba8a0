//! `droste xmss check`.

use std::path::PathBuf;

use clap::Args;
use droste_native::F;
use droste_native::hash_signature::{PublicKey, Xmss};
use droste_verifier::summary::Evidence;
use droste_verifier::xmss::SignatureClaims;
use p3_field::PrimeField32;
use p3_field::integers::QuotientMap;
use serde::{Deserialize, Serialize};

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

/// That a key signed a message in a slot.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    slot: u32,
    message: [u32; 8],
    root: [u32; 4],
    public_param: [u32; 4],
}

#[derive(Serialize)]
struct Checked {
    keys_are: Evidence,
    proven_bits: usize,
    tree_bits: usize,
    signatures: usize,
    batches: Vec<BatchReport>,
}

#[derive(Serialize)]
struct BatchReport {
    slot: u32,
    message: [u32; 8],
    keys: usize,
}

impl Report for Checked {
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
            let message = batch.message.map(|x| x.to_string()).join(",");
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
        let accepted = aggregate.accepted();
        if accepted.bits < self.min_bits {
            let message = format!(
                "a proof of the aggregate has {} proven bits, expected at least {}",
                accepted.bits, self.min_bits
            );
            return Err(CommandError::failed(message));
        }
        claims
            .check(aggregate.tree(), &Xmss::DEFAULT)
            .map_err(CommandError::failed)?;
        for (index, wanted) in wanted.iter().enumerate() {
            let what = || format!("entry {index}");
            let key = PublicKey {
                root: elements(wanted.root).map_err(CommandError::about(what()))?,
                parameter: elements(wanted.public_param).map_err(CommandError::about(what()))?,
            };
            let message = elements(wanted.message).map_err(CommandError::about(what()))?;
            if !claims.says(&key, wanted.slot, &message) {
                let message = format!("entry {index}: no batch says that this key signed");
                return Err(CommandError::failed(message));
            }
        }
        let batches = claims.batches.iter().map(|batch| BatchReport {
            slot: batch.slot,
            message: batch.message.map(|x| x.as_canonical_u32()),
            keys: batch.keys.len(),
        });
        let checked = Checked {
            keys_are,
            proven_bits: accepted.bits,
            tree_bits: accepted.tree_bits,
            signatures: claims.batches.iter().map(|batch| batch.keys.len()).sum(),
            batches: batches.collect(),
        };
        drop(progress);
        Ok(print(&checked, format)?)
    }
}

/// Elements of the field, or the first number that is none.
fn elements<const N: usize>(values: [u32; N]) -> Result<[F; N], CommandError> {
    let mut elements = [F::new(0); N];
    for (element, value) in elements.iter_mut().zip(values) {
        *element = F::from_canonical_checked(value).ok_or_else(|| {
            CommandError::failed(format!("{value} is not below the field's order"))
        })?;
    }
    Ok(elements)
}
