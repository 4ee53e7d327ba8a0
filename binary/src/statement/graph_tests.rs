//! What a graph claims about elements, against its definition equation by equation.

use std::collections::BTreeSet;

use p3_binary_field::TowerLevel;
use p3_field::PrimeCharacteristicRing;
use proptest::prelude::*;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::claims_tests::{add_to, elements};
use super::*;
use crate::error::BinaryError;
use crate::field::{dot, eq_table};
use crate::file::{File, verify_file};
use crate::graph::{GraphError, Output, Source, WitnessError};
use crate::native::IV;
use crate::proof::{MIN_BITS, Proof, elements_of, prove, verify};
use crate::trace::{circuit, index};
use crate::tree_hash::{Blake3, CHALLENGE_LOSS, Poseidon16};
use crate::witness::Witness;

type Places = (Vec<Vec<(usize, usize)>>, Vec<(usize, usize)>);

/// Where the elements of inputs and outputs are, from the tables of words of the hashes.
fn places(hash: Hash) -> Places {
    let row = |row: usize, elements: std::ops::Range<usize>| elements.map(move |g| (row, g));
    match hash {
        // h, its second half in the first round, too, the message, then counter, length and flags.
        Hash::Blake3 => (
            vec![
                vec![(7, 6)],
                vec![(0, 0), (7, 7)],
                vec![(0, 2)],
                vec![(0, 3)],
                vec![(0, 4)],
                vec![(0, 5)],
                vec![(0, 1)],
            ],
            row(7, 2..6).collect(),
        ),
        Hash::Blake2s => (
            vec![
                vec![(0, 6), (11, 6)],
                vec![(1, 0), (0, 7), (11, 7)],
                vec![(1, 2)],
                vec![(1, 3)],
                vec![(1, 4)],
                vec![(1, 5)],
                vec![(1, 1)],
            ],
            row(11, 2..4).collect(),
        ),
        Hash::KeccakF | Hash::KeccakRate => (
            row(0, 0..13).map(|place| vec![place]).collect(),
            row(24, 0..13).collect(),
        ),
    }
}

/// What rows have besides the element of an input: `v[12..16]` of BLAKE2s begin with words of `IV`.
fn offset(hash: Hash, element: usize) -> u128 {
    match (hash, element) {
        (Hash::Blake2s, 6) => (0..4).fold(0, |sum, i| sum | u128::from(IV[4 + i]) << (32 * i)),
        _ => 0,
    }
}

/// A graph by its parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Parts {
    pub hash: Hash,
    pub calls: Vec<Vec<Source>>,
    pub expected: Vec<(Output, [u8; 16])>,
}

/// The bytes of an element of an input or output: those of one or two lanes of a state.
pub fn width(hash: Hash, element: usize) -> usize {
    match (hash, element) {
        (Hash::KeccakF, 12) | (Hash::KeccakRate, 8) => 8,
        _ => 16,
    }
}

/// An element's bytes without those that an input does not have.
pub fn cut(hash: Hash, element: usize, mut value: [u8; 16]) -> [u8; 16] {
    value[width(hash, element)..].fill(0);
    value
}

impl Parts {
    /// A graph with all kinds of sources, and the values of its witness elements.
    fn random(hash: Hash, count: usize, random: &mut SmallRng) -> (Self, Vec<[u8; 16]>) {
        let mut parts = Self {
            hash,
            calls: Vec::new(),
            expected: Vec::new(),
        };
        let mut witness = Vec::new();
        for call in 0..count {
            let source = |element| {
                let value = cut(hash, element, random.random());
                let zero = random.random();
                let value = if zero { [0; 16] } else { value };
                match random.random_range(0..4) {
                    0 => {
                        witness.push(value);
                        Source::Witness
                    }
                    2.. if call > 0 => {
                        // One element of a state has a width of its own.
                        let all = 0..hash.output_elements();
                        let fitting: Vec<usize> = all
                            .filter(|&of_output| width(hash, of_output) == width(hash, element))
                            .collect();
                        let output = Output {
                            call: random.random_range(0..call),
                            element: fitting[random.random_range(0..fitting.len())],
                        };
                        let output = Some(output);
                        Source::Known { output, value }
                    }
                    _ => Source::value(value),
                }
            };
            parts
                .calls
                .push((0..hash.input_elements()).map(source).collect());
        }
        for (call, output) in parts.outputs(&witness).into_iter().enumerate() {
            for (element, value) in output.into_iter().enumerate() {
                if random.random_range(0..3) == 0 {
                    parts.expected.push((Output { call, element }, value));
                }
            }
        }
        (parts, witness)
    }

