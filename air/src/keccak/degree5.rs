//! The permutation at degree 5: 2,264 columns, 54,336 cells.
//!
//! Without columns for a round's output: chi of a row, which has degree 4 with its iota, is tied to
//! theta of the next row directly. For blowups of 4 and more, whose quotient degree 5 fills. With the
//! bus there are 2,365 columns: 100 carry the input through 23 rows and hold the output in the last,
//! so that the message is sent from the last row but one, half of it from the row after.

use std::borrow::{Borrow, BorrowMut};

use droste_native::F;
use p3_air::utils::pack_bits_le;
use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};
use p3_field::PrimeCharacteristicRing;
use p3_lookup::{Count, InteractionBuilder};
use p3_matrix::dense::RowMajorMatrix;
use p3_maybe_rayon::prelude::*;

use super::BUS;
use super::columns::{IOTA_BITS, LANES, LIMBS, ROUNDS, RoundBits};
use super::permutation::{chi, eval_steps, eval_theta, iota};
use super::trace::{State, limbs, round};
use crate::TraceError;

/// Degree of the constraints.
pub const DEGREE: usize = 5;

crate::columns! {
    /// One round: 2,264 columns.
    pub struct Degree5Cols<T> {
        /// One in the position of the round, zero elsewhere.
        pub steps: [T; ROUNDS],
        /// The round.
        pub bits: RoundBits<T>,
    }
}

crate::columns! {
    /// One row of the table with its interface: 2,365 columns.
    pub struct Degree5TableCols<T> {
        /// The round.
        pub round: Degree5Cols<T>,
        /// The output of the permutation on its last row, its input on the others.
        pub ends: [[T; LIMBS]; LANES],
        /// One if the row, the last but one of a permutation, sends its message.
        pub is_real: T,
    }
}

/// The state after the round, by limb: degree 4 in lane 0, 3 elsewhere.
fn output<AB: AirBuilder<F = F>>(row: &Degree5Cols<AB::Var>, lane: usize, limb: usize) -> AB::Expr {
    pack_bits_le((16 * limb..16 * limb + 16).map(|z| {
        let bit = chi::<AB>(&row.bits, lane, z);
        if lane == 0 && IOTA_BITS.contains(&z) {
            bit.xor(&iota::<AB>(&row.steps, z))
        } else {
            bit
        }
    }))
}

/// Permutations alone, 24 rows each: 2,264 columns.
///
/// Row 0 of the trace is round 0, and after a last round the next permutation begins. Inputs are the
/// states before theta of round 0, outputs the states after iota of round 23.
#[derive(Clone, Copy, Debug, Default)]
pub struct Degree5Air;

impl BaseAir<F> for Degree5Air {
    fn width(&self) -> usize {
        Degree5Cols::<u8>::WIDTH
    }

    fn max_constraint_degree(&self) -> Option<usize> {
        Some(DEGREE)
    }
}

impl<AB: AirBuilder<F = F>> Air<AB> for Degree5Air {
    #[inline]
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let local: &Degree5Cols<AB::Var> = main.current_slice().borrow();
        let next: &Degree5Cols<AB::Var> = main.next_slice().borrow();
        eval_steps(builder, &local.steps, &next.steps);
        let goes_on = AB::Expr::ONE - next.steps[0].into();
        eval_theta(builder, &next.bits, |builder, lane, limb, input| {
            builder.assert_zero(goes_on.clone() * (input - output::<AB>(local, lane, limb)));
        });
    }
}

/// Permutations, 24 rows each, offered on [`BUS`]: 2,365 columns.
///
/// The last row but one of a permutation sends its message once if it is real and the last row
/// follows; no other row sends anything.
#[derive(Clone, Copy, Debug, Default)]
pub struct Degree5Table;

impl BaseAir<F> for Degree5Table {
    fn width(&self) -> usize {
        Degree5TableCols::<u8>::WIDTH
    }

    fn max_constraint_degree(&self) -> Option<usize> {
        Some(DEGREE)
    }
}

