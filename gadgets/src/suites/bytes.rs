//! Code that both byte suites use: words as limbs, and the challenger on a 32-byte hash.
//!
//! A 32-bit word is represented by two 16-bit limbs, low first, so a block has four words. A field
//! element is hashed as the word of its Montgomery form. The words of a message are laid out in
//! runs as [`Hash::RUN`] describes; the limbs of the words take two blocks where the elements take
//! one. Elements of BabyBear are given as limbs.

use std::marker::PhantomData;

use crate::advice::{advise_below_largest, advise_blocks, advise_elements, advise_words};
use crate::bits::Bits;
use crate::packing::{blocks_for, unpack_all, word_as_ext};
use crate::prelude::*;
use crate::suites::hash::{Challenger, Hash};
use crate::verify::fri::point::BABY_BEAR;

/// A hash of 32-bit words with a digest of 32 bytes.
pub trait ByteHash: Hash<Digest = Slice> {
    /// Returns the digest of `words >= 1` words.
    fn hash_words(message: Slice, words: usize) -> Slice;
}

/// Fails if two digests differ.
pub fn assert_same_digest(a: Slice, b: Slice) {
    assert_eq!(a.block(0), b.block(0));
    assert_eq!(a.block(1), b.block(1));
}

/// Returns the 64 bytes of two digests.
pub fn concatenate(left: Slice, right: Slice) -> Slice {
    Slice::from_blocks([left.block(0), left.block(1), right.block(0), right.block(1)])
}

/// The integer that sampling reads from a word of a digest, which is its bytes in reverse order.
#[derive(Clone, Copy, Debug)]
struct Sampled {
    /// The integer of the low 24 bits.
    low: Felt,
    /// The low limb of the word, whose low byte has the bits from bit 24 on.
    limb: Bits,
}

impl Sampled {
    fn new(word: [Felt; 2]) -> Self {
        let limb = Bits::new(word[0], 2);
        let high = Bits::new(word[1], 2);
        let bytes = high.part(0, 8) * felt(256) + high.above(8);
        Self {
            low: limb.above(8) * felt(1 << 16) + bytes,
            limb,
        }
    }
}

/// Returns the bits from bit `24 + S::FREE` on of the 31 that are sampled from a word, and those
/// below.
fn halves<S: Sampling>(word: [Felt; 2]) -> (Felt, Felt) {
    let sampled = Sampled::new(word);
    let mut low = sampled.low;
    if S::FREE > 0 {
        low = sampled.limb.part(0, S::FREE) * felt(1 << 24) + low;
    }
    (sampled.limb.part(S::FREE, 7), low)
}

/// Returns the integer whose top bits are all ones: the largest one.
fn top<S: Sampling>() -> Felt {
    felt(127usize >> S::FREE)
}

/// Returns the first `N` sampled integers that are below the modulus, out of `available` words.
///
/// The modulus is 127 * 2^24 + 1, or 120 * 2^24 + 1 of BabyBear: one more than the integer whose top
/// bits, those above the lowest 24 or 27, are all ones, and whose other bits are zeros. So an integer
/// whose top bits are not all ones is below the modulus, and of the others only this one is. A hint
/// says whether the top bits of none of the first `N` integers are all ones, which is checked. If
/// they are of some, each word is either taken or skipped. Fails if fewer than `N` integers are below
/// the modulus.
///
/// Over BabyBear the second result is one if the first `first` words have these integers, and else
/// zero.
fn accepted<S: Sampling, const N: usize>(
    words: [[Felt; 2]; 16],
    first: usize,
    available: usize,
) -> ([Felt; N], Felt) {
    assert_eq!(S::LIMBS, Ext::modulus() == BABY_BEAR);
    // Entries of `words` from `available` on are zeros that were never sampled.
    assert!(N <= available);
    let mut values = [Felt::ZERO; N];
    let mut enough = Felt::ZERO;
    advise_below_largest(&words[0..N]);
    let clean = hint_felt().bit();
    if clean == Felt::ONE {
        for i in 0..N {
            let (high, low) = halves::<S>(words[i]);
            assert!(high != top::<S>());
            values[i] = high * felt(1usize << (24 + S::FREE)) + low;
        }
        if S::LIMBS && N <= first {
            enough = Felt::ONE;
        }
    } else {
        // Entry j is one if j words have been taken so far.
        let mut taken = [Felt::ZERO; 16];
        taken[0] = Felt::ONE;
        let mut found = Felt::ZERO;
        for i in 0..available {
            let (high, low) = halves::<S>(words[i]);
            let mut accept = Felt::ONE;
            if high == top::<S>() {
                found = Felt::ONE;
                if low != Felt::ZERO {
                    accept = Felt::ZERO;
                }
            }
            let value = high * felt(1usize << (24 + S::FREE)) + low;
            for k in 0..N {
                let j = N - 1 - k;
                let here = taken[j] * accept;
                values[j] += here * value;
                taken[j + 1] += here;
                taken[j] -= here;
            }
            if S::LIMBS && i + 1 == first {
                enough = taken[N];
            }
            // If none of the first `N` has these top bits, the hint is false.
            if i + 1 == N {
                assert_eq!(found, Felt::ONE);
            }
        }
        assert_eq!(taken[N], Felt::ONE);
    }
    (values, enough)
}

