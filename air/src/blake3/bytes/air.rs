//! The Blake3 table over bytes: eight rows per compression.

use droste_native::F;
use p3_air::AirBuilder;
use p3_field::PrimeCharacteristicRing;
use p3_lookup::{Count, InteractionBuilder};

use super::columns::BytesCols;
use super::half::{
    Half, Words, halves, joined, length_lookup, limbs, message_lookups, of_diagonals, state,
};
use crate::blake3::quarter::add;
use crate::blake3::{BUS, CompressionMessage, DEGREE, IV, PERMUTATION};
use crate::byte_pairs::{self, BytePairMessage};
use crate::steps::eval_steps;

crate::air! {
    /// Compressions, 8 rows each, sent on [`BUS`]: 384 columns.
    ///
    /// The row of inputs of a compression sends its message once; no other row, idle ones included,
    /// sends anything. It needs [`BytePairsTable`](crate::byte_pairs::BytePairsTable) beside it.
    pub struct BytesTable(BytesCols as Row), degree = DEGREE, eval = eval(local, next)
}

/// The row above a row of the first round is the row of inputs of a compression, which has all
/// of its rows and another row of inputs below it. A row of inputs that no round follows is
/// idle, and so is row 0.
#[inline]
fn eval<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    eval_steps(builder, &local.steps, &next.steps);
    let goes_on = AB::Expr::ONE - next.steps[0].into();
    eval_message(builder, local, next, &goes_on);
    eval_inputs(builder, local);
    let last = state(local);
    halves(local, next, |half| {
        eval_half(builder, half, next, &goes_on);
        eval_output(builder, half, &last, (local, next));
    });
    let mut inside = builder.when(goes_on);
    for (limbs, next) in local.output.iter().zip(next.output) {
        for (&limb, next) in limbs.iter().zip(next) {
            inside.assert_eq(next, limb);
        }
    }
    let count = Count::bounded(next.steps[1].into(), 1);
    BUS.send(builder, message::<AB>(local, next).into_fields(), count);
}

/// Looks up a pair of bytes if `flag` is one. The table must constrain `flag` to be boolean.
fn look_up<AB: InteractionBuilder<F = F>>(
    builder: &mut AB,
    pair: BytePairMessage<AB::Expr>,
    flag: AB::Expr,
) {
    byte_pairs::BUS.lookup_key(builder, pair.into_fields(), Count::bounded(flag, 1));
}

/// Constrains half a quarter-round. The sum `c` must only hold on rows of rounds. The sum `a`,
/// which has degree 3 already, and the lookups hold on all rows.
fn eval_half<AB: InteractionBuilder<F = F>>(
    builder: &mut AB,
    half: &Half<AB::Expr>,
    row: &Row<AB>,
    goes_on: &AB::Expr,
) {
    let [a, b, c, _] = half.before.each_ref().map(limbs);
    let [next_a, _, next_c, d] = half.after.each_ref().map(limbs);
    let [quarter, part] = half.place;
    let word = row.message[2 * quarter + part].map(Into::into);
    add(builder, &next_a, &a, &b, Some(&word));
    add(&mut builder.when(goes_on.clone()), &next_c, &c, &d, None);
    for pair in half.lookups() {
        look_up(builder, pair, AB::Expr::ONE);
    }
}

/// Constrains the message words: those of a round are the permuted ones of the previous round.
/// Limbs of two of them are range-checked on every row.
///
/// A row of inputs has some words as in a round before the first one: those that the second halves
/// on columns add. So the two that are range-checked include the words that are not at their
/// positions in any of the seven rounds.
fn eval_message<AB: InteractionBuilder<F = F>>(
    builder: &mut AB,
    local: &Row<AB>,
    next: &Row<AB>,
    goes_on: &AB::Expr,
) {
    for pair in message_lookups(local) {
        look_up(builder, pair, AB::Expr::ONE);
    }
    let later = goes_on.clone() - next.steps[1].into();
    for (word, from) in next.message.iter().zip(PERMUTATION) {
        let condition = if is_kept(from) { goes_on } else { &later };
        let mut builder = builder.when(condition.clone());
        for (&limb, &before) in word.iter().zip(&local.message[from]) {
            builder.assert_eq(limb, before);
        }
    }
}

