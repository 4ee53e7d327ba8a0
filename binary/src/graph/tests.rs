//! What a graph refuses, by name, and the inputs of its calls.

use super::*;

const HASH: Hash = Hash::Blake3;

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
    assert_eq!(Hash::ALL.map(elements), [(7, 4), (7, 2), (13, 13)]);
    for element in 0..13 {
        let bytes = bytes_of_element(200, element);
        assert_eq!(bytes, if element == 12 { 8 } else { 16 });
    }
}

#[test]
fn wires_tell_outputs() {
    for hash in Hash::ALL {
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
    for hash in Hash::ALL {
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

/// The last element of a state of Keccak-f is the last lane alone.
#[test]
fn half_elements() {
    let hash = Hash::KeccakF;
    let mut value = [0xff; 16];
    value[8..].fill(0);
    let with = |element: usize, source| {
        let mut input = [Source::Witness; 13];
        input[element] = source;
        input
    };
    for byte in 8..16 {
        let mut long = [0; 16];
        long[byte] = 1;
        let (call, element, bytes) = (2, 12, 8);
        let error = GraphError::Value {
            call,
            element,
            bytes,
        };
        assert_eq!(refused(hash, &with(12, Source::value(long))), error);
        let mut graph = two(hash);
        let error = GraphError::Value {
            call: 1,
            element,
            bytes,
        };
        assert_eq!(graph.expect(Output { call: 1, element }, long), Err(error));
        let error = WitnessError::Value {
            call: 0,
            element,
            bytes,
        };
        let mut witness = [[0; 16]; 26];
        witness[12] = long;
        assert_eq!(graph.inputs(&witness), Err(error));
    }
    for (element, from) in [(12, 0), (12, 11), (0, 12), (11, 12)] {
        let error = GraphError::Width {
            call: 2,
            element,
            bytes: if element == 12 { 8 } else { 16 },
            found: if from == 12 { 8 } else { 16 },
        };
        assert_eq!(
            refused(hash, &with(element, Source::output(0, from))),
            error
        );
    }
    let mut graph = two(hash);
    assert_eq!(graph.push(&with(12, Source::value(value))), Ok(2));
    assert_eq!(graph.push(&with(12, Source::output(2, 12))), Ok(3));
    assert_eq!(
        graph.expect(
            Output {
                call: 3,
                element: 12
            },
            value
        ),
        Ok(())
    );
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
