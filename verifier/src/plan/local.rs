//! Runs a plan on this machine.

use std::collections::BTreeSet;
use std::io;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use p3_maybe_rayon::prelude::*;
use thiserror::Error;

use super::{
    Input, Kind, MalformedPlan, Plan, Product, Source, Store, StoreError, Task, WorkError, Worker,
};
use crate::cost::gibibytes;

/// How a plan is run.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Number of tasks that run at the same time. Each uses all processors where it can, so more
    /// than one gains little unless the tasks are small.
    pub jobs: NonZeroUsize,
    /// Bytes of memory that the tasks running at the same time may need together, by their
    /// estimates.
    pub memory: Option<usize>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            jobs: NonZeroUsize::MIN,
            memory: None,
        }
    }
}

/// What happens while a plan is run. Tasks are given by their indices in the plan.
#[derive(Debug)]
pub enum Event<'a> {
    /// These tasks will be run; all others are not needed, since results of the store replace them.
    Planned(&'a BTreeSet<usize>),
    /// A task begins.
    Started(usize),
    /// A task is finished and stored.
    Finished {
        /// The task.
        task: usize,
        /// Its result.
        product: &'a Product,
        /// Time it took, without waiting for others.
        time: Duration,
    },
}

/// Why a plan was not finished. Whatever was finished is in the store.
#[derive(Debug, Error)]
#[error(transparent)]
pub enum RunError {
    /// The plan is none that a planner made.
    Plan(#[from] MalformedPlan),
    /// A task needs more memory than all tasks together may use.
    #[error(
        "task {task} ({kind}) needs {:.2} GiB of memory by its estimate, more than the limit of \
         {:.2} GiB",
        gibibytes(*.needs), gibibytes(*.limit)
    )]
    Memory {
        /// Index of the task.
        task: usize,
        /// What it does.
        kind: Kind,
        /// Its estimate, in bytes.
        needs: usize,
        /// The limit, in bytes.
        limit: usize,
    },
    /// A leaf cannot be read.
    #[error("leaf {leaf} cannot be read")]
    Leaf {
        /// Index of the leaf.
        leaf: usize,
        /// The operating system's error.
        source: io::Error,
    },
    /// A result is no longer in the store.
    #[error("the result of task {task} disappeared from the store {}", store.display())]
    Lost {
        /// Index of the task.
        task: usize,
        /// Folder of the store.
        store: std::path::PathBuf,
    },
    /// A result cannot be stored.
    Store(#[from] StoreError),
    /// A task failed.
    #[error("task {task}")]
    Task {
        /// Index of the task.
        task: usize,
        /// Why it failed.
        source: Box<WorkError>,
    },
    /// The caller stopped the run.
    #[error("stopped before the plan was finished")]
    Stopped,
    /// A thread ended without a result.
    #[error("a thread that ran a task panicked")]
    Panicked,
}

