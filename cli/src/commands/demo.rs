//! `droste demo`: one program under each hash, each proof verified in a proof, and those joined.

use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use clap::Args;
use droste_native::security::Preset;
use droste_native::{Blake3Family, F, FriSettings, KeccakFamily, Poseidon16Family};
use droste_verifier::aggregate::{Aggregate, Aggregator, Step};
use droste_verifier::recursion::claim_tree;
use droste_verifier::tape::TapeFamily;
use droste_vm::compiler::{self, Compiled};
use droste_vm::executor::{Tape, execute};
use droste_vm::heights::Heights;
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::prover::{Proof, ProveOptions, prove};
use droste_vm::record::Execution;
use droste_vm::verifier::{Report as Verified, verify};
use indicatif::{ProgressBar, ProgressStyle};
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use serde::Serialize;

use crate::error::CommandError;
use crate::output::{Format, Report, print};

/// Arguments of `droste demo`.
#[derive(Debug, Args)]
pub struct Demo {
    /// The program computes the factorial of this.
    #[arg(long, default_value_t = 5)]
    n: u32,
}

/// Heights of R's tables in the demo, in the machine's order.
const LOG_HEIGHTS: [usize; 6] = [16, 16, 14, 16, 16, 16];

#[derive(Serialize)]
struct Line {
    step: String,
    cycles: usize,
    fft_cost: u64,
    compile_ms: f64,
    execute_ms: f64,
    prove_ms: f64,
    verify_ms: f64,
    proven_bits: usize,
}

#[derive(Serialize)]
struct Outcome {
    parameters: &'static str,
    n: u32,
    output: u32,
    steps: Vec<Line>,
    key: String,
    claim: String,
    seconds: f64,
}

impl Report for Outcome {
    fn rows(&self) -> Vec<Vec<String>> {
        let header = [
            "step", "cycles", "fft_cost", "compile", "execute", "prove", "verify", "bits",
        ];
        let mut rows = vec![header.map(str::to_owned).to_vec()];
        let milliseconds = |value: f64| format!("{value:.0} ms");
        rows.extend(self.steps.iter().map(|line| {
            vec![
                line.step.clone(),
                line.cycles.to_string(),
                format!("{:.3e}", line.fft_cost as f64),
                milliseconds(line.compile_ms),
                milliseconds(line.execute_ms),
                milliseconds(line.prove_ms),
                milliseconds(line.verify_ms),
                line.proven_bits.to_string(),
            ]
        }));
        rows.push(vec![]);
        rows.push(vec!["parameters".to_owned(), self.parameters.to_owned()]);
        rows.push(vec![
            format!("{}! in the field", self.n),
            self.output.to_string(),
        ]);
        rows.push(vec!["key".to_owned(), self.key.clone()]);
        rows.push(vec!["claim".to_owned(), self.claim.clone()]);
        rows.push(vec!["all".to_owned(), format!("{:.1} s", self.seconds)]);
        rows
    }
}

fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

fn fft_cost(report: &Verified) -> u64 {
    report.tables.iter().map(|table| table.fft_cost()).sum()
}

fn line(name: String, step: &Step) -> Line {
    Line {
        step: name,
        cycles: step.cycles,
        fft_cost: fft_cost(&step.report),
        compile_ms: ms(step.compile),
        execute_ms: ms(step.execute),
        prove_ms: ms(step.prove),
        verify_ms: ms(step.verify),
        proven_bits: step.report.security.bits(),
    }
}

