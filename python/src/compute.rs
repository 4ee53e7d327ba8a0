//! Runs computations so that other Python threads go on meanwhile and Ctrl-C works.
//!
//! A computation runs on a thread of its own. The thread that called it waits without the global
//! interpreter lock, and takes the lock every [`POLL`] to let Python handle signals. If a handler
//! raises (Ctrl-C raises `KeyboardInterrupt`), the call ends with that exception at once.
//!
//! A proof cannot be stopped in the middle, so an interrupted computation runs to its end, and its
//! result is dropped. Until then the next computation waits, interruptibly, so that however often
//! somebody interrupts and tries again, at most one abandoned computation takes processors and
//! memory. It does not keep the process from ending.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use droste_native::threads;
use droste_verifier::summary::causes;
use pyo3::prelude::*;

use crate::error::{Error, Kind};

/// Time between two looks at pending signals.
const POLL: Duration = Duration::from_millis(50);

/// Stack of a computation, that of a main thread: rayon may run a part of the work on it.
const STACK: usize = 8 << 20;

/// Number of computations that were interrupted and still run.
static ABANDONED: Mutex<usize> = Mutex::new(0);
static ONE_ENDED: Condvar = Condvar::new();

/// How far a computation is. Changed only while [`ABANDONED`] is locked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Running,
    Abandoned,
    Ended,
}

/// Number of threads that parallel parts of computations share, once they are started.
static THREADS: Mutex<Option<usize>> = Mutex::new(None);

/// Starts these threads, if they are not there.
fn start_threads() -> Result<(), Error> {
    let mut number = THREADS.lock().unwrap_or_else(PoisonError::into_inner);
    if number.is_none() {
        let threads = threads::start(None);
        let threads = threads.map_err(|error| Error::new(Kind::Thread, causes(&error)))?;
        *number = Some(threads.number);
    }
    Ok(())
}

/// Number of these threads, or of those that would be started.
pub fn number_of_threads() -> usize {
    let number = *THREADS.lock().unwrap_or_else(PoisonError::into_inner);
    number.unwrap_or_else(threads::default_number)
}

/// Does `work` on a thread of its own, while other Python threads run and signals are handled.
///
/// # Errors
/// The work's error; the exception of a signal handler; [`Kind::Thread`] if no thread can be
/// started; [`Kind::Internal`] if the work panics.
pub fn compute<T, W>(py: Python<'_>, work: W) -> PyResult<T>
where
    T: Send + 'static,
    W: FnOnce() -> Result<T, Error> + Send + 'static,
{
    wait_for_abandoned(py)?;
    start_threads()?;
    let state = Arc::new(Mutex::new(State::Running));
    let (sender, mut receiver) = channel();
    let job = {
        let state = Arc::clone(&state);
        move || {
            let result = catch_unwind(AssertUnwindSafe(work));
            // If it was abandoned nobody listens, and the result is dropped before the next starts.
            let _ = sender.send(result);
            end(&state);
        }
    };
    thread::Builder::new()
        .name("droste".to_owned())
        .stack_size(STACK)
        .spawn(job)
        .map_err(|error| Error::new(Kind::Thread, format!("no thread can be started: {error}")))?;
    loop {
        let received = py.detach(move || {
            let received = receiver.recv_timeout(POLL);
            (received, receiver)
        });
        receiver = received.1;
        match received.0 {
            Ok(Ok(result)) => return Ok(result?),
            Ok(Err(panic)) => return Err(panicked(&*panic).into()),
            Err(RecvTimeoutError::Disconnected) => return Err(panicked(&"no result").into()),
            Err(RecvTimeoutError::Timeout) => {
                if let Err(interrupt) = py.check_signals() {
                    drop(receiver);
                    abandon(&state);
                    return Err(interrupt);
                }
            }
        }
    }
}

/// Does work of less than a tenth of a second on this thread, without the interpreter lock.
///
/// # Errors
/// The work's error; [`Kind::Internal`] if the work panics.
pub fn compute_briefly<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> PyResult<T> {
    match py.detach(|| catch_unwind(AssertUnwindSafe(work))) {
        Ok(result) => Ok(result?),
        Err(panic) => Err(panicked(&*panic).into()),
    }
}

fn panicked(panic: &(dyn Any + Send)) -> Error {
    let told = panic.downcast_ref::<String>().map(String::as_str);
    let told = told.or_else(|| panic.downcast_ref::<&str>().copied());
    let words = told.unwrap_or("without words");
    Error::new(
        Kind::Internal,
        format!("a bug in Droste, please report it: {words}"),
    )
}

fn abandoned() -> MutexGuard<'static, usize> {
    ABANDONED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn set(state: &Mutex<State>, to: State) -> State {
    let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
    std::mem::replace(&mut *state, to)
}

fn abandon(state: &Mutex<State>) {
    let mut abandoned = abandoned();
    if set(state, State::Abandoned) == State::Running {
        *abandoned += 1;
    }
}

fn end(state: &Mutex<State>) {
    let mut abandoned = abandoned();
    if set(state, State::Ended) == State::Abandoned {
        *abandoned -= 1;
        ONE_ENDED.notify_all();
    }
}

fn wait_for_abandoned(py: Python<'_>) -> PyResult<()> {
    loop {
        let running = py.detach(|| {
            let running = abandoned();
            if *running == 0 {
                return 0;
            }
            let waited = ONE_ENDED.wait_timeout(running, POLL);
            *waited.unwrap_or_else(PoisonError::into_inner).0
        });
        if running == 0 {
            return Ok(());
        }
        py.check_signals()?;
    }
}
