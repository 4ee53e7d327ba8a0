//! Proofs of which one number or one list is another: each is refused by the check that is meant
//! for it, and none makes the verifier panic.

use droste_native::stark::challenger::Sent;
use p3_field::PrimeCharacteristicRing;
use p3_koala_bear::KoalaBear as F;

use crate::calls::{Hash, HashCalls};
use crate::columns::ColumnsError;
use crate::error::BinaryError;
use crate::field::K;
use crate::opening::OpeningError;
use crate::proof::{prove, verify};
use crate::reduction::ReductionError;
use crate::ring_switch::RingSwitchError;
use crate::statement::tests::calls;
use crate::tree_hash::Poseidon16;
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

fn refused(calls: &HashCalls, proof: &Proof) -> Refused {
    match verify(calls, proof).unwrap_err() {
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

enum Number<'a> {
    Binary(&'a mut K),
    Prime(&'a mut F),
}

impl Number<'_> {
    /// Adds one, or takes it away.
    fn add(self, one: bool) {
        match self {
            Number::Binary(number) => *number += K::ONE,
            Number::Prime(number) => *number += if one { F::ONE } else { -F::ONE },
        }
    }
}

/// All numbers but those of most queries, with what refuses another one.
fn numbers(proof: &mut Proof) -> Vec<(Refused, Number<'_>)> {
    let Proof {
        root,
        reduction,
        opening,
    } = proof;
    let (zerocheck, columns) = (&mut reduction.zerocheck, &mut reduction.columns);
    let mut numbers: Vec<(Refused, Number<'_>)> = Vec::new();
    let prime = |refused| move |number| (refused, Number::Prime(number));
    let binary = |refused| move |number| (refused, Number::Binary(number));
    // The root determines the weights of constraints.
    numbers.extend(root.forge().iter_mut().map(prime(Refused::Constraints)));
    let constraints = (zerocheck.bits.forge().iter_mut())
        .chain(zerocheck.rounds.iter_mut().flat_map(Sent::forge))
        .chain(zerocheck.operands.forge())
        .chain(zerocheck.rests.forge());
    numbers.extend(constraints.map(binary(Refused::Constraints)));
    let messages = columns.rounds.iter_mut().map(Sent::forge);
    let messages = messages.flat_map(|message| [&mut message.constant, &mut message.leading]);
    let values = messages.chain(columns.values.forge());
    numbers.extend(values.map(binary(Refused::Values)));
    numbers.extend(reduction.bits.forge().iter_mut().map(binary(Refused::Sums)));
    // What comes before rows determines their positions.
    for round in &mut opening.rounds {
        let messages = round.messages.iter_mut().map(Sent::forge);
        let messages = messages.flat_map(|message| [&mut message.constant, &mut message.leading]);
        numbers.extend(messages.map(binary(Refused::Path)));
        if let [first, .., last] = &mut round.queries[..] {
            for query in [first, last] {
                numbers.extend(query.row.forge().iter_mut().map(binary(Refused::Path)));
                let path = query.path.iter_mut().flatten();
                numbers.extend(path.map(prime(Refused::Path)));
            }
        }
    }
    let roots = opening.roots.iter_mut().flat_map(Sent::forge);
    numbers.extend(roots.map(prime(Refused::Path)));
    numbers.extend(
        opening
            .last_polynomial
            .forge()
            .iter_mut()
            .map(binary(Refused::Path)),
    );
    let messages = opening.last_messages.iter_mut().map(Sent::forge);
    let messages = messages.flat_map(|message| [&mut message.constant, &mut message.leading]);
    numbers.extend(messages.map(binary(Refused::Claim)));
    numbers
}

#[test]
fn another_number_is_refused() {
    for hash in [Hash::Blake3, Hash::KeccakF] {
        let (calls, mut proof) = example(hash);
        let mut changed = 0;
        while let Some((expected, number)) = numbers(&mut proof).into_iter().nth(changed) {
            number.add(true);
            assert_eq!(
                refused(&calls, &proof),
                expected,
                "{hash}: number {changed}"
            );
            numbers(&mut proof).swap_remove(changed).1.add(false);
            changed += 1;
        }
        assert!(verify(&calls, &proof).is_ok());
    }
}

/// Clears a list, shortens it, lengthens it, or reverses it; whether that changed it.
fn edit<T: Clone + PartialEq>(list: &mut Vec<T>, how: usize) -> bool {
    let original = list.clone();
    match how {
        0 => list.clear(),
        1 => drop(list.pop()),
        2 => list.extend_from_within(..1.min(original.len())),
        _ => list.reverse(),
    }
    *list != original
}

#[test]
fn another_length_is_an_error_and_another_order_is_refused() {
    let lists: [fn(&mut Proof, usize) -> bool; 15] = [
        |proof, how| edit(proof.reduction.zerocheck.bits.forge(), how),
        |proof, how| edit(&mut proof.reduction.zerocheck.rounds, how),
        |proof, how| edit(proof.reduction.zerocheck.operands.forge(), how),
        |proof, how| edit(proof.reduction.zerocheck.rests.forge(), how),
        |proof, how| edit(&mut proof.reduction.columns.rounds, how),
        |proof, how| edit(proof.reduction.bits.forge(), how),
        |proof, how| edit(&mut proof.opening.rounds, how),
        |proof, how| edit(&mut proof.opening.rounds[0].queries, how),
        |proof, how| edit(&mut proof.opening.rounds[1].queries, how),
        |proof, how| edit(proof.opening.rounds[0].queries[1].row.forge(), how),
        |proof, how| edit(&mut proof.opening.rounds[1].queries[2].path, how),
        |proof, how| edit(proof.opening.rounds[1].queries[3].row.forge(), how),
        |proof, how| edit(&mut proof.opening.roots, how),
        |proof, how| edit(proof.opening.last_polynomial.forge(), how),
        |proof, how| edit(&mut proof.opening.last_messages, how),
    ];
    // Keccak's constraints are one group, so that no order of groups is another one.
    let (calls, proof) = example(Hash::Blake3);
    for (i, list) in lists.into_iter().enumerate() {
        for how in 0..4 {
            let mut proof = proof.clone();
            if list(&mut proof, how) {
                let refused = refused(&calls, &proof);
                // Rounds in another order have queries of another shape.
                let shape = how < 3 || i == 6;
                assert_eq!(
                    refused == Refused::Shape,
                    shape,
                    "list {i}, {how}: {refused:?}"
                );
            } else {
                assert_eq!((i, how), (12, 3), "a list of one root, reversed");
            }
        }
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
