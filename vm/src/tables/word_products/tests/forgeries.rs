//! Traces as a dishonest prover would write them.

use droste_air::limb::bits;
use droste_native::F;
use droste_native::field::MODULUS as ORDER;
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::super::air::identity;
use super::{
    BITS, HEIGHT, LANES, LARGEST, LEAST_CARRY, MOST_ONES, Row, WORD_BITS, WordProductsTable, block,
    call, dense, element, integer, mixed, words,
};
use crate::isa::id;
use crate::record::Execution;
use crate::tables::testing::{Run, Tested, forge, forged};

/// Rows of calls about two blocks and about one in `mixed()`.
const TWO: usize = 0;
const ONE: usize = 1;

/// Row of padding.
const PADDING: usize = HEIGHT - 1;

/// Exponents of the terms of the modulus.
const MODULUS: [usize; 5] = [0, 1, 2, 7, 128];

/// Returns what is wrong with the trace after an edit, once the results in memory are those of its
/// rows.
fn with_results(edit: impl FnOnce(&mut [&mut Row])) -> Option<String> {
    forge::<WordProductsTable>(mixed().execution(), HEIGHT, |rows, execution| {
        edit(rows);
        for row in rows.iter().filter(|row| row.is_one + row.is_two == F::ONE) {
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

/// Bits of a row.
type Bits = fn(&mut Row) -> &mut [F];

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
    for row in [TWO, ONE] {
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
        let change = flip(&mut rows[TWO].result[5]);
        rows[TWO].carries[5] -= change.halve();
        rows[ONE].carries[5] += change.halve();
    });
    assert!(is_constraint(&fault), "{fault:?}");
}

/// Another multiple of the modulus, with all that follows from it: the highest term of the modulus
/// meets no bit of the result.
#[test]
fn other_multiples_are_refused() {
    for degree in [0, 60, 126] {
        let fault = with_results(|rows| {
            let row = &mut *rows[TWO];
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
            let row = &mut *rows[TWO];
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

/// Makes carries whatever the identity says that they are.
fn fit_carries(row: &mut Row) {
    let mut cells = [F::ZERO; Row::WIDTH];
    let copy: &mut Row = crate::tables::Row::of(&mut cells);
    *copy = *row;
    let identity = identity();
    let at = |columns: &[usize], i: Option<usize>| {
        let column = i.and_then(|i| columns.get(i));
        column.map_or(F::ZERO, |&column| cells[column])
    };
    for coefficient in 0..row.carries.len() {
        let mut sum = F::ZERO;
        for [left, right] in &identity.products {
            for i in 0..left.len() {
                sum += at(left, Some(i)) * at(right, coefficient.checked_sub(i));
            }
        }
        for (summand, weight) in &identity.summands {
            // All but the carries.
            for &(exponent, weight) in weight.iter().filter(|(_, weight)| *weight != -F::TWO) {
                sum += at(summand, coefficient.checked_sub(exponent)) * weight;
            }
        }
        row.carries[coefficient] = sum.halve();
    }
}

#[test]
fn fitted_carries_are_the_honest_ones() {
    let fault = with_results(|rows| rows.iter_mut().for_each(|row| fit_carries(row)));
    assert_eq!(fault, None);
}

#[test]
fn values_that_are_no_bits_are_refused() {
    // Both have the same lane, or the same word.
    let shift = |bits: &mut [F], at: usize| {
        bits[at] += F::TWO;
        bits[at + 1] -= F::ONE;
    };
    let edits: [(Bits, usize); 8] = [
        (|row| &mut row.words[0], 10),
        (|row| &mut row.words[15], 22),
        (|row| &mut row.weights[0], 40),
        (|row| &mut row.weights[1], 40),
        (|row| &mut row.weights[2], 40),
        (|row| &mut row.weights[3], 40),
        (|row| &mut row.added, 40),
        (|row| &mut row.result, 40),
    ];
    for (index, (bits, at)) in edits.into_iter().enumerate() {
        let fault = forge::<WordProductsTable>(mixed().execution(), HEIGHT, |rows, _| {
            shift(bits(&mut *rows[TWO]), at);
            fit_carries(&mut *rows[TWO]);
        });
        assert!(is_constraint(&fault), "edit {index}: {fault:?}");
    }
}

/// The words `w` and `w + p` represent the same element. Whatever the inverse is, the second one is
/// refused.
#[test]
fn another_word_of_an_element_is_refused() {
    for word in [0, 1, 5 << 20, (1 << 24) - 2] {
        for at in [0, 7, 13] {
            for inverse in [0, 1, 3, ORDER / 7, ORDER - 1] {
                let mut run = Run::<WordProductsTable>::new();
                let mut data = [dense(1), dense(2)];
                data[at / LANES][at % LANES] = words([word; LANES])[0];
                let weights = [1, 2, 3, 4].map(element);
                call(&mut run, &data, &weights, element(5));
                let other = bits::<WORD_BITS>(word + ORDER);
                let fault = forge::<WordProductsTable>(run.execution(), 1, |rows, execution| {
                    assert_eq!(rows[0].words[at], bits::<WORD_BITS>(word));
                    rows[0].words[at] = other;
                    WordProductsTable::recompute(rows, execution);
                    rows[0].inverses[at] = F::from_u32(inverse);
                });
                assert!(is_constraint(&fault), "{word}, {at}, {inverse}: {fault:?}");
            }
        }
    }
}

/// An inverse that says there are no zeros among the high bits, or another number of them.
#[test]
fn other_inverses_are_refused() {
    let mut run = Run::<WordProductsTable>::new();
    let data = words([LARGEST, MOST_ONES, 0, 1, 2, 3, 4, 5]);
    call(&mut run, &[data], &[1, 2].map(element), element(3));
    for at in [0, 1, 2, 8] {
        for change in [F::ONE, F::NEG_ONE, F::ONE.halve()] {
            let fault = forge::<WordProductsTable>(run.execution(), 1, |rows, _| {
                rows[0].inverses[at] += change;
            });
            assert!(is_constraint(&fault), "{at}: {fault:?}");
        }
    }
}

/// The highest bit of all words as a one.
#[test]
fn highest_bits_of_words_are_zero() {
    for row in [TWO, ONE, PADDING] {
        let fault = forged(&mixed(), HEIGHT, |rows, _| rows[row].zero = F::ONE);
        assert!(is_constraint(&fault), "row {row}: {fault:?}");
    }
}

/// Words of a second block in a call about one.
#[test]
fn second_blocks_of_single_ones_are_refused() {
    for at in [LANES, 2 * LANES - 1] {
        let fault = forged(&mixed(), HEIGHT, |rows, _| {
            rows[ONE].words[at][0] = F::ONE;
            rows[ONE].weights[2][0] = F::ONE;
            rows[ONE].weights[3][0] = F::ONE;
        });
        assert!(is_constraint(&fault), "{at}: {fault:?}");
    }
    // Only weights of words are looked at.
    let fault = forged(&mixed(), HEIGHT, |rows, _| {
        rows[ONE].weights[2] = rows[TWO].weights[2];
        rows[ONE].weights[3] = rows[TWO].weights[3];
    });
    assert_eq!(fault, None);
}

#[test]
fn other_flags_are_refused() {
    // The call is one that has this E.
    for (row, one, two, e) in [
        (TWO, 2, -1, 0),
        (TWO, -1, 2, 3),
        (ONE, 1, 1, 3),
        (ONE, 2, -1, 0),
        (PADDING, 1, -1, 2),
        (PADDING, 2, -2, 2),
    ] {
        let fault = forge::<WordProductsTable>(mixed().execution(), HEIGHT, |rows, execution| {
            rows[row].is_one = F::from_i32(one);
            rows[row].is_two = F::from_i32(two);
            if let Some(call) = execution.calls[id::WORD_PRODUCTS as usize].get_mut(row) {
                call.e = F::from_u32(e);
            }
        });
        assert!(is_constraint(&fault), "{one}, {two}: {fault:?}");
    }
    // Two blocks as one, and the other way round.
    for row in [TWO, ONE] {
        let fault = forged(&mixed(), HEIGHT, |rows, _| {
            let row = &mut rows[row];
            (row.is_one, row.is_two) = (row.is_two, row.is_one);
            row.words[LANES..].fill([F::ZERO; WORD_BITS]);
        });
        assert!(fault.is_some(), "row {row}");
    }
    // No call, and one that nobody made.
    let fault = forged(&mixed(), HEIGHT, |rows, _| rows[ONE].is_one = F::ZERO);
    assert!(fault.is_some());
    let fault = forged(&mixed(), HEIGHT, |rows, _| *rows[PADDING] = *rows[TWO]);
    assert!(fault.is_some());
}

/// A block with a bit above those of its lane has no bits. Words may be any.
#[test]
fn blocks_that_hold_no_element_are_refused() {
    let lanes = [(0, 1 << 30), (3, (1 << 30) + 5), (4, 256), (5, 1), (7, 1)];
    let addresses: [fn(&Row) -> F; 6] = [
        |row| row.weights_address,
        |row| row.weights_address + F::ONE,
        |row| row.weights_address + F::TWO,
        |row| row.weights_address + F::from_u8(3),
        |row| row.added_address,
        |row| row.result_address,
    ];
    for (index, address) in addresses.into_iter().enumerate() {
        // Two of them for each operand.
        for (lane, value) in [lanes[index % 5], lanes[(index + 2) % 5]] {
            let edit = |rows: &mut [&mut Row], execution: &mut Execution| {
                let at = address(&*rows[TWO]).as_canonical_u32();
                execution.memory.blocks[at as usize][lane] = F::from_u32(value);
            };
            let fault = forge::<WordProductsTable>(mixed().execution(), HEIGHT, edit);
            assert!(fault.is_some(), "operand {index}, lane {lane}");
        }
    }
}

/// Words and weights of other places than the call says, with the result that follows.
#[test]
fn other_places_are_refused() {
    let edits: [fn(&mut Row); 8] = [
        |row| row.words.swap(0, 1),
        |row| row.words.swap(3, 4),
        |row| row.words.rotate_left(LANES),
        |row| row.words[LANES..].fill([F::ZERO; WORD_BITS]),
        |row| row.weights.swap(0, 1),
        |row| row.weights.swap(1, 2),
        |row| row.weights.swap(2, 3),
        |row| row.added = row.weights[0],
    ];
    for (index, edit) in edits.into_iter().enumerate() {
        let fault = forged(&mixed(), HEIGHT, |rows, _| edit(&mut *rows[TWO]));
        assert!(fault.is_some(), "edit {index}");
    }
    let edits: [fn(&mut Row) -> &mut F; 4] = [
        |row| &mut row.words_address,
        |row| &mut row.weights_address,
        |row| &mut row.added_address,
        |row| &mut row.result_address,
    ];
    for edit in edits {
        for row in [TWO, ONE] {
            let fault = forge::<WordProductsTable>(mixed().execution(), HEIGHT, |rows, _| {
                *edit(&mut *rows[row]) += F::ONE;
            });
            assert!(fault.is_some());
        }
    }
    // The honest words of two calls at each other's places.
    let fault = forged(&mixed(), HEIGHT, |rows, _| {
        let (first, third) = (rows[0].words, rows[2].words);
        (rows[0].words, rows[2].words) = (third, first);
    });
    assert!(fault.is_some());
}

/// A result that differs in one bit, in the trace and in memory.
#[test]
fn wrong_results_are_refused() {
    for row in [TWO, ONE] {
        for bit in [0, 1, BITS - 1] {
            let fault = with_results(|rows| {
                let _ = flip(&mut rows[row].result[bit]);
            });
            assert!(is_constraint(&fault), "row {row}, bit {bit}: {fault:?}");
        }
    }
}

/// What the helper computes again is what the table does.
#[test]
fn recomputed_rows_are_honest() {
    let mut run = Run::<WordProductsTable>::new();
    let data = [words([MOST_ONES; LANES]); 2];
    call(&mut run, &data, &[u128::MAX; 4], u128::MAX);
    assert_eq!(forged(&run, HEIGHT, |_, _| ()), None);
    let fault = forge::<WordProductsTable>(run.execution(), HEIGHT, |rows, execution| {
        WordProductsTable::recompute(rows, execution);
    });
    assert_eq!(fault, None);
}