/// Runs the tasks of a plan whose results are not in the store yet, and returns the bytes of the
/// root.
///
/// The root is returned as it was made or stored: whoever does not trust the store verifies it
/// ([`Worker::accept`]).
///
/// `leaf` returns the bytes of the leaf with this index. `observe` is told what happens, by several
/// threads at once if there are several jobs; if it breaks, no further task is begun.
///
/// A result counts as stored if it is verified natively and proves what is planned. Results of the
/// store are looked up from the root down, so that what is below a stored result is neither read
/// nor made.
///
/// # Errors
/// Why the plan was not finished. No further task is begun after an error; those that are running
/// are finished and stored.
pub fn run(
    plan: &Plan,
    worker: &Worker,
    store: &Store,
    leaf: impl Fn(usize) -> io::Result<Vec<u8>> + Sync,
    options: &Options,
    observe: impl Fn(Event<'_>) -> ControlFlow<()> + Sync,
) -> Result<Vec<u8>, RunError> {
    plan.check()?;
    let needed = needed(plan, worker, store);
    if let Some(limit) = options.memory {
        for &task in &needed {
            let Some(Task { kind, estimate, .. }) = plan.tasks.get(task) else {
                continue;
            };
            let (kind, needs) = (*kind, estimate.memory);
            if needs > limit {
                return Err(RunError::Memory {
                    task,
                    kind,
                    needs,
                    limit,
                });
            }
        }
    }
    let run = Run {
        plan,
        worker,
        store,
        leaf,
        observe,
        memory: options.memory.unwrap_or(usize::MAX),
        state: Mutex::new(State::of(plan, &needed)),
        changed: Condvar::new(),
    };
    if (run.observe)(Event::Planned(&needed)).is_break() {
        return Err(RunError::Stopped);
    }
    let jobs = options.jobs.get().min(needed.len());
    thread::scope(|scope| {
        // As many as can be started; without one, this thread runs all tasks.
        let threads = (0..jobs).map_while(|_| {
            let thread = thread::Builder::new().spawn_scoped(scope, || run.work());
            thread.ok()
        });
        let threads: Vec<_> = threads.collect();
        // That a thread panicked is an error of the run already, and must not be a panic of this
        // one.
        if threads.is_empty() {
            let _ = catch_unwind(AssertUnwindSafe(|| run.work()));
        }
        for thread in threads {
            let _ = thread.join();
        }
    });
    if let Some(error) = run.lock().failed.take() {
        return Err(error);
    }
    run.bytes(&plan.root)
}

/// The tasks whose results the root needs and the store does not have.
///
/// A result counts as stored if it is verified natively and proves what is planned. Results are
/// looked up from the root down, so that below a stored one nothing is read.
pub fn needed(plan: &Plan, worker: &Worker, store: &Store) -> BTreeSet<usize> {
    let (mut needed, mut seen) = (BTreeSet::new(), BTreeSet::new());
    // A result may be taken many times, if the same leaf is given many times. It is looked up once.
    let mut unseen = |inputs: &[Input]| -> Vec<usize> {
        let tasks = inputs.iter().filter_map(Input::task);
        tasks.filter(|&index| seen.insert(index)).collect()
    };
    let mut level = unseen(&[plan.root]);
    while !level.is_empty() {
        let missing = |&index: &usize| {
            let task = plan.tasks.get(index)?;
            let bytes = store.get(task.name);
            let valid = bytes.is_some_and(|bytes| worker.accept_result(task, &bytes).is_ok());
            (!valid).then_some((index, task))
        };
        let missing: Vec<(usize, &Task)> = level.par_iter().filter_map(missing).collect();
        needed.extend(missing.iter().map(|(index, _)| *index));
        level = missing
            .iter()
            .flat_map(|(_, task)| unseen(&task.inputs))
            .collect();
    }
    needed
}

/// What the threads of a run share.
struct Run<'a, L, O> {
    plan: &'a Plan,
    worker: &'a Worker,
    store: &'a Store,
    leaf: L,
    observe: O,
    /// Bytes that running tasks may need together.
    memory: usize,
    state: Mutex<State>,
    /// Notified when tasks become ready, memory becomes free, or the run ends.
    changed: Condvar,
}

struct State {
    /// Tasks whose inputs are there, in the order in which they are begun.
    ready: BTreeSet<usize>,
    /// For each task the number of inputs that have to be made before it.
    missing: Vec<usize>,
    /// For each task the tasks that take its result and have to be run.
    parents: Vec<Vec<usize>>,
    /// Number of tasks that are running.
    running: usize,
    /// Bytes that they need.
    memory: usize,
    /// Number of tasks that have not been finished.
    left: usize,
    failed: Option<RunError>,
}

impl State {
    fn of(plan: &Plan, needed: &BTreeSet<usize>) -> Self {
        let mut missing = vec![0; plan.tasks.len()];
        let mut parents = vec![vec![]; plan.tasks.len()];
        for &index in needed {
            let inputs = plan.tasks.get(index).map_or(&[][..], |task| &task.inputs);
            for input in inputs {
                if let Source::Task(child) = input.source
                    && needed.contains(&child)
                    && let Some(parents) = parents.get_mut(child)
                    && let Some(missing) = missing.get_mut(index)
                {
                    parents.push(index);
                    *missing += 1;
                }
            }
        }
        let is_ready = |index: &&usize| missing.get(**index) == Some(&0);
        Self {
            ready: needed.iter().filter(is_ready).copied().collect(),
            missing,
            parents,
            running: 0,
            memory: 0,
            left: needed.len(),
            failed: None,
        }
    }
}

