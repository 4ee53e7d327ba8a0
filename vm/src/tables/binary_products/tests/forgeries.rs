//! Traces as a dishonest prover would write them.

use droste_native::F;
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::super::air::MODULUS;
use super::{
    BinaryProductsTable, HEIGHT, LEAST_CARRY, Row, block, element, integer, mixed, product,
    products,
};
use crate::record::Execution;
use crate::tables::testing::{Run, Tested, forge, forged};

/// Row of the first call of `binary_products` in `mixed()`, after those of `binary_product`.
const PAIR: usize = 2;

/// Row of padding.
const PADDING: usize = HEIGHT - 1;

/// Returns what is wrong with the trace after an edit, once the results in memory are those of its
/// rows.
fn with_results(edit: impl FnOnce(&mut [&mut Row])) -> Option<String> {
    forge::<BinaryProductsTable>(mixed().execution(), HEIGHT, |rows, execution| {
        edit(rows);
        for row in rows
            .iter()
            .filter(|row| row.is_single + row.is_pair == F::ONE)
        {
            let out = row.result_address.as_canonical_u32();
            execution.memory.blocks[out as usize] = block(integer(&row.result));
        }
    })
}

fn is_message(fault: &Option<String>, bus: &str) -> bool {
    let expected = format!("on bus {bus}");
    fault
        .as_ref()
        .is_some_and(|fault| fault.contains(&expected))
}

/// Whether a constraint refuses the trace, and not a message.
fn is_constraint(fault: &Option<String>) -> bool {
    let fault = fault.as_ref();
    fault.is_some_and(|fault| fault.contains("constraint"))
}

fn flip(bit: &mut F) -> F {
    *bit = F::ONE - *bit;
    bit.double() - F::ONE
}

#[test]
fn unedited_forgeries_are_honest() {
    assert_eq!(forged(&mixed(), HEIGHT, |_, _| ()), None);
    assert_eq!(with_results(|_| ()), None);
}

/// A wrong result makes a carry a half, which is no small number modulo `p`.
#[test]
fn halves_are_refused() {
    for row in [0, PAIR] {
        for bit in [0, 63, 127] {
            let fault = with_results(|rows| {
                let change = flip(&mut rows[row].result[bit]);
                rows[row].carries[bit] -= change.halve();
            });
            assert!(
                is_message(&fault, "carry_pairs"),
                "row {row}, bit {bit}: {fault:?}"
            );
        }
    }
    // The same with carries of other rows.
    let fault = with_results(|rows| {
        let change = flip(&mut rows[0].result[5]);
        rows[0].carries[5] -= change.halve();
        rows[1].carries[5] += change.halve();
    });
    assert!(is_constraint(&fault), "{fault:?}");
}

/// Another multiple of the modulus, with all that follows from it: the highest term of the modulus
/// meets no bit of the result.
#[test]
fn other_multiples_are_refused() {
    for degree in [0, 60, 126] {
        let fault = with_results(|rows| {
            let row = &mut *rows[PAIR];
            let change = flip(&mut row.multiple[degree]);
            for exponent in MODULUS {
                let at = degree + exponent;
                row.carries[at] -= change.halve();
                if let Some(bit) = row.result.get_mut(at) {
                    let change = flip(bit);
                    row.carries[at] -= change.halve();
                }
            }
        });
        assert!(
            is_message(&fault, "carry_pairs"),
            "degree {degree}: {fault:?}"
        );
    }
}

/// A carry that is too small or too large by itself.
#[test]
fn carries_out_of_range_are_refused() {
    for carry in [LEAST_CARRY - 1, -1 << 20, LEAST_CARRY + 256, 1 << 25] {
        // The coefficient is made right by a bit that is none.
        let fault = with_results(|rows| {
            let row = &mut *rows[PAIR];
            let change = F::from_i32(carry) - row.carries[7];
            row.carries[7] += change;
            row.result[7] -= change.double();
        });
        assert!(is_constraint(&fault), "{carry}: {fault:?}");
    }
    // Where there is no call, either.
    let fault = with_results(|rows| {
        let row = &mut *rows[PADDING];
        row.added[0] = F::ONE;
        row.carries[0] = F::ONE.halve();
    });
    assert!(is_message(&fault, "carry_pairs"), "{fault:?}");
}

