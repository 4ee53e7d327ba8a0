//! Lies about BLAKE3 and BLAKE2s.

use super::forced::{force, known};
use super::slow::{Check, DishonestProver, Statement};
use super::{
    CALLS, false_bits, inputs, outcome, place_of_output, rows_per_call, trace, with_outputs_of,
};
use crate::blake::{B, D, DIAGONAL_A1, DIAGONAL_C1, T1};
use crate::calls::Hash;
use crate::circuit::{BITS, Circuit, Row, WORDS};
use crate::error::BinaryError;
use crate::graph::{HashGraph, Output, Source};
use crate::proof::{prove_elements, verify};
use crate::statement::Statement as About;
use crate::statement::tests::calls;
use crate::trace::{circuit, rows_of_call};
use crate::tree_hash::Blake3;

const HASHES: [Hash; 2] = [Hash::Blake3, Hash::Blake2s];

/// Words of `h` after the last round and before the first one.
const H: std::ops::Range<usize> = T1 / 2..T1 / 2 + 4;

/// The words of the row before the first round that the start forces.
fn is_forced(word: usize) -> bool {
    [DIAGONAL_A1, DIAGONAL_C1]
        .iter()
        .any(|&first| (first / 2..first / 2 + 2).contains(&word))
}

/// Rows of a call: before the first round, of the first round, and after the last one.
fn rows_of(hash: Hash) -> (usize, usize, usize) {
    match hash {
        Hash::Blake2s => (0, 1, 11),
        _ => (7, 0, 7),
    }
}

/// The rows of a call that follow by constraints from the input as `given` has it: `b`, `d` and the
/// message in the first round's row, `h` in the row after the last round, and all words but those
/// that the start forces in the row before the first round.
///
/// For BLAKE3 these two are one row. What holds if they are two holds for one, too.
fn forced(circuit: &Circuit, given: &[Row], hash: Hash) -> Vec<Row> {
    let (before, first, end) = rows_of(hash);
    let rounds = end - first;
    let mut rows = vec![[0; WORDS]; rounds + 2];
    let mut is_known = rows.clone();
    let mut give = |at: usize, row: &Row, words: &dyn Fn(usize) -> bool| {
        for word in (0..WORDS).filter(|&word| words(word)) {
            rows[at][word] = row[word];
            is_known[at][word] = u64::MAX;
        }
    };
    give(0, &given[before], &|word| !is_forced(word));
    give(1, &given[first], &|word| word < T1 / 2);
    give(rounds + 1, &given[end], &|word| H.contains(&word));
    let indices: Vec<usize> = std::iter::once(before).chain(first..end).collect();
    force(circuit, &indices, &mut rows, &mut is_known);
    assert_eq!(is_known[..=rounds], vec![known(0..WORDS); rounds + 1]);

    let mut call = given.to_vec();
    call[before] = rows[0];
    for (word, is_known) in is_known[rounds + 1].into_iter().enumerate() {
        if is_known == u64::MAX {
            call[end][word] = rows[rounds + 1][word];
        } else {
            assert_eq!(is_known, 0);
        }
    }
    call[first..end].copy_from_slice(&rows[1..=rounds]);
    if before == end {
        // The row before the first round again, as it is after the last one.
        let mut ends = [call[before], call[first]];
        let free: Row = std::array::from_fn(|word| u64::from(!is_forced(word)) * u64::MAX);
        force(circuit, &[before], &mut ends, &mut [free, known(0..WORDS)]);
        call[before] = ends[0];
    }
    call
}

fn honest_rows(hash: Hash, input: &[u8]) -> Vec<Row> {
    let mut rows = vec![[0; WORDS]; rows_per_call(hash)];
    rows_of_call(hash, input, &mut rows);
    rows
}

fn violated(circuit: &Circuit, rows: &[Row]) -> bool {
    (0..rows.len()).any(|i| {
        let next = &rows[(i + 1) % rows.len()];
        circuit.violated(i, &rows[i], next).is_some()
    })
}

