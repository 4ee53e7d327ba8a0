//! `droste xmss aggregate`.

use std::io;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use droste_native::files;
use droste_native::hash_signature::SignedMessage;
use droste_verifier::file;
use droste_verifier::fold::{Folded, Options};
use droste_verifier::plan::{Name, Store};
use droste_verifier::summary::{FoldSummary, SignersSummary, milliseconds};
use droste_verifier::xmss::{
    Registry, SignatureBatch, SignatureBatchProgram, SignatureFold, Signers, SignersClaim,
};
use serde::Serialize;

use super::{Family, Limits, check, read_signers};
use crate::commands::fold::all::prove;
use crate::error::CommandError;
use crate::output::{Format, Report, counted, print, row};
use crate::paths::{Input, Kept, Named, Output, Role, distinct};
use crate::program::read_json;
use crate::progress::{Progress, warn};
use crate::store::RunStore;

/// What `droste xmss check` asks of all proofs together, by default.
const TREE_BITS: usize = 100;

/// What the name of the file of a fold's signers ends in.
const SIGNERS: &str = "signers.json";

/// Arguments of `droste xmss aggregate`.
#[derive(Debug, Args)]
pub struct Aggregate {
    /// JSON files with lists of signatures, as `droste xmss verify` reads them, all of one message
    /// in one slot. Of several signatures by a key, the first valid one is taken.
    #[arg(required_unless_present = "folds")]
    files: Vec<Input>,
    #[command(flatten)]
    family: Family,
    /// A fold that this command wrote with the same registry, of the same message and slot, to be
    /// united with the signatures, unless all its signers are there already. They are read from the
    /// file whose name has .signers.json at its end. May be given several times.
    #[arg(long = "fold", value_name = "FILE")]
    folds: Vec<Input>,
    #[command(flatten)]
    limits: Limits,
    /// Folder in which finished proofs are kept; a run with the same signatures goes on from them.
    /// One run at a time can use it. By default the output's name with .store at its end, which is
    /// removed when the output is written.
    #[arg(long)]
    store: Option<Kept>,
    /// File to write the fold to.
    #[arg(short, long)]
    output: Output,
    /// File to write the signers to, as a list of their places in the registry: by default the
    /// output's name with .signers.json at its end.
    #[arg(long)]
    signers: Option<Output>,
}

/// The result of a run.
#[derive(Serialize)]
struct Aggregated {
    /// Signatures that were proved, one of each key.
    signatures: usize,
    batches: usize,
    /// Folds that were to be united with these.
    folds: usize,
    seconds: f64,
    signers_file: Output,
    #[serde(flatten)]
    summary: SignersSummary,
}

impl Report for Aggregated {
    fn rows(&self) -> Vec<Vec<String>> {
        let mut text = format!(
            "{} in {}",
            self.signatures,
            counted(self.batches, "batch", "batches")
        );
        if self.folds > 0 {
            text = format!("{text}, and {}", counted(self.folds, "fold", "folds"));
        }
        let rows = vec![
            row("signatures", format!("{text}, in {:.1} s", self.seconds)),
            row("signers written to", self.signers_file.display()),
        ];
        [rows, self.summary.rows()].concat()
    }
}

/// A fold, with its signers.
type Signed = (Folded, Signers);

impl Aggregate {
    /// Proves every batch, folds the proofs, unites them with other folds, and writes the fold and
    /// its signers.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let begun = Instant::now();
        let signers_file = self.signers_file()?;
        let registry = self.family.registry()?;
        let program = self.family.program(&registry)?;
        let batches = self.batches(&program)?;
        let store = RunStore::open(self.store.as_deref(), &self.output)?;
        let progress = Progress::spinner("deriving the fold key");
        let rules = self.family.fold(program)?;
        progress.finish();
        // What is refused is refused before anything is proved.
        let (mut folds, mut names) = (vec![], vec![]);
        for path in &self.folds {
            let signed = self.read_fold(&rules, &registry, path);
            folds.push(signed.map_err(CommandError::about(path.display()))?);
        }
        if !batches.is_empty() {
            let (signed, tasks) = fold_batches(&rules, &batches, &store, format)?;
            folds.insert(0, signed);
            names = tasks;
        }
        let (folded, signers) = unite(&rules, folds)?;

