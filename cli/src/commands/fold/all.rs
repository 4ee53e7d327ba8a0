//! `droste fold all`: plans a fold, runs its rules on paper, and proves what is not proved yet.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use clap::Args;
use droste_native::{codec, files};
use droste_verifier::file;
use droste_verifier::fold::plan::{
    FoldEvent, FoldPlan, FoldProduct, FoldRunError, FoldTask, TaskInput, TaskKind, run,
};
use droste_verifier::fold::{Counters, Fold, Folded, Options};
use droste_verifier::plan::{Name, Store};
use droste_verifier::summary::{FoldSummary, StepSummary, integers, milliseconds};
use serde::Serialize;

use super::Summary;
use super::family::Family;
use super::tasks::{Planned, Tasks};
use crate::error::CommandError;
use crate::output::{Format, Report, counted, list, print, row};
use crate::paths::{Input, Kept, Output};
use crate::progress::{Progress, print_line};
use crate::store::RunStore;

/// Arguments of `droste fold all`.
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("what").required(true).multiple(true).args(["leaves", "list", "repeat"])))]
pub struct All {
    /// File of the rules.
    #[arg(value_name = "RULES")]
    rules: Input,
    #[command(flatten)]
    tasks: Tasks,
    #[command(flatten)]
    family: Family,
    /// Folder in which finished tasks are kept; a run with the same leaves goes on from them. One
    /// run at a time can use it. By default the output's name with .store at its end, which is
    /// removed when the output is written.
    #[arg(long)]
    store: Option<Kept>,
    /// Run all rules on paper, print what they say and prove nothing: in JSON all tasks, each with
    /// its name, its inputs and what it says.
    #[arg(long)]
    plan: bool,
    /// File to write the fold to.
    #[arg(short, long, required_unless_present = "plan")]
    output: Option<Output>,
}

/// A finished task, as one row of JSON.
#[derive(Serialize)]
struct Row<'a> {
    task: usize,
    name: Name,
    #[serde(flatten)]
    kind: &'a TaskKind,
    inputs: &'a [TaskInput],
    seconds: f64,
    bytes: usize,
    steps: Vec<StepSummary>,
}

/// The result of a run.
#[derive(Serialize)]
struct Outcome {
    leaves: usize,
    tasks: usize,
    /// Tasks of which the store had the results, or which these make unnecessary.
    kept: usize,
    seconds: f64,
    #[serde(flatten)]
    summary: Summary,
}

impl Report for Outcome {
    fn rows(&self) -> Vec<Vec<String>> {
        let tasks = counted(self.tasks, "task", "tasks");
        let (made, kept) = match self.kept {
            0 => (tasks, ""),
            kept => (
                format!("{} of {tasks}", self.tasks - kept),
                ", the others kept",
            ),
        };
        let leaves = counted(self.leaves, "leaf", "leaves");
        let text = format!("{leaves}, {made} in {:.1} s{kept}", self.seconds);
        [vec![row("plan", text)], self.summary.rows()].concat()
    }
}

/// A plan as it is printed.
#[derive(Serialize)]
struct Shown<'a> {
    leaves: usize,
    key: String,
    counters: Counters,
    state: Vec<Vec<u32>>,
    #[serde(flatten)]
    plan: &'a FoldPlan,
}

impl Report for Shown<'_> {
    fn rows(&self) -> Vec<Vec<String>> {
        let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
        for task in &self.plan.tasks {
            *kinds.entry(name_of(&task.kind)).or_default() += 1;
        }
        let Counters {
            rules,
            behind,
            depth,
        } = self.counters;
        let proofs = format!("{rules} of rules and last wraps, {behind} behind; {depth} levels");
        let mut rows = vec![
            row("fold key", &self.key),
            row("leaves", self.leaves),
            row("tasks", self.plan.tasks.len()),
        ];
        rows.extend(kinds.into_iter().map(|(name, count)| row(name, count)));
        rows.push(row("proofs", proofs));
        let names = std::iter::once("state").chain(std::iter::repeat(""));
        rows.extend(
            names
                .zip(&self.state)
                .map(|(name, block)| row(name, list(block))),
        );
        rows
    }
}

fn name_of(kind: &TaskKind) -> String {
    match kind {
        TaskKind::Wrap { .. } => "wraps".to_owned(),
        TaskKind::Rule(rule) => format!("rule {rule}"),
    }
}

