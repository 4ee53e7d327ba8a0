//! Traces as a dishonest prover would write them: other elements, blocks and addresses.

use droste_native::F;
use p3_field::{Field, PrimeCharacteristicRing, PrimeField32};

use super::super::trace::{after, set_element};
use super::{BinarySquaresTable, Row, Run, X, basis, bits, dense, element, lanes};
use crate::isa::id;
use crate::record::{Call, Execution};
use crate::tables::testing::{self, Tested};

impl Tested for BinarySquaresTable {
    /// Copies blocks again, and writes elements and copies to memory.
    fn recompute(rows: &mut [&mut Row], execution: &mut Execution) {
        let blocks = &mut execution.memory.blocks;
        for row in rows {
            let read = blocks.get(row.other_address.as_canonical_u32() as usize);
            row.other = read.copied().unwrap_or_default();
            let flags = [row.starts_conjugates, row.starts_points];
            if flags == [F::ZERO; 2] && !continues(row) {
                continue;
            }
            let out = row.out_address.as_canonical_u32() as usize;
            if let Some([element, copy]) = blocks.get_mut(out..out + 2) {
                (*element, *copy) = (lanes(row.element), row.other);
            }
        }
    }
}

pub(super) fn continues(row: &Row) -> bool {
    [row.continues_conjugates, row.continues_points] != [F::ZERO; 2]
}

/// Returns what is wrong with `height` rows of a run after an edit, when memory holds what the
/// edited rows write.
pub(super) fn forged(
    run: &Run,
    height: usize,
    edit: impl FnOnce(&mut [&mut Row], &mut Execution),
) -> Option<String> {
    testing::forged::<BinarySquaresTable>(run, height, edit)
}

/// Asserts that a constraint refuses the trace, and not a message.
#[track_caller]
pub(super) fn assert_violated(fault: &Option<String>) {
    let fault = fault.as_deref().unwrap_or("nothing");
    assert!(fault.contains("constraint"), "{fault} is wrong");
}

pub(super) fn value(bits: &[F]) -> u128 {
    element(&lanes(std::array::from_fn(|i| bits[i])))
}

/// Sets the elements of rows from the first one of a call on.
fn set_elements(rows: &mut [&mut Row], elements: impl IntoIterator<Item = u128>) {
    for (row, x) in rows.iter_mut().zip(elements) {
        set_element(row, x);
    }
}

/// Returns the elements of a call whose first one this is.
fn chain(first: u128, is_points: bool) -> impl Iterator<Item = u128> {
    std::iter::successors(Some(first), move |&x| Some(after(x, is_points)))
}

pub(super) fn call(run: &mut Execution, identity: u32) -> &mut Call {
    &mut run.calls[identity as usize][0]
}

/// Sets the integers that remain of a position.
fn set_position(rows: &mut [&mut Row], run: &mut Execution, position: u32) {
    call(run, id::BINARY_POINTS).a = F::from_u32(position);
    for (j, row) in rows.iter_mut().enumerate() {
        row.operand = F::from_u32(position >> j);
    }
}

#[test]
fn unedited_forgeries_are_honest() {
    assert_eq!(forged(&super::mixed(), 16, |_, _| ()), None);
    assert_eq!(forged(&Run::new().conjugates(X, 4), 4, |_, _| ()), None);
    assert_eq!(forged(&Run::new().points(11, 4), 4, |_, _| ()), None);
    // The forgery of the points of another position, with that position.
    let fault = forged(&Run::new().points(0b1011, 4), 4, |rows, run| {
        set_elements(rows, chain(point(0b0111), true));
        set_position(rows, run, 0b0111);
    });
    assert_eq!(fault, None);
}

/// The point of a position.
fn point(position: u32) -> u128 {
    let listed = basis().into_iter().enumerate();
    let listed = listed.filter(|(i, _)| position >> i & 1 == 1);
    listed.fold(0, |sum, (_, v)| sum ^ v)
}

#[test]
fn another_position_is_rejected() {
    let run = Run::new().points(0b1011, 4);
    for other in (0..16).filter(|&other| other != 0b1011) {
        // The points of the call's position, for another one; its own bits, or others.
        let mut faults = vec![
            forged(&run, 4, |rows, run| set_position(rows, run, other)),
            forged(&run, 4, |rows, run| {
                set_position(rows, run, other);
                for (j, row) in rows.iter_mut().enumerate() {
                    row.bit = F::from_u32(other >> j & 1);
                }
            }),
        ];
        // The points of another position, which is the call's shifted by 1 in a row and by what
        // leads there in those above; their own bits, or those of the call.
        faults.push(forged(&run, 4, |rows, _| {
            set_elements(rows, chain(point(other), true));
        }));
        faults.push(forged(&run, 4, |rows, _| {
            let bits: [F; 4] = std::array::from_fn(|j| rows[j].bit);
            set_elements(rows, chain(point(other), true));
            for (row, bit) in rows.iter_mut().zip(bits) {
                row.bit = bit;
            }
        }));
        faults.iter().for_each(assert_violated);
    }
    // The call is about another position than the rows.
    let fault = forged(&run, 4, |_, run| call(run, id::BINARY_POINTS).a += F::ONE);
    assert!(fault.is_some());
}

