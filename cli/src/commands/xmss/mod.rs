//! `droste xmss`: signs messages with XMSS in Poseidon-16, verifies signatures, and folds proofs
//! that they are valid.

mod aggregate;
mod check;
mod key;
mod verify;

use std::path::Path;
use std::sync::Arc;

use clap::{Args, Subcommand};
use droste_native::F;
use droste_native::codec::short_list;
use droste_native::hash_signature::Xmss as Scheme;
use droste_native::stark::security::Preset;
use droste_verifier::fold::Options;
use droste_verifier::summary::{Evidence, SignersSummary};
use droste_verifier::xmss::{
    DEFAULT_BATCH, MAX_BATCH, MAX_LOG_KEYS, Registry, SignatureBatchProgram, SignatureFold, Signers,
};
use serde::Deserialize;

use crate::error::CommandError;
use crate::fields::field_list;
use crate::output::{Format, Report, list, row};
use crate::parameters::{default_preset, preset_of};
use crate::paths::Input;
use crate::program::read_json;
use crate::trust::{Derivation, doubt_of};

/// Number of signers that tables show.
const SHOWN: usize = 64;

/// What to do with signatures.
#[derive(Debug, Subcommand)]
pub enum Xmss {
    /// Make a key for a range of slots, in a folder of its own.
    Keygen(key::Keygen),
    /// Sign a message in a slot above all in which the key has signed.
    Sign(key::Sign),
    /// Verify signatures: exit code 0 if all are valid, 1 if one is not.
    Verify(verify::Verify),
    /// Prove who of a registry has signed a message: one fold, which counts each key once.
    Aggregate(aggregate::Aggregate),
    /// Check by a fold how many keys of a registry have signed a message in a slot, without the
    /// signatures.
    Check(check::Check),
    /// Show what such a fold claims.
    Inspect(check::Inspect),
}

impl Xmss {
    /// Runs the command, printing its result in `format`.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        run!(self, format: Keygen Sign Verify Aggregate Check Inspect)
    }
}

/// What decides the fold key.
#[derive(Debug, Args)]
struct Family {
    /// JSON file with the registry: a list of the keys that count, each with the fields `root` and
    /// `public_param`.
    #[arg(long)]
    registry: Input,
    /// Largest number of signatures of a batch, each of which is proved by one proof. All these
    /// proofs have one shape, whatever number of signatures there is.
    #[arg(long, default_value_t = DEFAULT_BATCH as u16, value_parser = clap::value_parser!(u16).range(1..=MAX_BATCH as i64))]
    batch: u16,
    /// Security level of the proofs: proven-100, proven-120, proven-128 or toy (insecure). The
    /// default of every command is $DROSTE_PRESET, or else proven-120.
    #[arg(long, default_value = default_preset(), value_parser = preset_of)]
    preset: Preset,
    #[command(flatten)]
    derivation: Derivation,
}

impl Family {
    /// The registry.
    fn registry(&self) -> Result<Arc<Registry>, CommandError> {
        read_json(&self.registry).map(Arc::new)
    }

    /// The program that verifies batches.
    fn program(&self, registry: &Arc<Registry>) -> Result<SignatureBatchProgram, CommandError> {
        let (registry, batch) = (Arc::clone(registry), self.batch.into());
        let program = SignatureBatchProgram::new(registry, Scheme::DEFAULT, batch);
        program.map_err(CommandError::usage)
    }

    /// The fold of its proofs, of which the keys are derived.
    fn fold(&self, program: SignatureBatchProgram) -> Result<SignatureFold, CommandError> {
        let deriver = Arc::new(self.derivation.deriver());
        Ok(SignatureFold::new(program, self.preset, deriver)?)
    }
}

/// What a fold that somebody made may stand for.
#[derive(Debug, Args)]
struct Limits {
    /// Largest number of proofs that a fold which is read may stand for, its own included.
    #[arg(long, value_name = "N")]
    max_proofs: Option<u64>,
    /// Largest number of levels of rules below the root of a fold which is read.
    #[arg(long, value_name = "N")]
    max_depth: Option<u32>,
}

impl Limits {
    /// The same options, and these limits.
    fn of(&self, options: Options) -> Options {
        let options = options.with_max_proofs(self.max_proofs);
        options.with_max_depth(self.max_depth)
    }
}

/// Largest number of signers.
const MOST: usize = 1 << MAX_LOG_KEYS;

/// The places of signers, which somebody else may have written.
#[derive(Deserialize)]
#[serde(transparent)]
struct Places(#[serde(deserialize_with = "short_list::<_, _, MOST>")] Vec<usize>);

/// Reads the places of signers.
fn read_signers(path: &Path, registry: &Registry) -> Result<Signers, CommandError> {
    let places: Places = read_json(path)?;
    Signers::new(registry, places.0).map_err(CommandError::about(path.display()))
}

/// The eight elements of a message.
fn message_of(text: &str) -> Result<[F; 8], CommandError> {
    <[F; 8]>::try_from(field_list(text)?).map_err(|given| {
        let found = given.len();
        CommandError::usage(format!(
            "the message has {found} field elements, expected 8"
        ))
    })
}

impl Report for SignersSummary {
    fn rows(&self) -> Vec<Vec<String>> {
        let (fold, count, slot) = (&self.fold, self.count, self.slot);
        let of = match self.keys {
            Some(keys) => format!("{count} of {keys} keys"),
            None => format!("{count} keys"),
        };
        let message = list(&self.message);
        let rules = match fold.keys_are {
            Evidence::Claimed => "claimed by the file",
            Evidence::Derived | Evidence::Pinned => "derived",
        };
        let (doubt, proofs) = (doubt_of(fold.keys_are), fold.proofs);
        let bits = format!("{} of each proof{doubt}", fold.proven_bits);
        let tree_bits = format!(
            "{}, by the union bound over {proofs} proofs{doubt}",
            fold.tree_bits
        );
        let mut rows = vec![
            row("signed", format!("{of} signed {message} in slot {slot}")),
            row("registry", &self.registry),
            row(fold.key_is, &fold.key),
            row("its rules", rules),
            row("proven bits", bits),
            row("bits of the tree", tree_bits),
            row("proof", format!("{} bytes", fold.proof_bytes)),
            row("verify", format!("{:.1} ms", fold.verify_ms)),
        ];
        if let Some(signers) = &self.signers {
            let shown = signers.iter().take(SHOWN).map(usize::to_string);
            let mut text = shown.collect::<Vec<_>>().join(",");
            if let Some(more @ 1..) = signers.len().checked_sub(SHOWN) {
                text.push_str(&format!(" and {more} more"));
            }
            rows.push(row("signers", text));
        }
        rows
    }
}
