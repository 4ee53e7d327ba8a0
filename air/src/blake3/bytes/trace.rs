//! Trace of the Blake3 table over bytes.

use std::array::from_fn;
use std::borrow::BorrowMut;

use droste_native::F;
use p3_field::PrimeCharacteristicRing;
use p3_matrix::dense::RowMajorMatrix;

use super::air::is_kept;
use super::columns::{ByteHalfCols, BytesCols, CHECKED, ROWS};
use super::half::{LOW_BITS, halves, length_lookup, limbs as limbs_of, message_lookups};
use crate::TraceResult;
use crate::blake3::trace::{fold, limbs};
use crate::blake3::{Compression, DIAGONAL, IV, PERMUTATION, SCHEDULE};
use crate::byte_pairs::Counts;
use crate::steps;

/// Rotations of `d` and `b` in each half of a quarter-round.
const ROTATIONS: [[u32; 2]; 2] = [[16, 12], [8, 7]];

impl ByteHalfCols<F> {
    /// Fills the cells with which half a quarter-round ends with these words.
    fn fill(&mut self, half: usize, [a, b, c, d]: [u32; 4]) {
        let [of_d, of_b] = ROTATIONS[half];
        let low_bits = LOW_BITS[half];
        let bytes = |word: u32| word.to_le_bytes().map(F::from_u8);
        let xor = b.rotate_left(of_b).to_le_bytes();
        self.a = bytes(a);
        self.d = bytes(d.rotate_left(of_d));
        self.c = bytes(c);
        self.high = xor.map(|byte| F::from_u8(byte >> low_bits));
        self.low = xor.map(|byte| F::from_u8(byte & ((1 << low_bits) - 1)));
    }
}

/// Fills the rows of one compression, whose row of inputs is below a row with the state `before`.
/// All cells must be zero.
fn fill_rows(compression: &Compression, before: [u32; 16], mut rows: [&mut BytesCols<F>; ROWS]) {
    let state = compression.run(|round, quarter, half, words| {
        rows[1 + round].halves[quarter][half].fill(half, words);
    });
    let output = fold(state).map(limbs);
    for row in &mut rows {
        row.output = output;
    }
    for (round, (row, order)) in rows[1..].iter_mut().zip(SCHEDULE).enumerate() {
        row.steps[1 + round] = F::ONE;
        let words = order.map(|word| compression.message[word]);
        row.message = words.map(limbs);
        fill_checks(words, row);
    }
    fill_inputs(compression, before, rows[0]);
}

fn fill_checks(words: [u32; 16], row: &mut BytesCols<F>) {
    for (checks, word) in row.checks.iter_mut().zip(CHECKED) {
        for (check, bytes) in checks.iter_mut().zip(words[word].to_le_bytes().chunks(2)) {
            check.high = F::from_u8(bytes[1]);
            check.xor = F::from_u8(bytes[0] ^ bytes[1]);
        }
    }
}

/// Fills a row of inputs, below a row with the state `before`.
fn fill_inputs(compression: &Compression, before: [u32; 16], row: &mut BytesCols<F>) {
    row.steps[0] = F::ONE;
    let parameters = compression.parameters();
    let mut words = [0; 16];
    for (word, from) in compression.message.into_iter().zip(PERMUTATION) {
        words[from] = word;
    }
    fill_checks(words, row);

    let mut columns = [[0; 4]; 4];
    for (j, columns) in columns.iter_mut().enumerate() {
        let [a, b, c, d] = from_fn(|of| before[4 * of + j]);
        let middle = [b, a, b ^ a.rotate_left(12), (d ^ b).rotate_right(16)];
        row.halves[j][0].fill(0, middle);
        let [a_1, b_1, _, d_1] = middle;
        let a_2 = a_1.wrapping_add(b_1).wrapping_add(words[2 * j + 1]);
        let d_2 = (d_1 ^ a_2).rotate_right(8);
        *columns = [a_2, (b_1 ^ c).rotate_right(7), c, d_2];
        row.halves[j][1].fill(1, *columns);
    }
    for j in 0..4 {
        let place = |of: usize| (j + DIAGONAL[of]) % 4;
        let [_, b, _, d] = from_fn(|of| columns[place(of)][of]);
        let a_2 = compression.chaining[j];
        let b_2 = compression.chaining[4 + place(1)];
        let (c_2, d_2) = (IV[place(2)], parameters[place(3)]);
        let d_1 = d_2.rotate_left(8) ^ a_2;
        let b_1 = b_2.rotate_left(7) ^ c_2;
        let (a_1, c_1) = (d ^ d_1.rotate_left(16), b ^ b_1.rotate_left(12));
        row.halves[4 + j][0].fill(0, [a_1, b_1, c_1, d_1]);
        row.halves[4 + j][1].fill(1, [a_2, b_2, c_2, d_2]);
    }
    fill_message(words, before, row);
}

