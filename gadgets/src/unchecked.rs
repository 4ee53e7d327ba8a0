//! Run-time indices that nothing bounds, for code that has bounded them by other means.
//!
//! Natively these fail past the end of the slice. In the machine they do not: the index is added to
//! the slice's address in the field, so that an index that is not below the length reads whatever is
//! at the sum, the statement and unconstrained cells included, and the prover chooses it. They are
//! not in the prelude, so that a program has to ask for them by name.

use p3_field::PrimeField32;

use crate::prelude::{Block, Felt, Slice};

/// Blocks at run-time indices that the caller has bounded.
pub trait UncheckedSlice {
    /// Block `i`.
    ///
    /// The caller makes sure, by constraints of the program, that `i` is below the slice's length, and
    /// says at the call why it is. [`Slice::at`] does without.
    fn at_unchecked(self, i: Felt) -> Block;

    /// The `n` blocks from block `i` on.
    ///
    /// The caller makes sure, by constraints of the program, that the integer of `i` plus `n` is at most
    /// the slice's length, and says at the call why it is. [`Slice::skip_index`] does without.
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
