//! Proves joins of joins in both proof stacks, batch STARKs over FRI and sumchecks over WHIR, in
//! turns: each the run of the program that verifies proofs of its own stack.
//!
//! `cargo run --release -p droste-bench --example stacks -- [PRESET] [CHILDREN] [ROUNDS]
//! [SETTING=VALUE]..`
//!
//! WHIR has the settings of its preset for 100 bits; `log_blowup=1`, for instance, changes one.
//! Times are CPU times of all threads. A tree shows where they go: spans of the proof of the median
//! round.

use std::collections::BTreeSet;
use std::error::Error;
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;
use std::time::Duration;

use droste_native::stark::security::Preset;

use droste_native::whir::WhirSettings;
use droste_native::{F, Poseidon16Suite};
use droste_verifier::aggregate::Aggregator;
use droste_verifier::circuit::{MultilinearCircuit, PRECOMPILES, ProgramCircuit};
use droste_verifier::resources::cpu_time;
use droste_vm::compiler::compile;
use droste_vm::executor::{Tape, execute};
use droste_vm::heights::Heights;
use droste_vm::isa::Program;
use droste_vm::key::ProvingKey;
use droste_vm::machine::StandardTables;
use droste_vm::prover::{self, Proof, ProveError, ProveOptions};
use droste_vm::record::Execution;
use droste_vm::stack::Stack;
use droste_vm::stack::{Prove, Verify};
use droste_vm::tables::{Table, TraceInput};
use droste_vm::verifier::{Verifier, VerifyError, VerifyOptions};
use droste_vm::whir;
use droste_vm::{codec, stack};
use p3_field::PrimeCharacteristicRing;
use p3_matrix::dense::RowMajorMatrix;
use tracing::span::{Attributes, Id, Record};

type H = Poseidon16Suite;
type FriKey = ProvingKey<H, StandardTables>;
type WhirKey = whir::ProvingKey<StandardTables>;
/// A program and a run of it.
type Wrap = (Program, Execution);
type Traces = Vec<RowMajorMatrix<F>>;

/// A span of the main thread: its name, how deep it is nested, and CPU time at both ends.
#[derive(Clone, Copy)]
struct Span {
    name: &'static str,
    depth: usize,
    begin: Duration,
    end: Duration,
}

#[derive(Default)]
struct Spans {
    all: Vec<Span>,
    open: Vec<usize>,
}

/// Records spans of one thread.
#[derive(Clone)]
struct Listener {
    spans: Arc<Mutex<Spans>>,
    thread: ThreadId,
}

/// The identity of spans that are not recorded.
const IGNORED: u64 = u64::MAX;

impl Listener {
    fn install() -> Result<Self, Box<dyn Error>> {
        let listener = Self {
            spans: Arc::default(),
            thread: std::thread::current().id(),
        };
        tracing::subscriber::set_global_default(listener.clone())?;
        Ok(listener)
    }

    fn change<T>(&self, change: impl FnOnce(&mut Spans) -> T) -> T {
        change(&mut self.spans.lock().expect("no thread panics"))
    }

    /// Returns the spans so far, and forgets them.
    fn take(&self) -> Vec<Span> {
        self.change(|spans| std::mem::take(&mut spans.all))
    }
}

impl tracing::Subscriber for Listener {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.is_span()
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        if std::thread::current().id() != self.thread {
            return Id::from_u64(IGNORED);
        }
        self.change(|spans| {
            let zero = Duration::ZERO;
            spans.all.push(Span {
                name: attributes.metadata().name(),
                depth: 0,
                begin: zero,
                end: zero,
            });
            Id::from_u64(spans.all.len() as u64)
        })
    }

    fn enter(&self, id: &Id) {
        let index = id.into_u64().wrapping_sub(1) as usize;
        self.change(|spans| {
            let depth = spans.open.len();
            if let Some(span) = spans.all.get_mut(index) {
                (span.depth, span.begin) = (depth, cpu_time());
                spans.open.push(index);
            }
        });
    }

    fn exit(&self, id: &Id) {
        let index = id.into_u64().wrapping_sub(1) as usize;
        self.change(|spans| {
            if let Some(span) = spans.all.get_mut(index) {
                span.end = cpu_time();
                spans.open.retain(|&open| open != index);
            }
        });
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &tracing::Event<'_>) {}
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Resident memory of the process in bytes.
fn memory(field: &str) -> Option<usize> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(field))?;
    let kilobytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// The figures of one proof.
