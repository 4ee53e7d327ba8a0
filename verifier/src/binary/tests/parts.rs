//! Parts of the verifier alone, with hints that no honest prover has or that are part of no proof.

use std::collections::VecDeque;

use droste_binary::Hash;
use droste_binary::field::K;
use droste_gadgets::prelude::{Block, Felt, Slice};
use droste_gadgets::record::{Prover, RecordError, record};
use droste_gadgets::verify::binary::called::assert_half;
use droste_gadgets::verify::binary::field::{constant, one};
use droste_gadgets::verify::binary::opening::{Opened, Queries};
use droste_gadgets::verify::binary::queries::answer;
use droste_gadgets::verify::binary::shape::{Calls, LOG_ELEMENTS, Paths, Shape};
use droste_gadgets::verify::binary::statement::{LOG_GROUP, Statement};
use droste_gadgets::verify::binary::transcript::Transcript;
use droste_native::F;
use droste_native::hash::poseidon16::Poseidon16LeafHasher;
use droste_native::precompile::{binary_point, binary_to_block, poseidon16_compress};
use p3_binary_field::TowerLevel;
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_symmetric::CryptographicHasher;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::super::{BinaryProgram, ListShape};
use crate::circuit::{CallsShape, PathsShape};

/// What is part of the failure if a block of a product is no element.
pub(super) const NO_ELEMENT: &str = "block of an element of GF(2^128)";

/// Messages that are known before.
pub(super) struct Known(pub(super) VecDeque<Vec<F>>);

impl Prover for Known {
    type Error = usize;

    fn message(&mut self, n: usize) -> Result<Vec<F>, usize> {
        self.0.pop_front().filter(|own| own.len() == n).ok_or(n)
    }

    fn told(&mut self, _values: Vec<F>) {}
}

/// Runs a part. The error is the failure's text.
pub(super) fn run(messages: Vec<Vec<F>>, program: impl FnOnce() + Send) -> Result<(), String> {
    match record(&mut Known(messages.into()), program) {
        Ok(_) => Ok(()),
        Err(RecordError::Program { failure, .. }) => Err(failure.0),
        Err(RecordError::Prover(n)) => panic!("no message of {n} elements"),
    }
}

pub(super) fn leaf(lanes: &[F]) -> [F; 8] {
    Poseidon16LeafHasher.hash_iter(lanes.iter().copied())
}

pub(super) fn element(x: K) -> Block {
    constant(&binary_to_block(x).map(|lane| lane.as_canonical_u32()))
}

/// The shape of as many paths of zeros, of depth 1.
fn shape_of(hash: Hash, log_paths: usize) -> Shape {
    paths_of(hash, log_paths).0
}

/// Likewise, with what the paths are.
fn paths_of(hash: Hash, log_paths: usize) -> (Shape, Paths) {
    let of = PathsShape {
        hash: hash.number(),
        log_depth: 0,
        log_paths,
    };
    match BinaryProgram::new(of).unwrap() {
        BinaryProgram {
            shape,
            list: ListShape::Paths(paths),
        } => (shape, paths),
        other => panic!("{other:?}"),
    }
}

/// Queries whose rows, in each round, are the same at all positions, and whether they have the sums
/// of their definitions.
fn answered(shape: &Shape, rows: &[Vec<F>], values: &[Vec<K>]) -> Result<(), String> {
    let mut random = SmallRng::seed_from_u64(shape.variables() as u64);
    let mut sample = || K::from_repr(random.random());
    let point: Vec<K> = (0..shape.variables()).map(|_| sample()).collect();
    let (mut claim, mut sum) = (sample(), K::ZERO);
    let first_claim = claim;
    let mut messages = Vec::new();
    let mut all = Vec::new();
    for ((round, row), values) in shape.rounds.iter().zip(rows).zip(values) {
        let weights: Vec<K> = (0..round.columns).map(|_| sample()).collect();
        let batching = sample();
        let words: Vec<u32> = (0..round.queries)
            .map(|_| sample().to_repr() as u32 % F::ORDER_U32)
            .collect();
        // All nodes of a level are one.
        let (mut root, mut path) = (leaf(row), Vec::new());
        for _ in 0..round.log_rows {
            path.extend(root);
            root = poseidon16_compress(&root, &root);
        }
        let later: K = point[..round.variables].iter().copied().product();
        let folded: K = weights.iter().zip(values).map(|(&w, &x)| w * x).sum();
        let mut power = K::ONE;
        for word in &words {
            messages.extend([row.clone(), path.clone()]);
            power *= batching;
            claim += later * power * folded;
            let mut x = binary_point(word % (1 << round.log_rows));
            let mut weight = power;
            for &r in &point[..round.variables] {
                weight *= K::ONE + r + r * x;
                x += x.square();
            }
            sum += weight;
        }
        all.push((round, root, weights, batching, words));
    }
    let elements = |list: &[K]| list.iter().map(|&x| element(x)).collect::<Vec<Block>>();
    run(messages, || {
        let queries = all
            .iter()
            .map(|(round, root, weights, batching, words)| Queries {
                variables: round.variables,
                log_rows: round.log_rows,
                columns: round.columns,
                root: Slice::from_blocks([Block::new(root.map(Felt::from))]),
                weights: elements(weights),
                batching: element(*batching),
                words: words.iter().map(|&word| Felt::new(word)).collect(),
            });
        let opened = Opened {
            queries: queries.collect(),
            point: elements(&point),
            value: one(),
            claim: element(first_claim),
        };
        let found = answer(shape, &opened, &mut Transcript::new(&shape.domain));
        assert_eq!(found.claim, element(claim));
        assert_eq!(found.weights, element(sum));
    })
}

