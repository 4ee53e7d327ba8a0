//! The Keccak table.

use std::borrow::Borrow;

use droste_native::F;
use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};
use p3_lookup::{Count, InteractionBuilder, PermutationCheckBus};

use super::columns::{KeccakCols, KeccakTableCols, LANES, LIMBS, ROUNDS};
use super::permutation::eval_round;

/// Degree of the constraints.
pub const DEGREE: usize = 3;

/// Bus of the messages `(input[100], output[100])`: 16-bit limbs, low first, of lanes in the order
/// `x + 5 y`.
pub const BUS: PermutationCheckBus<'static> = PermutationCheckBus::new("keccak_f");

/// Number of elements of a message on [`BUS`].
pub const MESSAGE: usize = 2 * LANES * LIMBS;

/// Permutations alone, 24 rows each, for use without a bus: 2,471 columns.
#[derive(Clone, Copy, Debug, Default)]
pub struct KeccakAir;

impl BaseAir<F> for KeccakAir {
    fn width(&self) -> usize {
        KeccakCols::<u8>::WIDTH
    }

    fn max_constraint_degree(&self) -> Option<usize> {
        Some(DEGREE)
    }
}

impl<AB: AirBuilder<F = F>> Air<AB> for KeccakAir {
    #[inline]
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        eval_round(
            builder,
            main.current_slice().borrow(),
            main.next_slice().borrow(),
        );
    }
}

/// Permutations, 24 rows each, offered on [`BUS`]: 2,472 columns.
///
/// The last row of a permutation sends its message once if it is real; no other row sends anything.
#[derive(Clone, Copy, Debug, Default)]
pub struct KeccakTable;

impl BaseAir<F> for KeccakTable {
    fn width(&self) -> usize {
        KeccakTableCols::<u8>::WIDTH
    }

    fn max_constraint_degree(&self) -> Option<usize> {
        Some(DEGREE)
    }
}

impl<AB: InteractionBuilder<F = F>> Air<AB> for KeccakTable {
    #[inline]
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let local: &KeccakTableCols<AB::Var> = main.current_slice().borrow();
        let next: &KeccakTableCols<AB::Var> = main.next_slice().borrow();
        eval_round(builder, &local.round, &next.round);
        builder.assert_bool(local.is_real);
        builder
            .when(local.is_real)
            .assert_one(local.round.steps[ROUNDS - 1]);
        let limbs = local.round.preimage.iter().chain(&local.round.output);
        let message: Vec<AB::Expr> = limbs.flatten().map(|&limb| limb.into()).collect();
        BUS.send(builder, message, Count::bounded(local.is_real.into(), 1));
    }
}
