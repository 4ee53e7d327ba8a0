//! Provers that violate one equation of a graph, or prove another graph.

use std::collections::HashSet;

use p3_binary_field::TowerLevel;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use crate::calls::Hash;
use crate::circuit::Circuit;
use crate::error::BinaryError;
use crate::field::K;
use crate::graph::{Output, Source};
use crate::proof::{prove, prove_elements, verify};
use crate::statement::Statement;
use crate::statement::graph_tests::{Parts, cut, width};
use crate::trace::{circuit, elements_of_calls, index};
use crate::tree_hash::Blake3;
use crate::witness::Witness;

/// A call whose input is of the witness, one with known values, one with elements of the first's
/// output, and expected outputs of all: each kind of equation at each place of it.
fn whole(hash: Hash, random: &mut SmallRng) -> (Parts, Vec<[u8; 16]>) {
    let elements = hash.input_elements();
    let mut value = |element| cut(hash, element, random.random());
    let witness: Vec<_> = (0..elements).map(&mut value).collect();
    let known = (0..elements)
        .map(|element| Source::value(value(element)))
        .collect();
    let wired = (0..elements).map(|element| Source::Known {
        output: Some(Output {
            call: 0,
            element: element % hash.output_elements(),
        }),
        value: cut(hash, element, [element as u8 + 1; 16]),
    });
    let mut parts = Parts {
        hash,
        calls: vec![vec![Source::Witness; elements], known, wired.collect()],
        expected: Vec::new(),
    };
    for (call, output) in parts.outputs(&witness).into_iter().enumerate() {
        let output = output.into_iter().enumerate();
        let output = output.map(|(element, value)| (Output { call, element }, value));
        parts.expected.extend(output);
    }
    (parts, witness)
}

/// What a prover gets who commits to a trace that is another statement's, and then follows the
/// protocol.
fn outcome(parts: &Parts, circuit: &Circuit, trace: &[K]) -> Result<(), BinaryError> {
    let graph = parts.graph();
    let proof = prove_elements::<Blake3>(&Statement::Graph(&graph), circuit, trace.to_vec());
    verify(&graph, &proof.unwrap()).map(drop)
}

/// True calls, of which one value of one equation is another one.
#[test]
fn each_violated_equation_is_refused() {
    let mut random = SmallRng::seed_from_u64(53);
    for hash in Hash::OF_GRAPHS {
        let circuit = circuit(hash);
        let (parts, witness) = whole(hash, &mut random);
        let trace = parts.trace(&witness);
        assert_eq!(outcome(&parts, &circuit, &trace), Ok(()));
        for call in [1, 2] {
            for element in 0..hash.input_elements() {
                let mut parts = parts.clone();
                if let Source::Known { value, .. } = &mut parts.calls[call][element] {
                    value[element % 8] ^= 0x10;
                }
                let refused = outcome(&parts, &circuit, &trace);
                assert_eq!(
                    refused,
                    Err(BinaryError::Claim),
                    "{hash}, {call}, {element}"
                );
            }
        }
        for i in 0..parts.expected.len() {
            let mut parts = parts.clone();
            parts.expected[i].1[i % 8] ^= 1;
            let refused = outcome(&parts, &circuit, &trace);
            assert_eq!(refused, Err(BinaryError::Claim), "{hash}, {i}");
        }
    }
}