/// The rows of all rounds: their lanes, and their elements.
fn rows(shape: &Shape) -> (Vec<Vec<F>>, Vec<Vec<K>>) {
    let mut random = SmallRng::seed_from_u64(2);
    let values: Vec<Vec<K>> = (shape.rounds.iter())
        .map(|round| {
            (0..round.columns)
                .map(|_| K::from_repr(random.random()))
                .collect()
        })
        .collect();
    let lanes = |row: &Vec<K>| {
        let blocks = row.iter().map(|&x| binary_to_block(x));
        blocks.flat_map(|block| block.into_iter().take(5)).collect()
    };
    (values.iter().map(lanes).collect(), values)
}

/// Openings of all lengths: tables that rounds share or do not, and positions of up to 24 bits.
#[test]
fn queries_of_all_openings_weigh_what_they_should() {
    for (hash, log_paths) in [(Hash::Blake3, 3..=19), (Hash::KeccakF, 3..=17)] {
        for log_paths in log_paths {
            let shape = shape_of(hash, log_paths);
            let (rows, values) = rows(&shape);
            let found = answered(&shape, &rows, &values);
            assert_eq!(found, Ok(()), "{hash}, 2^{log_paths}");
        }
    }
}

/// Rows whose tree is that of their lanes, of which one has more bits than elements have.
#[test]
fn rows_of_other_blocks_are_refused() {
    for hash in [Hash::Blake2s, Hash::KeccakF] {
        // The query that comes first is of each kind.
        for queries in 1..=3 {
            let mut shape = shape_of(hash, 4);
            for round in &mut shape.rounds {
                round.queries = queries;
            }
            let (rows, values) = rows(&shape);
            assert_eq!(answered(&shape, &rows, &values), Ok(()));
            for round in 0..rows.len() {
                for at in 0..shape.rounds[round].columns {
                    for (lane, bits) in [(at % 4, 30), (4, 8)] {
                        let mut other = rows.clone();
                        other[round][5 * at + lane] = F::from_u32(1 << bits);
                        let failure = answered(&shape, &other, &values).unwrap_err();
                        assert!(failure.contains(NO_ELEMENT), "{at} of {round}: {failure}");
                    }
                }
            }
        }
    }
}

/// A list of four paths of zeros but for one lane of an entry, with the digest that it has.
fn visited(shape: &Shape, paths: &Paths, lane: usize, value: u32) -> Result<(), String> {
    let mut entries = [[F::ZERO; 25]; 4];
    entries[2][lane] = F::from_u32(value);
    let [a, b, c, d] = entries.each_ref().map(|entry| leaf(entry));
    let node = poseidon16_compress(&poseidon16_compress(&a, &b), &poseidon16_compress(&c, &d));
    visit(shape, paths, vec![entries.concat(), node.to_vec()])
}

/// Entries and nodes of a list, whose digest and claim are checked at some points.
fn visit(
    shape: &Shape,
    list: &(impl Statement + Sync),
    messages: Vec<Vec<F>>,
) -> Result<(), String> {
    run(messages, || {
        let entries = list.read(shape);
        let point = |n| vec![constant(&[5, 6, 7]); n];
        let (calls, elements) = (point(shape.log_calls), point(LOG_ELEMENTS));
        let claims = list.claims(shape, &entries, &calls, &elements, constant(&[3]));
        list.weight(shape, &entries, &claims, &point(shape.variables()));
    })
}

/// Four paths of this depth.
fn of_depth((shape, paths): (Shape, Paths), log_depth: usize) -> (Shape, Paths) {
    let shape = Shape {
        log_calls: log_depth + 2,
        ..shape
    };
    let paths = Paths {
        log_depth,
        log_paths: 2,
        ..paths
    };
    (shape, paths)
}

/// A list of several groups of paths of zeros, of which one lane of an entry, or of a node, is
/// changed.
#[test]
fn each_group_has_its_node() {
    let (shape, paths) = paths_of(Hash::Blake3, LOG_GROUP + 2);
    let group = 1 << LOG_GROUP;
    let mut node = leaf(&[F::ZERO; 25]);
    for _ in 0..LOG_GROUP {
        node = poseidon16_compress(&node, &node);
    }
    let is_accepted = |changed: Option<(usize, usize)>| {
        let mut messages = [vec![F::ZERO; 4 * group * 25], node.repeat(4)];
        if let Some((message, lane)) = changed {
            messages[message][lane] += F::ONE;
        }
        visit(&shape, &paths, messages.into()).is_ok()
    };
    assert!(is_accepted(None));
    for i in 0..4 {
        assert!(!is_accepted(Some((0, 25 * group * i))), "{i}");
        assert!(!is_accepted(Some((0, 25 * group * (i + 1) - 1))), "{i}");
        assert!(!is_accepted(Some((1, 8 * i + 3))), "{i}");
    }
}

