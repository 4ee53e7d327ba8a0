//! The machine's side: compiled by Droste, executed.

use std::panic::{AssertUnwindSafe, catch_unwind};

use droste_native::F;
use droste_vm::compiler::{Compiled, compile};
use droste_vm::executor::execute;
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use droste::both_ways::machine_tape;

/// Instructions after which a run counts as failed.
const LIMIT: u64 = 1 << 18;

/// Why a program is not compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// An error, and the text it points at.
    Error(String, String),
    /// The compiler panics.
    Panic(String),
}

/// Compiles a program that imports nothing but the prelude.
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

/// What a run in the machine gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The statement.
    Accepted([u32; 8]),
    /// Why there is none.
    Failed(String),
    /// The executor panics.
    Panic(String),
}

/// Runs a compiled program.
pub fn run(compiled: &Compiled, public: &[u32], tape: &droste_gadgets::Tape) -> Outcome {
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
