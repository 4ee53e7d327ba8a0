use std::borrow::{Borrow, BorrowMut};

use droste_native::F;
use droste_native::hash::keccak::Keccak256;
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;

use super::*;
use crate::TraceError;
use crate::keccak::bytes::{self, BytesTable};
use crate::test_utils::{Failure, Harness, Rows, Table, constraint_degree, largest_message};

fn messages(lengths: &[usize]) -> Vec<Vec<u8>> {
    let message = |&length| (0..length).map(|i| (i % 251) as u8).collect();
    lengths.iter().map(message).collect()
}

/// The table, and the table of the permutations that it needs, whose lookups are all answered.
fn harness(messages: &[Vec<u8>], trace: RowMajorMatrix<F>) -> Harness<'static, F> {
    let inputs = permutations(messages);
    let inner = bytes::generate_table(&inputs, None).unwrap();
    let sponge = Table::new("sponge", &SpongeTable, trace).names(SpongeCols::<u8>::names());
    Harness::new(vec![sponge, Table::new("keccak", &BytesTable, inner)])
        .open_bus("keccak256")
        .open_bus("spread")
}

/// The bus messages that the table must send for a message.
fn expected(message: &[u8]) -> Vec<Vec<u32>> {
    let limbs = |bytes: &[u8]| -> Vec<u32> {
        let pairs = bytes.as_chunks::<2>().0.iter();
        pairs.map(|&pair| u16::from_le_bytes(pair).into()).collect()
    };
    let rows = 0..rows(message.len());
    rows.map(|index| {
        let rest = &message[RATE * index..];
        let mut bytes = [0; RATE];
        let present = rest.len().min(RATE);
        bytes[..present].copy_from_slice(&rest[..present]);
        let mut fields = vec![u32::from(index == 0), rest.len() as u32];
        fields.extend(limbs(&bytes));
        fields.extend(limbs(&Keccak256.hash(message)));
        fields
    })
    .collect()
}

#[test]
fn widths() {
    assert_eq!(AbsorbCols::<u8>::WIDTH, 1 + (68 + 16) * 16 + 200 + 16 + 168);
    assert_eq!(SpongeCols::<u8>::WIDTH, 3 + 136 + 16 + 1729);
    assert_eq!(SpongeCols::<u8>::WIDTH, 1884);
}

#[test]
fn degree_reached_is_the_degree_declared() {
    assert_eq!(constraint_degree(&SpongeTable), DEGREE);
    assert!(largest_message(&SpongeTable, 50_000) < 20_000);
}

#[test]
fn what_is_sent_is_keccak_256() {
    let messages = messages(&[
        0, 1, 2, 7, 8, 64, 134, 135, 136, 137, 271, 272, 273, 407, 408, 1000,
    ]);
    let trace = generate_table(&messages, None).unwrap();
    let harness = harness(&messages, trace);
    harness.check().unwrap();
    let sent = &harness.messages().unwrap()["keccak256"];
    let blocks: Vec<Vec<u32>> = messages.iter().flat_map(|m| expected(m)).collect();
    assert_eq!(sent.len(), blocks.len());
    for block in blocks {
        assert_eq!(sent.get(&block), Some(&1));
    }
}

#[test]
fn a_full_table_is_accepted() {
    let messages = messages(&[0, 272]);
    let trace = generate_table(&messages, None).unwrap();
    assert_eq!(trace.height(), 4);
    harness(&messages, trace).check().unwrap();
}

#[test]
fn every_cell_is_constrained() {
    let messages = messages(&[300, 9, 136]);
    let trace = generate_table(&messages, None).unwrap();
    let rows = Rows::listed((0..8).collect(), 6);
    harness(&messages, trace)
        .mutate("sponge", &rows)
        .expect_caught();
}

/// Checks a trace after a change of several cells at once.
fn changed(lengths: &[usize], change: impl Fn(&mut [&mut SpongeCols<F>])) -> Result<(), Failure> {
    let messages = messages(lengths);
    let mut trace = generate_table(&messages, None).unwrap();
    let width = trace.width();
    let rows = trace.values.chunks_exact_mut(width);
    change(&mut rows.map(BorrowMut::borrow_mut).collect::<Vec<_>>());
    harness(&messages, trace).check()
}

#[test]
fn false_claims_about_a_message_are_rejected() {
    let lengths = [300, 9];
    assert_eq!(changed(&lengths, |_| ()), Ok(()));
    // A different digest on all rows.
    assert!(
        changed(&lengths, |rows| rows[..3]
            .iter_mut()
            .for_each(|row| row.digest[3] += F::ONE))
        .is_err()
    );
    // A different length on all rows.
    assert!(
        changed(&lengths, |rows| rows[..3]
            .iter_mut()
            .for_each(|row| row.remaining += F::ONE))
        .is_err()
    );
    // The last byte declared to be padding, and the padding declared to be a byte.
    assert!(
        changed(&lengths, |rows| {
            rows[3].present[8] = F::ZERO;
            rows[3].remaining -= F::ONE;
        })
        .is_err()
    );
    assert!(
        changed(&lengths, |rows| {
            rows[3].present[9] = F::ONE;
            rows[3].remaining += F::ONE;
        })
        .is_err()
    );
    // A message that begins in the middle of another one.
    assert!(
        changed(&lengths, |rows| {
            rows[1].starts = F::ONE;
            rows[0].present[RATE - 1] = F::ZERO;
        })
        .is_err()
    );
}

#[test]
fn no_message_is_cut_off() {
    let messages = messages(&[300]);
    let trace = generate_table(&messages, None).unwrap();
    for height in [1, 2] {
        let rows = trace.values[..height * trace.width()].to_vec();
        let rows = RowMajorMatrix::new(rows, trace.width());
        let row: &SpongeCols<F> = rows.values[..trace.width()].borrow();
        assert_eq!(row.remaining.as_canonical_u32(), 300);
        assert!(matches!(
            harness(&messages, rows).check(),
            Err(Failure::Constraint { .. })
        ));
    }
}

#[test]
fn impossible_heights_are_refused() {
    let none: [&[u8]; 0] = [];
    assert_eq!(generate_table(&none, None), Err(TraceError::Empty));
    assert_eq!(
        generate_table(&[[0; 136]], Some(1)),
        Err(TraceError::TooShort { rows: 2, height: 1 })
    );
}
