//! Trace of the extension table, from the calls and the final memory.

use std::borrow::BorrowMut;

use droste_native::F;
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_matrix::dense::RowMajorMatrix;
use p3_maybe_rayon::prelude::*;

use super::air::product;
use super::columns::{D, ExtCols};
use crate::isa::id;
use crate::record::{Call, Execution, Image};
use crate::tables::LookupCounts;
use crate::tables::{LANES, block};

/// The calls that this table serves, in the order of its rows.
pub(super) const IDENTITIES: [u32; 5] = [id::EXT, id::LANE, id::BLOCK_EQ, id::HORNER, id::UNPACK];

/// The window of a `horner` or `unpack` call as integers.
#[derive(Clone, Copy)]
struct Window {
    /// Lanes of the first block before the window.
    skip: usize,
    /// Lanes (`horner`) or elements (`unpack`) in the window.
    length: usize,
}

impl Window {
    fn new(call: &Call) -> Self {
        Self {
            skip: call.e.as_canonical_u32() as usize,
            length: call.c.as_canonical_u32() as usize,
        }
    }

    /// Rows of a `horner` call: one a block.
    fn horner_rows(self) -> usize {
        (self.skip + self.length).div_ceil(LANES)
    }

    /// First lane of element `index` of an `unpack` call, from the start of the first block.
    fn first_lane(self, index: usize) -> usize {
        self.skip + D * index
    }

    /// Rows of an `unpack` call: one an element, and the tail if the last element leaves its block.
    fn unpack_rows(self) -> usize {
        let leaves = (self.first_lane(self.length) + LANES - D) % LANES > LANES - D;
        self.length + usize::from(leaves)
    }
}

/// Rows of a call.
fn call_rows(identity: u32, call: &Call) -> usize {
    match identity {
        id::HORNER => Window::new(call).horner_rows(),
        id::UNPACK => Window::new(call).unpack_rows(),
        _ => 1,
    }
}

/// Rows that the calls of a run take.
pub(super) fn rows(execution: &Execution) -> usize {
    IDENTITIES
        .into_iter()
        .flat_map(|id| {
            let calls = execution.calls[id as usize].iter();
            calls.map(move |call| call_rows(id, call))
        })
        .sum()
}

/// The trace: the calls in the order of [`IDENTITIES`], then rows of zeros up to
/// `2^log_height` rows, which are at least [`rows`].
///
/// The calls must be those of a finished run: windows of the size it read.
pub(super) fn generate(execution: &Execution, log_height: usize) -> RowMajorMatrix<F> {
    let width = ExtCols::<u8>::WIDTH;
    let mut values = F::zero_vec(width << log_height);
    let image = &execution.image;

    let mut rest = values.as_mut_slice();
    for (identity, fill) in [
        (id::EXT, fill_ext as fn(&Image, &Call, &mut ExtCols<F>)),
        (id::LANE, fill_lane),
        (id::BLOCK_EQ, fill_block_eq),
    ] {
        let calls = &execution.calls[identity as usize];
        let (rows, below) = rest.split_at_mut(calls.len() * width);
        rows.par_chunks_exact_mut(width)
            .zip(calls)
            .for_each(|(row, call)| {
                let row: &mut ExtCols<F> = row.borrow_mut();
                fill_operands(call, row);
                fill(image, call, row);
                fill_steps(row);
            });
        rest = below;
    }

    let mut chains = Vec::new();
    for identity in [id::HORNER, id::UNPACK] {
        for call in &execution.calls[identity as usize] {
            let (rows, below) = rest.split_at_mut(call_rows(identity, call) * width);
            chains.push((identity, call, rows));
            rest = below;
        }
    }
    chains.into_par_iter().for_each(|(identity, call, rows)| {
        let rows = rows
            .chunks_exact_mut(width)
            .map(BorrowMut::<ExtCols<F>>::borrow_mut);
        if identity == id::HORNER {
            fill_horner(image, call, rows);
        } else {
            fill_unpack(image, call, rows);
        }
    });
    RowMajorMatrix::new(values, width)
}

/// Counts the look-ups of the trace into the multiplicities of block memory.
pub(super) fn count_uses(execution: &Execution, uses: &mut LookupCounts) {
    for call in &execution.calls[id::EXT as usize] {
        let e = call.e.as_canonical_u32();
        uses.block(call.a);
        if e & 1 == 0 {
            uses.block(call.b);
        }
        if e & 2 == 0 {
            uses.block(call.c);
        }
        uses.block(call.d);
    }
    for call in &execution.calls[id::LANE as usize] {
        uses.block(call.a);
    }
    for call in &execution.calls[id::BLOCK_EQ as usize] {
        uses.block(call.a);
        uses.block(call.b);
    }
    for call in &execution.calls[id::HORNER as usize] {
        for row in 0..call_rows(id::HORNER, call) {
            uses.block(call.a + F::from_usize(row));
            uses.block(call.b);
        }
        uses.block(call.d);
    }
    for call in &execution.calls[id::UNPACK as usize] {
        let window = Window::new(call);
        for index in 0..call_rows(id::UNPACK, call) {
            uses.block(call.a + F::from_usize(window.first_lane(index) / LANES));
        }
        for index in 0..window.length {
            uses.block(call.d + F::from_usize(index));
        }
    }
}