    pub fn graph(&self) -> HashGraph {
        let mut graph = HashGraph::new(self.hash);
        for (call, sources) in self.calls.iter().enumerate() {
            assert_eq!(graph.push(sources), Ok(call));
        }
        for &(output, value) in &self.expected {
            assert_eq!(graph.expect(output, value), Ok(()));
        }
        graph
    }

    pub fn outputs(&self, witness: &[[u8; 16]]) -> Vec<Vec<[u8; 16]>> {
        let inputs = self.graph().inputs(witness).unwrap();
        let inputs = inputs.chunks(self.hash.input_bytes());
        let outputs = inputs.map(|input| {
            let mut output = self.hash.apply(input);
            output.resize(16 * self.hash.output_elements(), 0);
            output.as_chunks().0.to_vec()
        });
        outputs.collect()
    }

    pub fn trace(&self, witness: &[[u8; 16]]) -> Vec<K> {
        let graph = self.graph();
        let inputs = graph.inputs(witness).unwrap();
        let inputs = inputs.chunks(self.hash.input_bytes()).collect();
        elements_of(&graph.shape(), &circuit(self.hash), inputs)
    }

    /// All equations: the power of the challenge, the call that weighs it, elements, and their sum.
    fn equations(&self) -> Vec<(usize, usize, Vec<usize>, K)> {
        let log_calls = self.graph().shape().log_calls();
        let (inputs, outputs) = places(self.hash);
        let at = |call, (row, element)| index(log_calls, call, row, element);
        let value = |value: &[u8; 16]| K::from_repr(u128::from_le_bytes(*value));
        let mut equations = Vec::new();
        for (call, sources) in self.calls.iter().enumerate() {
            for (element, source) in sources.iter().enumerate() {
                if let Source::Known {
                    output,
                    value: known,
                } = source
                {
                    let output = output.map(|output| at(output.call, outputs[output.element]));
                    let own = at(call, inputs[element][0]);
                    let sum = value(known) + K::from_repr(offset(self.hash, element));
                    let all = [own].into_iter().chain(output).collect();
                    equations.push((1 + element, call, all, sum));
                }
            }
        }
        for (Output { call, element }, expected) in &self.expected {
            let own = vec![at(*call, outputs[*element])];
            equations.push((1 + inputs.len() + element, *call, own, value(expected)));
        }
        let copies = inputs
            .iter()
            .flat_map(|places| places[1..].iter().map(|&copy| (places[0], copy)));
        for (i, (first, copy)) in copies.enumerate() {
            let power = 1 + inputs.len() + outputs.len() + i;
            for call in 0..1 << log_calls {
                equations.push((power, call, vec![at(call, first), at(call, copy)], K::ZERO));
            }
        }
        equations
    }
}

/// Graphs whose calls fill the trace or do not.
fn examples(seed: u64) -> impl Iterator<Item = (Parts, Vec<[u8; 16]>)> {
    let mut random = SmallRng::seed_from_u64(seed);
    let shapes = [1, 2, 7, 8, 9].into_iter();
    let shapes = shapes.flat_map(|count| Hash::OF_GRAPHS.map(|hash| (hash, count)));
    shapes.map(move |(hash, count)| Parts::random(hash, count, &mut random))
}

