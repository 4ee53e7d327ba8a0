//! Traces as a dishonest prover would write them.

use droste_native::precompile::{ext_from_block, ext_to_block, power_weights};
use droste_native::{EF, F};
use p3_field::{BasedVectorSpace, Field, PrimeCharacteristicRing, PrimeField32};

use super::super::trace::{accumulate, coefficients};
use super::{PowerWeightsTable, Row, mixed, run, subgroup};
use crate::isa::id;
use crate::record::Execution;
use crate::tables::testing::{Bench, Tested, forge};

impl Tested for PowerWeightsTable {
    /// Computes again what accumulates along the rows, the coordinates that they read and the
    /// results that memory has.
    fn recompute(rows: &mut [&mut Row], run: &mut Execution) {
        let mut from = 0;
        while from < rows.len() {
            let rest = rows[from + 1..].iter();
            let length = 1 + rest.take_while(|row| row.continues == F::ONE).count();
            for row in &mut rows[from..from + length] {
                let block = run
                    .memory
                    .blocks
                    .get(row.address.as_canonical_u32() as usize);
                let block = block.copied().unwrap_or_default();
                row.coordinate = std::array::from_fn(|i| block[i]);
                row.factor = F::ONE + row.bit * (row.generator - F::ONE);
            }
            let is_real = rows[from].starts + rows[from].continues == F::ONE;
            if is_real {
                accumulate(&mut rows[from..from + length]);
            }
            if rows[from].starts == F::ONE {
                let out = rows[from].out_address.as_canonical_u32() as usize;
                run.memory.blocks[out][..5].copy_from_slice(&rows[from].product);
            }
            from += length;
        }
    }
}

/// Returns what is wrong with `height` rows of a run after an edit of the rows and the run, once
/// what depends on them has been computed again.
pub(super) fn forged(
    run: Execution,
    height: usize,
    edit: impl FnOnce(&mut [&mut Row], &mut Execution),
) -> Option<String> {
    forge::<PowerWeightsTable>(run, height, |rows, run| {
        edit(rows, run);
        PowerWeightsTable::recompute(rows, run);
    })
}

/// Whether a constraint refuses the trace, and not a message.
fn violated(fault: &Option<String>) -> bool {
    fault
        .as_ref()
        .is_some_and(|fault| fault.contains("constraint"))
}

fn element_of(coefficients: [F; 5]) -> EF {
    EF::from_basis_coefficients_fn(|i| coefficients[i])
}

/// The factor of a row's coordinate in the result.
fn factor_of(row: &Row) -> EF {
    element_of(row.coordinate) * (row.power - F::ONE) + EF::ONE
}

/// Writes the powers of rows whose call has this point.
fn set_powers(rows: &mut [&mut Row], point: F) {
    let mut power = point;
    for row in rows {
        row.power = power;
        power = power.square();
    }
}

#[test]
fn unedited_forgeries_are_honest() {
    assert_eq!(forged(mixed(), 16, |_, _| ()), None);
    assert_eq!(forged(run(&[(4, subgroup(4), 11)]), 4, |_, _| ()), None);
}

#[test]
fn another_point_is_rejected() {
    let g = subgroup(4);
    for point in [F::ZERO, F::ONE, g, g.exp_u64(11) + F::ONE, -g.exp_u64(11)] {
        let fault = forged(run(&[(4, g, 11)]), 4, |rows, _| set_powers(rows, point));
        assert!(fault.is_some(), "{point}");
    }
    // The point of other bits.
    let fault = forged(run(&[(4, g, 11)]), 4, |rows, _| {
        rows[1].bit = F::ZERO;
        set_powers(rows, g.exp_u64(9));
    });
    assert!(fault.is_some());
    // A row's point is twice what the rows below make it, so the call's point is, too.
    for at in 0..4 {
        let doubled = |rows: &mut [&mut Row], run: &mut Execution| {
            for row in &mut rows[..=at] {
                row.point = row.point.double();
            }
            let point = rows[0].point;
            set_powers(rows, point);
            let mut product = EF::ONE;
            for row in rows.iter_mut().rev() {
                row.below = coefficients(product);
                product *= factor_of(row);
                row.product = coefficients(product);
            }
            run.memory.blocks[24] = ext_to_block(product);
        };
        let fault = forge::<PowerWeightsTable>(run(&[(4, g, 11)]), 4, doubled);
        assert!(violated(&fault), "row {at}: {fault:?}");
    }
}

#[test]
fn powers_that_are_no_squares_are_rejected() {
    let g = subgroup(4);
    // From row 1 on, other powers of the point, and of the generator.
    for row in 1..4 {
        let fault = forged(run(&[(4, g, 11)]), 4, |rows, _| {
            let power = -rows[row].power;
            set_powers(&mut rows[row..], power);
        });
        assert!(fault.is_some(), "row {row}");
        let fault = forged(run(&[(4, g, 0)]), 4, |rows, _| {
            rows[row].generator += F::ONE;
        });
        assert!(fault.is_some(), "row {row}");
    }
}

