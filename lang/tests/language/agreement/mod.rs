//! Programs whose meaning depends on which function, type or constant a name means. rustc's build
//! of each program is the oracle.

mod closures;
mod conversions;
mod declarations;
mod derives;
mod dispatch;
mod enums;
mod generics;
mod inference;
mod instances;
mod integers2;
mod iterators;
mod lists;
mod loops;
mod loops2;
mod manual;
mod methods;
mod names;
mod operators2;
mod options;
mod ownership;
mod patterns2;
mod references;
mod scopes2;
mod slices;
mod standard_traits;
mod syntax;
mod texts;
mod vecs;

use droste_gadgets::{Hint, NativeTape, run_native};
use droste_lang::compiler::{Compiled, compile_file};
use droste_lang::executor::{self, execute};
use droste_native::F;
use p3_field::{PrimeCharacteristicRing, PrimeField32};

/// Declares a program as a module for rustc, and its text for the compiler.
macro_rules! program {
    ($name:ident { $($text:tt)* }) => {
        #[allow(dead_code, noop_method_call, non_snake_case, unused_imports, clippy::all)]
        mod $name {
            $($text)*
            pub const SOURCE: &str = stringify!($($text)*);
        }
    };
}
pub(crate) use program;

/// Compiles the program. Panics with the compiler's message on failure.
pub fn compiled(source: &str) -> Compiled {
    match compile_file("program.rs", source, droste_gadgets::SOURCES) {
        Ok(compiled) => compiled,
        Err(error) => panic!("{:?}", miette::Report::new(*error)),
    }
}

/// Runs a program both ways. Both runs must have the same statement, or both must fail.
pub fn both(source: &str, main: fn(), public: &[u32], blocks: &[[u32; 8]]) -> Option<[u32; 8]> {
    let compiled = compiled(source);
    let lanes: Vec<[F; 8]> = blocks.iter().map(|block| block.map(F::from_u32)).collect();
    let (mut native_tape, mut machine_tape) = (NativeTape::default(), executor::Tape::default());
    if !lanes.is_empty() {
        let slice = lanes.iter().map(|block| block.map(Some)).collect();
        native_tape.hints.push(Hint::Slice(slice));
        machine_tape.slice(&lanes);
    }
    let native = run_native(&native_tape, public, main).ok();
    let public: Vec<_> = public.iter().map(|value| F::from_u32(*value)).collect();
    let machine = execute(&compiled, &public, &machine_tape, 1 << 20).ok();
    let machine = machine.map(|run| run.statement.map(|value| value.as_canonical_u32()));
    assert_eq!(native, machine, "{source}");
    native
}

/// Returns the outputs, which follow the inputs, of a program without hints.
pub fn outputs(source: &str, main: fn(), public: &[u32]) -> Vec<u32> {
    let statement = both(source, main, public, &[]).expect("the program runs");
    let count = compiled(source).public_outputs;
    statement[public.len()..public.len() + count].to_vec()
}

/// What programs reveal whose `show` folds more values than a statement has.
pub fn shown(values: &[u32]) -> u32 {
    let fold = |out, &value: &u32| out * F::from_u32(4096) + F::from_u32(value);
    values.iter().fold(F::ZERO, fold).as_canonical_u32()
}
