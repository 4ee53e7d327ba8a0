//! The AIRs: one row a call, over bits.
//!
//! All three have their input in the first columns, bit by bit, and an output whose bits are sums
//! of columns. No constraint of a call reads a next row, and none has a degree above 2. What keeps
//! cells bits is the commitment, which is to bits. Rows that are nodes of paths have more columns
//! ([`paths`]).

#![allow(
    clippy::indexing_slicing,
    reason = "columns of rows whose width the callers have checked"
)]

mod blake2s;
mod compression;
mod keccak_f;
mod mix;
pub(crate) mod paths;
#[cfg(test)]
mod paths_tests;
#[cfg(test)]
mod reference;
#[cfg(test)]
mod tests;

use p3_air::{Air, AirBuilder, BaseAir};
use p3_blake3_air::{Blake3BinaryAir, NUM_BLAKE3_BINARY_COLS};
use p3_field::PrimeCharacteristicRing;
use p3_matrix::dense::RowMajorMatrix;
use p3_maybe_rayon::prelude::*;

use crate::Hash;
use crate::public::{PublicBits, transpose};
use droste_batch::native::{BLAKE3_ROUNDS, BLAKE3_SCHEDULES, SIGMA};

/// The AIR of a hash's calls, or of paths of them. It is one type for all, so that the prover is
/// compiled once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CallAir {
    hash: Hash,
    paths: bool,
}

impl CallAir {
    /// The AIR whose rows are calls.
    pub const fn new(hash: Hash) -> Self {
        Self { hash, paths: false }
    }

    /// The AIR whose rows are the nodes of paths.
    pub const fn of_paths(hash: Hash) -> Self {
        Self { hash, paths: true }
    }

    pub const fn hash(self) -> Hash {
        self.hash
    }

    pub const fn is_of_paths(self) -> bool {
        self.paths
    }

    pub const fn columns(self) -> usize {
        let extra = if self.paths { paths::WIDTH } else { 0 };
        call_columns(self.hash) + extra
    }

    /// Bits of a row that the verifier knows.
    pub const fn public_bits(self) -> usize {
        match self.paths {
            true => paths::PUBLIC,
            false => 8 * (self.hash.input_bytes() + self.hash.output_bytes()),
        }
    }

    /// The bits of [`Self::public_bits`], of a row's columns or of their values at a point.
    pub fn public_of<T: PrimeCharacteristicRing + Copy>(self, row: &[T]) -> Vec<T> {
        if self.paths {
            return row[call_columns(self.hash)..][..paths::PUBLIC].to_vec();
        }
        let mut bits = row[..8 * self.hash.input_bytes()].to_vec();
        bits.extend(outputs(self.hash, row));
        bits
    }
}

/// Columns of one call of a hash.
const fn call_columns(hash: Hash) -> usize {
    match hash {
        Hash::Blake3 => NUM_BLAKE3_BINARY_COLS,
        Hash::Blake2s => blake2s::WIDTH,
        Hash::KeccakF => keccak_f::WIDTH,
    }
}

/// Constraints of one call of a hash.
const fn call_constraints(hash: Hash) -> usize {
    match hash {
        Hash::Blake3 => BLAKE3_ROUNDS * 8 * mix::G,
        Hash::Blake2s => blake2s::CONSTRAINTS,
        Hash::KeccakF => keccak_f::CONSTRAINTS,
    }
}

impl<F> BaseAir<F> for CallAir {
    fn width(&self) -> usize {
        self.columns()
    }

    fn main_next_row_columns(&self) -> Vec<usize> {
        match self.paths {
            true => paths::next_row_columns(call_columns(self.hash)).collect(),
            false => vec![],
        }
    }

    fn assumes_boolean_trace(&self) -> bool {
        true
    }

    fn num_constraints(&self) -> Option<usize> {
        let extra = if self.paths {
            paths::constraints(self.hash)
        } else {
            0
        };
        Some(call_constraints(self.hash) + extra)
    }

    fn max_constraint_degree(&self) -> Option<usize> {
        Some(2)
    }
}

impl<AB: AirBuilder> Air<AB> for CallAir {
    #[inline]
    fn eval(&self, builder: &mut AB) {
        match self.hash {
            // Plonky3's takes rows of its own width only.
            Hash::Blake3 if !self.paths => {
                Blake3BinaryAir::assuming_boolean_trace().eval(builder);
            }
            Hash::Blake3 => compression::eval(builder, &BLAKE3_SCHEDULES, [0; 4]),
            Hash::Blake2s => compression::eval(builder, &SIGMA, blake2s::LAST),
            Hash::KeccakF => keccak_f::eval(builder),
        }
        if self.paths {
            paths::eval(builder, self.hash);
        }
    }
}

/// The trace of a statement's inputs, 64 rows a word: `words[width * block + column]`.
///
/// The rows below the last call have the input zero, as [`PublicBits`] has them.
pub(crate) fn trace(public: &PublicBits) -> RowMajorMatrix<u64> {
    let inputs = 8 * public.hash().input_bytes();
    fill(public, |_, block, columns| {
        columns.copy_from_slice(&block[..inputs]);
    })
}

/// The trace of paths, whose rows have these inputs, one after the other.
pub(crate) fn paths_trace(public: &PublicBits, inputs: &[u8]) -> RowMajorMatrix<u64> {
    let bytes = public.hash().input_bytes();
    fill(public, |block, _, columns| {
        transpose(columns, |row| {
            &inputs[bytes * (64 * block + row)..][..bytes]
        });
    })
}

/// A trace whose inputs are what `input` writes, given a block's number and its public bits.
fn fill(
    public: &PublicBits,
    input: impl Fn(usize, &[u64], &mut [u64]) + Sync,
) -> RowMajorMatrix<u64> {
    let (air, hash) = (public.air(), public.hash());
    let width = air.columns();
    let mut words = vec![0; width * public.blocks().len()];
    let rows = words.par_chunks_exact_mut(width).zip(public.blocks());
    rows.enumerate().for_each(|(index, (columns, block))| {
        input(index, block, &mut columns[..8 * hash.input_bytes()]);
        match hash {
            Hash::Blake3 => mix::fill(columns, &BLAKE3_SCHEDULES, [0; 4]),
            Hash::Blake2s => mix::fill(columns, &SIGMA, blake2s::LAST),
            Hash::KeccakF => keccak_f::fill(columns),
        }
        if air.is_of_paths() {
            paths::fill(columns, hash, block);
        }
    });
    RowMajorMatrix::new(words, width)
}

/// The bits of the outputs, of a row's columns or of their values at a point.
pub(crate) fn outputs<T: PrimeCharacteristicRing + Copy>(hash: Hash, row: &[T]) -> Vec<T> {
    output(hash, row)
}

/// The bits of the outputs, as expressions of a row's columns.
fn output<T, S>(hash: Hash, row: &[T]) -> Vec<S>
where
    T: Copy + Into<S>,
    S: PrimeCharacteristicRing,
{
    match hash {
        Hash::Blake3 => {
            let v: Vec<S> = mix::last_state(row, BLAKE3_ROUNDS);
            let low = (0..256).map(|i| v[i].clone() + v[256 + i].clone());
            low.chain((0..256).map(|i| row[i].into() + v[256 + i].clone()))
                .collect()
        }
        Hash::Blake2s => blake2s::output(row),
        Hash::KeccakF => keccak_f::output(row),
    }
}
