//! Users' precompiles that read slices: the number of blocks that a call reads is compared with the
//! slice's length.

use droste_lang::compiler::{CompileError, Compiled, compile_with};
use droste_lang::executor::{CallContext, Fault, Tape, execute};
use droste_lang::isa::id;
use droste_lang::precompile::Operand::{A, B, D, E};
use droste_lang::precompile::{Function, Output, Parameter, Precompile, any};
use droste_native::F;
use p3_field::{PrimeCharacteristicRing, PrimeField32};

/// Writes the sum of so many lanes from block `A` on to every lane of block `D`.
fn write_sum(call: &mut CallContext<'_>, lanes: u32) -> Result<(), Fault> {
    let from = call.address(A)?;
    let mut sum = F::ZERO;
    for lane in 0..lanes {
        sum += call.memory().block(from + lane / 8)?[lane as usize % 8];
    }
    call.write(D, [sum; 8])
}

const fn function(name: &'static str, parameters: &'static [Parameter]) -> Function {
    Function {
        name,
        parameters,
        check: any,
        output: Output::Block(D),
    }
}

/// The sum of the first `E` lanes.
const SUM: Precompile = Precompile {
    name: "sum",
    identity: id::CUSTOM.start,
    functions: &[function(
        "sum",
        &[
            Parameter::Slice(A, |[lanes, ..]| lanes.div_ceil(8)),
            Parameter::Integer(E),
        ],
    )],
    is_total: false,
    run: |call| {
        let lanes = call.immediate();
        write_sum(call, lanes)
    },
    rows: |_| 1,
};

/// The sum of the lanes of two blocks.
const SUM_TWO: Precompile = Precompile {
    name: "sum_two",
    identity: id::CUSTOM.start + 1,
    functions: &[function("sum_two", &[Parameter::Slice(A, |_| 2)])],
    is_total: false,
    run: |call| write_sum(call, 16),
    rows: |_| 1,
};

/// The sum of as many lanes as operand B says.
const SUM_TO: Precompile = Precompile {
    name: "sum_unchecked",
    identity: id::CUSTOM.start + 2,
    functions: &[function(
        "sum_unchecked",
        &[Parameter::UncheckedSlice(A), Parameter::Felt(B)],
    )],
    is_total: false,
    run: |call| {
        let lanes = call.value(B)?.as_canonical_u32();
        write_sum(call, lanes)
    },
    rows: |_| 1,
};

fn compiled(body: &str, precompiles: &[Precompile]) -> Result<Compiled, Box<CompileError>> {
    let text = format!(
        "use droste_gadgets::prelude::*;
        use my_crate::{{sum, sum_two, sum_unchecked}};
        pub fn main() {{ let data = hint_slice(3).any(); reveal({body}.lane(0)); }}"
    );
    compile_with("main.rs", &text, &[], precompiles)
}

const ALL: [Precompile; 3] = [SUM, SUM_TWO, SUM_TO];

/// Returns what the program reveals, where `data` is three blocks of ones, twos and threes.
fn revealed(body: &str) -> u32 {
    let compiled = compiled(body, &ALL).unwrap();
    let mut tape = Tape::default();
    tape.slice(&[1, 2, 3].map(|n| [F::from_u32(n); 8]));
    let run = execute(&compiled, &[], &tape, 1 << 10).unwrap();
    run.statement[0].as_canonical_u32()
}

#[test]
fn slices_that_are_long_enough_are_read() {
    for (body, sum) in [
        ("sum(data, 24)", 48),
        ("sum(data, 17)", 27),
        ("sum(data.skip(1), 16)", 40),
        ("sum(data.skip(2), 3)", 9),
        ("sum_two(data)", 24),
        ("sum_two(data.skip(1))", 40),
        ("sum_unchecked(data, felt(9))", 10),
    ] {
        assert_eq!(revealed(body), sum, "{body}");
    }
}

#[test]
fn slices_that_are_too_short_are_refused() {
    for (body, blocks, length) in [
        ("sum(data, 25)", 4, 3),
        ("sum(data.skip(1), 17)", 3, 2),
        ("sum(data.skip(3), 1)", 1, 0),
        ("sum_two(data.skip(2))", 2, 1),
        ("sum_two(Slice::from_blocks([Block::ZERO]))", 2, 1),
    ] {
        let error = compiled(body, &ALL).unwrap_err();
        let expected = format!("this needs {blocks} blocks of a slice, which has {length}");
        assert!(error.message.contains(&expected), "{body}: {error}");
    }
    let wide = Precompile {
        functions: const {
            &[function(
                "sum",
                &[
                    Parameter::Slice(A, |[lanes, ..]| lanes << 32),
                    Parameter::Integer(E),
                ],
            )]
        },
        ..SUM
    };
    let error = compiled("sum(data, 1000000)", &[wide, SUM_TWO, SUM_TO]).unwrap_err();
    assert!(error.message.contains("too large"), "{error}");
}

/// A precompile must state how much it reads, or have a name which says that it does not.
#[test]
fn declarations_that_check_nothing_are_refused() {
    const NOTHING: &[Function] = &[function("sum", &[Parameter::Slice(A, |_| 0)])];
    const NO_LENGTH: &[Function] = &[function("sum", &[Parameter::Slice(A, |[n, ..]| n)])];
    const UNNAMED: &[Function] = &[function("sum", &[Parameter::UncheckedSlice(A)])];
    for (functions, words) in [
        (NOTHING, "reads nothing"),
        (NO_LENGTH, "reads nothing"),
        (UNNAMED, "contain `unchecked`"),
    ] {
        let wrong = Precompile { functions, ..SUM };
        let error = compiled("sum(data)", &[wrong, SUM_TWO, SUM_TO]).unwrap_err();
        assert!(error.message.contains(words), "{error}");
    }
}

/// A call whose result is not used is removed if its precompile states that there always is a
/// result.
#[test]
fn unused_results_are_computed_unless_there_always_is_one() {
    const MAY_BE_NONE: Precompile = SUM_TWO;
    const ALWAYS: Precompile = Precompile {
        is_total: true,
        ..SUM_TWO
    };
    for (precompile, calls) in [(MAY_BE_NONE, 1), (ALWAYS, 0)] {
        let text = "use droste_gadgets::prelude::*;
            use my_crate::sum_two;
            pub fn main() { let _ = sum_two(hint_slice(2).any()); reveal(felt(1)); }";
        let compiled = compile_with("main.rs", text, &[], &[precompile]).unwrap();
        let instructions = compiled.program.instructions.iter();
        let called = instructions.filter(|instruction| instruction.id == precompile.identity);
        assert_eq!(called.count(), calls);
    }
}

/// A call must read at least one block, and write at least one.
#[test]
fn calls_of_nothing_are_refused() {
    for (body, name) in [
        ("sum(data, 0)", "sum"),
        ("limbs(data, 0).block(0)", "limbs"),
    ] {
        let error = compiled(body, &ALL).unwrap_err();
        let expected = format!("this call of `{name}` reads nothing of a slice");
        assert!(error.message.contains(&expected), "{body}: {error}");
    }
}
