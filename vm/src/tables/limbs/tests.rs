use std::borrow::BorrowMut;

use droste_air::test_utils::{Rows, constraint_degree, largest_message};
use droste_native::F;
use p3_field::{Field, PrimeCharacteristicRing, PrimeField32};

use super::columns::{MAX_HIGH, TOP, TRITS};
use super::{LimbsCols, LimbsTable, WordCols};
use crate::isa::id;
use crate::record::{Call, Execution};
use crate::tables::LANES;
use crate::tables::testing::{Bench, Tested, assert_no_cell_changes, execution, forge};

/// Three calls, of 3, 1 and 2 groups, with their results.
fn run() -> Execution {
    let mut blocks: Vec<[F; LANES]> = (0..6)
        .map(|i| std::array::from_fn(|j| F::from_u32(i * 100_000_007 + 77 * j as u32 + 1).cube()))
        .collect();
    // Elements whose words are the ends of the range.
    let shift = F::from_u64(1 << 32);
    blocks[3] = [
        0,
        1,
        2,
        0xffff,
        0x10000,
        0x7eff_ffff,
        0x7f00_0000,
        0x7eff_0000,
    ]
    .map(|word| F::from_u32(word) / shift);
    let out = blocks.len() as u32;
    for index in 0..6 {
        for half in 0..2 {
            let elements = blocks[index];
            blocks.push(std::array::from_fn(|lane| {
                let word = elements[4 * half + lane / 2].to_unique_u32();
                F::from_u32(word >> (16 * (lane % 2)) & 0xffff)
            }));
        }
    }
    let calls = [
        (id::LIMBS, [0, 0, out, 0, 3]),
        (id::LIMBS, [3, 0, out + 6, 0, 1]),
        (id::LIMBS, [4, 0, out + 8, 0, 2]),
    ];
    execution(blocks, &calls)
}

#[test]
fn width_and_degree() {
    assert_eq!(LimbsCols::<u8>::WIDTH, 5 + 8 * (11 + 9 + 1 + 1));
    assert_eq!(constraint_degree(&LimbsTable), 3);
    assert!(largest_message(&LimbsTable, 50_000) < 1000);
}

#[test]
fn limbs_are_those_of_the_montgomery_words() {
    let execution = run();
    let bench = Bench::<LimbsTable>::new(&execution);
    assert_eq!(bench.assert_accepts(), 8);
    assert_eq!(bench.fault(&bench.trace_of(16)), None);
}

#[test]
fn full_tables_are_accepted() {
    let mut execution = run();
    let calls = &mut execution.calls[id::LIMBS as usize];
    calls.push(Call {
        e: F::TWO,
        ..calls[0]
    });
    assert_eq!(Bench::<LimbsTable>::new(&execution).assert_accepts(), 8);
}

#[test]
fn every_cell_is_constrained() {
    let names = LimbsCols::<u8>::names();
    let free = ["in_address", "out_address", "remaining"];
    let rows = Rows::listed(vec![0, 1, 3, 5, 6, 7], 6);
    assert_no_cell_changes::<LimbsTable>(&run(), 8, &names, &free, &rows);
}

/// Calls of so many groups each. The blocks from `12 * i` on hold the elements of call `i`, those
/// from `12 * i + 4` on its limbs.
fn calls(groups: &[u32]) -> Execution {
    let mut blocks = Vec::new();
    let mut calls = Vec::new();
    for (index, &groups) in (0..).zip(groups) {
        let element = |i: u32| F::from_u32(1000 * index + i + 1).cube();
        let elements: Vec<[F; LANES]> = (0..4)
            .map(|group| std::array::from_fn(|lane| element(8 * group + lane as u32)))
            .collect();
        let limbs = elements.iter().flat_map(droste_native::precompile::limbs);
        blocks.extend(elements.iter().copied().chain(limbs));
        calls.push((id::LIMBS, [12 * index, 0, 12 * index + 4, 0, groups]));
    }
    execution(blocks, &calls)
}

/// Changes rows and calls.
type Edit = fn(&mut [&mut LimbsCols<F>], &mut [Call]);

impl Tested for LimbsTable {
    fn recompute(rows: &mut [&mut LimbsCols<F>], execution: &mut Execution) {
        for row in rows.iter().filter(|row| row.is_real == F::ONE) {
            let elements = row.words.each_ref().map(element);
            let out = row.out_address.as_canonical_u32() as usize;
            execution.memory.blocks[out..][..2]
                .copy_from_slice(&droste_native::precompile::limbs(&elements));
        }
    }
}

