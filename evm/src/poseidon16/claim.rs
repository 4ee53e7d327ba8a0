//! Claims of recursion proofs: `Poseidon16::hash` of keys and statements, under the tag of claims.
//! Also hashes under other tags, whose first block is a constant.

use droste_native::F;
use droste_native::hash::poseidon16::{Poseidon16, RATE, WIDTH};
use p3_field::PrimeCharacteristicRing;

use super::{LANE, Memory, WORD, WORDS, lane, packed};
use crate::assembler::{Assembler, Expr, Word, load, var};
use crate::digest::{DIGEST, swapped};
use crate::field::P;

/// The tag of claims, that of `droste_verifier::claim::claim_digest`.
const TAG: F = F::new(0x636c_6169);

/// Lanes of the rate, which are in the lower half of each word.
const RATE_LANES: Word = Word::from_limbs([u64::MAX, u64::MAX, 0, 0]);
const CAPACITY_LANES: Word = Word::from_limbs([0, 0, u64::MAX, u64::MAX]);

const _: () = assert!(RATE == DIGEST && RATE == 2 * WORDS);

/// Makes claims and other hashes, one after the other, in the state. [`super::define`] must have
/// been called.
#[derive(Clone, Copy, Debug)]
pub struct Claims {
    /// Where the permutation works.
    pub memory: Memory,
}

/// The state before the first of so many blocks under this tag.
fn initial_state(tag: F, blocks: usize) -> [F; WIDTH] {
    let mut state = [F::ZERO; WIDTH];
    let [.., first, length, _, _, _, _, _, _] = &mut state;
    (*first, *length) = (tag, F::from_usize(DIGEST * blocks));
    state
}

/// The state after the first of so many blocks under this tag.
fn state_after(tag: F, blocks: usize, first: &[F; DIGEST]) -> [F; WIDTH] {
    Poseidon16.permute(with_block(initial_state(tag, blocks), first))
}

/// The state with a block in its rate.
fn with_block(mut state: [F; WIDTH], block: &[F; DIGEST]) -> [F; WIDTH] {
    let rate = state.iter_mut().zip(block);
    rate.for_each(|(to, &element)| *to = element);
    state
}

impl Claims {
    /// Begins a claim of so many children.
    pub fn begin(self, a: &mut Assembler, children: usize) {
        let state = initial_state(TAG, 2 * children);
        self.store(a, |_, word| word.into(), &state);
    }

    /// Begins the hash of so many blocks under a tag, of which this is the first.
    pub fn begin_with(self, a: &mut Assembler, tag: F, blocks: usize, first: &[F; DIGEST]) {
        let state = state_after(tag, blocks, first);
        self.store(a, |_, word| word.into(), &state);
    }

    /// The claim of one child, which has this key, and as its statement the last claim.
    pub fn claim_last(self, a: &mut Assembler, key: &[F; DIGEST]) {
        let state = with_block(state_after(TAG, 2, key), &[F::ZERO; DIGEST]);
        let last = |place, word: Word| (load(place) & RATE_LANES) | word;
        self.store(a, last, &state);
        a.call("permute", []);
    }

    /// Begins the claim of one child, which has this key. Its statement comes next.
    pub fn begin_child(self, a: &mut Assembler, key: &[F; DIGEST]) {
        self.begin_with(a, TAG, 2, key);
    }

    /// The claim of one child, which has this key, and a statement of these words ([`swapped`]).
    /// They need not be below `p`.
    pub fn claim(self, a: &mut Assembler, key: &[F; DIGEST], statement: &'static str) {
        self.begin_child(a, key);
        self.absorb(a, statement);
    }

    /// Absorbs the words of a variable ([`swapped`]).
    pub fn absorb(self, a: &mut Assembler, words: &'static str) {
        let element = |index: usize| {
            let bits = 32 * (DIGEST - 1 - index) as u32;
            (var(words) >> bits) & u64::from(u32::MAX)
        };
        let word = |row| element(row) | element(row + WORDS) << LANE;
        self.absorb_words(a, std::array::from_fn(word));
    }

    /// Absorbs a key.
    pub fn absorb_key(self, a: &mut Assembler, key: &[F; DIGEST]) {
        let words = packed(&with_block([F::ZERO; WIDTH], key));
        self.absorb_words(a, words.map(Expr::from));
    }

    /// Keeps the last claim in memory, of [`super::STATE_BYTES`].
    pub fn keep(self, a: &mut Assembler, place: u64) {
        for row in 0..WORDS {
            let word = load(self.memory.word(row)) & RATE_LANES;
            a.store(place + WORD * row as u64, word);
        }
    }

    /// Absorbs a claim that was kept.
    pub fn absorb_kept(self, a: &mut Assembler, place: u64) {
        let word = |row| load(place + WORD * row as u64);
        self.absorb_words(a, std::array::from_fn(word));
    }

    /// The last claim as bytes: canonical integers, low bytes first.
    pub fn bytes(self) -> Expr {
        let element = |index: usize| {
            let word = load(self.memory.word(index % WORDS));
            lane(word, index / WORDS).modulo(P)
        };
        let words = (1..DIGEST).fold(element(0), |words, index| words << 32 | element(index));
        swapped(words)
    }

    /// Absorbs a block, given as words of two lanes: element `r + 4 k` is lane `k` of word `r`.
    pub fn absorb_words(self, a: &mut Assembler, block: [Expr; WORDS]) {
        for (row, word) in block.into_iter().enumerate() {
            let place = self.memory.word(row);
            a.store(place, (load(place) & CAPACITY_LANES) | word);
        }
        a.call("permute", []);
    }

    /// Writes the words of a state as this function has them, given their places.
    fn store(self, a: &mut Assembler, word: impl Fn(u64, Word) -> Expr, state: &[F; WIDTH]) {
        for (row, constant) in packed(state).into_iter().enumerate() {
            let place = self.memory.word(row);
            a.store(place, word(place, constant));
        }
    }
}
