//! Constraints of the Poseidon-16 table.

use std::borrow::Borrow;
use std::mem::needs_drop;

use droste_native::F;
use droste_native::poseidon16::{
    HALF_FULL_ROUNDS, PARTIAL_ROUNDS, ROUND_CONSTANTS, WIDTH, mds_convolve, mds_multiply,
};
use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};
use p3_field::PrimeCharacteristicRing;
use p3_lookup::{Count, InteractionBuilder, PermutationCheckBus};

use super::columns::{Poseidon16Cols, Poseidon16TableCols};
use super::partial::eval_partial_rounds;

/// Degree of the constraints: the S-box `x^3`.
pub const DEGREE: usize = 3;

/// Bus of the messages `(inputs[16], outputs[16], is_compress)`.
pub const BUS: PermutationCheckBus<'static> = PermutationCheckBus::new("poseidon16");

/// Constrains `columns` to be the permutation of `columns.inputs`: 148 constraints of degree 3 that
/// leave nothing free but the inputs.
///
/// The inputs themselves are any field elements; who embeds the columns constrains them.
#[inline]
pub fn eval_poseidon16<AB: AirBuilder<F = F>>(builder: &mut AB, columns: &Poseidon16Cols<AB::Var>) {
    eval_poseidon16_outputs(builder, columns, columns.outputs().map(Into::into));
}

/// Constrains `outputs` to be the permutation of `columns.inputs`: [`eval_poseidon16`] for a table
/// that commits something else than the outputs in the last 16 columns, such as `P(x) + x`.
///
/// `outputs` are expressions of degree 3 at most, in `columns.outputs()` among others; who embeds the
/// columns sees to it that they determine those 16 columns.
#[inline]
pub fn eval_poseidon16_outputs<AB: AirBuilder<F = F>>(
    builder: &mut AB,
    columns: &Poseidon16Cols<AB::Var>,
    outputs: [AB::Expr; WIDTH],
) {
    let (last, ending) = (HALF_FULL_ROUNDS - 1, HALF_FULL_ROUNDS + PARTIAL_ROUNDS);
    let mut state: [AB::Expr; WIDTH] = columns.inputs.map(Into::into);
    for (round, after) in columns.beginning.iter().enumerate() {
        let after = after.map(Into::into);
        eval_full_round(builder, &mut state, after, &ROUND_CONSTANTS[round]);
    }
    eval_partial_rounds(builder, &mut state, &columns.partial);
    for (round, after) in columns.ending[..last].iter().enumerate() {
        let after = after.map(Into::into);
        eval_full_round(builder, &mut state, after, &ROUND_CONSTANTS[ending + round]);
    }
    let constants = &ROUND_CONSTANTS[ending + last];
    eval_full_round(builder, &mut state, outputs, constants);
}

/// Constrains `after = M * (state + constants)^3` and continues from `after`.
#[inline]
fn eval_full_round<AB: AirBuilder<F = F>>(
    builder: &mut AB,
    state: &mut [AB::Expr; WIDTH],
    after: [AB::Expr; WIDTH],
    constants: &[F; WIDTH],
) {
    for (value, &constant) in state.iter_mut().zip(constants) {
        *value = (value.clone() + constant).cube();
    }
    // Expressions that own memory are trees, in which each multiplication counts.
    if needs_drop::<AB::Expr>() {
        mds_multiply(state);
    } else {
        mds_convolve(state);
    }
    let difference = |i: usize| state[i].clone() - after[i].clone();
    builder.assert_zeros::<WIDTH, _>(std::array::from_fn(difference));
    *state = after;
}

/// Permutations alone, one per row, for use without a bus: 164 columns.
#[derive(Clone, Copy, Debug, Default)]
pub struct Poseidon16Air;

impl BaseAir<F> for Poseidon16Air {
    fn width(&self) -> usize {
        Poseidon16Cols::<u8>::WIDTH
    }

    fn main_next_row_columns(&self) -> Vec<usize> {
        Vec::new()
    }

    fn max_constraint_degree(&self) -> Option<usize> {
        Some(DEGREE)
    }
}

impl<AB: AirBuilder<F = F>> Air<AB> for Poseidon16Air {
    #[inline]
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        eval_poseidon16(builder, main.current_slice().borrow());
    }
}

/// Permutations and compressions, one per row, offered on [`BUS`]: 166 columns.
///
/// A row sends `(inputs, outputs, is_compress)` once if it is real and never otherwise; `outputs` is
/// `P(x)`, plus `x` where `is_compress` is one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Poseidon16Table;

impl BaseAir<F> for Poseidon16Table {
    fn width(&self) -> usize {
        Poseidon16TableCols::<u8>::WIDTH
    }

    fn main_next_row_columns(&self) -> Vec<usize> {
        Vec::new()
    }

    fn max_constraint_degree(&self) -> Option<usize> {
        Some(DEGREE)
    }
}

impl<AB: InteractionBuilder<F = F>> Air<AB> for Poseidon16Table {
    #[inline]
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let row: &Poseidon16TableCols<AB::Var> = main.current_slice().borrow();
        eval_poseidon16(builder, &row.permutation);
        builder.assert_bool(row.is_compress);
        builder.assert_bool(row.is_real);
        // A row that sends nothing has no mode, so that no cell of it is free.
        builder.when(row.is_compress).assert_one(row.is_real);
        let mut message: Vec<AB::Expr> = row.permutation.inputs.map(Into::into).to_vec();
        let outputs = row.permutation.outputs().iter();
        message.extend(
            outputs
                .zip(&row.permutation.inputs)
                .map(|(&output, &input)| row.is_compress * input + output.into()),
        );
        message.push(row.is_compress.into());
        BUS.send(builder, message, Count::bounded(row.is_real.into(), 1));
    }
}
