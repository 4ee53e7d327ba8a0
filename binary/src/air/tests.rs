//! Each AIR on rows of bits, 64 of them at once: a lane is a row.

use std::collections::BTreeMap;

use p3_air::{Air, AirBuilder, RowWindow};
use p3_binary_field::{Gf2, PackedGf2x64};

use super::*;
use crate::HashCalls;
use crate::public::tests::random_calls;

/// Evaluates constraints on 64 rows.
struct Rows<'a> {
    rows: &'a [PackedGf2x64],
    /// The row after each, or nothing where no constraint may read it.
    next: &'a [PackedGf2x64],
    /// The value of each constraint so far.
    values: Vec<u64>,
}

impl<'a> AirBuilder for Rows<'a> {
    type F = Gf2;
    type Expr = PackedGf2x64;
    type Var = PackedGf2x64;
    type PreprocessedWindow = RowWindow<'a, PackedGf2x64>;
    type MainWindow = RowWindow<'a, PackedGf2x64>;
    type PublicVar = PackedGf2x64;
    type PeriodicVar = PackedGf2x64;

    fn main(&self) -> Self::MainWindow {
        RowWindow::from_two_rows(self.rows, self.next)
    }

    fn preprocessed(&self) -> &Self::PreprocessedWindow {
        unimplemented!("no AIR here has preprocessed columns")
    }

    fn is_first_row(&self) -> Self::Expr {
        unimplemented!("no constraint depends on the row")
    }

    fn is_last_row(&self) -> Self::Expr {
        unimplemented!("no constraint depends on the row")
    }

    fn is_transition(&self) -> Self::Expr {
        unimplemented!("no constraint depends on the row")
    }

    fn assert_zero<I: Into<Self::Expr>>(&mut self, x: I) {
        self.values.push(x.into().to_bits());
    }
}

/// The value of each constraint on 64 rows, given the row after each.
pub(super) fn values(air: CallAir, rows: &[u64], next: &[u64]) -> Vec<u64> {
    let [rows, next] = [rows, next].map(|words| -> Vec<PackedGf2x64> {
        words.iter().map(|&word| PackedGf2x64::new(word)).collect()
    });
    let mut builder = Rows {
        rows: &rows,
        next: &next,
        values: vec![],
    };
    air.eval(&mut builder);
    builder.values
}

/// Number of constraints, and which of the rows violate any.
pub(super) fn evaluate(hash: Hash, rows: &[u64]) -> (usize, u64) {
    evaluate_windows(CallAir::new(hash), rows, &[])
}

/// The same, given the row after each.
pub(super) fn evaluate_windows(air: CallAir, rows: &[u64], next: &[u64]) -> (usize, u64) {
    let values = values(air, rows, next);
    let violated = values.iter().fold(0, |any, value| any | value);
    (values.len(), violated)
}

/// The bits of the outputs of 64 rows, a word a bit.
pub(super) fn public_outputs(hash: Hash, rows: &[u64]) -> Vec<u64> {
    let rows: Vec<_> = rows.iter().map(|&word| PackedGf2x64::new(word)).collect();
    let bits = outputs(hash, &rows);
    bits.into_iter().map(|bit| bit.to_bits()).collect()
}

/// 64 rows of random calls, and their public bits.
fn rows(hash: Hash) -> (Vec<u64>, Vec<u64>) {
    let public = PublicBits::new(&random_calls(hash, 64, 1)).unwrap();
    let blocks: Vec<_> = public.blocks().map(<[u64]>::to_vec).collect();
    assert_eq!(blocks.len(), 1);
    (trace(&public).values, blocks[0].clone())
}

#[test]
fn traces_of_calls_satisfy_all_constraints() {
    for hash in Hash::ALL {
        let (rows, public) = rows(hash);
        let air = CallAir::new(hash);
        assert_eq!(rows.len(), air.columns());
        let (constraints, violated) = evaluate(hash, &rows);
        assert_eq!(violated, 0, "{hash}");
        assert_eq!(BaseAir::<Gf2>::num_constraints(&air), Some(constraints));
        // A change of every column is seen below; here, that constraints and columns match.
        assert_eq!(constraints + 8 * hash.input_bytes(), rows.len(), "{hash}");
        let (inputs, expected) = public.split_at(8 * hash.input_bytes());
        assert_eq!(rows[..inputs.len()], *inputs);
        assert_eq!(public_outputs(hash, &rows), expected, "{hash}");
    }
}

