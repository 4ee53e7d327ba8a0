use std::borrow::Borrow;
use std::collections::HashMap;

use droste_native::F;
use droste_native::hash::poseidon16::{Poseidon16, WIDTH};
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_koala_bear::default_koalabear_poseidon1_16;
use p3_matrix::Matrix;
use p3_symmetric::Permutation;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::TraceError;
use crate::test_utils::{Harness, Rows, Table, constraint_degree, largest_message};

fn random_inputs(count: usize) -> Vec<[F; WIDTH]> {
    let mut rng = SmallRng::seed_from_u64(1);
    (0..count).map(|_| rng.random()).collect()
}

#[test]
fn widths() {
    assert_eq!(Poseidon16Cols::<u8>::WIDTH, 164);
    assert_eq!(Poseidon16Cols::<u8>::WIDTH, 16 + 8 * 16 + 20);
    assert_eq!(Poseidon16TableCols::<u8>::WIDTH, 166);
}

#[test]
fn outputs_agree_with_plonky3() {
    let peer = default_koalabear_poseidon1_16();
    let inputs = random_inputs(100);
    let trace = generate_permutations(&inputs, None).unwrap();
    for (index, input) in inputs.iter().enumerate() {
        let row = trace.row_slice(index).unwrap();
        let row: &Poseidon16Cols<F> = (*row).borrow();
        assert_eq!(*row.outputs(), peer.permute(*input));
    }
}

#[test]
fn rows_of_a_message_end_in_its_digest() {
    for length in [0_usize, 1, 3, 23, 24, 25, 48, 200] {
        let message: Vec<u8> = (0..length).map(|i| i as u8 + 1).collect();
        let rows = rows_of(&message);
        assert_eq!(rows.len(), length.div_ceil(24).max(1));
        let trace = generate_permutations(&rows, Some(16)).unwrap();
        let last = trace.row_slice(rows.len() - 1).unwrap();
        let last: &Poseidon16Cols<F> = (*last).borrow();
        let digest = last.outputs()[..8].iter();
        let digest: Vec<u8> = digest
            .flat_map(|x| x.as_canonical_u32().to_le_bytes())
            .collect();
        assert_eq!(digest, Poseidon16.hash_bytes(&message));
        // The capacity of each input is that of the previous output.
        for (before, after) in rows.iter().zip(&rows[1..]) {
            assert_eq!(Poseidon16.permute(*before)[8..], after[8..]);
        }
    }
}

#[test]
fn messages_are_the_native_function() {
    let edges = [F::ZERO, F::ONE, F::NEG_ONE].map(|edge| [edge; WIDTH]);
    let states = edges.into_iter().chain(random_inputs(20));
    let inputs: Vec<([F; WIDTH], Mode)> = states
        .flat_map(|state| [(state, Mode::Permute), (state, Mode::Compress)])
        .collect();
    let trace = generate_table(&inputs, None).unwrap();
    let table = Table::new("poseidon16", &Poseidon16Table, trace);
    let messages = Harness::new(vec![table]).messages().unwrap();
    let mut expected = HashMap::new();
    for (input, mode) in inputs {
        let mut output = Poseidon16.permute(input);
        if mode == Mode::Compress {
            output = std::array::from_fn(|i| output[i] + input[i]);
            assert_eq!(output[..8], Poseidon16.compress(input));
        }
        let mode = F::from_bool(mode == Mode::Compress);
        let fields = input.into_iter().chain(output).chain([mode]);
        let message: Vec<u32> = fields.map(|field| field.as_canonical_u32()).collect();
        expected.insert(message, 1);
    }
    assert_eq!(messages["poseidon16"].len(), expected.len());
    for (message, count) in &messages["poseidon16"] {
        assert_eq!(expected.get(message), Some(count));
    }
}

#[test]
fn impossible_heights_are_refused() {
    assert_eq!(generate_permutations(&[], None), Err(TraceError::Empty));
    let inputs = [[F::ZERO; WIDTH]; 3];
    assert_eq!(
        generate_permutations(&inputs, Some(2)),
        Err(TraceError::TooShort { rows: 3, height: 2 })
    );
    assert_eq!(
        generate_permutations(&inputs, Some(6)),
        Err(TraceError::NotAPowerOfTwo(6))
    );
}

#[test]
fn messages_are_small() {
    assert!(largest_message(&Poseidon16Table, 10_000) < 200);
}

#[test]
fn degree_reached_is_the_degree_declared() {
    assert_eq!(constraint_degree(&Poseidon16Air), DEGREE);
    assert_eq!(constraint_degree(&Poseidon16Table), DEGREE);
}

#[test]
fn every_cell_is_constrained() {
    let inputs: Vec<([F; WIDTH], Mode)> = random_inputs(3)
        .into_iter()
        .zip([Mode::Permute, Mode::Compress, Mode::Permute])
        .collect();
    let trace = generate_table(&inputs, None).unwrap();
    let table =
        Table::new("poseidon16", &Poseidon16Table, trace).names(Poseidon16TableCols::<u8>::names());
    let harness = Harness::new(vec![table]).open_bus("poseidon16");
    harness.check().unwrap();
    let report = harness.mutate("poseidon16", &Rows::of(3, 4));
    report.expect_caught();
    let alone: Vec<[F; WIDTH]> = inputs.iter().map(|(input, _)| *input).collect();
    let trace = generate_permutations(&alone, None).unwrap();
    let table = Table::new("alone", &Poseidon16Air, trace).names(Poseidon16Cols::<u8>::names());
    let harness = Harness::new(vec![table]);
    harness.check().unwrap();
    harness.mutate("alone", &Rows::of(3, 4)).expect_caught();
}
