//! The Keccak table: 24 rows per permutation.

use std::borrow::Borrow;

use droste_native::F;
use p3_air::{Air, AirBuilder, WindowAccess};
use p3_lookup::{Count, InteractionBuilder, PermutationCheckBus};

use super::columns::{KeccakCols, KeccakTableCols, LANES, LIMBS, ROUNDS};
use super::permutation::eval_round;

/// Largest degree of the constraints.
pub const DEGREE: usize = 3;

/// Number of limbs of a state.
const STATE_LIMBS: usize = LANES * LIMBS;

crate::message! {
    /// A permutation. States are 16-bit limbs, low first, of lanes in the order `x + 5 y`.
    pub struct PermutationMessage<T> on "keccak_f" {
        /// The state before the permutation.
        input: [T; STATE_LIMBS],
        /// The state after the permutation.
        output: [T; STATE_LIMBS],
    }
}

impl<T> PermutationMessage<T> {
    /// The message of two states given by the limbs of their lanes.
    pub(super) fn of_lanes<V: Copy + Into<T>>(
        input: &[[V; LIMBS]; LANES],
        output: &[[V; LIMBS]; LANES],
    ) -> Self {
        let limb = |state: &[[V; LIMBS]; LANES], limb: usize| state[limb / LIMBS][limb % LIMBS];
        Self {
            input: std::array::from_fn(|index| limb(input, index).into()),
            output: std::array::from_fn(|index| limb(output, index).into()),
        }
    }
}

/// Bus on which the tables of this module send permutations.
pub const BUS: PermutationCheckBus<'static> =
    PermutationCheckBus::new(PermutationMessage::<()>::DECLARATION.bus);

crate::air! {
    /// Permutations, 24 rows each, without a bus: 2,471 columns.
    pub struct KeccakAir(KeccakCols), degree = DEGREE
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

crate::air! {
    /// Permutations, 24 rows each, sent on [`BUS`]: 2,472 columns.
    ///
    /// The last row of a permutation sends its message once if it is real; no other row sends
    /// anything.
    pub struct KeccakTable(KeccakTableCols), degree = DEGREE
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
        let message: PermutationMessage<AB::Expr> =
            PermutationMessage::of_lanes(&local.round.preimage, &local.round.output);
        let count = Count::bounded(local.is_real.into(), 1);
        BUS.send(builder, message.into_fields(), count);
    }
}
