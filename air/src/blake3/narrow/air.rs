//! The narrow Blake3 table: eight rows per compression.

use std::borrow::Borrow;

use droste_native::F;
use p3_air::utils::pack_bits_le;
use p3_air::{Air, AirBuilder, WindowAccess};
use p3_field::PrimeCharacteristicRing;
use p3_lookup::{Count, InteractionBuilder};

use super::columns::{BITS, DIGITS, NarrowCols, NarrowTableCols};
use crate::blake3::columns::{HalfCols, ROUNDS};
use crate::blake3::quarter::{Bits, Limbs, Quarter, State, round, shift};
use crate::blake3::{BUS, CompressionMessage, DEGREE, DIAGONAL, IV, PERMUTATION, SCHEDULE};
use crate::limb::{bits_value, eval_limb};
use crate::steps::eval_steps;

/// Number of bits of the block length and of the flags.
const LENGTH_BITS: usize = 7;
const FLAG_BITS: usize = 8;

crate::air! {
    /// Compressions, 8 rows each, without a bus: 1,155 columns.
    pub struct NarrowAir(NarrowCols), degree = DEGREE
}

impl<AB: AirBuilder<F = F>> Air<AB> for NarrowAir {
    #[inline]
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        eval_rows(
            builder,
            main.current_slice().borrow(),
            main.next_slice().borrow(),
        );
    }
}

crate::air! {
    /// Compressions, 8 rows each, sent on [`BUS`]: 1,156 columns.
    ///
    /// The row of inputs of a compression sends its message once if it is real; no other row, idle
    /// ones included, sends anything.
    pub struct NarrowTable(NarrowTableCols), degree = DEGREE
}

impl<AB: InteractionBuilder<F = F>> Air<AB> for NarrowTable {
    #[inline]
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let local: &NarrowTableCols<AB::Var> = main.current_slice().borrow();
        let next: &NarrowTableCols<AB::Var> = main.next_slice().borrow();
        eval_rows(builder, &local.row, &next.row);
        builder.assert_bool(local.is_real);
        builder.when(local.is_real).assert_one(next.row.steps[1]);
        let message = message::<AB>(&local.row, &next.row);
        BUS.send(
            builder,
            message.into_fields(),
            Count::bounded(local.is_real.into(), 1),
        );
    }
}

/// Constrains rows to be compressions, 8 rows each, with degree 3.
///
/// The row above a row of the first round is the row of inputs of a compression, which has all of
/// its rows and another row of inputs below it. A row of inputs that no round follows is idle, and
/// so is row 0.
pub fn eval_rows<AB: AirBuilder<F = F>>(
    builder: &mut AB,
    local: &NarrowCols<AB::Var>,
    next: &NarrowCols<AB::Var>,
) {
    eval_steps(builder, &local.steps, &next.steps);
    let goes_on = AB::Expr::ONE - next.steps[0].into();
    let mut inside = builder.when(goes_on.clone());
    for (&limb, &next_limb) in local.output.iter().zip(&next.output).flat_map(zip_limbs) {
        inside.assert_eq(next_limb, limb);
    }
    eval_message(builder, local, next);
    eval_inputs(builder, local);
    eval_output(builder, local, next);
    let message = next.message.map(|word| word.map(Into::into));
    // The message words of a row are already in the order of its round.
    let words = (&message, &SCHEDULE[0]);
    round(
        builder,
        state::<AB>(local),
        words,
        &next.halves,
        Some(&goes_on),
    );
}

fn zip_limbs<'a, V>((a, b): (&'a [V; 2], &'a [V; 2])) -> impl Iterator<Item = (&'a V, &'a V)> {
    a.iter().zip(b)
}

/// Packs bits into the limbs of a word.
fn pack<V: Copy + Into<E>, E: PrimeCharacteristicRing>(bits: &[V; 32]) -> Limbs<E> {
    [0, 16].map(|from| pack_bits_le(bits[from..from + 16].iter().copied()))
}

/// A word given by its bits.
fn word<V: Copy + Into<E>, E: PrimeCharacteristicRing>(bits: &[V; 32]) -> Bits<'_, V, E> {
    Bits {
        bits,
        limbs: pack(bits),
    }
}

/// The state after the round of a row.
fn state<AB: AirBuilder<F = F>>(row: &NarrowCols<AB::Var>) -> State<'_, AB> {
    let state = std::array::from_fn(|index| {
        let HalfCols { a, b, c, d } = &row.halves[4 + index][1];
        Some(Quarter {
            a: a.map(Into::into),
            b: word(b),
            c: c.map(Into::into),
            d: word(d),
        })
    });
    shift::<AB>(state, 3)
}

