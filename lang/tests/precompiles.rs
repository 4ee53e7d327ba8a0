//! Users' precompiles that read slices: how much of one a call reads is compared with its length.

use droste_lang::compiler::{CompileError, Compiled, compile_with};
use droste_lang::executor::{Fault, Memory, Tape, execute};
use droste_lang::isa::id;
use droste_lang::precompile::{Output, Parameter, Precompile, Reads};
use droste_lang::record::Call;
use droste_native::F;
use p3_field::{PrimeCharacteristicRing, PrimeField32};

/// The sum of the first `E` lanes from block `A` on, as the lanes of block `D`.
fn sum(call: &Call, memory: &mut Memory) -> Result<(), Fault> {
    let mut sum = F::ZERO;
    for lane in 0..call.e.as_canonical_u32() {
        let at = call.a.as_canonical_u32() + lane / 8;
        sum += memory.block(at)?[lane as usize % 8];
    }
    memory.set_block(call.d.as_canonical_u32(), [sum; 8])
}

/// The sum of the lanes of two blocks.
fn sum_two(call: &Call, memory: &mut Memory) -> Result<(), Fault> {
    let e = F::from_u32(16);
    sum(&Call { e, ..*call }, memory)
}

/// The sum of as many lanes as operand B says.
fn sum_to(call: &Call, memory: &mut Memory) -> Result<(), Fault> {
    sum(&Call { e: call.b, ..*call }, memory)
}

const SUM: Precompile = Precompile {
    name: "sum",
    identity: id::CUSTOM.start,
    parameters: &[
        Parameter::Slice(Reads::LanesPerLength(1)),
        Parameter::Length,
    ],
    output: Output::Block,
    run: sum,
};

const SUM_TWO: Precompile = Precompile {
    name: "sum_two",
    identity: id::CUSTOM.start + 1,
    parameters: &[Parameter::Slice(Reads::Blocks(2))],
    output: Output::Block,
    run: sum_two,
};

const SUM_TO: Precompile = Precompile {
    name: "sum_unchecked",
    identity: id::CUSTOM.start + 2,
    parameters: &[Parameter::UncheckedSlice, Parameter::Felt],
    output: Output::Block,
    run: sum_to,
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

/// What the program reveals where `data` is three blocks of ones, twos and threes.
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
        let expected = format!("{blocks} blocks of a slice are needed here, it has {length}");
        assert!(error.message.contains(&expected), "{body}: {error}");
    }
    let wide = Precompile {
        parameters: const {
            &[
                Parameter::Slice(Reads::LanesPerLength(u32::MAX)),
                Parameter::Length,
            ]
        },
        ..SUM
    };
    let error = compiled("sum(data, 1000000)", &[wide, SUM_TWO, SUM_TO]).unwrap_err();
    assert!(error.message.contains("too large"), "{error}");
}

/// A precompile says how much it reads, or says in its name that it does not.
#[test]
fn declarations_that_check_nothing_are_refused() {
    let refused = |parameters: &'static [Parameter], words: &str| {
        let wrong = Precompile { parameters, ..SUM };
        let error = compiled("sum(data)", &[wrong]).unwrap_err();
        assert!(error.message.contains(words), "{error}");
    };
    refused(&[Parameter::Slice(Reads::Blocks(0))], "reads nothing");
    refused(
        &[
            Parameter::Slice(Reads::LanesPerLength(0)),
            Parameter::Length,
        ],
        "reads nothing",
    );
    refused(
        &[Parameter::Slice(Reads::LanesPerLength(1))],
        "has no length",
    );
    refused(&[Parameter::UncheckedSlice], "say `unchecked`");
}
