//! `droste aggregate`: plans the aggregation of many proofs and runs the plan.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::Args;
use droste_native::stark::security::Preset;
use droste_native::{codec, files};
use droste_verifier::plan::{
    Event, Kind, Leaf, Name, Options, Plan, Planner, Product, RunError, Store, Task, run,
};
use droste_verifier::summary::{AggregateSummary, Evidence, StepSummary, milliseconds};
use serde::Serialize;

use crate::commands::aggregate::{Summary, keys_of_leaves};
use crate::error::CommandError;
use crate::leaves::Leaves;
use crate::output::{Format, Report, counted, print, row};
use crate::parameters::{default_preset, preset_of, warn_of_weak};
use crate::paths::{Kept, Output};
use crate::progress::{Progress, print_line};
use crate::stock::Stocks;
use crate::store::RunStore;
use crate::trust::Derivation;

/// Units of `fft_cost` per unit of the progress bar.
const UNIT: u64 = 1 << 20;

/// Arguments of `droste aggregate`.
#[derive(Debug, Args)]
pub struct Aggregate {
    #[command(flatten)]
    leaves: Leaves,
    #[command(flatten)]
    tasks: Tasks,
    /// Print the plan and run nothing: in JSON all tasks, each with its name, its inputs and what
    /// it takes.
    #[arg(long)]
    plan: bool,
    /// File to write the aggregate to.
    #[arg(short, long, required_unless_present = "plan")]
    output: Option<Output>,
    #[command(flatten)]
    stocks: Stocks,
    #[command(flatten)]
    derivation: Derivation,
}

/// Options of planning and running the tasks.
#[derive(Debug, Args)]
pub struct Tasks {
    /// Security level of the proofs that are made: proven-100, proven-120, proven-128 or toy
    /// (insecure). The default of every command is $DROSTE_PRESET, or else proven-120.
    #[arg(long, default_value = default_preset(), value_parser = preset_of)]
    pub preset: Preset,
    /// Largest number of proofs that one join takes; by default the one of 2, 3, 4 and 8 with the
    /// least estimated cost. Aggregates that are leaves need no wrap if they were made with it.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=64))]
    arity: Option<u16>,
    /// Number of tasks that run at the same time. Each uses all processors where it can.
    #[arg(long, default_value_t = NonZeroUsize::MIN)]
    jobs: NonZeroUsize,
    /// Folder in which finished tasks are kept; a run with the same leaves goes on from them. One
    /// run at a time can use it. By default the output's name with .store at its end, which is
    /// removed when the output is written.
    #[arg(long)]
    store: Option<Kept>,
    /// GiB of memory that the tasks running at the same time may need together, by their estimates.
    #[arg(long, value_name = "GIB", value_parser = gibibytes)]
    memory: Option<usize>,
}

fn gibibytes(text: &str) -> Result<usize, String> {
    let gibibytes: f64 = text.parse().map_err(|_| "expected a number".to_owned())?;
    if gibibytes > 0.0 && gibibytes < 1e9 {
        Ok((gibibytes * f64::from(1 << 30)) as usize)
    } else {
        Err("expected a positive number".to_owned())
    }
}

/// A finished task, as one row of JSON.
#[derive(Serialize)]
struct Row<'a> {
    task: usize,
    name: Name,
    kind: Kind,
    inputs: Vec<Name>,
    seconds: f64,
    bytes: usize,
    steps: Vec<StepSummary>,
    estimate: &'a droste_verifier::plan::Estimate,
}

impl<'a> Row<'a> {
    fn new(index: usize, task: &'a Task, product: &Product, time: Duration) -> Self {
        Self {
            task: index,
            name: task.name,
            kind: task.kind,
            inputs: task.inputs.iter().map(|input| input.name).collect(),
            seconds: time.as_secs_f64(),
            bytes: product.bytes.len(),
            steps: product.steps.iter().map(StepSummary::new).collect(),
            estimate: &task.estimate,
        }
    }
}