/// Points that are shifted by an element that the map does not lead to zero: their bits and their
/// map are right.
#[test]
fn points_of_another_coset_are_rejected() {
    let basis = basis();
    for n in 1..=4_usize {
        let run = Run::new().points(0b1011 % (1 << n), n as u32);
        for shift in [basis[n], basis[n] ^ basis[n + 1], basis[23]] {
            let fault = forged(&run, n.next_power_of_two(), |rows, _| {
                let first = value(&rows[0].element) ^ shift;
                set_elements(&mut rows[..n], chain(first, true));
                for row in &rows[..n] {
                    assert_eq!(
                        row.bit,
                        F::from_bool(row.operand.as_canonical_u32() & 1 == 1)
                    );
                }
            });
            assert_violated(&fault);
        }
    }
    // Positions with more bits than there are points.
    let fault = forged(&Run::new().points(0b011, 3), 4, |rows, run| {
        set_elements(&mut rows[..3], chain(point(0b1011), true));
        set_position(&mut rows[..3], run, 0b1011);
    });
    assert_violated(&fault);
    let fault = forged(&Run::new().points(0b011, 3), 4, |rows, run| {
        set_position(&mut rows[..3], run, 0b1011);
    });
    assert_violated(&fault);
}

/// One element is shifted, and those below it, or above it, are not.
#[test]
fn elements_that_do_not_follow_are_rejected() {
    for (run, is_points) in [
        (Run::new().points(0b1011, 4), true),
        (Run::new().conjugates(X, 4), false),
    ] {
        for row in 1..4 {
            for shift in [1, 2, 1 << 29, 1 << 30, 1 << 119, 1 << 120, 1 << 127] {
                // From the row on, what follows is right, but for the last point, which is not zero
                // or one: that alone does not find a shift by one.
                let fault = forged(&run, 4, |rows, _| {
                    let first = value(&rows[row].element) ^ shift;
                    set_elements(&mut rows[row..], chain(first, is_points));
                });
                assert_violated(&fault);
                let fault = forged(&run, 4, |rows, _| {
                    let x = value(&rows[row].element) ^ shift;
                    set_element(rows[row], x);
                });
                assert_violated(&fault);
            }
        }
    }
    // Points with the bits of the position, of which one is shifted by one: the next is the same.
    for row in 0..4 {
        let fault = forged(&Run::new().points(0b1011, 4), 4, |rows, run| {
            let x = value(&rows[row].element) ^ 1;
            set_element(rows[row], x);
            set_position(rows, run, 0b1011 ^ (1 << row));
        });
        assert_eq!(fault.is_none(), row == 0, "row {row}: {fault:?}");
    }
}

#[test]
fn a_skipped_square_is_rejected() {
    for skipped in 1..4 {
        let fault = forged(&Run::new().conjugates(X, 4), 4, |rows, _| {
            let powers = chain(X, false).skip(skipped + 1);
            set_elements(&mut rows[skipped..], powers);
        });
        assert_violated(&fault);
    }
    // Squares among points, and sums among conjugates.
    let fault = forged(&Run::new().conjugates(X, 4), 4, |rows, _| {
        set_elements(rows, chain(X, true));
    });
    assert_violated(&fault);
    let fault = forged(&Run::new().points(11, 4), 4, |rows, _| {
        let first = value(&rows[0].element);
        set_elements(rows, chain(first, false));
    });
    assert_violated(&fault);
    // The square of another element.
    let fault = forged(&Run::new().conjugates(X, 2), 2, |rows, _| {
        let other = after(X ^ (1 << 77), false);
        rows[0].square = bits(other);
        set_element(rows[1], other);
    });
    assert_violated(&fault);
}

