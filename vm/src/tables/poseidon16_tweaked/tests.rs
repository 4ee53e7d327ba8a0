use std::borrow::Borrow;

use droste_air::test_utils::constraint_degree;
use droste_native::F;
use droste_native::precompile::{
    NODE_LANES, poseidon16_compress, poseidon16_tweaked, poseidon16_winternitz,
};
use p3_air::BaseAir;
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_matrix::Matrix;
use proptest::prelude::*;

use super::trace::fill_compression;
use super::{Poseidon16TweakedTable, TweakedCols};
use crate::isa::id;
use crate::record::Execution;
use crate::tables::LANES;
use crate::tables::testing::{Bench, execution, forge};

type Block = [F; LANES];
type Node = [F; NODE_LANES];

fn dense(seed: u32) -> Block {
    std::array::from_fn(|i| F::from_u32(seed * 77_777 + 5 * i as u32 + 3).cube())
}

fn node(block: &Block, half: usize) -> Node {
    std::array::from_fn(|lane| block[half * NODE_LANES + lane])
}

fn parameter() -> Node {
    node(&dense(1000), 0)
}

/// A run: results follow the data that each call reads.
#[derive(Clone, Default)]
struct Run {
    blocks: Vec<Block>,
    calls: Vec<(u32, [u32; 5])>,
}

impl Run {
    fn push(&mut self, blocks: impl IntoIterator<Item = Block>) -> u32 {
        let at = self.blocks.len() as u32;
        self.blocks.extend(blocks);
        at
    }

    /// Adds chains whose pairs have these digits.
    fn winternitz(&mut self, pairs: &[(u32, u32)]) {
        let mut digits = [F::ZERO; LANES];
        for (index, (left, right)) in pairs.iter().enumerate() {
            digits[index / 4] += F::from_u32((left + 8 * right) << (6 * (index % 4)));
        }
        (digits[6], digits[7]) = (F::from_u32(3 << 10), F::from_u32(77));
        let mut held = [F::ZERO; LANES];
        held[..NODE_LANES].copy_from_slice(&parameter());
        let steps = pairs.iter().map(|(left, right)| 14 - left - right).sum();
        let starts: Vec<Block> = (0..pairs.len() as u32).map(dense).collect();
        let first = dense(500);
        let states = poseidon16_winternitz(&starts, &held, &digits, &first, steps).unwrap();
        let a = self.push(starts);
        let b = self.push([held, digits, first]);
        let c = self.push(states);
        let call = [a, b, c, pairs.len() as u32, steps];
        self.calls.push((id::POSEIDON16_WINTERNITZ, call));
    }

    /// Adds a path with these sides, low first.
    fn path(&mut self, sides: &[bool]) {
        let leaf = dense(600);
        let mut below = node(&leaf, 0);
        let (mut tweaks, mut children) = (Vec::new(), Vec::new());
        for (level, &is_right) in (0..).zip(sides) {
            let mut tweak = dense(700 + level);
            tweak[2] = F::from_bool(is_right);
            let mut pair = dense(800 + level);
            pair[NODE_LANES * usize::from(is_right)..][..NODE_LANES].copy_from_slice(&below);
            below = poseidon16_tweaked([tweak[0], tweak[1]], parameter(), pair);
            tweaks.push(tweak);
            children.push(pair);
        }
        let mut key = [F::ZERO; LANES];
        key[..NODE_LANES].copy_from_slice(&below);
        key[NODE_LANES..].copy_from_slice(&parameter());
        let (a, b, c) = (self.push([key]), self.push(tweaks), self.push(children));
        let d = self.push([leaf]);
        let call = [a, b, c, d, sides.len() as u32];
        self.calls.push((id::POSEIDON16_TWEAKED_PATH, call));
    }

    fn execution(&self) -> Execution {
        execution(self.blocks.clone(), &self.calls)
    }
}

fn chains(pairs: &[(u32, u32)]) -> Run {
    let mut run = Run::default();
    run.winternitz(pairs);
    run
}

fn path(sides: &[bool]) -> Run {
    let mut run = Run::default();
    run.path(sides);
    run
}

fn assert_accepts(run: &Run) {
    Bench::new(&Poseidon16TweakedTable, &run.execution()).assert_accepts();
}

