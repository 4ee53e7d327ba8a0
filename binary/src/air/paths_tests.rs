//! The AIR of paths on rows of bits.

use p3_air::BaseAir;
use p3_binary_field::{Gf2, PackedGf2x64};

use super::tests::{evaluate_windows, public_outputs, values};
use super::*;
use crate::paths::tests::{Tree, tree};
use crate::paths::{MerklePaths, Path, input};

/// The one block of 64 rows of a statement's trace, and its public bits.
fn rows(tree: &Tree) -> (Vec<u64>, Vec<u64>) {
    let public = PublicBits::of_paths(&tree.statement);
    let trace = paths_trace(&public, &tree.inputs(public.log_rows()));
    let blocks: Vec<_> = public.blocks().map(<[u64]>::to_vec).collect();
    assert_eq!(blocks.len(), 1);
    (trace.values, blocks[0].clone())
}

/// The row after each, as Plonky3 defines it: the last row is after itself.
fn after(rows: &[u64]) -> Vec<u64> {
    rows.iter().map(|word| word >> 1 | word & 1 << 63).collect()
}

/// 64 times the same row.
fn repeated(rows: &[u64], row: usize) -> Vec<u64> {
    let word = |word: &u64| (word >> row & 1).wrapping_neg();
    rows.iter().map(word).collect()
}

#[test]
fn traces_of_paths_satisfy_all_constraints() {
    for hash in Hash::ALL {
        let air = CallAir::of_paths(hash);
        for (depth, paths) in [(1, 1), (1, 64), (2, 32), (3, 5), (64, 1)] {
            let (rows, public) = rows(&tree(hash, depth, paths, 1));
            let (constraints, violated) = evaluate_windows(air, &rows, &after(&rows));
            assert_eq!(violated, 0, "{hash}");
            assert_eq!(BaseAir::<Gf2>::num_constraints(&air), Some(constraints));
            let bits: Vec<_> = rows.iter().map(|&word| PackedGf2x64::new(word)).collect();
            let found = air.public_of(&bits).into_iter().map(|bit| bit.to_bits());
            assert_eq!(found.collect::<Vec<_>>(), public);
        }
    }
}

/// Every cell of two paths of depth 2, and of a row of padding, in turn.
///
/// Lane `i` has the bit of column `first + i` changed. What is read in the next row is only the
/// child, whose change is also a violation of its own row's constraints.
#[test]
fn a_change_of_any_cell_is_a_violation() {
    for hash in Hash::ALL {
        let air = CallAir::of_paths(hash);
        let (rows, _) = rows(&tree(hash, 2, 2, 2));
        let next = after(&rows);
        for row in 0..5 {
            let (row_bits, next_bits) = (repeated(&rows, row), repeated(&next, row));
            assert_eq!(evaluate_windows(air, &row_bits, &next_bits).1, 0);
            let mut unseen = vec![];
            for first in (0..row_bits.len()).step_by(64) {
                let mut changed = row_bits.clone();
                let columns = &mut changed[first..row_bits.len().min(first + 64)];
                let lanes = columns.len();
                for (lane, column) in columns.iter_mut().enumerate() {
                    *column ^= 1 << lane;
                }
                let violated = evaluate_windows(air, &changed, &next_bits).1;
                unseen.extend(
                    (0..lanes)
                        .filter(|lane| violated >> lane & 1 == 0)
                        .map(|lane| first + lane),
                );
            }
            // In padding all digests are zero, so that it may be another path's first row, or the
            // other child may be its own: both bits are public and compared.
            let public = call_columns(hash);
            let expected = match row {
                4 => vec![public + 512, public + 514],
                _ => vec![],
            };
            assert_eq!(unseen, expected, "{hash}, row {row}");
            // A child that is not the node below it, in the row after.
            let inner = row == 0 || row == 2;
            let child = public + paths::PUBLIC;
            for first in (child..row_bits.len()).step_by(64) {
                let mut changed = next_bits.clone();
                for lane in 0..64 {
                    changed[first + lane] ^= 1 << lane;
                }
                let violated = evaluate_windows(air, &row_bits, &changed).1;
                assert_eq!(
                    violated,
                    if inner { u64::MAX } else { 0 },
                    "{hash}, row {row}"
                );
            }
        }
    }
}

/// Rows that are valid but for one bit of the call's input that is constant: another chaining
/// value, counter, length, flag, padding or capacity, with the output and root that it gives.
#[test]
fn a_change_of_any_constant_is_a_violation() {
    for hash in Hash::ALL {
        let air = CallAir::of_paths(hash);
        let honest = input(hash, &[5; 32], &[6; 32]);
        let message = 8 * crate::paths::message_offset(hash);
        let constants: Vec<_> = (0..8 * honest.len())
            .filter(|bit| !(message..message + 512).contains(bit))
            .collect();
        for bits in constants.chunks(64) {
            let change = |bit: &usize| {
                let mut input = honest.clone();
                input[bit / 8] ^= 1 << (bit % 8);
                input
            };
            let inputs: Vec<_> = bits.iter().map(change).collect();
            let path = |input: &Vec<u8>| Path {
                leaf: [5; 32],
                index: 0,
                root: *hash.apply(input).first_chunk().unwrap(),
            };
            let paths = inputs.iter().map(path).collect();
            let statement = MerklePaths::new(hash, 1, paths).unwrap();
            let rows = paths_trace(&PublicBits::of_paths(&statement), &inputs.concat()).values;
            let (_, violated) = evaluate_windows(air, &rows, &after(&rows));
            assert_eq!(violated, u64::MAX, "{hash}: {bits:?}");
        }
    }
}

/// Each constraint on rows of random bits, which are no nodes: those of the call are those that it
/// has without the columns of paths, where they determine the output, and the others are the
/// formulas of the README.
#[test]
fn constraints_of_any_row_are_the_formulas() {
    for hash in Hash::ALL {
        let air = CallAir::of_paths(hash);
        let mut state = 3_u64;
        let mut word = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            state ^ state >> 32
        };
        let rows: Vec<u64> = (0..air.columns()).map(|_| word()).collect();
        let next: Vec<u64> = (0..air.columns()).map(|_| word()).collect();
        let found = values(air, &rows, &next);
        let (call, extra) = rows.split_at(call_columns(hash));
        let expected_of_call = values(CallAir::new(hash), call, &[]);
        let (of_call, rest) = found.split_at(expected_of_call.len());
        assert_eq!(of_call, expected_of_call, "{hash}");

        let message = 8 * crate::paths::message_offset(hash);
        let constants = input(hash, &[0; 32], &[0; 32]);
        let mut expected: Vec<u64> = (0..8 * constants.len())
            .filter(|bit| !(message..message + 512).contains(bit))
            .map(|bit| call[bit] ^ u64::from(constants[bit / 8] >> (bit % 8) & 1).wrapping_neg())
            .collect();
        let (first, last, right) = (extra[512], extra[513], extra[514]);
        let output = public_outputs(hash, call);
        for i in 0..256 {
            let (left_bit, right_bit) = (call[message + i], call[message + 256 + i]);
            let child = extra[515 + i];
            let next_child = next[call.len() + 515 + i];
            expected.extend([
                child ^ (right & right_bit | !right & left_bit),
                extra[i] ^ first & child,
                extra[256 + i] ^ last & output[i],
                !last & (next_child ^ output[i]),
            ]);
        }
        assert_eq!(rest, expected, "{hash}");
    }
}
