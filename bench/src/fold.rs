//! `droste-bench fold`: nodes of folds beside plain joins of as many proofs, in turns in one
//! process, and what else documents say of folds in numbers.
//!
//! Rows are of several kinds, named by their field `what`. `figures/folds.rs` says them in words.

mod examples;
mod lies;
mod nodes;
mod signers;

use std::error::Error;

use clap::Args;
use clap::builder::RangedU64ValueParser;
use droste_native::F;
use droste_native::stark::security::Preset;
use droste_verifier::fold::{MAX_SLOTS, Source};
use droste_vm::executor::Tape;
use droste_vm::precompile::{
    POSEIDON16_COMPRESS, POSEIDON16_HASH, POSEIDON16_MERKLE, POSEIDON16_SPONGE,
};
use droste_vm::record::Execution;
use p3_field::PrimeCharacteristicRing;
use serde_json::{Value, json};

use crate::figures::figure::Figure;
use crate::figures::folds::lines;
use crate::progress;
use crate::report::Report;

/// A block.
type Lanes = [F; 8];

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// What to measure.
#[derive(Args)]
pub struct Arguments {
    /// Security level of all proofs.
    #[arg(long, default_value_t = Preset::Proven120)]
    preset: Preset,
    /// Numbers of proofs that a node verifies.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "1,2,4",
        value_parser = RangedU64ValueParser::<usize>::new().range(1..=MAX_SLOTS as u64)
    )]
    children: Vec<usize>,
    /// Cycles that the functions of nodes take. Each takes 64 permutations, too.
    #[arg(long, value_delimiter = ',', default_value = "4096,16384")]
    cycles: Vec<usize>,
    /// Numbers of steps of the chains that are verified.
    #[arg(long, value_delimiter = ',', default_value = "1,10")]
    steps: Vec<usize>,
    /// Number of lies about several hints that each rule of the examples is told.
    #[arg(long, default_value_t = 1_000)]
    lies: usize,
    /// Rounds, of which medians are reported. The table shows no times of two to four rounds.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
}

/// Runs every measurement.
///
/// # Errors
/// What cannot be proved or verified.
pub fn run(arguments: &Arguments) -> std::result::Result<Report, String> {
    let rows = rows(arguments).map_err(|error| with_sources(&*error))?;
    let header = ["", "figure"].map(str::to_owned).to_vec();
    let lines = lines(&rows)?;
    Ok(Report {
        json: rows.into(),
        table: std::iter::once(header).chain(lines).collect(),
    })
}

fn rows(arguments: &Arguments) -> Result<Vec<Value>> {
    let mut rows = vec![];
    for &children in &arguments.children {
        progress::at(&format!("nodes of {children}"));
        rows.extend(nodes::measure(arguments, children)?);
    }
    progress::at("key");
    rows.extend(examples::key(arguments)?);
    progress::at("chain");
    rows.extend(examples::chain(arguments)?);
    progress::at("union");
    rows.push(signers::union(arguments)?);
    progress::at("lies");
    rows.push(lies::measure(arguments)?);
    Ok(rows)
}

/// An error and what caused it.
fn with_sources(error: &(dyn Error + 'static)) -> String {
    let errors = std::iter::successors(Some(error), |&error| error.source());
    let texts: Vec<String> = errors.map(ToString::to_string).collect();
    texts.join(": ")
}

/// A figure of some rounds, as `figures` saves one: a number if there is one round.
fn figure(rounds: Vec<f64>) -> Value {
    if let [one] = rounds.as_slice() {
        return json!(one);
    }
    let figure = Figure::new(rounds.clone());
    json!({"median": figure.median(), "spread": figure.spread(), "rounds": rounds})
}

/// Cycles and permutations of a run.
fn counts(run: &Execution) -> [usize; 2] {
    let hashes = [
        POSEIDON16_COMPRESS,
        POSEIDON16_HASH,
        POSEIDON16_MERKLE,
        POSEIDON16_SPONGE,
    ];
    let permutations = hashes.map(|hash| {
        let calls = run.calls[hash.identity as usize].iter();
        calls.map(hash.rows).sum::<u64>() as usize
    });
    [run.cycles.len(), permutations.iter().sum()]
}

/// The rules of an example.
fn example(name: &str) -> Result<Source> {
    let text = droste_programs::fold_source(name).ok_or("there is no such example")?;
    Ok(Source::new(name, text)?)
}

/// Hints, each of these blocks.
fn tape(slices: &[&[Lanes]]) -> Tape {
    let mut tape = Tape::default();
    for slice in slices {
        tape.slice(slice);
    }
    tape
}

/// A block that begins with these numbers.
fn numbers<const N: usize>(numbers: [u32; N]) -> Lanes {
    std::array::from_fn(|lane| F::from_u32(numbers.get(lane).copied().unwrap_or(0)))
}
