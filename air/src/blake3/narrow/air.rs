//! The narrow Blake3 table.

use std::borrow::Borrow;

use droste_native::F;
use p3_air::utils::pack_bits_le;
use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};
use p3_field::PrimeCharacteristicRing;
use p3_lookup::{Count, InteractionBuilder};

use super::columns::{BITS, DIGITS, NarrowCols, NarrowTableCols, ROWS};
use crate::blake3::columns::{HalfCols, ROUNDS};
use crate::blake3::quarter::{Bits, Limbs, Quarter, State, round, shift};
use crate::blake3::{BUS, DEGREE, DIAGONAL, IV, MESSAGE, PERMUTATION, SCHEDULE};
use crate::limb::{bits_value, eval_limb};

/// Bits of the block length and of the flags.
const LENGTH_BITS: usize = 7;
const FLAG_BITS: usize = 8;

/// Compressions alone, 8 rows each, for use without a bus: 1,155 columns.
#[derive(Clone, Copy, Debug, Default)]
pub struct NarrowAir;

impl BaseAir<F> for NarrowAir {
    fn width(&self) -> usize {
        NarrowCols::<u8>::WIDTH
    }

    fn max_constraint_degree(&self) -> Option<usize> {
        Some(DEGREE)
    }
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

/// Compressions, 8 rows each, offered on [`BUS`]: 1,156 columns.
///
/// The row of inputs of a compression sends its message once if it is real; no other row sends anything.
#[derive(Clone, Copy, Debug, Default)]
pub struct NarrowTable;

impl BaseAir<F> for NarrowTable {
    fn width(&self) -> usize {
        NarrowTableCols::<u8>::WIDTH
    }

    fn max_constraint_degree(&self) -> Option<usize> {
        Some(DEGREE)
    }
}

impl<AB: InteractionBuilder<F = F>> Air<AB> for NarrowTable {
    #[inline]
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let local: &NarrowTableCols<AB::Var> = main.current_slice().borrow();
        let next: &NarrowTableCols<AB::Var> = main.next_slice().borrow();
        eval_rows(builder, &local.row, &next.row);
        builder.assert_bool(local.is_real);
        builder.when(local.is_real).assert_one(local.row.steps[0]);
        let message = message::<AB>(&local.row, &next.row);
        BUS.send(builder, message, Count::bounded(local.is_real.into(), 1));
    }
}

/// Constrains rows to be compressions, 8 rows each: degree 3.
///
/// Row 0 of the trace holds inputs, and so does every eighth after it. Nothing is left out between the
/// last row and the first, so a height that is no multiple of 8 satisfies no constraints, and no
/// compression is cut off.
pub fn eval_rows<AB: AirBuilder<F = F>>(
    builder: &mut AB,
    local: &NarrowCols<AB::Var>,
    next: &NarrowCols<AB::Var>,
) {
    for (step, &flag) in local.steps.iter().enumerate() {
        let mut first = builder.when_first_row();
        first.assert_eq(flag, AB::Expr::from_bool(step == 0));
        builder.assert_eq(next.steps[(step + 1) % ROWS], flag);
    }
    let goes_on = AB::Expr::ONE - next.steps[0].into();
    let mut inside = builder.when(goes_on.clone());
    for (&limb, &next_limb) in local.output.iter().zip(&next.output).flat_map(zip_limbs) {
        inside.assert_eq(next_limb, limb);
    }
    eval_message(builder, local, next);
    eval_inputs(builder, local);
    eval_output(builder, local, next);
    let message = next.message.map(|word| word.map(Into::into));
    // The words of a row stand in the order of its round.
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

/// Limbs of packed bits.
fn pack<V: Copy + Into<E>, E: PrimeCharacteristicRing>(bits: &[V; 32]) -> Limbs<E> {
    [0, 16].map(|from| pack_bits_le(bits[from..from + 16].iter().copied()))
}

/// A word of bits.
fn word<V: Copy + Into<E>, E: PrimeCharacteristicRing>(bits: &[V; 32]) -> Bits<'_, V, E> {
    Bits {
        bits,
        limbs: pack(bits),
    }
}

/// The state that a row leaves.
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

/// The words of the first round come from the row of inputs, those of every other from the round before.
/// All their limbs are range-checked.
fn eval_message<AB: AirBuilder<F = F>>(
    builder: &mut AB,
    local: &NarrowCols<AB::Var>,
    next: &NarrowCols<AB::Var>,
) {
    let digits = eval_limb(builder, &local.digits);
    let is_first: AB::Expr = local.steps[0].into();
    let mut first = builder.when(is_first.clone());
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
    let mut rounds = builder.when(AB::Expr::ONE - is_first.clone());
    rounds.assert_eq(local.message[0][0], digits);
    let mut later = builder.when(AB::Expr::ONE - is_first - next.steps[0].into());
    for (word, from) in next.message.iter().zip(PERMUTATION) {
        for (&limb, &before) in word.iter().zip(&local.message[from]) {
            later.assert_eq(limb, before);
        }
    }
}

/// The first state, on a row of inputs: the chaining value range-checked, the initialisation vector in its
/// place, the block length of 7 bits and the flags of 8. The counter is any bits.
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
    // Bits are boolean, so their sum is zero only if they are.
    for (index, length) in [(2, LENGTH_BITS), (3, FLAG_BITS)] {
        let rest = &first_state(row, 3, index).d[length..];
        let sum: AB::Expr = rest.iter().map(|&bit| bit.into()).sum();
        first.assert_zero(sum);
    }
}

/// The half that holds word `index` of a row (0 to 3: `a` to `d`) of the first state.
const fn first_state<V>(row: &NarrowCols<V>, of: usize, index: usize) -> &HalfCols<V> {
    &row.halves[4 + (index + 4 - DIAGONAL[of]) % 4][1]
}

/// The output after the last round: `v[i] ^ v[i + 8]`. The row after it, one of inputs, has the bits of those
/// words that the round leaves as limbs.
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

/// The message of a compression on the bus, from its row of inputs and the one after it.
pub fn message<AB: AirBuilder<F = F>>(
    local: &NarrowCols<AB::Var>,
    next: &NarrowCols<AB::Var>,
) -> Vec<AB::Expr> {
    let bits = |bits: &[AB::Var; 32]| [0, 16].map(|from| bits_value::<AB>(&bits[from..from + 16]));
    let limbs = |words: &[[AB::Var; 2]]| -> Vec<AB::Expr> {
        words.iter().flatten().map(|&limb| limb.into()).collect()
    };
    let mut message = Vec::with_capacity(MESSAGE);
    message.extend((0..4).flat_map(|i| first_state(local, 0, i).a.map(Into::into)));
    message.extend((0..4).flat_map(|i| bits(&first_state(local, 1, i).b)));
    message.extend(limbs(&next.message));
    message.extend((0..2).flat_map(|i| bits(&first_state(local, 3, i).d)));
    message.push(bits_value::<AB>(&first_state(local, 3, 2).d[..LENGTH_BITS]));
    message.push(bits_value::<AB>(&first_state(local, 3, 3).d[..FLAG_BITS]));
    message.extend(limbs(&local.output));
    message
}
