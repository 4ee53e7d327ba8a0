use std::borrow::{Borrow, BorrowMut};

use droste_native::F;
use p3_field::PrimeCharacteristicRing;
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;

use super::columns::{BITS, DIGITS};
use super::*;
use crate::blake3::tests::{LENGTHS, hash, limbs_to_words, random};
use crate::blake3::{self, Blake3Table, Compression, DEGREE, SCHEDULE};
use crate::test_utils::{
    Caught, Failure, Harness, Rows, Table, constraint_degree, largest_message,
};
use crate::{End, TraceError};

/// The output of a compression, as its row of inputs has it.
fn compress(compression: Compression) -> [u32; 8] {
    let trace = generate_compressions(&[compression], None).unwrap();
    assert_eq!(trace.height(), 2 * ROWS);
    let row: &NarrowCols<F> = trace.values[trace.width()..][..trace.width()].borrow();
    limbs_to_words(row.output)
}

const ENDS: [End; 2] = [End::Ring, End::Repeat];

fn table(trace: RowMajorMatrix<F>, end: End) -> Harness<'static, F> {
    let table = Table::new("narrow", &NarrowTable, trace).names(NarrowTableCols::<u8>::names());
    Harness::new(vec![table.end(end)]).open_bus("blake3")
}

#[test]
fn widths() {
    assert_eq!(
        NarrowCols::<u8>::WIDTH,
        16 * 68 + 16 * 2 + 11 + 8 * 2 + ROWS
    );
    assert_eq!(NarrowCols::<u8>::WIDTH, 1155);
    assert_eq!(NarrowTableCols::<u8>::WIDTH, 1156);
    assert_eq!(ROWS * NarrowCols::<u8>::WIDTH, 9240);
}

#[test]
fn degree_reached_is_the_degree_declared() {
    assert_eq!(constraint_degree(&NarrowAir), DEGREE);
    assert_eq!(constraint_degree(&NarrowTable), DEGREE);
}

#[test]
fn messages_are_small() {
    assert!(largest_message::<F, _>(&NarrowTable, 10_000) < 1000);
}

#[test]
fn every_limb_of_the_message_is_range_checked() {
    let mut words = [DIGITS, BITS].concat();
    words.sort_unstable();
    assert_eq!(words, (0..16).collect::<Vec<_>>());
    // Rows of rounds check the digits of the word that comes first, and the row of inputs those of
    // the last of the eight words.
    for (word, order) in DIGITS.iter().zip(SCHEDULE) {
        assert_eq!(*word, order[0]);
    }
}

#[test]
fn digests_agree_with_the_reference() {
    for length in LENGTHS {
        let input: Vec<u8> = (0..length).map(|i| (i % 251) as u8).collect();
        let expected = *::blake3::hash(&input).as_bytes();
        assert_eq!(hash(compress, &input), expected, "{length}");
    }
}

#[test]
fn messages_are_those_of_the_wide_form() {
    for count in [1, 2, 13] {
        let compressions = random(count);
        let narrow = generate_table(&compressions, None).unwrap();
        let wide = blake3::generate_table(&compressions, None).unwrap();
        let wide = Harness::new(vec![Table::new("wide", &Blake3Table, wide)]);
        for end in ENDS {
            let sent = table(narrow.clone(), end).messages().unwrap();
            assert_eq!(sent["blake3"].len(), count);
            assert_eq!(sent, wide.messages().unwrap());
        }
    }
}

#[test]
fn extreme_words_satisfy_the_constraints() {
    let full = Compression {
        chaining: [u32::MAX; 8],
        message: [u32::MAX; 16],
        counter: u64::MAX,
        block_length: 0x7f,
        flags: u8::MAX,
    };
    let trace = generate_table(&[full, Compression::default(), full], None).unwrap();
    for end in ENDS {
        table(trace.clone(), end).check().unwrap();
    }
}

#[test]
fn every_cell_is_constrained() {
    let trace = generate_table(&random(3), None).unwrap();
    let below = 1 + 3 * ROWS;
    // Every row of the compressions, the idle row below them, which has bits of the last one, and
    // the last row.
    let rows = Rows::listed((1..=below).chain([31]).collect(), below);
    for end in ENDS {
        let mut harness = table(trace.clone(), end);
        let message = (0..4).map(|half| format!("row.halves[{half}][1].d"));
        for column in message.chain(["row.digits".to_owned()]) {
            let reason = "parts of message words that no round reads";
            harness = harness.free_on_padding("narrow", &column, reason);
        }
        harness.mutate("narrow", &rows).expect_caught();
    }
}

