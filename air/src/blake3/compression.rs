//! Constraints of one compression.
//!
//! Words are two 16-bit limbs or 32 bits. A sum `z = x + y mod 2^32` of range-checked limbs is
//! checked modulo `p` and modulo `2^16`, which together determine it because
//! `3 * 2^32 < 2^16 * p`. A rotated XOR `z = (x ^ y) >>> r` is checked as `x = y ^ (z <<< r)`, limb
//! by limb, which also range-checks the limbs of `x`.

use droste_native::F;
use p3_air::AirBuilder;
use p3_air::utils::pack_bits_le;
use p3_field::PrimeCharacteristicRing;

use super::columns::{Blake3Cols, HalfCols, LastHalfCols, ROUNDS};
use super::{DIAGONAL, IV, MESSAGE, SCHEDULE};
use crate::limb::{LimbCols, bits_value, eval_limb, limb_terms, weighted_sum};

/// A word as two 16-bit limbs, low first.
type Limbs<E> = [E; 2];

/// A word as bits, with its limbs. Bits past the end of `bits` are zero.
struct Bits<'a, V, E> {
    bits: &'a [V],
    limbs: Limbs<E>,
}

/// A word of bits, and the limbs of the same word rotated to the left.
fn rotated<V: Copy + Into<E>, E: PrimeCharacteristicRing>(
    bits: &[V; 32],
    rotation: usize,
) -> (Limbs<E>, Limbs<E>) {
    let kept = 16 - rotation;
    let pack = |from: usize, to: usize| -> E { pack_bits_le(bits[from..to].iter().copied()) };
    let parts = [
        pack(0, kept),
        pack(kept, 16),
        pack(16, 16 + kept),
        pack(16 + kept, 32),
    ];
    let join = |low: &E, high: &E, shift: usize| low.dup() + high.mul_2exp_u64(shift as u64);
    (
        [
            join(&parts[0], &parts[1], kept),
            join(&parts[2], &parts[3], kept),
        ],
        [
            join(&parts[3], &parts[0], rotation),
            join(&parts[1], &parts[2], rotation),
        ],
    )
}

/// Constrains `target = x ^ (y <<< rotation)`, given the limbs of `y <<< rotation`.
///
/// With `x ^ y = x + y - 2xy` bit by bit, only the products have to be packed.
fn xor<AB: AirBuilder<F = F>>(
    builder: &mut AB,
    target: &Limbs<AB::Expr>,
    x: &Bits<'_, AB::Var, AB::Expr>,
    y: (&[AB::Var; 32], &Limbs<AB::Expr>),
    rotation: usize,
) {
    for (half, target) in target.iter().enumerate() {
        let end = x.bits.len().min(16 * half + 16);
        let products = (16 * half..end).map(|i| x.bits[i] * y.0[(i + 32 - rotation) % 32]);
        let product: AB::Expr = pack_bits_le(products);
        builder.assert_eq(
            target.clone(),
            x.limbs[half].clone() + y.1[half].clone() - product.double(),
        );
    }
}

/// Constrains `sum = x + y + z mod 2^32`, or `sum = x + y mod 2^32` without `z`.
fn add<AB: AirBuilder<F = F>>(
    builder: &mut AB,
    sum: &Limbs<AB::Expr>,
    x: &Limbs<AB::Expr>,
    y: &Limbs<AB::Expr>,
    z: Option<&Limbs<AB::Expr>>,
) {
    let limb = |i: usize| {
        let difference = sum[i].clone() - x[i].clone() - y[i].clone();
        match z {
            Some(z) => difference - z[i].clone(),
            None => difference,
        }
    };
    let low = limb(0);
    let whole = low.clone() + limb(1).mul_2exp_u64(16);
    for (difference, carry) in [(low, F::from_u32(1 << 16)), (whole, F::from_u64(1 << 32))] {
        let mut product = difference.clone() * (difference.clone() + carry);
        if z.is_some() {
            product *= difference + carry.double();
        }
        builder.assert_zero(product);
    }
}

/// Row 3 of the first state: words of different bit lengths.
type LastRow<'a, V, E> = [(&'a [V], Limbs<E>); 4];

/// The four words that a quarter-round reads and writes.
struct Quarter<'a, V, E> {
    a: Limbs<E>,
    b: Bits<'a, V, E>,
    c: Limbs<E>,
    d: Bits<'a, V, E>,
}

/// The state: rows of four words, `a` and `c` as limbs, `b` and `d` as bits.
type State<'a, AB> = [Option<Quarter<'a, <AB as AirBuilder>::Var, <AB as AirBuilder>::Expr>>; 4];

/// Half a quarter-round, with rotations `(16, 12)` or `(8, 7)`.
fn half<'a, AB: AirBuilder<F = F>>(
    builder: &mut AB,
    quarter: Quarter<'a, AB::Var, AB::Expr>,
    message: &Limbs<AB::Expr>,
    columns: &'a HalfCols<AB::Var>,
    rotations: (usize, usize),
) -> Quarter<'a, AB::Var, AB::Expr> {
    let a: Limbs<AB::Expr> = columns.a.map(Into::into);
    add(builder, &a, &quarter.a, &quarter.b.limbs, Some(message));
    builder.assert_bools(columns.d);
    let (d, turned) = rotated(&columns.d, rotations.0);
    xor(builder, &a, &quarter.d, (&columns.d, &turned), rotations.0);
    let c: Limbs<AB::Expr> = columns.c.map(Into::into);
    add(builder, &c, &quarter.c, &d, None);
    builder.assert_bools(columns.b);
    let (b, turned) = rotated(&columns.b, rotations.1);
    xor(builder, &c, &quarter.b, (&columns.b, &turned), rotations.1);
    Quarter {
        a,
        b: Bits {
            bits: &columns.b,
            limbs: b,
        },
        c,
        d: Bits {
            bits: &columns.d,
            limbs: d,
        },
    }
}

