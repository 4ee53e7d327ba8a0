//! The Poseidon2 suite: digests of one block, leaves at rate 16, and the duplex challenger of rate
//! 16.

use crate::advice::{advise_elements, advise_shifted};
use crate::bits::Bits;
use crate::hash::{Challenger, DOWN, Hash, X, grind_element};
use crate::prelude::*;
use crate::unchecked::UncheckedSlice;

/// The Poseidon2 suite: digests, leaves and Merkle paths.
pub struct Poseidon2;

impl Hash for Poseidon2 {
    type Digest = Block;

    const RUN: usize = 8;
    const RUN_BLOCKS: usize = 1;
    const DIGEST_BLOCKS: usize = 1;
    const FILLED_FROM: usize = 16;

    fn digest_unchecked(digests: Slice, i: Felt) -> Block {
        // The caller ensures that `i` is below the number of digests.
        digests.at_unchecked(i)
    }

    fn leaf(data: Slice, n: usize) -> Block {
        if n < 16 {
            // The sponge starts from the zero state, so lanes after a row that is shorter than the
            // rate must be zero.
            let last = data.block((n - 1) / 8);
            let used = (n - 1) % 8 + 1;
            for i in 0..8 {
                if i >= used {
                    assert_eq!(last.lane(i), Felt::ZERO);
                }
            }
            if n > 8 {
                poseidon2_hash(data, 16, Block::ZERO)
            } else {
                poseidon2_hash(Slice::from_blocks([last, Block::ZERO]), 16, Block::ZERO)
            }
        } else {
            poseidon2_hash(data, n, Block::ZERO)
        }
    }

    fn parent(left: Block, right: Block) -> Block {
        poseidon2_compress(left, right)
    }

    fn path(leaf: Block, index: Felt, path: Slice, depth: usize) -> Block {
        poseidon2_merkle(leaf, index, path, depth)
    }

    fn assert_same(a: Block, b: Block) {
        assert_eq!(a, b);
    }
}

/// The powers `X^i` of the extension's generator.
const UP: [Ext; 5] = [
    Ext::new([1, 0, 0, 0, 0]),
    Ext::new([0, 1, 0, 0, 0]),
    Ext::new([0, 0, 1, 0, 0]),
    Ext::new([0, 0, 0, 1, 0]),
    Ext::new([0, 0, 0, 0, 1]),
];

/// The duplex challenger. It absorbs by overwriting the rate and adding the number of absorbed
/// elements to the first element of the capacity, and squeezes the rate from its last element down.
#[derive(Clone, Copy)]
pub struct Poseidon2Challenger {
    /// The rate, in the slice's first two blocks.
    rate: Slice,
    capacity: Block,
    pending: [Felt; 16],
    /// Number of elements of `pending` that are not absorbed yet, below 16.
    waiting: usize,
    /// Number of elements of `rate` that have not been sampled.
    unread: usize,
}

impl Poseidon2Challenger {
    /// Overwrites the rate with each of `pairs` pairs of blocks in turn, adds `tag`, the number of
    /// observed elements in each pair, to the capacity, and permutes. Lanes after those elements
    /// must be zero.
    fn absorb(&mut self, data: Slice, pairs: usize, tag: usize) {
        let state = poseidon2_duplex(data, 16 * pairs, self.capacity, tag);
        self.rate = state;
        self.capacity = state.block(2);
        self.waiting = 0;
        self.unread = 16;
    }

    /// Absorbs the pending elements, padded with zeros.
    fn absorb_pending(&mut self) {
        let n = self.waiting;
        let mut low = [Felt::ZERO; 8];
        let mut high = [Felt::ZERO; 8];
        for i in 0..8 {
            if i < n {
                low[i] = self.pending[i];
            }
            if i + 8 < n {
                high[i] = self.pending[i + 8];
            }
        }
        self.absorb(
            Slice::from_blocks([Block::new(low), Block::new(high)]),
            1,
            n,
        );
    }

    /// Ensures that there are elements to sample.
    fn ready(&mut self) {
        if self.waiting > 0 {
            self.absorb_pending();
        } else if self.unread == 0 {
            self.absorb(self.rate, 1, 0);
        }
    }

