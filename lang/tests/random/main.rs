//! Random programs are compiled and run in the machine, and interpreted. The results must agree.

mod interpret;
mod program;

use droste_lang::compiler::compile;
use droste_lang::executor::{Tape, TapeItem, execute, execute_mutated};
use droste_native::F;
use p3_field::PrimeCharacteristicRing;
use proptest::prelude::*;

use interpret::interpret;
use program::Program;

/// Upper bound on the number of instructions that one of these programs takes.
const LIMIT: u64 = 1 << 20;

/// Messages with which the compiler may refuse a program that fails in every run which reaches that
/// place.
const FALSE: [&str; 3] = [
    "this assertion is false at compile time",
    "zero has no inverse",
    " is not below 3",
];

fn check(
    program: &Program,
    inputs: [u32; 3],
    false_hints: &[(usize, u32)],
) -> Result<(), TestCaseError> {
    let source = program.to_string();
    let inputs = inputs.map(F::from_u32);
    let compiled = match compile(&source, &[]) {
        Ok(compiled) => compiled,
        Err(error) => {
            let known = FALSE.iter().any(|text| error.message.ends_with(text));
            prop_assert!(known, "{:?}\n{source}", miette::Report::new(*error));
            return Ok(());
        }
    };
    // The interpreter chooses hints that make the closing assertions hold.
    let (tape, expected) = interpret(program, inputs, None);
    let run = execute(&compiled, &inputs, &tape, LIMIT);
    let honest = match (&expected, &run) {
        (Some(expected), Ok(run)) => {
            prop_assert_eq!(&run.statement, expected, "{}", source);
            *expected
        }
        (None, Err(_)) => return Ok(()),
        _ => {
            let run = run
                .map(|run| run.statement)
                .map_err(|error| error.to_string());
            return Err(TestCaseError::fail(format!(
                "interpreted {expected:?}, run {run:?}\n{source}"
            )));
        }
    };
    for &(position, delta) in false_hints {
        // A false value is never accepted for a hint that the executor computes.
        let mutation = Some((position as u64, F::from_u32(delta)));
        if let Ok(run) = execute_mutated(&compiled, &inputs, &tape, LIMIT, mutation) {
            prop_assert_eq!(run.statement, honest, "false hint {}\n{}", position, source);
        }
        // A false hint on the tape has the same effect on both runs.
        let mut changed = tape.clone();
        if !mutate(&mut changed, position, F::from_u32(delta)) {
            continue;
        }
        let (_, expected) = interpret(program, inputs, Some(&changed));
        let run = execute(&compiled, &inputs, &changed, LIMIT);
        let run = run.ok().map(|run| run.statement);
        prop_assert_eq!(run, expected, "hint {} changed\n{}", position, source);
    }
    Ok(())
}

fn mutate(tape: &mut Tape, position: usize, delta: F) -> bool {
    let count = tape.items.len();
    if count == 0 {
        return false;
    }
    match &mut tape.items[position % count] {
        TapeItem::Felt(value) => *value += delta,
        TapeItem::Ext(value) => value[position % 5] += delta,
        TapeItem::Slice(blocks) => {
            let lanes = blocks.iter_mut().map(|block| &mut block[position % 8]);
            lanes.flatten().for_each(|lane| *lane += delta);
        }
    }
    true
}

fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    ProptestConfig {
        // The variable PROPTEST_CASES can raise the number.
        cases: default.cases.max(512),
        ..default
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn random_programs_run_as_they_read(
        program in program::programs(),
        inputs in (0..5u32, 0..100u32, 0..0x7f00_0001u32),
        false_hints in prop::collection::vec((0..40usize, 1..1000u32), 4),
    ) {
        check(&program, inputs.into(), &false_hints)?;
    }
}