/// Bits that are none, but make the lanes of a block and have a parity.
#[test]
fn bits_that_are_none_are_rejected() {
    // Twice bit 1 is bit 2, of another element. Its square would be zero.
    let fault = forged(&Run::new().conjugates(4, 2), 2, |rows, _| {
        rows[0].element = bits(0);
        rows[0].element[1] = F::TWO;
        rows[0].square = bits(0);
        set_element(rows[1], 0);
    });
    assert_violated(&fault);
    // The square of this element is one less: bit 0 is 2 and bit 1 is -1, so that both are zero.
    let x = 1 | 1 << 64;
    let fault = forged(&Run::new().conjugates(x, 2), 2, |rows, _| {
        let other = after(x, false) ^ 2;
        assert_eq!(other & 3, 0);
        (rows[0].square[0], rows[0].square[1]) = (F::TWO, -F::ONE);
        set_element(rows[1], other);
    });
    assert_violated(&fault);
    // The sum of bits without its parity.
    let fault = forged(&Run::new().conjugates(x, 1), 1, |rows, _| {
        rows[0].square[0] = F::TWO;
    });
    assert_violated(&fault);
    // A bit of the position that is none: halves of other positions.
    let half = F::TWO.inverse();
    for bit in [F::TWO, -F::ONE, half, -half] {
        for row in 0..3 {
            let fault = forged(&Run::new().points(5, 3), 4, |rows, run| {
                rows[row].bit = bit;
                let mut position = F::ZERO;
                for row in rows[..3].iter_mut().rev() {
                    position = position.double() + row.bit;
                    row.operand = position;
                }
                call(run, id::BINARY_POINTS).a = position;
            });
            assert_violated(&fault);
        }
    }
}

#[test]
fn another_element_or_result_is_rejected() {
    // The rows are about another element than the call.
    let fault = forged(&Run::new().conjugates(X, 3), 4, |rows, _| {
        set_elements(&mut rows[..3], chain(X ^ 1, false));
    });
    assert!(fault.is_some());
    // The blocks of no element.
    for (lane, value) in [(0, 1 << 30), (3, 1 << 30), (4, 256), (5, 1), (7, 1)] {
        let fault = forged(&Run::new().conjugates(X, 3), 4, |_, run| {
            let from = call(run, id::BINARY_CONJUGATES).a.as_canonical_u32();
            run.memory.blocks[from as usize][lane] += F::from_u32(value);
        });
        assert!(fault.is_some(), "lane {lane}");
    }
    // Memory has other results.
    for (run, height) in [
        (Run::new().conjugates(X, 3), 4),
        (Run::new().points(5, 3), 4),
    ] {
        let [.., first, _] = run.calls[0].1;
        for block in first..first + 6 {
            for lane in 0..8 {
                let fault =
                    testing::forge::<BinarySquaresTable>(run.execution(), height, |_, run| {
                        run.memory.blocks[block as usize][lane] += F::ONE
                    });
                assert!(fault.is_some(), "block {block}, lane {lane}");
            }
        }
    }
}

#[test]
fn another_copied_block_is_rejected() {
    let run = |kind: u32| match kind {
        0 => Run::new().conjugates(X, 3),
        _ => Run::new().points(5, 3),
    };
    for kind in 0..2 {
        for row in 0..3 {
            // From this row on, or on this one alone, the block before or after.
            for step in [F::ONE, -F::ONE] {
                let from = |rows: &mut [&mut Row], to: usize| {
                    for row in &mut rows[row..to] {
                        row.other_address += step;
                    }
                };
                assert!(forged(&run(kind), 4, |rows, _| from(rows, 3)).is_some());
                assert!(forged(&run(kind), 4, |rows, _| from(rows, row + 1)).is_some());
            }
            // Another block, which is not at the address.
            let fault =
                testing::forge::<BinarySquaresTable>(run(kind).execution(), 4, |rows, run| {
                    rows[row].other = dense(99);
                    let out = rows[row].out_address.as_canonical_u32() as usize;
                    run.memory.blocks[out + 1] = rows[row].other;
                });
            assert!(fault.is_some());
        }
    }
    // One block for all points, or one after the other for conjugates.
    for kind in 0..2 {
        let fault = forged(&run(kind), 4, |rows, _| {
            let first = rows[0].other_address;
            for (j, row) in rows[..3].iter_mut().enumerate() {
                row.other_address = first + F::from_usize(if kind == 0 { j } else { 0 });
            }
        });
        assert_violated(&fault);
    }
}

#[test]
fn other_addresses_of_results_are_rejected() {
    for run in [Run::new().conjugates(X, 3), Run::new().points(5, 3)] {
        for row in 0..3 {
            for step in [F::ONE, F::TWO, -F::TWO] {
                let fault = forged(&run, 4, |rows, run| {
                    run.memory.blocks.extend_from_within(..);
                    for row in &mut rows[row..3] {
                        row.out_address += step;
                    }
                });
                assert!(fault.is_some(), "row {row}, {step} further");
            }
        }
    }
}