/// Chains with and without steps, in one and in two elements; paths with both sides.
fn mixed() -> Run {
    let mut run = chains(&[(5, 7), (7, 6), (7, 7), (6, 5), (7, 6)]);
    run.winternitz(&[(6, 6)]);
    run.winternitz(&[(7, 7)]);
    run.winternitz(&[(7, 7), (7, 7), (6, 7), (7, 7)]);
    run.path(&[false, true, true]);
    run.path(&[true]);
    run
}

#[test]
fn width_and_degree_are_pinned() {
    let run = Execution::default();
    let bench = Bench::new(&Poseidon16TweakedTable, &run);
    assert_eq!(BaseAir::<F>::width(&Poseidon16TweakedTable), 200);
    assert_eq!(constraint_degree::<F, _>(&Poseidon16TweakedTable), 3);
    // The accumulator, the call, two columns of two block lookups each, and the result.
    assert_eq!(bench.lookup_width(), 25);
}

#[test]
fn no_calls_is_a_trace_of_padding() {
    assert_accepts(&Run::default());
}

#[test]
fn every_call_is_accepted() {
    assert_accepts(&mixed());
}

#[test]
fn every_digit_agrees_with_the_native_function() {
    for left in 0..8 {
        for right in 0..8 {
            assert_accepts(&chains(&[(left, right)]));
        }
    }
    assert_accepts(&chains(&[(3, 4); 24]));
}

#[test]
fn a_batch_proof_verifies() {
    assert!(Bench::new(&Poseidon16TweakedTable, &mixed().execution()).proves());
}

#[test]
fn a_batch_proof_of_a_wrong_result_is_rejected() {
    let run = chains(&[(6, 7)]);
    let mut execution = run.execution();
    execution.memory.blocks[run.blocks.len() - 1][0] += F::ONE;
    assert!(!Bench::new(&Poseidon16TweakedTable, &execution).proves());
}

/// The last row of the table is the last row of a call of each kind.
#[test]
fn full_tables_are_accepted() {
    let mut last_is_path = chains(&[(7, 6)]);
    last_is_path.path(&[true, false]);
    for run in [
        chains(&[(5, 7), (7, 7)]),
        last_is_path,
        path(&[true, true, false, false]),
    ] {
        let execution = run.execution();
        let bench = Bench::new(&Poseidon16TweakedTable, &execution);
        assert_eq!(bench.trace().0.height(), 4);
        bench.assert_accepts();
        assert!(bench.proves());
    }
}

#[test]
fn every_cell_that_matters_is_constrained() {
    let run = mixed();
    let execution = run.execution();
    let bench = Bench::new(&Poseidon16TweakedTable, &execution);
    let (trace, _) = bench.trace();
    let names = TweakedCols::<u8>::names();
    for (row, column) in bench.free_cells() {
        let columns: &TweakedCols<F> = trace.values[row * names.len()..][..names.len()].borrow();
        assert!(
            columns.free_columns().contains(&names[column]),
            "row {row}, column {}: {columns:?}",
            names[column],
        );
    }
}

/// Returns what is wrong with an edited trace of `height` rows, once everything that depends on the
/// edited cells has been recomputed: what is carried from row to row, the permutations, and the
/// results in memory.
fn forged(
    run: &Run,
    height: usize,
    edit: impl FnOnce(&mut [&mut TweakedCols<F>], &mut Execution),
) -> Option<String> {
    forge(
        &Poseidon16TweakedTable,
        run.execution(),
        height,
        |rows: &mut [&mut TweakedCols<F>], execution| {
            edit(rows, execution);
            recompute(rows, execution);
        },
    )
}

