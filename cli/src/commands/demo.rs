//! `droste demo`: proves one program in Poseidon-16, Blake3 and Keccak, wraps each proof and joins
//! the wraps.

use std::time::Instant;

use clap::Args;
use droste_native::stark::security::Preset;
use droste_native::{Blake3Suite, F, KeccakSuite, Poseidon16Suite};
use droste_verifier::aggregate::{Aggregate, Aggregator, Step, VerifiedProof};
use droste_verifier::summary::milliseconds;
use droste_verifier::tape::TapeSuite;
use droste_vm::compiler::{self, Compiled};
use droste_vm::executor::{Tape, execute};
use droste_vm::fri::{Proof, ProveOptions, prove};
use droste_vm::heights::Heights;
use droste_vm::key::KeyDigest;
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::record::Execution;
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use serde::Serialize;

use crate::error::CommandError;
use crate::output::{Format, Report, print, row};
use crate::progress::Progress;

/// Arguments of `droste demo`.
#[derive(Debug, Args)]
pub struct Demo {
    /// Number whose factorial the program computes.
    #[arg(long, default_value_t = 5)]
    n: u32,
}

/// Steps of the progress bar: for each of three hashes a leaf, a wrap and its conversion to the
/// canonical shape; then two joins.
const STEPS: u64 = 11;

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
    /// Leaves, and their wraps at the smallest heights that fit: these show what the hashes cost.
    wraps: Vec<Line>,
    /// Steps that bring those wraps to the canonical shape, which joins take, and the joins.
    aggregation: Vec<Line>,
    key: String,
    claim: String,
    proven_bits: usize,
    tree_bits: usize,
    seconds: f64,
}

impl Line {
    fn new(name: String, step: &Step) -> Self {
        Self {
            step: name,
            cycles: step.cycles,
            fft_cost: step.report.fft_cost(),
            compile_ms: milliseconds(step.compile),
            execute_ms: milliseconds(step.execute),
            prove_ms: milliseconds(step.prove),
            verify_ms: milliseconds(step.verify),
            proven_bits: step.report.bits(),
        }
    }

    fn cells(&self) -> Vec<String> {
        let text = |milliseconds: f64| format!("{milliseconds:.0} ms");
        vec![
            self.step.clone(),
            self.cycles.to_string(),
            format!("{:.2e}", self.fft_cost as f64),
            text(self.compile_ms),
            text(self.execute_ms),
            text(self.prove_ms),
            text(self.verify_ms),
            self.proven_bits.to_string(),
        ]
    }
}

impl Report for Outcome {
    fn rows(&self) -> Vec<Vec<String>> {
        let header = [
            "step", "cycles", "fft_cost", "compile", "execute", "prove", "verify", "bits",
        ];
        let mut rows = vec![header.map(str::to_owned).to_vec()];
        rows.extend(self.wraps.iter().map(Line::cells));
        rows.push(vec![]);
        rows.extend(self.aggregation.iter().map(Line::cells));
        rows.push(vec![]);
        rows.extend([
            row("parameters", self.parameters),
            row(format!("{}! in the field", self.n), self.output),
            row("key set", &self.key),
            row("claim", &self.claim),
            row("proven bits", self.proven_bits),
            row("bits of the tree", self.tree_bits),
            row("total time", format!("{:.1} s", self.seconds)),
        ]);
        rows
    }
}

