//! Advice: the values that an honest prover gives to hints, where the program itself can compute
//! them.
//!
//! While a tape is recorded ([`crate::record`]), a hint takes the value that the program advised
//! for it, or, if there is none, the prover's answer. In a native run over a given tape, and in the
//! machine, these functions do nothing. Advice proves nothing: the program must still check every
//! hint, since a malicious prover can choose other values.

mod binary;

use std::array;

use droste_native::F;
use droste_native::field::MODULUS;
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use crate::prelude::run::{self, Hint};
use crate::prelude::{Block, Ext, Felt, Slice};

pub use binary::{
    advise_conjugate_sums, advise_entries, advise_queries, advise_query_factors,
    advise_query_round, advise_quotients, advise_trace_coordinates, advise_trace_round,
    advise_trace_weight, advise_values_at_conjugates,
};

/// Advises the bits of `x`, low first, as the next `n` hints.
pub fn advise_bits(x: Felt, n: usize) {
    let x = x.0.as_canonical_u32();
    for i in 0..n {
        run::advise(|| Hint::Felt(F::from_bool(x >> i & 1 == 1)));
    }
}

/// The integer that sampling reads from a word of a digest.
fn sampled(word: [Felt; 2]) -> u32 {
    let [low, high] = word.map(|limb| limb.0.as_canonical_u32());
    (low | high << 16).swap_bytes()
}

/// Advises the next hint to be one if the integers that sampling reads from these words, of 31 bits
/// each, are all below the modulus less one, and zero otherwise.
pub fn advise_below_largest(words: &[[Felt; 2]]) {
    run::advise(|| {
        let below = |word: &[Felt; 2]| sampled(*word) & 0x7fff_ffff < MODULUS - 1;
        Hint::Felt(F::from_bool(words.iter().all(below)))
    });
}

/// Advises a slice of these blocks as the next hint.
pub fn advise_blocks(blocks: &[Block]) {
    run::advise(|| {
        let blocks = blocks.iter().map(|block| block.native().map(Some));
        Hint::Slice(blocks.collect())
    });
}

/// Advises as the next hint a slice of the lanes `before`, followed by the lanes of the first `n`
/// blocks of `data`.
pub fn advise_shifted(before: &[Felt], data: Slice, n: usize) {
    run::advise(|| {
        let lanes: Vec<F> = before
            .iter()
            .map(|lane| lane.0)
            .chain(data.native(n).into_iter().flatten())
            .collect();
        let block = |lanes: &[F]| array::from_fn(|i| lanes.get(i).copied());
        Hint::Slice(lanes.chunks(8).map(block).collect())
    });
}

/// Advises as the next hint a slice of `n` elements that the prover supplies. They are laid out
/// from position `at` of a run on; `layout` is the number of elements of a run and the number of
/// blocks from one run to the next. `before` are the elements in the lanes before that position.
/// Lanes without an element are zero if `padded`, and otherwise have no value.
pub fn advise_elements(before: &[Felt], at: usize, n: usize, layout: (usize, usize), padded: bool) {
    run::advise(|| {
        let (run, run_blocks) = layout;
        let place = |i: usize| (run_blocks * (i / run) + i % run / 8, i % run % 8);
        let empty = padded.then_some(F::ZERO);
        let mut blocks = vec![[empty; 8]; place(at + n - 1).0 + 1];
        let before = before.iter().map(|lane| lane.0);
        let first = at - before.len();
        for (i, element) in before.chain(run::ask(n)).enumerate() {
            let (block, lane) = place(first + i);
            blocks[block][lane] = Some(element);
        }
        Hint::Slice(blocks)
    });
}

/// Tells the prover blocks that its following answers depend on.
pub fn tell_blocks(blocks: &[Block]) {
    run::tell(|| blocks.iter().flat_map(|block| block.native()).collect());
}

/// Tells the prover an element that its following answers depend on.
pub fn tell_ext(x: Ext) {
    run::tell(|| (0..Ext::degree()).map(|i| x.coeff(i).0).collect());
}

/// Tells the prover a sampled word.
pub fn tell_word(word: [Felt; 2]) {
    run::tell(|| word.map(|limb| limb.0).to_vec());
}