/// True calls, of which the values of two equations have the same change: of two places of a call,
/// of one place in two calls, of an output and of an input of the same call or one that names it.
#[test]
fn two_violated_equations_are_refused() {
    let mut random = SmallRng::seed_from_u64(61);
    for hash in Hash::OF_GRAPHS {
        let circuit = circuit(hash);
        let (parts, witness) = whole(hash, &mut random);
        let trace = parts.trace(&witness);
        let elements = hash.input_elements();
        let changed = |parts: &mut Parts, (call, element): (usize, usize)| {
            if let Source::Known { value, .. } = &mut parts.calls[call][element] {
                value[2] ^= 0x21;
            }
        };
        // The first change, and the second one: of an input, or of an expected output.
        let check = |first, second: Result<(usize, usize), Output>| {
            let mut parts = parts.clone();
            changed(&mut parts, first);
            match second {
                Ok(second) => changed(&mut parts, second),
                Err(output) => {
                    let mut expected = parts.expected.iter_mut();
                    let expected = expected.find(|expected| expected.0 == output);
                    expected.unwrap().1[2] ^= 0x21;
                }
            }
            let refused = outcome(&parts, &circuit, &trace);
            let message = format!("{hash}, {first:?}, {second:?}");
            assert_eq!(refused, Err(BinaryError::Claim), "{message}");
        };
        for element in 0..elements {
            let output = |call| Output {
                call,
                element: element % hash.output_elements(),
            };
            check((1, element), Ok((1, (element + 1) % elements)));
            check((1, element), Ok((2, element)));
            check((2, element), Ok((2, (element + 1) % elements)));
            check((2, element), Err(output(0)));
            check((2, element), Err(output(2)));
        }
    }
}

/// A chain of calls beyond a power of two: any of them with another true call in its place. Calls
/// that fill the trace up may be any true ones.
#[test]
fn other_calls_of_a_chain_are_refused() {
    let mut random = SmallRng::seed_from_u64(62);
    for hash in Hash::OF_GRAPHS {
        let circuit = circuit(hash);
        let mut parts = Parts {
            hash,
            calls: vec![vec![Source::value([0; 16]); hash.input_elements()]],
            expected: Vec::new(),
        };
        for call in 0..8 {
            let outputs = hash.output_elements();
            let sources = (0..hash.input_elements()).map(|element| {
                if element < outputs {
                    Source::output(call, element)
                } else {
                    Source::Witness
                }
            });
            parts.calls.push(sources.collect());
        }
        let witness = vec![[7; 16]; parts.graph().num_witness_elements()];
        let inputs = parts.graph().inputs(&witness).unwrap();
        let mut inputs: Vec<_> = inputs.chunks(hash.input_bytes()).collect();
        let zero = vec![0; hash.input_bytes()];
        inputs.resize(16, &zero);
        let mut other = vec![0; hash.input_bytes()];
        random.fill(&mut other[..]);
        for call in 0..16 {
            let mut inputs = inputs.clone();
            inputs[call] = &other;
            let trace = elements_of_calls(hash, &circuit, &inputs);
            let expected = if call < 9 {
                Err(BinaryError::Claim)
            } else {
                Ok(())
            };
            assert_eq!(
                outcome(&parts, &circuit, &trace),
                expected,
                "{hash}, {call}"
            );
        }
    }
}

/// True calls, of which one element comes from another element, call or nowhere.
#[test]
fn each_other_source_is_refused() {
    let mut random = SmallRng::seed_from_u64(54);
    for hash in Hash::OF_GRAPHS {
        let circuit = circuit(hash);
        let (parts, witness) = whole(hash, &mut random);
        let trace = parts.trace(&witness);
        for element in 0..hash.input_elements() {
            let Source::Known {
                output: Some(output),
                value,
            } = parts.calls[2][element]
            else {
                panic!()
            };
            let mut others = vec![Some(Output { call: 1, ..output }), None];
            // Another element of the same width, if there is one.
            let is_other = |&other: &usize| {
                other != output.element && width(hash, other) == width(hash, element)
            };
            if let Some(element) = (0..hash.output_elements()).find(is_other) {
                others.push(Some(Output { element, ..output }));
            }
            for output in others {
                let mut parts = parts.clone();
                parts.calls[2][element] = Source::Known { output, value };
                let refused = outcome(&parts, &circuit, &trace);
                assert_eq!(refused, Err(BinaryError::Claim), "{hash}, {element}");
            }
        }
    }
}

