use std::borrow::{Borrow, BorrowMut};
use std::collections::BTreeSet;

use droste_native::F;
use p3_field::PrimeCharacteristicRing;
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;

use super::air::is_kept;
use super::columns::CHECKED;
use super::*;
use crate::blake3::columns::ROUNDS;
use crate::blake3::tests::{LENGTHS, hash, limbs_to_words, random};
use crate::blake3::{self, Blake3Table, Compression, DEGREE, PERMUTATION, SCHEDULE};
use crate::byte_pairs::{self, BytePairMessage, BytePairsTable};
use crate::test_utils::{
    Caught, Failure, Harness, Rows, Table, constraint_degree, largest_message,
};
use crate::{End, TraceError};

/// The output of a compression, as its row of inputs has it.
fn compress(compression: Compression) -> [u32; 8] {
    let trace = generate_table(&[compression], None).unwrap();
    assert_eq!(trace.height(), 2 * ROWS);
    let row: &BytesCols<F> = trace.values[trace.width()..][..trace.width()].borrow();
    limbs_to_words(row.output)
}

const ENDS: [End; 2] = [End::Ring, End::Repeat];

/// The table alone, whose lookups are all answered.
fn alone(trace: RowMajorMatrix<F>, end: End) -> Harness<'static, F> {
    let table = Table::new("bytes", &BytesTable, trace).names(BytesCols::<u8>::names());
    Harness::new(vec![table.end(end)])
        .open_bus("blake3")
        .open_bus("byte_pairs")
}

/// The table with the pairs of bytes that an honest prover would provide.
fn table(trace: RowMajorMatrix<F>, end: End) -> Harness<'static, F> {
    let counts = count_lookups(&trace);
    let pairs = byte_pairs::generate_table(&counts, None).unwrap();
    let table = Table::new("bytes", &BytesTable, trace).names(BytesCols::<u8>::names());
    let pairs = Table::new("byte_pairs", &BytePairsTable, pairs);
    Harness::new(vec![table.end(end), pairs.end(end)]).open_bus("blake3")
}

#[test]
fn widths() {
    assert_eq!(
        BytesCols::<u8>::WIDTH,
        16 * 20 + 16 * 2 + 4 * 2 + 8 * 2 + ROWS
    );
    assert_eq!(BytesCols::<u8>::WIDTH, 384);
    assert_eq!(ROWS * BytesCols::<u8>::WIDTH, 3072);
    assert_eq!(LOOKUPS, 133);
}

#[test]
fn degree_reached_is_the_degree_declared() {
    assert_eq!(constraint_degree(&BytesTable), DEGREE);
}

#[test]
fn messages_are_small() {
    assert!(largest_message(&BytesTable, 10_000) < 1000);
}

