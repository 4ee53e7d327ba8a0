//! Programs whose challenges have degree 4.

use std::collections::BTreeSet;

use droste_native::{EF4, precompile};
use p3_field::{BasedVectorSpace, Field};

use super::*;
use crate::isa::{Op, id};

fn element(coefficients: [F; 5]) -> EF4 {
    EF4::from_basis_coefficients_fn(|i| coefficients[i])
}

/// Four coefficients, and a zero.
fn coefficients(seed: u32) -> [F; 5] {
    std::array::from_fn(|i| match i {
        4 => F::ZERO,
        _ => F::from_u32(seed * (i as u32 + 7) + 3),
    })
}

/// Returns the identities of the precompiles that a program calls.
fn called(compiled: &Compiled) -> BTreeSet<u32> {
    let instructions = compiled.program.instructions.iter();
    let calls = instructions.filter(|instruction| instruction.op == Op::Call);
    calls.map(|instruction| instruction.id).collect()
}

#[test]
fn arithmetic_agrees_with_the_field() {
    let body = "
        quartic();
        let a = hint_ext().checked();
        let b = hint_ext().checked();
        let f = hint_felt().any();
        let r = (a * b - b * f + a) * (a - f) - (b - a * a) * Ext::new([1, 2, 3, 4, 0]);
        let s = -r + Ext::from_coeffs([f, f * f, Felt::ONE, f + f, Felt::ZERO]);
        let t = s.inverse() * (Ext::ONE - a) + (Ext::from_felt(f) - b) - a * b;
        let x = Ext::new([0, 1, 0, 0, 0]);
        let u = t * (x * x + x).inverse() + x * x * x * x;
        assert!(a != b);
        for i in 0..Ext::degree() { reveal(u.coeff(i)); }";
    let compiled = compile(&main_of("", body), &[]).unwrap();
    assert!(called(&compiled).contains(&id::EXT4));
    assert!(!called(&compiled).contains(&id::EXT));
    let (a, b, f) = (coefficients(1234), coefficients(98765), F::from_u32(424242));
    let tape_of = |a| {
        let mut tape = Tape::default();
        tape.ext(a);
        tape.ext(b);
        tape.felt(f);
        tape
    };
    let execution = execute(&compiled, &[], &tape_of(a), 1 << 20).unwrap();
    // A fifth coefficient is none of an element.
    let mut five = a;
    five[4] = F::ONE;
    let error = execute(&compiled, &[], &tape_of(five), 1 << 20).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("lanes 4 to 7 of the block are not zero"),
        "{text}"
    );

    let (a, b) = (element(a), element(b));
    let constant = element([1, 2, 3, 4, 0].map(F::from_u32));
    let r = (a * b - b * f + a) * (a - f) - (b - a * a) * constant;
    let s = -r + element([f, f * f, F::ONE, f + f, F::ZERO]);
    let t = s.inverse() * (EF4::ONE - a) + (EF4::from(f) - b) - a * b;
    let x = element([0, 1, 0, 0, 0].map(F::from_u32));
    let u = t * (x * x + x).inverse() + F::from_u32(3);
    let expected: &[F] = u.as_basis_coefficients_slice();
    assert_eq!(execution.statement[..4], *expected);
    assert_eq!(execution.statement[4..], [F::ZERO; 4]);
}

