//! Where the time of a call goes, by the spans of Plonky3's prover.

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::ThreadId;
use std::time::Instant;

use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Milliseconds by span, those within it taken off; on the calling thread.
pub type Stages = BTreeMap<&'static str, f64>;

/// The result of a call and its stages.
pub fn of<T>(call: impl FnOnce() -> T) -> (T, Stages) {
    let state = Arc::new(Mutex::new(State::default()));
    let subscriber = Watch {
        thread: std::thread::current().id(),
        state: Arc::clone(&state),
    };
    let result = tracing::subscriber::with_default(subscriber, call);
    let state = std::mem::take(&mut *state.lock().unwrap_or_else(PoisonError::into_inner));
    (result, state.stages)
}

#[derive(Default)]
struct State {
    /// Names by span; identity `n` is entry `n - 1`.
    names: Vec<&'static str>,
    /// Open spans: name, entry, milliseconds of the spans within.
    open: Vec<(&'static str, Instant, f64)>,
    stages: Stages,
}

/// Notes what one thread enters and leaves.
struct Watch {
    thread: ThreadId,
    state: Arc<Mutex<State>>,
}

impl Watch {
    fn with(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn watched(&self) -> bool {
        std::thread::current().id() == self.thread
    }
}

impl Subscriber for Watch {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span()
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut number = 1;
        self.with(|state| {
            state.names.push(span.metadata().name());
            number = state.names.len() as u64;
        });
        Id::from_non_zero_u64(NonZeroU64::new(number).unwrap_or(NonZeroU64::MIN))
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, span: &Id) {
        if self.watched() {
            self.with(|state| {
                let name = state.names.get(span.into_u64() as usize - 1);
                let name = name.copied().unwrap_or_default();
                state.open.push((name, Instant::now(), 0.0));
            });
        }
    }

    fn exit(&self, _: &Id) {
        if self.watched() {
            self.with(|state| {
                if let Some((name, start, within)) = state.open.pop() {
                    let all = start.elapsed().as_secs_f64() * 1e3;
                    *state.stages.entry(name).or_default() += all - within;
                    if let Some((_, _, outer)) = state.open.last_mut() {
                        *outer += all;
                    }
                }
            });
        }
    }
}
