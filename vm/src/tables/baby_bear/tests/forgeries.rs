//! Rows as a dishonest prover would write them.

use super::super::columns::{DEGREE, PLACES};
use super::super::places::{Coefficient, factors};
use super::*;

/// Returns what is wrong with the trace of [`mixed`] after an edit, once the results in memory are
/// those of its rows.
fn with_results(edit: impl FnOnce(&mut [&mut Row])) -> Option<String> {
    forge::<BabyBearTable>(mixed().execution(), HEIGHT, |rows, execution| {
        edit(rows);
        for index in [0, 1, PADDING - 2, PADDING - 1] {
            let out = rows[index].d_word.as_canonical_u32() as usize;
            execution.memory.blocks[out] = lanes(&rows[index].d);
        }
    })
}

#[test]
fn unedited_forgeries_are_honest() {
    assert_eq!(forged(&mixed(), HEIGHT, |_, _| ()), None);
    assert_eq!(with_results(|_| ()), None);
}

/// Replaces a word of a row's result, and computes what follows from it.
fn change_result(row: &mut Row, coefficient: usize, change: fn(u32) -> u32) {
    let mut words = integers(&row.d);
    words[coefficient] = change(words[coefficient]);
    row.d = bytes(words);
    complete(row);
}

/// Another word of the same coefficient is a result, if memory has it; another coefficient is not.
#[test]
fn wrong_results_are_refused() {
    let changes: [fn(u32) -> u32; 3] = [
        |word| word ^ 1,
        |word| word ^ 1 << 30,
        |word| MODULUS - word,
    ];
    for row in [0, PADDING - 2] {
        for coefficient in 0..DEGREE {
            let larger = |rows: &mut [&mut Row]| {
                change_result(rows[row], coefficient, |word| word + MODULUS);
            };
            assert_eq!(with_results(larger), None);
            // Memory has the canonical word.
            let fault = forge::<BabyBearTable>(mixed().execution(), HEIGHT, |rows, _| larger(rows));
            assert!(fault.is_some_and(|fault| fault.contains("not in memory")));
            for change in changes {
                let fault = with_results(|rows| change_result(rows[row], coefficient, change));
                assert!(is_constraint(&fault), "row {row}: {fault:?}");
            }
        }
    }
}

/// Another multiple of the modulus, with the carries that it has.
#[test]
fn other_multiples_are_refused() {
    for byte in 0..5 {
        let fault = with_results(|rows| {
            let [first, ..] = &mut rows[DOT].multiples;
            first[byte] = F::from_bool(first[byte] == F::ZERO);
            carry(rows[DOT]);
        });
        assert!(is_constraint(&fault), "byte {byte}: {fault:?}");
    }
}

/// The places of a row's coefficient 0.
fn places(row: &Row) -> [F; PLACES] {
    let places = Coefficient {
        left: &row.a,
        factors: &factors(&row.is_product, &row.b, 0),
        added: &row.c[0],
        result: &row.d[0],
        multiple: &row.multiples[0],
        has_offset: F::ONE,
    };
    places.places()
}

/// Makes the equation of coefficient 0 hold modulo the order of the machine's field, by a multiple
/// and carries that are no bytes.
fn fit(row: &mut Row) {
    let base = F::from_u16(256);
    let weights: [F; PLACES] = std::array::from_fn(|place| base.exp_u64(place as u64));
    let total: F = std::iter::zip(places(row), weights)
        .map(|(place, weight)| place * weight)
        .sum();
    // The highest byte of the multiple is at two places.
    row.multiples[0][4] += total / (weights[4] + weights[7] * F::from_u8(120));
    let places = places(row);
    let mut before = F::ZERO;
    for (carry, place) in row.carries[0].iter_mut().zip(places) {
        before = (place + before) / base;
        *carry = [before + base, F::ZERO];
    }
}

/// The equation holds modulo the order of the machine's field, and not over the integers.
#[test]
fn bytes_out_of_range_are_refused() {
    for row in [0, DOT + 1, PADDING - 1] {
        let fault = with_results(|rows| {
            change_result(rows[row], 0, |word| word ^ 1);
            fit(rows[row]);
            let result_of_row = rows[row].d;
            let next = &mut *rows[row + 1];
            if next.continues == F::ONE {
                next.c = result_of_row;
                next.d = result(next);
                complete(next);
            }
        });
        assert!(is_message(&fault, "carry_pairs"), "row {row}: {fault:?}");
    }
}

