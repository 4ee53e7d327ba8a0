//! Provers that lie in hints of the program's own, and follow the protocol from there on. The
//! number of hints that a run has read tells which assertion found the lie.

use std::sync::Mutex;

use droste_binary::field::K;
use droste_binary::paths::{MerklePaths, Path};
use droste_binary::{Hash, HashCalls, Poseidon16, Proof};
use droste_gadgets::prelude::Slice;
use droste_gadgets::record::{RecordError, record, record_changed};
use droste_gadgets::verify::binary::field::constant;
use droste_gadgets::verify::binary::shape::{LOG_ELEMENTS, Paths, Shape};
use droste_gadgets::verify::binary::statement::{List, Statement};
use droste_gadgets::verify::binary::transcript::Transcript;
use droste_gadgets::verify::binary::{columns, ring_switch, zerocheck};
use droste_gadgets::{Hint, NativeTape};
use droste_native::F;
use droste_native::precompile::{binary_from_block, binary_to_block};
use p3_binary_field::TowerLevel;
use p3_field::{Field, PrimeCharacteristicRing};

use super::super::tape::Messages;
use super::super::{BinaryProgram, ListShape};
use super::{proved, proved_calls};

/// A changed element: its hint, its block there, by what it is multiplied, and what is added.
type Change = (usize, usize, K, K);

/// What a proof is about.
enum Listed {
    Paths(MerklePaths),
    Calls(HashCalls),
}

impl Listed {
    fn statement(&self) -> droste_binary::Statement<'_> {
        match self {
            Self::Paths(paths) => paths.into(),
            Self::Calls(calls) => calls.into(),
        }
    }
}

/// A proof that two rounds open, and its tape.
struct Honest {
    list: Listed,
    program: BinaryProgram,
    proof: Proof<Poseidon16>,
    tape: NativeTape,
}

impl Honest {
    fn new(list: Listed, program: BinaryProgram, proof: Proof<Poseidon16>) -> Self {
        let tape = super::super::tape(&program, list.statement(), &proof).unwrap();
        Self {
            list,
            program,
            proof,
            tape,
        }
    }

    /// About paths.
    fn of_paths(hash: Hash, depth: usize, count: usize) -> Self {
        let (paths, program, proof) = proved(hash, depth, count);
        Self::new(Listed::Paths(paths), program, proof)
    }

    /// About calls.
    fn of_calls(hash: Hash, count: usize) -> Self {
        let (calls, program, proof) = proved_calls(hash, count);
        Self::new(Listed::Calls(calls), program, proof)
    }

    fn messages(&self) -> Messages {
        Messages::new(self.list.statement(), &self.proof)
    }