fn recompute(rows: &mut [&mut TweakedCols<F>], execution: &mut Execution) {
    let one = |flag: F| flag == F::ONE;
    for index in 0..rows.len() {
        let (above, rest) = rows.split_at_mut(index);
        let row = &mut *rest[0];
        let above = above.last().filter(|_| !one(row.starts));
        let mut input = row.permutation.inputs;
        if let Some(above) = above {
            let output: Node = std::array::from_fn(|lane| above.permutation.outputs()[lane]);
            if one(above.is_even) {
                row.values[..NODE_LANES].copy_from_slice(&output);
                row.values[NODE_LANES..].copy_from_slice(&above.values[NODE_LANES..]);
            } else if one(above.is_odd) {
                row.values[NODE_LANES..].copy_from_slice(&output);
                row.values[..NODE_LANES].copy_from_slice(&above.values[..NODE_LANES]);
            }
            if one(row.is_left) {
                input[8..12].copy_from_slice(&output);
            } else if one(row.is_right) {
                input[12..].copy_from_slice(&output);
            }
        }
        if one(row.is_even) || one(row.is_odd) {
            let from = if one(row.is_odd) { NODE_LANES } else { 0 };
            input[4..8].copy_from_slice(&row.values[from..][..NODE_LANES]);
        } else if one(row.absorbs) {
            input[8..].copy_from_slice(&row.values);
            let low = row.low_address.as_canonical_u32() as usize;
            input[..8].copy_from_slice(&execution.memory.blocks[low]);
        }
        let low = std::array::from_fn(|i| input[i]);
        let high = std::array::from_fn(|i| input[LANES + i]);
        fill_compression(row, low, high);
        let out = row.out_address.as_canonical_u32() as usize;
        if one(row.absorbs) {
            let outputs = row.permutation.outputs();
            execution.memory.blocks[out] = std::array::from_fn(|i| outputs[i]);
        } else if one(row.is_left) || one(row.is_right) {
            let children = row.high_address.as_canonical_u32() as usize;
            execution.memory.blocks[children] = high;
            for lane in 0..NODE_LANES {
                execution.memory.blocks[out][lane] = row.permutation.outputs()[lane];
            }
        }
    }
}

#[test]
fn an_unedited_forgery_is_honest() {
    for run in [mixed(), chains(&[(4, 5), (7, 3)])] {
        let rows: u64 = run
            .calls
            .iter()
            .map(|(_, [.., d, e])| u64::from(d + e))
            .sum();
        let height = (rows as usize).next_power_of_two();
        assert_eq!(forged(&run, height, |_, _| ()), None);
    }
    assert_eq!(forged(&path(&[true, false]), 2, |_, _| ()), None);
}

/// Two chains trade a step: the digits of the call are no longer those of the rows.
#[test]
fn other_digits_with_the_same_number_of_steps_are_rejected() {
    let other = chains(&[(6, 5), (7, 7)]);
    let honest = chains(&[(5, 6), (7, 7)]);
    let trace = Bench::new(&Poseidon16TweakedTable, &other.execution()).trace_of(8);
    let fault = forged(&honest, 8, |rows, _| {
        for (row, other) in rows
            .iter_mut()
            .zip(trace.values.chunks_exact(trace.width()))
        {
            **row = *other.borrow();
        }
        for row in rows.iter_mut().take(5) {
            // The digits that the call asks for, counted as its rows step.
            row.elements[0] -= F::from_u32(6 + 8 * 5);
            row.elements[0] += F::from_u32(5 + 8 * 6);
        }
    });
    assert!(fault.is_some());
}

/// A chain of eight steps: its digit is -1, and the digit of its neighbour higher by one.
#[test]
fn a_chain_of_eight_steps_is_rejected() {
    // Digits 7 + 8 * 6 = 55 = -1 + 8 * 7: eight steps of the first chain, none of the second. The
    // honest call has one step, so the number of steps must be forged, too.
    let mut run = chains(&[(7, 6)]);
    run.calls[0].1[4] = 8;
    let mut model = chains(&[(0, 7)]);
    model.calls[0].1[4] = 7;
    let trace = Bench::new(&Poseidon16TweakedTable, &model.execution()).trace_of(16);
    for steps_of_first in [0, 7] {
        let fault = forged(&run, 16, |rows, _| {
            let width = trace.width();
            let walk: TweakedCols<F> = *trace.values[..width].borrow();
            let absorb: TweakedCols<F> = *trace.values[7 * width..][..width].borrow();
            for (index, row) in rows.iter_mut().enumerate().take(9) {
                **row = if index < 8 { walk } else { absorb };
                let step = F::from_usize(index);
                row.starts = F::from_bool(index == 0);
                row.begins_pair = row.starts;
                row.remaining = F::from_usize(8) - step;
                row.elements[0] = F::from_u32(55) + step;
                if index < 8 {
                    let left = 8 - index as u32;
                    let left = if left == 8 { steps_of_first } else { left };
                    row.steps = std::array::from_fn(|bit| F::from_bool(left >> bit & 1 == 1));
                    row.permutation.inputs[0] =
                        row.tweak_base + F::from_u32(7) - F::from_u32(8) + step;
                }
            }
        });
        assert!(fault.is_some());
    }
}