/// Row `i` of a block has one bit changed, the one of column `first + i`.
#[test]
fn a_change_of_any_bit_is_a_violation() {
    for hash in Hash::ALL {
        // One valid row, 64 times.
        let (rows, _) = rows(hash);
        let row: Vec<u64> = rows.iter().map(|word| (word & 1).wrapping_neg()).collect();
        assert_eq!(evaluate(hash, &row).1, 0);
        for first in (0..row.len()).step_by(64) {
            let mut changed = row.clone();
            let columns = &mut changed[first..row.len().min(first + 64)];
            let lanes = u64::MAX >> (64 - columns.len());
            for (lane, column) in columns.iter_mut().enumerate() {
                *column ^= 1 << lane;
            }
            let violated = evaluate(hash, &changed).1;
            assert_eq!(violated, lanes, "{hash}: columns from {first}");
        }
    }
}

/// The columns of BLAKE3 are those that p3 generates.
#[test]
fn the_trace_of_blake3_is_plonky3s() {
    let statement = random_calls(Hash::Blake3, 64, 2);
    let calls = statement.calls().map(|(input, _)| {
        let word = |i: usize| u32::from_le_bytes(*input[4 * i..].first_chunk().unwrap());
        p3_blake3_air::Blake3CompressionInput {
            chaining_value: std::array::from_fn(word),
            block: std::array::from_fn(|i| word(8 + i)),
            counter: u64::from(word(24)) | u64::from(word(25)) << 32,
            block_len: word(26),
            flags: word(27),
        }
    });
    let expected = p3_blake3_air::generate_binary_trace_packed::<Gf2>(calls.collect());
    let public = PublicBits::new(&statement).unwrap();
    assert!(trace(&public) == expected);
}

/// Rows below the last call are calls of the input zero, in the trace and in the public bits.
#[test]
fn padding_is_a_call() {
    for hash in Hash::ALL {
        let inputs = [vec![9; hash.input_bytes()], vec![0; hash.input_bytes()]];
        let padded = HashCalls::of_inputs(hash, &inputs[..1]).unwrap();
        let written = HashCalls::of_inputs(hash, inputs).unwrap();
        let [padded, written] = [padded, written].map(|calls| PublicBits::new(&calls).unwrap());
        assert!(padded.blocks().eq(written.blocks()));
        assert_eq!(evaluate(hash, &trace(&padded).values).1, 0);
    }
}

/// Each constraint, in order, has one column that no constraint before it has, beside the input,
/// and is linear in it with coefficient 1. Then the input determines all columns of a row, one
/// after the other, whatever the row is: valid ones are not special here.
#[test]
fn constraints_determine_columns_one_after_the_other() {
    // A term that a constraint has is missed by all rows with probability 2^-ROWS at most.
    const ROWS: usize = 20;
    for hash in Hash::ALL {
        let air = CallAir::new(hash);
        let (width, inputs) = (air.columns(), 8 * hash.input_bytes());
        let mut state = 1_u64;
        // For each constraint, the columns whose change changes it, and in how many rows.
        let mut changes = vec![BTreeMap::<u32, usize>::new(); width - inputs];
        for _ in 0..ROWS {
            // One random row, which is not a call, 64 times.
            let row: Vec<u64> = (0..width)
                .map(|_| {
                    state = state
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1);
                    (state >> 63).wrapping_neg()
                })
                .collect();
            let before = values(air, &row, &[]);
            for first in (0..width).step_by(64) {
                let mut changed = row.clone();
                for (lane, column) in changed.iter_mut().skip(first).take(64).enumerate() {
                    *column ^= 1 << lane;
                }
                let after = values(air, &changed, &[]);
                for ((before, after), columns) in before.iter().zip(after).zip(&mut changes) {
                    let mut lanes = before ^ after;
                    while lanes != 0 {
                        let column = first as u32 + lanes.trailing_zeros();
                        *columns.entry(column).or_default() += 1;
                        lanes &= lanes - 1;
                    }
                }
            }
        }
        let mut determined: Vec<bool> = (0..width).map(|column| column < inputs).collect();
        for (constraint, columns) in changes.iter().enumerate() {
            let new: Vec<_> = columns
                .iter()
                .filter(|(column, _)| !determined[**column as usize])
                .collect();
            let [(&column, &ROWS)] = new[..] else {
                panic!("{hash}: constraint {constraint} has the new columns {new:?}");
            };
            determined[column as usize] = true;
        }
        assert!(determined.iter().all(|&determined| determined), "{hash}");
    }
}