/// Returns one if the integers that are sampled from the first eight words are all below the
/// modulus, and zero otherwise.
fn all_accepted<S: Sampling>(words: [[Felt; 2]; 16]) -> Felt {
    let mut accepted = Felt::ONE;
    for i in 0..8 {
        let (high, low) = halves::<S>(words[i]);
        if high == top::<S>() && low != Felt::ZERO {
            accepted = Felt::ZERO;
        }
    }
    accepted
}

/// Returns the word that is sampled from two blocks of a digest when `unread` words are left.
fn word(digest: [Block; 2], unread: usize) -> [Felt; 2] {
    let lane = 2 * ((unread - 1) % 4);
    let block = digest[(unread - 1) / 4];
    [block.lane(lane), block.lane(lane + 1)]
}

/// Returns the extension element that is sampled from a whole digest: coefficient `i` is the
/// integer whose 16-bit limbs are `i`, `i + 5` and `i + 10` of the digest, modulo `p`.
fn element_of(digest: Slice) -> Ext {
    assert_eq!(Ext::degree(), 5);
    let limbs = unpack(digest, 0, 3);
    let base = Felt::new(1 << 16);
    let high = limbs.block(2).as_ext() * base + limbs.block(1).as_ext();
    high * base + limbs.block(0).as_ext()
}

/// `2^32`, of which BabyBear's Montgomery words are multiples.
const RADIX: Ext = Ext::new([268_435_454, 0, 0, 0, 0]);

/// Returns the element with these coefficients, integers below the modulus.
fn element<S: Sampling>(c: [Felt; 4]) -> Ext {
    if S::LIMBS {
        let mut lanes = [Felt::ZERO; 8];
        for i in 0..4 {
            let bits = Bits::new(c[i], 4);
            lanes[2 * i] = bits.part(0, 16);
            lanes[2 * i + 1] = bits.above(16);
        }
        // The words of these limbs are the integers themselves.
        Block::new(lanes).as_ext() * RADIX
    } else {
        Ext::from_coeffs([c[0], c[1], c[2], c[3], Felt::ZERO])
    }
}

/// How a challenger on a byte hash samples extension elements.
pub trait Sampling {
    /// Whether a zero is observed first, so that each is sampled from a digest of its own.
    const FRESH: bool;
    /// Whether elements, those of BabyBear, are observed as the limbs of their words.
    const LIMBS: bool;
    /// Number of bits from bit 24 on that are zeros in the modulus.
    const FREE: usize;
}

/// The sampling of Plonky3's challenger: from what is left of the last digest.
#[derive(Clone, Copy)]
pub struct Continued;

/// The sampling of proofs over WHIR: each extension element from a digest of its own, in 240 of its
/// bits, so that no integer is too large.
#[derive(Clone, Copy)]
pub struct Fresh;

/// The sampling of Plonky3's challenger over BabyBear: from what is left of the last digest.
#[derive(Clone, Copy)]
pub struct BabyBear;

impl Sampling for Continued {
    const FRESH: bool = false;
    const LIMBS: bool = false;
    const FREE: usize = 0;
}

impl Sampling for Fresh {
    const FRESH: bool = true;
    const LIMBS: bool = false;
    const FREE: usize = 0;
}

impl Sampling for BabyBear {
    const FRESH: bool = false;
    const LIMBS: bool = true;
    const FREE: usize = 3;
}

/// Plonky3's challenger over BabyBear.
pub type BabyBearChallenger<B> = ByteChallenger<B, BabyBear>;