/// One pair more or less than the call says, with the number of steps that it says.
#[test]
fn another_number_of_pairs_is_rejected() {
    let two = chains(&[(6, 7), (7, 7)]);
    let one = chains(&[(6, 7)]);
    for (run, model, rows) in [(&one, &two, 3), (&two, &one, 2)] {
        let trace = Bench::new(&Poseidon16TweakedTable, &model.execution()).trace_of(4);
        let operands = run.calls[0].1;
        let mut run = run.clone();
        run.blocks.resize(32, [F::ZERO; LANES]);
        let fault = forged(&run, 4, |forged, _| {
            let model = trace.values.chunks_exact(trace.width());
            for (index, (row, model)) in forged.iter_mut().zip(model).enumerate().take(4) {
                let starts = row.starts;
                **row = *model.borrow();
                if index >= rows {
                    row.starts = starts;
                    continue;
                }
                let absorbed = row.values_address - trace_first(&trace).values_address;
                row.values_address = F::from_u32(operands[0]) + absorbed;
                row.high_address = F::from_u32(operands[1]);
                row.context_address = F::from_u32(operands[1] + 1);
                row.low_address = if absorbed == F::ZERO {
                    F::from_u32(operands[1] + 2)
                } else {
                    F::from_u32(operands[2])
                };
                row.out_address = F::from_u32(operands[2]) + absorbed;
                row.pairs_remaining = F::from_u32(operands[3]) - absorbed;
            }
        });
        assert!(fault.is_some());
    }
}

fn trace_first(trace: &p3_matrix::dense::RowMajorMatrix<F>) -> TweakedCols<F> {
    *trace.values[..trace.width()].borrow()
}

/// The fourth pair of an element does not end it, so that the next pair's digits come from the same
/// element, divided once more.
#[test]
fn an_element_of_five_pairs_is_rejected() {
    let run = chains(&[(7, 7), (7, 7), (7, 7), (7, 7), (6, 7)]);
    let at = run.calls[0].1[1] as usize + 1;
    for pairs_of_element in 0..4u32 {
        let fault = forged(&run, 8, |rows, execution| {
            // One element holds the digits of all five pairs, as an element of the field.
            let digits = (0..5).rev().fold(0u64, |sum, pair| {
                64 * sum + if pair == 4 { 6 + 8 * 7 } else { 63 }
            });
            let mut element = F::from_u64(digits);
            execution.memory.blocks[at][0] = element;
            for row in rows.iter_mut().take(6) {
                row.elements = [F::ZERO; 6];
                row.elements[0] = element;
                if row.absorbs == F::ONE {
                    element = (element - F::from_u32(63)) * F::from_u32(64).try_inverse_or_zero();
                    row.ends_element = F::ZERO;
                } else {
                    element += F::ONE;
                }
            }
            for row in rows.iter_mut().skip(4).take(2) {
                row.pairs_of_element =
                    std::array::from_fn(|bit| F::from_bool(pairs_of_element >> bit & 1 == 1));
            }
        });
        assert!(fault.is_some());
    }
}

trait InverseOrZero {
    fn try_inverse_or_zero(&self) -> Self;
}

impl InverseOrZero for F {
    fn try_inverse_or_zero(&self) -> Self {
        use p3_field::Field;
        self.try_inverse().unwrap_or_default()
    }
}

#[test]
fn a_chain_open_on_the_last_row_is_rejected() {
    // The calls ask for more rows than the table has.
    assert!(forged(&chains(&[(5, 7)]), 2, |_, _| ()).is_some());
    assert!(forged(&chains(&[(7, 7), (7, 7)]), 1, |_, _| ()).is_some());
    assert!(forged(&path(&[true, false, true]), 2, |_, _| ()).is_some());
}

#[test]
fn a_call_entered_in_the_middle_is_rejected() {
    let zero = |row: usize| {
        move |rows: &mut [&mut TweakedCols<F>], _: &mut Execution| rows[row].starts = F::ZERO
    };
    assert!(forged(&path(&[true]), 1, zero(0)).is_some());
    assert!(forged(&chains(&[(7, 7)]), 1, zero(0)).is_some());
    let mut run = chains(&[(7, 6)]);
    run.path(&[true, false]);
    assert!(forged(&run, 4, zero(2)).is_some());
}