impl All {
    /// Plans, runs the plan, writes the fold and prints what it says.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let begun = Instant::now();
        let files = self.tasks.files(&self.family, self.output.as_deref())?;
        let output = self.output.as_deref().filter(|_| !self.plan);
        let store = output.map(|output| RunStore::open(self.store.as_deref(), output));
        let store = store.transpose()?;
        let progress = Progress::spinner("reading the rules");
        let planned = self
            .tasks
            .plan(&self.family, &self.rules, files, &progress)?;
        progress.finish();
        let Some((output, store)) = output.zip(store) else {
            let (counters, state) = planned.plan.says().ok_or(FoldRunError::Plan(0))?;
            let shown = Shown {
                leaves: planned.leaves.len(),
                key: planned.fold.key().to_string(),
                counters,
                state: state.iter().map(|block| integers(block)).collect(),
                plan: &planned.plan,
            };
            return Ok(print(&shown, format)?);
        };
        let Planned {
            fold, plan, paths, ..
        } = &planned;
        let leaf = |index: usize| {
            let path = paths.get(index).ok_or(io::ErrorKind::NotFound)?;
            codec::read_file(path)
        };
        let (result, finished) = prove(fold, plan, &store, leaf, format)?;
        let folded = result.map_err(|error| planned.about(error))?;
        let bytes = file::fold::encode(&folded)?;
        let verify = Instant::now();
        let folded = fold.accept(folded.into_unverified(), &Options::min_bits(0))?;
        let verify_ms = milliseconds(verify.elapsed());
        files::write(output, &bytes).map_err(CommandError::file(output))?;
        let outcome = Outcome {
            leaves: planned.leaves.len(),
            tasks: plan.tasks.len(),
            kept: plan.tasks.len() - finished,
            seconds: begun.elapsed().as_secs_f64(),
            summary: Summary::of(fold, FoldSummary::new(&folded, verify_ms)?),
        };
        if !store.stays {
            let names = plan.tasks.iter().map(|task| task.name);
            Store::clone(&store).remove(names)?;
        }
        Ok(print(&outcome, format)?)
    }
}

/// Proves the tasks of a plan that the store does not have, and shows it. Returns the fold and the
/// number of tasks that were finished.
///
/// # Errors
/// If a row cannot be printed. Why the plan was not finished is in the result.
pub fn prove(
    fold: &Fold,
    plan: &FoldPlan,
    store: &Store,
    leaf: impl Fn(usize) -> io::Result<Vec<u8>>,
    format: Format,
) -> Result<(Result<Folded, FoldRunError>, usize), CommandError> {
    let mut observer = Observer {
        plan,
        format,
        progress: None,
        needed: 0,
        finished: 0,
        unprinted: None,
    };
    let result = run(fold, plan, store, leaf, |event| observer.observe(&event));
    match observer.unprinted {
        Some(error) => Err(error.into()),
        None => Ok((result, observer.finished)),
    }
}

impl Planned {
    /// Adds to an error what the task that failed was doing.
    fn about(&self, error: FoldRunError) -> CommandError {
        let task = match &error {
            FoldRunError::Task { task, .. } => self.plan.tasks.get(*task),
            _ => None,
        };
        let subject = match task.map(|task| &task.kind) {
            Some(TaskKind::Rule(rule)) => Some(format!("the rule `{rule}`")),
            Some(TaskKind::Wrap { leaf }) => {
                let path = self.paths.get(*leaf);
                path.map(|path| path.display().to_string())
            }
            None => None,
        };
        match subject {
            Some(subject) => CommandError::about(subject)(error),
            None => error.into(),
        }
    }
}

/// Shows what happens while a plan is run.
struct Observer<'a> {
    plan: &'a FoldPlan,
    format: Format,
    progress: Option<Progress>,
    /// Number of tasks to run, and of those that are finished.
    needed: usize,
    finished: usize,
    /// Why a row could not be printed.
    unprinted: Option<io::Error>,
}

impl Observer<'_> {
    fn text(&self) -> String {
        format!("{} of {} tasks", self.finished, self.needed)
    }

    fn observe(&mut self, event: &FoldEvent<'_>) -> ControlFlow<()> {
        match *event {
            FoldEvent::Planned(needed) => {
                self.needed = needed.len();
                // All proofs have one shape, so all tasks take about as long.
                self.progress = Some(Progress::forecast(needed.len() as u64));
            }
            FoldEvent::Started(_) => {}
            FoldEvent::Finished {
                task: index,
                product,
                time,
            } => {
                self.finished += 1;
                print_line(&self.text(), time);
                if let Some(progress) = &self.progress {
                    progress.step();
                }
                if let (Format::Json, Some(task)) = (self.format, self.plan.tasks.get(index))
                    && let Err(error) = print_row(&Row::new(index, task, product, time))
                {
                    self.unprinted = Some(error);
                    return ControlFlow::Break(());
                }
            }
        }
        if let Some(progress) = &self.progress {
            progress.message(self.text());
        }
        ControlFlow::Continue(())
    }
}

impl<'a> Row<'a> {
    fn new(index: usize, task: &'a FoldTask, product: &FoldProduct, time: Duration) -> Self {
        Self {
            task: index,
            name: task.name,
            kind: &task.kind,
            inputs: &task.inputs,
            seconds: time.as_secs_f64(),
            bytes: product.bytes.len(),
            steps: product.steps.iter().map(StepSummary::new).collect(),
        }
    }
}

fn print_row(row: &Row<'_>) -> io::Result<()> {
    let mut text = serde_json::to_string(row).map_err(io::Error::other)?;
    text.push('\n');
    let mut output = io::stdout().lock();
    output.write_all(text.as_bytes())?;
    output.flush()
}
