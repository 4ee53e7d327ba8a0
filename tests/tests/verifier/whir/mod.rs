//! Proofs over WHIR, verified by `droste_gadgets::verify::whir`, natively and in the
//! machine; and false ones.

mod check;
mod contract;
mod dishonest;
mod order;
mod products;
mod prover;
mod shapes;
mod trials;

use droste_gadgets::prelude::Felt;
use droste_gadgets::verify::recursion::Key;
use droste_native::F;
use droste_native::changes::{Changes, LENGTHS};
use droste_native::whir::{OpeningError, WhirSettings};
use droste_verifier::circuit::{CircuitError, RecursionCircuit};
use droste_verifier::claim::claim_digest;
use droste_verifier::shape::{WhirShapeError, whir_shape};
use droste_verifier::tape::{TapeError, machine_tape};
use droste_vm::compiler::{Compiled, compile};
use droste_vm::executor::{Tape, execute};
use droste_vm::heights::Heights;
use droste_vm::machine::StandardTables;
use droste_vm::record::Execution;
use droste_vm::stack::Prove;
use droste_vm::verifier::{VerifyError, VerifyOptions};
use droste_vm::whir::{KEY_TAG, Proof, ProvingKey, Verifier, decode, encode};
use p3_field::{PrimeCharacteristicRing, PrimeField32};

/// The part of a key that the program which verifies its proofs takes as given.
fn verifier_key<H: prover::DishonestSuite>(case: &prover::Case<H>) -> Key {
    let mut header = case.honest.key.preimage();
    header.truncate(16);
    let block = |block: &[F; 8]| block.map(|lane| lane.as_canonical_u32());
    Key {
        tag: Felt::from(KEY_TAG),
        header: header.as_chunks().0.iter().map(block).collect(),
    }
}

/// Toy settings with proofs of work at every site.
fn with_work() -> WhirSettings {
    WhirSettings {
        security_level: 30,
        grinding_bits: 4,
        lookup_grinding_bits: 3,
        cap_height: 2,
        ..WhirSettings::toy()
    }
}

/// A proof, and the circuit that verifies proofs of its shape.
struct Case {
    verifier: Verifier<StandardTables>,
    proof: Proof,
    circuit: RecursionCircuit,
}

impl Case {
    fn new(compiled: &Compiled, execution: &Execution, settings: WhirSettings) -> Self {
        let heights = Heights::Minimal;
        let key = ProvingKey::<StandardTables>::new(&compiled.program, settings, heights).unwrap();
        let proof = key.prove_run(execution).unwrap();
        let verifier = Verifier::<StandardTables>::new(key.key().clone()).unwrap();
        verifier
            .verify(&execution.statement, VerifyOptions::min_bits(0), &proof)
            .unwrap();
        let circuit = RecursionCircuit::over_whir(&verifier, &proof.log_heights, 1).unwrap();
        Self {
            verifier,
            proof,
            circuit,
        }
    }

    /// A run of a program that squares its input.
    fn square(settings: WhirSettings) -> Self {
        let source = "use droste_gadgets::prelude::*;
            pub fn main() { let x = public_input(); reveal(x * x); }";
        let compiled = compile(source, &[]).unwrap();
        let execution = execute(&compiled, &[F::from_u32(12)], &Tape::default(), 1 << 16).unwrap();
        Self::new(&compiled, &execution, settings)
    }

    /// The run of the circuit on the proof. It reveals the claim.
    fn run(&self) -> Execution {
        let execution = self.circuit.execute(&[&self.proof]).unwrap();
        let claim = claim_digest(&[(self.verifier.key().digest(), self.proof.statement)]);
        assert_eq!(execution.statement, claim);
        execution
    }
}

/// The program's run is proved, and this proof is verified by a program again: its tables are all
/// those of the recursion machine, with heights that differ.
#[test]
fn proofs_of_proofs_are_verified() {
    let first = Case::square(with_work());
    let execution = first.run();
    let settings = WhirSettings {
        log_block: 13,
        ..WhirSettings::toy()
    };
    let second = Case::new(first.circuit.compiled(), &execution, settings);
    assert_eq!(second.proof.log_heights.len(), 7);
    println!("{} cycles", second.run().cycles.len());
}

/// A false value at any hint site of the program, in the machine, is refused.
#[test]
fn false_hints_are_refused_in_the_machine() {
    let case = Case::square(with_work());
    let tape = case.circuit.tape(&[&case.proof]).unwrap();
    crate::hints::sites::check(case.circuit.compiled(), &machine_tape(&tape));
}

