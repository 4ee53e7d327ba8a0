//! `droste fold inspect`.

use std::time::Instant;

use clap::Args;
use droste_native::files;
use droste_verifier::fold::Options;
use droste_verifier::summary::{FoldSummary, milliseconds};

use super::family::Family;
use super::{Summary, page, read};
use crate::error::CommandError;
use crate::output::{Format, print};
use crate::paths::{Input, Named, Output, Role, distinct};
use crate::progress::Progress;

/// Arguments of `droste fold inspect`.
#[derive(Debug, Args)]
pub struct Inspect {
    /// The fold.
    fold: Input,
    /// File of its rules, from which its key is derived. Without it, what is printed is claimed by
    /// the file and proves nothing.
    #[arg(value_name = "RULES")]
    rules: Option<Input>,
    #[command(flatten)]
    family: Family,
    /// Also write what it says, without its proof, to this file: `droste verify --fold-claim` opens
    /// a leaf of an aggregate with it.
    #[arg(long, value_name = "FILE")]
    claim: Option<Output>,
    /// Also write what it says to this file, a web page that needs no network.
    #[arg(long, value_name = "FILE")]
    report: Option<Output>,
}

impl Inspect {
    /// Prints what a fold says.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let outputs = [("--claim", &self.claim), ("--report", &self.report)];
        let outputs = outputs.into_iter().filter_map(|(name, path)| {
            let path = path.as_deref()?;
            Some(Named::new(name, path, Role::Write))
        });
        distinct(&outputs.chain(self.family.paths()).collect::<Vec<_>>())?;
        if self.rules.is_none() && self.family.is_given() {
            let message = "--leaf, --sample, --calls, --fold and --recipe are for keys that are \
                           derived: give the file of the rules, too";
            return Err(CommandError::usage(message));
        }
        let progress = Progress::spinner("verifying");
        let fold = read(&self.fold)?;
        let claim = fold.claim();
        let start = Instant::now();
        let elapsed_ms = || milliseconds(start.elapsed());
        let summary = match &self.rules {
            None => {
                let accepted = fold.check()?;
                Summary::new(FoldSummary::claimed(&fold, &accepted, elapsed_ms())?)
            }
            Some(rules) => {
                progress.stage("deriving the keys of the rules");
                let rules = self.family.fold(rules, &[])?;
                let folded = rules.accept(fold, &Options::min_bits(0))?;
                Summary::of(&rules, FoldSummary::new(&folded, elapsed_ms())?)
            }
        };
        let summary = Summary {
            shows_terms: true,
            ..summary
        };
        if let Some(path) = &self.claim {
            let text = serde_json::to_vec_pretty(&claim)?;
            files::write(path, &text).map_err(CommandError::file(path))?;
        }
        progress.finish();
        print(&summary, format)?;
        if let Some(path) = &self.report {
            let page = page::page(&self.fold, &summary)?;
            files::write(path, page.as_bytes()).map_err(CommandError::file(path))?;
        }
        Ok(())
    }
}