/// Above row 0 there is nothing that constrains it if the last row is followed by itself, except
/// that it is idle, and what it says of itself.
#[test]
fn row_0_is_read_by_no_compression() {
    let trace = generate_table(&random(1), None).unwrap();
    let report = table(trace, End::Repeat).mutate("narrow", &Rows::listed(vec![0], 0));
    let is_flag = |column: &str| column.starts_with("row.steps") || column == "is_real";
    for outcome in report.outcomes.iter().filter(|o| is_flag(&o.column)) {
        assert_eq!(outcome.caught, Caught::Constraint, "{}", outcome.column);
    }
}

/// Cells that constraints tie to one another, changed together.
#[test]
fn the_output_is_that_of_the_last_round() {
    let honest = generate_table(&random(2), None).unwrap();
    let width = honest.width();
    let change = |rows: std::ops::Range<usize>, word: usize, end: End| {
        let mut trace = honest.clone();
        for row in trace
            .values
            .chunks_exact_mut(width)
            .skip(rows.start)
            .take(rows.len())
        {
            let row: &mut NarrowTableCols<F> = row.borrow_mut();
            row.row.output[word][0] += F::ONE;
        }
        table(trace, end).check()
    };
    for end in ENDS {
        for word in 0..8 {
            for rows in [1..1 + ROWS, 1 + ROWS..1 + 2 * ROWS] {
                assert!(change(rows, word, end).is_err(), "{word}");
            }
        }
        assert_eq!(change(0..0, 0, end), Ok(()));
    }
}

/// Rows of a table in another order. Two compressions fill rows 1 to 16 of 32.
#[test]
fn no_compression_is_cut_off() {
    let honest = generate_table(&random(2), None).unwrap();
    let width = honest.width();
    let check = |rows: Vec<usize>, end: End| {
        let rows = rows
            .iter()
            .flat_map(|&row| &honest.values[row * width..][..width]);
        table(RowMajorMatrix::new(rows.copied().collect(), width), end).check()
    };
    for end in ENDS {
        for down in 0..32 {
            let rows = (0..32).map(|row| (row + 32 - down) % 32).collect();
            // The first idle row has the last words: in a ring it may be row 0, and otherwise
            // another one follows, which is the last.
            let last = if end == End::Ring { 15 } else { 13 };
            assert_eq!(check(rows, end).is_ok(), down <= last, "{down} {end:?}");
        }
        for row in 0..32 {
            let twice = (0..=row).chain(row..31).collect();
            let is_idle = row == 0 || row > 17;
            // The first idle row has bits of the last compression, which the second need not have.
            assert_eq!(check(twice, end).is_ok(), is_idle, "{row} twice {end:?}");
            let without = (0..row).chain(row + 1..32).chain([31]).collect();
            let is_idle = row > 17;
            assert_eq!(
                check(without, end).is_ok(),
                is_idle,
                "without {row} {end:?}"
            );
        }
        for height in [1, 2, 4, 8, 16] {
            assert_eq!(
                check((0..height).collect(), end).is_ok(),
                height == 1,
                "{height}"
            );
        }
        // A trace without any row of inputs.
        let zeros = RowMajorMatrix::new(F::zero_vec(honest.values.len()), width);
        assert!(table(zeros, end).check().is_err());
    }
}

/// A compression on rows 0 to 7, whose bits nothing would range-check if the last row is followed
/// by itself. Only the constraint that row 0 is idle refuses it.
#[test]
fn no_compression_begins_on_row_0() {
    let mut trace = generate_table(&random(1), None).unwrap();
    let width = trace.width();
    trace.values.rotate_left(width);
    for end in ENDS {
        let constraint = ROWS;
        assert_eq!(
            table(trace.clone(), end).check(),
            Err(Failure::Constraint {
                table: "narrow".to_owned(),
                row: 0,
                constraint
            })
        );
    }
}

#[test]
fn only_rows_of_inputs_above_a_first_round_send() {
    let honest = generate_table(&random(1), None).unwrap();
    for end in ENDS {
        for row in (0..16).filter(|&row| row != 1) {
            let mut trace = honest.clone();
            trace.values[(row + 1) * honest.width() - 1] = F::ONE;
            let failure = table(trace, end).check();
            assert!(matches!(failure, Err(Failure::Constraint { row: at, .. }) if at == row));
        }
    }
}

#[test]
fn impossible_heights_are_refused() {
    assert_eq!(generate_compressions(&[], None), Err(TraceError::Empty));
    assert_eq!(
        generate_table(&random(2), Some(16)),
        Err(TraceError::TooShort {
            rows: 18,
            height: 16
        })
    );
    assert_eq!(generate_table(&[], Some(8)).unwrap().height(), 8);
}