/// Plonky3's serializing challenger on a byte hash.
///
/// Observed words are collected, and the first sample after an observation hashes all of them. The
/// digest is both the start of the next message and the output, which is read from its last byte
/// down.
#[derive(Clone)]
pub struct ByteChallenger<B, S> {
    hash: PhantomData<B>,
    sampling: PhantomData<S>,
    /// Complete blocks of the message that will be hashed next.
    blocks: Vec<Block>,
    /// Lanes of the next block; the first `filled` of them are used.
    tail: [Felt; 8],
    filled: usize,
    /// Number of words in `blocks` and `tail`.
    words: usize,
    /// The elements observed last, which are not in the message yet; the first `waiting` entries
    /// are used. Of limbs, at most one waits for the other half of its word.
    elements: [Felt; 8],
    waiting: usize,
    /// All elements, or limbs, observed since the last digest; only advice uses them.
    recent: Vec<Felt>,
    digest: [Block; 2],
    /// Number of words of the digest that have not been sampled.
    unread: usize,
    /// Whether an extension element was sampled since the last observation. Then the native
    /// transcript has a number of words left that depends on the digest, and here there are none:
    /// a word that is sampled next would be another one.
    drawn: bool,
}

impl<B: ByteHash, S: Sampling> ByteChallenger<B, S> {
    /// Drops what is left of the last digest, since something is observed.
    fn drop_digest(&mut self) {
        self.unread = 0;
        self.drawn = false;
    }

    /// Hashes the message, unless words of the last digest are left. Fails if it is unknown how
    /// many.
    fn squeeze(&mut self) {
        assert!(!self.drawn);
        if self.unread == 0 {
            self.flush();
        }
    }

    /// Observes a zero.
    fn observe_zero(&mut self) {
        self.drop_digest();
        self.push_elements();
        self.recent.push(Felt::ZERO);
        self.push_word(Felt::ZERO, Felt::ZERO);
    }

    fn push_word(&mut self, low: Felt, high: Felt) {
        self.tail[self.filled] = low;
        self.tail[self.filled + 1] = high;
        self.filled += 2;
        self.words += 1;
        if self.filled == 8 {
            self.blocks.push(Block::new(self.tail));
            self.filled = 0;
        }
        if B::RUN != 8 && self.words % B::RUN == 0 {
            self.end_run();
        }
    }

    /// Fills the message up with zeros to the start of the next run.
    fn end_run(&mut self) {
        self.close_block();
        let blocks = 2 * B::RUN_BLOCKS;
        let rest = (blocks - self.blocks.len() % blocks) % blocks;
        for _i in 0..rest {
            self.blocks.push(Block::ZERO);
        }
    }

    /// Completes the last block with zeros.
    fn close_block(&mut self) {
        if self.filled > 0 {
            for i in 0..8 {
                if i >= self.filled {
                    self.tail[i] = Felt::ZERO;
                }
            }
            self.blocks.push(Block::new(self.tail));
            self.filled = 0;
        }
    }

    /// Appends the first `n <= 8` words of two blocks.
    fn push_words(&mut self, first: Block, second: Block, n: usize) {
        let place = self.words % B::RUN;
        if n == 8 && self.filled == 0 && (B::RUN == 8 || place + 8 < B::RUN) {
            self.blocks.push(first);
            self.blocks.push(second);
            self.words += 8;
        } else {
            for i in 0..n {
                let lane = 2 * (i % 4);
                if i < 4 {
                    self.push_word(first.lane(lane), first.lane(lane + 1));
                } else {
                    self.push_word(second.lane(lane), second.lane(lane + 1));
                }
            }
        }
    }

    /// Moves the waiting elements to the message.
    fn push_elements(&mut self) {
        let n = self.waiting;
        // Limbs are observed in pairs.
        assert!(!S::LIMBS || n == 0);
        if n > 0 {
            for i in 0..8 {
                if i >= n {
                    self.elements[i] = Felt::ZERO;
                }
            }
            let words = limbs(Slice::from_blocks([Block::new(self.elements)]), 1);
            self.waiting = 0;
            self.push_words(words.block(0), words.block(1), n);
        }
    }

    /// Hashes the message; its digest, which is returned, becomes the output and the start of the
    /// next message.
    fn flush(&mut self) -> Slice {
        self.push_elements();
        self.close_block();
        // The hint only puts the message into consecutive blocks: all of them are checked.
        advise_blocks(&self.blocks);
        let blocks = self.blocks.len();
        let message = hint_slice(blocks).any();
        for i in 0..blocks {
            assert_eq!(message.block(i), self.blocks[i]);
        }
        let digest = B::hash_words(message, self.words);
        self.digest = [digest.block(0), digest.block(1)];
        self.blocks = vec![self.digest[0], self.digest[1]];
        self.recent = Vec::new();
        self.words = 8;
        self.unread = 8;
        digest
    }