#[test]
fn values_that_are_no_bits_are_refused() {
    // Both have the same lane.
    let shift = |bits: &mut [F; 128]| {
        bits[40] += F::TWO;
        bits[41] -= F::ONE;
    };
    let edits: [fn(&mut Row) -> &mut [F; 128]; 6] = [
        |row| &mut row.left[0],
        |row| &mut row.left[1],
        |row| &mut row.right[0],
        |row| &mut row.right[1],
        |row| &mut row.added,
        |row| &mut row.result,
    ];
    for (index, bits) in edits.into_iter().enumerate() {
        let fault = forge::<BinaryProductsTable>(mixed().execution(), HEIGHT, |rows, _| {
            shift(bits(&mut *rows[PAIR]));
            fit_carries(&mut *rows[PAIR]);
        });
        assert!(is_constraint(&fault), "edit {index}: {fault:?}");
    }
}

/// Makes carries whatever the identity says that they are.
fn fit_carries(row: &mut Row) {
    for coefficient in 0..row.carries.len() {
        let mut sum = F::ZERO;
        for (left, right) in row.left.iter().zip(&row.right) {
            for (i, &left) in left.iter().enumerate() {
                let right = coefficient.checked_sub(i).and_then(|j| right.get(j));
                sum += right.map_or(F::ZERO, |&right| left * right);
            }
        }
        let at = |bits: &[F], i: usize| bits.get(i).copied().unwrap_or_default();
        sum += at(&row.added, coefficient) - at(&row.result, coefficient);
        for exponent in MODULUS {
            let i = coefficient.checked_sub(exponent);
            sum -= i.map_or(F::ZERO, |i| at(&row.multiple, i));
        }
        row.carries[coefficient] = sum.halve();
    }
}

#[test]
fn fitted_carries_are_the_honest_ones() {
    let fault = with_results(|rows| rows.iter_mut().for_each(|row| fit_carries(row)));
    assert_eq!(fault, None);
}

/// A single product with a second one added.
#[test]
fn second_products_of_single_ones_are_refused() {
    let fault = forged(&mixed(), HEIGHT, |rows, _| {
        let second = (rows[PAIR].left[1], rows[PAIR].right[1]);
        (rows[0].left[1], rows[0].right[1]) = second;
    });
    assert!(is_constraint(&fault), "{fault:?}");
    // Only what is multiplied is looked at.
    let fault = forged(&mixed(), HEIGHT, |rows, _| {
        rows[0].left[1] = rows[PAIR].left[1];
    });
    assert_eq!(fault, None);
}

#[test]
fn other_flags_are_refused() {
    // Identity 24 is of another precompile; 51 of none.
    for (row, single, pair) in [
        (0, 2, -1),
        (0, 1, 1),
        (PAIR, -1, 2),
        (PAIR, 1, 1),
        (PADDING, 1, -1),
    ] {
        let fault = forge::<BinaryProductsTable>(mixed().execution(), HEIGHT, |rows, _| {
            rows[row].is_single = F::from_i32(single);
            rows[row].is_pair = F::from_i32(pair);
            rows[row].right[1] = [F::ZERO; 128];
            fit_carries(&mut *rows[row]);
        });
        assert!(is_constraint(&fault), "{single}, {pair}: {fault:?}");
    }
    // A pair as a single product, and the other way round.
    for row in [0, PAIR] {
        let fault = forged(&mixed(), HEIGHT, |rows, _| {
            let row = &mut rows[row];
            (row.is_single, row.is_pair) = (row.is_pair, row.is_single);
            row.right[1] = [F::ZERO; 128];
        });
        assert!(fault.is_some(), "row {row}");
    }
    // No call, and one that nobody made.
    let fault = forged(&mixed(), HEIGHT, |rows, _| rows[0].is_single = F::ZERO);
    assert!(fault.is_some());
    let fault = forged(&mixed(), HEIGHT, |rows, _| {
        *rows[PADDING] = *rows[0];
    });
    assert!(fault.is_some());
}