/// Returns what is wrong with `height` rows of a run after an edit, when memory holds the limbs
/// that the edited rows write.
fn forged(
    run: Execution,
    height: usize,
    edit: impl FnOnce(&mut [&mut LimbsCols<F>], &mut [Call]),
) -> Option<String> {
    forge::<LimbsTable>(run, height, |rows, run| {
        edit(rows, &mut run.calls[id::LIMBS as usize]);
        LimbsTable::recompute(rows, run);
    })
}

/// Returns the element of a word.
fn element(word: &WordCols<F>) -> F {
    let digits = |trits: &[F]| {
        let digits = trits.iter().rev();
        digits.fold(F::ZERO, |value, &trit| value * F::from_u8(3) + trit)
    };
    let low = digits(&word.low.trits) + word.low.top * F::from_u16(6_487);
    let high = digits(&word.high_trits) + word.high_top * F::from_u16(TOP);
    (low + high * F::from_u32(1 << 16)) / F::from_u64(1 << 32)
}

#[test]
fn an_unedited_forgery_is_honest() {
    for (groups, height) in [(vec![3], 4), (vec![2, 1, 1], 4), (vec![1], 1), (vec![4], 4)] {
        assert_eq!(forged(calls(&groups), height, |_, _| ()), None);
    }
}

#[test]
fn a_chain_open_on_the_last_row_is_rejected() {
    // The calls ask for one group more than the table has.
    assert!(forged(calls(&[3]), 2, |_, _| ()).is_some());
    assert!(forged(calls(&[2]), 1, |_, _| ()).is_some());
    assert!(forged(calls(&[1, 1, 3]), 4, |_, _| ()).is_some());
}

#[test]
fn a_chain_entered_in_the_middle_is_rejected() {
    let mut faults = Vec::new();
    for is_called in [true, false] {
        let mut continues = |groups: &[u32], height: usize, at: usize, chained: bool| {
            faults.push(forged(calls(groups), height, |rows, calls| {
                rows[at].starts = F::ZERO;
                if chained {
                    rows[at].in_address = rows[at - 1].in_address + F::ONE;
                    rows[at].out_address = rows[at - 1].out_address + F::TWO;
                    rows[at].remaining = rows[at - 1].remaining - F::ONE;
                }
                if !is_called {
                    calls[calls.len() - 1].e = F::ZERO;
                }
            }));
        };
        // Row 0 continues a call, then a row below the last row of another call does.
        continues(&[1], 1, 0, false);
        continues(&[1], 2, 0, false);
        continues(&[1, 1], 2, 1, false);
        continues(&[1, 1], 2, 1, true);
        // Padding continues a call.
        continues(&[3], 4, 3, false);
        continues(&[3], 4, 3, true);
    }
    // A call continues from the table's last row to its first.
    faults.push(forged(calls(&[2]), 2, |rows, _| {
        let (first, second) = (*rows[0], *rows[1]);
        (*rows[0], *rows[1]) = (second, first);
    }));
    // A call continues below padding.
    faults.push(forged(calls(&[1]), 2, |rows, _| {
        let (row, padding) = (*rows[0], *rows[1]);
        (*rows[0], *rows[1]) = (padding, row);
        rows[1].starts = F::ZERO;
    }));
    assert!(faults.iter().all(Option::is_some), "{faults:?}");
}

#[test]
fn a_chain_cut_or_too_long_is_rejected() {
    let edits: [Edit; 5] = [
        // The rest of a call is a call that was not made, is missing, or is there without being
        // real.
        |rows, _| rows[1].starts = F::ONE,
        |rows, _| {
            let padding = *rows[3];
            (*rows[1], *rows[2]) = (padding, padding);
        },
        |rows, _| rows[2].is_real = F::ZERO,
        // A call asks for one group less, or for none, and as many rows answer it.
        |rows, calls| {
            calls[0].e = F::TWO;
            for row in &mut rows[..3] {
                row.remaining -= F::ONE;
            }
        },
        |rows, calls| {
            calls[0].e = F::ZERO;
            for row in &mut rows[..3] {
                row.remaining -= F::from_u8(3);
            }
        },
    ];
    for (index, edit) in edits.into_iter().enumerate() {
        assert!(forged(calls(&[3]), 4, edit).is_some(), "edit {index}");
    }
}

