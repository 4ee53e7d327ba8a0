//! The Poseidon-16 suite: digests of one block, and the duplex challenger of rate 8.

use crate::advice::{advise_elements, advise_shifted};
use crate::bits::Bits;
use crate::hash::{Challenger, DOWN, Hash, X, grind_element};
use crate::prelude::*;
use crate::unchecked::UncheckedSlice;

/// The Poseidon-16 suite: digests, leaves and Merkle paths.
pub struct Poseidon16;

impl Hash for Poseidon16 {
    type Digest = Block;

    const RUN: usize = 8;
    const RUN_BLOCKS: usize = 1;
    const DIGEST_BLOCKS: usize = 1;
    const FILLED_FROM: usize = 8;

    fn digest_unchecked(digests: Slice, i: Felt) -> Block {
        // The caller ensures that `i` is below the number of digests.
        digests.at_unchecked(i)
    }

    fn leaf(data: Slice, n: usize) -> Block {
        if n < 8 {
            // The sponge starts from the zero state, so lanes after a row that is shorter than the
            // rate must be zero.
            let block = data.block(0);
            for i in 0..8 {
                if i >= n {
                    assert_eq!(block.lane(i), Felt::ZERO);
                }
            }
            poseidon16_hash(data, 8, Block::ZERO)
        } else {
            poseidon16_hash(data, n, Block::ZERO)
        }
    }

    fn parent(left: Block, right: Block) -> Block {
        poseidon16_compress(left, right)
    }

    fn path(leaf: Block, index: Felt, path: Slice, depth: usize) -> Block {
        poseidon16_merkle(leaf, index, path, depth)
    }

    fn assert_same(a: Block, b: Block) {
        assert_eq!(a, b);
    }
}

/// Hashes whole blocks under a tag, binding their number, as `Poseidon16::hash` of `droste_native`
/// does.
pub fn hash_blocks(tag: Felt, blocks: &[Block]) -> Block {
    let zero = Felt::ZERO;
    let lanes = 8 * blocks.len();
    let capacity = Block::new([tag, felt(lanes), zero, zero, zero, zero, zero, zero]);
    poseidon16_hash(Slice::from_blocks(blocks), lanes, capacity)
}

/// The third power of the generator.
const X_CUBED: Ext = Ext::new([0, 0, 0, 1, 0]);

/// The duplex challenger. It absorbs by overwriting the rate and adding the number of absorbed
/// elements to the first element of the capacity, and squeezes the rate from its last element down.
#[derive(Clone, Copy)]
pub struct Poseidon16Challenger {
    /// The rate, in the slice's first block.
    rate: Slice,
    capacity: Block,
    pending: [Felt; 8],
    /// Number of elements of `pending` that are not absorbed yet, below 8.
    waiting: usize,
    /// Number of elements of `rate` that have not been sampled.
    unread: usize,
}

impl Poseidon16Challenger {
    /// Overwrites the rate with each of `blocks` blocks in turn, adds `tag`, the number of observed
    /// elements in each block, to the capacity, and permutes. Lanes after those elements must be
    /// zero.
    fn absorb(&mut self, data: Slice, blocks: usize, tag: usize) {
        let state = poseidon16_duplex(data, 8 * blocks, self.capacity, tag);
        self.rate = state;
        self.capacity = state.block(1);
        self.waiting = 0;
        self.unread = 8;
    }

    /// Absorbs the pending elements, padded with zeros.
    fn absorb_pending(&mut self) {
        let n = self.waiting;
        for i in 0..8 {
            if i >= n {
                self.pending[i] = Felt::ZERO;
            }
        }
        self.absorb(Slice::from_blocks([Block::new(self.pending)]), 1, n);
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
        self.rate.block(0).lane(self.unread)
    }
}

impl Challenger for Poseidon16Challenger {
    fn new() -> Self {
        Self {
            rate: Slice::from_blocks([Block::ZERO]),
            capacity: Block::ZERO,
            pending: [Felt::ZERO; 8],
            waiting: 0,
            unread: 0,
        }
    }

    fn observe(&mut self, x: Felt) {
        self.pending[self.waiting] = x;
        self.waiting += 1;
        self.unread = 0;
        if self.waiting == 8 {
            self.absorb_pending();
        }
    }

    fn observe_digests(&mut self, digests: Slice, n: usize) {
        let skip = self.waiting;
        if skip == 0 {
            self.absorb(digests, n, 8);
        } else {
            // The hint contains the digests once more, shifted to the transcript's position; every
            // lane is compared.
            advise_shifted(&self.pending[0..skip], digests, n);
            let shifted = hint_slice(n + 1).any();
            let elements = (8 * n) / 5;
            assert_unpacked(shifted, skip, elements, unpack(digests, 0, elements));
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
            assert_eq!(data.block(0).lane(i), self.pending[i]);
        }
        let blocks = (skip + n) / 8;
        if blocks > 0 {
            self.absorb(data, blocks, 8);
        }
        // Elements that do not fill a block remain pending.
        let rest = (skip + n) % 8;
        for i in 0..rest {
            self.pending[i] = data.block(blocks).lane(i);
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
            // Coefficient i is lane `unread - 1 - i`, to which Horner's rule gives the weight
            // `X^(8 - unread + i)`.
            horner(self.rate, unread - 5, 5, X) * DOWN[8 - unread]
        } else {
            let c0 = self.sample_element();
            let c1 = self.sample_element();
            let c2 = self.sample_element();
            let c3 = self.sample_element();
            let c4 = self.sample_element();
            Ext::from_coeffs([c0, c1, c2, c3, c4])
        }
    }

    fn sample_pair(&mut self) -> (Ext, Ext) {
        let first = self.sample();
        if self.unread == 3 {
            // The sample consists of lanes 2 to 0, and of lanes 7 and 6 of the next output.
            let low = horner(self.rate, 0, 3, X) * DOWN[5];
            self.absorb(self.rate, 1, 0);
            self.unread = 6;
            let second = horner(self.rate, 6, 2, X) * X_CUBED + low;
            (first, second)
        } else {
            let second = self.sample();
            (first, second)
        }
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
