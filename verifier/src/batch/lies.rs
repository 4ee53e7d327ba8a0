//! Provers that lie in hints of the program's own, and follow the protocol from there on. The number
//! of hints that a run has read tells which assertion found the lie.

use droste_batch::field::K;
use droste_batch::paths::MerklePaths;
use droste_batch::{Hash, Poseidon16, Proof};
use droste_gadgets::Hint;
use droste_gadgets::record::{RecordError, record_changed};
use droste_gadgets::verify::batch::shape::Shape;
use droste_native::F;
use droste_native::precompile::{binary_from_block, binary_to_block};
use p3_binary_field::TowerLevel;
use p3_field::{Field, PrimeCharacteristicRing};

use super::run;
use super::tape::Messages;
use super::tests::proved;

/// A changed element: its hint, its block there, by what it is multiplied, and what is added.
type Change = (usize, usize, K, K);

/// A proof that two rounds open, and the number of hints of its tape.
struct Honest {
    paths: MerklePaths,
    shape: Shape,
    proof: Proof<Poseidon16>,
    hints: usize,
}

impl Honest {
    fn new() -> Self {
        let (paths, shape, proof) = proved(Hash::KeccakF, 4, 4);
        let hints = super::tape(&shape, &paths, &proof).unwrap().hints.len();
        Self {
            paths,
            shape,
            proof,
            hints,
        }
    }

    /// The number of hints that were read when the program found a lie, and the left side of the
    /// comparison that failed.
    fn lie(&self, changes: Vec<Change>) -> (usize, K) {
        let change = move |number: usize, hint: &mut Hint| {
            for &(at, block, factor, added) in changes.iter().filter(|(at, ..)| *at == number) {
                let Hint::Slice(blocks) = hint else {
                    panic!("hint {at} is no slice")
                };
                let old = binary_from_block(&blocks[block].map(Option::unwrap)).unwrap();
                blocks[block] = binary_to_block(old * factor + added).map(Some);
            }
        };
        let mut messages = Messages::new(&self.paths, &self.proof);
        let refused = record_changed(&mut messages, change, || run(&self.shape)).unwrap_err();
        let RecordError::Program { failure, tape } = refused else {
            panic!("{refused:?}")
        };
        (tape.hints.len(), left(&failure.0))
    }
}

/// The element on the left side of a comparison of blocks that failed.
fn left(failure: &str) -> K {
    let (_, lanes) = failure.split_once("left: Block([").expect(failure);
    let (lanes, _) = lanes.split_once("])").expect(failure);
    let lane = |lane: &str| lane.trim_matches(|c: char| !c.is_ascii_digit()).parse();
    let lanes: Vec<F> = lanes
        .split(", ")
        .map(|text| F::from_u32(lane(text).expect(failure)))
        .collect();
    binary_from_block(&lanes.try_into().unwrap()).unwrap()
}

/// Each lie is found by the first assertion that could find it, and pairs of lies that pass it, or
/// pass the last one, by the next.
#[test]
fn lies_are_found_where_they_are_told() {
    let honest = Honest::new();
    let n = honest.hints;
    let (quotients, conjugates, coordinates, round) = (n - 1, n - 2, n - 3, n - 4);
    let (weight, factors, query_round) = (n - 11, n - 12, n - 13);
    let queries = honest.shape.rounds.iter().map(|round| round.queries);
    let numbers: usize = queries.map(usize::next_power_of_two).sum();
    let query_sum = factors - 1 - numbers.next_power_of_two().ilog2() as usize;
    let delta = K::from_repr(0x1234_5678_9abc_def0_0fed_cba9_8765_4321);

    let add = |hint, block, by| (hint, block, K::ONE, by);
    let alone = |hint, block| vec![add(hint, block, delta)];
    let found = |changes| honest.lie(changes).0;

    // Weights of bits: list, nodes, root and message are before them.
    assert_eq!(found(alone(4, 77)), 5);
    for changes in [
        alone(query_sum, 0),
        alone(query_sum + 1, 0),
        alone(query_round, 9),
        alone(factors, 3),
        // The sum of all weights is the right one.
        [alone(query_sum, 0), alone(weight, 0)].concat(),
        // The product is.
        vec![
            (factors, 2, delta, K::ZERO),
            (factors, 8, delta.inverse(), K::ZERO),
        ],
    ] {
        assert_eq!(found(changes), factors + 1);
    }
    for changes in [
        alone(weight, 0),
        alone(round - 6, 0),
        alone(round, 14),
        alone(coordinates, 0),
    ] {
        assert_eq!(found(changes), coordinates + 1);
    }
    assert_eq!(found(alone(conjugates, 5)), conjugates + 1);
    assert_eq!(found(alone(quotients, 5)), n);

    // What is compared is linear in each of two values, so a change of the second one makes up for
    // that of the first.
    let balanced = |hint: usize, [first, second]: [usize; 2]| {
        let value = |block: usize, by: K| honest.lie(vec![add(hint, block, by)]).1;
        let slope = |block| value(block, delta) + value(block, delta + K::ONE);
        let back = delta * slope(first) * slope(second).inverse();
        vec![add(hint, first, delta), add(hint, second, back)]
    };
    // The challenge that joins next rows, and the sum of bits.
    let last = honest.shape.variables();
    assert_eq!(found(balanced(coordinates, [last, last + 1])), conjugates + 1);
    assert_eq!(found(balanced(conjugates, [5, 70])), n);
}