/// The last half of the last quarter-rounds: the sums, and the XOR that gives `d`.
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

/// Moves rows `b`, `c`, `d` by `shift`, 2 `shift`, 3 `shift` words, so that diagonals become columns
/// (`shift` 1) or columns again (`shift` 3).
fn shift<AB: AirBuilder>(state: State<'_, AB>, shift: usize) -> State<'_, AB> {
    let mut rows = (
        [const { None }; 4],
        [const { None }; 4],
        [const { None }; 4],
        [const { None }; 4],
    );
    for (index, quarter) in state.into_iter().enumerate() {
        if let Some(quarter) = quarter {
            rows.0[index] = Some(quarter.a);
            rows.1[(index + 4 - shift) % 4] = Some(quarter.b);
            rows.2[(index + 8 - 2 * shift) % 4] = Some(quarter.c);
            rows.3[(index + 12 - 3 * shift) % 4] = Some(quarter.d);
        }
    }
    let mut shifted = [const { None }; 4];
    for (index, place) in shifted.iter_mut().enumerate() {
        let words = (
            rows.0[index].take(),
            rows.1[index].take(),
            rows.2[index].take(),
            rows.3[index].take(),
        );
        if let (Some(a), Some(b), Some(c), Some(d)) = words {
            *place = Some(Quarter { a, b, c, d });
        }
    }
    shifted
}

/// Constrains `columns.output` to be the compression of the inputs: degree 3 at most.
///
/// Every input is range-checked here: limbs to 16 bits, the block length to 7 bits, the flags to 8.
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
    for (round, halves) in columns.rounds.iter().enumerate() {
        for (step, halves) in halves.chunks_exact(4).enumerate() {
            for (index, halves) in halves.iter().enumerate() {
                let words = words(round, step, index);
                state[index] = state[index].take().map(|quarter| {
                    let quarter = half(builder, quarter, &message[words[0]], &halves[0], (16, 12));
                    half(builder, quarter, &message[words[1]], &halves[1], (8, 7))
                });
            }
            state = shift::<AB>(state, if step == 0 { 1 } else { 3 });
        }
    }
    for (index, halves) in columns.last_columns.iter().enumerate() {
        let words = words(ROUNDS - 1, 0, index);
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
        let words = words(ROUNDS - 1, 1, index);
        state[index] = state[index].take().map(|quarter| {
            let quarter = half(builder, quarter, &message[words[0]], first, (16, 12));
            last_half(builder, &quarter, &message[words[1]], last);
            quarter
        });
    }
    eval_output(builder, columns);
}

/// Indices of the two message words that a quarter-round adds; step 0 is columns, 1 diagonals.
fn words(round: usize, step: usize, index: usize) -> [usize; 2] {
    let first = 8 * step + 2 * index;
    [SCHEDULE[round][first], SCHEDULE[round][first + 1]]
}

/// Constrains the output limbs: `v[i] ^ v[i + 8]` after the last round.
fn eval_output<AB: AirBuilder<F = F>>(builder: &mut AB, columns: &Blake3Cols<AB::Var>) {
    let bit = |bits: &[AB::Var; 32], z: usize| -> AB::Expr { bits[z % 32].into() };
    for (word, limbs) in columns.output.iter().enumerate() {
        for (half, &limb) in limbs.iter().enumerate() {
            let bits = (16 * half..16 * half + 16).map(|z| {
                let index = word % 4;
                if word < 4 {
                    // a = d_before ^ (d <<< 8), and c.
                    let c = &columns.last_halves[(index + 4 - DIAGONAL[2]) % 4].c;
                    let a = bit(&columns.last_diagonals[index].d, z)
                        .xor(&bit(&columns.last_halves[index].d, z + 24));
                    a.xor(&bit(c, z))
                } else {
                    // b = (c ^ b_before) >>> 7, and d.
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

/// The message of a compression on the bus.
pub fn message<AB: AirBuilder<F = F>>(columns: &Blake3Cols<AB::Var>) -> Vec<AB::Expr> {
    let range_checked = |words: &[[LimbCols<AB::Var>; 2]]| -> Vec<AB::Expr> {
        let limbs = words.iter().flatten();
        limbs
            .map(|limb| weighted_sum::<AB>(limb_terms(limb)))
            .collect()
    };
    let bits = |words: &[[AB::Var; 32]]| -> Vec<AB::Expr> {
        let limbs = words.iter().flat_map(|word| word.chunks_exact(16));
        limbs.map(bits_value::<AB>).collect()
    };
    let mut message = Vec::with_capacity(MESSAGE);
    message.extend(range_checked(&columns.chaining_low));
    message.extend(bits(&columns.chaining_high));
    message.extend(range_checked(&columns.message));
    message.extend(bits(&columns.counter));
    message.push(bits_value::<AB>(&columns.block_length));
    message.push(bits_value::<AB>(&columns.flags));
    message.extend(columns.output.iter().flatten().map(|&limb| limb.into()));
    message
}
