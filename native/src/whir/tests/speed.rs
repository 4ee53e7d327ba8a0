//! Times of commitments and openings, at the size of a join.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber, info_span};

use super::*;

/// Measures spans, which are entered once and by one thread.
#[derive(Clone, Default)]
struct Stopwatch(Arc<Mutex<Spans>>);

#[derive(Default)]
struct Spans {
    open: Vec<(u64, Instant)>,
    /// Depth, name and milliseconds of each span that was opened.
    all: Vec<(usize, &'static str, f64)>,
}

impl Subscriber for Stopwatch {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span() && metadata.target().starts_with("droste")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut spans = self.0.lock().unwrap();
        let depth = spans.open.len();
        spans.all.push((depth, span.metadata().name(), 0.0));
        let id = spans.all.len() as u64;
        spans.open.push((id, Instant::now()));
        Id::from_u64(id)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, span: &Id) {
        let mut spans = self.0.lock().unwrap();
        let at = spans
            .open
            .iter()
            .position(|(id, _)| *id == span.into_u64())
            .unwrap();
        let (id, start) = spans.open.remove(at);
        spans.all[id as usize - 1].2 = start.elapsed().as_secs_f64() * 1e3;
    }
}

/// Random tables of 56 rows of `2^16` cells, 8 of them preprocessed.
#[test]
#[ignore = "prints times: cargo test -p droste-native --lib whir::tests::speed -- --ignored --nocapture"]
fn speed() {
    let shapes = [
        shape(16, 18, 4),
        shape(15, 30, 4),
        shape(14, 20, 3),
        shape(13, 12, 8),
        shape(10, 40, 2),
        shape(6, 17, 3),
        shape(4, 60, 0),
    ];
    let case: Case = Case::new(&WhirSettings::proven_100(), &shapes);
    let layout = case.scheme.layout();
    println!(
        "{} variables, {} main and {} preprocessed rows, {} claims",
        layout.variables(),
        layout.main_rows().len(),
        layout.preprocessed_rows().len(),
        case.claims.len()
    );
    let proof = case.prove();
    println!(
        "{} bytes",
        serde_json::to_vec(&proof.opening).unwrap().len()
    );
    let mut best: Vec<(usize, &str, f64)> = vec![];
    for _ in 0..5 {
        let stopwatch = Stopwatch::default();
        tracing::subscriber::with_default(stopwatch.clone(), || {
            let cells = case.main.cells().to_vec();
            info_span!("commit").in_scope(|| case.scheme.commit(cells));
            let mut challenger = Poseidon16Challenger::default();
            let preprocessed = case.preprocessed.as_ref();
            let outside = info_span!("outside").in_scope(|| {
                let outside = case
                    .scheme
                    .outside(&case.main, preprocessed, &mut challenger);
                outside.unwrap()
            });
            let claims = &case.claims;
            case.scheme
                .open(&case.main, preprocessed, outside, claims, &mut challenger)
                .unwrap();
            info_span!("verify").in_scope(|| case.verify(&proof).unwrap());
        });
        let spans = std::mem::take(&mut stopwatch.0.lock().unwrap().all);
        if best.is_empty() {
            best = spans;
        } else {
            assert_eq!(best.len(), spans.len());
            for (best, span) in zip(&mut best, spans) {
                best.2 = best.2.min(span.2);
            }
        }
    }
    for (depth, name, milliseconds) in best {
        println!(
            "{:depth$}{name}: {milliseconds:.1} ms",
            "",
            depth = 2 * depth
        );
    }
}
