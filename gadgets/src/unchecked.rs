//! Run-time indices without a bounds check, for code that has bounded them by other means.
//!
//! Natively, an index beyond the end of the slice fails. In the machine it does not: the index is
//! added to the slice's address in the field, so an index that is not below the length reads
//! whatever is at the resulting address, including the statement and unconstrained cells, which
//! lets the prover choose the value. These functions are not in the prelude, so that a program must
//! import them by name.

use p3_field::PrimeField32;

use crate::prelude::{Block, Felt, Slice};

/// Blocks at run-time indices that the caller has bounded.
pub trait UncheckedSlice {
    /// Returns block `i`.
    ///
    /// The caller must ensure, by constraints of the program, that `i` is below the slice's length,
    /// and say in a comment why it is. [`Slice::at`] does not need this.
    fn at_unchecked(self, i: Felt) -> Block;

    /// Returns the `n` blocks from block `i` on.
    ///
    /// The caller must ensure, by constraints of the program, that the integer of `i` plus `n` is
    /// at most the slice's length, and say in a comment why it is. [`Slice::skip_index`] does not
    /// need this.
    fn skip_unchecked(self, i: Felt, n: usize) -> Slice;
}

impl UncheckedSlice for Slice {
    fn at_unchecked(self, i: Felt) -> Block {
        self.block(i.0.as_canonical_u32() as usize)
    }

    fn skip_unchecked(self, i: Felt, n: usize) -> Slice {
        self.part(i.0.as_canonical_u32() as usize, n)
    }
}