impl Demo {
    /// Runs everything and prints what it cost.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let start = Instant::now();
        let bar = progress();
        let settings = Preset::Toy.settings(2).map_err(CommandError::failed)?;
        let text = droste_programs::source("factorial")
            .ok_or_else(|| CommandError::failed("the program factorial is missing"))?;
        let compiled = compiler::compile(text, droste_gadgets::SOURCES)
            .map_err(|error| CommandError::Diagnostic(error))?;
        let execution = execute(&compiled, &[F::from_u32(self.n)], &Tape::default(), 1 << 24)
            .map_err(|error| CommandError::Diagnostic(Box::new(error)))?;
        let mut run = Run {
            settings,
            aggregator: Aggregator::new(settings, LOG_HEIGHTS.to_vec()),
            compiled: &compiled,
            execution: &execution,
            bar: &bar,
            lines: vec![],
            leaves: vec![],
            recursion: vec![],
        };
        let wraps = vec![
            run.leaf::<Poseidon16Family>()?,
            run.leaf::<Blake3Family>()?,
            run.leaf::<KeccakFamily>()?,
        ];
        run.bar.set_message("join");
        let joined = run.aggregator.join(wraps).map_err(CommandError::failed)?;
        run.record(&joined, "join");
        joined
            .check(&run.recursion, &run.leaves)
            .map_err(CommandError::failed)?;
        bar.finish_and_clear();
        let claim = joined.proof.statement.iter();
        let outcome = Outcome {
            parameters: "toy: few queries, no security",
            n: self.n,
            output: execution.statement[1].as_canonical_u32(),
            steps: run.lines,
            key: joined.proof.key.digest().to_string(),
            claim: claim
                .flat_map(|element| element.as_canonical_u32().to_le_bytes())
                .map(|byte| format!("{byte:02x}"))
                .collect(),
            seconds: start.elapsed().as_secs_f64(),
        };
        Ok(print(&outcome, format)?)
    }
}

/// The demo under way.
struct Run<'a> {
    settings: FriSettings,
    aggregator: Aggregator,
    compiled: &'a Compiled,
    execution: &'a Execution,
    bar: &'a ProgressBar,
    lines: Vec<Line>,
    leaves: Vec<droste_vm::key::KeyDigest>,
    recursion: Vec<droste_vm::key::KeyDigest>,
}

impl Run<'_> {
    /// Proves the program in hash `H` and brings the proof home.
    fn leaf<H: TapeFamily>(&mut self) -> Result<Aggregate, CommandError>
    where
        StandardTables: Provable<H>,
    {
        self.bar.set_message(format!("prove in {}", H::NAME));
        let options = ProveOptions {
            settings: self.settings,
            heights: Heights::Minimal,
        };
        let start = Instant::now();
        let proof: Proof<H> = prove(&self.compiled.program, self.execution, &options)
            .map_err(CommandError::failed)?;
        let prove_ms = ms(start.elapsed());
        let start = Instant::now();
        let report = verify::<H, StandardTables>(&proof.key, &proof.statement, 0, &proof)
            .map_err(CommandError::failed)?;
        self.lines.push(Line {
            step: format!("leaf in {}", H::NAME),
            cycles: self.execution.cycles.len(),
            fft_cost: fft_cost(&report),
            compile_ms: 0.0,
            execute_ms: 0.0,
            prove_ms,
            verify_ms: ms(start.elapsed()),
            proven_bits: report.security.bits(),
        });
        self.leaves.push(proof.key.digest());
        self.bar.inc(1);

        self.bar.set_message(format!("wrap of {}", H::NAME));
        let tree = claim_tree(&proof, vec![]);
        let aggregate = self
            .aggregator
            .wrap(&proof, tree, |_| self.bar.inc(1))
            .map_err(CommandError::failed)?;
        self.record(&aggregate, "wrap");
        Ok(aggregate)
    }

    /// Notes the steps and keys of an aggregate.
    fn record(&mut self, aggregate: &Aggregate, name: &str) {
        for step in &aggregate.steps {
            let name = format!("{name} of {} in {}", step.children, step.hash);
            self.lines.push(line(name, step));
            self.recursion.push(step.report.key);
        }
    }
}

/// A bar on standard error, shown only on a terminal.
fn progress() -> ProgressBar {
    if !stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(9);
    if let Ok(style) = ProgressStyle::with_template("{bar:24} {elapsed} {msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
