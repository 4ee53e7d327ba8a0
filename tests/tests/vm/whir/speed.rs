//! How long the stages take.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use droste_vm::heights::Heights;
use droste_vm::isa::{Op, id};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use super::run::Run;
use crate::common::everything;

/// Adds up the time between the first entry and the last exit of spans, by name.
#[derive(Default)]
struct Times {
    spans: Mutex<Vec<(String, Instant)>>,
    total: Mutex<BTreeMap<String, Duration>>,
}

struct Name(String);

impl Visit for Name {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.0 += &format!(" {field}={value:?}");
    }
}

impl Subscriber for &'static Times {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut name = Name(span.metadata().name().to_owned());
        if name.0 != "round" {
            span.record(&mut name);
        }
        let mut spans = self.spans.lock().unwrap_or_else(PoisonError::into_inner);
        spans.push((name.0, Instant::now()));
        Id::from_u64(spans.len() as u64)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, span: &Id) {
        let spans = self.spans.lock().unwrap_or_else(PoisonError::into_inner);
        let (name, start) = &spans[span.into_u64() as usize - 1];
        let mut total = self.total.lock().unwrap_or_else(PoisonError::into_inner);
        *total.entry(name.clone()).or_default() += start.elapsed();
    }
}

/// A run with tables of the proportions of recursive verification.
fn recursive() -> Run {
    let mut compiled = everything();
    let body = &mut compiled.program.instructions;
    let of = |identity| {
        let mut calls = body.iter().filter(|instruction| instruction.op == Op::Call);
        *calls.find(|call| call.id == identity).unwrap()
    };
    let (ext, compress) = (of(id::EXT), of(id::POSEIDON16_COMPRESS));
    let (start, halt) = (body[0], *body.last().unwrap());
    let calls = [(ext, 9_000), (compress, 7_000)];
    *body = vec![start];
    body.extend(calls.iter().flat_map(|&(call, count)| vec![call; count]));
    body.push(halt);
    Run::new(&compiled, Heights::Minimal)
}

/// Prints how long the stages take.
#[test]
#[ignore = "prints times: cargo test -p droste-tests --test vm whir:: times -- --ignored --nocapture"]
fn times() {
    let run = recursive();
    let heights = run.system.tables().iter().map(|table| table.name);
    let heights: Vec<_> = heights.zip(run.shape.log_heights()).collect();
    println!("{heights:?}, 2^{} leaves", run.shape.log_leaves());
    let claim = run.claim();
    let times: &'static Times = Box::leak(Box::default());
    tracing::subscriber::set_global_default(times).unwrap();
    const REPETITIONS: u32 = 5;
    for repetition in 0..=REPETITIONS {
        if repetition == 1 {
            times.total.lock().unwrap().clear();
        }
        tracing::info_span!("LEAVES").in_scope(|| run.packed_leaves());
        tracing::info_span!("ZEROCHECK").in_scope(|| run.prove(&claim).unwrap());
    }
    for (name, total) in &*times.total.lock().unwrap() {
        println!(
            "{:>9.3} ms  {name}",
            total.as_secs_f64() * 1000.0 / f64::from(REPETITIONS)
        );
    }
}
