//! Shows where the cycles of recursion go: proves factorial(5), wraps and joins the proof, and
//! profiles the runs.
//!
//! ```text
//! cargo run -p droste-bench --no-default-features --features machine --example profile -- \
//!     [PRESET] [CHILDREN] [LINES] [LOG_BLOCK]
//! ```
//!
//! The last argument is by default that of the canonical shape.

use std::collections::BTreeMap;
use std::error::Error;

use droste_native::stark::security::Preset;
use droste_native::whir::WhirSettings;
use droste_native::{F, Poseidon16Suite};
use droste_verifier::aggregate::Aggregator;
use droste_verifier::circuit::RecursionCircuit;
use droste_vm::compiler::{Compiled, compile};
use droste_vm::executor::{Tape, execute};
use droste_vm::fri::{Proof, ProveOptions, Verifier, prove};
use droste_vm::heights::Heights;
use droste_vm::machine::{Machine, StandardTables, precompiles_of};
use droste_vm::precompile::{BLOCK_EQ, BUILT_IN, EXT, HORNER, LANE, RIGHT_SHIFTS, UNPACK};
use droste_vm::profile::{FftWeights, Weight, folded};
use droste_vm::record::Execution;
use droste_vm::stack::Prove;
use droste_vm::tables::program::ProgramTable;
use droste_vm::tables::{Table, TraceInput};
use droste_vm::whir;
use p3_field::PrimeCharacteristicRing;

type R = Poseidon16Suite;

/// Prints the rows of a run's tables, its calls, and the `lines` heaviest functions by cycles, rows
/// of the table `ext` and blocks of memory.
fn report(name: &str, compiled: &Compiled, execution: &Execution, lines: usize) {
    let program = &compiled.program;
    println!("\n{name}: {} instructions", program.instructions.len());
    let input = TraceInput { program, execution };
    let log_height = program.instructions.len().next_power_of_two().ilog2();
    let machine = ProgramTable::new(program, log_height as usize)
        .ok()
        .and_then(|table| Machine::<StandardTables>::new(table, &precompiles_of(program)).ok());
    for table in machine.iter().flat_map(Machine::tables) {
        println!("  {:12} {:8} rows", table.name(), table.rows(&input));
    }
    for precompile in BUILT_IN {
        let calls = &execution.calls[precompile.identity as usize];
        let total: u64 = calls.iter().map(|call| (precompile.rows)(call)).sum();
        if total > 0 {
            let (name, count) = (precompile.name, calls.len());
            println!("  {name:20} {count:8} calls {total:8} rows");
        }
    }
    let rows = [EXT, LANE, BLOCK_EQ, HORNER, UNPACK, RIGHT_SHIFTS];
    let rows = Weight::FftCost(FftWeights {
        cycle: 0.0,
        rows: rows.map(|precompile| (precompile.identity, 1.0)).into(),
    });
    for (unit, weight) in [
        ("cycles", Weight::Cycles),
        ("rows of ext", rows),
        ("blocks", Weight::Blocks),
    ] {
        let mut own: BTreeMap<String, u64> = BTreeMap::new();
        let mut all: BTreeMap<String, u64> = BTreeMap::new();
        for (stack, cost) in folded(compiled, execution, &weight, false) {
            let names: Vec<&str> = stack.split(';').collect();
            *own.entry(names[names.len() - 1].to_owned()).or_default() += cost;
            let mut seen: Vec<&str> = names;
            seen.sort_unstable();
            seen.dedup();
            for name in seen {
                *all.entry(name.to_owned()).or_default() += cost;
            }
        }
        let total: u64 = own.values().sum();
        let mut all: Vec<(String, u64)> = all.into_iter().collect();
        all.sort_by_key(|(_, cost)| std::cmp::Reverse(*cost));
        println!("  {total} {unit}");
        println!("  {:>8} {:>8}  function", "all", "own");
        for (name, cost) in all.into_iter().take(lines) {
            let own = own.get(&name).copied().unwrap_or_default();
            println!("  {cost:8} {own:8}  {name}");
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |i: usize, default: &str| {
        let given = arguments.get(i).map(String::as_str);
        given.unwrap_or(default).to_owned()
    };
    let preset: Preset = argument(0, "toy").parse()?;
    let children: usize = argument(1, "1").parse()?;
    let lines: usize = argument(2, "40").parse()?;

    let text = droste_programs::source("factorial").ok_or("the program factorial is missing")?;
    let compiled = compile(text, &[])?;
    let execution = execute(&compiled, &[F::from_u32(5)], &Tape::default(), 1 << 16)?;
    let options = ProveOptions {
        settings: preset.settings(2)?,
        heights: Heights::Minimal,
    };
    let leaf: Proof<R> = prove(&compiled.program, &execution, &options)?;
    let verifier = Verifier::<R, StandardTables>::new(leaf.key.clone())?;
    let wrap = RecursionCircuit::over_fri(&verifier, &leaf.batch.degree_bits, 1)?;
    let mut run = wrap.execute(&[&leaf])?;
    report("wrap", wrap.compiled(), &run, lines);

    // Twice: the first join verifies a proof of the wrap, the second one of a join.
    let settings = *Aggregator::for_preset(preset, children).settings();
    let settings = WhirSettings {
        log_block: argument(3, &settings.log_block.to_string()).parse()?,
        ..settings
    };
    let mut program = wrap.compiled().program.clone();
    for level in 1..=2 {
        let heights = Heights::Minimal;
        let key = whir::ProvingKey::<StandardTables>::new(&program, settings, heights)?;
        let proof = key.prove_run(&run)?;
        let verifier = whir::Verifier::<StandardTables>::new(key.key().clone())?;
        let join = RecursionCircuit::over_whir(&verifier, &proof.log_heights, children)?;
        run = join.execute(&vec![&proof; children])?;
        report(&format!("join {level}"), join.compiled(), &run, lines);
        program = join.compiled().program.clone();
    }
    Ok(())
}