/// The word between rate and capacity is the prover's in rows between input and output, and where
/// the input is of the witness. From an output it goes into the same word of an input, or nowhere.
#[test]
fn what_is_between_rate_and_capacity() {
    let hash = Hash::KeccakRate;
    let circuit = circuit(hash);
    let (mut parts, witness) = whole(hash, &mut SmallRng::seed_from_u64(63));
    let trace = parts.trace(&witness);
    let log_calls = parts.graph().shape().log_calls();
    // Changes the word in these rows of calls.
    let changed = |rows: &[(usize, usize)]| {
        let mut trace = trace.clone();
        for &(call, row) in rows {
            trace[index(log_calls, call, row, 8)] += K::from_repr(5 << 64);
        }
        trace
    };
    let refused = Err(BinaryError::Claim);
    assert_eq!(outcome(&parts, &circuit, &changed(&[(2, 24)])), refused);
    parts.expected.retain(|(output, _)| output.element != 8);
    for (rows, is_accepted) in [
        (vec![(0, 0), (0, 7), (1, 23), (2, 24)], true),
        (vec![(1, 0)], false),
        (vec![(2, 0)], false),
        (vec![(0, 24)], false),
        (vec![(0, 24), (2, 0)], true),
    ] {
        let expected = if is_accepted { Ok(()) } else { refused.clone() };
        assert_eq!(
            outcome(&parts, &circuit, &changed(&rows)),
            expected,
            "{rows:?}"
        );
    }
}

/// A proof of one graph is none of another, and no two graphs have one digest.
#[test]
fn other_graphs_are_refused() {
    let mut random = SmallRng::seed_from_u64(55);
    for hash in Hash::OF_GRAPHS {
        let (parts, witness) = whole(hash, &mut random);
        let graph = parts.graph();
        let proof = prove::<Blake3>(Witness::of_graph(&graph, &witness).unwrap()).unwrap();
        assert!(verify(&graph, &proof).is_ok());
        let mut seen = HashSet::from([Statement::Graph(&graph).digest::<Blake3>()]);
        let mut check = |change: &dyn Fn(&mut Parts)| {
            let mut other = parts.clone();
            change(&mut other);
            let graph = other.graph();
            assert!(seen.insert(Statement::Graph(&graph).digest::<Blake3>()));
            assert!(verify(&graph, &proof).is_err());
        };
        let wire = |call, element, value| {
            let output = Some(Output { call, element });
            Source::Known { output, value }
        };
        let width = |element: usize| width(hash, element);
        for element in 0..hash.input_elements() {
            let zero = [0; 16];
            check(&|parts| parts.calls[0][element] = Source::value(zero));
            check(&|parts| parts.calls[1][element] = Source::Witness);
            check(&|parts| parts.calls[2][element] = Source::Witness);
            check(&|parts| parts.calls[2][element] = Source::value(zero));
            for call in [0, 1] {
                for from in 0..hash.output_elements() {
                    if width(from) == width(element) {
                        check(&|parts| parts.calls[2][element] = wire(call, from, zero));
                    }
                }
            }
            for byte in 0..width(element) {
                for call in [1, 2] {
                    check(&|parts| {
                        if let Source::Known { value, .. } = &mut parts.calls[call][element] {
                            value[byte] ^= 0x80;
                        }
                    });
                }
            }
        }
        for i in 0..parts.expected.len() {
            check(&|parts| {
                parts.expected.remove(i);
            });
            check(&|parts| parts.expected[i].1 = [0; 16]);
            for byte in 0..width(i % hash.output_elements()) {
                check(&|parts| parts.expected[i].1[byte] ^= 1);
            }
        }
        // Other orders of true calls, fewer and more of them.
        check(&|parts| parts.calls.swap(0, 1));
        check(&|parts| {
            parts
                .calls
                .push(vec![Source::Witness; hash.input_elements()])
        });
        check(&|parts| {
            parts
                .calls
                .push(vec![Source::value([0; 16]); hash.input_elements()])
        });
        check(&|parts| {
            parts.calls.pop();
            parts.expected.retain(|(output, _)| output.call < 2);
        });
    }
}
