use std::borrow::{Borrow, BorrowMut};

use droste_native::F;
use p3_field::PrimeCharacteristicRing;
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;

use super::columns::{BITS, DIGITS};
use super::*;
use crate::TraceError;
use crate::blake3::tests::{LENGTHS, hash, limbs_to_words, random};
use crate::blake3::{self, Blake3Table, Compression, DEGREE, SCHEDULE};
use crate::test_utils::{Harness, Rows, Table, constraint_degree, largest_message};

/// The output of a compression, as its row of inputs has it.
fn compress(compression: Compression) -> [u32; 8] {
    let trace = generate_compressions(&[compression], None).unwrap();
    assert_eq!(trace.height(), ROWS);
    let row: &NarrowCols<F> = trace.values[..trace.width()].borrow();
    limbs_to_words(row.output)
}

fn table(trace: RowMajorMatrix<F>) -> Harness<'static, F> {
    let table = Table::new("narrow", &NarrowTable, trace).names(NarrowTableCols::<u8>::names());
    Harness::new(vec![table]).open_bus("blake3")
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
        let narrow = table(generate_table(&compressions, None).unwrap());
        narrow.check().unwrap();
        let wide = blake3::generate_table(&compressions, None).unwrap();
        let wide = Harness::new(vec![Table::new("wide", &Blake3Table, wide)]);
        let sent = narrow.messages().unwrap();
        assert_eq!(sent["blake3"].len(), count);
        assert_eq!(sent, wide.messages().unwrap());
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
    table(trace).check().unwrap();
}

#[test]
fn every_cell_is_constrained() {
    let trace = generate_table(&random(3), None).unwrap();
    // Every row of the first, the middle and the last real compression, and of a padding
    // compression.
    let rows = Rows::listed((0..4 * ROWS).collect(), 3 * ROWS);
    table(trace).mutate("narrow", &rows).expect_caught();
}

/// Cells that constraints tie to one another, changed together.
#[test]
fn the_output_is_that_of_the_last_round() {
    let honest = generate_table(&random(2), None).unwrap();
    let width = honest.width();
    let change = |rows: std::ops::Range<usize>, word: usize| {
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
        table(trace).check()
    };
    for word in 0..8 {
        // The second compression ends at the end of the table.
        for rows in [0..ROWS, ROWS..2 * ROWS] {
            assert!(change(rows, word).is_err(), "{word}");
        }
    }
    assert_eq!(change(0..0, 0), Ok(()));
}

#[test]
fn no_compression_is_cut_off() {
    let trace = generate_table(&random(2), None).unwrap();
    for height in [1, 2, 4] {
        let rows = trace.values[..height * trace.width()].to_vec();
        let rows = RowMajorMatrix::new(rows, trace.width());
        assert!(table(rows).check().is_err(), "{height}");
    }
    // A trace that begins in the middle of a compression.
    let mut rows = trace.values.clone();
    rows.rotate_left(3 * trace.width());
    assert!(
        table(RowMajorMatrix::new(rows, trace.width()))
            .check()
            .is_err()
    );
    // A trace without any row of inputs.
    let zeros = RowMajorMatrix::new(F::zero_vec(trace.values.len()), trace.width());
    assert!(table(zeros).check().is_err());
}

#[test]
fn impossible_heights_are_refused() {
    assert_eq!(generate_compressions(&[], None), Err(TraceError::Empty));
    assert_eq!(
        generate_table(&[], Some(4)),
        Err(TraceError::TooShort { rows: 8, height: 4 })
    );
    assert_eq!(
        generate_table(&random(3), Some(16)),
        Err(TraceError::TooShort {
            rows: 24,
            height: 16
        })
    );
    assert_eq!(generate_table(&[], Some(8)).unwrap().height(), 8);
}