/// The result of a run.
#[derive(Serialize)]
pub struct Outcome {
    leaves: usize,
    arity: usize,
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
        let made = match self.kept {
            0 => tasks,
            kept => format!("{} of {tasks}", self.tasks - kept),
        };
        let kept = match self.kept {
            0 => "",
            _ => ", the others kept",
        };
        let leaves = counted(self.leaves, "leaf", "leaves");
        let text = format!(
            "{leaves}, joins of {}, {made} in {:.1} s{kept}",
            self.arity, self.seconds
        );
        [vec![row("plan", text)], self.summary.rows()].concat()
    }
}

/// A plan as it is printed.
#[derive(Serialize)]
#[serde(transparent)]
struct Planned<'a>(&'a Plan);

impl Report for Planned<'_> {
    fn rows(&self) -> Vec<Vec<String>> {
        let plan = self.0;
        let parameters = format!("{}, joins of {}", plan.preset, plan.arity);
        let mut rows = vec![
            row("leaves", plan.leaves.len()),
            row("parameters", parameters),
        ];
        let mut kinds: BTreeMap<&str, (usize, u64, bool)> = BTreeMap::new();
        for task in &plan.tasks {
            let (count, cost, exact) = kinds.entry(name_of(task.kind)).or_insert((0, 0, true));
            *count += 1;
            *cost += task.estimate.fft_cost;
            *exact &= task.estimate.exact;
        }
        for (kind, (count, cost, exact)) in kinds {
            let doubt = if exact { "" } else { ", an estimate" };
            let text = format!("{count}, fft_cost {:.2e}{doubt}", cost as f64);
            rows.push(row(kind, text));
        }
        let (cost, path) = (plan.fft_cost(), plan.critical_path());
        let memory = plan.memory() as f64 / f64::from(1 << 30);
        rows.extend([
            row("fft_cost", format!("{:.2e}", cost as f64)),
            row("longest chain of tasks", format!("{:.2e}", path as f64)),
            row("memory of a task", format!("{memory:.2} GiB at most")),
            row("name", plan.root.name),
        ]);
        rows
    }
}

const fn name_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Wrap => "wraps",
        Kind::FirstStep => "first steps of wraps",
        Kind::ToCanonical => "further steps of wraps",
        Kind::Join => "joins",
    }
}

impl Aggregate {
    /// Verifies the leaves, plans their aggregation, runs the plan and prints what the result says.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let start = Instant::now();
        let files = self.leaves.files(self.output.as_deref())?;
        let output = self.output.as_deref().filter(|_| !self.plan);
        let store = output.map(|output| self.tasks.store(output));
        let store = store.transpose()?;
        let progress = Progress::spinner("verifying the leaves");
        let planner = Planner::new(self.stocks.known_to(self.derivation.deriver())?);
        let leaves = self.leaves.read(&files, &planner)?;
        progress.finish();
        let Some((output, store)) = output.zip(store) else {
            let (_, leaves): (Vec<_>, Vec<_>) = leaves.into_iter().unzip();
            let plan = self.tasks.plan(&planner, &leaves)?;
            return Ok(print(&Planned(&plan), format)?);
        };
        let outcome = self
            .tasks
            .run(&planner, leaves, output, &store, start, format)?;
        Ok(print(&outcome, format)?)
    }
}

impl Tasks {
    fn plan(&self, planner: &Planner, leaves: &[Leaf]) -> Result<Plan, CommandError> {
        if let Some(bits) = leaves.iter().map(Leaf::bits).min() {
            warn_of_weak(self.preset, "the weakest leaf", bits);
        }
        let progress = Progress::spinner("planning");
        let arity = self.arity.map(usize::from);
        let plan = planner.plan(leaves, self.preset, arity)?;
        progress.finish();
        Ok(plan)
    }

    /// The store in which the tasks of a run with this output are kept.
    ///
    /// # Errors
    /// If the folder cannot be made, or another run uses the store.
    pub fn store(&self, output: &Path) -> Result<RunStore, CommandError> {
        RunStore::open(self.store.as_deref(), output)
    }