/// The constraints alone determine outputs, whatever is in words that are free.
#[test]
fn outputs_are_forced() {
    for hash in HASHES {
        let circuit = circuit(hash);
        let (_, word) = place_of_output(hash);
        let (before, first, end) = rows_of(hash);
        let output = word..word + hash.output_bytes() / 8;
        // What is given here, and the output, are what the list knows.
        let listed = |row: usize, word: usize| {
            let mut public = circuit.public.iter().filter(|public| public.row == row);
            public.any(|public| public.elements >> (word / 2) & 1 == 1)
        };
        assert!((0..T1 / 2).all(|word| listed(first, word)));
        assert!(output.clone().chain(H).all(|word| listed(end, word)));
        assert!({ H }.all(|word| listed(before, word)));
        for input in inputs(&calls(hash, 1)).into_iter().take(2) {
            let honest = honest_rows(hash, &input);
            assert_eq!(forced(&circuit, &honest, hash), honest);
            let mut given = honest.clone();
            for (_, row) in
                { given.iter_mut().enumerate() }.filter(|(i, _)| !(first..end).contains(i))
            {
                for word in (0..WORDS).filter(|word| !H.contains(word)) {
                    row[word] ^= 0x5851_f42d_4c95_7f2du64.wrapping_mul(2 * word as u64 + 1);
                }
            }
            let call = forced(&circuit, &given, hash);
            assert!(!violated(&circuit, &call));
            assert_eq!(call[first..end], honest[first..end]);
            // `b` and `d` after the last round, the output, and `h`.
            for words in [B / 2..D / 2 + 2, output.clone(), H] {
                assert_eq!(call[end][words.clone()], honest[end][words]);
            }
        }
    }
}

/// A list whose outputs follow by false constraints, in all calls, so that the prover's sums are
/// zero.
fn by_false_constraints(hash: Hash, false_circuit: &Circuit) -> Statement {
    let calls = calls(hash, CALLS);
    let rows: Vec<Row> = (inputs(&calls).iter())
        .flat_map(|input| {
            let rows = forced(false_circuit, &honest_rows(hash, input), hash);
            assert!(!violated(false_circuit, &rows));
            rows
        })
        .collect();
    let list = with_outputs_of(&calls, &rows);
    assert_ne!(list, calls);
    Statement::new(list, &rows)
}

/// A prover with an initial state of its own.
#[test]
fn false_initial_states_are_refused() {
    for (hash, constant, bit) in [(Hash::Blake3, 0, 0), (Hash::Blake2s, 1, 63)] {
        let mut false_circuit = circuit(hash);
        let groups = &mut false_circuit.groups;
        let constants = groups.iter_mut().flat_map(|group| &mut group.constants);
        constants.into_iter().nth(constant).unwrap().2 ^= 1 << bit;
        let mut statement = by_false_constraints(hash, &false_circuit);
        assert_eq!(
            outcome(&statement, DishonestProver::default()),
            Some(Check::Constraints)
        );
        statement.set_circuit(false_circuit);
        assert_eq!(
            outcome(&statement, DishonestProver::default()),
            Some(Check::Constraints)
        );
    }
}

/// A prover that permutes the message in its own way: its sums are right, but of other forms.
#[test]
fn false_permutations_of_the_message_are_refused() {
    for (hash, group) in [(Hash::Blake3, 2), (Hash::Blake2s, 2), (Hash::Blake2s, 10)] {
        let mut false_circuit = circuit(hash);
        let group = &mut false_circuit.groups[group];
        assert!(group.products.is_empty() && group.constants.is_empty());
        // Words of the message from each other's places, in a form of two that are in the same
        // half.
        let form = group.rest.iter_mut().find_map(|form| {
            let own: Vec<usize> = (0..form.0.len()).filter(|&i| !form.0[i].next).collect();
            let [low, high] = own[..] else { panic!() };
            (form.0[low].rotation != form.0[high].rotation).then_some((form, low, high))
        });
        let (form, low, high) = form.unwrap();
        (form.0[low].word, form.0[high].word) = (form.0[high].word, form.0[low].word);
        let mut statement = by_false_constraints(hash, &false_circuit);
        assert_eq!(
            outcome(&statement, DishonestProver::default()),
            Some(Check::Constraints)
        );
        statement.set_circuit(false_circuit);
        assert_eq!(
            outcome(&statement, DishonestProver::default()),
            Some(Check::Values)
        );
    }
}

/// Rows that fulfil all constraints, with another `h` in one of the places that it is in.
#[test]
fn inputs_that_differ_between_rows_are_refused() {
    for hash in HASHES {
        let circuit = circuit(hash);
        let (before, first, end) = rows_of(hash);
        let (calls, count) = (calls(hash, CALLS), rows_per_call(hash));
        // Of h[4..8], `b` of the first round; of h, the rows after the last round and before the
        // first one.
        let mut places = vec![(first, B / 2), (first, B / 2 + 1), (end, H.end - 1)];
        if before != end {
            places.extend([(end, H.start), (before, H.start), (before, H.start + 1)]);
        }
        for (row, word) in places {
            let mut rows = trace(&calls);
            let call = &mut rows[count * 5..][..count];
            let mut given = call.to_vec();
            given[row][word] ^= 1 << (BITS - 3);
            call.copy_from_slice(&forced(&circuit, &given, hash));
            assert!(!violated(&circuit, call));
            for list in [calls.clone(), with_outputs_of(&calls, &rows)] {
                let statement = Statement::new(list, &rows);
                assert_eq!(
                    outcome(&statement, DishonestProver::default()),
                    Some(Check::Claim),
                    "{hash}: row {row}, word {word}"
                );
            }
        }
    }
}

