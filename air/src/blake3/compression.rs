//! Constraints of a compression that takes one row.

use droste_native::F;
use p3_air::AirBuilder;
use p3_air::utils::pack_bits_le;
use p3_field::PrimeCharacteristicRing;

use super::columns::{Blake3Cols, LastHalfCols, ROUNDS};
use super::quarter::{Bits, Limbs, Quarter, State, add, half, rotated, round, shift, xor};
use super::{CompressionMessage, DIAGONAL, IV, SCHEDULE};
use crate::limb::{LimbCols, bits_value, eval_limb, limb_terms, weighted_sum};

/// Row 3 of the first state: counter, block length and flags, which have different numbers of bits.
type LastRow<'a, V, E> = [(&'a [V], Limbs<E>); 4];

/// Constrains the last half of one of the last quarter-rounds: the sums, and the XOR that defines
/// `d`.
fn last_half<AB: AirBuilder<F = F>>(
    builder: &mut AB,
    quarter: &Quarter<'_, AB::Var, AB::Expr>,
    message: &Limbs<AB::Expr>,
    columns: &LastHalfCols<AB::Var>,
) {
    let a: Limbs<AB::Expr> = columns.a.map(Into::into);
    add(builder, &a, &quarter.a, &quarter.b.limbs, Some(message));
    builder.assert_bools(columns.d);
    let (d, turned) = rotated(&columns.d, 8);
    xor(builder, &a, &quarter.d, (&columns.d, &turned), 8);
    builder.assert_bools(columns.c);
    let (c, _) = rotated(&columns.c, 16);
    add(builder, &c, &quarter.c, &d, None);
}

/// Constrains `columns.output` to be the output of the compression of the inputs, with degree 3 at
/// most.
///
/// Every input is range-checked: limbs to 16 bits, the block length to 7 bits, the flags to 8 bits.
pub fn eval_compression<AB: AirBuilder<F = F>>(builder: &mut AB, columns: &Blake3Cols<AB::Var>) {
    let message: [Limbs<AB::Expr>; 16] = columns
        .message
        .each_ref()
        .map(|word| word.each_ref().map(|limb| eval_limb(builder, limb)));
    let low: [Limbs<AB::Expr>; 4] = columns
        .chaining_low
        .each_ref()
        .map(|word| word.each_ref().map(|limb| eval_limb(builder, limb)));
    let high: [Limbs<AB::Expr>; 4] = columns.chaining_high.each_ref().map(|bits| {
        builder.assert_bools(*bits);
        rotated(bits, 16).0
    });
    let counter: [Limbs<AB::Expr>; 2] = columns.counter.each_ref().map(|bits| {
        builder.assert_bools(*bits);
        rotated(bits, 16).0
    });
    builder.assert_bools(columns.block_length);
    builder.assert_bools(columns.flags);
    let block_length: AB::Expr = pack_bits_le(columns.block_length.iter().copied());
    let flags: AB::Expr = pack_bits_le(columns.flags.iter().copied());

    let last_row: LastRow<'_, AB::Var, AB::Expr> = [
        (&columns.counter[0], counter[0].clone()),
        (&columns.counter[1], counter[1].clone()),
        (&columns.block_length, [block_length, AB::Expr::ZERO]),
        (&columns.flags, [flags, AB::Expr::ZERO]),
    ];
    let mut state: State<'_, AB> = std::array::from_fn(|i| {
        Some(Quarter {
            a: low[i].clone(),
            b: Bits {
                bits: &columns.chaining_high[i],
                limbs: high[i].clone(),
            },
            c: [
                AB::Expr::from(F::from_u32(IV[i] & 0xffff)),
                AB::Expr::from(F::from_u32(IV[i] >> 16)),
            ],
            d: Bits {
                bits: last_row[i].0,
                limbs: last_row[i].1.clone(),
            },
        })
    });
    for (order, halves) in SCHEDULE.iter().zip(&columns.rounds) {
        state = round(builder, state, (&message, order), halves);
    }
    for (index, halves) in columns.last_columns.iter().enumerate() {
        let words = words(0, index);
        state[index] = state[index].take().map(|quarter| {
            let quarter = half(builder, quarter, &message[words[0]], &halves[0], (16, 12));
            half(builder, quarter, &message[words[1]], &halves[1], (8, 7))
        });
    }
    state = shift::<AB>(state, 1);
    for (index, (first, last)) in columns
        .last_diagonals
        .iter()
        .zip(&columns.last_halves)
        .enumerate()
    {
        let words = words(1, index);
        state[index] = state[index].take().map(|quarter| {
            let quarter = half(builder, quarter, &message[words[0]], first, (16, 12));
            last_half(builder, &quarter, &message[words[1]], last);
            quarter
        });
    }
    eval_output(builder, columns);
}

