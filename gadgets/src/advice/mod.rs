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
/// each, are all below the modulus of the challenges' coefficients less one, and zero otherwise.
pub fn advise_below_largest(words: &[[Felt; 2]]) {
    run::advise(|| {
        let largest = run::field().modulus() - 1;
        let below = |word: &[Felt; 2]| sampled(*word) & 0x7fff_ffff < largest;
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

/// Advises as the next hint a slice of the rows that queries open, which the prover supplies query by
/// query, of `widths` elements each. A row begins a run, in the block after the last one of the row
/// before; `layout` is the number of elements of a run and the number of blocks from one run to the
/// next. After the rows of a query there is a block with its index: the low `bits` bits of the integer
/// that sampling reads from its word. Lanes without an element are zero.
pub fn advise_rows(widths: &[usize], layout: (usize, usize), words: &[[Felt; 2]], bits: usize) {
    run::advise(|| {
        let (run, run_blocks) = layout;
        let mut blocks: Vec<[Option<F>; 8]> = Vec::new();
        let mut append = |elements: &[F]| {
            let first = blocks.len();
            for (i, elements) in elements.chunks(run).enumerate() {
                blocks.resize(first + run_blocks * i, [Some(F::ZERO); 8]);
                let block = |own: &[F]| array::from_fn(|i| own.get(i).copied().or(Some(F::ZERO)));
                blocks.extend(elements.chunks(8).map(block));
            }
        };
        for word in words {
            for &width in widths {
                append(&run::ask(width));
            }
            append(&[F::from_u32(sampled(*word) % (1 << bits))]);
        }
        Hint::Slice(blocks)
    });
}

/// Advises as the next hint a slice of `n` words that the prover supplies, as limbs of 16 bits, low
/// first. They are laid out from position `at` of a run on; `layout` is the number of words of a run,
/// and half the number of blocks from one run to the next. `before` are the limbs in the lanes before
/// that position. Lanes without a limb are zero.
pub fn advise_words(before: &[Felt], at: usize, n: usize, layout: (usize, usize)) {
    run::advise(|| {
        let (run, run_blocks) = layout;
        let last = at + n - 1;
        let groups = run_blocks * (last / run) + last % run / 8 + 1;
        let mut blocks = vec![[Some(F::ZERO); 8]; 2 * groups];
        let before = before.iter().map(|limb| limb.0);
        let first = 2 * at - before.len();
        for (i, limb) in before.chain(run::ask(2 * n)).enumerate() {
            let (word, half) = ((first + i) / 2, (first + i) % 2);
            let block = 2 * run_blocks * (word / run) + word % run / 4;
            blocks[block][2 * (word % run % 4) + half] = Some(limb);
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
    run::tell(|| x.coefficients());
}

/// Tells the prover a sampled word.
pub fn tell_word(word: [Felt; 2]) {
    run::tell(|| word.map(|limb| limb.0).to_vec());
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::prelude::hint_slice;
    use crate::record::{Prover, record};

    /// A prover whose messages are the integers from 1 on.
    struct Integers(u32);

    impl Prover for Integers {
        type Error = Infallible;

        fn message(&mut self, n: usize) -> Result<Vec<F>, Infallible> {
            let first = self.0;
            self.0 += n as u32;
            Ok((first + 1..=self.0).map(F::from_u32).collect())
        }

        fn told(&mut self, _: Vec<F>) {}
    }

    #[test]
    fn rows_of_queries_are_in_runs_and_an_index_follows() {
        let (tape, _) = record(&mut Integers(0), || {
            let word = |low, high| [Felt::new(low), Felt::new(high)];
            let words = [word(0x3412, 0x7856), word(0xcdab, 0x01ef)];
            advise_rows(&[35, 2], (34, 5), &words, 12);
            let _ = hint_slice(16).any();
        })
        .unwrap();
        let full = |first: u32| array::from_fn(|i| first + i as u32);
        let mut expected: Vec<[u32; 8]> = Vec::new();
        for (first, index) in [(1, 0x678), (38, 0xf01)] {
            expected.extend([0, 8, 16, 24].map(|after| full(first + after)));
            // The rest of the run, the one element of the next run, the row of two, the index.
            expected.push([first + 32, first + 33, 0, 0, 0, 0, 0, 0]);
            expected.push([first + 34, 0, 0, 0, 0, 0, 0, 0]);
            expected.push([first + 35, first + 36, 0, 0, 0, 0, 0, 0]);
            expected.push([index, 0, 0, 0, 0, 0, 0, 0]);
        }
        let expected = expected
            .iter()
            .map(|lanes| lanes.map(|x| Some(F::from_u32(x))));
        assert_eq!(tape.hints, [Hint::Slice(expected.collect())]);
    }
}
