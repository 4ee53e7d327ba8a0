//! A proof of products in GF(2^128), whose table has a polynomial identity.

use droste_native::stark::security::Preset;
use droste_native::whir::WhirSettings;
use droste_native::{EF, F, HashId};
use droste_verifier::aggregate::Aggregator;
use droste_verifier::proofs;
use droste_vm::compiler::{Compiled, compile};
use droste_vm::executor::{Tape, execute};
use droste_vm::record::Execution;
use droste_vm::verifier::{VerifyError, VerifyOptions};
use droste_vm::whir::zerocheck::ZerocheckError;
use droste_vm::whir::{decode, encode};
use p3_field::PrimeCharacteristicRing;

use super::Case;

const PUBLIC: [F; 1] = [F::new(20)];

/// Their tables have room for the pairs of carries that 60 products may look up.
const SETTINGS: WhirSettings = WhirSettings {
    log_block: 13,
    ..WhirSettings::toy()
};

/// Squares, dot products and multiples, as often as the input says.
fn run() -> (Compiled, Execution) {
    let source = "use droste_gadgets::prelude::*;
        pub fn main() {
            let n = public_input();
            let zero = Felt::ZERO;
            let x = Block::new([n, felt(0x3fff_ffff), n, n, felt(0xff), zero, zero, zero]);
            let y = Block::new([felt(5), n, n, zero, n, zero, zero, zero]);
            let mut sum = y;
            for _i in count_to(n) {
                let square = binary_product(sum, sum, x);
                let left = Slice::from_blocks([x, Block::ZERO, square]);
                let right = Slice::from_blocks([y, sum]);
                sum = binary_scale(square, right, binary_dot(left, 2, right, y));
            }
            reveal(sum.lane(0));
            reveal(sum.lane(4));
        }";
    let compiled = compile(source, &[]).unwrap();
    let execution = execute(&compiled, &PUBLIC, &Tape::default(), 1 << 16).unwrap();
    (compiled, execution)
}

/// The program that is generated from the tables accepts the proof, natively and in the machine,
/// and no other value of a column.
#[test]
fn proofs_with_identities_are_verified() {
    let (compiled, execution) = run();
    let case = Case::new(&compiled, &execution, SETTINGS);
    println!("{} cycles", case.run().cycles.len());

    let tables = case.verifier.system().tables().iter();
    let places = tables.enumerate();
    let mut places = places.filter(|(_, table)| !table.expressions.identities().is_empty());
    let (index, table) = places.next().unwrap();
    assert_eq!((table.name, places.count()), ("binary_products", 0));
    let bytes = encode(&case.proof).unwrap();
    for slot in (0..table.main.width()).step_by(97) {
        let mut proof = decode(&bytes).unwrap();
        proof.stark.opened.forge()[index].main[slot] += EF::ONE;
        let verdict =
            case.verifier
                .verify(&execution.statement, VerifyOptions::min_bits(0), &proof);
        let expected = VerifyError::Zerocheck(ZerocheckError::Value);
        assert_eq!(verdict.unwrap_err().to_string(), expected.to_string());
        assert!(case.circuit.tape(&[&proof]).is_err(), "slot {slot}");
    }
}

/// It is wrapped in R.
#[test]
fn proofs_with_identities_are_wrapped() {
    let (compiled, execution) = run();
    let made = proofs::prove(HashId::Poseidon16, &compiled, &execution, &PUBLIC, SETTINGS);
    let made = made.unwrap();
    let aggregator = Aggregator::for_preset(Preset::Toy, 1);
    let options = VerifyOptions::min_bits(0);
    let wrap = aggregator.wrap_bytes(&made.bytes, &compiled, &PUBLIC, options);
    let wrap = wrap.unwrap();
    assert!(aggregator.is_canonical(wrap.proof()));
    let key = proofs::claimed(&made.bytes).unwrap().key;
    assert_eq!(wrap.tree().leaves(), [(key, execution.statement)]);
}
