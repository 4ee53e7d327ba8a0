//! Traces as a dishonest prover would write them: chains of rows that are none, and other flags.

use droste_native::F;
use p3_field::PrimeCharacteristicRing;

use super::super::trace::{after, set_element};
use super::forgeries::{assert_violated, call, forged, value};
use super::{Row, Run, X, dense};
use crate::isa::id;
use crate::record::Call;

#[test]
fn calls_of_another_length_are_rejected() {
    for (n, asked) in [(3_u32, 4_u32), (3, 2), (3, 0), (1, 0), (1, 2), (2, 3)] {
        for kind in [id::BINARY_CONJUGATES, id::BINARY_POINTS] {
            let run = match kind {
                id::BINARY_CONJUGATES => Run::new().conjugates(X, n),
                _ => Run::new().points(1, n),
            };
            for height in [n.next_power_of_two() as usize, 8] {
                // The rows count down from what is asked, or the first says it, and the others are
                // as they were.
                for counted in [n as usize, 1] {
                    let fault = forged(&run, height, |rows, run| {
                        call(run, kind).e = F::from_u32(asked);
                        for (i, row) in rows.iter_mut().take(counted).enumerate() {
                            row.remaining = F::from_u32(asked) - F::from_usize(i);
                        }
                    });
                    assert_violated(&fault);
                }
            }
        }
    }
}

/// A chain whose last row is not the call's: the rest of its rows are those of no call.
#[test]
fn a_chain_cut_or_open_is_rejected() {
    for run in [Run::new().conjugates(X, 3), Run::new().points(5, 3)] {
        // The table ends, at a row that is followed by the first one or by itself.
        for height in 1..3 {
            let fault = forged(&run, height, |_, _| ());
            assert!(fault.is_some(), "height {height}");
        }
        for cut in 1..3 {
            // Padding follows, or the rest as a call of its own.
            assert!(forged(&run, 4, |rows, _| clear(&mut rows[cut..3])).is_some());
            let fault = forged(&run, 4, |rows, _| {
                let row = &mut rows[cut];
                (row.starts_conjugates, row.starts_points) =
                    (row.continues_conjugates, row.continues_points);
                (row.continues_conjugates, row.continues_points) = (F::ZERO, F::ZERO);
            });
            assert!(fault.is_some(), "cut at {cut}");
        }
    }
}

fn clear(rows: &mut [&mut Row]) {
    for row in rows {
        row.starts_conjugates = F::ZERO;
        row.starts_points = F::ZERO;
        row.continues_conjugates = F::ZERO;
        row.continues_points = F::ZERO;
    }
}

#[test]
fn a_chain_entered_in_the_middle_is_rejected() {
    for identity in [id::BINARY_CONJUGATES, id::BINARY_POINTS] {
        let is_points = identity == id::BINARY_POINTS;
        let run = match is_points {
            true => Run::new().points(5, 3),
            false => Run::new().conjugates(X, 3),
        };
        let set_continues = |row: &mut Row| {
            row.continues_conjugates = F::from_bool(!is_points);
            row.continues_points = F::from_bool(is_points);
        };
        // No call was made: the first row continues one, of which there is none above it, in the
        // ring or below padding.
        let fault = forged(&run, 4, |rows, run| {
            run.calls[identity as usize].clear();
            clear(&mut rows[..1]);
            set_continues(rows[0]);
        });
        assert_violated(&fault);
        let fault = forged(&run, 4, |rows, run| {
            run.calls[identity as usize].clear();
            let padding = *rows[3];
            *rows[0] = padding;
        });
        assert_violated(&fault);
        // The last row, which is padding, continues a call; as if it had one more row, or by
        // itself.
        for is_longer in [true, false] {
            let fault = forged(&run, 4, |rows, _| {
                let above = *rows[2];
                set_continues(rows[3]);
                rows[3].out_address = above.out_address + F::TWO;
                rows[3].other_address = above.other_address + F::from_bool(is_points);
                rows[3].operand = if is_points { F::ZERO } else { above.operand };
                let x = after(value(&above.element), is_points);
                set_element(rows[3], x);
                if is_longer {
                    rows[3].remaining = above.remaining - F::ONE;
                }
            });
            assert_violated(&fault);
        }
        // A call goes on from the table's last row to its first, and ends below that.
        let run = match is_points {
            true => Run::new().points(5, 4),
            false => Run::new().conjugates(X, 4),
        };
        let fault = forged(&run, 4, |rows, _| {
            let moved = [2, 3, 0, 1].map(|row| *rows[row]);
            for (row, moved) in rows.iter_mut().zip(moved) {
                **row = moved;
            }
        });
        assert_violated(&fault);
    }
}

