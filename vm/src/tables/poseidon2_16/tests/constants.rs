//! Forgeries of the round constants: others than those that the program gives, on one row or on all.

use droste_native::F;
use droste_native::hash::poseidon2::Constants;
use p3_field::PrimeCharacteristicRing;

use super::{CONSTANTS, LOADS, Run, compression, drawn, path, sponge};
use crate::isa::id;
use crate::record::Call;
use crate::tables::LANES;
use crate::tables::testing::forged;

#[test]
fn another_constant_on_one_row_is_rejected() {
    for run in [path(2, 2), sponge(13, 0)] {
        for row in [0, LOADS - 1, LOADS, LOADS + 1] {
            // Of a first, a partial and a last full round.
            for constant in [0, 64, 83, 84, 147] {
                let fault = forged(&run, LOADS + 2, |rows, _| {
                    rows[row].constants[constant] += F::ONE;
                });
                assert!(fault.is_some(), "row {row}, constant {constant}");
            }
        }
    }
    // On all rows after those that load, and on all rows.
    for from in [0, LOADS] {
        let fault = forged(&path(2, 2), LOADS + 2, |rows, _| {
            rows[from..]
                .iter_mut()
                .for_each(|row| row.constants[70] += F::ONE);
        });
        assert!(fault.is_some(), "from row {from}");
    }
}

/// The program gives constants, and the prover takes the default ones or those of another seed.
#[test]
fn constants_of_another_instance_are_rejected() {
    for others in [Constants::<16>::default(), drawn(600)] {
        let others = others.elements();
        for from in [0, LOADS] {
            let fault = forged(&path(2, 2), LOADS + 2, |rows, _| {
                for row in &mut rows[from..] {
                    row.constants.copy_from_slice(&others);
                }
            });
            assert!(fault.is_some(), "from row {from}");
        }
        // The rows that load have them as inputs, too, which memory does not hold.
        let fault = forged(&path(2, 2), LOADS + 2, |rows, _| {
            for (index, row) in rows.iter_mut().enumerate() {
                row.constants.copy_from_slice(&others);
                if index < LOADS {
                    let read = others[16 * index..].iter().take(16);
                    let inputs = row.permutation.inputs.iter_mut();
                    inputs.zip(read).for_each(|(input, &x)| *input = x);
                }
            }
        });
        assert!(fault.is_some());
    }
}

#[test]
fn a_table_that_does_not_load_is_rejected() {
    // No row loads, and the call is not made, or is not answered.
    for is_called in [false, true] {
        let fault = forged(&path(2, 2), LOADS + 2, |rows, execution| {
            for row in &mut rows[..LOADS] {
                row.load = [F::ZERO; LOADS];
                row.permutation.inputs = [F::ZERO; 2 * LANES];
            }
            if !is_called {
                execution.calls[id::POSEIDON2_16_CONSTANTS as usize].clear();
            }
        });
        assert!(fault.is_some());
    }
    // Some rows do not, so that the constants of those are free.
    for row in 0..LOADS {
        for until in [row + 1, LOADS] {
            let fault = forged(&path(2, 2), LOADS + 2, |rows, _| {
                for row in &mut rows[row..until] {
                    row.load = [F::ZERO; LOADS];
                    row.permutation.inputs = [F::ZERO; 2 * LANES];
                }
                for other in rows.iter_mut() {
                    if let Some(constant) = other.constants.get_mut(16 * row) {
                        *constant += F::ONE;
                    }
                }
            });
            assert!(fault.is_some(), "rows {row} to {until}");
        }
    }
    // The rows that load are the last ones, below those that compute.
    let fault = forged(&path(2, 2), LOADS + 2, |rows, _| {
        let mut cells: Vec<_> = rows.iter().map(|row| **row).collect();
        cells.rotate_left(LOADS);
        rows.iter_mut()
            .zip(cells)
            .for_each(|(row, cells)| **row = cells);
    });
    assert!(fault.is_some());
    // They begin on the last rows and go on in row 0.
    let fault = forged(&path(2, 2), LOADS + 2, |rows, _| {
        let mut cells: Vec<_> = rows.iter().map(|row| **row).collect();
        cells.rotate_left(3);
        rows.iter_mut()
            .zip(cells)
            .for_each(|(row, cells)| **row = cells);
    });
    assert!(fault.is_some());
    // The table is too short for all of them.
    for height in [1, 2, 8, LOADS - 1] {
        assert!(forged(&Run::new(), height, |_, _| ()).is_some(), "{height}");
    }
}

