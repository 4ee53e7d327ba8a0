//! Traces as a dishonest prover would write them. Each is rejected by exactly one constraint (or by
//! one for several lanes): everything else has been made right.

use std::borrow::Borrow;

use droste_native::F;
use droste_native::precompile::NODE_LANES;
use p3_field::{Field, PrimeCharacteristicRing, PrimeField32};
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;

use super::{Node, Run, chains, dense, mixed, path};
use crate::isa::id;
use crate::record::Execution;
use crate::tables::LANES;
use crate::tables::poseidon16_tweaked::trace::fill_compression;
use crate::tables::poseidon16_tweaked::{Poseidon16TweakedTable, TweakedCols};
use crate::tables::testing::{Bench, Tested, forged};

impl Tested for Poseidon16TweakedTable {
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

fn trace_first(trace: &RowMajorMatrix<F>) -> TweakedCols<F> {
    *trace.values[..trace.width()].borrow()
}

#[test]
fn a_chain_open_on_the_last_row_is_rejected() {
    // The calls ask for more rows than the table has.
    assert!(forged(&chains(&[(5, 7)]), 2, |_, _| ()).is_some());
    assert!(forged(&chains(&[(7, 7), (7, 7)]), 1, |_, _| ()).is_some());
    assert!(forged(&path(&[true, false, true]), 2, |_, _| ()).is_some());
}

/// A path under another parameter than the key's, or to another root, or whose key is not looked
/// up.
#[test]
fn another_key_is_rejected() {
    let run = path(&[true, false]);
    let key = run.calls[0].1[0] as usize;
    for lane in 0..LANES {
        let mut execution = run.execution();
        execution.memory.blocks[key][lane] += F::ONE;
        let honest = Bench::<Poseidon16TweakedTable>::new(&run.execution()).trace_of(2);
        assert!(
            Bench::<Poseidon16TweakedTable>::new(&execution)
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

/// Asserts that a forgery is noticed.
fn assert_rejected(
    name: &str,
    run: &Run,
    height: usize,
    edit: impl FnOnce(&mut [&mut TweakedCols<F>], &mut Execution),
) {
    assert!(forged(run, height, edit).is_some(), "{name}");
}

fn inverse_of_64() -> F {
    F::from_u32(64).inverse()
}

fn set_steps(row: &mut TweakedCols<F>, steps: u32) {
    row.steps = std::array::from_fn(|bit| F::from_bool(steps >> bit & 1 == 1));
}

#[test]
fn chains_of_other_lengths_are_rejected() {
    // Eight steps (labels 7 7 6 .. 1 and 0 7 6 .. 1), and chains that end early, late, or repeat a
    // position, with digits that make up for it.
    for odd in [false, true] {
        let weight = if odd { 8 } else { 1 };
        for labels in [
            &[7, 7, 6, 5, 4, 3, 2, 1][..],
            &[0, 7, 6, 5, 4, 3, 2, 1],
            &[2],
            &[3, 2],
            &[2, 2, 1],
            &[7],
            &[1, 1],
        ] {
            let other = if odd { 7 } else { 56 };
            let digits = other + weight * (7 - labels.len() as i64);
            let run = chains(&[if odd { (7, 0) } else { (0, 7) }]);
            assert_rejected(
                &format!("{labels:?} odd {odd}"),
                &run,
                16,
                |rows, execution| {
                    let at = run.calls[0].1[1] as usize + 1;
                    let element = F::from_i64(digits);
                    execution.memory.blocks[at][0] = element;
                    execution.calls[id::POSEIDON16_WINTERNITZ as usize][0].e =
                        F::from_usize(labels.len());
                    let model = *rows[0];
                    let absorb = *rows[7];
                    let pad = *rows[15];
                    for row in rows.iter_mut() {
                        **row = pad;
                    }
                    let total = labels.len();
                    for index in 0..=total {
                        let row = &mut *rows[index];
                        *row = if index < total { model } else { absorb };
                        row.starts = F::from_bool(index == 0);
                        row.begins_pair = row.starts;
                        row.remaining = F::from_usize(total - index);
                        row.elements[0] = element + F::from_usize(index * weight as usize);
                        if index < total {
                            set_steps(row, labels[index]);
                            row.permutation.inputs[0] = row.tweak_base
                                + F::from_u32(if odd { 8 } else { 0 })
                                + F::from_u32(7)
                                - F::from_u32(labels[index]);
                        }
                    }
                },
            );
        }
    }
}

#[test]
fn other_digits_are_rejected() {
    // The rows of (6, 5) under the digits of (5, 6): the same number of steps.
    let (honest, other) = (chains(&[(5, 6)]), chains(&[(6, 5)]));
    let trace = Bench::<Poseidon16TweakedTable>::new(&other.execution()).trace_of(4);
    assert_rejected("digits", &honest, 4, |rows, _| {
        for (row, other) in rows
            .iter_mut()
            .zip(trace.values.chunks_exact(trace.width()))
        {
            **row = *other.borrow();
            row.elements[0] += F::from_u32(7);
        }
    });
    // Two pairs trade a step: the difference, divided by 64, is left at the end.
    let honest = chains(&[(5, 6), (7, 7)]);
    let other = chains(&[(6, 5), (7, 7)]);
    let trace = Bench::<Poseidon16TweakedTable>::new(&other.execution()).trace_of(8);
    assert_rejected("digits of two pairs", &honest, 8, |rows, _| {
        for (row, other) in rows
            .iter_mut()
            .zip(trace.values.chunks_exact(trace.width()))
        {
            **row = *other.borrow();
        }
        for row in rows.iter_mut().take(4) {
            row.elements[0] += F::from_u32(7);
        }
        rows[4].elements[0] += F::from_u32(7) * inverse_of_64();
    });
    // The same at the end of an element that is not the last.
    let honest = chains(&[(7, 7), (7, 7), (7, 7), (5, 6), (7, 7)]);
    let other = chains(&[(7, 7), (7, 7), (7, 7), (6, 5), (7, 7)]);
    let trace = Bench::<Poseidon16TweakedTable>::new(&other.execution()).trace_of(8);
    assert_rejected("digits of a whole element", &honest, 8, |rows, _| {
        for (row, other) in rows
            .iter_mut()
            .zip(trace.values.chunks_exact(trace.width()))
        {
            **row = *other.borrow();
        }
        let mut shift = F::from_u32(7 << 18);
        for row in rows.iter_mut().take(7) {
            row.elements[0] += shift;
            if row.absorbs == F::ONE {
                shift *= inverse_of_64();
            }
        }
    });
}

#[test]
fn other_pairs_are_rejected() {
    let two = chains(&[(6, 7), (7, 7)]);
    let one = chains(&[(6, 7)]);
    for (run, model, rows) in [(&one, &two, 3usize), (&two, &one, 2)] {
        let trace = Bench::<Poseidon16TweakedTable>::new(&model.execution()).trace_of(4);
        let operands = run.calls[0].1;
        let mut run = run.clone();
        run.blocks.resize(32, [F::ZERO; LANES]);
        let digits = model.blocks[model.calls[0].1[1] as usize + 1];
        assert_rejected(&format!("pairs {rows}"), &run, 4, |forged, execution| {
            execution.memory.blocks[operands[1] as usize + 1] = digits;
            let pad = *forged[3];
            let model = trace.values.chunks_exact(trace.width());
            for (index, (row, model)) in forged.iter_mut().zip(model).enumerate() {
                if index >= rows {
                    **row = pad;
                    continue;
                }
                **row = *model.borrow();
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
                if row.begins_pair == F::ONE {
                    let at = row.values_address.as_canonical_u32() as usize;
                    row.values = execution.memory.blocks[at];
                }
            }
        });
    }
    let run = chains(&[(7, 7), (7, 7), (7, 7), (7, 7), (6, 7)]);
    let at = run.calls[0].1[1] as usize + 1;
    for pairs_of_element in 0..4u32 {
        assert_rejected(
            &format!("five pairs, {pairs_of_element}"),
            &run,
            8,
            |rows, execution| {
                let digits = (0..5).rev().fold(0u64, |sum, pair| {
                    64 * sum + if pair == 4 { 6 + 8 * 7 } else { 63 }
                });
                let mut element = F::from_u64(digits);
                execution.memory.blocks[at][0] = element;
                execution.memory.blocks[at][1] = F::ZERO;
                for row in rows.iter_mut().take(6) {
                    row.elements = [F::ZERO; 6];
                    row.elements[0] = element;
                    if row.absorbs == F::ONE {
                        element = (element - F::from_u32(63)) * inverse_of_64();
                        row.ends_element = F::ZERO;
                    } else {
                        element += F::ONE;
                    }
                }
                for row in rows.iter_mut().skip(4).take(2) {
                    row.pairs_of_element =
                        std::array::from_fn(|bit| F::from_bool(pairs_of_element >> bit & 1 == 1));
                }
            },
        );
    }
    // Steps or pairs of the call that no row has.
    let run = chains(&[(6, 7), (7, 7)]);
    for (name, by) in [("a step too few", F::ONE), ("a step too many", -F::ONE)] {
        assert_rejected(name, &run, 4, |rows, execution| {
            execution.calls[id::POSEIDON16_WINTERNITZ as usize][0].e += by;
            for row in rows.iter_mut().take(3) {
                row.remaining += by;
            }
        });
        assert_rejected(name, &run, 4, |rows, execution| {
            execution.calls[id::POSEIDON16_WINTERNITZ as usize][0].e += by;
            rows[0].remaining += by;
        });
    }
    let at = run.calls[0].1;
    // A pair is walked twice, another not at all.
    assert_rejected("values twice", &run, 4, |rows, execution| {
        rows[2].values_address = F::from_u32(at[0]);
        rows[2].values = execution.memory.blocks[at[0] as usize];
    });
    // The second pair is compressed into the first state.
    assert_rejected("state skipped", &run, 4, |rows, _| {
        rows[2].low_address = F::from_u32(at[1] + 2);
    });
    // The second state is written elsewhere.
    let mut wide = run.clone();
    wide.blocks.resize(16, [F::ZERO; LANES]);
    assert_rejected("state elsewhere", &wide, 4, |rows, _| {
        rows[2].out_address = F::from_u32(15);
    });
    // Digits, and the first state, from another place.
    assert_rejected("digits elsewhere", &wide, 4, |rows, execution| {
        execution.memory.blocks[15] = execution.memory.blocks[at[1] as usize + 1];
        execution.memory.blocks[at[1] as usize + 1] = [F::ZERO; LANES];
        for row in rows.iter_mut().take(3) {
            row.context_address = F::from_u32(15);
        }
    });
    assert_rejected("first state elsewhere", &wide, 4, |rows, execution| {
        execution.memory.blocks[15] = dense(99);
        for row in rows.iter_mut().take(2) {
            row.low_address = F::from_u32(15);
        }
    });
    // Another parameter from the second row on.
    let run = chains(&[(5, 7)]);
    let mut wide = run.clone();
    wide.blocks.resize(16, [F::ZERO; LANES]);
    assert_rejected("parameter elsewhere", &wide, 4, |rows, execution| {
        execution.memory.blocks[15] = dense(99);
        for row in rows.iter_mut().skip(1).take(2) {
            row.high_address = F::from_u32(15);
        }
        for lane in 0..8 {
            rows[1].permutation.inputs[8 + lane] = dense(99)[lane];
        }
    });
    // Tweaks of another chain, and of another slot.
    assert_rejected("tweak low", &wide, 4, |rows, _| {
        for row in rows.iter_mut().skip(1).take(2) {
            row.tweak_low += F::ONE;
        }
        rows[1].permutation.inputs[1] += F::ONE;
    });
    let run = chains(&[(7, 7), (6, 7)]);
    assert_rejected("tweak of the pair before", &run, 4, |rows, _| {
        for row in rows.iter_mut().skip(1).take(2) {
            row.tweak_base -= F::from_u32(16);
        }
        rows[1].permutation.inputs[0] -= F::from_u32(16);
    });
    // The second pair begins without a look at memory.
    assert_rejected("values from nowhere", &run, 4, |rows, _| {
        rows[1].begins_pair = F::ZERO;
        rows[1].values = dense(98);
        rows[2].values = dense(98);
    });
    let run = chains(&[(6, 7)]);
    assert_rejected("first values from nowhere", &run, 2, |rows, _| {
        rows[0].begins_pair = F::ZERO;
        rows[0].values = dense(98);
        rows[1].values = dense(98);
    });
    // Odd before even.
    let run = chains(&[(6, 6)]);
    assert_rejected("odd first", &run, 4, |rows, _| {
        let (even, odd) = (*rows[0], *rows[1]);
        *rows[0] = odd;
        *rows[1] = even;
        rows[0].starts = F::ONE;
        rows[1].starts = F::ZERO;
        rows[0].begins_pair = F::ONE;
        rows[1].begins_pair = F::ZERO;
        rows[0].values = even.values;
        rows[0].elements[0] = even.elements[0];
        rows[1].elements[0] = even.elements[0] + F::from_u32(8);
        rows[0].remaining = even.remaining;
        rows[1].remaining = odd.remaining;
    });
}

#[test]
fn other_paths_are_rejected() {
    let run = path(&[true, false]);
    let at = run.calls[0].1;
    // The leaf is not at the side that the tweak says.
    assert_rejected("the leaf's side", &run, 2, |rows, execution| {
        let row = &mut rows[0];
        std::mem::swap(&mut row.is_left, &mut row.is_right);
        let side = F::ONE - row.values[2];
        row.values[2] = side;
        execution.memory.blocks[at[1] as usize][2] = side;
    });
    // The other side is taken, with the children exchanged too, against the tweak.
    assert_rejected("side against the tweak", &run, 2, |rows, _| {
        let row = &mut rows[0];
        std::mem::swap(&mut row.is_left, &mut row.is_right);
        for lane in 0..4 {
            row.permutation.inputs.swap(8 + lane, 12 + lane);
        }
    });
    // A level less than the call says.
    assert_rejected("a level too few", &run, 2, |rows, execution| {
        execution.calls[id::POSEIDON16_TWEAKED_PATH as usize][0].e = F::from_u32(3);
        rows[0].remaining = F::from_u32(3);
        rows[1].remaining = F::ONE;
    });
    assert_rejected("a level too few, open", &run, 2, |rows, execution| {
        execution.calls[id::POSEIDON16_TWEAKED_PATH as usize][0].e = F::from_u32(3);
        rows[0].remaining = F::from_u32(3);
        rows[1].remaining = F::from_u32(2);
    });
    // Tweaks of the level below, twice; children at other addresses.
    let run = path(&[true, true]);
    let at = run.calls[0].1;
    assert_rejected("tweak twice", &run, 2, |rows, execution| {
        let first = *rows[0];
        rows[1].values_address = first.values_address;
        rows[1].values = execution.memory.blocks[at[1] as usize];
        rows[1].permutation.inputs[0] = first.permutation.inputs[0];
        rows[1].permutation.inputs[1] = first.permutation.inputs[1];
    });
    let mut wide = run.clone();
    wide.blocks.resize(16, [F::ZERO; LANES]);
    assert_rejected("children elsewhere", &wide, 2, |rows, _| {
        rows[1].high_address = F::from_u32(15);
    });
    assert_rejected("key elsewhere", &wide, 2, |rows, execution| {
        rows[1].out_address = F::from_u32(15);
        execution.memory.blocks[15] = execution.memory.blocks[at[0] as usize];
    });
    // Lanes 2 and 3 of the input.
    for lane in 2..4 {
        assert_rejected("lanes beside the tweak", &run, 2, |rows, _| {
            rows[1].permutation.inputs[lane] += F::ONE;
        });
    }
    // A call that begins in the middle of the one before, which is not made.
    let mut two = path(&[true]);
    two.path(&[true]);
    assert_rejected("not made", &two, 2, |rows, execution| {
        rows[1].starts = F::ZERO;
        execution.calls[id::POSEIDON16_TWEAKED_PATH as usize].pop();
    });
}