fn check_definition(parts: &Parts, witness: &[[u8; 16]], random: &mut SmallRng) {
    let (graph, trace) = (parts.graph(), parts.trace(witness));
    let statement = Statement::Graph(&graph);
    let circuit = circuit(parts.hash);
    let log_calls = statement.shape().log_calls();
    let calls = elements(random, log_calls);
    let (unused, eta) = (elements(random, 4), elements(random, 1)[0]);
    let claims = PublicClaims::new(&statement, &circuit, &calls, &unused, eta);
    let mut weights = K::zero_vec(trace.len());
    add_to(&claims, &mut weights);
    assert_eq!(dot(&weights, &trace), claims.value);

    let (equations, calls) = (parts.equations(), eq_table(&calls));
    // No two equations are of one call and one power, so that none cancels another.
    let weights_of_equations: BTreeSet<_> = equations.iter().map(|own| (own.0, own.1)).collect();
    assert_eq!(weights_of_equations.len(), equations.len());
    let highest = equations.iter().map(|equation| equation.0).max();
    let number = PublicClaims::number(&statement.shape(), &circuit);
    assert!(highest.is_none_or(|highest| highest <= number));
    let difference = |trace: &[K]| -> K {
        let of = |(power, call, places, value): &(usize, usize, Vec<usize>, K)| {
            let sum: K = places.iter().map(|&place| trace[place]).sum();
            eta.exp_u64(*power as u64) * calls[*call] * (sum + *value)
        };
        equations.iter().map(of).sum()
    };
    assert_eq!(difference(&trace), K::ZERO);
    let other = elements(random, trace.len());
    assert_eq!(dot(&weights, &other) + claims.value, difference(&other));

    // A wrong element is noticed exactly if an equation has it.
    let claimed: BTreeSet<usize> = equations.iter().flat_map(|own| own.2.clone()).collect();
    let weighed = weights
        .iter()
        .enumerate()
        .filter(|(_, weight)| **weight != K::ZERO);
    assert_eq!(weighed.map(|(i, _)| i).collect::<BTreeSet<_>>(), claimed);

    let mut point = |count| elements(random, count);
    let (row, call, element) = (point(circuit.log_rows), point(log_calls), point(4));
    let whole = [call.as_slice(), &element, &row].concat();
    let evaluated = claims.evaluate(&row, &call, &element);
    assert_eq!(evaluated, dot(&weights, &eq_table(&whole)));
}

#[test]
fn claims_about_graphs_are_their_definition() {
    let mut random = SmallRng::seed_from_u64(50);
    for (parts, witness) in examples(51) {
        check_definition(&parts, &witness, &mut random);
    }
}

/// Each public element of a row has a power of its own.
#[test]
fn claims_about_graphs_are_as_many_as_public_elements() {
    for hash in Hash::OF_GRAPHS {
        let (graph, circuit) = (HashGraph::new(hash), circuit(hash));
        let public = circuit.public.iter();
        let public: u32 = public.map(|public| public.elements.count_ones()).sum();
        let number = PublicClaims::number(&graph.shape(), &circuit);
        assert_eq!(number, public as usize);
    }
}

/// The same change of two values, of whichever equations, never leaves the claim as it was.
#[test]
fn changes_of_two_values_do_not_cancel() {
    let mut random = SmallRng::seed_from_u64(56);
    for (parts, _) in examples(57) {
        let circuit = circuit(parts.hash);
        let log_calls = parts.graph().shape().log_calls();
        let (calls, eta) = (
            elements(&mut random, log_calls),
            elements(&mut random, 1)[0],
        );
        let value = |parts: &Parts| {
            let graph = parts.graph();
            let statement = Statement::Graph(&graph);
            PublicClaims::new(&statement, &circuit, &calls, &[K::ZERO; 4], eta).value
        };
        let mut seen = BTreeSet::from([value(&parts)]);
        for call in 0..parts.calls.len() {
            for element in 0..parts.calls[call].len() {
                let mut other = parts.clone();
                if let Source::Known { value: known, .. } = &mut other.calls[call][element] {
                    known[3] ^= 0x40;
                    assert!(seen.insert(value(&other)), "{}", parts.hash);
                }
            }
        }
        for i in 0..parts.expected.len() {
            let mut other = parts.clone();
            other.expected[i].1[3] ^= 0x40;
            assert!(seen.insert(value(&other)), "{}", parts.hash);
        }
    }
}