    /// The hints that were read until the program found changed ones, and its failure.
    fn changed(&self, change: impl Fn(usize, &mut Hint) + Send + 'static) -> (Vec<Hint>, String) {
        let mut messages = self.messages();
        let refused = record_changed(&mut messages, change, || {
            self.program.verify();
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

/// The element in the text of a block.
fn parsed(block: &str) -> K {
    let (_, lanes) = block.split_once("Block([").expect(block);
    let (lanes, _) = lanes.split_once("])").expect(block);
    let lane = |lane: &str| lane.trim_matches(|c: char| !c.is_ascii_digit()).parse();
    let lanes: Vec<F> = lanes
        .split(", ")
        .map(|text| F::from_u32(lane(text).expect(block)))
        .collect();
    binary_from_block(&lanes.try_into().unwrap()).unwrap()
}

/// The element on the left side of a comparison of blocks that failed.
fn left(failure: &str) -> K {
    let (_, block) = failure.split_once("left: ").expect(failure);
    parsed(block)
}

/// The element on the right side.
fn right(failure: &str) -> K {
    let (_, block) = failure.split_once("right: ").expect(failure);
    parsed(block)
}

/// The list that a program reads.
fn read(program: &BinaryProgram) -> List {
    match &program.list {
        ListShape::Paths(paths) => paths.read(&program.shape),
        ListShape::Calls(calls) => calls.read(&program.shape),
    }
}

/// The point over the powers `2^i`.
fn sigma(honest: &Honest) -> Vec<K> {
    let shape = &honest.program.shape;
    let point = Mutex::new(Vec::new());
    let mut messages = honest.messages();
    let program = || {
        let list = read(&honest.program);
        let mut t = Transcript::new(&shape.domain);
        t.observe(Slice::from_blocks([list.digest]), 1);
        t.read(1);
        let forms = zerocheck::verify(shape, &mut t);
        let column = columns::verify(shape, &forms, &mut t);
        let packed = ring_switch::read(shape, &forms.rows, &column, &mut t);
        let texts = packed
            .sigma
            .iter()
            .map(|block| parsed(&format!("{block:?}")));
        *point.lock().unwrap() = texts.collect();
    };
    assert!(record(&mut messages, program).is_ok());
    point.into_inner().unwrap()
}

/// Each lie is found by the first assertion that could find it, and pairs of lies that pass it, or
/// pass the last one, by the next.
fn lies_are_found_where_they_are_told(honest: &Honest) {
    let n = honest.tape.hints.len();
    let (quotients, conjugates, coordinates, round) = (n - 1, n - 2, n - 3, n - 4);
    let shape = &honest.program.shape;
    let queries = shape.rounds.iter().map(|round| round.queries);
    let numbers: usize = queries.clone().map(usize::next_power_of_two).sum();
    // Rows and paths of all queries are after the factors.
    let weight = n - 11;
    let row = weight - 2 * queries.sum::<usize>();
    let (factors, query_round) = (row - 1, row - 2);
    let query_sum = factors - 1 - numbers.next_power_of_two().ilog2() as usize;
    // The first messages: list, its nodes, the root, that over bits, and the program's own weights
    // of bits; then rows and their forms, columns and their values, and the sums.
    let (nodes, bits) = (1, 4);
    let rests = bits + shape.circuit.log_rows + shape.log_calls + 2;
    let (values, sums) = (rests + 12, rests + 13);
    // The polynomial of the sums, and the claim about the entries.
    let (polynomial, entries) = (sums + 1, sums + 2);
    let delta = K::from_repr(0x1234_5678_9abc_def0_0fed_cba9_8765_4321);
    let add = |hint, block, by| (hint, block, K::ONE, by);
    let alone = |hint, block| vec![add(hint, block, delta)];
    let found = |changes| honest.lie(changes).0.len();

    // Those make another transcript.
    assert_eq!(honest.found_lane(nodes, 0, 3), rests + 1);
    for hint in [polynomial, entries] {
        assert_eq!(found(alone(hint, 0)), row + 2);
    }
    for block in [5, 77] {
        assert_eq!(found(alone(bits, block)), bits + 1);
    }
    for hint in [bits - 1, bits + 1, rests - 1, rests] {
        assert_eq!(found(alone(hint, 0)), rests + 1);
    }
    for (hint, block) in [(rests + 1, 0), (values - 1, 1), (values, 1)] {
        assert_eq!(found(alone(hint, block)), values + 1);
    }
    assert_eq!(found(alone(sums, 127)), sums + 1);
    assert_eq!(honest.found_lane(row, 1, 0), row + 2);
    assert_eq!(honest.found_lane(row + 1, 2, 7), row + 2);
    // Each kind of query of the second round, which has kinds with and without a factor.
    let second = row + 2 * shape.rounds[0].queries;
    for path in [second + 1, second + 3, second + 5] {
        assert_eq!(honest.found_lane(path, 2, 7), path + 1);
    }
    // The last message of the opening.
    assert_eq!(found(alone(query_sum - 1, 1)), n);
    for changes in [
        alone(query_sum, 0),
        alone(query_sum + 1, 0),
        alone(query_round, 9),
        alone(factors, 3),
        // The sum of all weights is the right one.
        [alone(query_sum, 0), alone(weight, 0)].concat(),
    ] {
        assert_eq!(found(changes), factors + 1);
    }
    // Their product is the right one.
    let both = vec![
        (factors, 2, delta, K::ZERO),
        (factors, 8, delta.inverse(), K::ZERO),
    ];
    assert_eq!(found(both), weight);
    // The right side is made of positions and of the challenge, which depends on the factors.
    let compared = |by: K| {
        let both = vec![
            (factors, 2, by, K::ZERO),
            (factors, 8, by.inverse(), K::ZERO),
        ];
        right(&honest.lie(both).1)
    };
    assert_ne!(compared(delta), compared(delta + K::ONE));
    for changes in [
        alone(weight, 0),
        alone(round - 6, 0),
        alone(round, 14),
        alone(coordinates, 0),
    ] {
        assert_eq!(found(changes), coordinates + 1);
    }
    assert_eq!(found(alone(conjugates, 5)), conjugates + 1);
    // Weights of an interpolation that give both polynomials the right values.
    let value = |hint: usize, block: usize| match &honest.tape.hints[hint] {
        Hint::Slice(blocks) => binary_from_block(&blocks[block].map(Option::unwrap)).unwrap(),
        hint => panic!("{hint:?}"),
    };
    for places in [[0, 1, 63], [5, 70, 100], [64, 126, 127]] {
        let [first, second] = [polynomial, conjugates].map(|hint| places.map(|i| value(hint, i)));
        let minor = |i: usize, j: usize| first[i] * second[j] + first[j] * second[i];
        let minors = [minor(1, 2), minor(0, 2), minor(0, 1)];
        let changes = places.into_iter().zip(minors);
        let changes = changes.map(|(i, by)| add(quotients, i, by));
        assert_eq!(found(changes.collect()), n);
    }
    // Values of the polynomial from which the same claim is computed: the numbers 0 and 1 weigh
    // `1 + sigma` and `sigma` of it, and the second value is squared.
    let sigma = sigma(honest);
    let low = sigma[0];
    let by = low * (low + K::ONE).inverse() * delta.square();
    let same_claim = vec![add(polynomial, 127, delta), add(polynomial, 0, by)];
    assert_eq!(found(same_claim.clone()), n);
    // One of them, and the claim about the entries: their sum is the claim.
    let weight_of_first: K = sigma.iter().map(|&x| x + K::ONE).product();
    let same_sum = vec![
        add(polynomial, 0, delta),
        add(entries, 0, weight_of_first * delta),
    ];
    assert_eq!(found(same_sum), n);

    // What is compared is affine in each of two values, so a change of the second one makes up for
    // that of the first.
    let balanced = |hint: usize, [first, second]: [usize; 2]| {
        let value = |changes| left(&honest.lie(changes).1);
        let one = |by: K| value(vec![add(hint, first, by)]);
        let both = |by: K| value(vec![add(hint, first, delta), add(hint, second, by)]);
        let slope = one(delta) + one(delta + K::ONE);
        let back = delta * slope * (both(delta) + both(delta + K::ONE)).inverse();
        vec![add(hint, first, delta), add(hint, second, back)]
    };
    // The challenge that joins next rows, and the last coordinate of the elements.
    let last = shape.variables();
    let of_coordinates = balanced(coordinates, [last, last - 1]);
    assert_eq!(found(of_coordinates.clone()), conjugates + 1);
    let of_conjugates = balanced(conjugates, [5, 70]);
    assert_eq!(found(of_conjugates.clone()), n);

    // The next challenge depends on each, and a later hint on that.
    for (changes, later) in [
        (alone(query_sum, 0), query_sum + 2),
        (alone(query_sum + 1, 9), query_sum + 3),
        (alone(weight, 0), weight + 2),
        (alone(round - 6, 14), round - 4),
        (of_coordinates, conjugates),
        (same_claim, quotients),
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

#[test]
fn lies_about_paths_are_found_where_they_are_told() {
    lies_are_found_where_they_are_told(&Honest::of_paths(Hash::KeccakF, 4, 4));
}

#[test]
fn lies_about_calls_are_found_where_they_are_told() {
    lies_are_found_where_they_are_told(&Honest::of_calls(Hash::KeccakF, 16));
}

/// Another block than that of an element, in each place where a message or a hint of the program's
/// has an element: two encodings of one element would be two messages. Rows, paths of rows, roots
/// and the list are none of these: `parts` has them.
#[test]
fn blocks_that_are_no_elements_are_refused() {
    blocks_that_are_no_elements(&Honest::of_paths(Hash::Blake3, 2, 4));
    blocks_that_are_no_elements(&Honest::of_calls(Hash::Blake2s, 8));
}

fn blocks_that_are_no_elements(honest: &Honest) {
    let queries = honest
        .program
        .shape
        .rounds
        .iter()
        .map(|round| round.queries);
    let n = honest.tape.hints.len();
    // The weight of the trace, its rounds, and four more hints come after rows and paths.
    let last_rows = n - 11;
    let first_row = last_rows - 2 * queries.sum::<usize>();
    let hints = (3..first_row).chain(last_rows..n);
    let mut places = 0;
    for hint in hints {
        let Hint::Slice(blocks) = &honest.tape.hints[hint] else {
            panic!("hint {hint} is no slice")
        };
        for block in 0..blocks.len() {
            let lane = (hint + block) % 8;
            let value = F::from_u32([1 << 30, 1 << 8, 1][lane.saturating_sub(3).min(2)]);
            let change = move |number: usize, hint_read: &mut Hint| {
                if let (true, Hint::Slice(blocks)) = (number == hint, hint_read) {
                    blocks[block][lane] = Some(value);
                }
            };
            let (read, failure) = honest.changed(change);
            let is_known = failure.contains(super::parts::NO_ELEMENT);
            assert!(is_known, "block {block} of hint {hint}: {failure}");
            // Rows are bound by digests that depend on none of them.
            assert!(read.len() <= first_row || hint >= last_rows, "{hint}");
            places += 1;
        }
    }
    assert!(places > 700, "{places}");
}

/// Entries, nodes of the list's tree, and the claim about the entries: with no proof, whose
/// transcript would differ, too.
fn entries_have_the_digest_and_the_claim(honest: &Honest, list: &(impl Statement + Sync)) {
    let shape = &honest.program.shape;
    let is_accepted = |changed: usize| {
        let change = move |number: usize, hint: &mut Hint| {
            if let (true, Hint::Slice(blocks)) = (number == changed, hint) {
                *blocks[0][0].as_mut().unwrap() += F::ONE;
            }
        };
        let mut messages = honest.messages();
        let program = || {
            let entries = list.read(shape);
            let point = |n| vec![constant(&[5, 6, 7]); n];
            let (calls, elements) = (point(shape.log_calls), point(LOG_ELEMENTS));
            let claims = list.claims(shape, &entries, &calls, &elements, constant(&[3]));
            list.weight(shape, &entries, &claims, &point(shape.variables()));
        };
        record_changed(&mut messages, change, program).is_ok()
    };
    // An entry, a node, the claim; there is no other hint.
    assert_eq!([0, 1, 2, 3].map(is_accepted), [false, false, false, true]);
}

#[test]
fn entries_of_lists_have_the_digest_and_the_claim() {
    for honest in [
        Honest::of_paths(Hash::KeccakF, 4, 4),
        Honest::of_calls(Hash::KeccakF, 16),
        Honest::of_calls(Hash::Blake2s, 8),
    ] {
        match &honest.program.list {
            ListShape::Paths(paths) => entries_have_the_digest_and_the_claim(&honest, paths),
            ListShape::Calls(calls) => entries_have_the_digest_and_the_claim(&honest, calls),
        }
    }
}

/// Bits of an index above those of the depth, in each of its lanes. The list is of as many paths
/// that are deep enough.
#[test]
fn indices_have_no_other_bits() {
    let (_, BinaryProgram { shape, list }, proof) = proved(Hash::KeccakF, 2, 4);
    let ListShape::Paths(list) = list else {
        panic!("{list:?}")
    };
    for log_depth in [1, 5] {
        let list = &Paths {
            log_depth,
            ..list.clone()
        };
        let shape = &Shape {
            log_calls: log_depth + list.log_paths,
            ..shape.clone()
        };
        let is_accepted = |index: u64| {
            let path = |index| Path {
                leaf: [1; 32],
                index,
                root: [2; 32],
            };
            let paths = [0, 1, index, 3].map(path).to_vec();
            let paths = MerklePaths::new(Hash::KeccakF, 64, paths).unwrap();
            let mut messages = Messages::new((&paths).into(), &proof);
            let program = || {
                let entries = list.read(shape);
                let point = |n| vec![constant(&[5, 6, 7]); n];
                let (calls, elements) = (point(shape.log_calls), point(LOG_ELEMENTS));
                let claims = list.claims(shape, &entries, &calls, &elements, constant(&[3]));
                list.weight(shape, &entries, &claims, &point(shape.variables()));
            };
            record(&mut messages, program).is_ok()
        };
        let depth = 1 << log_depth;
        for bit in [0, 1, 2, 7, 8, 29, 30, 31, 32, 59, 60, 63] {
            assert_eq!(is_accepted(1 << bit), bit < depth, "{bit} at {depth}");
        }
    }
}
