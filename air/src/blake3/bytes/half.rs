//! The words and the lookups of a round over bytes.
//!
//! Everything here is linear in the cells, over any ring: constraints evaluate it on expressions,
//! the trace generator on values.

use droste_native::F;
use p3_field::{Algebra, PrimeCharacteristicRing};

use super::columns::{ByteHalfCols, BytesCols, CHECKED};
use crate::blake3::DIAGONAL;
use crate::blake3::quarter::Limbs;
use crate::byte_pairs::BytePairMessage;

/// Number of lookups of a row: 8 for each half of a quarter-round, those of two message words, and
/// that of the block length.
pub const LOOKUPS: usize = 16 * 8 + 2 * CHECKED.len() + 1;

/// A word as bytes, low first.
pub(super) type Word<E> = [E; 4];

/// The words `a`, `b`, `c`, `d` that a quarter-round reads and writes.
pub(super) type Words<E> = [Word<E>; 4];

/// A function that reads, for a quarter-round of index `index`, its word `of` (0 to 3: `a` to `d`).
type Read<E> = fn(&[Words<E>; 4], usize, usize) -> Word<E>;

/// Half a quarter-round: the words before and after it.
pub(super) struct Half<E> {
    /// Which quarter-round of the row, and which half of it.
    pub place: [usize; 2],
    pub before: Words<E>,
    pub after: Words<E>,
    /// `d ^ a`, before its rotation.
    pub d: Word<E>,
    /// High and low parts of the bytes of `b ^ c`, before its rotation.
    pub b: [Word<E>; 2],
}

/// Number of low bits of the bytes of `b ^ c` which its rotation, by 12 or 7 bits, keeps together.
pub(super) const LOW_BITS: [usize; 2] = [4, 7];

/// The limbs of a word.
pub(super) fn limbs<E: Algebra<F>>(word: &Word<E>) -> Limbs<E> {
    [0, 2].map(|low| word[low].dup() + word[low + 1].dup() * F::from_u16(1 << 8))
}

/// A word rotated to the right by so many bytes.
fn turned<E: Clone>(word: &Word<E>, bytes: usize) -> Word<E> {
    std::array::from_fn(|i| word[(i + bytes) % 4].clone())
}

fn word<V: Copy + Into<E>, E>(cells: &[V; 4]) -> Word<E> {
    cells.map(Into::into)
}

/// The bytes of `b ^ c`, whose high and low parts are given.
pub(super) fn joined<E: Algebra<F>>([high, low]: &[Word<E>; 2], half: usize) -> Word<E> {
    let weight = F::from_u16(1 << LOW_BITS[half]);
    std::array::from_fn(|i| high[i].dup() * weight + low[i].dup())
}

/// The words after half a quarter-round.
fn after<V: Copy + Into<E>, E: Algebra<F>>(cells: &ByteHalfCols<V>, half: usize) -> Words<E> {
    let [high, low]: [Word<E>; 2] = [word(&cells.high), word(&cells.low)];
    // By 12 bits: the high nibble of the next byte, below the low nibble of the one after it. By 7
    // bits: the top bit of a byte, below the other bits of the next.
    let (high, low) = match half {
        0 => (turned(&high, 1), turned(&low, 2)),
        _ => (high, turned(&low, 1)),
    };
    let weight = F::from_u16(1 << (8 - LOW_BITS[half]));
    let b = std::array::from_fn(|i| high[i].dup() + low[i].dup() * weight);
    let d = turned(&word(&cells.d), 2 - half);
    [word(&cells.a), b, word(&cells.c), d]
}

/// The state after a row.
pub(super) fn state<V: Copy + Into<E>, E: Algebra<F>>(row: &BytesCols<V>) -> [Words<E>; 4] {
    std::array::from_fn(|index| after(&row.halves[4 + index][1], 1))
}

/// Word `index` of the state's row `of` (0 to 3: `a` to `d`), where `state` is that after a row,
/// whose last quarter-rounds are on diagonals.
pub(super) fn of_diagonals<E>(state: &[Words<E>; 4], of: usize, index: usize) -> &Word<E> {
    &state[(index + 4 - DIAGONAL[of]) % 4][of]
}

/// Calls `visit` with each half of a quarter-round of the row `next`, which follows the row
/// `local`.
pub(super) fn halves<V: Copy + Into<E>, E: Algebra<F>>(
    local: &BytesCols<V>,
    next: &BytesCols<V>,
    mut visit: impl FnMut(&Half<E>),
) {
    let mut state = state(local);
    // The first quarter-rounds read what those on diagonals left, and the others what they did.
    let columns: Read<E> = |state, of, index| of_diagonals(state, of, index).clone();
    let diagonals: Read<E> = |state, of, index| state[(index + DIAGONAL[of]) % 4][of].clone();
    let reads = [columns, diagonals];
    for ((step, quarters), read) in next.halves.chunks_exact(4).enumerate().zip(reads) {
        state = std::array::from_fn(|index| {
            let mut words: Words<E> = std::array::from_fn(|of| read(&state, of, index));
            for (half, cells) in quarters[index].iter().enumerate() {
                let before = std::mem::replace(&mut words, after(cells, half));
                visit(&Half {
                    place: [4 * step + index, half],
                    before,
                    after: words.clone(),
                    d: word(&cells.d),
                    b: [word(&cells.high), word(&cells.low)],
                });
            }
            words
        });
    }
}

impl<E: Algebra<F>> Half<E> {
    /// The lookups of `d ^ a` and of `b ^ c`.
    pub fn lookups(&self) -> impl Iterator<Item = BytePairMessage<E>> {
        let [[_, b, _, d], [a, _, c, _]] = [&self.before, &self.after];
        let [high, low] = &self.b;
        let low_bits = LOW_BITS[self.place[1]];
        (0..4).flat_map(move |i| {
            [
                message(8, [&d[i], &a[i], &E::ZERO, &self.d[i]]),
                message(low_bits, [&b[i], &c[i], &high[i], &low[i]]),
            ]
        })
    }
}

fn message<E: Algebra<F>>(low_bits: usize, fields: [&E; 4]) -> BytePairMessage<E> {
    let [x, y, high, low] = fields.map(E::dup);
    BytePairMessage {
        low_bits: F::from_usize(low_bits).into(),
        x,
        y,
        high,
        low,
    }
}

/// The lookups that range-check the limbs of two message words of a row.
pub(super) fn message_lookups<V: Copy + Into<E>, E: Algebra<F>>(
    row: &BytesCols<V>,
) -> impl Iterator<Item = BytePairMessage<E>> {
    let words = CHECKED.into_iter().zip(&row.checks);
    let pairs = words.flat_map(|(word, pairs)| row.message[word].into_iter().zip(pairs));
    pairs.map(|(limb, pair)| {
        let [limb, high, xor]: [E; 3] = [limb, pair.high, pair.xor].map(Into::into);
        let low = limb - high.dup() * F::from_u16(1 << 8);
        message(8, [&low, &high, &E::ZERO, &xor])
    })
}

/// The lookup that checks that the block length on a row of inputs has seven bits.
pub(super) fn length_lookup<V: Copy + Into<E>, E: Algebra<F>>(
    row: &BytesCols<V>,
) -> BytePairMessage<E> {
    let state = state(row);
    let [length, ..] = of_diagonals(&state, 3, 2);
    message(7, [length, &E::ZERO, &E::ZERO, length])
}
