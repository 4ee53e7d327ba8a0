//! The machine's side of a comparison: programs are compiled by Droste and executed.

use std::panic::{AssertUnwindSafe, catch_unwind};

use droste_native::F;
use droste_vm::compiler::{Compiled, compile};
use droste_vm::executor::execute;
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

/// Compiles a program that imports only the prelude.
pub fn build(source: &str) -> Result<Compiled, Refusal> {
    match catch_unwind(|| compile(source, &[])) {
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

fn message(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().cloned();
    text.or_else(|| payload.downcast_ref::<&str>().map(ToString::to_string))
        .unwrap_or_else(|| "a panic without a message".into())
}
