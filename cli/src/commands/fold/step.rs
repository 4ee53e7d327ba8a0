//! `droste fold step`.

use std::path::Path;

use clap::Args;
use droste_native::{codec, files};
use droste_verifier::aggregate::Aggregate;
use droste_verifier::file;
use droste_verifier::fold::{Child, Fold, Folded, ForeignChild, Options, Slot};
use droste_verifier::summary::{FoldSummary, milliseconds};
use droste_vm::key::KeyDigest;

use super::Summary;
use super::family::Family;
use crate::error::CommandError;
use crate::output::{Format, counted, print};
use crate::paths::{Input, Named, Output, Role, distinct};
use crate::program::tape;
use crate::progress::Progress;

/// Arguments of `droste fold step`.
#[derive(Debug, Args)]
pub struct Step {
    /// File of the rules.
    #[arg(value_name = "RULES")]
    rules: Input,
    /// Name of the rule to prove.
    #[arg(value_name = "RULE")]
    rule: String,
    /// What the rule takes, in the order of its parameters: folds, and proofs of accepted programs
    /// or their wraps.
    #[arg(value_name = "CHILD")]
    children: Vec<Input>,
    /// JSON file of the hints of the rule's function, as for `droste run`.
    #[arg(long)]
    hints: Option<Input>,
    #[command(flatten)]
    family: Family,
    /// File to write the fold to.
    #[arg(short, long)]
    output: Output,
}

/// A child, verified.
enum Given {
    Node(Box<Folded>),
    Foreign(Box<Folded>),
    Leaf(Box<Aggregate>),
}

impl Given {
    fn child(&self) -> Child<'_> {
        match self {
            Self::Node(folded) => Child::Node(folded),
            Self::Foreign(folded) => Child::Foreign(ForeignChild::Root(folded)),
            Self::Leaf(aggregate) => Child::Leaf(aggregate),
        }
    }
}

impl Step {
    /// Verifies the children, proves the rule on them, writes the fold and prints what it says.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let output = Named::new("--output", &self.output, Role::Write);
        distinct(
            &[output]
                .into_iter()
                .chain(self.family.paths())
                .collect::<Vec<_>>(),
        )?;
        let hints = tape(self.hints.as_deref())?;
        let progress = Progress::spinner("deriving the keys of the rules");
        let leaves: Vec<&Path> = self.children.iter().map(|path| &**path).collect();
        let fold = self.family.fold(&self.rules, &leaves)?;
        let others = self.family.other_keys();
        let slots = fold.paper().slots(&self.rule)?;
        if slots.len() != self.children.len() {
            let (expected, found) = (slots.len(), self.children.len());
            let rule = &self.rule;
            let expected = counted(expected, "proof", "proofs");
            let message = format!("the rule `{rule}` takes {expected}, given: {found}");
            return Err(CommandError::usage(message));
        }
        progress.stage("reading the children");
        let given = slots.iter().zip(&self.children).map(|(slot, path)| {
            let given = read(&fold, &others, *slot, path);
            given.map_err(CommandError::about(path.display()))
        });
        let given: Vec<Given> = given.collect::<Result<_, CommandError>>()?;
        let children: Vec<Child<'_>> = given.iter().map(Given::child).collect();
        progress.stage(format!("proving {}", self.rule));
        let folded = fold.prove(&self.rule, &children, &hints)?;
        let verify = folded.steps().last().map(|step| milliseconds(step.verify));
        let bytes = file::fold::encode(&folded)?;
        files::write(&self.output, &bytes).map_err(CommandError::file(&self.output))?;
        progress.finish();
        let says = FoldSummary::new(&folded, verify.unwrap_or_default())?;
        Ok(print(&Summary::of(&fold, says), format)?)
    }
}

/// Reads a child of a rule and verifies it. A proof of an accepted program is wrapped.
fn read(fold: &Fold, others: &[KeyDigest], slot: Slot, path: &Path) -> Result<Given, CommandError> {
    let bytes = codec::read_file(path).map_err(CommandError::failed)?;
    // What is asked of bits is asked of the root.
    let options = Options::min_bits(0);
    Ok(match slot {
        Slot::Node => {
            let folded = fold.accept(file::fold::decode(&bytes)?, &options)?;
            Given::Node(Box::new(folded))
        }
        Slot::Foreign(number) => {
            let key = others.get(number).ok_or_else(|| {
                CommandError::usage(format!("there is no --fold for Foreign<{number}, ..>"))
            })?;
            let folded = file::fold::decode(&bytes)?.verify(*key, &options)?;
            Given::Foreign(Box::new(folded))
        }
        Slot::Leaf(_) => Given::Leaf(Box::new(fold.wrap_leaf(&bytes)?)),
    })
}
