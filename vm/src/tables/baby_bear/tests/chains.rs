//! Calls of several rows as a dishonest prover would write them.

use super::*;

/// Sums of so many blocks each.
fn dots(blocks: &[u32]) -> Run {
    let mut run = Run::new();
    for (seed, &blocks) in (1..).zip(blocks) {
        run.any_dot(seed, blocks);
    }
    run
}

fn set_length(run: &mut Run, blocks: u32) {
    run.last_call()[4] = blocks;
}

#[test]
fn an_unedited_forgery_is_honest() {
    for (blocks, height) in [(vec![3], 4), (vec![2, 1, 1], 4), (vec![1], 1), (vec![4], 4)] {
        assert_eq!(forged(&dots(&blocks), height, |_, _| ()), None);
    }
}

#[test]
fn a_chain_open_on_the_last_row_is_rejected() {
    for blocks in [1, 2] {
        // The call asks for one block more than the table has.
        let mut run = dots(&[blocks]);
        set_length(&mut run, blocks + 1);
        assert!(forged(&run, blocks as usize, |_, _| ()).is_some());
    }
}

#[test]
fn a_chain_entered_in_the_middle_is_rejected() {
    let mut faults = Vec::new();
    for is_called in [true, false] {
        let mut continues = |run: &Run, height: usize, at: usize, is_chained: bool| {
            faults.push(forged(run, height, |rows, execution| {
                rows[at].continues = F::ONE;
                if is_chained {
                    let above = *rows[at - 1];
                    let row = &mut *rows[at];
                    row.a_word = above.a_word + F::ONE;
                    row.b_word = above.b_word + F::from_u8(4);
                    (row.c_word, row.d_word) = (above.c_word, above.d_word);
                    row.remaining = above.remaining - F::ONE;
                }
                if !is_called {
                    execution.calls[id::BABY_BEAR_DOT as usize].pop();
                }
            }));
        };
        // Row 0 continues a call, then a row below the last row of another call does.
        continues(&dots(&[1]), 1, 0, false);
        continues(&dots(&[1]), 2, 0, false);
        for is_chained in [false, true] {
            continues(&dots(&[1, 1]), 2, 1, is_chained);
            // Padding continues a call.
            continues(&dots(&[3]), 4, 3, is_chained);
            // A sum continues a product.
            let mut run = Run::new();
            run.product([canonical(1), any(2), any(3)]);
            run.any_dot(4, 1);
            continues(&run, 2, 1, is_chained);
        }
    }
    // A call continues from the table's last row to its first, and below padding.
    faults.push(forged(&dots(&[2]), 2, |rows, _| {
        let (first, second) = (*rows[0], *rows[1]);
        (*rows[0], *rows[1]) = (second, first);
    }));
    faults.push(forged(&dots(&[1]), 2, |rows, _| {
        let (row, padding) = (*rows[0], *rows[1]);
        (*rows[0], *rows[1]) = (padding, row);
        rows[1].continues = F::ONE;
    }));
    assert!(faults.iter().all(Option::is_some), "{faults:?}");
}

/// A product takes the sum of another row for what is added to it.
#[test]
fn a_product_continues_no_row() {
    let fault = forge::<BabyBearTable>(mixed().execution(), HEIGHT, |rows, execution| {
        let above = rows[0].d;
        let row = &mut *rows[1];
        (row.continues, row.c) = (F::ONE, above);
        row.d = result(row);
        complete(row);
        let out = row.d_word.as_canonical_u32() as usize;
        execution.memory.blocks[out] = lanes(&row.d);
    });
    assert!(is_constraint(&fault), "{fault:?}");
}

/// A row of both modes answers one of two calls.
#[test]
fn a_row_of_two_modes_is_rejected() {
    let mut run = Run::new();
    run.product([canonical(1), any(2), any(3)]);
    run.any_dot(4, 1);
    let faults = [
        forged(&run, 2, |rows, _| rows[0].is_dot = F::ONE),
        forged(&run, 2, |rows, _| rows[1].is_product = F::ONE),
    ];
    assert!(faults.iter().all(is_constraint), "{faults:?}");
}