        let bytes = file::fold::encode(&folded)?;
        let claim = SignersClaim::of_state(folded.state())?;
        let verify = Instant::now();
        let unverified = folded.into_unverified();
        let (folded, claim) = rules.check(unverified, &claim.wanted(), &Options::min_bits(0))?;
        claim.check(&signers)?;
        let says = FoldSummary::new(&folded, milliseconds(verify.elapsed()))?;
        files::write(&self.output, &bytes).map_err(CommandError::file(&self.output))?;
        let places = serde_json::to_string(&signers.places().collect::<Vec<_>>())?;
        let written = files::write(&signers_file, places.as_bytes());
        written.map_err(CommandError::file(&signers_file))?;
        if !store.stays {
            Store::clone(&store).remove(names)?;
        }
        let aggregated = Aggregated {
            signatures: batches.iter().map(|batch| batch.signed().len()).sum(),
            batches: batches.len(),
            folds: self.folds.len(),
            seconds: begun.elapsed().as_secs_f64(),
            signers_file,
            summary: SignersSummary::new(&claim, Some(&registry), Some(&signers), says),
        };
        print(&aggregated, format)?;
        let bits = folded.accepted().tree_bits;
        if bits < TREE_BITS {
            warn(format_args!(
                "all proofs together have {bits} bits, and `droste xmss check` asks for \
                 {TREE_BITS} unless it is given --min-tree-bits"
            ));
        }
        Ok(())
    }

    /// The file to write the signers to.
    ///
    /// # Errors
    /// If it is another path of the command, or cannot be written.
    fn signers_file(&self) -> Result<Output, CommandError> {
        let beside = || self.output.with_ending(SIGNERS);
        let path = self.signers.clone().unwrap_or_else(beside);
        let folds = self.folds.iter();
        let signers = folds.map(|path| path.with_added_extension(SIGNERS));
        let signers: Vec<PathBuf> = signers.collect();
        let mut paths = vec![
            Named::new("--signers", &path, Role::Write),
            Named::new("--output", &self.output, Role::Write),
            Named::new("--registry", &self.family.registry, Role::Read),
        ];
        let files = self.files.iter().map(|path| ("FILES", &**path));
        let folds = self.folds.iter().map(|path| ("--fold", &**path));
        let signers = signers.iter().map(|path| ("the signers", path.as_path()));
        let read = files.chain(folds).chain(signers);
        paths.extend(read.map(|(name, path)| Named::new(name, path, Role::Read)));
        distinct(&paths)?;
        files::Output::open(&path).map_err(CommandError::file(&path))?;
        Ok(path)
    }

    /// Reads the signatures and puts them into batches.
    fn batches(
        &self,
        program: &SignatureBatchProgram,
    ) -> Result<Vec<SignatureBatch>, CommandError> {
        if self.files.is_empty() {
            return Ok(vec![]);
        }
        let mut signed: Vec<SignedMessage> = vec![];
        for path in &self.files {
            signed.extend(read_json::<Vec<_>>(path)?);
        }
        program.batches(signed).map_err(CommandError::usage)
    }

    /// Reads a fold that was written before, with its signers.
    fn read_fold(
        &self,
        rules: &SignatureFold,
        registry: &Registry,
        path: &Input,
    ) -> Result<Signed, CommandError> {
        let fold = check::read(path)?;
        // The rules compare slot and message with those of other folds.
        let claim = SignersClaim::of_state(&fold.state)?;
        let options = self.limits.of(Options::min_bits(0));
        let (folded, claim) = rules.check(fold, &claim.wanted(), &options)?;
        let signers = read_signers(&path.with_added_extension(SIGNERS), registry)?;
        claim.check(&signers)?;
        Ok((folded, signers))
    }
}

/// Proves batches, one after the other, and folds the proofs. Returns the names of what it keeps.
fn fold_batches(
    rules: &SignatureFold,
    batches: &[SignatureBatch],
    store: &RunStore,
    format: Format,
) -> Result<(Signed, Vec<Name>), CommandError> {
    let (mut proofs, mut names, count) = (vec![], vec![], batches.len());
    let progress = Progress::forecast(count as u64);
    for (index, batch) in batches.iter().enumerate() {
        progress.stage(format!("proving batch {} of {count}", index + 1));
        // A run that was interrupted goes on from the batches that it proved.
        let proof = rules.prover().prove_kept(batch, store);
        proofs.push(proof.map_err(CommandError::about(format!("batch {index}")))?);
        names.push(rules.prover().name(&batch.claim()));
        progress.step();
    }
    progress.finish();
    let plan = rules.plan(batches, &proofs)?;
    let leaf = |index: usize| -> io::Result<Vec<u8>> {
        let proof = proofs.get(index).cloned();
        proof.ok_or_else(|| io::ErrorKind::NotFound.into())
    };
    let (folded, _) = prove(rules.fold(), &plan, store, leaf, format)?;
    names.extend(plan.tasks.iter().map(|task| task.name));
    Ok(((folded?, rules.signers(batches)), names))
}

/// Unites folds, one after the other.
fn unite(rules: &SignatureFold, folds: Vec<Signed>) -> Result<Signed, CommandError> {
    let progress = Progress::forecast(folds.len() as u64);
    let mut folds = folds.into_iter();
    let first = folds.next();
    let mut signed = first.ok_or_else(|| CommandError::usage("no signatures"))?;
    for other in folds {
        progress.stage("uniting folds");
        signed = rules.unite(signed, other)?;
        progress.step();
    }
    progress.finish();
    Ok(signed)
}
