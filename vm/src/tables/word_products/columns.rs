//! Columns of the table `word_products`.

use crate::tables::LANES;
use crate::tables::binary_products::{BITS, COEFFICIENTS};

/// Number of bits of a field element's word that may be other than zero.
pub const WORD_BITS: usize = 31;

/// The lowest bits of a word: the largest word has none of them, and all others.
pub const LOW_BITS: usize = 24;

/// Number of words of an element of GF(2^128).
pub const WORDS: usize = 4;

/// Largest number of products of a call.
pub const PRODUCTS: usize = 2 * LANES / WORDS;

droste_air::columns! {
    /// One row: one call. Bits are in order of their powers of `x`, the constant term first.
    pub struct WordProductsCols<T> {
        /// One on the row of a call about the words of one block.
        pub is_one: T,
        /// One on the row of a call about the words of two blocks.
        pub is_two: T,
        /// Operand A, the address of the first block of words.
        pub words_address: T,
        /// Operand B, the address of the first weight.
        pub weights_address: T,
        /// Operand C, the address of the element that is added.
        pub added_address: T,
        /// Operand D, the address of the result.
        pub result_address: T,
        /// Zero, which is the highest bit of each word.
        pub zero: T,
        /// The other bits of the words of the first block, and of the second one. Those of the
        /// second one are zero in a call about one block.
        pub words: [[T; WORD_BITS]; 2 * LANES],
        /// For each word, the inverse of the number of zeros among its highest seven of these bits,
        /// or zero.
        pub inverses: [T; 2 * LANES],
        /// Bits of the weights.
        pub weights: [[T; BITS]; PRODUCTS],
        /// Bits of the element that is added.
        pub added: [T; BITS],
        /// Bits of the result.
        pub result: [T; BITS],
        /// Bits of the multiple of the modulus that makes the result of the sum of products.
        pub multiple: [T; BITS - 1],
        /// What each coefficient of the sum over the integers has beside what is odd, halved.
        pub carries: [T; COEFFICIENTS],
    }
}

/// The coefficients of the elements of which these are the words, in order, with `zero` for the
/// highest bit of each word.
pub fn elements<T: Copy>(
    words: &[[T; WORD_BITS]; 2 * LANES],
    zero: T,
) -> impl Iterator<Item = [T; BITS]> {
    let (elements, _) = words.as_chunks::<WORDS>();
    elements.iter().map(move |words| {
        std::array::from_fn(|bit| {
            let word = &words[bit / (WORD_BITS + 1)];
            *word.get(bit % (WORD_BITS + 1)).unwrap_or(&zero)
        })
    })
}

const _: () = assert!(WORDS * (WORD_BITS + 1) == BITS);