/// Changes a block of memory, with honest rows about its bits.
fn with_block(address: impl Fn(&Row) -> F, lane: usize, value: u32) -> Option<String> {
    forge::<BinaryProductsTable>(
        mixed().execution(),
        HEIGHT,
        |rows, execution: &mut Execution| {
            let at = address(&*rows[PAIR]).as_canonical_u32();
            execution.memory.blocks[at as usize][lane] = F::from_u32(value);
        },
    )
}

/// A block with a bit above those of its lane has no bits.
#[test]
fn blocks_that_hold_no_element_are_refused() {
    let addresses: [fn(&Row) -> F; 6] = [
        |row| row.left_address,
        |row| row.left_address + row.distance,
        |row| row.right_address,
        |row| row.right_address + F::ONE,
        |row| row.added_address,
        |row| row.result_address,
    ];
    let lanes = [(0, 1 << 30), (3, (1 << 30) + 5), (4, 256), (5, 1), (7, 1)];
    for (index, address) in addresses.into_iter().enumerate() {
        // Two of them for each operand.
        for (lane, value) in [lanes[index % 5], lanes[(index + 2) % 5]] {
            let fault = with_block(address, lane, value);
            assert!(fault.is_some(), "operand {index}, lane {lane}");
        }
    }
}

/// The second left element at another distance, the second right one elsewhere.
#[test]
fn other_places_are_refused() {
    let mut run = Run::<BinaryProductsTable>::new();
    products(&mut run, 3, [4, 5, 6, 7, 8].map(element));
    product(&mut run, [1, 2, 3].map(element));
    // The block in between has another element.
    let other = block(element(7));
    let bits = |rows: &[&mut Row]| rows[1].left[0];
    for distance in [1, 2] {
        let fault = forged(&run, HEIGHT, |rows, execution| {
            let at = rows[1].left_address.as_canonical_u32() + distance;
            assert_eq!(execution.memory.blocks[at as usize], other);
            rows[1].left[1] = std::array::from_fn(|i| F::from_u128(element(7) >> i & 1));
            rows[1].distance = F::from_u32(distance);
        });
        assert!(fault.is_some(), "{distance}");
    }
    // The bits of the first one, as if the distance were zero.
    let fault = forged(&run, HEIGHT, |rows, _| {
        rows[1].left[1] = bits(rows);
    });
    assert!(fault.is_some());
    let fault = forged(&run, HEIGHT, |rows, _| {
        rows[1].right[1] = rows[1].right[0];
    });
    assert!(fault.is_some());
    let edits: [fn(&mut Row) -> &mut F; 5] = [
        |row| &mut row.left_address,
        |row| &mut row.distance,
        |row| &mut row.right_address,
        |row| &mut row.added_address,
        |row| &mut row.result_address,
    ];
    for edit in edits {
        for row in 0..2 {
            let fault = forge::<BinaryProductsTable>(run.execution(), HEIGHT, |rows, _| {
                *edit(&mut *rows[row]) += F::ONE;
            });
            assert!(fault.is_some());
        }
    }
}

/// What the helper computes again is what the table does.
#[test]
fn recomputed_rows_are_honest() {
    let mut run = Run::<BinaryProductsTable>::new();
    products(&mut run, 1, [u128::MAX; 5]);
    assert_eq!(forged(&run, HEIGHT, |_, _| ()), None);
    let fault = forge::<BinaryProductsTable>(run.execution(), HEIGHT, |rows, execution| {
        BinaryProductsTable::recompute(rows, execution);
    });
    assert_eq!(fault, None);
}
