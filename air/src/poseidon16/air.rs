//! Constraints of the Poseidon-16 table.

use std::mem::needs_drop;

use droste_native::F;
use droste_native::hash::poseidon16::{
    HALF_FULL_ROUNDS, PARTIAL_ROUNDS, ROUND_CONSTANTS, WIDTH, mds_convolve, mds_multiply,
};
use p3_air::{Air, AirBuilder};
use p3_field::PrimeCharacteristicRing;
use p3_lookup::{Count, InteractionBuilder, PermutationCheckBus};

use super::columns::{Poseidon16Cols, Poseidon16TableCols};
use super::partial::eval_partial_rounds;

/// Largest degree of the constraints, which is that of the S-box `x^3`.
pub const DEGREE: usize = 3;

crate::message! {
    /// A permutation or compression.
    pub struct PermutationMessage<T> on "poseidon16" {
        /// The state before the permutation.
        inputs: [T; WIDTH],
        /// The state after the permutation; a compression adds the inputs to it.
        outputs: [T; WIDTH],
        /// One for a compression.
        is_compress: T,
    }
}

/// Bus on which the table sends permutations and compressions.
pub const BUS: PermutationCheckBus<'static> =
    PermutationCheckBus::new(PermutationMessage::<()>::DECLARATION.bus);

/// Constrains `columns` to be the permutation of `columns.inputs`: 148 constraints of degree 3,
/// after which only the inputs are free.
///
/// The inputs may be any field elements; the table that embeds the columns must constrain them.
#[inline]
pub fn eval_poseidon16<AB: AirBuilder<F = F>>(builder: &mut AB, columns: &Poseidon16Cols<AB::Var>) {
    eval_poseidon16_outputs(builder, columns, columns.outputs().map(Into::into));
}

/// Constrains `outputs` to be the permutation of `columns.inputs`: [`eval_poseidon16`] for a table
/// whose last 16 columns contain something other than the outputs, such as `P(x) + x`.
///
/// `outputs` are expressions of degree 3 at most, in `columns.outputs()` among other columns. The
/// table that embeds the columns must make sure that `outputs` determine those 16 columns.
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

/// Constrains `after = M * (state + constants)^3`, and sets the state to `after`.
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
    // Expressions that own memory are symbolic; for them, the number of multiplications counts.
    if needs_drop::<AB::Expr>() {
        mds_multiply(state);
    } else {
        mds_convolve(state);
    }
    let difference = |i: usize| state[i].clone() - after[i].clone();
    builder.assert_zeros::<WIDTH, _>(std::array::from_fn(difference));
    *state = after;
}

crate::air! {
    /// Permutations, one per row, without a bus: 164 columns.
    pub struct Poseidon16Air(Poseidon16Cols), degree = DEGREE, next = []
}

impl<AB: AirBuilder<F = F>> Air<AB> for Poseidon16Air {
    #[inline]
    fn eval(&self, builder: &mut AB) {
        crate::rows!(builder, row: Poseidon16Cols<AB::Var>);
        eval_poseidon16(builder, row);
    }
}

crate::air! {
    /// Permutations and compressions, one per row, sent on [`BUS`]: 166 columns.
    ///
    /// A row sends `(inputs, outputs, is_compress)` once if it is real, and never otherwise;
    /// `outputs` is `P(x)`, plus `x` if `is_compress` is one.
    pub struct Poseidon16Table(Poseidon16TableCols as Row), degree = DEGREE, next = [],
    eval = eval(row)
}

#[inline]
fn eval<AB: InteractionBuilder<F = F>>(builder: &mut AB, row: &Row<AB>) {
    eval_poseidon16(builder, &row.permutation);
    builder.assert_bool(row.is_compress);
    builder.assert_bool(row.is_real);
    // On a row that sends nothing, `is_compress` must be zero, so that no cell of it is free.
    builder.when(row.is_compress).assert_one(row.is_real);
    let (inputs, outputs) = (&row.permutation.inputs, row.permutation.outputs());
    let message = PermutationMessage {
        inputs: inputs.map(Into::into),
        outputs: std::array::from_fn(|lane| {
            let output: AB::Expr = outputs[lane].into();
            row.is_compress * inputs[lane] + output
        }),
        is_compress: row.is_compress.into(),
    };
    let count = Count::bounded(row.is_real.into(), 1);
    BUS.send(builder, message.into_fields(), count);
}