#[test]
fn every_limb_of_the_message_is_range_checked() {
    let mut seen = BTreeSet::new();
    for position in CHECKED {
        assert!(is_kept(position));
        // On the row of inputs, the word that has the position in a round before the first.
        seen.insert(
            PERMUTATION
                .iter()
                .position(|&from| from == position)
                .unwrap(),
        );
        seen.extend(SCHEDULE.iter().map(|order| order[position]));
    }
    assert_eq!(seen.len(), 16);
    assert_eq!(SCHEDULE.len(), ROUNDS);
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
        let bytes = generate_table(&compressions, None).unwrap();
        let wide = blake3::generate_table(&compressions, None).unwrap();
        let wide = Harness::new(vec![Table::new("wide", &Blake3Table, wide)]);
        for end in ENDS {
            let sent = table(bytes.clone(), end).messages().unwrap();
            assert_eq!(sent["blake3"].len(), count);
            assert_eq!(sent["byte_pairs"].len(), 0);
            assert_eq!(sent["blake3"], wide.messages().unwrap()["blake3"]);
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
fn lookups_are_as_many_as_said() {
    let trace = generate_table(&random(1), None).unwrap();
    let sent = alone(trace, End::Ring).messages().unwrap();
    let lookups: u32 = sent["byte_pairs"].values().sum();
    let inputs = 16 - ROUNDS as u32;
    assert_eq!(lookups, 16 * (LOOKUPS as u32 - 1) + inputs);
}

#[test]
fn every_cell_is_constrained() {
    let trace = generate_table(&random(3), None).unwrap();
    let below = 1 + 3 * ROWS;
    // Every row of the compressions, the idle row below them, which has words of the last one, and
    // the last row.
    let rows = Rows::listed((1..=below).chain([31]).collect(), below);
    for end in ENDS {
        let report = table(trace.clone(), end).mutate("bytes", &rows);
        report.expect_caught();
        // Steps, message, outputs: what is no byte does not need a lookup to be caught.
        for column in BytesCols::<u8>::names() {
            let is_byte = column.starts_with("halves") || column.starts_with("checks");
            if !is_byte {
                assert!(report.caught_by_constraints(&column), "{column}");
            }
        }
    }
}

/// Whether a lookup is one that a pair of bytes answers.
fn is_pair(fields: &[u32]) -> bool {
    let &[low_bits, x, y, high, low] = fields else {
        return false;
    };
    let are_bytes = [x, y, high].iter().all(|&byte| byte < 256);
    are_bytes && low < 1 << low_bits && x ^ y == (high << low_bits) + low
}

/// Whether pairs of bytes answer all lookups of these rows. If a constraint fails there, it is
/// `None`.
fn is_answered(trace: &RowMajorMatrix<F>, rows: impl IntoIterator<Item = usize>) -> Option<bool> {
    let table = Table::new("bytes", &BytesTable, trace.clone()).end(End::Repeat);
    let lookups = table.messages_of(rows, "byte_pairs")?;
    Some(lookups.iter().all(|fields| is_pair(fields)))
}

/// No provider of pairs could answer the lookups of a changed cell: what is looked up then is no
/// exclusive or, unless a constraint fails.
#[test]
fn changed_cells_look_up_what_no_pair_is() {
    let honest = generate_table(&random(1), None).unwrap();
    for row in [1, 2, 8] {
        for column in 0..BytesCols::<u8>::WIDTH {
            let mut trace = honest.clone();
            trace.values[row * honest.width() + column] += F::ONE;
            assert_ne!(
                is_answered(&trace, [row - 1, row]),
                Some(true),
                "{row} {column}"
            );
        }
    }
}

/// A word has one representation by cells: with a carry from one of its cells to the next, no sum
/// changes, so that all constraints of rounds still hold, but a cell is looked up that is no byte.
#[test]
fn no_word_has_other_cells() {
    let honest = generate_table(&random(1), None).unwrap();
    let width = honest.width();
    let carried = |row: usize, change: &dyn Fn(&mut BytesCols<F>)| {
        let mut trace = honest.clone();
        change(trace.values[row * width..][..width].borrow_mut());
        is_answered(&trace, [row - 1, row])
    };
    let carry = |cells: [&mut F; 2], radix: u32| {
        let [low, high] = cells;
        *low += F::from_u32(radix);
        *high -= F::ONE;
    };
    // The rows of inputs, the first and the last round, and the row below them.
    for row in [1, 2, 8, 9] {
        for (quarter, half) in (0..8).flat_map(|quarter| [(quarter, 0), (quarter, 1)]) {
            let mut answers = Vec::new();
            for i in 0..2 {
                for of in 0..3 {
                    answers.push(carried(row, &|row| {
                        let cells = &mut row.halves[quarter][half];
                        // After its rotation, `d` has other limbs.
                        let (word, low) = match of {
                            0 => (&mut cells.a, 2 * i),
                            1 => (&mut cells.c, 2 * i),
                            _ => (&mut cells.d, 2 * i + half),
                        };
                        word[low] += F::from_u32(1 << 8);
                        word[(low + 1) % 4] -= F::ONE;
                    }));
                }
            }
            for i in 0..4 {
                answers.push(carried(row, &|row| {
                    let ByteHalfCols { high, low, .. } = &mut row.halves[quarter][half];
                    match half {
                        0 => carry([&mut high[(i + 1) % 4], &mut low[(i + 2) % 4]], 1 << 4),
                        _ => carry([&mut high[i], &mut low[(i + 1) % 4]], 1 << 1),
                    }
                }));
            }
            assert!(!answers.contains(&Some(true)), "{row} {quarter} {half}");
            // On rows of inputs, other constraints read bytes: those of the output, the block
            // length and the flags.
            let is_round = [2, 8].contains(&row);
            assert!(!is_round || !answers.contains(&None), "{quarter} {half}");
        }
    }
}

/// The same for the limbs of a message word, on all rows that have it, with its range checks.
#[test]
fn no_message_word_has_other_limbs() {
    let count = 4;
    let honest = generate_table(&random(count), None).unwrap();
    let width = honest.width();
    let mut refused_by_lookups = 0;
    for (compression, word) in (0..count).flat_map(|i| (0..16).map(move |word| (i, word))) {
        let mut trace = honest.clone();
        let inputs = 1 + compression * ROWS;
        let mut limbs = |row: usize, position: usize| {
            let cells = &mut trace.values[row * width..][..width];
            let row: &mut BytesCols<F> = cells.borrow_mut();
            row.message[position][0] += F::from_u32(1 << 16);
            row.message[position][1] -= F::ONE;
            if let Some(checked) = CHECKED.iter().position(|&checked| checked == position) {
                row.checks[checked][0].high += F::from_u32(1 << 8);
            }
        };
        if is_kept(PERMUTATION[word]) {
            limbs(inputs, PERMUTATION[word]);
        }
        for (round, order) in SCHEDULE.iter().enumerate() {
            let position = order.iter().position(|&of| of == word).unwrap();
            limbs(inputs + 1 + round, position);
        }
        let answered = is_answered(&trace, 0..trace.height());
        assert_ne!(answered, Some(true), "{compression} {word}");
        // Constraints refuse it where a sum of low limbs has the largest carry already.
        refused_by_lookups += usize::from(answered.is_some());
    }
    assert!(refused_by_lookups > 0);
}

/// Above row 0 there is nothing that constrains it if the last row is followed by itself, except
/// that it is idle, and what it says of itself.
#[test]
fn row_0_is_read_by_no_compression() {
    let trace = generate_table(&random(1), None).unwrap();
    let report = table(trace, End::Repeat).mutate("bytes", &Rows::listed(vec![0], 0));
    let is_flag = |column: &str| column.starts_with("steps");
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
            let row: &mut BytesCols<F> = row.borrow_mut();
            row.output[word][0] += F::ONE;
        }
        alone(trace, end).check()
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

/// What the lookup of a block length of 128 asks for is not what pairs of bytes say.
#[test]
fn block_lengths_have_seven_bits() {
    let lookup = |length: u32| [7, length, 0, 0, length];
    for length in [0, 127, 128] {
        let mut trace = generate_table(&[], Some(8)).unwrap();
        let width = trace.width();
        let row: &mut BytesCols<F> = trace.values[3 * width..][..width].borrow_mut();
        // The last row of the state is shifted by three words, and its words by one byte.
        row.halves[4 + 3][1].d[1] = F::from_u32(length);
        let asked = alone(trace, End::Ring).messages().unwrap();
        assert!(asked["byte_pairs"].contains_key(&lookup(length)[..]));
    }
    let mut counts = byte_pairs::Counts::default();
    for length in [127, 128] {
        let [low_bits, x, y, high, low] = lookup(length).map(F::from_u32);
        counts.add(&BytePairMessage {
            low_bits,
            x,
            y,
            high,
            low,
        });
    }
    let pairs = byte_pairs::generate_table(&counts, None).unwrap();
    let pairs = Harness::new(vec![Table::new("pairs", &BytePairsTable, pairs)]);
    let answers = pairs.messages().unwrap().remove("byte_pairs").unwrap();
    let answers: Vec<_> = answers.into_keys().collect();
    assert_eq!(answers, [[7, 127, 0, 0, 127], [7, 128, 0, 1, 0]]);
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
        alone(RowMajorMatrix::new(rows.copied().collect(), width), end).check()
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
            // The first idle row has words of the last compression, which the second need not have.
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
        assert!(alone(zeros, end).check().is_err());
    }
}

/// A compression on rows 0 to 7, whose bytes nothing would range-check if the last row is followed
/// by itself. Only the constraint that row 0 is idle refuses it.
#[test]
fn no_compression_begins_on_row_0() {
    let mut trace = generate_table(&random(1), None).unwrap();
    let width = trace.width();
    trace.values.rotate_left(width);
    for end in ENDS {
        let constraint = ROWS;
        assert_eq!(
            alone(trace.clone(), end).check(),
            Err(Failure::Constraint {
                table: "bytes".to_owned(),
                row: 0,
                constraint
            })
        );
    }
}

#[test]
fn impossible_heights_are_refused() {
    assert_eq!(generate_table(&[], None), Err(TraceError::Empty));
    assert_eq!(
        generate_table(&random(2), Some(16)),
        Err(TraceError::TooShort {
            rows: 18,
            height: 16
        })
    );
    assert_eq!(generate_table(&[], Some(8)).unwrap().height(), 8);
}