/// Whatever number of a proof changes, the program rejects it, as the native verifier does.
#[test]
fn changed_proofs_are_rejected() {
    for settings in [WhirSettings::toy(), with_work()] {
        let case = Case::square(settings);
        let changes = Changes::new(&case.proof).unwrap();
        // Of long lists the first, the middle and the last element.
        let mut places = changes.places(|place| {
            let element = place.element;
            element.is_none_or(|(at, count)| [0, count / 2, count - 1].contains(&at))
        });
        let parts = ["statement.", "key.program.", "stark."];
        places.retain(|place| parts.iter().any(|part| place.kind.starts_with(part)));
        let mut rejected = 0;
        for place in &places {
            let Some(proof) = changes.with(place, |node| node.flip(0)) else {
                continue;
            };
            let verdict = case
                .verifier
                .verify(&[], VerifyOptions::min_bits(0), &proof);
            assert!(verdict.is_err(), "{}", place.name);
            // The program takes statement and commitment to the program from the proof, and reveals
            // them with its claim: but others belong to no proof.
            assert!(case.circuit.tape(&[&proof]).is_err(), "{}", place.name);
            rejected += 1;
        }
        println!("{rejected} changes rejected");
        assert!(rejected > 150);
    }
}

/// Before the challenges of lookups there is one nonce if there is a proof of work, and none if
/// not.
#[test]
fn work_before_lookups_has_one_nonce() {
    for (settings, counts) in [(with_work(), [0, 2]), (WhirSettings::toy(), [1, 2])] {
        let case = Case::square(settings);
        for count in counts {
            let mut proof = decode(&encode(&case.proof).unwrap()).unwrap();
            let nonces = &mut proof.stark.lookup_nonces;
            nonces.resize(count, nonces.first().copied().unwrap_or_default());
            let verdict = case
                .verifier
                .verify(&[], VerifyOptions::min_bits(0), &proof);
            let expected = settings.lookup_grinding_bits.min(1);
            assert!(matches!(
                verdict,
                Err(VerifyError::WhirOpening(OpeningError::Length { list: "nonces", expected: number, found }))
                    if (number, found) == (expected, count)
            ));
        }
    }
}

/// Whatever list of a proof has another length, there is no tape.
#[test]
fn proofs_of_another_shape_have_no_tape() {
    let case = Case::square(with_work());
    let changes = Changes::new(&case.proof).unwrap();
    let lists = [
        "stark.outside",
        "stark.lookup_nonces",
        "stark.fractions.layers",
        "stark.fractions.layers[1].rounds",
        "stark.zerocheck.rounds",
        "stark.zerocheck.rounds[0]",
        "stark.opened",
        "stark.opened[0].main",
        "stark.opened[0].main_next",
        "stark.opening.sumcheck.messages",
        "stark.opening.sumcheck.nonces",
        "stark.opening.rounds",
        "stark.opening.rounds[0].outside",
        "stark.opening.rounds[0].queries.nonces",
        "stark.opening.rounds[0].queries.trees",
        "stark.opening.rounds[0].queries.trees[0].leaves",
        "stark.opening.rounds[0].queries.trees[0].leaves[0]",
        "stark.opening.final_polynomial",
        "stark.opening.final_queries.trees",
        "stark.opening.final_sumcheck.messages",
    ];
    let all = changes.lists();
    for name in lists {
        let place = all.iter().find(|place| place.name == name);
        let place = place.unwrap_or_else(|| panic!("{name} is no list"));
        let changed = LENGTHS.map(|edit| changes.with_list(place, edit));
        for proof in changed.into_iter().flatten() {
            let verdict = case.circuit.tape(&[&proof]).map(|_| ());
            let of_shape = matches!(
                verdict,
                Err(CircuitError::Tape(
                    TapeError::Shape { .. } | TapeError::Nonce { .. } | TapeError::Path(_)
                ))
            );
            assert!(of_shape, "{name}: {verdict:?}");
        }
    }
}

#[test]
fn programs_without_a_verifier_are_refused() {
    let case = Case::square(WhirSettings::toy());
    let mut heights = case.proof.log_heights.clone();
    heights[0] = 30;
    assert!(matches!(
        RecursionCircuit::over_whir(&case.verifier, &heights, 1),
        Err(CircuitError::Heights(_))
    ));
    // Leaves are compared with their combination at one point of the field, which is too small.
    let (scheme, heights) = case.verifier.shape(&case.proof.log_heights).unwrap();
    let level = 146;
    let settings = WhirSettings {
        security_level: level,
        ..WhirSettings::toy()
    };
    let shape = whir_shape(case.verifier.system(), &heights, &scheme, &settings);
    assert_eq!(shape.unwrap_err(), WhirShapeError::Level { level });
}