fn element(image: &Image, address: F) -> [F; D] {
    let lanes = block(image, address);
    std::array::from_fn(|i| lanes[i])
}

fn scalar(value: F) -> [F; D] {
    std::array::from_fn(|i| if i == 0 { value } else { F::ZERO })
}

fn fill_operands(call: &Call, row: &mut ExtCols<F>) {
    row.a_word = call.a;
    row.b_word = call.b;
    row.c_word = call.c;
    row.d_word = call.d;
}

fn fill_ext(image: &Image, call: &Call, row: &mut ExtCols<F>) {
    let e = call.e.as_canonical_u32();
    row.is_ext = F::ONE;
    row.folds = F::from_bool(e & 4 == 4);
    row.scalar_b = F::from_bool(e & 1 == 1);
    row.scalar_c_or_block_eq = F::from_bool(e & 2 == 2);
    row.a = block(image, call.a);
    row.b = if e & 1 == 1 {
        scalar(call.b)
    } else {
        element(image, call.b)
    };
    row.c = if e & 2 == 2 {
        scalar(call.c)
    } else {
        element(image, call.c)
    };
    row.d = element(image, call.d);
}

fn fill_lane(image: &Image, call: &Call, row: &mut ExtCols<F>) {
    row.is_lane = F::ONE;
    row.a = block(image, call.a);
    if let Some(selected) = row.window.get_mut(call.e.as_canonical_u32() as usize) {
        *selected = F::ONE;
    }
}

fn fill_block_eq(image: &Image, call: &Call, row: &mut ExtCols<F>) {
    row.scalar_c_or_block_eq = F::ONE;
    row.a = block(image, call.a);
    row.b = element(image, call.b);
}

fn fill_horner<'a>(image: &Image, call: &Call, rows: impl Iterator<Item = &'a mut ExtCols<F>>) {
    let window = Window::new(call);
    let beta = element(image, call.b);
    let mut remaining = window.length;
    let mut sum = [F::ZERO; D];
    for (index, row) in rows.enumerate() {
        row.is_horner = F::ONE;
        row.continues = F::from_bool(index > 0);
        row.a_word = call.a + F::from_usize(index);
        row.b_word = F::from_usize(remaining);
        row.c_word = call.b;
        row.d_word = call.d;
        row.a = block(image, row.a_word);
        row.b = sum;
        row.c = beta;
        let first = if index == 0 { window.skip } else { 0 };
        let lanes = remaining.min(LANES.saturating_sub(first));
        for flag in &mut row.window[first.min(LANES)..][..lanes] {
            *flag = F::ONE;
        }
        remaining -= lanes;
        fill_steps(row);
        sum = row.steps[LANES / 2 - 1];
        row.d = sum;
    }
}

fn fill_unpack<'a>(image: &Image, call: &Call, rows: impl Iterator<Item = &'a mut ExtCols<F>>) {
    let window = Window::new(call);
    let mut before = [F::ZERO; D];
    for (index, row) in rows.enumerate() {
        let first = window.first_lane(index);
        row.continues = F::from_bool(index > 0);
        row.a_word = call.a + F::from_usize(first / LANES);
        row.b_word = F::from_usize(window.length - index);
        row.c_word = call.b;
        row.d_word = call.d + F::from_usize(index);
        row.a = block(image, row.a_word);
        row.b = before;
        if index < window.length {
            row.is_unpack = F::ONE;
            row.window[first % LANES] = F::ONE;
            let following = block(image, row.a_word + F::ONE);
            row.d = std::array::from_fn(|i| {
                let lane = first % LANES + i;
                *row.a.get(lane).unwrap_or(&following[lane % LANES])
            });
        }
        before = row.d;
        fill_steps(row);
    }
}

/// Fills `steps` from `b`, `c`, `a` and `window`.
pub(super) fn fill_steps(row: &mut ExtCols<F>) {
    let beta_squared = product(&row.c, &row.c);
    let mut sum = row.b;
    for (step, after) in row.steps.iter_mut().enumerate() {
        let even = row.window[2 * step] * row.a[2 * step];
        let odd = row.window[2 * step + 1] * row.a[2 * step + 1];
        sum = product(&sum, &beta_squared);
        for (value, beta) in sum.iter_mut().zip(row.c) {
            *value += even * beta;
        }
        sum[0] += odd;
        *after = sum;
    }
}