#[test]
fn constants_from_another_address_are_rejected() {
    // All of them are others, which memory holds elsewhere.
    let mut run = Run::new();
    let other = run.push(drawn(600).blocks());
    run.calls[0].1[0] = other;
    assert_eq!(forged(&run, LOADS, |_, _| ()), None);
    let fault = forged(&run, LOADS, |_, execution| {
        execution.calls[id::POSEIDON2_16_CONSTANTS as usize][0].a = F::from_u32(CONSTANTS);
    });
    assert!(fault.is_some());
    // So they are if the column has the called address, on one row or on all.
    for rows_edited in [1, LOADS] {
        let fault = forged(&run, LOADS, |rows, execution| {
            for row in &mut rows[..rows_edited] {
                row.constants_address = F::from_u32(CONSTANTS);
            }
            execution.calls[id::POSEIDON2_16_CONSTANTS as usize][0].a = F::from_u32(CONSTANTS);
        });
        assert!(fault.is_some());
    }
    // One block is read from elsewhere, where memory has the same one.
    for row in 0..LOADS {
        for is_high in [false, true] {
            let mut run = Run::new();
            let block = CONSTANTS + 2 * row as u32 + u32::from(is_high);
            let held = run.blocks.get(block as usize).copied();
            let copy = run.push([held.unwrap_or_default()]);
            let fault = forged(&run, LOADS, |rows, _| {
                let path = &mut rows[row].path;
                let address = if is_high {
                    &mut path.high_address
                } else {
                    &mut path.low_address
                };
                *address = F::from_u32(copy);
            });
            // The last row reads one block.
            let is_read = !is_high || row + 1 < LOADS;
            assert_eq!(fault.is_some(), is_read, "row {row}, {is_high}");
        }
    }
    // Two rows change places.
    let fault = forged(&Run::new(), LOADS, |rows, _| {
        let [one, other] = [*rows[3], *rows[4]];
        (*rows[3], *rows[4]) = (other, one);
    });
    assert!(fault.is_some());
}

/// The executor makes the call once. A second one of the same constants says nothing new.
#[test]
fn a_second_load_has_the_same_constants() {
    let call = |address| (id::POSEIDON2_16_CONSTANTS, [address, 0, 0, 0, 0]);
    let mut run = compression();
    run.calls.insert(1, call(CONSTANTS));
    assert_eq!(forged(&run, 2 * LOADS + 1, |_, _| ()), None);
    // The call was made once, and rows answer it twice.
    let fault = forged(&run, 2 * LOADS + 1, |_, execution| {
        execution.calls[id::POSEIDON2_16_CONSTANTS as usize].pop();
    });
    assert!(fault.is_some());
    // Other constants, at another address, for all rows from the second load on.
    let other = run.push(drawn(600).blocks());
    run.calls[1] = call(other);
    assert!(forged(&run, 2 * LOADS + 1, |_, _| ()).is_some());
    let elements = drawn(600).elements();
    let fault = forged(&run, 2 * LOADS + 1, |rows, _| {
        for row in &mut rows[LOADS..] {
            row.constants.copy_from_slice(&elements);
            row.constants_address = F::from_u32(other);
        }
    });
    assert!(fault.is_some());
    // Two calls of different addresses, of which one load answers both.
    let fault = forged(&Run::new(), LOADS, |_, execution| {
        let calls = &mut execution.calls[id::POSEIDON2_16_CONSTANTS as usize];
        let second = Call {
            a: F::from_u32(other),
            ..calls[0]
        };
        calls.push(second);
    });
    assert!(fault.is_some());
}

/// A row that loads could otherwise compute what no call asks for, and the other way round.
#[test]
fn a_row_of_two_modes_is_rejected() {
    for load in 0..LOADS {
        let fault = forged(&compression(), LOADS + 1, |rows, _| {
            rows[LOADS].load[load] = F::ONE;
        });
        assert!(fault.is_some());
    }
    for row in [0, 4] {
        let fault = forged(&compression(), LOADS + 1, |rows, _| {
            rows[row].is_compress = F::ONE;
        });
        assert!(fault.is_some());
    }
    // Two flags that cancel.
    let fault = forged(&compression(), LOADS + 1, |rows, _| {
        (rows[0].load[4], rows[0].load[5]) = (F::ONE, F::NEG_ONE);
    });
    assert!(fault.is_some());
}

/// The last block of constants has four lanes of them, and the last row no second block. Zeros are
/// in the place of others.
#[test]
fn lanes_after_the_constants_are_zero() {
    let last = CONSTANTS as usize + 18;
    for lane in 4..LANES {
        let mut run = Run::new();
        run.blocks[last][lane] = F::ONE;
        assert!(forged(&run, LOADS, |_, _| ()).is_some());
    }
    for lane in 4..2 * LANES {
        let fault = forged(&Run::new(), LOADS, |rows, _| {
            rows[LOADS - 1].permutation.inputs[lane] = F::ONE;
        });
        assert!(fault.is_some());
    }
}
