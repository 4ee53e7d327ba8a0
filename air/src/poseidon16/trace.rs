//! Trace generation for the Poseidon-16 table.

use std::borrow::BorrowMut;

use droste_native::F;
use droste_native::hash::poseidon16::{
    HALF_FULL_ROUNDS, PARTIAL_ROUNDS, Poseidon16, ROUND_CONSTANTS, WIDTH, mds_multiply,
    sparse_partial_rounds,
};
use p3_field::{Algebra, PrimeCharacteristicRing};

use super::columns::{Poseidon16Cols, Poseidon16TableCols};
use crate::TraceResult;
use crate::trace::generate;

/// The output that a row of the table sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// All 16 elements of `P(x)`.
    Permute,
    /// All 16 elements of `P(x) + x`, of which a compression uses the first 8.
    Compress,
}

/// The inputs of the permutations of [`Poseidon16::hash_bytes`], each of which is a row of the
/// table. The first 8 elements of the last permutation's output are the digest.
pub fn rows_of(message: &[u8]) -> Vec<[F; WIDTH]> {
    Poseidon16.permutations_of_bytes(message)
}

/// Fills the columns of one permutation.
pub fn fill_row(input: [F; WIDTH], columns: &mut Poseidon16Cols<F>) {
    let mut state = input;
    columns.inputs = state;
    for (round, after) in columns.beginning.iter_mut().enumerate() {
        full_round(&mut state, &ROUND_CONSTANTS[round]);
        *after = state;
    }
    partial_rounds(&mut state, &mut columns.partial);
    for (round, after) in columns.ending.iter_mut().enumerate() {
        full_round(
            &mut state,
            &ROUND_CONSTANTS[HALF_FULL_ROUNDS + PARTIAL_ROUNDS + round],
        );
        *after = state;
    }
}

fn full_round(state: &mut [F; WIDTH], constants: &[F; WIDTH]) {
    for (value, &constant) in state.iter_mut().zip(constants) {
        *value = (*value + constant).cube();
    }
    mds_multiply(state);
}

fn partial_rounds(state: &mut [F; WIDTH], sbox_outputs: &mut [F; PARTIAL_ROUNDS]) {
    let sparse = sparse_partial_rounds();
    for (value, &constant) in state.iter_mut().zip(&sparse.first_constants) {
        *value += constant;
    }
    *state = sparse
        .transition
        .each_ref()
        .map(|row| F::mixed_dot_product(state, row));
    for (round, output) in sbox_outputs.iter_mut().enumerate() {
        *output = state[0].cube();
        state[0] = *output + sparse.constants[round];
        let first = F::mixed_dot_product(state, &sparse.first_row[round]);
        let (head, tail) = state.split_at_mut(1);
        for (value, &factor) in tail.iter_mut().zip(&sparse.first_column[round]) {
            *value += head[0] * factor;
        }
        head[0] = first;
    }
}

/// Trace of [`Poseidon16Air`](super::Poseidon16Air): one permutation per row, padded with
/// permutations of zeros to `height` or, without one, to the next power of two.
///
/// # Errors
///
/// The error says when there is no such trace.
pub fn generate_permutations(inputs: &[[F; WIDTH]], height: Option<usize>) -> TraceResult {
    let width = Poseidon16Cols::<u8>::WIDTH;
    generate(inputs, height, width, |input, row| {
        fill_row(input.copied().unwrap_or_default(), row.borrow_mut());
    })
}

/// Trace of [`Poseidon16Table`](super::Poseidon16Table): one message per input, then padding rows
/// that send nothing.
///
/// # Errors
///
/// The error says when there is no such trace.
pub fn generate_table(inputs: &[([F; WIDTH], Mode)], height: Option<usize>) -> TraceResult {
    let width = Poseidon16TableCols::<u8>::WIDTH;
    generate(inputs, height, width, |input, row| {
        let row: &mut Poseidon16TableCols<F> = row.borrow_mut();
        row.is_real = F::from_bool(input.is_some());
        row.is_compress = F::from_bool(matches!(input, Some((_, Mode::Compress))));
        let state = input.map(|&(state, _)| state).unwrap_or_default();
        fill_row(state, &mut row.permutation);
    })
}
