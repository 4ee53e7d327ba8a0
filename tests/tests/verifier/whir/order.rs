//! The order of what the copy of the transcript observes and samples, which the native verifier
//! does not have: a challenge that came before what it has to bind would pass every honest proof.

use std::sync::{Mutex, MutexGuard, PoisonError};

use droste_gadgets::bits::Bits;
use droste_gadgets::prelude::{Ext, Felt, Slice};
use droste_gadgets::suites::hash::Challenger;
use droste_gadgets::suites::poseidon16::Poseidon16Challenger;
use droste_gadgets::verify::recursion::over_whir;
use droste_native::Poseidon16Suite;
use droste_verifier::tape::{Answers, TapeSuite};

use super::prover::Case;
use super::verifier_key;

/// What a transcript does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    /// Observes digests or single elements.
    Other,
    /// Observes so many elements of a slice.
    Slice(usize),
    Sample,
    Word,
    Grind,
}

static EVENTS: Mutex<Vec<Event>> = Mutex::new(Vec::new());

fn events() -> MutexGuard<'static, Vec<Event>> {
    EVENTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A transcript all of whose copies write down what they do.
#[derive(Clone, Copy)]
struct Logged(Poseidon16Challenger);

impl Challenger for Logged {
    fn new() -> Self {
        Self(Poseidon16Challenger::new())
    }

    fn observe(&mut self, x: Felt) {
        events().push(Event::Other);
        self.0.observe(x);
    }

    fn observe_digests(&mut self, digests: Slice, n: usize) {
        events().push(Event::Other);
        self.0.observe_digests(digests, n);
    }

    fn position(&self) -> usize {
        self.0.position()
    }

    fn advise_slice(&self, n: usize) {
        self.0.advise_slice(n);
    }

    fn observe_slice(&mut self, data: Slice, n: usize) {
        events().push(Event::Slice(n));
        self.0.observe_slice(data, n);
    }

    fn read_extensions(&mut self, n: usize) -> Vec<Ext> {
        events().push(Event::Slice(8 * n));
        self.0.read_extensions(n)
    }

    fn sample(&mut self) -> Ext {
        events().push(Event::Sample);
        self.0.sample()
    }

    fn sample_pair(&mut self) -> (Ext, Ext) {
        events().extend([Event::Sample; 2]);
        self.0.sample_pair()
    }

    fn sample_word(&mut self) -> [Felt; 2] {
        events().push(Event::Word);
        self.0.sample_word()
    }

    fn bits(word: [Felt; 2]) -> Bits {
        Poseidon16Challenger::bits(word)
    }

    fn assert_low_bits_are_zero(word: [Felt; 2], n: usize) {
        Poseidon16Challenger::assert_low_bits_are_zero(word, n);
    }

    fn grind(&mut self, bits: usize) {
        events().push(Event::Grind);
        self.0.grind(bits);
    }
}

/// Indices come first, then the challenge that combines the leaves, then tag and combination, then
/// the point: for each commitment, and for the last one after the final polynomial.
#[test]
fn the_point_of_leaves_is_sampled_last() {
    let case = Case::<Poseidon16Suite>::shared();
    let shape = case.circuit.shape_over_whir().unwrap();
    let (scheme, _) = case.verifier.shape(&case.honest.log_heights).unwrap();
    let key = verifier_key(case);
    let mut answers = Answers::<Poseidon16Suite>::default();
    answers.message(case.honest.key.program.concat());
    answers.message(case.honest.statement.to_vec());
    answers.whir(shape, &scheme, &case.honest.stark).unwrap();
    let tape = answers.record(|| {
        type Gadget = <Poseidon16Suite as TapeSuite>::Gadget;
        over_whir::<Gadget, Logged, _>(shape, case.circuit.evaluators_over_whir().unwrap(), &key);
    });
    tape.unwrap();

    let events = std::mem::take(&mut *events());
    let mut rest = &events[..];
    for number in 0..=shape.opening.rounds.len() {
        let queries = shape.opening.queries(number);
        let lanes = if queries.base { 1 } else { 5 };
        let elements: usize = queries.trees.iter().map(Vec::len).sum();
        let combination = (5 * lanes * elements).next_multiple_of(8);
        let mut expected = vec![];
        if number == shape.opening.rounds.len() {
            expected.push(Event::Slice(8 << shape.opening.final_variables));
        }
        expected.push(Event::Grind);
        expected.extend(vec![Event::Word; queries.count]);
        expected.push(Event::Sample);
        // The tag.
        expected.extend(vec![Event::Other; 8]);
        expected.extend([Event::Slice(combination), Event::Sample]);
        let mut places = rest.windows(expected.len());
        let place = places.position(|events| events == expected);
        let place = place.unwrap_or_else(|| panic!("commitment {number}: {rest:?}"));
        rest = &rest[place + expected.len()..];
    }
    // No further leaves are combined.
    assert!(!rest.contains(&Event::Word) && !rest.contains(&Event::Other));
}