/// Indices of the two message words that a quarter-round of the last round adds. Step 0 is the
/// quarter-rounds on columns, step 1 those on diagonals.
fn words(step: usize, index: usize) -> [usize; 2] {
    let first = 8 * step + 2 * index;
    [SCHEDULE[ROUNDS - 1][first], SCHEDULE[ROUNDS - 1][first + 1]]
}

/// Constrains the output limbs to be `v[i] ^ v[i + 8]` after the last round.
fn eval_output<AB: AirBuilder<F = F>>(builder: &mut AB, columns: &Blake3Cols<AB::Var>) {
    let bit = |bits: &[AB::Var; 32], z: usize| -> AB::Expr { bits[z % 32].into() };
    for (word, limbs) in columns.output.iter().enumerate() {
        for (half, &limb) in limbs.iter().enumerate() {
            let bits = (16 * half..16 * half + 16).map(|z| {
                let index = word % 4;
                if word < 4 {
                    // Bits of a = d_before ^ (d <<< 8), and of c.
                    let c = &columns.last_halves[(index + 4 - DIAGONAL[2]) % 4].c;
                    let a = bit(&columns.last_diagonals[index].d, z)
                        .xor(&bit(&columns.last_halves[index].d, z + 24));
                    a.xor(&bit(c, z))
                } else {
                    // Bits of b = (c ^ b_before) >>> 7, and of d.
                    let from = (index + 4 - DIAGONAL[1]) % 4;
                    let d = &columns.last_halves[(index + 4 - DIAGONAL[3]) % 4].d;
                    let b = bit(&columns.last_halves[from].c, z + 7)
                        .xor(&bit(&columns.last_diagonals[from].b, z + 7));
                    b.xor(&bit(d, z))
                }
            });
            let packed: AB::Expr = pack_bits_le(bits);
            builder.assert_eq(limb, packed);
        }
    }
}

/// The message that sends a compression on the bus.
pub fn message<AB: AirBuilder<F = F>>(
    columns: &Blake3Cols<AB::Var>,
) -> CompressionMessage<AB::Expr> {
    let range_checked = |limb: &LimbCols<AB::Var>| weighted_sum::<AB>(limb_terms(limb));
    let bits = |word: &[AB::Var; 32], half: usize| -> AB::Expr {
        bits_value::<AB>(&word[16 * half..][..16])
    };
    CompressionMessage {
        chaining: std::array::from_fn(|limb| {
            let (word, half) = (limb / 2, limb % 2);
            match word.checked_sub(4) {
                None => range_checked(&columns.chaining_low[word][half]),
                Some(word) => bits(&columns.chaining_high[word], half),
            }
        }),
        message: std::array::from_fn(|limb| range_checked(&columns.message[limb / 2][limb % 2])),
        counter: std::array::from_fn(|limb| bits(&columns.counter[limb / 2], limb % 2)),
        block_length: bits_value::<AB>(&columns.block_length),
        flags: bits_value::<AB>(&columns.flags),
        output: std::array::from_fn(|limb| columns.output[limb / 2][limb % 2].into()),
    }
}
