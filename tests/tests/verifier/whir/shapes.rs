//! Assertions of the verifier about the shape of its proofs.

use droste_gadgets::SOURCES;
use droste_native::Poseidon16Suite;
use droste_vm::compiler::{CompileError, compile_file};
use droste_vm::whir::{decode, encode};

use super::prover::Case;

/// The text with another number in the first field of this name of the opening's shape.
fn with_number(text: &str, field: &str, number: impl Fn(usize) -> usize) -> String {
    let from = text.find("opening: Opening {").unwrap();
    let name = format!(" {field}: ");
    let start = from + text[from..].find(&name).unwrap() + name.len();
    let end = start + text[start..].find(',').unwrap();
    let old = text[start..end].parse().unwrap();
    format!("{}{}{}", &text[..start], number(old), &text[end..])
}

/// What the compiler says about a program that fails whatever is on the tape.
fn refusal(text: &str) -> Option<String> {
    let error: CompileError = *compile_file("shape.rs", text, SOURCES).err()?;
    let path = error
        .source_code
        .name()
        .strip_prefix("droste_gadgets/verify/");
    let text = &error.source_code.inner()[error.span.offset()..];
    let words: Vec<&str> = text.split_whitespace().take(20).collect();
    Some(format!("{}: {}", path.unwrap_or_default(), words.join(" ")))
}

/// Assertions about a shape, which is a constant of the program: none fails for any proof, and
/// there is no program for a shape for which one would.
#[test]
fn shapes_without_a_program() {
    let text = Case::<Poseidon16Suite>::shared().circuit.text();
    let position = "use droste_gadgets::suites::hash::Challenger;
        use droste_gadgets::suites::poseidon16::Poseidon16Challenger;
        use droste_gadgets::prelude::*;
        pub fn main() {
            let mut t = Poseidon16Challenger::new();
            t.observe(Felt::ONE);
            reveal(t.read_extensions(1)[0].coeff(0));
        }";
    let changes = [
        (
            "whir/opening/query.rs: assert_eq!(commitments.len(), queries.trees.len())",
            text.replacen("trees: vec![", "trees: vec![vec![0], ", 1),
        ),
        (
            "whir/opening/query.rs: assert!(queries.count > 0)",
            with_number(text, "count", |_| 0),
        ),
        (
            "whir/opening/query.rs: assert!(queries.log_leaves <= 24)",
            with_number(text, "log_leaves", |_| 25),
        ),
        (
            "whir/opening.rs: assert_eq!(coordinates.len(), shape.variables)",
            with_number(text, "variables", |n| n + 1),
        ),
        (
            "whir/opening/sumcheck.rs: assert_eq!(length, 1)",
            with_number(text, "final_variables", |n| n + 1),
        ),
        (
            "whir.rs: assert_eq!(Ext::degree(), 5)",
            text.replacen("pub fn main() {\n", "pub fn main() {\n    quartic();\n", 1),
        ),
        // In `duplex.rs`.
        (": assert_eq!(at % 8, 0)", position.to_owned()),
    ];
    assert_eq!(refusal(text), None);
    for (expected, changed) in changes {
        assert_ne!(changed, text);
        let found = refusal(&changed);
        let is_expected = found
            .as_ref()
            .is_some_and(|found| found.starts_with(expected));
        assert!(is_expected, "expected {expected}, found {found:?}");
    }
}

/// A key with another number of digests is an error, not a panic.
#[test]
fn keys_with_other_numbers_of_digests() {
    let case = Case::<Poseidon16Suite>::shared();
    let bytes = encode(&case.honest).unwrap();
    for number in [0, 1, 3, 8] {
        let mut proof = decode::<Poseidon16Suite>(&bytes).unwrap();
        assert_eq!(proof.key.program.len(), 4);
        proof.key.program.resize(number, Default::default());
        case.circuit.tape(&[&proof]).unwrap_err();
    }
}