/// Constrains the message words: those of the first round are the ones on the row of inputs, those
/// of any other round are the permuted ones of the previous round. All their limbs are
/// range-checked.
fn eval_message<AB: AirBuilder<F = F>>(
    builder: &mut AB,
    local: &NarrowCols<AB::Var>,
    next: &NarrowCols<AB::Var>,
) {
    let digits = eval_limb(builder, &local.digits);
    let mut first = builder.when(next.steps[1]);
    for (index, halves) in local.halves[..4].iter().enumerate() {
        for (half, limb) in pack::<_, AB::Expr>(&halves[0].b).into_iter().enumerate() {
            first.assert_eq(next.message[DIGITS[2 * index + half]][1], limb);
        }
        for (half, bits) in [&halves[1].d, &halves[1].b].into_iter().enumerate() {
            let word = &next.message[BITS[2 * index + half]];
            for (&limb, packed) in word.iter().zip(pack::<_, AB::Expr>(bits)) {
                first.assert_eq(limb, packed);
            }
        }
    }
    first.assert_eq(next.message[DIGITS[ROUNDS]][0], digits.clone());
    let mut rounds = builder.when(AB::Expr::ONE - local.steps[0].into());
    rounds.assert_eq(local.message[0][0], digits);
    let mut later = builder.when(AB::Expr::ONE - next.steps[0].into() - next.steps[1].into());
    for (word, from) in next.message.iter().zip(PERMUTATION) {
        for (&limb, &before) in word.iter().zip(&local.message[from]) {
            later.assert_eq(limb, before);
        }
    }
}

/// Constrains the first state, on a row of inputs: the chaining value is range-checked, the
/// initialisation vector is the one of BLAKE3, the block length has 7 bits and the flags 8. The
/// counter may have any bits.
fn eval_inputs<AB: AirBuilder<F = F>>(builder: &mut AB, row: &NarrowCols<AB::Var>) {
    let mut first = builder.when(row.steps[0]);
    let (columns, diagonals) = row.halves.split_at(4);
    for (column, diagonal) in columns.iter().zip(diagonals) {
        let word: Limbs<AB::Expr> = pack(&column[0].d);
        for (&limb, packed) in diagonal[1].a.iter().zip(word) {
            first.assert_eq(limb, packed);
        }
        for unused in [&column[0], &column[1], &diagonal[0]] {
            first.assert_zeros(unused.c);
        }
    }
    for (index, word) in IV[..4].iter().enumerate() {
        let [low, high] = first_state(row, 2, index).c;
        first.assert_eq(low, F::from_u32(word & 0xffff));
        first.assert_eq(high, F::from_u32(word >> 16));
    }
    // The bits are boolean and few, so their sum is zero only if all of them are zero.
    for (index, length) in [(2, LENGTH_BITS), (3, FLAG_BITS)] {
        let rest = &first_state(row, 3, index).d[length..];
        let sum: AB::Expr = rest.iter().map(|&bit| bit.into()).sum();
        first.assert_zero(sum);
    }
}

/// The half in which a row keeps word `index` of the first state's row `of` (0 to 3: `a` to `d`).
const fn first_state<V>(row: &NarrowCols<V>, of: usize, index: usize) -> &HalfCols<V> {
    &row.halves[4 + (index + 4 - DIAGONAL[of]) % 4][1]
}

/// Constrains the output after the last round to be `v[i] ^ v[i + 8]`. The next row, one of inputs,
/// has the bits of the words that the round keeps as limbs. An idle row is a compression without
/// rounds, whose last state is its first.
fn eval_output<AB: AirBuilder<F = F>>(
    builder: &mut AB,
    local: &NarrowCols<AB::Var>,
    next: &NarrowCols<AB::Var>,
) {
    let mut last = builder.when(next.steps[0]);
    for index in 0..4 {
        let last_words = &next.halves[4 + index][0];
        let (low, high) = (&last_words.d, &last_words.b);
        for (limbs, bits) in [
            (&first_state(local, 0, index).a, low),
            (&first_state(local, 2, index).c, high),
        ] {
            for (&limb, packed) in limbs.iter().zip(pack::<_, AB::Expr>(bits)) {
                last.assert_eq(limb, packed);
            }
        }
        let b = &first_state(local, 1, index).b;
        let d = &first_state(local, 3, index).d;
        for (word, x, y) in [(index, low, high), (4 + index, b, d)] {
            for (half, &limb) in local.output[word].iter().enumerate() {
                let bits = 16 * half..16 * half + 16;
                let bits = bits.map(|z| x[z].into().xor(&y[z].into()));
                let packed: AB::Expr = pack_bits_le(bits);
                last.assert_eq(limb, packed);
            }
        }
    }
}

/// The message that sends a compression on the bus, from its row of inputs and the next row.
pub fn message<AB: AirBuilder<F = F>>(
    local: &NarrowCols<AB::Var>,
    next: &NarrowCols<AB::Var>,
) -> CompressionMessage<AB::Expr> {
    let bits = |bits: &[AB::Var; 32], half: usize| -> AB::Expr {
        bits_value::<AB>(&bits[16 * half..][..16])
    };
    CompressionMessage {
        chaining: std::array::from_fn(|limb| {
            let (word, half) = (limb / 2, limb % 2);
            match word.checked_sub(4) {
                None => first_state(local, 0, word).a[half].into(),
                Some(word) => bits(&first_state(local, 1, word).b, half),
            }
        }),
        message: std::array::from_fn(|limb| next.message[limb / 2][limb % 2].into()),
        counter: std::array::from_fn(|limb| bits(&first_state(local, 3, limb / 2).d, limb % 2)),
        block_length: bits_value::<AB>(&first_state(local, 3, 2).d[..LENGTH_BITS]),
        flags: bits_value::<AB>(&first_state(local, 3, 3).d[..FLAG_BITS]),
        output: std::array::from_fn(|limb| local.output[limb / 2][limb % 2].into()),
    }
}