/// Another start, parameter, state, tweak, leaf or sibling than memory has, on each row.
#[test]
fn inputs_that_are_not_in_memory_are_rejected() {
    for run in [chains(&[(6, 5), (7, 7)]), path(&[true, false, true])] {
        for row in 0..3 {
            for lane in 0..16 {
                let fault = forge(
                    &Poseidon16TweakedTable,
                    run.execution(),
                    8,
                    |rows: &mut [&mut TweakedCols<F>], _| {
                        let row = &mut rows[row];
                        row.permutation.inputs[lane] += F::ONE;
                        let inputs = row.permutation.inputs;
                        let low = std::array::from_fn(|i| inputs[i]);
                        let high = std::array::from_fn(|i| inputs[LANES + i]);
                        fill_compression(row, low, high);
                    },
                );
                assert!(fault.is_some(), "row {row}, lane {lane}");
            }
        }
    }
}

/// A path under another parameter than the key's, or to another root, or whose key is not looked up.
#[test]
fn another_key_is_rejected() {
    let run = path(&[true, false]);
    let key = run.calls[0].1[0] as usize;
    for lane in 0..LANES {
        let mut execution = run.execution();
        execution.memory.blocks[key][lane] += F::ONE;
        let honest = Bench::new(&Poseidon16TweakedTable, &run.execution()).trace_of(2);
        assert!(
            Bench::new(&Poseidon16TweakedTable, &execution)
                .fault(&honest)
                .is_some(),
            "lane {lane}"
        );
    }
    // The parameter changes from one level to the next.
    for lane in NODE_LANES..LANES {
        let fault = forged(&run, 2, |rows, execution| {
            rows[1].permutation.inputs[lane] += F::ONE;
            execution.memory.blocks[key][lane] += F::ONE;
        });
        assert!(fault.is_some(), "lane {lane}");
    }
}

#[test]
fn another_side_or_leaf_is_rejected() {
    let run = path(&[true, false]);
    // The node below is taken for the other child.
    for row in 0..2 {
        let fault = forged(&run, 2, |rows, _| {
            let row = &mut rows[row];
            std::mem::swap(&mut row.is_left, &mut row.is_right);
        });
        assert!(fault.is_some(), "row {row}");
    }
    // A side that is neither.
    let fault = forged(&run, 2, |rows, execution| {
        let tweak = run.calls[0].1[1] as usize;
        execution.memory.blocks[tweak][2] = F::TWO;
        rows[0].values[2] = F::TWO;
        rows[0].is_right = F::TWO;
        rows[0].is_left = -F::ONE;
    });
    assert!(fault.is_some());
    // The first children hold another leaf.
    for lane in 12..16 {
        let fault = forged(&run, 2, |rows, _| {
            rows[0].permutation.inputs[lane] += F::ONE;
        });
        assert!(fault.is_some(), "lane {lane}");
    }
}

#[test]
fn the_native_functions_refuse_what_no_trace_has() {
    let held = dense(1);
    let start = [dense(2)];
    let mut digits = [F::ZERO; LANES];
    digits[0] = F::from_u32(7 + 8 * 6);
    let walk = |digits: &Block, steps| poseidon16_winternitz(&start, &held, digits, &held, steps);
    let states = walk(&digits, 1).unwrap();
    let end = poseidon16_tweaked([F::from_u32(14), F::ZERO], node(&start[0], 1), held);
    let mut ends = start[0];
    ends[NODE_LANES..].copy_from_slice(&end);
    assert_eq!(states, [poseidon16_compress(&held, &ends)]);
    assert!(walk(&digits, 0).is_err());
    assert!(walk(&digits, 2).is_err());
    digits[0] += F::from_u32(64);
    assert!(walk(&digits, 1).is_err());
    assert!(poseidon16_winternitz(&[], &held, &digits, &held, 0).is_err());
    assert!(poseidon16_winternitz(&[held; 25], &held, &[F::ZERO; 8], &held, 350).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn mixtures_agree(
        pairs in prop::collection::vec(prop::collection::vec((0u32..8, 0u32..8), 1..25), 0..3),
        sides in prop::collection::vec(prop::collection::vec(any::<bool>(), 1..33), 0..3),
    ) {
        let mut run = Run::default();
        for pairs in &pairs {
            run.winternitz(pairs);
        }
        for sides in &sides {
            run.path(sides);
        }
        assert_accepts(&run);
    }
}
