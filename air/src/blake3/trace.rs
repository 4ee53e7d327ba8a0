//! Trace generation for the Blake3 table.

use std::borrow::BorrowMut;

use droste_native::F;
use p3_field::PrimeCharacteristicRing;

use super::columns::{Blake3Cols, Blake3TableCols, ROUNDS};
use super::{DIAGONAL, IV, SCHEDULE};
use crate::TraceResult;
use crate::limb::bits;
use crate::trace::generate;

/// The inputs of one compression (BLAKE3 specification, section 2.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Compression {
    /// The input chaining value.
    pub chaining: [u32; 8],
    /// The message block, as little-endian words.
    pub message: [u32; 16],
    /// The counter: the index of the chunk, or zero in parents.
    pub counter: u64,
    /// Number of bytes of the block, at most 64. The table has seven bits for it.
    pub block_length: u8,
    /// The domain separation flags.
    pub flags: u8,
}

impl Compression {
    /// The output chaining value: the first eight words of the output.
    pub fn output(&self) -> [u32; 8] {
        fold(self.state())
    }

    /// The state after the last round.
    pub(super) fn state(&self) -> [u32; 16] {
        self.run(|_, _, _, _| {})
    }

    /// Runs the compression function. Calls `record` with the words `a, b, c, d` after each half of
    /// each quarter-round, as `(round, quarter, half, words)`. Returns the state after the last
    /// round.
    pub(super) fn run(&self, mut record: impl FnMut(usize, usize, usize, [u32; 4])) -> [u32; 16] {
        let mut state = self.first_state();
        for (round, order) in SCHEDULE.iter().enumerate() {
            for quarter in 0..8 {
                let (step, index) = (quarter / 4, quarter % 4);
                let place = |row: usize| 4 * row + (index + step * DIAGONAL[row]) % 4;
                let mut words = [0, 1, 2, 3].map(|row| state[place(row)]);
                for (half, rotations) in [(16, 12), (8, 7)].into_iter().enumerate() {
                    let message = self.message[order[2 * quarter + half]];
                    words = mix(words, message, rotations);
                    record(round, quarter, half, words);
                }
                for (row, word) in words.into_iter().enumerate() {
                    state[place(row)] = word;
                }
            }
        }
        state
    }

    /// The state before the first round.
    pub(super) fn first_state(&self) -> [u32; 16] {
        let mut state = [0; 16];
        state[..8].copy_from_slice(&self.chaining);
        state[8..12].copy_from_slice(&IV[..4]);
        state[12..].copy_from_slice(&self.parameters());
        state
    }

    /// The last four words of the first state.
    pub(super) fn parameters(&self) -> [u32; 4] {
        [
            self.counter as u32,
            (self.counter >> 32) as u32,
            u32::from(self.block_length & 0x7f),
            u32::from(self.flags),
        ]
    }
}

/// The output chaining value that follows from the state after the last round.
pub(super) fn fold(state: [u32; 16]) -> [u32; 8] {
    std::array::from_fn(|i| state[i] ^ state[i + 8])
}

/// Computes half a quarter-round.
fn mix([a, b, c, d]: [u32; 4], message: u32, rotations: (u32, u32)) -> [u32; 4] {
    let a = a.wrapping_add(b).wrapping_add(message);
    let d = (d ^ a).rotate_right(rotations.0);
    let c = c.wrapping_add(d);
    let b = (b ^ c).rotate_right(rotations.1);
    [a, b, c, d]
}

pub(super) fn limbs(word: u32) -> [F; 2] {
    [F::from_u32(word & 0xffff), F::from_u32(word >> 16)]
}

/// Fills the columns of one compression.
pub fn fill_row(compression: &Compression, columns: &mut Blake3Cols<F>) {
    for (limbs, word) in columns.message.iter_mut().zip(compression.message) {
        limbs[0].fill(word as u16);
        limbs[1].fill((word >> 16) as u16);
    }
    for (limbs, word) in columns.chaining_low.iter_mut().zip(compression.chaining) {
        limbs[0].fill(word as u16);
        limbs[1].fill((word >> 16) as u16);
    }
    for (cells, &word) in columns
        .chaining_high
        .iter_mut()
        .zip(&compression.chaining[4..])
    {
        *cells = bits(word);
    }
    columns.counter[0] = bits(compression.counter as u32);
    columns.counter[1] = bits((compression.counter >> 32) as u32);
    columns.block_length = bits(compression.block_length);
    columns.flags = bits(compression.flags);
    let state = compression.run(|round, quarter, half, [a, b, c, d]| {
        let cells = match (round < ROUNDS - 1, quarter / 4, half) {
            (true, ..) => &mut columns.rounds[round][quarter][half],
            (false, 0, _) => &mut columns.last_columns[quarter][half],
            (false, _, 0) => &mut columns.last_diagonals[quarter % 4],
            (false, ..) => {
                let cells = &mut columns.last_halves[quarter % 4];
                (cells.a, cells.d, cells.c) = (limbs(a), bits(d), bits(c));
                return;
            }
        };
        (cells.a, cells.b, cells.c, cells.d) = (limbs(a), bits(b), limbs(c), bits(d));
    });
    columns.output = fold(state).map(limbs);
}

/// Trace of [`Blake3Air`](super::Blake3Air): one compression per row, padded with compressions of
/// zeros to `height` or, without one, to the next power of two.
///
/// # Errors
///
/// The error says when there is no such trace.
pub fn generate_compressions(compressions: &[Compression], height: Option<usize>) -> TraceResult {
    let width = Blake3Cols::<u8>::WIDTH;
    generate(compressions, height, width, |compression, row| {
        let compression = compression.copied().unwrap_or_default();
        fill_row(&compression, row.borrow_mut());
    })
}

/// Trace of [`Blake3Table`](super::Blake3Table): one message per compression, then padding rows
/// that send nothing.
///
/// # Errors
///
/// The error says when there is no such trace.
pub fn generate_table(compressions: &[Compression], height: Option<usize>) -> TraceResult {
    let width = Blake3TableCols::<u8>::WIDTH;
    generate(compressions, height, width, |compression, row| {
        let row: &mut Blake3TableCols<F> = row.borrow_mut();
        row.is_real = F::from_bool(compression.is_some());
        let compression = compression.copied().unwrap_or_default();
        fill_row(&compression, &mut row.compression);
    })
}
