//! The Keccak table at degree 5: 2,264 columns, 54,336 cells per permutation.
//!
//! It has no columns for the output of a round: theta of the next row is constrained to start from
//! chi and iota of this row directly, which have degree 4. It is meant for blowups of 4 and more:
//! the quotient then has four chunks, which degree 5 fills.

use std::borrow::BorrowMut;

use droste_native::F;
use p3_air::utils::pack_bits_le;
use p3_air::{Air, AirBuilder};
use p3_field::PrimeCharacteristicRing;

use super::columns::{IOTA_BITS, ROUNDS, RoundBits};
use super::permutation::{chi, eval_theta, iota};
use super::trace::{State, generate, round};
use crate::TraceResult;
use crate::steps::eval_steps;

/// Largest degree of the constraints.
pub const DEGREE: usize = 5;

crate::columns! {
    /// One round: 2,264 columns.
    pub struct Degree5Cols<T> {
        /// One-hot: the round of the row.
        pub steps: [T; ROUNDS],
        /// The bits of the round.
        pub bits: RoundBits<T>,
    }
}

/// A limb of the state after the round: of degree 4 in lane 0, of degree 3 in other lanes.
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

crate::air! {
    /// Permutations, 24 rows each, without a bus: 2,264 columns.
    ///
    /// The input of a permutation is the state before theta of round 0, its output the state after
    /// iota of round 23. A row of round 0 that no round 1 follows is idle, and so is row 0.
    pub struct Degree5Air(Degree5Cols), degree = DEGREE
}

impl<AB: AirBuilder<F = F>> Air<AB> for Degree5Air {
    #[inline]
    fn eval(&self, builder: &mut AB) {
        crate::rows!(builder, local, next: Degree5Cols<AB::Var>);
        eval_steps(builder, &local.steps, &next.steps);
        let goes_on = AB::Expr::ONE - next.steps[0].into();
        eval_theta(builder, &next.bits, |builder, lane, limb, input| {
            builder.assert_zero(goes_on.clone() * (input - output::<AB>(local, lane, limb)));
        });
    }
}

fn fill_row(state: &State, index: usize, row: &mut Degree5Cols<F>) -> State {
    let round = round(state, index);
    row.steps[index] = F::ONE;
    row.bits = round.bits();
    round.output
}

/// Trace of [`Degree5Air`]: an idle row, 24 rows per permutation, and idle rows up to `height` or,
/// without one, to the next power of two.
///
/// # Errors
///
/// The error says when there is no such trace. The height must be at least that of the
/// [rows](crate::steps::rows), idle ones included.
pub fn generate_permutations(inputs: &[State], height: Option<usize>) -> TraceResult {
    let width = Degree5Cols::<u8>::WIDTH;
    generate(inputs, height, width, |_, state, index, row| {
        fill_row(state, index, row.borrow_mut())
    })
}