/// An index has no bits above those of the depth, in no lane.
#[test]
fn indices_have_the_bits_of_the_depth() {
    let first = paths_of(Hash::KeccakF, 3);
    for log_depth in [0, 2, 3, 5, 6] {
        let (shape, paths) = of_depth(first.clone(), log_depth);
        let depth = 1_usize << log_depth;
        for lane in 0..5 {
            for bit in 0..31 {
                // Bit 30 is none of an element's.
                let is_known = bit < 30 && 30 * lane + bit < depth;
                let found = visited(&shape, &paths, 10 + lane, 1 << bit);
                assert_eq!(found.is_ok(), is_known, "{lane}, {bit} at {depth}");
            }
        }
    }
}

/// Two encodings of a leaf or root would be two statements about the same paths.
#[test]
fn leaves_and_roots_are_elements() {
    let (shape, paths) = of_depth(paths_of(Hash::KeccakF, 3), 2);
    for lane in (0..10).chain(15..25) {
        let bits = if lane % 5 == 4 { 8 } else { 30 };
        let largest = visited(&shape, &paths, lane, (1 << bits) - 1);
        assert_eq!(largest, Ok(()), "{lane}");
        let failure = visited(&shape, &paths, lane, 1 << bits).unwrap_err();
        assert!(failure.contains(NO_ELEMENT), "{lane}: {failure}");
    }
}

/// The shape of as many calls of zeros, and what the calls are.
pub(super) fn calls_of(hash: Hash, log_calls: usize) -> (Shape, Calls) {
    let of = CallsShape {
        hash: hash.number(),
        log_calls,
    };
    match BinaryProgram::new(of).unwrap() {
        BinaryProgram {
            shape,
            list: ListShape::Calls(calls),
        } => (shape, calls),
        other => panic!("{other:?}"),
    }
}

/// A list of several groups of calls of zeros, of which one lane of an entry, or of a node, is
/// changed.
#[test]
fn each_group_of_calls_has_its_node() {
    for hash in Hash::ALL {
        let (shape, calls) = calls_of(hash, LOG_GROUP + 1);
        let (group, lanes) = (1 << LOG_GROUP, 5 * calls.places.len());
        let mut node = leaf(&vec![F::ZERO; lanes]);
        for _ in 0..LOG_GROUP {
            node = poseidon16_compress(&node, &node);
        }
        let is_accepted = |changed: Option<(usize, usize)>| {
            let mut messages = [vec![F::ZERO; 2 * group * lanes], node.repeat(2)];
            if let Some((message, lane)) = changed {
                messages[message][lane] += F::ONE;
            }
            visit(&shape, &calls, messages.into()).is_ok()
        };
        assert!(is_accepted(None));
        for i in 0..2 {
            assert!(!is_accepted(Some((0, lanes * group * i))), "{i}");
            assert!(!is_accepted(Some((0, lanes * group * (i + 1) - 1))), "{i}");
            assert!(!is_accepted(Some((1, 8 * i + 3))), "{i}");
        }
    }
}

/// Two encodings of an element of an input or output would be two statements about the same calls:
/// every lane of an entry, with the digest that the list then has.
#[test]
fn inputs_and_outputs_are_elements() {
    for hash in Hash::ALL {
        let (shape, calls) = calls_of(hash, 3);
        let lanes = 5 * calls.places.len();
        let with = |lane: usize, value: u32| {
            let mut entries = vec![vec![F::ZERO; lanes]; 8];
            entries[5][lane] = F::from_u32(value);
            let mut layer: Vec<[F; 8]> = entries.iter().map(|entry| leaf(entry)).collect();
            while layer.len() > 1 {
                let pairs = layer.as_chunks::<2>().0.iter();
                layer = pairs.map(|[l, r]| poseidon16_compress(l, r)).collect();
            }
            visit(&shape, &calls, vec![entries.concat(), layer.concat()])
        };
        for lane in 0..lanes {
            let bits = if lane % 5 == 4 { 8 } else { 30 };
            assert_eq!(with(lane, (1 << bits) - 1), Ok(()), "{hash}, {lane}");
            let failure = with(lane, 1 << bits).unwrap_err();
            assert!(failure.contains(NO_ELEMENT), "{hash}, {lane}: {failure}");
        }
    }
}

/// An element of eight bytes has the low 64 bits of its lanes.
#[test]
fn halves_have_64_bits() {
    let is_half = |bits: u128| run(vec![], || assert_half(element(K::from_repr(bits)))).is_ok();
    for bits in [0, 1, u128::from(u64::MAX), 1 << 63] {
        assert!(is_half(bits), "{bits:x}");
    }
    for bit in [64, 67, 68, 89, 90, 119, 120, 127] {
        assert!(!is_half(1 << bit), "{bit}");
    }
}
