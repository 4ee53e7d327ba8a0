//! Provers that lie in hints of the program's own, and follow the protocol from there on. The number
//! of hints that a run has read tells which assertion found the lie.

use droste_batch::field::K;
use droste_batch::paths::{MerklePaths, Path};
use droste_batch::{Hash, Poseidon16, Proof};
use droste_gadgets::record::{RecordError, record, record_changed};
use droste_gadgets::verify::batch::binary::constant;
use droste_gadgets::verify::batch::shape::{LOG_ELEMENTS, Shape};
use droste_gadgets::verify::batch::statement::{self, Claims};
use droste_gadgets::{Hint, NativeTape};
use droste_native::F;
use droste_native::precompile::{binary_from_block, binary_to_block};
use p3_binary_field::TowerLevel;
use p3_field::{Field, PrimeCharacteristicRing};

use super::tape::Messages;
use super::tests::proved;
use droste_gadgets::verify::batch::verify;

/// A changed element: its hint, its block there, by what it is multiplied, and what is added.
type Change = (usize, usize, K, K);

/// A proof that two rounds open, and its tape.
struct Honest {
    paths: MerklePaths,
    shape: Shape,
    proof: Proof<Poseidon16>,
    tape: NativeTape,
}

impl Honest {
    fn new() -> Self {
        let (paths, shape, proof) = proved(Hash::KeccakF, 4, 4);
        let tape = super::tape(&shape, &paths, &proof).unwrap();
        Self {
            paths,
            shape,
            proof,
            tape,
        }
    }

    /// The hints that were read until the program found changed ones, and its failure.
    fn changed(&self, change: impl Fn(usize, &mut Hint) + Send + 'static) -> (Vec<Hint>, String) {
        let mut messages = Messages::new(&self.paths, &self.proof);
        let refused = record_changed(&mut messages, change, || {
            verify(&self.shape);
        })
        .unwrap_err();
        let RecordError::Program { failure, tape } = refused else {
            panic!("{refused:?}")
        };
        (tape.hints, failure.0)
    }

    /// Likewise, of changed elements.
    fn lie(&self, changes: Vec<Change>) -> (Vec<Hint>, String) {
        self.changed(move |number, hint| {
            for &(at, block, factor, added) in changes.iter().filter(|(at, ..)| *at == number) {
                let Hint::Slice(blocks) = hint else {
                    panic!("hint {at} is no slice")
                };
                let old = binary_from_block(&blocks[block].map(Option::unwrap)).unwrap();
                blocks[block] = binary_to_block(old * factor + added).map(Some);
            }
        })
    }