    /// Plans the aggregation of verified leaves, runs the plan and writes the result. The clock of
    /// the outcome began at `start`.
    pub fn run(
        &self,
        planner: &Planner,
        leaves: Vec<(PathBuf, Leaf)>,
        output: &Path,
        store: &RunStore,
        start: Instant,
        format: Format,
    ) -> Result<Outcome, CommandError> {
        let (paths, leaves): (Vec<_>, Vec<_>) = leaves.into_iter().unzip();
        let plan = self.plan(planner, &leaves)?;
        let has_aggregates = leaves.iter().any(Leaf::is_aggregate);
        drop(leaves);
        let worker = planner.worker(&plan);
        let options = Options {
            jobs: self.jobs,
            memory: self.memory,
        };
        let observer = Observer {
            plan: &plan,
            format,
            state: Mutex::default(),
        };
        let leaf = |index: usize| {
            let path = paths.get(index).ok_or(io::ErrorKind::NotFound)?;
            codec::read_file(path)
        };
        let result = run(&plan, &worker, store, leaf, &options, |event| {
            observer.observe(&event)
        });
        let state = observer.state.into_inner();
        let state = state.unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = state.unprinted {
            return Err(error.into());
        }
        let bytes = result.map_err(|error| about(&plan, &paths, error))?;
        let verify = Instant::now();
        let root = worker.accept(&plan.root, &bytes)?;
        let verify_ms = milliseconds(verify.elapsed());
        let mut says = AggregateSummary::new(&root, Evidence::Derived, verify_ms)?;
        if !has_aggregates {
            says.accepted_leaves = keys_of_leaves(&root);
        }
        let outcome = Outcome {
            leaves: plan.leaves.len(),
            arity: plan.arity,
            tasks: plan.tasks.len(),
            kept: plan.tasks.len() - state.finished,
            seconds: start.elapsed().as_secs_f64(),
            summary: Summary::new(says),
        };
        files::write(output, &bytes).map_err(CommandError::file(output))?;
        if !store.stays {
            let names = plan.tasks.iter().map(|task| task.name);
            Store::clone(store).remove(names)?;
        }
        Ok(outcome)
    }
}

/// Adds to an error what the task that failed was doing.
fn about(plan: &Plan, paths: &[PathBuf], error: RunError) -> CommandError {
    use droste_verifier::plan::Source;
    let task = match &error {
        RunError::Task { task, .. } | RunError::Memory { task, .. } => plan.tasks.get(*task),
        _ => None,
    };
    // A join fails, or is too large, because of all that it joins.
    let task = task.filter(|task| task.kind != Kind::Join);
    let leaf = task.and_then(|task| match task.inputs.first()?.source {
        Source::Leaf(leaf) => paths.get(leaf),
        Source::Task(_) => None,
    });
    match leaf {
        Some(path) => CommandError::about(path.display())(error),
        None => error.into(),
    }
}

/// Shows what happens while a plan is run.
struct Observer<'a> {
    plan: &'a Plan,
    format: Format,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    progress: Option<Progress>,
    /// Number of tasks to run, and of those that are finished.
    needed: usize,
    finished: usize,
    /// Why a row could not be printed.
    unprinted: Option<io::Error>,
}

impl State {
    fn text(&self) -> String {
        format!("{} of {} tasks", self.finished, self.needed)
    }
}

impl Observer<'_> {
    fn observe(&self, event: &Event<'_>) -> ControlFlow<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let cost = |task: usize| {
            let task = self.plan.tasks.get(task);
            task.map_or(0, |task| task.estimate.fft_cost / UNIT)
        };
        match *event {
            Event::Planned(needed) => {
                let units = needed.iter().map(|&task| cost(task)).sum();
                state.needed = needed.len();
                state.progress = Some(Progress::forecast(units));
            }
            Event::Started(_) => {}
            Event::Finished {
                task: index,
                product,
                time,
            } => {
                state.finished += 1;
                print_line(&state.text(), time);
                if let Some(progress) = &state.progress {
                    progress.advance(cost(index));
                }
                if let (Format::Json, Some(task)) = (self.format, self.plan.tasks.get(index)) {
                    let row = Row::new(index, task, product, time);
                    if let Err(error) = print_row(&row) {
                        state.unprinted = Some(error);
                        return ControlFlow::Break(());
                    }
                }
            }
        }
        if let Some(progress) = &state.progress {
            progress.message(state.text());
        }
        ControlFlow::Continue(())
    }
}

fn print_row(row: &Row<'_>) -> io::Result<()> {
    let mut text = serde_json::to_string(row).map_err(io::Error::other)?;
    text.push('\n');
    let mut output = io::stdout().lock();
    output.write_all(text.as_bytes())?;
    output.flush()
}
