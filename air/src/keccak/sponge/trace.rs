//! Trace generation for the Keccak-256 table.

use std::borrow::BorrowMut;

use droste_native::F;
use p3_field::PrimeCharacteristicRing;
use p3_matrix::dense::RowMajorMatrix;
use p3_maybe_rayon::prelude::*;

use super::absorb::{RATE, absorb};
use super::columns::{DIGEST_LIMBS, SpongeCols};
use crate::keccak::LANES;
use crate::keccak::bytes::{Input, permutation_of};
use crate::{TraceError, TraceResult};

/// Number of rows, and of permutations, that a message of this many bytes takes.
pub const fn rows(bytes: usize) -> usize {
    bytes / RATE + 1
}

/// The padded blocks of a message (FIPS 202, section 5.1, with the padding byte 0x01 of Keccak),
/// each with the number of message bytes that it contains.
fn blocks(message: &[u8]) -> impl ExactSizeIterator<Item = ([u8; RATE], usize)> {
    (0..rows(message.len())).map(|index| {
        let rest = &message[RATE * index..];
        let present = rest.len().min(RATE);
        let mut block = [0; RATE];
        block[..present].copy_from_slice(&rest[..present]);
        if present < RATE {
            block[present] = 0x01;
            block[RATE - 1] |= 0x80;
        }
        (block, present)
    })
}

/// The inputs of the permutations that all messages take, for
/// [`generate_table`](crate::keccak::bytes::generate_table) of the Keccak table.
pub fn permutations(messages: &[impl AsRef<[u8]> + Sync]) -> Vec<Input> {
    let inputs = |message: &[u8]| -> Vec<Input> {
        let mut state = [0; LANES];
        let absorbed = blocks(message).map(|(block, _)| {
            let input = absorb(&block, &state);
            state = permutation_of(&input);
            input
        });
        absorbed.collect()
    };
    let messages = messages.par_iter();
    messages
        .flat_map_iter(|message| inputs(message.as_ref()))
        .collect()
}

/// Trace of [`SpongeTable`](super::SpongeTable): the blocks of one message after the other, then
/// padding rows that send nothing.
///
/// # Errors
///
/// [`TraceError`] says when there is no such trace.
pub fn generate_table(messages: &[impl AsRef<[u8]> + Sync], height: Option<usize>) -> TraceResult {
    let total = messages.iter().map(|message| rows(message.as_ref().len()));
    let height = TraceError::height(total.sum(), height)?;
    let width = SpongeCols::<u8>::WIDTH;
    let mut values = F::zero_vec(height * width);
    let mut rest = values.as_mut_slice();
    let (mut chains, mut first) = (vec![], 1);
    for message in messages {
        let message = message.as_ref();
        let (chain, below) = rest.split_at_mut(rows(message.len()) * width);
        chains.push((message, first, chain));
        first += rows(message.len());
        rest = below;
    }
    chains
        .into_par_iter()
        .for_each(|(message, first, rows)| fill_rows(message, first, rows));
    for row in rest.chunks_exact_mut(width) {
        let row: &mut SpongeCols<F> = row.borrow_mut();
        row.starts = F::ONE;
    }
    Ok(RowMajorMatrix::new(values, width))
}

/// Fills the rows of one message, whose first permutation has this number.
fn fill_rows(message: &[u8], first: usize, rows: &mut [F]) {
    let mut rows: Vec<&mut SpongeCols<F>> = rows
        .chunks_exact_mut(SpongeCols::<u8>::WIDTH)
        .map(BorrowMut::borrow_mut)
        .collect();
    let mut state = [0; LANES];
    let mut digest = [F::ZERO; DIGEST_LIMBS];
    for (index, (row, (block, present))) in rows.iter_mut().zip(blocks(message)).enumerate() {
        row.is_real = F::ONE;
        row.starts = F::from_bool(index == 0);
        row.remaining = F::from_usize(message.len() - RATE * index);
        row.present[..present].fill(F::ONE);
        state = row.block.fill(&block, &state);
        row.block.number = F::from_usize(first + index);
        digest = row.block.digest;
    }
    for row in rows {
        row.digest = digest;
    }
}
