//! Prints digests of the instructions of the recursion programs and of the example programs, which
//! show whether a change of the compiler or the gadgets changed them.
//!
//! `cargo run --example instructions -p droste-verifier -- [PRESET] [CHILDREN] [DIRECTORY]` also
//! writes the texts of the recursion programs to the directory, if one is named.

use std::error::Error;
use std::path::Path;

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

/// FNV-1a of the instructions, hints and constants of a program.
fn report(name: &str, compiled: &Compiled) {
    let text = format!(
        "{:?}{:?}{:?}",
        compiled.program, compiled.hints, compiled.constants
    );
    let digest = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |state, byte| {
        (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let length = compiled.program.instructions.len();
    println!("{name:24} {length:7} instructions {digest:016x}");
}

fn keep(directory: Option<&String>, name: &str, text: &str) -> std::io::Result<()> {
    match directory {
        Some(directory) => std::fs::write(Path::new(directory).join(name), text),
        None => Ok(()),
    }
}

/// The program that verifies one proof of factorial(5) in a hash.
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

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |i: usize, default: &str| {
        let given = arguments.get(i).map(String::as_str);
        given.unwrap_or(default).to_owned()
    };
    let preset: Preset = argument(0, "toy").parse()?;
    let children: usize = argument(1, "2").parse()?;
    let directory = arguments.get(2);

    for (name, text) in droste_programs::SOURCES {
        report(name, &compile(text, droste_gadgets::SOURCES)?);
    }
    let settings = preset.settings(2)?;
    let poseidon16 = wrap::<Poseidon16Suite>(settings)?;
    let blake3 = wrap::<Blake3Suite>(settings)?;
    let keccak = wrap::<KeccakSuite>(settings)?;
    report("wrap of Poseidon-16", poseidon16.compiled());
    report("wrap of Blake3", blake3.compiled());
    report("wrap of Keccak", keccak.compiled());
    keep(directory, "wrap_poseidon16.rs", poseidon16.text())?;
    keep(directory, "wrap_blake3.rs", blake3.text())?;
    keep(directory, "wrap_keccak.rs", keccak.text())?;
    let aggregator = Aggregator::for_preset(preset, children);
    if let Children::Programs { shape, .. } = aggregator.join_recipe(children)?.children {
        let join = RecursionCircuit::of_shape(&shape, children)?;
        report("join over WHIR", join.compiled());
        keep(directory, "join_over_whir.rs", join.text())?;
    }
    Ok(())
}
