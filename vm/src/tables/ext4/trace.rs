//! Trace of the table `ext4`, from the calls and the final memory.

use droste_native::F;
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::air::{Ext4Table, product};
use super::columns::{D, Ext4Cols};
use crate::isa::id;
use crate::precompile::{EXT4, HORNER4, Precompile, UNPACK4};
use crate::record::{Call, FinalMemory};
use crate::tables::{CallTable, LANES, LookupCounts, Rows, VerifierCost, block, call_rows};

/// The window of a `horner4` or `unpack4` call as integers.
#[derive(Clone, Copy)]
struct Window {
    /// Number of lanes of the first block before the window.
    skip: usize,
    /// Number of lanes (`horner4`) or elements (`unpack4`) in the window.
    length: usize,
}

impl Window {
    fn new(call: &Call) -> Self {
        Self {
            skip: call.e.as_canonical_u32() as usize,
            length: call.c.as_canonical_u32() as usize,
        }
    }

    /// Returns the first lane of element `index` of an `unpack4` call, counted from the start of
    /// the first block.
    fn first_lane(self, index: usize) -> usize {
        self.skip + D * index
    }
}

/// The calls in the order of the precompiles, then rows of zeros.
impl CallTable for Ext4Table {
    type Row = Ext4Cols<F>;

    const NAME: &'static str = "ext4";

    const PRECOMPILES: &'static [Precompile] = &[EXT4, HORNER4, UNPACK4];

    fn verifier_cost() -> VerifierCost {
        VerifierCost::new(2_600, 8_000)
    }

    fn fill(memory: &FinalMemory, precompile: &Precompile, call: &Call, rows: Rows<'_, Self>) {
        match precompile.identity {
            id::HORNER4 => fill_horner(memory, call, rows),
            id::UNPACK4 => fill_unpack(memory, call, rows),
            // EXT4.
            _ => rows.for_each(|row| fill_ext(memory, call, row)),
        }
    }

    fn pad(_: &mut Ext4Cols<F>) {}

    fn count(precompile: &Precompile, call: &Call, counts: &mut LookupCounts) {
        let rows = call_rows(precompile, call);
        match precompile.identity {
            id::HORNER4 => {
                counts.block_range(call.a, rows);
                counts.block_times(call.b, rows as u32);
                counts.block(call.d);
            }
            id::UNPACK4 => {
                let window = Window::new(call);
                for index in 0..rows {
                    counts.block(call.a + F::from_usize(window.first_lane(index) / LANES));
                }
                counts.block_range(call.d, window.length);
            }
            // EXT4.
            _ => {
                let e = call.e.as_canonical_u32();
                counts.block(call.a);
                if e & 1 == 0 {
                    counts.block(call.b);
                }
                if e & 2 == 0 {
                    counts.block(call.c);
                }
                counts.block(call.d);
            }
        }
    }
}

fn element(memory: &FinalMemory, address: F) -> [F; D] {
    let lanes = block(memory, address);
    std::array::from_fn(|i| lanes[i])
}

fn scalar(value: F) -> [F; D] {
    std::array::from_fn(|i| if i == 0 { value } else { F::ZERO })
}

fn fill_ext(memory: &FinalMemory, call: &Call, row: &mut Ext4Cols<F>) {
    let e = call.e.as_canonical_u32();
    row.is_ext = F::ONE;
    row.folds = F::from_bool(e & 4 == 4);
    row.scalar_b = F::from_bool(e & 1 == 1);
    row.scalar_c = F::from_bool(e & 2 == 2);
    row.a_word = call.a;
    row.b_word = call.b;
    row.c_word = call.c;
    row.d_word = call.d;
    row.a = block(memory, call.a);
    row.b = if e & 1 == 1 {
        scalar(call.b)
    } else {
        element(memory, call.b)
    };
    row.c = if e & 2 == 2 {
        scalar(call.c)
    } else {
        element(memory, call.c)
    };
    row.d = element(memory, call.d);
    fill_steps(row);
}

fn fill_horner(memory: &FinalMemory, call: &Call, rows: Rows<'_, Ext4Table>) {
    let window = Window::new(call);
    let beta = element(memory, call.b);
    let mut remaining = window.length;
    let mut sum = [F::ZERO; D];
    for (index, row) in rows.enumerate() {
        row.is_horner = F::ONE;
        row.continues = F::from_bool(index > 0);
        row.a_word = call.a + F::from_usize(index);
        row.b_word = F::from_usize(remaining);
        row.c_word = call.b;
        row.d_word = call.d;
        row.a = block(memory, row.a_word);
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

fn fill_unpack(memory: &FinalMemory, call: &Call, rows: Rows<'_, Ext4Table>) {
    let window = Window::new(call);
    let mut before = [F::ZERO; D];
    for (index, row) in rows.enumerate() {
        let first = window.first_lane(index);
        row.continues = F::from_bool(index > 0);
        row.a_word = call.a + F::from_usize(first / LANES);
        row.b_word = F::from_usize(window.length - index);
        row.c_word = call.b;
        row.d_word = call.d + F::from_usize(index);
        row.a = block(memory, row.a_word);
        row.b = before;
        if index < window.length {
            row.is_unpack = F::ONE;
            row.window[first % LANES] = F::ONE;
            let following = block(memory, row.a_word + F::ONE);
            row.d = std::array::from_fn(|i| {
                let lane = first % LANES + i;
                *row.a.get(lane).unwrap_or(&following[lane % LANES])
            });
        }
        before = row.d;
        fill_steps(row);
    }
}

/// Computes `steps` from `b`, `c`, `a` and `window`.
pub(super) fn fill_steps(row: &mut Ext4Cols<F>) {
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
