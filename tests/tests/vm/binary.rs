//! Programs that compute in GF(2^128), natively, in the machine, and proved over WHIR.

use droste::both_ways::{Program, machine_tape};
use droste_gadgets::{Hint, NativeTape};
use droste_native::F;
use droste_native::precompile::{LANES, binary_conjugates, binary_points};
use droste_native::whir::WhirSettings;
use droste_vm::executor::execute;
use droste_vm::heights::Heights;
use droste_vm::machine::StandardTables;
use droste_vm::stack::{Prove, Verify};
use droste_vm::verifier::VerifyOptions;
use droste_vm::whir::{ProvingKey, Verifier};
use p3_field::PrimeCharacteristicRing;

/// Declares a program as a module and as its text.
macro_rules! program {
    ($name:ident { $($text:tt)* }) => {
        mod $name {
            pub const SOURCE: &str = stringify!($($text)*);
            $($text)*
        }
    };
}

// Asserts that the blocks of both functions are those of the tape, and reveals two lanes.
program!(squares {
    use droste_gadgets::prelude::*;

    pub fn main() {
        let position = public_input();
        let low = public_input();
        let top = public_input();
        let zero = Felt::ZERO;
        let x = Block::new([low, zero, zero, zero, top, zero, zero, zero]);
        let other = Block::new([top, low, low, top, low, top, top, low]);
        let powers = binary_conjugates(x, other, 3);
        let points = binary_points(position, Slice::from_blocks([x, other, x]), 3);
        let expected = hint_slice(12).any();
        for i in 0..6 {
            assert_eq!(powers.block(i), expected.block(i));
            assert_eq!(points.block(i), expected.block(6 + i));
        }
        reveal(powers.block(4).lane(1));
        reveal(points.block(2).lane(3));
    }
});

/// Inputs of the program: the position, and the lowest and the top lane of the element.
const PUBLIC: [u32; 3] = [6, 0x3fff_ffff, 0xa5];

/// What the native functions say of the inputs, as the program's hint.
fn tape() -> NativeTape {
    let [position, low, top] = PUBLIC.map(F::from_u32);
    let mut x = [F::ZERO; LANES];
    (x[0], x[4]) = (low, top);
    let other = [top, low, low, top, low, top, top, low];
    let mut blocks = binary_conjugates(&x, &other, 3).unwrap();
    blocks.extend(binary_points(position, &[x, other, x]).unwrap());
    NativeTape {
        hints: vec![Hint::Slice(
            blocks.into_iter().map(|block| block.map(Some)).collect(),
        )],
    }
}

fn program() -> Program {
    Program::new("squares", squares::SOURCE, squares::main)
}

#[test]
fn squares_are_the_same_both_ways() {
    assert_eq!(program().mutate_hints(&tape(), &PUBLIC), 0);
    // A position of more bits, and what is no element.
    for public in [[8, 1, 1], [6, 1 << 30, 1], [6, 1, 256]] {
        program().both(&tape(), &public).unwrap_err();
    }
}

#[test]
fn squares_are_proved() {
    let compiled = program().compiled;
    let public = PUBLIC.map(F::from_u32);
    let execution = execute(&compiled, &public, &machine_tape(&tape()), 1 << 16).unwrap();
    let native = program().native(&tape(), &PUBLIC).unwrap();
    assert_eq!(execution.statement, native.map(F::from_u32));
    let settings = WhirSettings::toy();
    let key = ProvingKey::<StandardTables>::new(&compiled.program, settings, Heights::Minimal);
    let key = key.unwrap();
    let proof = key.prove_run(&execution).unwrap();
    let verifier = Verifier::<StandardTables>::new(key.key().clone()).unwrap();
    let options = || VerifyOptions::min_bits(0);
    verifier
        .report(&execution.statement, options(), &proof)
        .unwrap();
    let mut other = execution.statement;
    other[3] += F::ONE;
    verifier.report(&other, options(), &proof).unwrap_err();
}
