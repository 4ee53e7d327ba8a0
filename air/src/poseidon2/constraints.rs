//! Constraints of the permutations.

use droste_native::F;
use droste_native::hash::poseidon2::HALF_FULL_ROUNDS;
use p3_air::AirBuilder;
use p3_field::PrimeCharacteristicRing;
use p3_poseidon2::GenericPoseidon2LinearLayers;

use super::columns::{Poseidon2ParentCols, Poseidon2SpongeCols};
use super::instance::{Instance, Layers, PARENT, SPONGE};

/// Largest degree of the constraints, which is that of the S-box `x^3`.
pub const DEGREE: usize = 3;

/// Constrains `columns` to be the permutation of width 16 of `columns.inputs`: 148 constraints of
/// degree 3, after which only the inputs are free.
///
/// The inputs may be any field elements; the table that embeds the columns must constrain them.
#[inline]
pub fn eval_poseidon2_parent<AB: AirBuilder<F = F>>(
    builder: &mut AB,
    columns: &Poseidon2ParentCols<AB::Var>,
) {
    let (beginning, ending) = (&columns.beginning, &columns.ending);
    let (inputs, partial) = (&columns.inputs, &columns.partial);
    eval_permutation(builder, &PARENT, inputs, beginning, partial, ending);
}

/// Constrains `columns` to be the permutation of width 24 of `columns.inputs`: 215 constraints of
/// degree 3, after which only the inputs are free.
///
/// The inputs may be any field elements; the table that embeds the columns must constrain them.
#[inline]
pub fn eval_poseidon2_sponge<AB: AirBuilder<F = F>>(
    builder: &mut AB,
    columns: &Poseidon2SpongeCols<AB::Var>,
) {
    let (beginning, ending) = (&columns.beginning, &columns.ending);
    let (inputs, partial) = (&columns.inputs, &columns.partial);
    eval_permutation(builder, &SPONGE, inputs, beginning, partial, ending);
}

/// Constrains the columns of a permutation. Its rounds follow a linear layer of their own (ePrint
/// 2023/323, section 6).
#[inline]
fn eval_permutation<AB: AirBuilder<F = F>, const WIDTH: usize, const PARTIAL: usize>(
    builder: &mut AB,
    instance: &Instance<WIDTH, PARTIAL>,
    inputs: &[AB::Var; WIDTH],
    beginning: &[[AB::Var; WIDTH]; HALF_FULL_ROUNDS],
    partial: &[AB::Var; PARTIAL],
    ending: &[[AB::Var; WIDTH]; HALF_FULL_ROUNDS],
) where
    Layers: GenericPoseidon2LinearLayers<WIDTH>,
{
    let mut state: [AB::Expr; WIDTH] = inputs.map(Into::into);
    Layers::external_linear_layer(&mut state);
    for (after, constants) in beginning.iter().zip(&instance.beginning) {
        eval_full_round(builder, &mut state, after, constants);
    }
    instance
        .matrix
        .rounds(&mut state, PARTIAL, |round, element| {
            let output = partial[round];
            builder.assert_eq((element + instance.partial[round]).cube(), output);
            output.into()
        });
    for (after, constants) in ending.iter().zip(&instance.ending) {
        eval_full_round(builder, &mut state, after, constants);
    }
}

/// Constrains `after = M * (state + constants)^3`, and sets the state to `after`.
#[inline]
fn eval_full_round<AB: AirBuilder<F = F>, const WIDTH: usize>(
    builder: &mut AB,
    state: &mut [AB::Expr; WIDTH],
    after: &[AB::Var; WIDTH],
    constants: &[F; WIDTH],
) where
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
