//! What a graph refuses, by name, and the inputs of its calls.

use super::*;

const HASH: Hash = Hash::Blake3;

/// The elements with the last lane of a state, or of its rate.
const HALVES: [(Hash, usize); 2] = [(Hash::KeccakF, 12), (Hash::KeccakRate, 8)];

/// A graph of two calls whose inputs are of the witness.
fn two(hash: Hash) -> HashGraph {
    let mut graph = HashGraph::new(hash);
    for call in 0..2 {
        let witness = vec![Source::Witness; hash.input_elements()];
        assert_eq!(graph.push(&witness), Ok(call));
    }
    graph
}

#[test]
fn elements_of_inputs_and_outputs() {
    let elements = |hash: Hash| (hash.input_elements(), hash.output_elements());
    let expected = [(7, 4), (7, 2), (13, 13), (13, 13)];
    assert_eq!(Hash::OF_GRAPHS.map(elements), expected);
    for hash in Hash::OF_GRAPHS {
        for element in 0..hash.input_elements() {
            let is_half = HALVES.contains(&(hash, element));
            let bytes = bytes_of_element(hash, element);
            assert_eq!(bytes, if is_half { 8 } else { 16 }, "{hash}, {element}");
        }
    }
}

#[test]
fn wires_tell_outputs() {
    for hash in Hash::OF_GRAPHS {
        for element in 0..hash.output_elements() {
            for call in [0, 1, hash.max_calls() - 1] {
                let output = Output { call, element };
                assert_eq!(Wire::to(output).output(), Some(output));
            }
        }
    }
    assert_eq!(Wire::WITNESS.output(), None);
    assert_eq!(Wire::VALUE.output(), None);
}

/// Whatever is refused leaves the graph as it was.
fn refused(hash: Hash, input: &[Source]) -> GraphError {
    let mut graph = two(hash);
    let error = graph.push(input).unwrap_err();
    assert_eq!(graph, two(hash));
    error
}

#[test]
fn calls_that_a_graph_cannot_have() {
    for (count, hash) in [(6, HASH), (8, HASH), (7, Hash::KeccakF), (0, Hash::Blake2s)] {
        let error = GraphError::Sources {
            hash,
            call: 2,
            expected: hash.input_elements(),
            found: count,
        };
        assert_eq!(refused(hash, &vec![Source::Witness; count]), error);
    }
    for hash in Hash::OF_GRAPHS {
        let with = |element: usize, source| {
            let mut input = vec![Source::Witness; hash.input_elements()];
            input[element] = source;
            refused(hash, &input)
        };
        for element in 0..hash.input_elements() {
            for call in [2, 3, usize::MAX] {
                let error = GraphError::LaterCall { call, calls: 2 };
                assert_eq!(with(element, Source::output(call, 0)), error);
            }
            for found in [hash.output_elements(), usize::MAX] {
                let error = GraphError::Element {
                    hash,
                    element: found,
                    elements: hash.output_elements(),
                };
                assert_eq!(with(element, Source::output(1, found)), error);
            }
        }
    }
}

/// They are one lane alone, which is copied to no other element.
#[test]
fn half_elements() {
    for (hash, half) in HALVES {
        let mut value = [0xff; 16];
        value[8..].fill(0);
        let with = |element: usize, source| {
            let mut input = [Source::Witness; 13];
            input[element] = source;
            input
        };
        let (element, bytes) = (half, 8);
        for byte in 8..16 {
            let mut long = [0; 16];
            long[byte] = 1;
            let call = 2;
            let error = GraphError::Value {
                call,
                element,
                bytes,
            };
            assert_eq!(refused(hash, &with(half, Source::value(long))), error);
            let mut graph = two(hash);
            let call = 1;
            let error = GraphError::Value {
                call,
                element,
                bytes,
            };
            assert_eq!(graph.expect(Output { call, element }, long), Err(error));
            let call = 0;
            let error = WitnessError::Value {
                call,
                element,
                bytes,
            };
            let mut witness = [[0; 16]; 26];
            witness[half] = long;
            assert_eq!(graph.inputs(&witness), Err(error));
        }
        for (element, from) in [(half, 0), (half, 11), (0, half), (11, half)] {
            let error = GraphError::Width {
                call: 2,
                element,
                bytes: if element == half { 8 } else { 16 },
                found: if from == half { 8 } else { 16 },
            };
            assert_eq!(
                refused(hash, &with(element, Source::output(0, from))),
                error
            );
        }
        let mut graph = two(hash);
        assert_eq!(graph.push(&with(half, Source::value(value))), Ok(2));
        assert_eq!(graph.push(&with(half, Source::output(2, half))), Ok(3));
        assert_eq!(graph.expect(Output { call: 3, element }, value), Ok(()));
    }
}