#[test]
fn other_addresses_are_rejected() {
    // The second row reads the group after its own, or writes to other blocks than its own: the
    // program reads what nothing wrote.
    let edits: [Edit; 2] = [
        |rows, _| {
            rows[1].in_address += F::ONE;
            rows[1].words = rows[2].words;
        },
        |rows, _| rows[1].out_address += F::from_u8(4),
    ];
    for (index, edit) in edits.into_iter().enumerate() {
        let mut execution = calls(&[2]);
        // A third row, of the group after those of the call, from which the edits take words.
        let call = execution.calls[id::LIMBS as usize][0];
        let (a, c) = (call.a + F::TWO, call.c + F::from_u8(4));
        execution.calls[id::LIMBS as usize].push(Call {
            a,
            c,
            e: F::ONE,
            ..call
        });
        assert!(forged(execution, 4, edit).is_some(), "edit {index}");
    }
}

#[test]
fn rows_moved_or_copied_are_rejected() {
    let edits: [Edit; 5] = [
        // Two calls exchange their second rows, only the words of these rows, or the elements they
        // read.
        |rows, _| {
            let (second, fourth) = (*rows[1], *rows[3]);
            (*rows[1], *rows[3]) = (fourth, second);
        },
        |rows, _| {
            let (second, fourth) = (rows[1].words, rows[3].words);
            (rows[1].words, rows[3].words) = (fourth, second);
        },
        |rows, _| {
            let (second, fourth) = (*rows[1], *rows[3]);
            (rows[1].in_address, rows[1].words) = (fourth.in_address, fourth.words);
            (rows[3].in_address, rows[3].words) = (second.in_address, second.words);
        },
        // The rows of a call are in reverse order.
        |rows, _| {
            let (first, second) = (*rows[0], *rows[1]);
            (*rows[0], *rows[1]) = (second, first);
            (rows[0].starts, rows[1].starts) = (F::ONE, F::ZERO);
            (rows[0].remaining, rows[1].remaining) = (F::TWO, F::ONE);
        },
        // One row replaces both rows of a call.
        |rows, _| {
            *rows[1] = *rows[0];
            (rows[1].starts, rows[1].remaining) = (F::ZERO, F::ONE);
        },
    ];
    for (index, edit) in edits.into_iter().enumerate() {
        assert!(forged(calls(&[2, 2]), 4, edit).is_some(), "edit {index}");
    }
    // A call is made once and answered twice.
    assert!(forged(calls(&[1]), 2, |rows, _| *rows[1] = *rows[0]).is_some());
    // A row of another call replaces the second row.
    let fault = forged(calls(&[2, 1, 1]), 4, |rows, _| {
        rows[1].words = rows[2].words
    });
    assert!(fault.is_some());
}

/// The words `w` and `w + p` represent the same element; memory holds what the forger needs.
#[test]
fn another_word_of_an_element_is_rejected() {
    for word in [0u32, 1, 0xffff, 0x1234_5678 - 0x1000_0000] {
        let element = F::from_u32(word) / F::from_u64(1 << 32);
        let mut run = calls(&[1]);
        run.memory.blocks[0][3] = element;
        let shifted = word + droste_native::field::MODULUS;
        let fault = forge::<LimbsTable>(run, 1, |rows, run| {
            rows[0].words[3] = digits(shifted);
            run.memory.blocks[5 - 1][6] = F::from_u32(shifted & 0xffff);
            run.memory.blocks[5 - 1][7] = F::from_u32(shifted >> 16);
        });
        assert!(fault.is_some(), "word {word:#x}");
    }
}

/// Columns of a 32-bit word. Digits exceed their range if that is the only way to represent it.
fn digits(word: u32) -> WordCols<F> {
    let mut columns = [F::ZERO; WordCols::<u8>::WIDTH];
    let columns: &mut WordCols<F> = columns.as_mut_slice().borrow_mut();
    columns.low.fill(word as u16);
    let high = word >> 16;
    columns.high_top = F::from_bool(high >= 19_683);
    let mut rest = if high >= 19_683 {
        high - u32::from(TOP)
    } else {
        high
    };
    for trit in &mut columns.high_trits[..TRITS - 1] {
        *trit = F::from_u32(rest % 3);
        rest /= 3;
    }
    columns.high_trits[TRITS - 1] = F::from_u32(rest);
    let room = F::from_u16(MAX_HIGH) - F::from_u32(high);
    columns.inverse = room.try_inverse().unwrap_or_default();
    *columns
}