    /// Sets entries from `from` on to the words that can be sampled before the next flush, in
    /// order.
    fn read(&mut self, words: [[Felt; 2]; 16], from: usize) -> [[Felt; 2]; 16] {
        let mut words = words;
        let count = self.unread;
        for i in 0..count {
            words[from + i] = self.read_word();
        }
        words
    }

    /// Makes `first`, the digest before the last one, the output and the start of the next message
    /// again if `enough` is one: if its words are enough, the last digest is not sampled from.
    fn keep_digest(&mut self, first: [Block; 2], enough: Felt) {
        let mut low = self.digest[0];
        let mut high = self.digest[1];
        if enough == Felt::ONE {
            low = first[0];
            high = first[1];
        }
        self.digest = [low, high];
        self.blocks = vec![low, high];
    }

    /// Returns the first `N` integers below BabyBear's modulus that are sampled from what is left of
    /// the digest and from the next one: of 16 words, one is not below it on average. Fails if these
    /// have fewer.
    fn draw<const N: usize>(&mut self) -> [Felt; N] {
        self.squeeze();
        let available = self.unread;
        let first = self.digest;
        let words = self.read([[Felt::ZERO, Felt::ZERO]; 16], 0);
        self.flush();
        let words = self.read(words, available);
        self.drawn = true;
        let (values, enough) = accepted::<S, N>(words, available, available + 8);
        self.keep_digest(first, enough);
        values
    }

    fn read_word(&mut self) -> [Felt; 2] {
        let read = word(self.digest, self.unread);
        self.unread -= 1;
        read
    }
}

impl<B: ByteHash, S: Sampling> Challenger for ByteChallenger<B, S> {
    fn new() -> Self {
        Self {
            hash: PhantomData,
            sampling: PhantomData,
            blocks: Vec::new(),
            tail: [Felt::ZERO; 8],
            filled: 0,
            words: 0,
            elements: [Felt::ZERO; 8],
            waiting: 0,
            recent: Vec::new(),
            digest: [Block::ZERO; 2],
            unread: 0,
            drawn: false,
        }
    }

    fn observe(&mut self, x: Felt) {
        self.drop_digest();
        self.recent.push(x);
        self.elements[self.waiting] = x;
        self.waiting += 1;
        if S::LIMBS {
            if self.waiting == 2 {
                self.waiting = 0;
                let low = self.elements[0];
                self.push_word(low, x);
            }
        } else if self.waiting == 8 {
            self.push_elements();
        }
    }

    fn observe_digests(&mut self, digests: Slice, n: usize) {
        self.drop_digest();
        self.push_elements();
        self.recent = Vec::new();
        for i in 0..n {
            self.push_words(digests.block(2 * i), digests.block(2 * i + 1), 8);
        }
    }

    fn position(&self) -> usize {
        (self.words + self.waiting) % B::RUN
    }

    fn advise_slice(&self, n: usize) {
        let at = self.position();
        let known = self.recent.len();
        let layout = (B::RUN, B::RUN_BLOCKS);
        if S::LIMBS {
            let before = (2 * (at % 8)).min(known);
            advise_words(&self.recent[known - before..known], at, n, layout);
        } else {
            let before = (at % 8).min(known);
            advise_elements(&self.recent[known - before..known], at, n, layout, true);
        }
    }

    fn observe_slice(&mut self, data: Slice, n: usize) {
        self.drop_digest();
        self.push_elements();
        self.recent = Vec::new();
        let at = self.words % B::RUN;
        let last = at + n - 1;
        let end = at + n;
        // Elements are converted in groups of eight; the first group contains the `skip` elements
        // observed before.
        let first = at / 8;
        let skip = at % 8;
        let groups = (last / B::RUN) * B::RUN_BLOCKS + (last % B::RUN) / 8 + 1 - first;
        let message = if S::LIMBS {
            data.skip(2 * first)
        } else {
            limbs(data.skip(first), groups)
        };
        for i in 0..(2 * (skip % 4)) {
            assert_eq!(message.block(skip / 4).lane(i), self.tail[i]);
        }
        if skip >= 4 {
            let last = self.blocks.len() - 1;
            assert_eq!(message.block(0), self.blocks[last]);
            self.blocks.truncate(last);
        }
        let complete = 2 * B::RUN_BLOCKS * (end / B::RUN) + (end % B::RUN) / 4 - 2 * first;
        for i in 0..complete {
            self.blocks.push(message.block(i));
        }
        self.words += n;
        self.filled = 2 * (end % B::RUN % 4);
        for i in 0..self.filled {
            self.tail[i] = message.block(complete).lane(i);
        }
        // Slices may follow each other: the next one repeats the elements of the last group.
        let rest = end % B::RUN % 8;
        let group = (end / B::RUN) * B::RUN_BLOCKS + (end % B::RUN) / 8;
        if S::LIMBS {
            for i in 0..2 * rest {
                let block = data.block(2 * group + i / 8);
                self.recent.push(block.lane(i % 8));
            }
        } else {
            let group = data.skip(group);
            for i in 0..rest {
                self.recent.push(group.block(0).lane(i));
            }
        }
    }

