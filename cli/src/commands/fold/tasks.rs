//! The options that name the leaves of a fold and the rules that make one fold of them, and the plan
//! that they stand for.

use std::iter;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;
use droste_native::codec;
use droste_verifier::fold::Fold;
use droste_verifier::fold::plan::{FoldPlan, FoldPlanError, FoldTask, PlanRules, PlannedLeaf};
use p3_maybe_rayon::prelude::*;

use super::family::Family;
use crate::error::CommandError;
use crate::leaves::folder;
use crate::paths::{Input, Named, Role, distinct};
use crate::program::{read_text, tape};
use crate::progress::Progress;

/// The leaves of a fold, and the rules that are used.
#[derive(Debug, Args)]
pub struct Tasks {
    /// Proofs of the programs, their wraps, and folders, in this order. Of a folder, the files that
    /// end in .proof, .wrap or .agg are taken, in the order of their names.
    #[arg(value_name = "LEAF")]
    leaves: Vec<Input>,
    /// File with one leaf a line: `PROOF HINTS`, where HINTS is a JSON file of the hints of the
    /// function that takes the leaf, and may be missing. Paths are relative to the folder of the
    /// list and have no spaces; lines that begin with # are skipped. These leaves follow the
    /// others.
    #[arg(long)]
    list: Option<Input>,
    /// Rule that makes a node of several. By default the one that takes nothing else; of several,
    /// those of more nodes first.
    #[arg(long, value_name = "RULE", conflicts_with = "append")]
    merge: Option<String>,
    /// Rule that makes a node of leaves. May be given several times; by default all that take
    /// nothing else, those of more leaves first.
    #[arg(long = "leaf-rule", value_name = "RULE")]
    leaf_rules: Vec<String>,
    /// Rule that makes a node of a node and leaves: makes one node after the other, even if there is
    /// a rule that merges.
    #[arg(long, value_name = "RULE")]
    append: Option<String>,
    /// Rule that takes nothing, with which a fold begins.
    #[arg(long, value_name = "RULE")]
    start: Option<String>,
    /// JSON file of the hints of that rule's function. Those of leaves are in --list.
    #[arg(long)]
    hints: Option<Input>,
    /// Rule that makes a node of a node, and how often it is applied, as step:1000, instead of
    /// leaves.
    #[arg(long, value_name = "RULE:NUMBER", conflicts_with_all = ["leaves", "list", "merge", "append"])]
    repeat: Option<Repeat>,
}

/// A rule, and how often it is applied.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Repeat {
    rule: String,
    times: u32,
}

impl FromStr for Repeat {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        const EXPECTED: &str = "expected the name of a rule, `:` and a number from 1";
        let (rule, times) = text.rsplit_once(':').ok_or(EXPECTED)?;
        let times: u32 = times.parse().map_err(|_| EXPECTED)?;
        let rule = rule.to_owned();
        (times > 0).then_some(Self { rule, times }).ok_or(EXPECTED)
    }
}

/// The file of a leaf, and that of the hints of the function that takes it.
#[derive(Debug, PartialEq, Eq)]
pub struct LeafFile {
    path: PathBuf,
    hints: Option<PathBuf>,
}

/// A fold with its plan.
pub struct Planned {
    pub fold: Fold,
    pub plan: FoldPlan,
    pub leaves: Vec<PlannedLeaf>,
    /// The files of the leaves.
    pub paths: Vec<PathBuf>,
}

impl Tasks {
    /// Whether options say how to plan, which have no meaning without leaves or --repeat.
    pub const fn have_options(&self) -> bool {
        self.merge.is_some()
            || !self.leaf_rules.is_empty()
            || self.append.is_some()
            || self.start.is_some()
            || self.hints.is_some()
    }

    /// Whether there is anything to plan.
    pub const fn are_given(&self) -> bool {
        !self.leaves.is_empty() || self.list.is_some() || self.repeat.is_some()
    }

    /// The files of all leaves, in order.
    ///
    /// # Errors
    /// If a folder or list cannot be read, or the output is one of the files.
    pub fn files(
        &self,
        family: &Family,
        output: Option<&Path>,
    ) -> Result<Vec<LeafFile>, CommandError> {
        let mut files = vec![];
        for path in &self.leaves {
            let found: Vec<PathBuf> = if path.is_dir() {
                let found = folder(path).map_err(CommandError::file(path))?;
                found.into_iter().collect()
            } else {
                vec![path.to_path_buf()]
            };
            let found = found.into_iter();
            files.extend(found.map(|path| LeafFile { path, hints: None }));
        }
        if let Some(path) = &self.list {
            let text = read_text(path)?;
            let folder = path.parent().unwrap_or(Path::new(""));
            files.extend(list(&text, folder).map_err(CommandError::about(path.display()))?);
        }
        if let Some(output) = output {
            let output = Named::new("--output", output, Role::Write);
            let paths = files.iter().flat_map(LeafFile::paths).chain(family.paths());
            distinct(&iter::once(output).chain(paths).collect::<Vec<_>>())?;
        }
        Ok(files)
    }

