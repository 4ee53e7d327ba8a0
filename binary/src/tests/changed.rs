//! Proofs of which one number or one list is another: each is refused by the check that is meant
//! for it, and none makes the verifier panic.

use droste_native::changes::{Changes, LENGTHS, Place};

use crate::calls::{Hash, HashCalls};
use crate::columns::ColumnsError;
use crate::error::BinaryError;
use crate::graph::{HashGraph, Source};
use crate::opening::OpeningError;
use crate::proof::{prove, verify};
use crate::reduction::ReductionError;
use crate::ring_switch::RingSwitchError;
use crate::statement::Statement;
use crate::statement::tests::calls;
use crate::tree_hash::Poseidon16;
use crate::witness::Witness;
use crate::zerocheck::ZerocheckError;

type Proof = crate::proof::Proof<Poseidon16>;

/// What refuses a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refused {
    /// The length of a list.
    Shape,
    Constraints,
    Values,
    Sums,
    /// A row of a codeword: its position, its numbers, or its path.
    Path,
    Claim,
}

fn refused<'a>(statement: impl Into<Statement<'a>>, proof: &Proof) -> Refused {
    match verify(statement, proof).unwrap_err() {
        BinaryError::Reduction(ReductionError::Zerocheck(error)) => match error {
            ZerocheckError::Shape(_) => Refused::Shape,
            ZerocheckError::Constraints => Refused::Constraints,
        },
        BinaryError::Reduction(ReductionError::Columns(error)) => match error {
            ColumnsError::Rounds(_) => Refused::Shape,
            ColumnsError::Values => Refused::Values,
        },
        BinaryError::Reduction(ReductionError::RingSwitch(error)) => match error {
            RingSwitchError::Number(_) => Refused::Shape,
            RingSwitchError::Sums => Refused::Sums,
        },
        BinaryError::Opening(error) => match error {
            OpeningError::Length { .. } | OpeningError::RoundLength { .. } => Refused::Shape,
            OpeningError::Path { .. } => Refused::Path,
        },
        BinaryError::Claim => Refused::Claim,
        error => panic!("{error}"),
    }
}

/// A list whose opening has two rounds, and its proof.
fn example(hash: Hash) -> (HashCalls, Proof) {
    let calls = calls(hash, if hash == Hash::Blake3 { 33 } else { 9 });
    let proof = prove(&calls).unwrap();
    assert_eq!(proof.opening.rounds.len(), 2);
    (calls, proof)
}

/// All places of a proof but those in most queries.
fn places(changes: &Changes<Proof>) -> Vec<Place<'_>> {
    changes.places(|place| place.kind != "opening.rounds.*.queries.*" || place.is_end())
}

/// What refuses another number.
fn expected(place: &Place<'_>) -> Refused {
    let parts = [
        // The root determines the weights of constraints.
        ("root", Refused::Constraints),
        ("reduction.zerocheck", Refused::Constraints),
        ("reduction.columns", Refused::Values),
        ("reduction.bits", Refused::Sums),
        ("opening.last_messages", Refused::Claim),
        // What comes before rows determines their positions.
        ("opening", Refused::Path),
    ];
    let part = parts.iter().find(|(part, _)| place.kind.starts_with(part));
    part.expect("it is in a part of the proof").1
}

fn another_number_is_refused_of(statement: Statement<'_>, proof: &Proof) {
    let changes = Changes::new(proof).unwrap();
    for place in places(&changes).iter().filter(|place| place.is_number()) {
        let changed = changes.with(place, |number| number.flip(0)).unwrap();
        let (hash, name) = (statement.hash(), &place.name);
        assert_eq!(
            refused(statement, &changed),
            expected(place),
            "{hash}: {name}"
        );
    }
    assert!(verify(statement, proof).is_ok());
}

#[test]
fn another_number_is_refused() {
    for hash in [Hash::Blake3, Hash::KeccakF] {
        let (calls, proof) = example(hash);
        another_number_is_refused_of((&calls).into(), &proof);
    }
}

/// A chain of a hash that only graphs have.
#[test]
fn another_number_of_a_proof_of_a_graph_is_refused() {
    let mut graph = HashGraph::new(Hash::KeccakRate);
    graph.push(&[Source::Witness; 13]).unwrap();
    for call in 0..8 {
        let input: [Source; 13] = std::array::from_fn(|element| Source::output(call, element));
        graph.push(&input).unwrap();
    }
    let witness = Witness::of_graph(&graph, &[[0; 16]; 13]).unwrap();
    let proof = prove(witness).unwrap();
    assert_eq!(proof.opening.rounds.len(), 2);
    another_number_is_refused_of((&graph).into(), &proof);
}

#[test]
fn another_length_is_an_error_and_another_order_is_refused() {
    // Keccak's constraints are one group, so that no order of groups is another one.
    let (calls, proof) = example(Hash::Blake3);
    let changes = Changes::new(&proof).unwrap();
    for place in places(&changes).iter().filter(|place| place.is_list()) {
        let name = &place.name;
        for edit in LENGTHS {
            let changed = changes.with_list(place, edit).unwrap();
            assert_eq!(refused(&calls, &changed), Refused::Shape, "{name}");
        }
        let Some(changed) = changes.with_list(place, |list| list.reverse()) else {
            assert_eq!(name, "opening.roots", "a list of one root, reversed");
            continue;
        };
        // Rounds in another order have queries of another shape.
        let is_shape = refused(&calls, &changed) == Refused::Shape;
        assert_eq!(is_shape, name == "opening.rounds", "{name}");
    }
}

#[test]
fn proofs_of_longer_and_shorter_lists() {
    let (_, proof) = example(Hash::KeccakF);
    for count in [1, 8, 17, 100] {
        assert_eq!(
            refused(&calls(Hash::KeccakF, count), &proof),
            Refused::Shape
        );
    }
    // Lists of one shape.
    for count in [10, 16] {
        assert_eq!(
            refused(&calls(Hash::KeccakF, count), &proof),
            Refused::Constraints
        );
    }
}

#[test]
fn proofs_of_other_hashes() {
    for hash in Hash::ALL {
        let proof: Proof = prove(&calls(hash, 9)).unwrap();
        for other in Hash::ALL.into_iter().filter(|&other| other != hash) {
            assert_eq!(refused(&calls(other, 9), &proof), Refused::Shape);
        }
    }
}

#[test]
fn bytes() {
    let config = bincode::config::standard();
    let decode = |bytes: &[u8]| bincode::serde::decode_from_slice::<Proof, _>(bytes, config);
    let (_, proof) = example(Hash::KeccakF);
    let bytes = bincode::serde::encode_to_vec(&proof, config).unwrap();
    assert_eq!(decode(&bytes).unwrap(), (proof, bytes.len()));
    for length in (0..bytes.len()).step_by(997) {
        assert!(decode(&bytes[..length]).is_err());
    }
    // The root comes first, and its numbers have one form.
    for number in 0..8 {
        let mut bytes = bytes.clone();
        bytes[4 * number..][..4].fill(0xff);
        assert!(decode(&bytes).is_err());
    }
}
