//! Trace of the narrow Blake3 table.

use std::array::from_fn;
use std::borrow::BorrowMut;

use droste_native::F;
use p3_field::PrimeCharacteristicRing;
use p3_matrix::dense::RowMajorMatrix;

use super::columns::{BITS, DIGITS, NarrowCols, NarrowTableCols, ROWS};
use crate::TraceError;
use crate::blake3::columns::{HalfCols, ROUNDS};
use crate::blake3::trace::{fold, limbs};
use crate::blake3::{Compression, DIAGONAL, IV, SCHEDULE};
use crate::limb::bits;
use crate::steps;

/// Fills the rows of one compression, whose row of inputs is below a row with the state `before`.
/// All cells must be zero.
fn fill_rows(compression: &Compression, before: [u32; 16], mut rows: [&mut NarrowCols<F>; ROWS]) {
    let state = compression.run(|round, quarter, half, [a, b, c, d]| {
        let (a, b, c, d) = (limbs(a), bits(b), limbs(c), bits(d));
        rows[1 + round].halves[quarter][half] = HalfCols { a, d, c, b };
    });
    let output = fold(state).map(limbs);
    for row in &mut rows {
        row.output = output;
    }
    for (round, (row, order)) in rows[1..].iter_mut().zip(SCHEDULE).enumerate() {
        row.steps[1 + round] = F::ONE;
        row.message = order.map(|word| limbs(compression.message[word]));
        row.digits.fill(compression.message[order[0]] as u16);
    }
    fill_inputs(compression, before, rows[0]);
}

/// Fills a row of inputs, below a row with the state `before`.
fn fill_inputs(compression: &Compression, before: [u32; 16], row: &mut NarrowCols<F>) {
    row.steps[0] = F::ONE;
    let words = compression.message;
    let parameters = compression.parameters();
    row.digits.fill(words[DIGITS[ROUNDS]] as u16);
    for j in 0..4 {
        let place = |of: usize| (j + DIAGONAL[of]) % 4;
        let [low, high] = [DIGITS[2 * j], DIGITS[2 * j + 1]].map(|word| words[word] >> 16);
        row.halves[j][0].d = bits(compression.chaining[j]);
        row.halves[j][0].b = bits(low | high << 16);
        row.halves[j][1].d = bits(words[BITS[2 * j]]);
        row.halves[j][1].b = bits(words[BITS[2 * j + 1]]);
        row.halves[4 + j][0].d = bits(before[j]);
        row.halves[4 + j][0].b = bits(before[j + 8]);
        row.halves[4 + j][1] = HalfCols {
            a: limbs(compression.chaining[place(0)]),
            b: bits(compression.chaining[4 + place(1)]),
            c: limbs(IV[place(2)]),
            d: bits(parameters[place(3)]),
        };
    }
    fill_slack(before, row);
}

/// Sets the message of a row of inputs to values with which every sum `a` holds without carries.
fn fill_slack(before: [u32; 16], row: &mut NarrowCols<F>) {
    let mut a: [[F; 2]; 4] = from_fn(|j| limbs(before[j]));
    let mut b: [[F; 2]; 4] = from_fn(|j| limbs(before[4 + j]));
    for (step, halves) in row.halves.chunks_exact(4).enumerate() {
        for (index, halves) in halves.iter().enumerate() {
            let (a, b) = (&mut a[index], &mut b[(index + step * DIAGONAL[1]) % 4]);
            for (half, cells) in halves.iter().enumerate() {
                let word = &mut row.message[8 * step + 2 * index + half];
                *word = from_fn(|limb| cells.a[limb] - a[limb] - b[limb]);
                (*a, *b) = (cells.a, value(&cells.b));
            }
        }
    }
}

/// Packs bits into limbs.
fn value(bits: &[F; 32]) -> [F; 2] {
    let value = |bits: &[F]| {
        bits.iter()
            .rev()
            .fold(F::ZERO, |sum, &bit| sum.double() + bit)
    };
    [value(&bits[..16]), value(&bits[16..])]
}

/// Trace of [`NarrowAir`](super::NarrowAir): an idle row, 8 rows per compression, and idle rows up
/// to `height` or, without one, to the next power of two.
///
/// # Errors
///
/// [`TraceError`] says when there is no such trace. The height must be at least that of the
/// [rows](crate::steps::rows), idle ones included.
pub fn generate_compressions(
    compressions: &[Compression],
    height: Option<usize>,
) -> Result<RowMajorMatrix<F>, TraceError> {
    generate(compressions, height, NarrowCols::<u8>::WIDTH)
}

/// Trace of [`NarrowTable`](super::NarrowTable): one message per compression.
///
/// # Errors
///
/// [`TraceError`] says when there is no such trace. The height must be at least that of the
/// [rows](crate::steps::rows), idle ones included.
pub fn generate_table(
    compressions: &[Compression],
    height: Option<usize>,
) -> Result<RowMajorMatrix<F>, TraceError> {
    let mut trace = generate(compressions, height, NarrowTableCols::<u8>::WIDTH)?;
    let rows = trace.values.chunks_exact_mut(NarrowTableCols::<u8>::WIDTH);
    for row in rows.skip(1).step_by(ROWS).take(compressions.len()) {
        let row: &mut NarrowTableCols<F> = row.borrow_mut();
        row.is_real = F::ONE;
    }
    Ok(trace)
}

/// A trace of rows of `width` cells, which begin with the columns of [`NarrowCols`].
fn generate(
    compressions: &[Compression],
    height: Option<usize>,
    width: usize,
) -> Result<RowMajorMatrix<F>, TraceError> {
    let padding = Compression::default();
    let above = padding.first_state();
    let idle = |before: [u32; 16]| {
        let mut idle = F::zero_vec(width);
        let row: &mut NarrowCols<F> = idle[..NarrowCols::<u8>::WIDTH].borrow_mut();
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
            row[..NarrowCols::<u8>::WIDTH].borrow_mut()
        });
        fill_rows(&compressions[index], before, rows);
    })?;
    if let Some(last) = compressions.last() {
        let below = (1 + ROWS * count) * width;
        trace.values[below..][..width].copy_from_slice(&idle(last.state()));
    }
    Ok(trace)
}