    /// Makes the fold and its plan: verifies the leaves, and runs all rules on paper.
    ///
    /// # Errors
    /// If there is no such fold or plan. Of rules that fail all are named, with the files of the
    /// leaves below.
    pub fn plan(
        &self,
        family: &Family,
        rules: &Path,
        files: Vec<LeafFile>,
        progress: &Progress,
    ) -> Result<Planned, CommandError> {
        let with = PlanRules {
            merge: self.merge.clone(),
            leaf: self.leaf_rules.clone(),
            append: self.append.clone(),
            start: self.start.clone(),
            start_hints: tape(self.hints.as_deref())?,
            repeat: self
                .repeat
                .clone()
                .map(|repeat| (repeat.rule, repeat.times)),
        };
        let samples: Vec<&Path> = files.iter().map(|file| file.path.as_path()).collect();
        progress.stage("deriving the keys of the rules");
        let fold = family.fold(rules, &samples)?;
        progress.stage("verifying the leaves");
        let read = |file: &LeafFile| {
            let leaf = file.read(&fold);
            leaf.map_err(CommandError::about(file.path.display()))
        };
        let leaves: Vec<Result<PlannedLeaf, CommandError>> = files.par_iter().map(read).collect();
        let leaves = leaves.into_iter().collect::<Result<Vec<_>, _>>()?;
        progress.stage("running all rules on paper");
        let paths: Vec<PathBuf> = files.into_iter().map(|file| file.path).collect();
        let plan = fold.plan(&leaves, &with);
        let plan = plan.map_err(|error| with_paths(error, &paths))?;
        // A rule that takes nothing may begin a chain without --start.
        let starts = |task: &FoldTask| task.inputs.is_empty();
        if self.hints.is_some() && !plan.tasks.iter().any(starts) {
            let message = "--hints is for the rule of --start, and no rule of this fold takes \
                           nothing: hints of leaves are in --list";
            return Err(CommandError::usage(message));
        }
        Ok(Planned {
            fold,
            plan,
            leaves,
            paths,
        })
    }
}

impl LeafFile {
    fn read(&self, fold: &Fold) -> Result<PlannedLeaf, CommandError> {
        let bytes = codec::read_file(&self.path).map_err(CommandError::failed)?;
        let leaf = fold.leaf(&bytes)?;
        Ok(leaf.with_hints(tape(self.hints.as_deref())?))
    }

    /// The paths that are read.
    fn paths(&self) -> impl Iterator<Item = Named<'_>> {
        let leaf = Named::new("the leaf", &self.path, Role::Read);
        let hints = self.hints.as_deref();
        let hints = hints.map(|path| Named::new("the hints", path, Role::Read));
        [leaf].into_iter().chain(hints)
    }
}

/// The error, with the files of the leaves below rules that fail.
fn with_paths(error: FoldPlanError, paths: &[PathBuf]) -> CommandError {
    let FoldPlanError::Failing(failed) = &error else {
        return error.into();
    };
    let lines = failed.iter().map(|failed| {
        let files = paths.get(failed.on.0.clone()).unwrap_or_default();
        let on = match files {
            [] => String::new(),
            [one] => format!(" on {}", one.display()),
            [first, .., last] => format!(" on {} to {}", first.display(), last.display()),
        };
        format!("the rule `{}` fails{on}: {}", failed.rule, failed.reason)
    });
    let lines: Vec<String> = lines.collect();
    CommandError::failed(match lines.as_slice() {
        [line] => line.clone(),
        lines => format!("{} steps fail: {}", lines.len(), lines.join("; ")),
    })
}

/// The leaves of a list whose paths are relative to `folder`.
fn list(text: &str, folder: &Path) -> Result<Vec<LeafFile>, CommandError> {
    let lines = (1..).zip(text.lines());
    let lines = lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let file = |(number, line): (usize, &str)| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (path, hints) = match words.as_slice() {
            [path] => (path, None),
            [path, hints] => (path, Some(folder.join(hints))),
            _ => {
                return Err(CommandError::usage(format!(
                    "line {number} has {} words, expected `PROOF HINTS` or `PROOF`",
                    words.len()
                )));
            }
        };
        Ok(LeafFile {
            path: folder.join(path),
            hints,
        })
    };
    lines.map(file).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_leaves_and_their_hints() {
        let text = "# two leaves\na.proof a.json\n\nb/c.wrap\n";
        let read = list(text, Path::new("in")).unwrap();
        let [first, second] = read.as_slice() else {
            panic!("{read:?}");
        };
        assert_eq!(first.path, Path::new("in/a.proof"));
        assert_eq!(first.hints.as_deref(), Some(Path::new("in/a.json")));
        assert_eq!(second.path, Path::new("in/b/c.wrap"));
        assert_eq!(second.hints, None);
        list("a b c", Path::new("")).unwrap_err();
    }

    #[test]
    fn repeats_are_a_rule_and_a_number() {
        let repeat: Repeat = "step:1000".parse().unwrap();
        assert_eq!((repeat.rule.as_str(), repeat.times), ("step", 1000));
        for wrong in ["step", "step:", "step:0", "step:-1", "step:5000000000"] {
            assert!(wrong.parse::<Repeat>().is_err(), "{wrong}");
        }
    }
}
