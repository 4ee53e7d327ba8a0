//! Trace generation for the Poseidon2 tables.

use std::borrow::BorrowMut;

use droste_native::F;
use droste_native::hash::poseidon2::{HALF_FULL_ROUNDS, PARENT_WIDTH, SPONGE_WIDTH};
use p3_field::PrimeCharacteristicRing;
use p3_matrix::dense::RowMajorMatrix;
use p3_poseidon2::GenericPoseidon2LinearLayers;

use super::columns::{
    Poseidon2ParentCols, Poseidon2ParentTableCols, Poseidon2SpongeCols, Poseidon2SpongeTableCols,
};
use super::instance::{Instance, Layers, PARENT, SPONGE};
use crate::TraceError;
use crate::trace::generate;

/// Fills the columns of one permutation of width 16.
pub fn fill_parent_row(input: [F; PARENT_WIDTH], columns: &mut Poseidon2ParentCols<F>) {
    let Poseidon2ParentCols {
        inputs,
        beginning,
        partial,
        ending,
    } = columns;
    *inputs = input;
    fill_rounds(&PARENT, input, beginning, partial, ending);
}

/// Fills the columns of one permutation of width 24.
pub fn fill_sponge_row(input: [F; SPONGE_WIDTH], columns: &mut Poseidon2SpongeCols<F>) {
    let Poseidon2SpongeCols {
        inputs,
        beginning,
        partial,
        ending,
    } = columns;
    *inputs = input;
    fill_rounds(&SPONGE, input, beginning, partial, ending);
}

fn fill_rounds<const WIDTH: usize, const PARTIAL: usize>(
    instance: &Instance<WIDTH, PARTIAL>,
    mut state: [F; WIDTH],
    beginning: &mut [[F; WIDTH]; HALF_FULL_ROUNDS],
    partial: &mut [F; PARTIAL],
    ending: &mut [[F; WIDTH]; HALF_FULL_ROUNDS],
) where
    Layers: GenericPoseidon2LinearLayers<WIDTH>,
{
    Layers::external_linear_layer(&mut state);
    for (after, constants) in beginning.iter_mut().zip(&instance.beginning) {
        full_round(&mut state, constants);
        *after = state;
    }
    for (output, &constant) in partial.iter_mut().zip(&instance.partial) {
        *output = (state[0] + constant).cube();
        state[0] = *output;
        Layers::internal_linear_layer(&mut state);
    }
    for (after, constants) in ending.iter_mut().zip(&instance.ending) {
        full_round(&mut state, constants);
        *after = state;
    }
}

fn full_round<const WIDTH: usize>(state: &mut [F; WIDTH], constants: &[F; WIDTH])
where
    Layers: GenericPoseidon2LinearLayers<WIDTH>,
{
    for (value, &constant) in state.iter_mut().zip(constants) {
        *value = (*value + constant).cube();
    }
    Layers::external_linear_layer(state);
}

/// Trace of [`Poseidon2ParentAir`](super::Poseidon2ParentAir): one permutation per row, padded with
/// permutations of zeros to `height` or, without one, to the next power of two.
///
/// # Errors
///
/// [`TraceError`] says when there is no such trace.
pub fn generate_parent_permutations(
    inputs: &[[F; PARENT_WIDTH]],
    height: Option<usize>,
) -> Result<RowMajorMatrix<F>, TraceError> {
    let width = Poseidon2ParentCols::<u8>::WIDTH;
    generate(inputs, height, width, |input, row| {
        fill_parent_row(input.copied().unwrap_or_default(), row.borrow_mut());
    })
}

/// Trace of [`Poseidon2SpongeAir`](super::Poseidon2SpongeAir): one permutation per row, padded with
/// permutations of zeros to `height` or, without one, to the next power of two.
///
/// # Errors
///
/// [`TraceError`] says when there is no such trace.
pub fn generate_sponge_permutations(
    inputs: &[[F; SPONGE_WIDTH]],
    height: Option<usize>,
) -> Result<RowMajorMatrix<F>, TraceError> {
    let width = Poseidon2SpongeCols::<u8>::WIDTH;
    generate(inputs, height, width, |input, row| {
        fill_sponge_row(input.copied().unwrap_or_default(), row.borrow_mut());
    })
}

/// Trace of [`Poseidon2ParentTable`](super::Poseidon2ParentTable): one message per input, then
/// padding rows that send nothing.
///
/// # Errors
///
/// [`TraceError`] says when there is no such trace.
pub fn generate_parent_table(
    inputs: &[[F; PARENT_WIDTH]],
    height: Option<usize>,
) -> Result<RowMajorMatrix<F>, TraceError> {
    let width = Poseidon2ParentTableCols::<u8>::WIDTH;
    generate(inputs, height, width, |input, row| {
        let row: &mut Poseidon2ParentTableCols<F> = row.borrow_mut();
        row.is_real = F::from_bool(input.is_some());
        fill_parent_row(input.copied().unwrap_or_default(), &mut row.permutation);
    })
}

/// Trace of [`Poseidon2SpongeTable`](super::Poseidon2SpongeTable): one message per input, then
/// padding rows that send nothing.
///
/// # Errors
///
/// [`TraceError`] says when there is no such trace.
pub fn generate_sponge_table(
    inputs: &[[F; SPONGE_WIDTH]],
    height: Option<usize>,
) -> Result<RowMajorMatrix<F>, TraceError> {
    let width = Poseidon2SpongeTableCols::<u8>::WIDTH;
    generate(inputs, height, width, |input, row| {
        let row: &mut Poseidon2SpongeTableCols<F> = row.borrow_mut();
        row.is_real = F::from_bool(input.is_some());
        fill_sponge_row(input.copied().unwrap_or_default(), &mut row.permutation);
    })
}
