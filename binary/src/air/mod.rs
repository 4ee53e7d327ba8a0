//! The AIRs: one row a call, over bits.
//!
//! All three have their input in the first columns, bit by bit, and an output whose bits are sums of
//! columns. No constraint reads a next row, and none has a degree above 2. What keeps cells bits is
//! the commitment, which is to bits.

#![allow(
    clippy::indexing_slicing,
    reason = "columns of rows whose width the callers have checked"
)]

mod blake2s;
mod keccak_f;
mod mix;
#[cfg(test)]
mod tests;

use p3_air::{Air, AirBuilder, BaseAir};
use p3_blake3_air::{Blake3BinaryAir, NUM_BLAKE3_BINARY_COLS};
use p3_field::PrimeCharacteristicRing;
use p3_matrix::dense::RowMajorMatrix;
use p3_maybe_rayon::prelude::*;

use crate::Hash;
use crate::native::{BLAKE3_ROUNDS, BLAKE3_SCHEDULES, IV, SIGMA};
use crate::public::PublicBits;

/// The AIR of a hash. It is one type for all, so that the prover is compiled once.
#[derive(Debug)]
pub(crate) enum CallAir {
    Blake3(Blake3BinaryAir),
    Blake2s,
    KeccakF,
}

impl CallAir {
    pub const fn new(hash: Hash) -> Self {
        match hash {
            Hash::Blake3 => Self::Blake3(Blake3BinaryAir::assuming_boolean_trace()),
            Hash::Blake2s => Self::Blake2s,
            Hash::KeccakF => Self::KeccakF,
        }
    }

    pub const fn columns(&self) -> usize {
        match self {
            Self::Blake3(_) => NUM_BLAKE3_BINARY_COLS,
            Self::Blake2s => blake2s::WIDTH,
            Self::KeccakF => keccak_f::WIDTH,
        }
    }
}

impl<F> BaseAir<F> for CallAir {
    fn width(&self) -> usize {
        self.columns()
    }

    fn main_next_row_columns(&self) -> Vec<usize> {
        vec![]
    }

    fn assumes_boolean_trace(&self) -> bool {
        true
    }

    fn num_constraints(&self) -> Option<usize> {
        match self {
            Self::Blake3(air) => BaseAir::<F>::num_constraints(air),
            Self::Blake2s => Some(blake2s::CONSTRAINTS),
            Self::KeccakF => Some(keccak_f::CONSTRAINTS),
        }
    }

    fn max_constraint_degree(&self) -> Option<usize> {
        Some(2)
    }
}

impl<AB: AirBuilder> Air<AB> for CallAir {
    #[inline]
    fn eval(&self, builder: &mut AB) {
        match self {
            Self::Blake3(air) => air.eval(builder),
            Self::Blake2s => blake2s::eval(builder),
            Self::KeccakF => keccak_f::eval(builder),
        }
    }
}

/// The trace of a statement's inputs, 64 rows a word: `words[width * block + column]`.
///
/// The rows below the last call have the input zero, as [`PublicBits`] has them.
pub(crate) fn trace(public: &PublicBits) -> RowMajorMatrix<u64> {
    let width = CallAir::new(public.hash()).columns();
    let inputs = 8 * public.hash().input_bytes();
    let mut words = vec![0; width * public.blocks().len()];
    let rows = words.par_chunks_exact_mut(width).zip(public.blocks());
    rows.for_each(|(columns, block)| {
        columns[..inputs].copy_from_slice(&block[..inputs]);
        match public.hash() {
            Hash::Blake3 => mix::fill(columns, &BLAKE3_SCHEDULES, [0; 4]),
            Hash::Blake2s => mix::fill(columns, &SIGMA, [IV[4], IV[5], IV[6], IV[7]]),
            Hash::KeccakF => keccak_f::fill(columns),
        }
    });
    RowMajorMatrix::new(words, width)
}

/// The bits of the outputs, of a row's columns or of their values at a point.
pub(crate) fn outputs<T: PrimeCharacteristicRing + Copy>(hash: Hash, row: &[T]) -> Vec<T> {
    match hash {
        Hash::Blake3 => {
            let v = mix::last_state(row, BLAKE3_ROUNDS);
            let low = (0..256).map(|i| v[i] + v[256 + i]);
            low.chain((0..256).map(|i| v[256 + i] + row[i])).collect()
        }
        Hash::Blake2s => blake2s::output(row),
        Hash::KeccakF => keccak_f::output(row),
    }
}