/// The low byte has what is missing in the high one, so lanes and equations are the same.
#[test]
fn values_that_are_no_bytes_are_refused() {
    let edits: [fn(&mut Row) -> &mut [F]; 5] = [
        |row| &mut row.a[1][..2],
        |row| &mut row.b[0][2][..2],
        |row| &mut row.c[3][2..],
        |row| &mut row.d[0][..2],
        |row| &mut row.multiples[2][1..3],
    ];
    for (index, pair) in edits.into_iter().enumerate() {
        for row in [0, PADDING - 1] {
            let fault = with_results(|rows| {
                let row = &mut *rows[row];
                let pair = pair(row);
                pair[0] += F::from_u16(256);
                pair[1] -= F::ONE;
                // The carry between both is larger, too.
                carry(row);
            });
            let refused = is_message(&fault, "carry_pairs");
            assert!(refused, "edit {index}, row {row}: {fault:?}");
        }
    }
    // Carries, also where there is no call.
    for row in [0, DOT, PADDING] {
        let fault = with_results(|rows| {
            let [low, high] = &mut rows[row].carries[1][5];
            *low += F::from_u16(256);
            *high -= F::ONE;
        });
        assert!(is_message(&fault, "carry_pairs"), "row {row}: {fault:?}");
    }
}

/// A lane of `2^16` and more is no limb, whoever reads it.
#[test]
fn lanes_that_are_no_limbs_are_refused() {
    for operand in 0..3 {
        let mut run = Run::new();
        run.product([canonical(1), any(2), any(3)]);
        let fault = forged(&run, 1, |rows, execution| {
            execution.memory.blocks[operand][2] = F::from_u32(1 << 16);
            let row = &mut *rows[0];
            let words = [&mut row.a, &mut row.b[0], &mut row.c];
            for (index, words) in words.into_iter().enumerate() {
                if index == operand {
                    words[1][..2].copy_from_slice(&[F::ZERO, F::from_u16(256)]);
                }
            }
        });
        assert!(
            is_message(&fault, "carry_pairs"),
            "operand {operand}: {fault:?}"
        );
    }
}

/// Elements that a product does not have.
#[test]
fn a_product_of_more_elements_is_refused() {
    for element in 1..4 {
        let mut run = Run::new();
        run.product([canonical(1), any(2), any(3)]);
        let fault = forged(&run, 1, |rows, _| rows[0].b[element][2] = bytes(any(4))[0]);
        assert!(is_constraint(&fault), "element {element}: {fault:?}");
    }
}

/// The words of `a b + c` in `F_q[X] / (X^4 - power)`, with a factor for Montgomery's.
fn product_over([a, b, c]: [Element; 3], power: u128, factor: u128) -> Element {
    let modulus = u128::from(MODULUS);
    std::array::from_fn(|i| {
        let mut sum = 0;
        for (j, &left) in a.iter().enumerate() {
            let right = u128::from(b[(4 + i - j) % 4]);
            sum += u128::from(left) * right * if j > i { power } else { 1 };
        }
        ((sum % modulus * factor + u128::from(c[i])) % modulus) as u32
    })
}

/// A result in another field, or whose products have Montgomery's factor twice, in a row whose
/// other cells fit.
#[test]
fn another_field_is_refused() {
    let elements = [canonical(1), any(2), any(3)];
    let another = |power: u128, factor: u128| {
        let mut run = Run::new();
        run.product(elements);
        forge::<BabyBearTable>(run.execution(), 1, |rows, execution| {
            rows[0].d = bytes(product_over(elements, power, factor));
            complete(rows[0]);
            execution.memory.blocks[3] = lanes(&rows[0].d);
        })
    };
    let unshift = 943_718_400;
    assert_eq!(another(11, unshift), None);
    for (power, factor) in [(3, unshift), (0, unshift), (12, unshift), (11, 1)] {
        let fault = another(power, factor);
        assert!(is_constraint(&fault), "X^4 - {power}, {factor}: {fault:?}");
    }
}