struct Round {
    cpu: Duration,
    spans: Vec<Span>,
    growth: usize,
}

/// Proves once.
fn round<P: Prove>(
    listener: &Listener,
    prover: &P,
    statement: [F; 8],
    traces: &Traces,
) -> Result<(Round, P::Proof), ProveError> {
    listener.take();
    // Resets the recorded peak to the present size.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let before = memory("VmRSS:").unwrap_or(0);
    let begin = cpu_time();
    let proof = prover.prove_traces(statement, traces)?;
    let round = Round {
        cpu: cpu_time().saturating_sub(begin),
        spans: listener.take(),
        growth: memory("VmHWM:").unwrap_or(0).saturating_sub(before),
    };
    Ok((round, proof))
}

fn print<V: Verify>(
    name: &str,
    mut rounds: Vec<Round>,
    verifier: &V,
    execution: &Execution,
    proof: &V::Proof,
    bytes: usize,
) -> Result<f64, VerifyError> {
    let mut accepted: Option<stack::Accepted> = None;
    let mut times = vec![];
    for _ in 0..5 {
        let begin = cpu_time();
        accepted =
            Some(verifier.accept(&execution.statement, VerifyOptions::min_bits(0), proof)?);
        times.push(cpu_time().saturating_sub(begin));
    }
    times.sort();
    rounds.sort_by_key(|round| round.cpu);
    let list: Vec<String> = rounds
        .iter()
        .map(|round| format!("{:.0}", ms(round.cpu)))
        .collect();
    let growth = rounds.iter().map(|round| round.growth).max().unwrap_or(0);
    let median = &rounds[rounds.len() / 2];
    println!(
        "{name}: {:.0} ms ({}), {:.1} KiB, verified in {:.1} ms, {:.0} MiB, {} bits",
        ms(median.cpu),
        list.join(", "),
        bytes as f64 / 1024.0,
        ms(times[times.len() / 2]),
        growth as f64 / f64::from(1 << 20),
        accepted.map_or(0, |accepted| accepted.bits()),
    );
    for span in &median.spans {
        let time = span.end.saturating_sub(span.begin);
        if span.depth < 5 && time * 100 > median.cpu {
            println!("  {}{} {:.0}", "  ".repeat(span.depth), span.name, ms(time));
        }
    }
    Ok(ms(median.cpu))
}

/// A join of joins, with the key under which it is proved over FRI, and the run of the program that
/// wraps its leaf.
fn join_over_fri(
    preset: Preset,
    children: usize,
) -> Result<(FriKey, Execution, Wrap), Box<dyn Error>> {
    let aggregator = Aggregator::for_preset(preset, children, Stack::Fri)?;
    let source = droste_programs::source("factorial").ok_or("no such program")?;
    let compiled = compile(source, &[])?;
    let execution = execute(&compiled, &[F::from_u32(5)], &Tape::default(), 1 << 16)?;
    let options = ProveOptions {
        settings: *aggregator.leaf_settings(),
        heights: Heights::Minimal,
    };
    let mut child: Proof<H> = prover::prove(&compiled.program, &execution, &options)?;
    let mut wrap = None;
    for level in 0..3 {
        let children = if level == 0 { 1 } else { children };
        let verifier = Verifier::<_, StandardTables>::new(child.key.clone())?;
        let circuit = ProgramCircuit::new(&verifier, &child.batch.degree_bits, children)?;
        let execution = circuit.execute(&vec![&child; children])?;
        let key = ProvingKey::<H, StandardTables>::with_precompiles(
            &circuit.compiled().program,
            &BTreeSet::from(PRECOMPILES),
            *aggregator.leaf_settings(),
            Heights::Exact(aggregator.log_heights().to_vec()),
        )?;
        if let (2, Some(wrap)) = (level, wrap.take()) {
            return Ok((key, execution, wrap));
        }
        child = prover::prove_with_key(&key, &execution)?;
        wrap.get_or_insert((circuit.compiled().program.clone(), execution));
    }
    Err("no level was reached".into())
}

/// A key over WHIR for runs of a program.
fn key_over_whir(program: &Program, settings: WhirSettings) -> Result<WhirKey, Box<dyn Error>> {
    let precompiles = BTreeSet::from(PRECOMPILES);
    let heights = Heights::Minimal;
    Ok(WhirKey::with_precompiles(
        program,
        &precompiles,
        settings,
        heights,
    )?)
}