/// The same of a graph, whether it knows the input or not, and the prover's output is expected.
#[test]
fn witness_inputs_that_differ_between_rows_are_refused() {
    for hash in HASHES {
        let circuit = circuit(hash);
        let (before, first, end) = rows_of(hash);
        let (list, count) = (calls(hash, 1), rows_per_call(hash));
        let input = list.calls().next().unwrap().0.as_chunks::<16>().0;
        let mut places = vec![(first, B / 2), (first, B / 2 + 1), (end, H.end - 1)];
        if before != end {
            places.extend([(end, H.start), (before, H.start), (before, H.end - 1)]);
        }
        let honest = (end, H.end);
        for (row, word) in places.into_iter().chain([honest]) {
            let mut rows = trace(&list);
            let mut given = rows[..count].to_vec();
            given[row][word] ^= 1 << (BITS - 3);
            rows[..count].copy_from_slice(&forced(&circuit, &given, hash));
            assert!(!violated(&circuit, &rows[..count]));
            let claimed = with_outputs_of(&list, &rows);
            let output = claimed.calls().next().unwrap().1.as_chunks().0;
            for is_witness in [true, false] {
                let mut graph = HashGraph::new(hash);
                let sources = input.iter().map(|&value| {
                    if is_witness {
                        Source::Witness
                    } else {
                        Source::value(value)
                    }
                });
                let call = graph.push(&sources.collect::<Vec<_>>()).unwrap();
                for (element, &value) in output.iter().enumerate() {
                    graph.expect(Output { call, element }, value).unwrap();
                }
                let elements = Statement::new(list.clone(), &rows).elements().to_vec();
                let about = About::Graph(&graph);
                let proof = prove_elements::<Blake3>(&about, &circuit, elements).unwrap();
                let refused = verify(&graph, &proof).err();
                let expected = ((row, word) != honest).then_some(BinaryError::Claim);
                assert_eq!(refused, expected, "{hash}: row {row}, word {word}");
            }
        }
    }
}

/// One false bit in each kind of row.
#[test]
fn false_bits_of_the_trace() {
    for hash in HASHES {
        let (_, output) = place_of_output(hash);
        let (before, first, end) = rows_of(hash);
        let count = rows_per_call(hash);
        let constraints = Some(Check::Constraints);
        // In each round, of different calls and words.
        let mut cases: Vec<_> = (first..end)
            .map(|row| {
                (
                    count * (row + 3) + row,
                    7 * row % WORDS,
                    9 * row as u32 % 64,
                    constraints,
                )
            })
            .collect();
        let unused = count + end + 1..2 * count;
        let (before, end) = (count + before, count + end);
        cases.extend([
            // After the last round: `b`, `d`, the output, `h`.
            (end, B / 2, 0, constraints),
            (end, D / 2 + 1, 31, constraints),
            (end, output, 32, constraints),
            (end, output + hash.output_bytes() / 8 - 1, 63, constraints),
            (end, H.start, 0, constraints),
            (end, H.end - 1, 63, constraints),
            // Neither constraints nor the list are about `T1` of diagonals there.
            (end, H.end + 8, 0, None),
            // Before the first round.
            (before, DIAGONAL_A1 / 2, 5, constraints),
            (before, DIAGONAL_C1 / 2 + 1, 40, constraints),
            (before, H.start + 1, 40, constraints),
        ]);
        if hash == Hash::Blake2s {
            cases.extend([
                // Half of the message's words, when there is a shorter output.
                (end, output + 4, 0, None),
                // The second half of `h` is `b` in the first round's row: the list alone is about
                // the row before it.
                (before, H.start + 2, 0, Some(Check::Claim)),
                (before, output, 0, None),
            ]);
            // Rows that are not committed to.
            let unused = unused.map(|row| (row, 2 * (row % count), 1, Some(Check::Claim)));
            cases.extend(unused);
        }
        false_bits(hash, &cases);
    }
}