/// Whether a row of inputs has the message word at this position as in a round before the first.
pub(super) const fn is_kept(position: usize) -> bool {
    position < 8 && position % 2 == 1
}

/// Constrains the first state, on a row of inputs: the initialisation vector is the one of BLAKE3,
/// the block length has 7 bits and the flags 8. Chaining value and counter may have any bytes.
fn eval_inputs<AB: InteractionBuilder<F = F>>(builder: &mut AB, row: &Row<AB>) {
    look_up(builder, length_lookup(row), row.steps[0].into());
    let state: [Words<AB::Expr>; 4] = state(row);
    let mut first = builder.when(row.steps[0]);
    for (index, word) in IV[..4].iter().enumerate() {
        let [low, high] = limbs(of_diagonals(&state, 2, index));
        first.assert_eq(low, F::from_u32(word & 0xffff));
        first.assert_eq(high, F::from_u32(word >> 16));
    }
    for index in [2, 3] {
        // Bytes are few, so their sum is zero only if all of them are zero.
        let [_, rest @ ..] = of_diagonals(&state, 3, index);
        first.assert_zero(rest.iter().cloned().sum::<AB::Expr>());
    }
}

/// Constrains the output after the last round, whose state is `last`, to be `v[i] ^ v[i + 8]`. The
/// next row, one of inputs, looks up these exclusive ors in place of those of its columns. An idle
/// row is a compression without rounds, whose last state is its first.
fn eval_output<AB: AirBuilder<F = F>>(
    builder: &mut AB,
    half: &Half<AB::Expr>,
    last: &[Words<AB::Expr>; 4],
    (local, next): (&Row<AB>, &Row<AB>),
) {
    let [quarter @ 0..4, part] = half.place else {
        return;
    };
    let [a, b, c] = [0, 1, 2].map(|of| limbs(of_diagonals(last, of, quarter)));
    let output = |word: usize| local.output[word].map(Into::into);
    let mut equal = |x: [AB::Expr; 2], y: [AB::Expr; 2]| {
        let mut builder = builder.when(next.steps[0]);
        for (x, y) in x.into_iter().zip(y) {
            builder.assert_eq(x, y);
        }
    };
    if part == 0 {
        // `d ^ a` is that of the state's words `d` and `b`. The word `b` is the state's word `a`,
        equal(limbs(&half.after[0]), b);
        equal(output(4 + quarter), limbs(&half.d));
        equal(limbs(&half.after[1]), a);
    } else {
        // so that `b ^ c` is that of the state's words `a` and `c`.
        equal(limbs(&half.after[2]), c);
        equal(output(quarter), limbs(&joined(&half.b, part)));
    }
}

/// The message that sends a compression on the bus, from its row of inputs and the next row.
pub fn message<AB: AirBuilder<F = F>>(
    local: &Row<AB>,
    next: &Row<AB>,
) -> CompressionMessage<AB::Expr> {
    let state: [Words<AB::Expr>; 4] = state(local);
    let word = |of: usize, index: usize| limbs(of_diagonals(&state, of, index));
    let [_, _, length, flags] = [0, 1, 2, 3].map(|index| of_diagonals(&state, 3, index)[0].clone());
    CompressionMessage {
        chaining: std::array::from_fn(|limb| word(limb / 8, limb / 2 % 4)[limb % 2].clone()),
        message: std::array::from_fn(|limb| next.message[limb / 2][limb % 2].into()),
        counter: std::array::from_fn(|limb| word(3, limb / 2)[limb % 2].clone()),
        block_length: length,
        flags,
        output: std::array::from_fn(|limb| local.output[limb / 2][limb % 2].into()),
    }
}