/// Variables of calls and elements, and one power for each public element.
#[test]
fn bits_of_the_claims_about_graphs() {
    let mut random = SmallRng::seed_from_u64(58);
    let public: [(_, f64); 4] = [
        (Hash::Blake3, 12.0),
        (Hash::Blake2s, 12.0),
        (Hash::KeccakF, 26.0),
        (Hash::KeccakRate, 26.0),
    ];
    for (hash, public) in public {
        for (count, log_calls) in [(1, 3.0), (8, 3.0), (9, 4.0), (17, 5.0)] {
            let graph = Parts::random(hash, count, &mut random).0.graph();
            let terms = graph.shape().security().unwrap().terms;
            let own = terms.iter().find(|term| term.name == "inputs and outputs");
            let expected = 128.0 - CHALLENGE_LOSS - (4.0 + log_calls + public).log2();
            assert!(
                (own.unwrap().bits - expected).abs() < 1e-9,
                "{hash}, {count}"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn random_graphs_are_proved(seed: u64, hash in 0..4_usize, count in 1..20_usize) {
        let mut random = SmallRng::seed_from_u64(seed);
        let (parts, witness) = Parts::random(Hash::OF_GRAPHS[hash], count, &mut random);
        check_definition(&parts, &witness, &mut random);
        let graph = parts.graph();
        let proof = prove::<Blake3>(Witness::of_graph(&graph, &witness).unwrap()).unwrap();
        prop_assert!(verify(&graph, &proof).unwrap().sum() > MIN_BITS);
        let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        prop_assert_eq!(one_thread.install(|| prove(Witness::of_graph(&graph, &witness).unwrap())), Ok(proof));
    }
}

#[test]
fn graphs_are_proved_in_poseidon16() {
    let mut random = SmallRng::seed_from_u64(52);
    for hash in Hash::OF_GRAPHS {
        let (parts, witness) = Parts::random(hash, 3, &mut random);
        let graph = parts.graph();
        let proof = prove::<Poseidon16>(Witness::of_graph(&graph, &witness).unwrap()).unwrap();
        assert!(verify(&graph, &proof).is_ok());
    }
}

/// One call that is all known, as the three kinds of statements.
#[test]
fn graphs_are_a_kind_of_their_own() {
    for hash in Hash::ALL {
        let list = super::tests::calls(hash, 1);
        let (input, output) = list.calls().next().unwrap();
        let value = |bytes: &[u8]| {
            let mut value = [0; 16];
            value[..bytes.len()].copy_from_slice(bytes);
            value
        };
        let mut graph = HashGraph::new(hash);
        let sources: Vec<_> = input.chunks(16).map(value).map(Source::value).collect();
        graph.push(&sources).unwrap();
        for (element, bytes) in output.chunks(16).enumerate() {
            graph
                .expect(Output { call: 0, element }, value(bytes))
                .unwrap();
        }
        let (calls, about) = (Statement::Calls(&list), Statement::Graph(&graph));
        assert_ne!(calls.shape().numbers(), about.shape().numbers());
        let proof = crate::prove::<Blake3>(&list).unwrap();
        assert!(verify(&graph, &proof).is_err());
        let proof = prove::<Blake3>(Witness::of_graph(&graph, &[]).unwrap()).unwrap();
        assert!(verify(&graph, &proof).is_ok());
        assert!(crate::verify(&list, &proof).is_err());
    }
}

#[test]
fn graphs_without_calls_and_false_values_are_not_proved() {
    let hash = Hash::Blake2s;
    let mut graph = HashGraph::new(hash);
    let empty = BinaryError::Graph(GraphError::Empty(hash));
    for hash in Hash::OF_GRAPHS {
        // It has a digest, too, so that a file of it can be named.
        Statement::Graph(&HashGraph::new(hash)).digest::<Blake3>();
    }
    assert_eq!(
        prove::<Blake3>(Witness::of_graph(&graph, &[]).unwrap()),
        Err(empty.clone())
    );
    graph.push(&[Source::Witness; 7]).unwrap();
    let proof = prove::<Blake3>(Witness::of_graph(&graph, &[[1; 16]; 7]).unwrap()).unwrap();
    assert_eq!(verify(&HashGraph::new(hash), &proof), Err(empty));
    let (expected, found) = (7, 6);
    let error = WitnessError::Number { expected, found };
    assert_eq!(Witness::of_graph(&graph, &[[1; 16]; 6]).unwrap_err(), error);
}

/// Graphs that just fill the trace up, or just do not. A proof of one is none of a longer or
/// shorter one.
#[test]
fn graphs_of_whole_traces() {
    let mut random = SmallRng::seed_from_u64(59);
    for hash in Hash::OF_GRAPHS {
        let mut before: Option<(HashGraph, Proof<Blake3>)> = None;
        for count in [1, 7, 8, 9, 16, 17, 64, 65] {
            let (parts, witness) = Parts::random(hash, count, &mut random);
            let graph = parts.graph();
            let proof = prove::<Blake3>(Witness::of_graph(&graph, &witness).unwrap()).unwrap();
            assert!(verify(&graph, &proof).is_ok(), "{hash}, {count}");
            if let Some((other_graph, other)) = before {
                assert!(verify(&graph, &other).is_err(), "{hash}, {count}");
                assert!(verify(&other_graph, &proof).is_err(), "{hash}, {count}");
            }
            before = Some((graph, proof));
        }
    }
}

/// A file of a graph is one of another statement to those who expect a list or paths.
#[test]
fn files_of_graphs_are_of_other_statements() {
    let mut random = SmallRng::seed_from_u64(60);
    for hash in Hash::ALL {
        let (parts, witness) = Parts::random(hash, 2, &mut random);
        let graph = parts.graph();
        let proof = prove::<Blake3>(Witness::of_graph(&graph, &witness).unwrap()).unwrap();
        let file = File::new(&graph, proof);
        let bytes = file.encode().unwrap();
        let list = super::tests::calls(hash, 2);
        let error = verify_file::<Blake3>(&list, &bytes, 0).unwrap_err();
        assert!(matches!(error, BinaryError::OtherList { .. }), "{error}");
        let (paths, _) = super::tests::paths(hash, 2, 1);
        let error = verify_file::<Blake3>(&paths, &bytes, 0).unwrap_err();
        assert!(matches!(error, BinaryError::OtherList { .. }), "{error}");
    }
}

/// At every size that graphs have, as many as docs/soundness.md says.
#[test]
fn one_hundred_bits_of_graphs() {
    for hash in Hash::OF_GRAPHS {
        let sources = vec![Source::Witness; hash.input_elements()];
        let mut graph = HashGraph::new(hash);
        for call in 0..hash.max_calls() {
            assert_eq!(graph.push(&sources), Ok(call));
            if graph.len().is_power_of_two() {
                let bits = graph.shape().security();
                let bits = bits.unwrap().sum();
                assert!(bits >= 100.5, "{hash}, {}: {bits}", graph.len());
            }
        }
        let most = hash.max_calls();
        let error = GraphError::TooManyCalls { hash, most };
        assert_eq!(graph.push(&sources), Err(error));
    }
}