/// A join of joins, with the key under which it is proved over WHIR: the wrap is proved over WHIR,
/// and so is each join.
fn join_over_whir(
    (program, execution): Wrap,
    settings: WhirSettings,
    children: usize,
) -> Result<(WhirKey, Execution), Box<dyn Error>> {
    let mut key = key_over_whir(&program, settings)?;
    let mut execution = execution;
    for _level in 0..2 {
        let child = key.prove(&execution)?;
        let verifier = whir::Verifier::<StandardTables>::new(key.key().clone())?;
        let circuit = MultilinearCircuit::new(&verifier, &child.log_heights, children)?;
        execution = circuit.execute(&vec![&child; children])?;
        key = key_over_whir(&circuit.compiled().program, settings)?;
    }
    Ok((key, execution))
}

/// Prints the rows of a run's tables.
fn print_rows<T: Table>(name: &str, tables: &[T], program: &Program, execution: &Execution) {
    let input = TraceInput { program, execution };
    let rows: Vec<String> = tables
        .iter()
        .map(|table| format!("{} {}", table.name(), table.rows(&input)))
        .collect();
    println!("{name}: {}", rows.join(", "));
}

fn set(settings: &mut WhirSettings, change: &str) -> Result<(), Box<dyn Error>> {
    let (name, value) = change.split_once('=').ok_or("expected SETTING=VALUE")?;
    let place = match name {
        "security_level" => &mut settings.security_level,
        "grinding_bits" => &mut settings.grinding_bits,
        "log_blowup" => &mut settings.log_blowup,
        "log_block" => &mut settings.log_block,
        "second_log_blowup" => &mut settings.second_log_blowup,
        "blowup_step" => &mut settings.blowup_step,
        "later_fold" => &mut settings.later_fold,
        "cap_height" => &mut settings.cap_height,
        _ => return Err("no such setting".into()),
    };
    *place = value.parse()?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (changes, plain): (Vec<_>, Vec<_>) = arguments.iter().partition(|a| a.contains('='));
    let argument = |index: usize, default| plain.get(index).map_or(default, |text| text.as_str());
    let preset: Preset = argument(0, "proven-100").parse()?;
    let children: usize = argument(1, "1").parse()?;
    let rounds: usize = argument(2, "3").parse()?;
    let mut settings = WhirSettings::proven_100();
    changes
        .iter()
        .try_for_each(|change| set(&mut settings, change))?;

    let (fri, run_of_fri, wrap) = join_over_fri(preset, children)?;
    let (whir, run_of_whir) = join_over_whir(wrap, settings, children)?;
    println!("{children} children, {settings:?}");
    print_rows("FRI", fri.machine().tables(), fri.program(), &run_of_fri);
    print_rows(
        "WHIR",
        whir.machine().tables(),
        whir.program(),
        &run_of_whir,
    );
    let of_fri = prover::traces(&fri, &run_of_fri)?;
    let of_whir = whir.traces(&run_of_whir)?;
    let (fri_traces, whir_traces) = (of_fri, of_whir);

    let listener = Listener::install()?;
    let (mut of_fri, mut of_whir) = (vec![], vec![]);
    let (mut fri_proof, mut whir_proof) = (None, None);
    for _ in 0..rounds.max(1) {
        let (figures, proof) = round(&listener, &fri, run_of_fri.statement, &fri_traces)?;
        of_fri.push(figures);
        fri_proof = Some(proof);
        let (figures, proof) = round(&listener, &whir, run_of_whir.statement, &whir_traces)?;
        of_whir.push(figures);
        whir_proof = Some(proof);
    }
    let (fri_proof, whir_proof) = (fri_proof.ok_or("no round")?, whir_proof.ok_or("no round")?);
    let verifier = Verifier::<_, StandardTables>::new(fri.key().clone())?;
    let bytes = codec::encode(&fri_proof)?.len();
    let before = print("FRI", of_fri, &verifier, &run_of_fri, &fri_proof, bytes)?;
    let verifier = whir::Verifier::<StandardTables>::new(whir.key().clone())?;
    let bytes = whir::encode(&whir_proof)?.len();
    let after = print("WHIR", of_whir, &verifier, &run_of_whir, &whir_proof, bytes)?;
    println!("WHIR takes {:.2} of FRI", after / before);
    let security = verifier.security(&whir_proof.log_heights)?;
    for term in security.without.terms {
        println!("  {term}: {:.1} bits, {}", term.bits, term.theorem);
    }
    Ok(())
}