/// Fills the message of a row of inputs: the words that it has, and values with which every other
/// sum `a` holds without carries.
fn fill_message(words: [u32; 16], before: [u32; 16], row: &mut BytesCols<F>) {
    let above = BytesCols::of_state(before);
    let mut message = words.map(limbs);
    halves::<F, F>(&above, row, |half| {
        let index = 2 * half.place[0] + half.place[1];
        if !is_kept(index) {
            let [a, b] = [0, 1].map(|of| limbs_of(&half.before[of]));
            let sum = limbs_of(&half.after[0]);
            message[index] = from_fn(|limb| sum[limb] - a[limb] - b[limb]);
        }
    });
    row.message = message;
}

impl BytesCols<F> {
    /// A row after which the state is this one; its other cells are zero.
    fn of_state(state: [u32; 16]) -> Self {
        let mut cells = [F::ZERO; Self::WIDTH];
        let row: &mut Self = cells.as_mut_slice().borrow_mut();
        for j in 0..4 {
            let words = from_fn(|of| state[4 * of + (j + DIAGONAL[of]) % 4]);
            row.halves[4 + j][1].fill(1, words);
        }
        *row
    }
}

/// Trace of [`BytesTable`](super::BytesTable): an idle row, 8 rows per compression, and idle rows
/// up to `height` or, without one, to the next power of two.
///
/// # Errors
///
/// The error says when there is no such trace. The height must be at least that of the
/// [rows](crate::steps::rows), idle ones included.
pub fn generate_table(compressions: &[Compression], height: Option<usize>) -> TraceResult {
    let width = BytesCols::<u8>::WIDTH;
    let padding = Compression::default();
    let above = padding.first_state();
    let idle = |before: [u32; 16]| {
        let mut idle = F::zero_vec(width);
        let row: &mut BytesCols<F> = idle.as_mut_slice().borrow_mut();
        row.output = fold(above).map(limbs);
        fill_inputs(&padding, before, row);
        idle
    };
    let count = compressions.len();
    let mut trace = steps::generate(ROWS, count, height, &idle(above), |index, rows| {
        let before = index.checked_sub(1);
        let before = before.map_or(above, |before| compressions[before].state());
        let mut rows = rows.chunks_exact_mut(width);
        let rows = from_fn(|_| {
            let row = rows.next().expect("a compression has as many rows");
            row.borrow_mut()
        });
        fill_rows(&compressions[index], before, rows);
    })?;
    if let Some(last) = compressions.last() {
        let below = (1 + ROWS * count) * width;
        trace.values[below..][..width].copy_from_slice(&idle(last.state()));
    }
    Ok(trace)
}

/// Counts the lookups of all rows of a trace. The last row is idle, so they do not depend on what
/// follows it.
pub fn count_lookups(trace: &RowMajorMatrix<F>) -> Counts {
    Counts::of_rows(trace, |counts, local: &BytesCols<F>, next| {
        halves::<F, F>(local, next, |half| {
            half.lookups().for_each(|lookup| counts.add(&lookup));
        });
        message_lookups(local).for_each(|lookup| counts.add(&lookup));
        if local.steps[0] == F::ONE {
            counts.add(&length_lookup(local));
        }
    })
}