    /// The number of hints that were read if an element of the field is changed.
    fn found_lane(&self, at: usize, block: usize, lane: usize) -> usize {
        let change = move |number: usize, hint: &mut Hint| {
            if let (true, Hint::Slice(blocks)) = (number == at, hint) {
                *blocks[block][lane].as_mut().unwrap() += F::ONE;
            }
        };
        self.changed(change).0.len()
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
    let n = honest.tape.hints.len();
    let (quotients, conjugates, coordinates, round) = (n - 1, n - 2, n - 3, n - 4);
    let (weight, factors, query_round) = (n - 11, n - 12, n - 13);
    let shape = &honest.shape;
    let queries = shape.rounds.iter().map(|round| round.queries);
    let numbers: usize = queries.map(usize::next_power_of_two).sum();
    let query_sum = factors - 1 - numbers.next_power_of_two().ilog2() as usize;
    // The first messages: list, its nodes, the root, that over bits, and the program's own weights
    // of bits; then rows and their forms, columns and their values, and the sums.
    let (nodes, bits) = (1, 4);
    let rests = bits + shape.circuit.log_rows + shape.log_calls() + 2;
    let (values, sums) = (rests + 12, rests + 13);
    // The program's claim, a round of four variables, the next root, and the first query.
    let row = sums + 7;
    let delta = K::from_repr(0x1234_5678_9abc_def0_0fed_cba9_8765_4321);
    let add = |hint, block, by| (hint, block, K::ONE, by);
    let alone = |hint, block| vec![add(hint, block, delta)];
    let found = |changes| honest.lie(changes).0.len();

    assert_eq!(honest.found_lane(nodes, 0, 3), nodes + 1);
    assert_eq!(found(alone(bits, 77)), bits + 1);
    for hint in [bits - 1, bits + 1, rests - 1, rests] {
        assert_eq!(found(alone(hint, 0)), rests + 1);
    }
    for (hint, block) in [(rests + 1, 0), (values - 1, 1), (values, 1)] {
        assert_eq!(found(alone(hint, block)), values + 1);
    }
    assert_eq!(found(alone(sums, 127)), sums + 1);
    assert_eq!(honest.found_lane(row, 1, 0), row + 2);
    assert_eq!(honest.found_lane(row + 1, 2, 7), row + 2);
    // The last message of the opening.
    assert_eq!(found(alone(query_sum - 1, 1)), n);
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
    // Quotients whose sum with weights is the right one.
    let derivative = |i: u32| K::from_repr(2).exp_power_of_2(i as usize).exp_u64(6) + K::ONE;
    let both = vec![
        add(quotients, 5, delta * derivative(5)),
        add(quotients, 70, delta * derivative(70)),
    ];
    assert_eq!(found(both), n);

    // What is compared is linear in each of two values, so a change of the second one makes up for
    // that of the first.
    let balanced = |hint: usize, [first, second]: [usize; 2]| {
        let value = |block: usize, by: K| left(&honest.lie(vec![add(hint, block, by)]).1);
        let slope = |block| value(block, delta) + value(block, delta + K::ONE);
        let back = delta * slope(first) * slope(second).inverse();
        vec![add(hint, first, delta), add(hint, second, back)]
    };
    // The challenge that joins next rows, and the sum of bits.
    let last = shape.variables();
    let of_coordinates = balanced(coordinates, [last, last + 1]);
    assert_eq!(found(of_coordinates.clone()), conjugates + 1);
    let of_conjugates = balanced(conjugates, [5, 70]);
    assert_eq!(found(of_conjugates.clone()), n);

    // The next challenge depends on each, and a later hint on that.
    for (changes, later) in [
        (alone(query_sum, 0), query_sum + 2),
        (alone(query_sum + 1, 9), query_sum + 3),
        (alone(weight, 0), weight + 1),
        (alone(round - 6, 14), round - 4),
        (of_coordinates, conjugates),
        (of_conjugates, quotients),
    ] {
        let block = |hints: &[Hint]| match &hints[later] {
            Hint::Slice(blocks) => blocks[0],
            hint => panic!("{hint:?}"),
        };
        let (hints, _) = honest.lie(changes);
        assert_ne!(block(&hints), block(&honest.tape.hints), "{later}");
    }
}

/// Bits of an index above those of the depth, in each of its lanes. The list is of as many paths
/// that are deep enough.
#[test]
fn indices_have_no_other_bits() {
    let (_, shape, proof) = proved(Hash::KeccakF, 2, 4);
    for log_depth in [1, 5] {
        let shape = &Shape {
            log_depth,
            ..shape.clone()
        };
        let is_accepted = |index: u64| {
            let path = |index| Path {
                leaf: [1; 32],
                index,
                root: [2; 32],
            };
            let list = [0, 1, index, 3].map(path).to_vec();
            let paths = MerklePaths::new(Hash::KeccakF, 64, list).unwrap();
            let mut messages = Messages::new(&paths, &proof);
            let program = || {
                let list = statement::read(shape);
                let point = |n| vec![constant(&[5, 6, 7]); n];
                let (calls, elements) = (point(shape.log_calls()), point(LOG_ELEMENTS));
                let claims = Claims::new(shape, &list, &calls, &elements, constant(&[3]));
                claims.weight(shape, &list, &point(shape.variables()));
            };
            record(&mut messages, program).is_ok()
        };
        let depth = 1 << log_depth;
        for bit in [0, 1, 2, 7, 8, 29, 30, 31, 32, 59, 60, 63] {
            assert_eq!(is_accepted(1 << bit), bit < depth, "{bit} at {depth}");
        }
    }
}