impl Demo {
    /// Runs the whole chain and prints what each step cost.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let start = Instant::now();
        let text = droste_programs::source("factorial")
            .ok_or_else(|| CommandError::failed("the program factorial is missing"))?;
        let compiled = compiler::compile(text, droste_gadgets::SOURCES)?;
        let execution = execute(&compiled, &[F::from_u32(self.n)], &Tape::default(), 1 << 24)?;
        let aggregator = Aggregator::for_preset(Preset::Toy, 2);
        let mut run = Run {
            measuring: Aggregator::new(*aggregator.intermediate_settings(), vec![]),
            aggregator,
            compiled: &compiled,
            execution: &execution,
            progress: Progress::bar(STEPS),
            wraps: vec![],
            aggregation: vec![],
        };
        let two = vec![run.wrap::<Poseidon16Suite>()?, run.wrap::<Blake3Suite>()?];
        let two = run.join("join of both", two)?;
        let joined = vec![two, run.wrap::<KeccakSuite>()?];
        let joined = run.join("join of all three", joined)?;
        let outcome = Outcome {
            parameters: "toy: few queries, no security",
            n: self.n,
            output: execution.statement[1].as_canonical_u32(),
            wraps: run.wraps,
            aggregation: run.aggregation,
            key: joined.key().to_string(),
            claim: KeyDigest(joined.claim()).to_string(),
            proven_bits: joined.accepted().bits,
            tree_bits: joined.accepted().tree_bits,
            seconds: start.elapsed().as_secs_f64(),
        };
        run.progress.finish();
        Ok(print(&outcome, format)?)
    }
}

/// State of the demo while it runs.
struct Run<'a> {
    aggregator: Aggregator,
    /// Makes wraps at the least heights that fit, which show what a hash costs.
    measuring: Aggregator,
    compiled: &'a Compiled,
    execution: &'a Execution,
    progress: Progress,
    wraps: Vec<Line>,
    aggregation: Vec<Line>,
}

impl Run<'_> {
    /// Proves the program in hash `H`, wraps the proof and brings the wrap to the canonical shape.
    fn wrap<H: TapeSuite>(&mut self) -> Result<Aggregate, CommandError>
    where
        StandardTables: Provable<H>,
    {
        let leaf = self.leaf::<H>()?;
        self.progress.stage(format!("wrap of {}", H::NAME));
        let wrap = self.measuring.first_step(&leaf)?;
        let lines = wrap.steps().iter();
        self.wraps
            .extend(lines.map(|step| Line::new(format!("wrap of {}", H::NAME), step)));
        self.progress.step();

        self.progress
            .stage(format!("{} to canonical shape", H::NAME));
        let first = wrap.steps().len();
        let canonical = self.aggregator.to_canonical_shape(wrap)?;
        let lines = canonical.steps().iter().skip(first);
        self.aggregation
            .extend(lines.map(|step| Line::new(format!("{} to canonical", H::NAME), step)));
        self.progress.step();
        Ok(canonical)
    }

    fn join(
        &mut self,
        name: &'static str,
        wraps: Vec<Aggregate>,
    ) -> Result<Aggregate, CommandError> {
        self.progress.stage(name);
        let joined = self.aggregator.join(wraps)?;
        let lines = joined.steps().iter();
        self.aggregation
            .extend(lines.map(|step| Line::new(name.to_owned(), step)));
        self.progress.step();
        Ok(joined)
    }

    /// Proves the program in hash `H`, at the smallest heights that fit the run.
    fn leaf<H: TapeSuite>(&mut self) -> Result<VerifiedProof<Proof<H>>, CommandError>
    where
        StandardTables: Provable<H>,
    {
        self.progress.stage(format!("prove in {}", H::NAME));
        let options = ProveOptions {
            settings: Preset::Toy.settings(2)?,
            heights: Heights::Minimal,
        };
        let start = Instant::now();
        let proof = prove::<H>(&self.compiled.program, self.execution, &options)?;
        let prove_ms = milliseconds(start.elapsed());
        let start = Instant::now();
        let proof = VerifiedProof::under_its_own_key(proof)?;
        let report = proof.report();
        self.wraps.push(Line {
            step: format!("leaf in {}", H::NAME),
            cycles: self.execution.cycles.len(),
            fft_cost: report.fft_cost(),
            compile_ms: 0.0,
            execute_ms: 0.0,
            prove_ms,
            verify_ms: milliseconds(start.elapsed()),
            proven_bits: report.security.bits(),
        });
        self.progress.step();
        Ok(proof)
    }
}
