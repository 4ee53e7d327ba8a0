//! `droste xmss check` and `droste xmss inspect`.

use std::path::Path;
use std::time::Instant;

use clap::Args;
use droste_native::codec;
use droste_verifier::file;
use droste_verifier::fold::{Options, UnverifiedFold};
use droste_verifier::summary::{FoldSummary, SignersSummary, milliseconds};
use droste_verifier::xmss::{SignersClaim, Wanted};

use super::{Family, Limits, message_of, read_signers};
use crate::error::CommandError;
use crate::output::{Format, print};
use crate::paths::Input;
use crate::progress::Progress;

/// Arguments of `droste xmss check`.
#[derive(Debug, Args)]
pub struct Check {
    /// The fold.
    fold: Input,
    #[command(flatten)]
    family: Family,
    /// Slot that it must be about.
    #[arg(long)]
    slot: u32,
    /// Message that it must be about: eight comma-separated integers below the field's order.
    #[arg(long)]
    message: String,
    /// Least number of keys that must have signed.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    min_signers: u32,
    /// JSON file with the places of the signers in the registry, ascending, as `droste xmss
    /// aggregate` writes it. They are compared with the fold and printed.
    #[arg(long)]
    signers: Option<Input>,
    /// Proven bits of security that each of its proofs must have at least.
    #[arg(long, default_value_t = 100)]
    min_bits: usize,
    /// Proven bits of security that all its proofs must have together at least, by the union bound:
    /// 100, unless --min-bits asks for less of each.
    #[arg(long)]
    min_tree_bits: Option<usize>,
    #[command(flatten)]
    limits: Limits,
}

/// Arguments of `droste xmss inspect`.
#[derive(Debug, Args)]
pub struct Inspect {
    /// The fold. What is printed is claimed by the file and proves nothing.
    fold: Input,
}

impl Check {
    /// Verifies the fold, compares what it says, and prints how many keys have signed.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let message = message_of(&self.message)?;
        let progress = Progress::spinner("deriving the fold key");
        let registry = self.family.registry()?;
        let signers = self.signers.as_deref();
        let signers = signers.map(|path| read_signers(path, &registry));
        let (fold, signers) = (read(&self.fold)?, signers.transpose()?);
        let rules = self.family.fold(self.family.program(&registry)?)?;
        progress.stage("verifying");
        let start = Instant::now();
        let options = Options::min_bits(self.min_bits).with_min_tree_bits(self.min_tree_bits);
        let options = self.limits.of(options);
        let wanted = Wanted {
            slot: self.slot,
            message,
            min_signers: self.min_signers,
        };
        let (folded, claim) = rules.check(fold, &wanted, &options)?;
        if let Some(signers) = &signers {
            claim.check(signers)?;
        }
        let says = FoldSummary::new(&folded, milliseconds(start.elapsed()))?;
        let checked = SignersSummary::new(&claim, Some(&registry), signers.as_ref(), says);
        progress.finish();
        Ok(print(&checked, format)?)
    }
}

impl Inspect {
    /// Prints what a fold claims, after verifying it under the rules that it lists.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let progress = Progress::spinner("verifying");
        let fold = read(&self.fold)?;
        let claim = SignersClaim::of_state(&fold.state)?;
        let start = Instant::now();
        let accepted = fold.check()?;
        let says = FoldSummary::claimed(&fold, &accepted, milliseconds(start.elapsed()))?;
        progress.finish();
        let claimed = SignersSummary::new(&claim, None, None, says);
        Ok(print(&claimed, format)?)
    }
}

/// Reads and decodes a fold's file.
pub fn read(path: &Path) -> Result<UnverifiedFold, CommandError> {
    let bytes = codec::read_file(path).map_err(CommandError::file(path))?;
    file::fold::decode(&bytes).map_err(CommandError::about(path.display()))
}
