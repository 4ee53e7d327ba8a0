use std::borrow::Borrow;

use droste_native::F;
use droste_native::poseidon16::WIDTH;
use p3_field::PrimeCharacteristicRing;
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
fn impossible_heights_are_refused() {
    assert_eq!(generate_permutations(&[], None), Err(TraceError::Empty));
    let inputs = [[F::ZERO; WIDTH]; 3];
    assert_eq!(
        generate_permutations(&inputs, Some(2)),
        Err(TraceError::TooShort { rows: 3, height: 2 })
    );
    assert_eq!(
        generate_permutations(&inputs, Some(6)),
        Err(TraceError::NotAPowerOfTwo { height: 6 })
    );
}

#[test]
fn messages_are_small() {
    assert!(largest_message::<F, _>(&Poseidon16Table, 10_000) < 200);
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
