//! Stages of Plonky3's prover, told apart by the spans it enters.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// The first span of each stage after the commitments: quotients, then openings.
const QUOTIENT: &str = "compute quotient";
const OPEN: &str = "compute_inverse_denominators";

/// When the prover began, and when it first entered the spans above.
#[derive(Clone, Copy)]
struct Times {
    start: Instant,
    quotient: Option<Instant>,
    open: Option<Instant>,
}

impl Times {
    fn now() -> Self {
        Self {
            start: Instant::now(),
            quotient: None,
            open: None,
        }
    }
}

/// Times of this process's prover.
#[derive(Clone)]
pub struct Stages(Arc<Mutex<Times>>);

impl Stages {
    /// Begins to listen; once a process.
    pub fn start() -> Self {
        let stages = Self(Arc::new(Mutex::new(Times::now())));
        // A second listener would change nothing: the first one stays.
        let _ = tracing::subscriber::set_global_default(stages.clone());
        stages
    }

    fn with<T>(&self, f: impl FnOnce(&mut Times) -> T) -> T {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The prover begins now.
    pub fn reset(&mut self) {
        self.with(|times| *times = Times::now());
    }

    /// Milliseconds of commitments, quotients and openings of a prover that has just ended.
    pub fn prover_ms(&self) -> [f64; 3] {
        let times = self.with(|times| *times);
        let end = Instant::now();
        let quotient = times.quotient.unwrap_or(end);
        let open = times.open.unwrap_or(end);
        let ms = |from: Instant, to: Instant| (to - from).as_secs_f64() * 1000.0;
        [ms(times.start, quotient), ms(quotient, open), ms(open, end)]
    }
}

impl Subscriber for Stages {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span() && [QUOTIENT, OPEN].contains(&metadata.name())
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        self.with(|times| {
            let time = match span.metadata().name() {
                QUOTIENT => &mut times.quotient,
                _ => &mut times.open,
            };
            time.get_or_insert_with(Instant::now);
        });
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