#[test]
fn exponents_of_too_many_bits_are_rejected() {
    let g = subgroup(5);
    let half = F::TWO.inverse();
    for exponent in [8_u32, 9, 15, 16, 1 << 24] {
        // What remains of the exponent on the last row, and a bit that is as large.
        for edit in 0..3 {
            let fault = forged(run(&[(3, g, exponent % 8)]), 4, |rows, run| {
                run.calls[id::POWER_WEIGHTS as usize][0].c = F::from_u32(exponent);
                for (i, row) in rows.iter_mut().enumerate().take(3) {
                    row.exponent = F::from_u32(exponent >> i);
                }
                if edit == 1 {
                    rows[2].bit = rows[2].exponent;
                } else if edit == 2 {
                    // Halves of field elements end in a bit.
                    rows[2].exponent = rows[2].bit;
                    rows[1].exponent = (rows[0].exponent - rows[0].bit) * half;
                    rows[1].bit = rows[1].exponent - rows[2].exponent.double();
                }
                set_powers(rows, g.exp_u64(exponent.into()));
            });
            assert!(fault.is_some(), "{exponent}, {edit}");
        }
        let coordinates = [EF::ONE; 3];
        assert!(power_weights(&coordinates, g, F::from_u32(exponent)).is_err());
    }
    // The call has another exponent than the rows.
    let fault = forged(run(&[(3, g, 5)]), 4, |_, run| {
        run.calls[id::POWER_WEIGHTS as usize][0].c = F::from_u32(4);
    });
    assert!(fault.is_some());
}

/// Bits that are none, for exponents that are larger, or the halves of others as field elements.
#[test]
fn bits_that_are_none_are_rejected() {
    let g = subgroup(5);
    let half = F::TWO.inverse();
    for bits in [[F::TWO], [-F::ONE], [half]].map(|[bit]| [F::ONE, F::ZERO, bit]) {
        for at in 0..3 {
            let fault = forged(run(&[(3, g, 1)]), 4, |rows, run| {
                let mut exponent = F::ZERO;
                let mut point = F::ONE;
                for i in (0..3).rev() {
                    rows[i].bit = bits[(i + 2 - at) % 3];
                    exponent = exponent.double() + rows[i].bit;
                    rows[i].exponent = exponent;
                    point *= F::ONE + rows[i].bit * (rows[i].generator - F::ONE);
                }
                run.calls[id::POWER_WEIGHTS as usize][0].c = exponent;
                set_powers(&mut rows[..3], point);
            });
            assert!(violated(&fault), "{bits:?}, {at}: {fault:?}");
        }
    }
}

#[test]
fn another_result_is_rejected() {
    let honest = run(&[(3, subgroup(3), 6)]);
    // Memory has another result, or lanes above the coefficients.
    for lane in 0..8 {
        let mut false_run = honest.clone();
        false_run.memory.blocks[24][lane] += F::ONE;
        let bench = Bench::<PowerWeightsTable>::new(&false_run);
        assert!(bench.fault(&bench.trace_of(1)).is_some(), "lane {lane}");
    }
    // What is below a row is not the next row's product, or not one below the last row.
    for at in 0..3 {
        for i in 0..5 {
            let below_is_another = |rows: &mut [&mut Row], run: &mut Execution| {
                let mut product = EF::ONE;
                for (index, row) in rows[..3].iter_mut().enumerate().rev() {
                    row.below = coefficients(product);
                    if index == at {
                        row.below[i] += F::ONE;
                    }
                    product = element_of(row.below) * factor_of(row);
                    row.product = coefficients(product);
                }
                run.memory.blocks[24] = ext_to_block(product);
            };
            let fault = forge::<PowerWeightsTable>(honest.clone(), 4, below_is_another);
            assert!(violated(&fault), "row {at}, coefficient {i}: {fault:?}");
        }
    }
    // One call with two results: the second is at another address, or from other coordinates.
    for operand in ["out_address", "address"] {
        let fault = forged(run(&[(2, subgroup(2), 3)]), 4, |rows, run| {
            run.memory.blocks.extend_from_within(..);
            (*rows[2], *rows[3]) = (*rows[0], *rows[1]);
            for row in &mut rows[2..] {
                if operand == "address" {
                    row.address += F::ONE;
                }
                row.out_address += F::from_u8(32);
            }
        });
        assert!(fault.is_some(), "{operand}");
    }
    // The result of the rows below is written, too.
    let fault = forged(honest.clone(), 4, |rows, run| {
        run.memory.blocks.extend_from_within(..);
        (rows[1].starts, rows[1].continues) = (F::ONE, F::ZERO);
        rows[1].out_address = F::from_u8(56);
        rows[2].out_address = F::from_u8(56);
    });
    assert!(fault.is_some());
    // Rows of one call name two results.
    assert!(forged(honest, 4, |rows, _| rows[1].out_address += F::ONE).is_some());
}