#[test]
fn a_chain_cut_or_too_long_is_rejected() {
    type Edit = fn(&mut [&mut Row], &mut Execution);
    let edits: [Edit; 5] = [
        // The rest of a call is a call that was not made, is missing, or is there without a mode.
        |rows, _| rows[1].continues = F::ZERO,
        |rows, _| {
            let padding = *rows[3];
            (*rows[1], *rows[2]) = (padding, padding);
        },
        |rows, _| rows[2].is_dot = F::ZERO,
        // A call asks for one block less, or for none, and as many rows answer it.
        |rows, execution| {
            execution.calls[id::BABY_BEAR_DOT as usize][0].e = F::TWO;
            for row in &mut rows[..3] {
                row.remaining -= F::ONE;
            }
        },
        |rows, execution| {
            execution.calls[id::BABY_BEAR_DOT as usize][0].e = F::ZERO;
            for row in &mut rows[..3] {
                row.remaining -= F::from_u8(3);
            }
        },
    ];
    for (index, edit) in edits.into_iter().enumerate() {
        assert!(forged(&dots(&[3]), 4, edit).is_some(), "edit {index}");
    }
    // No row answers a call of no blocks.
    let mut run = dots(&[1]);
    set_length(&mut run, 0);
    assert!(forged(&run, 1, |_, _| ()).is_some());
}

/// Another sum than that of the row above, with all that follows from it.
#[test]
fn another_sum_before_a_row_is_rejected() {
    for row in [1, 2] {
        let fault = forge::<BabyBearTable>(dots(&[3]).execution(), 4, |rows, execution| {
            rows[row].c = bytes(any(99));
            for index in row..3 {
                if index > row {
                    rows[index].c = rows[index - 1].d;
                }
                rows[index].d = result(rows[index]);
                complete(rows[index]);
            }
            let out = rows[2].d_word.as_canonical_u32() as usize;
            execution.memory.blocks[out] = lanes(&rows[2].d);
        });
        assert!(is_constraint(&fault), "row {row}: {fault:?}");
    }
    // The first row adds what memory has.
    let fault = forged(&dots(&[2]), 2, |rows, _| rows[0].c = bytes(any(99)));
    assert!(fault.is_some_and(|fault| fault.contains("not in memory")));
}

#[test]
fn other_addresses_are_rejected() {
    // The second row reads the block or the elements of the third.
    let edits: [fn(&mut [&mut Row]); 4] = [
        |rows| {
            rows[1].a_word += F::ONE;
            rows[1].a = rows[2].a;
        },
        |rows| {
            rows[1].b_word += F::from_u8(4);
            rows[1].b = rows[2].b;
        },
        |rows| {
            rows[1].b_word += F::ONE;
            rows[1].b.rotate_left(1);
            rows[1].b[3] = rows[2].b[0];
        },
        |rows| rows[2].d_word += F::ONE,
    ];
    for (index, edit) in edits.into_iter().enumerate() {
        let fault = forged(&dots(&[3, 1]), 4, |rows, _| edit(rows));
        assert!(fault.is_some(), "edit {index}");
    }
    // Elements of a row are not in consecutive blocks.
    let fault = forged(&dots(&[1]), 1, |rows, _| rows[0].b[0].swap(1, 2));
    assert!(fault.is_some());
    let fault = forged(&dots(&[1]), 1, |rows, _| rows[0].b.swap(1, 2));
    assert!(fault.is_some());
}

#[test]
fn rows_moved_or_copied_are_rejected() {
    let edits: [fn(&mut [&mut Row]); 4] = [
        // Two calls exchange their second rows, or the words that these read.
        |rows| {
            let (second, fourth) = (*rows[1], *rows[3]);
            (*rows[1], *rows[3]) = (fourth, second);
        },
        |rows| {
            let (second, fourth) = (*rows[1], *rows[3]);
            (rows[1].a, rows[3].a) = (fourth.a, second.a);
        },
        // The rows of a call are in reverse order.
        |rows| {
            let (first, second) = (*rows[0], *rows[1]);
            (*rows[0], *rows[1]) = (second, first);
            (rows[0].continues, rows[1].continues) = (F::ZERO, F::ONE);
            (rows[0].remaining, rows[1].remaining) = (F::TWO, F::ONE);
        },
        // One row replaces both rows of a call.
        |rows| {
            *rows[1] = *rows[0];
            (rows[1].continues, rows[1].remaining) = (F::ONE, F::ONE);
        },
    ];
    for (index, edit) in edits.into_iter().enumerate() {
        let fault = forged(&dots(&[2, 2]), 4, |rows, _| edit(rows));
        assert!(fault.is_some(), "edit {index}");
    }
    // A call is made once and answered twice.
    assert!(forged(&dots(&[1]), 2, |rows, _| *rows[1] = *rows[0]).is_some());
}
