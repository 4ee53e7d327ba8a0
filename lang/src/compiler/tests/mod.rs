//! Tests of the compiler on programs that it runs.

mod baby_bear;
mod constants;
mod degree;
mod failures;
mod instructions;
mod interface;
mod language;
mod limits;

use droste_native::{EF, F};
use p3_field::PrimeCharacteristicRing;

use super::*;
use crate::executor::{Tape, execute};

fn run(source: &str, public: &[u32]) -> Vec<u32> {
    let compiled = match compile(source, &[]) {
        Ok(compiled) => compiled,
        Err(error) => panic!("{:?}", miette::Report::new(*error)),
    };
    let public: Vec<_> = public.iter().map(|value| F::from_u32(*value)).collect();
    match execute(&compiled, &public, &Tape::default(), 1 << 20) {
        Ok(execution) => {
            use p3_field::PrimeField32;
            let outputs = compiled.public_inputs..compiled.public_inputs + compiled.public_outputs;
            execution.statement[outputs]
                .iter()
                .map(|value| value.as_canonical_u32())
                .collect()
        }
        Err(error) => panic!("{:?}", miette::Report::new(error)),
    }
}

/// The example programs of the repository.
fn example(name: &str) -> String {
    let path = format!("{}/../programs/src/{name}.rs", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

/// Runs `body` as the body of `main`, after `items`.
fn main_of(items: &str, body: &str) -> String {
    format!("use droste_gadgets::prelude::*;\n{items}\npub fn main() {{\n{body}\n}}")
}

fn outputs(items: &str, body: &str) -> Vec<u32> {
    run(&main_of(items, body), &[])
}