#[test]
fn other_coordinates_are_rejected() {
    let g = subgroup(3);
    // Two rows exchange their coordinates; one coordinate is read twice; a coordinate of another
    // call.
    for addresses in [[0_u8, 2, 1], [1, 0, 2], [0, 0, 2], [0, 1, 1], [0, 1, 32]] {
        let fault = forged(run(&[(3, g, 6), (1, g, 1)]), 4, |rows, _| {
            for (row, address) in rows.iter_mut().zip(addresses) {
                row.address = F::from_u8(address);
            }
        });
        assert!(fault.is_some(), "{addresses:?}");
    }
    // A coordinate's block with a lane above the coefficients.
    let mut false_run = run(&[(3, g, 6)]);
    false_run.memory.blocks[1][5] = F::ONE;
    let bench = Bench::<PowerWeightsTable>::new(&false_run);
    assert!(bench.fault(&bench.trace_of(1)).is_some());
    assert!(ext_from_block::<EF>(&false_run.memory.blocks[1]).is_err());
}

#[test]
fn calls_of_another_length_are_rejected() {
    let g = subgroup(4);
    for (n, asked) in [(3_u32, 4_u32), (3, 2), (3, 0), (1, 0), (1, 2), (2, 3)] {
        for height in [n.next_power_of_two() as usize, 8] {
            let fault = forged(run(&[(n, g, 1)]), height, |rows, run| {
                run.calls[id::POWER_WEIGHTS as usize][0].e = F::from_u32(asked);
                for (i, row) in rows.iter_mut().take(n as usize).enumerate() {
                    row.remaining = F::from_u32(asked) - F::from_usize(i);
                }
            });
            assert!(fault.is_some(), "{n} rows, {asked} asked, height {height}");
        }
    }
    // The call asks for more rows than the table has.
    let fault = forged(run(&[(2, g, 1)]), 2, |rows, run| {
        run.calls[id::POWER_WEIGHTS as usize][0].e = F::from_u32(3);
        (rows[0].remaining, rows[1].remaining) = (F::from_u32(3), F::TWO);
    });
    assert!(fault.is_some());
}

#[test]
fn a_chain_entered_in_the_middle_is_rejected() {
    let g = subgroup(2);
    let mut faults = Vec::new();
    for is_called in [true, false] {
        let mut continues = |calls: &[(u32, F, u32)], height: usize, at: usize, chained: bool| {
            faults.push(forged(run(calls), height, |rows, run| {
                (rows[at].starts, rows[at].continues) = (F::ZERO, F::ONE);
                if chained {
                    let above = *rows[at - 1];
                    rows[at].address = above.address + F::ONE;
                    rows[at].out_address = above.out_address;
                    rows[at].remaining = above.remaining - F::ONE;
                    rows[at].generator = above.generator.square();
                    rows[at].power = above.power.square();
                    rows[at].exponent = (above.exponent - above.bit).halve();
                }
                if !is_called {
                    run.calls[id::POWER_WEIGHTS as usize].pop();
                }
            }));
        };
        // Row 0 continues a call, then a row below the last row of another call does.
        continues(&[(1, g, 1)], 1, 0, false);
        continues(&[(1, g, 1)], 2, 0, false);
        continues(&[(2, g, 1)], 2, 0, false);
        continues(&[(1, g, 1), (1, g, 0)], 2, 1, false);
        continues(&[(1, g, 1), (1, g, 0)], 2, 1, true);
        // Padding continues a call.
        continues(&[(3, g, 5)], 4, 3, false);
        continues(&[(3, g, 5)], 4, 3, true);
    }
    // A call goes on from the table's last row to its first.
    faults.push(forged(run(&[(2, g, 1)]), 2, |rows, _| {
        let (first, second) = (*rows[0], *rows[1]);
        (*rows[0], *rows[1]) = (second, first);
    }));
    // A call goes on below padding.
    faults.push(forged(run(&[(2, g, 1)]), 4, |rows, _| {
        let (second, padding) = (*rows[1], *rows[2]);
        (*rows[1], *rows[2]) = (padding, second);
    }));
    // No row starts the call, which was not made.
    faults.push(forged(run(&[(2, g, 1)]), 2, |rows, run| {
        rows[0].starts = F::ZERO;
        run.calls[id::POWER_WEIGHTS as usize].clear();
    }));
    // A row starts a call and continues another.
    faults.push(forged(run(&[(2, g, 1)]), 2, |rows, _| {
        rows[1].starts = F::ONE
    }));
    // A call is made once and answered twice, or not at all.
    faults.push(forged(run(&[(1, g, 1)]), 2, |rows, _| *rows[1] = *rows[0]));
    faults.push(forged(run(&[(1, g, 1)]), 2, |rows, _| *rows[0] = *rows[1]));
    assert!(faults.iter().all(Option::is_some), "{faults:?}");
}

