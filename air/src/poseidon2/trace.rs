//! Trace generation for the Poseidon2 tables.

use std::borrow::BorrowMut;

use droste_native::F;
use droste_native::hash::poseidon2::{HALF_FULL_ROUNDS, PARENT_WIDTH, SPONGE_WIDTH};
use p3_field::PrimeCharacteristicRing;
use p3_poseidon2::GenericPoseidon2LinearLayers;

use super::columns::{
    Poseidon2ParentCols, Poseidon2ParentConstants, Poseidon2ParentTableCols, Poseidon2SpongeCols,
    Poseidon2SpongeConstants, Poseidon2SpongeTableCols,
};
use super::instance::{Layers, PARENT, RoundConstants, SPONGE};
use crate::TraceResult;
use crate::trace::generate;

/// Declares what fills the rows of one width.
macro_rules! traces {
    (
        $instance:ident, $width:ident,
        $fill:ident($columns:ident),
        $fill_with:ident($constants:ident),
        $permutations:ident($air:literal),
        $with_bus:ident($table:literal, $table_columns:ident)
    ) => {
        /// Fills the columns of one permutation.
        pub fn $fill(input: [F; $width], columns: &mut $columns<F>) {
            columns.inputs = input;
            let (beginning, ending) = (&mut columns.beginning, &mut columns.ending);
            let constants = $instance.constants();
            fill_rounds(&constants, input, beginning, &mut columns.partial, ending);
        }

        /// Fills the columns of one permutation with these round constants.
        pub fn $fill_with(
            constants: &$constants<F>,
            input: [F; $width],
            columns: &mut $columns<F>,
        ) {
            columns.inputs = input;
            let (beginning, ending) = (&mut columns.beginning, &mut columns.ending);
            let constants = constants.rounds();
            fill_rounds(&constants, input, beginning, &mut columns.partial, ending);
        }

        #[doc = concat!("Trace of [`", $air, "`](super::", $air, "): one permutation per row,")]
        /// padded with permutations of zeros to `height` or, without one, to the next power of two.
        ///
        /// # Errors
        ///
        /// The error says when there is no such trace.
        pub fn $permutations(inputs: &[[F; $width]], height: Option<usize>) -> TraceResult {
            generate(inputs, height, $columns::<u8>::WIDTH, |input, row| {
                $fill(input.copied().unwrap_or_default(), row.borrow_mut());
            })
        }

        #[doc = concat!("Trace of [`", $table, "`](super::", $table, "): one message per input,")]
        /// then padding rows that send nothing.
        ///
        /// # Errors
        ///
        /// The error says when there is no such trace.
        pub fn $with_bus(inputs: &[[F; $width]], height: Option<usize>) -> TraceResult {
            generate(inputs, height, $table_columns::<u8>::WIDTH, |input, row| {
                let row: &mut $table_columns<F> = row.borrow_mut();
                row.is_real = F::from_bool(input.is_some());
                $fill(input.copied().unwrap_or_default(), &mut row.permutation);
            })
        }
    };
}

traces! {
    PARENT, PARENT_WIDTH,
    fill_parent_row(Poseidon2ParentCols),
    fill_parent_row_with(Poseidon2ParentConstants),
    generate_parent_permutations("Poseidon2ParentAir"),
    generate_parent_table("Poseidon2ParentTable", Poseidon2ParentTableCols)
}

traces! {
    SPONGE, SPONGE_WIDTH,
    fill_sponge_row(Poseidon2SpongeCols),
    fill_sponge_row_with(Poseidon2SpongeConstants),
    generate_sponge_permutations("Poseidon2SpongeAir"),
    generate_sponge_table("Poseidon2SpongeTable", Poseidon2SpongeTableCols)
}

fn fill_rounds<const WIDTH: usize, const PARTIAL: usize>(
    constants: &RoundConstants<'_, F, WIDTH, PARTIAL>,
    mut state: [F; WIDTH],
    beginning: &mut [[F; WIDTH]; HALF_FULL_ROUNDS],
    partial: &mut [F; PARTIAL],
    ending: &mut [[F; WIDTH]; HALF_FULL_ROUNDS],
) where
    Layers: GenericPoseidon2LinearLayers<WIDTH>,
{
    Layers::external_linear_layer(&mut state);
    for (after, constants) in beginning.iter_mut().zip(constants.beginning) {
        full_round(&mut state, constants);
        *after = state;
    }
    for (output, &constant) in partial.iter_mut().zip(constants.partial) {
        *output = (state[0] + constant).cube();
        state[0] = *output;
        Layers::internal_linear_layer(&mut state);
    }
    for (after, constants) in ending.iter_mut().zip(constants.ending) {
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
