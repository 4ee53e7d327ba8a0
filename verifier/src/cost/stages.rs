//! Divides a prover's time among its stages, by the tracing spans of Plonky3's prover and Droste's.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::summary::milliseconds as ms;

/// Milliseconds of each stage of a proof, and of the execution before it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StagesMs {
    /// Time to write the hints and run the program.
    pub execute: f64,
    /// Filling the traces.
    pub trace: f64,
    /// Low-degree extensions of main and lookup columns, all Merkle trees, and everything that
    /// belongs to no other stage. Over WHIR the stack and its commitment.
    pub commit: f64,
    /// Columns of the lookup argument. Over WHIR the sum of the messages' fractions.
    pub lookup: f64,
    /// Quotients and their low-degree extensions; none over WHIR.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quotient: Option<f64>,
    /// The zerocheck of the constraints; none over FRI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constraints: Option<f64>,
    /// Openings: from the first evaluation at the out-of-domain point to the end, without grinding.
    /// Over WHIR samples outside the domain, sumchecks and later commitments.
    pub open: f64,
    /// Grinding (proofs of work).
    pub grind: f64,
}

/// Name, begin and end of a span; the end is `None` while it is open.
type Interval = (&'static str, Instant, Option<Instant>);

/// Records the spans of all threads of the process.
#[derive(Debug)]
pub struct Recorder(Mutex<Vec<Interval>>);

/// A tracing subscriber that passes spans to the recorder.
struct Forward(&'static Recorder);

impl Recorder {
    /// Returns the recorder of this process, emptied; `None` if the process has installed another
    /// subscriber.
    pub fn install() -> Option<&'static Self> {
        static RECORDER: Recorder = Recorder(Mutex::new(Vec::new()));
        static INSTALLED: OnceLock<bool> = OnceLock::new();
        let install = || tracing::subscriber::set_global_default(Forward(&RECORDER)).is_ok();
        RECORDER.intervals().clear();
        INSTALLED.get_or_init(install).then_some(&RECORDER)
    }

    /// Locks the list, even if a thread panicked while it held the lock.
    fn intervals(&self) -> MutexGuard<'_, Vec<Interval>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Time that the spans of these names cover, so far.
    pub fn time_of(&self, names: &[&str]) -> Duration {
        let intervals = self.intervals();
        let named = intervals.iter().filter(|(name, ..)| names.contains(name));
        let closed = named.filter_map(|&(_, from, to)| Some((from, to?)));
        covered(closed.collect())
    }

    /// Stages of a proof: filling its traces took `trace`, its prover began at `begin`, and traces
    /// and prover together took `all`.
    pub fn stages(
        &self,
        execute: Duration,
        trace: Duration,
        begin: Instant,
        all: Duration,
    ) -> StagesMs {
        let intervals = self.intervals();
        let end = begin + all.saturating_sub(trace);
        let closed: Vec<(&str, Instant, Instant)> = intervals
            .iter()
            .map(|&(name, from, to)| (name, from.max(begin), to.unwrap_or(end).min(end)))
            .filter(|(_, from, to)| from < to)
            .collect();
        let named = |name: &str| -> Vec<(Instant, Instant)> {
            let named = closed.iter().filter(|(other, ..)| *other == name);
            named.map(|&(_, from, to)| (from, to)).collect()
        };
        let opening = named("evaluate matrix")
            .into_iter()
            .chain(named("compute opened values with Lagrange interpolation"))
            .map(|(from, _)| from)
            .min()
            .unwrap_or(end);
        let grinds = named("grind");
        let after = grinds
            .iter()
            .filter(|(from, _)| *from >= opening)
            .copied()
            .collect();
        let lookup = covered(named("generate lookup permutation"));
        let quotient = covered(named("compute quotient"));
        let grind = covered(grinds);
        let open = (end - opening).saturating_sub(covered(after));
        let known = lookup + quotient + grind + open;
        StagesMs {
            execute: ms(execute),
            trace: ms(trace),
            commit: ms((end - begin).saturating_sub(known)),
            lookup: ms(lookup),
            quotient: Some(ms(quotient)),
            constraints: None,
            open: ms(open),
            grind: ms(grind),
        }
    }
}

/// Spans of the prover over WHIR, by stage.
const LOOKUP: [&str; 2] = ["leaves", "fractions"];
const CONSTRAINTS: [&str; 1] = ["constraints"];
const OPEN: [&str; 2] = ["outside", "open"];
const GRIND: [&str; 1] = ["grind"];

impl Recorder {
    /// Stages of a proof over WHIR, which took `all`, traces included.
    pub fn stages_over_whir(&self, execute: Duration, all: Duration) -> StagesMs {
        let grind = self.time_of(&GRIND);
        // Every stage may grind.
        let without = |spans: &[&str]| {
            let both = [spans, GRIND.as_slice()].concat();
            self.time_of(&both).saturating_sub(grind)
        };
        let trace = self.time_of(&["traces"]);
        let (lookup, constraints) = (without(&LOOKUP), without(&CONSTRAINTS));
        // The values of the columns are opened within the stage of constraints.
        let open = without(&[CONSTRAINTS.as_slice(), OPEN.as_slice()].concat());
        let open = open.saturating_sub(constraints);
        let known = trace + lookup + constraints + open + grind;
        StagesMs {
            execute: ms(execute),
            trace: ms(trace),
            commit: ms(all.saturating_sub(known)),
            lookup: ms(lookup),
            quotient: None,
            constraints: Some(ms(constraints)),
            open: ms(open),
            grind: ms(grind),
        }
    }
}

/// Time that the union of the intervals covers.
fn covered(mut intervals: Vec<(Instant, Instant)>) -> Duration {
    intervals.sort_unstable();
    let mut total = Duration::ZERO;
    let mut reached: Option<Instant> = None;
    for (from, to) in intervals {
        let from = reached.map_or(from, |reached| from.max(reached));
        total += to.saturating_duration_since(from);
        reached = Some(reached.map_or(to, |reached| reached.max(to)));
    }
    total
}

impl Subscriber for Forward {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span()
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut intervals = self.0.intervals();
        intervals.push((span.metadata().name(), Instant::now(), None));
        Id::from_u64(intervals.len() as u64)
    }

    fn exit(&self, span: &Id) {
        let index = span.into_u64() as usize - 1;
        if let Some(interval) = self.0.intervals().get_mut(index) {
            interval.2 = Some(Instant::now());
        }
    }

    fn enter(&self, _: &Id) {}

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlaps_count_once() {
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        let intervals = vec![
            (at(10), at(20)),
            (at(0), at(5)),
            (at(12), at(30)),
            (at(14), at(16)),
            (at(30), at(31)),
        ];
        assert_eq!(covered(intervals), Duration::from_millis(5 + 20 + 1));
        assert_eq!(covered(vec![]), Duration::ZERO);
    }

    #[test]
    fn stages_over_whir_add_up() {
        let begin = Instant::now();
        let span = |name, from: u64, to: u64| {
            let at = |ms: u64| begin + Duration::from_millis(ms);
            (name, at(from), Some(at(to)))
        };
        let recorder = Recorder(Mutex::new(vec![
            span("traces", 0, 5),
            span("commit", 6, 26),
            span("outside", 26, 28),
            span("leaves", 30, 33),
            span("fractions", 33, 43),
            span("grind", 40, 41),
            span("constraints", 45, 60),
            // Within the constraints.
            span("open", 58, 60),
            span("open", 61, 91),
            span("grind", 70, 76),
        ]));
        let ms = Duration::from_millis;
        let stages = recorder.stages_over_whir(ms(3), ms(100));
        let expected = StagesMs {
            execute: 3.0,
            trace: 5.0,
            commit: 35.0,
            lookup: 12.0,
            quotient: None,
            constraints: Some(15.0),
            open: 26.0,
            grind: 7.0,
        };
        assert_eq!(stages, expected);
    }

    #[test]
    fn stages_add_up() {
        let begin = Instant::now();
        let at = |ms: u64| begin + Duration::from_millis(ms);
        let recorder = Recorder(Mutex::new(vec![
            ("generate lookup permutation", at(10), Some(at(20))),
            ("compute quotient", at(30), Some(at(50))),
            ("grind", at(55), Some(at(56))),
            ("evaluate matrix", at(60), Some(at(65))),
            ("grind", at(70), Some(at(77))),
        ]));
        let ms = Duration::from_millis;
        let stages = recorder.stages(ms(3), ms(5), begin, ms(105));
        let expected = StagesMs {
            execute: 3.0,
            trace: 5.0,
            commit: 29.0,
            lookup: 10.0,
            quotient: Some(20.0),
            constraints: None,
            open: 33.0,
            grind: 8.0,
        };
        assert_eq!(stages, expected);
    }
}
