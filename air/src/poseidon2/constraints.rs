//! Constraints of the permutations.

use std::ops::Add;

use droste_native::F;
use droste_native::hash::poseidon2::HALF_FULL_ROUNDS;
use p3_air::AirBuilder;
use p3_field::PrimeCharacteristicRing;
use p3_poseidon2::GenericPoseidon2LinearLayers;

use super::columns::{
    Poseidon2ParentCols, Poseidon2ParentConstants, Poseidon2SpongeCols, Poseidon2SpongeConstants,
};
use super::instance::{Layers, PARENT, RoundConstants, SPONGE};
use super::partial::PartialMatrix;

/// Largest degree of the constraints, which is that of the S-box `x^3`.
pub const DEGREE: usize = 3;

/// Declares the two functions that constrain the permutation of one width.
macro_rules! evals {
    (
        $instance:ident,
        $(#[$meta:meta])*
        $eval:ident($columns:ident)
        $(#[$with_meta:meta])*
        $eval_with:ident($constants:ident)
    ) => {
        $(#[$meta])*
        ///
        /// The inputs may be any field elements; the table that embeds the columns must constrain
        /// them.
        #[inline]
        pub fn $eval<AB: AirBuilder<F = F>>(builder: &mut AB, columns: &$columns<AB::Var>) {
            let (beginning, ending) = (&columns.beginning, &columns.ending);
            let (inputs, partial) = (&columns.inputs, &columns.partial);
            let (matrix, constants) = (&$instance.matrix, $instance.constants());
            eval_permutation(builder, matrix, &constants, inputs, beginning, partial, ending);
        }

        $(#[$with_meta])*
        ///
        /// The table that embeds the columns must constrain the inputs and the constants.
        #[inline]
        pub fn $eval_with<AB: AirBuilder<F = F>>(
            builder: &mut AB,
            constants: &$constants<AB::Var>,
            columns: &$columns<AB::Var>,
        ) {
            let (beginning, ending) = (&columns.beginning, &columns.ending);
            let (inputs, partial) = (&columns.inputs, &columns.partial);
            let (matrix, constants) = (&$instance.matrix, constants.rounds());
            eval_permutation(builder, matrix, &constants, inputs, beginning, partial, ending);
        }
    };
}

evals! {
    PARENT,
    /// Constrains `columns` to be the permutation of width 16 of `columns.inputs`: 148 constraints
    /// of degree 3, after which only the inputs are free.
    eval_poseidon2_parent(Poseidon2ParentCols)
    /// Like [`eval_poseidon2_parent`], with the round constants in columns, and of the same degree.
    eval_poseidon2_parent_with(Poseidon2ParentConstants)
}

evals! {
    SPONGE,
    /// Constrains `columns` to be the permutation of width 24 of `columns.inputs`: 215 constraints
    /// of degree 3, after which only the inputs are free.
    eval_poseidon2_sponge(Poseidon2SpongeCols)
    /// Like [`eval_poseidon2_sponge`], with the round constants in columns, and of the same degree.
    eval_poseidon2_sponge_with(Poseidon2SpongeConstants)
}

/// Constrains the columns of a permutation. Its rounds follow a linear layer of their own (ePrint
/// 2023/323, section 6).
#[inline]
fn eval_permutation<AB, C, const WIDTH: usize, const PARTIAL: usize>(
    builder: &mut AB,
    matrix: &PartialMatrix,
    constants: &RoundConstants<'_, C, WIDTH, PARTIAL>,
    inputs: &[AB::Var; WIDTH],
    beginning: &[[AB::Var; WIDTH]; HALF_FULL_ROUNDS],
    partial: &[AB::Var; PARTIAL],
    ending: &[[AB::Var; WIDTH]; HALF_FULL_ROUNDS],
) where
    AB: AirBuilder<F = F>,
    AB::Expr: Add<C, Output = AB::Expr>,
    C: Copy,
    Layers: GenericPoseidon2LinearLayers<WIDTH>,
{
    let mut state: [AB::Expr; WIDTH] = inputs.map(Into::into);
    Layers::external_linear_layer(&mut state);
    for (after, constants) in beginning.iter().zip(constants.beginning) {
        eval_full_round(builder, &mut state, after, constants);
    }
    matrix.rounds(&mut state, PARTIAL, |round, element| {
        let output = partial[round];
        builder.assert_eq((element + constants.partial[round]).cube(), output);
        output.into()
    });
    for (after, constants) in ending.iter().zip(constants.ending) {
        eval_full_round(builder, &mut state, after, constants);
    }
}

/// Constrains `after = M * (state + constants)^3`, and sets the state to `after`.
#[inline]
fn eval_full_round<AB, C, const WIDTH: usize>(
    builder: &mut AB,
    state: &mut [AB::Expr; WIDTH],
    after: &[AB::Var; WIDTH],
    constants: &[C; WIDTH],
) where
    AB: AirBuilder<F = F>,
    AB::Expr: Add<C, Output = AB::Expr>,
    C: Copy,
    Layers: GenericPoseidon2LinearLayers<WIDTH>,
{
    for (value, &constant) in state.iter_mut().zip(constants) {
        *value = (value.clone() + constant).cube();
    }
    Layers::external_linear_layer(state);
    let difference = |i: usize| state[i].clone() - after[i].into();
    builder.assert_zeros::<WIDTH, _>(std::array::from_fn(difference));
    *state = after.map(Into::into);
}
