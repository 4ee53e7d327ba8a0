//! The Keccak table over bytes: 25 rows per permutation.

use droste_native::F;
use p3_air::AirBuilder;
use p3_field::PrimeCharacteristicRing;
use p3_lookup::{Count, InteractionBuilder, PermutationCheckBus};

use super::columns::{BytesCols, NEXT, ROWS, STATE_BYTES};
use super::round::{Lane, after_chi, after_theta, lookups, parity};
use crate::keccak::columns::LANES;
use crate::spread::look_up;
use crate::steps::eval_steps;

/// Largest degree of the constraints.
pub const DEGREE: usize = 2;

crate::message! {
    /// The state before or after a permutation, as spread bytes of lanes in the order `x + 5 y`,
    /// low first.
    pub struct StateMessage<T> on "keccak_f" {
        /// The number of the permutation.
        number: T,
        /// Zero for the state before the permutation, one for the state after it.
        is_output: T,
        /// The bytes. Before the permutation their digits may be 0 to 2, with the lowest bits for
        /// the state; after it they are 0 and 1.
        bytes: [T; STATE_BYTES],
    }
}

impl<E: PrimeCharacteristicRing> StateMessage<E> {
    fn new(number: E, is_output: bool, state: [Lane<E>; LANES]) -> Self {
        let mut bytes = state.into_iter().flatten();
        Self {
            number,
            is_output: E::from_bool(is_output),
            bytes: std::array::from_fn(|_| bytes.next().expect("lanes have as many bytes")),
        }
    }
}

/// Bus on which states before and after permutations are sent.
pub const BUS: PermutationCheckBus<'static> =
    PermutationCheckBus::new(StateMessage::<()>::DECLARATION.bus);

crate::air! {
    /// Permutations, 25 rows each, whose states are sent on [`BUS`]: 726 columns.
    ///
    /// The row of the input sends the state before the permutation, and the row of the last round
    /// the state after it, once each; no other row, idle ones included, sends anything. It needs
    /// [`SpreadTable`](crate::spread::SpreadTable) beside it.
    pub struct BytesTable(BytesCols as Row), degree = DEGREE, next = (0..NEXT).collect::<Vec<_>>(),
    eval = eval(local, next)
}

/// The row above a row of the first round is the row of the input of a permutation, which has
/// all of its rows and another row of an input below it. A row of an input that no round
/// follows is idle, and so is row 0.
#[inline]
fn eval<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    eval_steps(builder, &local.steps, &next.steps);
    eval_number(builder, local, next);
    eval_columns(builder, local);
    let is_round = AB::Expr::ONE - local.steps[0].into();
    lookups(local, next, |lookup| {
        let flag = if lookup.of_rounds {
            is_round.clone()
        } else {
            AB::Expr::ONE
        };
        look_up(builder, lookup.message, flag);
    });
    // A row of an input does not change the state above it by theta, so that what it has
    // looked up is the output of the permutation above.
    let input = StateMessage::new(next.number.into(), false, after_chi(local));
    let output = StateMessage::new(local.number.into(), true, after_theta(next));
    let sent = [(input, next.steps[1]), (output, local.steps[ROWS - 1])];
    for (message, flag) in sent {
        let count = Count::bounded(flag.into(), 1);
        BUS.send(builder, message.into_fields(), count);
    }
}

/// Constrains permutations to be numbered, from 1 on.
fn eval_number<AB: AirBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    builder.when_first_row().assert_zero(local.number);
    builder
        .when_transition()
        .assert_eq(next.number, local.number + next.steps[1]);
}

/// Constrains the top bits of column parities to be boolean, which is what makes their two parts
/// unique, and column parities to be zero on a row of an input. Then it looks up that theta changes
/// nothing.
fn eval_columns<AB: AirBuilder<F = F>>(builder: &mut AB, row: &Row<AB>) {
    for x in 0..5 {
        builder.assert_bools(row.c[x].map(|parts| parts.high));
        let [bytes, _]: [Lane<AB::Expr>; 2] = parity(row, x);
        for byte in bytes {
            builder.when(row.steps[0]).assert_zero(byte);
        }
    }
}
