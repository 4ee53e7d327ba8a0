//! Prints digests of the instructions of the recursion programs and of the example programs, which
//! show whether a change of the compiler or the gadgets changed them.
//!
//! ```text
//! cargo run -p droste-bench --no-default-features --features machine --example instructions -- \
//!     [PRESET] [CHILDREN] [DIRECTORY]
//! ```
//!
//! If a directory is named, the texts of the recursion programs are written to it. A test compares
//! the digests with those of before (`tests/golden`).

use std::error::Error;
use std::fmt::{self, Display};
use std::path::Path;
use std::sync::Arc;

use droste_native::stark::security::Preset;
use droste_native::{Blake3Suite, F, FriSettings, KeccakSuite, Poseidon16Suite};
use droste_verifier::aggregate::Aggregator;
use droste_verifier::circuit::{Children, RecursionCircuit};
use droste_verifier::tape::TapeSuite;
use droste_vm::compiler::{Compiled, compile};
use droste_vm::executor::{Tape, execute};
use droste_vm::fri::provable::Provable;
use droste_vm::fri::{ProvingKey, Verifier, log_heights};
use droste_vm::heights::Heights;
use droste_vm::machine::StandardTables;
use p3_field::PrimeCharacteristicRing;

/// What tells the instructions of a program from others.
#[derive(Clone, Copy, Debug)]
pub struct Instructions {
    /// Their number.
    length: usize,
    /// FNV-1a of the instructions, hints and constants.
    digest: u64,
}

impl Instructions {
    /// Those of a program.
    pub fn of(compiled: &Compiled) -> Self {
        let text = format!(
            "{:?}{:?}{:?}",
            compiled.program, compiled.hints, compiled.constants
        );
        let digest = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |state, byte| {
            (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let length = compiled.program.instructions.len();
        Self { length, digest }
    }
}

impl Display for Instructions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { length, digest } = self;
        write!(f, "{length:7} instructions {digest:016x}")
    }
}

/// The example programs and their names.
pub fn programs() -> Result<Vec<(&'static str, Compiled)>, Box<dyn Error>> {
    let compiled = |&(name, text): &(&'static str, &str)| {
        let compiled = compile(text, droste_gadgets::SOURCES)?;
        Ok((name, compiled))
    };
    droste_programs::SOURCES.iter().map(compiled).collect()
}

/// The programs that verify one proof of factorial(5), and the names of the hashes that it is in.
pub fn wraps(preset: Preset) -> Result<[(&'static str, RecursionCircuit); 3], Box<dyn Error>> {
    let settings = preset.settings(2)?;
    Ok([
        ("Poseidon-16", wrap::<Poseidon16Suite>(settings)?),
        ("Blake3", wrap::<Blake3Suite>(settings)?),
        ("Keccak", wrap::<KeccakSuite>(settings)?),
    ])
}

fn wrap<H: TapeSuite>(settings: FriSettings) -> Result<RecursionCircuit, Box<dyn Error>>
where
    StandardTables: Provable<H>,
{
    let text = droste_programs::source("factorial").ok_or("the program factorial is missing")?;
    let compiled = compile(text, &[])?;
    let execution = execute(&compiled, &[F::from_u32(5)], &Tape::default(), 1 << 16)?;
    let key = ProvingKey::<H, StandardTables>::new(&compiled.program, settings, Heights::Minimal)?;
    let log_heights = log_heights(&key, &execution)?;
    let verifier = Verifier::<H, StandardTables>::new(key.key().clone())?;
    Ok(RecursionCircuit::over_fri(&verifier, &log_heights, 1)?)
}

/// The program that joins so many proofs of an aggregator's canonical shape.
pub fn join(
    aggregator: &Aggregator,
    children: usize,
) -> Result<Arc<RecursionCircuit>, Box<dyn Error>> {
    match aggregator.join_recipe(children)?.children {
        Children::Programs { shape, .. } => Ok(aggregator.circuits().circuit(shape, children)?),
        _ => Err("a join verifies programs".into()),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |i: usize, default: &str| {
        let given = arguments.get(i).map(String::as_str);
        given.unwrap_or(default).to_owned()
    };
    let preset: Preset = argument(0, "toy").parse()?;
    let children: usize = argument(1, "2").parse()?;
    let directory = arguments.get(2);

    let print =
        |name: &str, compiled: &Compiled| println!("{name:24} {}", Instructions::of(compiled));
    let show = |name: &str, file: &str, circuit: &RecursionCircuit| {
        print(name, circuit.compiled());
        match directory {
            Some(directory) => std::fs::write(Path::new(directory).join(file), circuit.text()),
            None => Ok(()),
        }
    };
    for (name, compiled) in programs()? {
        print(name, &compiled);
    }
    for (hash, circuit) in wraps(preset)? {
        let file = hash.to_lowercase().replace('-', "");
        show(
            &format!("wrap of {hash}"),
            &format!("wrap_{file}.rs"),
            &circuit,
        )?;
    }
    let circuit = join(&Aggregator::for_preset(preset, children), children)?;
    show("join over WHIR", "join_over_whir.rs", &circuit)?;
    Ok(())
}
