//! The byte families on the tape.

use std::marker::PhantomData;

use droste_gadgets::{Hint, Tape};
use droste_native::encoding::element_to_bytes;
use droste_native::family::{ByteFamily, ByteHash};
use droste_native::precompile::{digest_to_limbs, words_to_limbs};
use droste_native::{EF, F, HashFamily, HashId};
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing};

use super::family::TapeFamily;
use super::transcript::Transcript;
use super::whole;
use crate::program::layout;

/// The native side of `droste_gadgets::bytes::ByteChallenger`.
#[derive(Debug)]
pub struct ByteTranscript<B> {
    hash: PhantomData<B>,
    /// Words of the next message.
    message: Vec<u32>,
    /// Elements observed last.
    elements: Vec<F>,
    /// Integers that sampling reads from the digest, the next one last.
    unread: Vec<u32>,
}

impl<B> Default for ByteTranscript<B> {
    fn default() -> Self {
        Self {
            hash: PhantomData,
            message: Vec::new(),
            elements: Vec::new(),
            unread: Vec::new(),
        }
    }
}

impl<B: ByteHash> ByteTranscript<B> {
    const ID: HashId = B::ID;

    /// The blocks of limbs of the message.
    fn blocks(&self) -> Vec<[F; 8]> {
        let (run, run_blocks) = layout(Self::ID);
        if run == 8 {
            return words_to_limbs(&self.message);
        }
        let mut blocks = Vec::new();
        let runs = self.message.chunks(run);
        for words in runs {
            blocks.extend(words_to_limbs(words));
            if words.len() == run {
                blocks.resize(blocks.len().next_multiple_of(2 * run_blocks), [F::ZERO; 8]);
            }
        }
        blocks
    }

    fn flush(&mut self, tape: &mut Tape) {
        tape.hints.push(whole(&self.blocks()));
        let bytes: Vec<u8> = self
            .message
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        let digest = B::HASHER.hash_slice(&bytes);
        self.message = digest_words(&digest);
        self.elements.clear();
        self.unread = self.message.iter().map(|word| word.swap_bytes()).collect();
    }

    /// The hints of `accepted`: the first `N` accepted of these words.
    fn accepted<const N: usize>(words: &[u32], tape: &mut Tape) -> [F; N] {
        let clean = words.iter().take(N).all(|&word| top(word) != 127);
        tape.hints.push(Hint::Felt(F::from_bool(clean)));
        let read = if clean { N } else { words.len() };
        for &word in words.iter().take(read) {
            Self::word_bits(word, tape);
        }
        let mut values = words
            .iter()
            .map(|word| word & 0x7fff_ffff)
            .filter(|&value| value < droste_native::field::MODULUS)
            .map(F::from_u32);
        // Fewer than N accepted words: the program fails, as it must be told something.
        std::array::from_fn(|_| values.next().unwrap_or_default())
    }
}

fn top(word: u32) -> u32 {
    word >> 24 & 0x7f
}

fn digest_words(digest: &[u8; 32]) -> Vec<u32> {
    digest
        .as_chunks()
        .0
        .iter()
        .map(|&word| u32::from_le_bytes(word))
        .collect()
}

fn extension(values: &[F]) -> EF {
    EF::from_basis_coefficients_fn(|i| values.get(i).copied().unwrap_or_default())
}

impl<B: ByteHash> Transcript for ByteTranscript<B> {
    type Digest = [u8; 32];

    fn observe(&mut self, x: F) {
        self.unread.clear();
        self.message.push(u32::from_le_bytes(element_to_bytes(x)));
        self.elements.push(x);
    }

    fn observe_digests(&mut self, digests: &[[u8; 32]], _tape: &mut Tape) {
        self.unread.clear();
        self.message.extend(digests.iter().flat_map(digest_words));
        self.elements.clear();
    }

    fn position(&self) -> usize {
        self.message.len() % layout(Self::ID).0
    }

    fn pending(&self) -> Vec<F> {
        let count = self.position() % 8;
        let first = self.elements.len().saturating_sub(count);
        self.elements.iter().skip(first).copied().collect()
    }

    fn sample(&mut self, tape: &mut Tape) -> EF {
        if self.unread.is_empty() {
            self.flush(tape);
        }
        let words: Vec<u32> = self.unread.drain(..).rev().collect();
        extension(&Self::accepted::<5>(&words, tape))
    }

    fn sample_pair(&mut self, tape: &mut Tape) -> (EF, EF) {
        if self.unread.is_empty() {
            self.flush(tape);
        }
        let mut words: Vec<u32> = self.unread.drain(..).rev().collect();
        self.flush(tape);
        words.extend(self.unread.drain(..).rev());
        let values = Self::accepted::<10>(&words, tape);
        (extension(&values[..5]), extension(&values[5..]))
    }

    fn sample_word(&mut self, tape: &mut Tape) -> u32 {
        loop {
            if let Some(word) = self.unread.pop() {
                return word;
            }
            self.flush(tape);
        }
    }

    fn word_bits(word: u32, tape: &mut Tape) {
        for i in 0..32 {
            tape.hints
                .push(Hint::Felt(F::from_bool(word >> i & 1 == 1)));
        }
    }

    fn grind(&mut self, nonce: F, tape: &mut Tape) {
        if self.unread.is_empty() {
            self.flush(tape);
        }
        tape.hints.push(Hint::Felt(nonce));
        self.observe(nonce);
        let word = self.sample_word(tape);
        Self::word_bits(word, tape);
    }
}

impl<B: ByteHash> TapeFamily for ByteFamily<B>
where
    Self: HashFamily<Digest = [u8; 32]>,
{
    type Transcript = ByteTranscript<B>;

    fn digest_blocks(digest: &[u8; 32]) -> Vec<[F; 8]> {
        digest_to_limbs(*digest).to_vec()
    }
}