impl<AB: InteractionBuilder<F = F>> Air<AB> for Degree5Table {
    #[inline]
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let local: &Degree5TableCols<AB::Var> = main.current_slice().borrow();
        let next: &Degree5TableCols<AB::Var> = main.next_slice().borrow();
        let (row, after) = (&local.round, &next.round);
        eval_steps(builder, &row.steps, &after.steps);
        let is_first: AB::Expr = after.steps[0].into();
        let is_last: AB::Expr = row.steps[ROUNDS - 1].into();
        eval_theta(builder, &after.bits, |builder, lane, limb, input| {
            let output = output::<AB>(row, lane, limb);
            let start = is_first.clone() * (next.ends[lane][limb] - output.clone());
            builder.assert_eq(input, start + output.clone());
            builder.assert_zero(is_last.clone() * (output - local.ends[lane][limb]));
        });
        // The input stays until the last row but one.
        let stays = AB::Expr::ONE - row.steps[ROUNDS - 2].into() - is_last;
        for (lane, next_lane) in local.ends.iter().zip(&next.ends) {
            for (&limb, &next_limb) in lane.iter().zip(next_lane) {
                builder
                    .when_transition()
                    .assert_zero(stays.clone() * (next_limb - limb));
            }
        }
        // The row after the last of the table is its first, in round 0: nothing is sent across.
        builder.assert_bool(local.is_real);
        builder
            .when(local.is_real)
            .assert_one(after.steps[ROUNDS - 1]);
        let limbs = local.ends.iter().chain(&next.ends);
        let message: Vec<AB::Expr> = limbs.flatten().map(|&limb| limb.into()).collect();
        BUS.send(builder, message, Count::bounded(local.is_real.into(), 1));
    }
}

fn fill_row(state: &State, index: usize, row: &mut Degree5Cols<F>) -> State {
    let round = round(state, index);
    row.steps[index] = F::ONE;
    row.bits = round.bits();
    round.output
}

/// Trace of [`Degree5Air`]: 24 rows per permutation, padded with permutations of zero, the last one
/// cut off, to `height`, or to the next power of two.
///
/// # Errors
///
/// No inputs and no height, or a height that is no power of two or too small.
pub fn generate_permutations(
    inputs: &[State],
    height: Option<usize>,
) -> Result<RowMajorMatrix<F>, TraceError> {
    let width = Degree5Cols::<u8>::WIDTH;
    generate(inputs, height, width, |preimage, _, rows| {
        let mut state = *preimage;
        for (index, row) in rows.chunks_exact_mut(width).enumerate() {
            state = fill_row(&state, index, row.borrow_mut());
        }
    })
}

/// Trace of [`Degree5Table`]: one message per input, then permutations of zero that send nothing.
///
/// # Errors
///
/// No inputs and no height, or a height that is no power of two or too small.
pub fn generate_table(
    inputs: &[State],
    height: Option<usize>,
) -> Result<RowMajorMatrix<F>, TraceError> {
    let width = Degree5TableCols::<u8>::WIDTH;
    generate(inputs, height, width, |preimage, is_real, rows| {
        let mut state = *preimage;
        for (index, row) in rows.chunks_exact_mut(width).enumerate() {
            let row: &mut Degree5TableCols<F> = row.borrow_mut();
            state = fill_row(&state, index, &mut row.round);
            let end = if index + 1 < ROUNDS { preimage } else { &state };
            row.ends = end.map(limbs);
            row.is_real = F::from_bool(is_real && index + 2 == ROUNDS);
        }
    })
}

/// Fills the rows of each permutation, `fill(input, whether there is one, rows)`.
fn generate(
    inputs: &[State],
    height: Option<usize>,
    width: usize,
    fill: impl Fn(&State, bool, &mut [F]) + Sync,
) -> Result<RowMajorMatrix<F>, TraceError> {
    let height = TraceError::height(ROUNDS * inputs.len(), height)?;
    let mut values = F::zero_vec(height * width);
    values
        .par_chunks_mut(ROUNDS * width)
        .enumerate()
        .for_each(|(index, rows)| {
            let input = inputs.get(index);
            fill(&input.copied().unwrap_or_default(), input.is_some(), rows);
        });
    Ok(RowMajorMatrix::new(values, width))
}
