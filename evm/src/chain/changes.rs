//! Proofs with a change.

use droste_native::changes::{Changes, LENGTHS, Node, Place};
use droste_native::field::MODULUS;
use droste_native::{F, KeccakSuite};
use droste_vm::whir::Proof;
use p3_field::Field;

/// A step through numbers that has no divisor in common with how many there are.
const STEP: usize = 7_919;

/// Whether a place is in the proof of the tables, not in what the proof is about.
pub fn is_of_tables(place: &Place<'_>) -> bool {
    place.kind.starts_with("stark.")
}

/// Makes a number zero, the largest one, or one that differs in a bit: change 0, 1, or a later one.
pub fn change_number(number: &mut Node, change: usize) {
    match (change, number) {
        (0, Node::Element(element)) => *element = 0,
        (1, Node::Element(element)) => *element = MODULUS - 1,
        (0, Node::Bytes(bytes)) => bytes.fill(0),
        (1, Node::Bytes(bytes)) => bytes.fill(u8::MAX),
        // A step that reaches all 31 bits of an element, and is spread over the bytes of a digest.
        (_, number) => number.flip(9 * change.saturating_sub(2)),
    }
}

/// All changed proofs, and the name of what is changed: other lengths of lists, then other numbers.
pub fn changed_proofs(
    changes: &Changes<Proof<KeccakSuite>>,
) -> impl Iterator<Item = (String, Proof<KeccakSuite>)> {
    let (mut lists, mut numbers) = (changes.lists(), changes.numbers());
    lists.retain(is_of_tables);
    numbers.retain(is_of_tables);
    let lists = lists.into_iter().flat_map(move |place| {
        LENGTHS.map(|edit| (place.name.clone(), changes.with_list(&place, edit)))
    });
    let of_each = 2 + F::bits();
    let count = numbers.len() * of_each;
    let numbers = (0..count).filter_map(move |index| {
        let change = index * STEP % count;
        let place = numbers.get(change / of_each)?;
        let changed = changes.with(place, |node| change_number(node, change % of_each));
        Some((place.name.clone(), changed))
    });
    let all = lists.chain(numbers);
    all.filter_map(|(name, proof)| Some((name, proof?)))
}