#[test]
fn precompiles_are_those_of_degree_4() {
    let body = "
        quartic();
        let data = hint_slice(2).any();
        let elements = unpack(data, 5, 2);
        assert_unpacked(data, 5, 2, elements);
        let (left, right) = (elements.block(0).as_ext(), elements.block(1).as_ext());
        let sum = horner(data, 3, 7, Ext::new([3, 1, 4, 1, 0]));
        let folded = fold_pair(left, right, sum);
        for i in 0..Ext::degree() { reveal(folded.coeff(i)); }
        let five = [felt(1), felt(2), felt(3), felt(4), felt(5)];
        let z = Felt::ZERO;
        let five = Block::new([five[0], five[1], five[2], five[3], five[4], z, z, z]);
        reveal(poseidon16_compress(five, Block::ZERO).lane(0));";
    let compiled = compile(&main_of("", body), &[]).unwrap();
    let called = called(&compiled);
    assert!(
        [id::EXT4, id::HORNER4, id::UNPACK4]
            .iter()
            .all(|id| called.contains(id))
    );
    assert!(
        [id::EXT, id::HORNER, id::UNPACK]
            .iter()
            .all(|id| !called.contains(id))
    );
    let data: [[F; 8]; 2] = [0, 1].map(|i| std::array::from_fn(|j| F::from_usize(100 * i + j)));
    let mut tape = Tape::default();
    tape.slice(&data);
    let execution = execute(&compiled, &[], &tape, 1 << 20).unwrap();
    let [left, right] = precompile::unpack::<EF4>(&data, 5, 2).unwrap()[..] else {
        unreachable!()
    };
    let beta = element([3, 1, 4, 1, 0].map(F::from_u32));
    let sum = precompile::horner(&data, 3, 7, beta).unwrap();
    let folded = precompile::ext_to_block(precompile::fold(left, right, sum));
    let five = [1, 2, 3, 4, 5, 0, 0, 0].map(F::from_u32);
    let digest = precompile::poseidon16_compress(&five, &[F::ZERO; 8]);
    assert_eq!(execution.statement[..4], folded[..4]);
    assert_eq!(
        execution.statement[4..],
        [digest[0], F::ZERO, F::ZERO, F::ZERO]
    );
}

/// Elements of GF(2^128) have five lanes at every degree.
#[test]
fn binary_elements_are_of_no_degree() {
    let body = "
        let data = hint_slice(2).any();
        let elements = unpack_binary(data, 3, 2);
        let words = hint_slice(1).any();
        let sum = word_products(words, 1, elements, elements.block(1));
        for i in 0..5usize { reveal(sum.lane(i)); }";
    let lane = |lane: u32| F::from_u32(lane % 256);
    let data: [[F; 8]; 2] = [0, 1].map(|i| std::array::from_fn(|j| lane(100 * i + j as u32)));
    let words: [F; 8] = std::array::from_fn(|i| F::from_usize(77 * i + 5));
    let elements = [3, 8].map(|first| -> [F; 8] {
        let lanes = data.as_flattened();
        std::array::from_fn(|i| if i < 5 { lanes[first + i] } else { F::ZERO })
    });
    let expected = precompile::word_products(&[words], &elements, &elements[1]).unwrap();
    for quartic in ["", "quartic();"] {
        let compiled = compile(&main_of("", &format!("{quartic}{body}")), &[]).unwrap();
        let called = called(&compiled);
        assert!(called.contains(&id::UNPACK) && !called.contains(&id::UNPACK4));
        let mut tape = Tape::default();
        tape.slice(&data);
        tape.slice(&[words]);
        let execution = execute(&compiled, &[], &tape, 1 << 20).unwrap();
        assert_eq!(execution.statement[..5], expected[..5]);
    }
}

#[test]
fn a_degree_is_chosen_once_and_first() {
    let never = "#[inline(never)]\nfn choose() { quartic(); }";
    let late = "something may depend on the degree";
    for (items, body, expected) in [
        ("", "let x = public_input(); quartic(); reveal(x);", late),
        ("", "let _x = hint_felt(); quartic();", late),
        ("", "quartic(); quartic();", late),
        ("", "let _x = Ext::new([0, 1, 0, 0, 0]); quartic();", late),
        ("", "let _x = Ext::ONE * Ext::ONE; quartic();", late),
        ("", "let _n = Ext::degree(); quartic();", late),
        ("", "for _i in count(2) { quartic(); }", "exactly once"),
        (never, "choose();", "exactly once"),
        (
            "",
            "quartic(); let _x = Ext::new([0, 0, 0, 0, 1]);",
            "four coefficients",
        ),
        (
            "",
            "quartic(); let x = public_input(); let _x = Ext::from_coeffs([x, x, x, x, x]);",
            "four coefficients",
        ),
        ("", "quartic(); reveal(Ext::ONE.coeff(4));", "only 0 to 3"),
        (
            "",
            "quartic(); let x = public_input(); let _x = Block::new([felt(5); 8]).as_ext();",
            "lanes 4 to 7",
        ),
        (
            "",
            "quartic(); let _x = power_weights(hint_slice(1).any(), 1, felt(3), felt(1));",
            "Exts of degree 5",
        ),
    ] {
        let source = main_of(items, body);
        let Err(error) = compile(&source, &[]) else {
            panic!("this compiles: {source}");
        };
        assert!(
            error.message.contains(expected),
            "{source}\n{}",
            error.message
        );
    }
}