/// Elements of an input are 16 bytes each, whatever their width.
#[test]
fn inputs_of_split_states() {
    let hash = Hash::KeccakRate;
    let mut graph = HashGraph::new(hash);
    graph.push(&[Source::Witness; 13]).unwrap();
    let copied: [Source; 13] = std::array::from_fn(|element| Source::output(0, element));
    graph.push(&copied).unwrap();
    let mut witness = [[7; 16]; 13];
    witness[8][8..].fill(0);
    let inputs = graph.inputs(&witness).unwrap();
    let (first, second) = inputs.split_at(208);
    assert_eq!(first, witness.as_flattened());
    assert_eq!(second, hash.apply(first));
    assert_eq!(second[136..144], [0; 8]);
}

#[test]
fn outputs_that_are_not_expected() {
    let mut graph = two(HASH);
    let output = Output {
        call: 1,
        element: 3,
    };
    assert_eq!(graph.expect(output, [1; 16]), Ok(()));
    for value in [[1; 16], [2; 16]] {
        let (call, element) = (1, 3);
        let error = GraphError::ExpectedTwice { call, element };
        assert_eq!(graph.expect(output, value), Err(error));
    }
    let later = Output { call: 2, ..output };
    let error = GraphError::LaterCall { call: 2, calls: 2 };
    assert_eq!(graph.expect(later, [0; 16]), Err(error));
    let none = Output {
        element: 4,
        ..output
    };
    let error = GraphError::Element {
        hash: HASH,
        element: 4,
        elements: 4,
    };
    assert_eq!(graph.expect(none, [0; 16]), Err(error));
    let (expected, found) = (14, 15);
    let error = WitnessError::Number { expected, found };
    assert_eq!(graph.inputs(&[[0; 16]; 15]), Err(error));
    let (call, element) = (1, 3);
    let error = WitnessError::Output { call, element };
    assert_eq!(graph.inputs(&[[0; 16]; 14]), Err(error));
}

/// Witness elements, values, elements of outputs, and both.
#[test]
fn inputs_of_calls() {
    let mut graph = HashGraph::new(HASH);
    let witness = [
        [1; 16], [2; 16], [3; 16], [4; 16], [5; 16], [6; 16], [7; 16],
    ];
    graph.push(&[Source::Witness; 7]).unwrap();
    let both = Source::Known {
        output: Some(Output {
            call: 0,
            element: 1,
        }),
        value: [0xf0; 16],
    };
    let mut input = [Source::Witness; 7];
    input[..4].copy_from_slice(&[Source::value([9; 16]), Source::output(0, 3), both, both]);
    graph.push(&input).unwrap();
    assert_eq!(graph.num_witness_elements(), 10);
    let all = [witness.as_slice(), &[[8; 16], [10; 16], [11; 16]]].concat();
    let inputs = graph.inputs(&all).unwrap();
    let (first, second) = inputs.split_at(112);
    assert_eq!(first, witness.as_flattened());
    let output = HASH.apply(first);
    assert_eq!(second[..16], [9; 16]);
    assert_eq!(second[16..32], output[48..]);
    for element in [2, 3] {
        for i in 0..16 {
            assert_eq!(second[16 * element + i], output[16 + i] ^ 0xf0);
        }
    }
    assert_eq!(second[64..], *all[7..].as_flattened());
}