/// The rows of one kind of call continue one of the other.
#[test]
fn a_chain_of_both_kinds_is_rejected() {
    for run in [Run::new().conjugates(1, 3), Run::new().points(1, 3)] {
        for row in 1..3 {
            let fault = forged(&run, 4, |rows, _| {
                for row in &mut rows[row..3] {
                    std::mem::swap(&mut row.continues_conjugates, &mut row.continues_points);
                }
                for j in row..3 {
                    let above = *rows[j - 1];
                    let is_points = rows[j].continues_points == F::ONE;
                    let x = after(value(&above.element), is_points);
                    set_element(rows[j], x);
                    rows[j].other_address = above.other_address + F::from_bool(is_points);
                }
                for j in (0..2).rev() {
                    rows[j].operand = match rows[j + 1].continues_points == F::ONE {
                        true => rows[j + 1].operand.double() + rows[j].bit,
                        false => rows[j + 1].operand,
                    };
                }
            });
            assert_violated(&fault);
        }
    }
}

/// Flags that are minus one, or two that are one, so that a row is of no call or of two.
#[test]
fn other_flags_are_rejected() {
    // A row of no call, below the last row of one, answers a call of no elements.
    let fault = forged(&Run::new().conjugates(1, 1), 2, |rows, run| {
        let mut row = *rows[0];
        row.continues_conjugates = -F::ONE;
        row.out_address += F::TWO;
        row.remaining = F::ZERO;
        *rows[1] = row;
        run.memory.blocks.extend([[F::ZERO; 8]; 2]);
        let mut more = *call(run, id::BINARY_CONJUGATES);
        (more.d, more.e) = (row.out_address, F::ZERO);
        run.calls[id::BINARY_CONJUGATES as usize].push(more);
    });
    assert_violated(&fault);
    // A row continues a call and answers another one, for the rest of its elements.
    let fault = forged(&Run::new().points(2, 2), 2, |rows, run| {
        rows[1].starts_points = F::ONE;
        let rest = Call {
            a: rows[1].operand,
            b: rows[1].other_address,
            c: F::ZERO,
            d: rows[1].out_address,
            e: F::ONE,
        };
        run.calls[id::BINARY_POINTS as usize].push(rest);
    });
    assert_violated(&fault);
    // A row answers calls of both kinds, or one whose identity is 26: that of another table.
    let mut run = Run::new();
    run.push([dense(1)]);
    for flags in [[F::ONE, F::ONE], [F::TWO, -F::ONE]] {
        let fault = forged(&run.clone().conjugates(1, 1), 1, |rows, _| {
            [rows[0].starts_conjugates, rows[0].starts_points] = flags;
            // As of a point, address and bit are the position.
            assert_eq!(rows[0].operand, rows[0].bit);
        });
        assert_violated(&fault);
    }
    // A row is of a call for what it writes, but not for what it reads.
    let fault = forged(&Run::new().conjugates(X, 1), 1, |rows, _| {
        rows[0].starts_conjugates = F::ZERO;
        rows[0].continues_conjugates = F::ONE;
    });
    assert_violated(&fault);
}

#[test]
fn calls_are_answered_once() {
    let run = Run::new().conjugates(X, 1).conjugates(X, 1);
    assert!(forged(&run, 2, |rows, _| *rows[1] = *rows[0]).is_some());
    let run = Run::new().points(2, 2);
    let copied = forged(&run, 4, |rows, _| {
        (*rows[2], *rows[3]) = (*rows[0], *rows[1])
    });
    assert!(copied.is_some());
    assert!(forged(&run, 4, |rows, _| clear(&mut rows[..2])).is_some());
}

#[test]
fn rows_moved_are_rejected() {
    let swap = |rows: &mut [&mut Row], i: usize, j: usize| {
        let (first, second) = (*rows[i], *rows[j]);
        (*rows[i], *rows[j]) = (second, first);
    };
    // Two calls exchange their second rows; rows of a call are in another order.
    for (i, j) in [(1, 3), (0, 1), (5, 7), (4, 5), (1, 5)] {
        let run = Run::new().conjugates(X, 2).conjugates(!X, 2);
        let run = run.points(1, 2).points(2, 2);
        assert!(
            forged(&run, 8, |rows, _| swap(rows, i, j)).is_some(),
            "{i}, {j}"
        );
        let fault = forged(&run, 8, |rows, _| {
            let (first, second) = (value(&rows[i].element), value(&rows[j].element));
            set_element(rows[i], second);
            set_element(rows[j], first);
        });
        assert!(fault.is_some(), "elements of {i}, {j}");
    }
}