/// Accounts for a running task. If its thread panics, the other threads end, too, instead of
/// waiting for its result.
struct Running<'a, 'b, L, O> {
    run: &'a Run<'b, L, O>,
    memory: usize,
    finished: Option<Result<usize, RunError>>,
}

impl<L, O> Drop for Running<'_, '_, L, O> {
    fn drop(&mut self) {
        let mut state = self.run.lock();
        state.running -= 1;
        state.memory -= self.memory;
        match self.finished.take().unwrap_or(Err(RunError::Panicked)) {
            Ok(task) => {
                state.left -= 1;
                let parents = state.parents.get_mut(task).map(std::mem::take);
                for parent in parents.unwrap_or_default() {
                    if let Some(missing) = state.missing.get_mut(parent) {
                        *missing -= 1;
                        if *missing == 0 {
                            state.ready.insert(parent);
                        }
                    }
                }
            }
            // The first error is the one to report.
            Err(error) => {
                state.failed.get_or_insert(error);
            }
        }
        drop(state);
        self.run.changed.notify_all();
    }
}

impl<L, O> Run<'_, L, O> {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'b, L, O> Run<'b, L, O>
where
    L: Fn(usize) -> io::Result<Vec<u8>> + Sync,
    O: Fn(Event<'_>) -> ControlFlow<()> + Sync,
{
    /// Runs tasks until there are none left, or one failed.
    fn work(&self) {
        while let Some((index, task, mut running)) = self.next() {
            running.finished = Some(self.task(index, task).map(|()| index));
        }
    }

    /// Takes the first task that is ready and fits the memory; waits for one if there is none.
    fn next<'a>(&'a self) -> Option<(usize, &'b Task, Running<'a, 'b, L, O>)> {
        let mut state = self.lock();
        loop {
            if state.failed.is_some() || state.left == 0 {
                return None;
            }
            let free = self.memory.saturating_sub(state.memory);
            let ready = state.ready.iter().filter_map(|&index| {
                let task = self.plan.tasks.get(index)?;
                Some((index, task, task.estimate.memory))
            });
            let fitting = ready.into_iter().find(|(_, _, memory)| *memory <= free);
            if let Some((index, task, memory)) = fitting {
                state.ready.remove(&index);
                state.running += 1;
                state.memory += memory;
                let running = Running {
                    run: self,
                    memory,
                    finished: None,
                };
                return Some((index, task, running));
            }
            let waited = self.changed.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn task(&self, index: usize, task: &Task) -> Result<(), RunError> {
        if (self.observe)(Event::Started(index)).is_break() {
            return Err(RunError::Stopped);
        }
        let start = Instant::now();
        let inputs = task.inputs.iter().map(|input| self.bytes(input));
        let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
        let product = self.worker.run(task, &inputs);
        let product = product.map_err(|source| RunError::Task {
            task: index,
            source: Box::new(source),
        })?;
        self.store.put(task.name, &product.bytes)?;
        let finished = Event::Finished {
            task: index,
            product: &product,
            time: start.elapsed(),
        };
        match (self.observe)(finished) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(RunError::Stopped),
        }
    }

    /// The bytes of an input.
    fn bytes(&self, input: &Input) -> Result<Vec<u8>, RunError> {
        match input.source {
            Source::Leaf(leaf) => {
                (self.leaf)(leaf).map_err(|source| RunError::Leaf { leaf, source })
            }
            Source::Task(task) => {
                let stored = self.store.get(input.name);
                stored.ok_or_else(|| RunError::Lost {
                    task,
                    store: self.store.folder().to_owned(),
                })
            }
        }
    }
}