    fn read_extensions(&mut self, n: usize) -> Vec<Ext> {
        // Elements of BabyBear are laid out by their words, of two lanes: `B` has one lane.
        assert!(!S::LIMBS);
        let at = self.position();
        let elements = Ext::degree() * n;
        self.advise_slice(elements);
        let slice = hint_slice(blocks_for::<B>(at, elements)).any();
        self.observe_slice(slice, elements);
        unpack_all::<B>(slice, at, n)
    }

    fn sample(&mut self) -> Ext {
        if S::FRESH {
            self.observe_zero();
            let digest = self.flush();
            self.unread = 0;
            self.drawn = true;
            element_of(digest)
        } else if S::LIMBS {
            element::<S>(self.draw::<4>())
        } else {
            self.squeeze();
            let available = self.unread;
            let words = self.read([[Felt::ZERO, Felt::ZERO]; 16], 0);
            self.drawn = true;
            if Ext::degree() == 5 {
                let (c, _enough) = accepted::<S, 5>(words, available, available);
                Ext::from_coeffs(c)
            } else {
                let (c, _enough) = accepted::<S, 4>(words, available, available);
                element::<S>(c)
            }
        }
    }

    fn sample_pair(&mut self) -> (Ext, Ext) {
        if S::FRESH {
            let first = self.sample();
            let second = self.sample();
            (first, second)
        } else if S::LIMBS {
            let c = self.draw::<8>();
            (
                element::<S>([c[0], c[1], c[2], c[3]]),
                element::<S>([c[4], c[5], c[6], c[7]]),
            )
        } else {
            self.squeeze();
            let available = self.unread;
            let first = self.digest;
            let words = self.read([[Felt::ZERO, Felt::ZERO]; 16], 0);
            self.flush();
            let words = self.read(words, available);
            self.drawn = true;
            if Ext::degree() == 5 {
                let (c, _enough) = accepted::<S, 10>(words, available, available + 8);
                (
                    Ext::from_coeffs([c[0], c[1], c[2], c[3], c[4]]),
                    Ext::from_coeffs([c[5], c[6], c[7], c[8], c[9]]),
                )
            } else {
                if available == 8 {
                    self.keep_digest(first, all_accepted::<S>(words));
                }
                let (c, _enough) = accepted::<S, 8>(words, available, available + 8);
                (
                    element::<S>([c[0], c[1], c[2], c[3]]),
                    element::<S>([c[4], c[5], c[6], c[7]]),
                )
            }
        }
    }

    fn sample_word(&mut self) -> [Felt; 2] {
        self.squeeze();
        self.read_word()
    }

    fn bits(word: [Felt; 2]) -> Bits {
        Bits::new(Sampled::new(word).low, 3)
    }

    fn assert_low_bits_are_zero(word: [Felt; 2], n: usize) {
        let sampled = Sampled::new(word);
        if n <= 24 {
            assert_eq!(Bits::new(sampled.low, 3).part(0, n), Felt::ZERO);
        } else {
            assert_eq!(sampled.low, Felt::ZERO);
            assert_eq!(sampled.limb.part(0, n - 24), Felt::ZERO);
        }
    }

    fn grind(&mut self, bits: usize) {
        if bits > 0 {
            // Plonky3's challenger hashes what it has observed before it observes the nonce.
            self.squeeze();
            // Every nonce is admissible: the bits that it must lead to are checked below.
            let nonce = hint_felt().any();
            self.observe(nonce);
            if S::LIMBS {
                // It is the word of an element, low limb first.
                let high = hint_felt().any();
                let _element = word_as_ext(nonce, high);
                self.observe(high);
            }
            let word = self.sample_word();
            Self::assert_low_bits_are_zero(word, bits);
        }
    }
}
