//! Forgeries of the round constants: others than those that the program gives, on one row or on all.

use droste_native::F;
use droste_native::hash::poseidon2::Constants;
use p3_field::PrimeCharacteristicRing;

use super::{CONSTANTS, LOADS, Run, drawn, duplex};
use crate::isa::id;
use crate::tables::LANES;
use crate::tables::testing::forged;

#[test]
fn other_constants_are_rejected() {
    // On one row, of a first, a partial and a last full round.
    for row in [0, LOADS - 1, LOADS, LOADS + 1] {
        for constant in [0, 96, 118, 119, 214] {
            let fault = forged(&duplex(29, 0), LOADS + 2, |rows, _| {
                rows[row].constants[constant] += F::ONE;
            });
            assert!(fault.is_some(), "row {row}, constant {constant}");
        }
    }
    // Those of another instance, on all rows that compute, or on all.
    for others in [Constants::<24>::default(), drawn(600)] {
        let others = others.elements();
        for from in [0, LOADS] {
            let fault = forged(&duplex(29, 0), LOADS + 2, |rows, _| {
                for row in &mut rows[from..] {
                    row.constants.copy_from_slice(&others);
                }
            });
            assert!(fault.is_some(), "from row {from}");
        }
    }
}

#[test]
fn a_table_that_does_not_load_is_rejected() {
    for is_called in [false, true] {
        let fault = forged(&duplex(29, 0), LOADS + 2, |rows, execution| {
            for row in &mut rows[..LOADS] {
                row.load = [F::ZERO; LOADS];
                row.permutation.inputs = [F::ZERO; 3 * LANES];
            }
            if !is_called {
                execution.calls[id::POSEIDON2_24_CONSTANTS as usize].clear();
            }
        });
        assert!(fault.is_some());
    }
    // The constants of a row that does not load are free.
    for row in 0..LOADS {
        let fault = forged(&duplex(29, 0), LOADS + 2, |rows, _| {
            for row in &mut rows[row..LOADS] {
                row.load = [F::ZERO; LOADS];
                row.permutation.inputs = [F::ZERO; 3 * LANES];
            }
            for other in rows.iter_mut() {
                other.constants[16 * row] += F::ONE;
            }
        });
        assert!(fault.is_some(), "from row {row}");
    }
    assert!(forged(&Run::new(), LOADS - 1, |_, _| ()).is_some());
}

#[test]
fn constants_from_another_address_are_rejected() {
    let mut run = Run::new();
    let other = run.push(drawn(600).blocks());
    run.calls[0].1[0] = other;
    assert_eq!(forged(&run, LOADS, |_, _| ()), None);
    for renamed in [0, LOADS] {
        let fault = forged(&run, LOADS, |rows, execution| {
            for row in &mut rows[..renamed] {
                row.constants_address = F::from_u32(CONSTANTS);
            }
            execution.calls[id::POSEIDON2_24_CONSTANTS as usize][0].a = F::from_u32(CONSTANTS);
        });
        assert!(fault.is_some());
    }
    // Two blocks are read from elsewhere, where memory has the same ones.
    for row in 0..LOADS {
        let mut run = Run::new();
        let first = CONSTANTS as usize + 2 * row;
        let last = run.blocks.len().min(first + 2);
        let held = run.blocks[first..last].to_vec();
        let copy = run.push(held);
        let fault = forged(&run, LOADS, |rows, _| {
            rows[row].address = F::from_u32(copy);
        });
        assert!(fault.is_some(), "row {row}");
    }
}

/// Two loads: of the same constants, which says nothing new, and of others.
#[test]
fn a_second_load_has_the_same_constants() {
    let call = |address| (id::POSEIDON2_24_CONSTANTS, [address, 0, 0, 0, 0]);
    let mut run = duplex(16, 0);
    run.calls.insert(1, call(CONSTANTS));
    assert_eq!(forged(&run, 2 * LOADS + 1, |_, _| ()), None);
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
}

#[test]
fn a_row_of_two_modes_is_rejected() {
    for load in 0..LOADS {
        let fault = forged(&duplex(16, 0), LOADS + 1, |rows, _| {
            rows[LOADS].load[load] = F::ONE;
        });
        assert!(fault.is_some());
    }
    let fault = forged(&duplex(16, 0), LOADS + 1, |rows, _| {
        rows[5].is_sponge = F::ONE;
    });
    assert!(fault.is_some());
}

/// The last row that loads has seven constants.
#[test]
fn lanes_after_the_constants_are_zero() {
    let mut run = Run::new();
    run.blocks[CONSTANTS as usize + 26][7] = F::ONE;
    assert!(forged(&run, LOADS, |_, _| ()).is_some());
    for row in [0, LOADS - 1] {
        let first = if row == 0 { 2 * LANES } else { 7 };
        for lane in first..3 * LANES {
            let fault = forged(&Run::new(), LOADS, |rows, _| {
                rows[row].permutation.inputs[lane] = F::ONE;
            });
            assert!(fault.is_some());
        }
    }
}