/// Flags that are minus one or both one, so that a row of a call counts as none, or as two.
#[test]
fn other_flags_are_rejected() {
    let g = subgroup(3);
    // The first row's call goes on in a row of no call, which needs nothing of the rows below it.
    // It sends a call, which a third row answers. So the point may be one instead of `g^2`.
    let sends = |rows: &mut [&mut Row], run: &mut Execution| {
        *rows[2] = *rows[1];
        (rows[2].starts, rows[2].continues) = (F::ONE, F::ZERO);
        rows[2].power = rows[2].point;
        rows[2].product = coefficients(factor_of(rows[2]));
        rows[1].starts = -F::ONE;
        let result = rows[2].product;
        for row in &mut rows[..2] {
            (row.point, row.power) = (F::ONE, F::ONE);
            (row.below, row.product) = (result, result);
        }
        run.memory.blocks[24][..5].copy_from_slice(&result);
    };
    let fault = forge::<PowerWeightsTable>(run(&[(2, g, 2)]), 4, sends);
    assert!(violated(&fault), "{fault:?}");

    // A row of no call, below the last row of one, answers a call of no coordinates.
    let answers = |rows: &mut [&mut Row], run: &mut Execution| {
        let mut row = *rows[0];
        row.continues = -F::ONE;
        row.address += F::ONE;
        row.remaining = F::ZERO;
        row.generator = row.generator.square();
        *rows[1] = row;
        let mut call = run.calls[id::POWER_WEIGHTS as usize][0];
        (call.a, call.b, call.e) = (row.address, row.generator, F::ZERO);
        run.calls[id::POWER_WEIGHTS as usize].push(call);
    };
    let fault = forge::<PowerWeightsTable>(run(&[(1, g, 0)]), 2, answers);
    assert!(violated(&fault), "{fault:?}");

    // A row continues a call and answers another one, for the rest of its coordinates. It has the
    // right point, since bit 0 is zero.
    let both = |rows: &mut [&mut Row], run: &mut Execution| {
        rows[1].starts = F::ONE;
        rows[1].coordinate = [F::ZERO; 5];
        run.memory.blocks[1] = [F::ZERO; 8];
        for row in rows.iter_mut() {
            row.point = F::ONE;
            row.power = F::ONE;
            row.below = coefficients(EF::ONE);
            row.product = row.below;
        }
        run.memory.blocks[24] = ext_to_block(EF::ONE);
        let mut call = run.calls[id::POWER_WEIGHTS as usize][0];
        (call.a, call.b) = (rows[1].address, rows[1].generator);
        (call.c, call.e) = (F::ZERO, F::ONE);
        run.calls[id::POWER_WEIGHTS as usize].push(call);
    };
    let fault = forge::<PowerWeightsTable>(run(&[(2, g, 0)]), 2, both);
    assert!(violated(&fault), "{fault:?}");
}

#[test]
fn rows_moved_or_copied_are_rejected() {
    let g = F::from_u32(3);
    let edits: [fn(&mut [&mut Row]); 4] = [
        // Two calls exchange their second rows, or what these rows count on.
        |rows| {
            let (second, fourth) = (*rows[1], *rows[3]);
            (*rows[1], *rows[3]) = (fourth, second);
        },
        |rows| {
            let (second, fourth) = (rows[1].bit, rows[3].bit);
            (rows[1].bit, rows[3].bit) = (fourth, second);
        },
        // The rows of a call are in reverse order.
        |rows| {
            let (first, second) = (*rows[0], *rows[1]);
            (*rows[0], *rows[1]) = (second, first);
            (rows[0].starts, rows[0].continues) = (F::ONE, F::ZERO);
            (rows[1].starts, rows[1].continues) = (F::ZERO, F::ONE);
            (rows[0].remaining, rows[1].remaining) = (F::TWO, F::ONE);
        },
        // One row replaces both rows of a call.
        |rows| {
            *rows[1] = *rows[0];
            (rows[1].starts, rows[1].continues) = (F::ZERO, F::ONE);
            rows[1].remaining = F::ONE;
        },
    ];
    for (index, edit) in edits.into_iter().enumerate() {
        let run = run(&[(2, g, 1), (2, g, 2)]);
        assert!(
            forged(run, 4, |rows, _| edit(rows)).is_some(),
            "edit {index}"
        );
    }
}