    fn sample_element(&mut self) -> Felt {
        self.ready();
        self.unread -= 1;
        let at = self.unread;
        self.rate.block(at / 8).lane(at % 8)
    }
}

impl Challenger for Poseidon2Challenger {
    fn new() -> Self {
        Self {
            rate: Slice::from_blocks([Block::ZERO, Block::ZERO]),
            capacity: Block::ZERO,
            pending: [Felt::ZERO; 16],
            waiting: 0,
            unread: 0,
        }
    }

    fn observe(&mut self, x: Felt) {
        self.pending[self.waiting] = x;
        self.waiting += 1;
        self.unread = 0;
        if self.waiting == 16 {
            self.absorb_pending();
        }
    }

    fn observe_digests(&mut self, digests: Slice, n: usize) {
        let skip = self.waiting;
        if skip == 0 {
            self.observe_slice(digests, 8 * n);
        } else {
            // The hint contains the digests once more, shifted to the transcript's position; every
            // lane is compared.
            advise_shifted(&self.pending[0..skip], digests, n);
            let shifted = hint_slice((skip + 8 * n + 7) / 8).any();
            let elements = (8 * n) / 5;
            let digest_elements = unpack(digests, 0, elements);
            assert_unpacked(shifted.skip(skip / 8), skip % 8, elements, digest_elements);
            for i in (5 * elements)..(8 * n) {
                let at = skip + i;
                assert_eq!(
                    shifted.block(at / 8).lane(at % 8),
                    digests.block(i / 8).lane(i % 8)
                );
            }
            self.observe_slice(shifted, 8 * n);
        }
    }

    fn position(&self) -> usize {
        self.waiting
    }

    fn advise_slice(&self, n: usize) {
        let at = self.waiting;
        advise_elements(&self.pending[0..at], at, n, (8, 1), false);
    }

    fn observe_slice(&mut self, data: Slice, n: usize) {
        let skip = self.waiting;
        for i in 0..skip {
            assert_eq!(data.block(i / 8).lane(i % 8), self.pending[i]);
        }
        let pairs = (skip + n) / 16;
        if pairs > 0 {
            self.absorb(data, pairs, 16);
        }
        // Elements that do not fill two blocks remain pending.
        let rest = (skip + n) % 16;
        for i in 0..rest {
            self.pending[i] = data.block(2 * pairs + i / 8).lane(i % 8);
        }
        self.waiting = rest;
        if rest > 0 {
            self.unread = 0;
        }
    }

    fn sample(&mut self) -> Ext {
        self.ready();
        let unread = self.unread;
        if unread >= 5 {
            self.unread -= 5;
            // Coefficient i is lane `unread - 1 - i`. Horner's rule gives the last of these lanes
            // the weight `X^down`, where `down` is the number of lanes after it.
            let first = unread - 5;
            let down = 7 - (unread - 1) % 8;
            horner(self.rate.skip(first / 8), first % 8, 5, X) * DOWN[down]
        } else {
            // The first coefficients are the lanes that are left, from the last down. The others
            // are the last lanes of the next output.
            let low = horner(self.rate, 0, unread, X) * DOWN[8 - unread];
            self.absorb(self.rate, 1, 0);
            let rest = 5 - unread;
            self.unread = 16 - rest;
            horner(self.rate.skip(1), 8 - rest, rest, X) * UP[unread] + low
        }
    }

    fn sample_pair(&mut self) -> (Ext, Ext) {
        let first = self.sample();
        let second = self.sample();
        (first, second)
    }

    fn sample_word(&mut self) -> [Felt; 2] {
        [self.sample_element(), Felt::ZERO]
    }

    fn bits(word: [Felt; 2]) -> Bits {
        Bits::new(word[0], 4)
    }

    fn assert_low_bits_are_zero(word: [Felt; 2], n: usize) {
        assert_eq!(Bits::new(word[0], 4).part(0, n), Felt::ZERO);
    }

    fn grind(&mut self, bits: usize) {
        grind_element(self, bits);
    }
}
