//! Computations that call functions which Python gave.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;

use crate::compute::compute;
use crate::error::Error;

/// What a computation knows of its caller.
#[derive(Default)]
pub struct Caller {
    /// Set when it no longer waits.
    has_left: AtomicBool,
    /// What one of its functions raised.
    raised: Mutex<Option<PyErr>>,
}

impl Caller {
    /// Calls a function of the caller's, one at a time; `None` if the computation should end,
    /// because the caller has left or a function raises.
    pub fn call<T>(&self, function: impl FnOnce(Python<'_>) -> PyResult<T>) -> Option<T> {
        // Taken before the interpreter lock by every thread that takes both.
        let mut raised = lock(&self.raised);
        if self.waits().is_break() || raised.is_some() {
            return None;
        }
        match Python::attach(function) {
            Ok(returned) => Some(returned),
            Err(error) => {
                *raised = Some(error);
                None
            }
        }
    }

    /// Breaks once the caller has left.
    fn waits(&self) -> ControlFlow<()> {
        if self.has_left.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// Does work as [`compute`] does. If a function of the caller's raised, so does this, whatever the
/// work returns.
///
/// # Errors
/// As [`compute`].
pub fn compute_calling<T, W>(py: Python<'_>, work: W) -> PyResult<T>
where
    T: Send + 'static,
    W: FnOnce(&Caller) -> Result<T, Error> + Send + 'static,
{
    let caller = Arc::new(Caller::default());
    let of_work = Arc::clone(&caller);
    let result = compute(py, move || {
        let result = work(&of_work);
        let raised = lock(&of_work.raised).take();
        raised.map_or_else(|| result.map(Ok), |raised| Ok(Err(raised)))
    });
    caller.has_left.store(true, Ordering::Relaxed);
    result?
}

/// Counts the finished tasks of a run and tells Python.
pub struct Progress<'a> {
    caller: &'a Caller,
    /// Called with the number of finished tasks and that of needed ones.
    function: Option<Py<PyAny>>,
    counted: Mutex<(usize, usize)>,
}

impl<'a> Progress<'a> {
    /// That of a run which has not begun.
    pub fn new(caller: &'a Caller, function: Option<Py<PyAny>>) -> Self {
        Self {
            caller,
            function,
            counted: Mutex::default(),
        }
    }

    /// So many tasks are needed.
    pub fn planned(&self, needed: usize) -> ControlFlow<()> {
        self.tell(|(_, of)| *of = needed)
    }

    /// A task is about to begin.
    pub fn started(&self) -> ControlFlow<()> {
        self.caller.waits()
    }

    /// A task is finished.
    pub fn finished(&self) -> ControlFlow<()> {
        self.tell(|(finished, _)| *finished += 1)
    }

    fn tell(&self, count: impl FnOnce(&mut (usize, usize))) -> ControlFlow<()> {
        // Held until Python has been told, so that it sees the numbers in their order.
        let mut counted = lock(&self.counted);
        count(&mut counted);
        let Some(function) = &self.function else {
            return self.caller.waits();
        };
        let tell = |py: Python<'_>| function.call1(py, *counted).map(drop);
        let told = self.caller.call(tell);
        told.map_or(ControlFlow::Break(()), ControlFlow::Continue)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
