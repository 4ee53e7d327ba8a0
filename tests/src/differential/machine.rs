//! The machine's side of a comparison: programs are compiled by Droste and executed.

use std::panic::{AssertUnwindSafe, catch_unwind};

use droste_native::F;
use droste_vm::compiler::{Compiled, compile};
use droste_vm::executor::{execute, execute_mutated};
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use droste::both_ways::machine_tape;

/// Number of instructions after which a run counts as failed.
const LIMIT: u64 = 1 << 18;

/// Why a program was not compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The error, and the text at which it points.
    Error(String, String),
    /// The compiler panics.
    Panic(String),
}

/// Compiles a program, with the library files that it imports beside the prelude.
pub fn build(source: &str, libraries: &[(&str, &str)]) -> Result<Compiled, Refusal> {
    match catch_unwind(|| compile(source, libraries)) {
        Ok(Ok(compiled)) => Ok(compiled),
        Ok(Err(error)) => {
            let (start, length) = (error.span.offset(), error.span.len());
            let at = source.get(start..start + length).unwrap_or_default();
            Err(Refusal::Error(error.message.clone(), at.to_owned()))
        }
        Err(payload) => Err(Refusal::Panic(message(payload.as_ref()))),
    }
}

/// The result of a run in the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The run succeeded with this statement.
    Accepted([u32; 8]),
    /// The run failed for this reason.
    Failed(String),
    /// The executor panicked.
    Panic(String),
}

/// Runs a compiled program.
pub fn run(compiled: &Compiled, public: &[u32], tape: &droste_gadgets::NativeTape) -> Outcome {
    let public: Vec<_> = public.iter().map(|value| F::from_u32(*value)).collect();
    let tape = machine_tape(tape);
    let run = || execute(compiled, &public, &tape, LIMIT);
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(execution)) => {
            Outcome::Accepted(execution.statement.map(|value| value.as_canonical_u32()))
        }
        Ok(Err(error)) => Outcome::Failed(error.to_string()),
        Err(payload) => Outcome::Panic(message(payload.as_ref())),
    }
}

/// Number of false hints that a program is run with.
const FALSE_HINTS: u64 = 4;

/// Runs a compiled program with false values of some of the hints that the executor computes
/// itself. Returns what a run revealed that should have failed.
pub fn accepts_false_hint(
    compiled: &Compiled,
    public: &[u32],
    tape: &droste_gadgets::NativeTape,
    number: u64,
    honest: &[u32; 8],
) -> Option<[u32; 8]> {
    let public: Vec<_> = public.iter().map(|value| F::from_u32(*value)).collect();
    let tape = machine_tape(tape);
    let hints = compiled.hints.len() as u64;
    (0..FALSE_HINTS.min(hints)).find_map(|i| {
        let hint = number
            .wrapping_mul(0x9e37_79b9)
            .wrapping_add(i * (hints / FALSE_HINTS + 1));
        let mutation = Some((hint % hints, F::from_u32(1 + (number % 5) as u32)));
        let run = || execute_mutated(compiled, &public, &tape, LIMIT, mutation);
        let execution = catch_unwind(AssertUnwindSafe(run)).ok()?.ok()?;
        let statement = execution.statement.map(|value| value.as_canonical_u32());
        (statement != *honest).then_some(statement)
    })
}

fn message(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().cloned();
    text.or_else(|| payload.downcast_ref::<&str>().map(ToString::to_string))
        .unwrap_or_else(|| "a panic without a message".into())
}
