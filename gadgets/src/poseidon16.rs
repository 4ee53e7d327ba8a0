//! The Poseidon-16 family: digests of one block, the duplex challenger of rate 8.

use crate::advice::{advise_bits, advise_elements, advise_shifted};
use crate::bits::{assert_canonical, hint_bits};
use crate::hash::{Challenger, Hash, assert_low_bits_are_zero};
use crate::prelude::*;
use crate::unchecked::UncheckedSlice;

/// Digests, leaves and paths in Poseidon-16.
pub struct Poseidon16;

impl Hash for Poseidon16 {
    type Digest = Block;

    const RUN: usize = 8;
    const RUN_BLOCKS: usize = 1;
    const DIGEST_BLOCKS: usize = 1;
    const FILLS: bool = true;

    fn digest_unchecked(digests: Slice, i: Felt) -> Block {
        // Below the number of digests: the caller's obligation.
        digests.at_unchecked(i)
    }

    fn leaf(data: Slice, n: usize) -> Block {
        if n < 8 {
            // The sponge starts from zero: lanes that the row does not reach stay so.
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

/// Hash of whole blocks under a tag, bound to their number: `Poseidon16::hash` of `droste_native`.
pub fn hash_blocks(tag: Felt, blocks: &[Block]) -> Block {
    let zero = Felt::ZERO;
    let lanes = 8 * blocks.len();
    let capacity = Block::new([tag, felt(lanes), zero, zero, zero, zero, zero, zero]);
    poseidon16_hash(Slice::from_blocks(blocks), lanes, capacity)
}

/// The generator of the extension.
const X: Ext = Ext::new([0, 1, 0, 0, 0]);
/// Its third power.
const X_CUBED: Ext = Ext::new([0, 0, 0, 1, 0]);

/// `X^-i` by which a sample that does not begin at the rate's last lane is brought down.
const DOWN: [Ext; 6] = [
    Ext::new([1, 0, 0, 0, 0]),
    Ext::new([0, 1, 0, 0, 1]),
    Ext::new([1, 0, 0, 1, 0]),
    Ext::new([0, 1, 1, 0, 1]),
    Ext::new([1, 1, 0, 1, 0]),
    Ext::new([1, 1, 1, 0, 1]),
];

/// The duplex challenger: absorbs by overwriting the rate and adding the number of elements absorbed to
/// the first capacity element, squeezes the rate from its last element down.
#[derive(Clone, Copy)]
pub struct Poseidon16Challenger {
    /// One block.
    rate: Slice,
    capacity: Block,
    pending: [Felt; 8],
    /// Elements of `pending` that wait to be absorbed, below 8.
    waiting: usize,
    /// Elements of `rate` that have not been sampled.
    unread: usize,
}

impl Poseidon16Challenger {
    /// Permutes after overwriting the rate with each of `blocks` blocks and adding `tag`, the number of
    /// elements observed in each, to the capacity. Lanes beyond those elements are zero.
    fn absorb(&mut self, data: Slice, blocks: usize, tag: usize) {
        let state = poseidon16_duplex(data, 8 * blocks, self.capacity, tag);
        self.rate = state;
        self.capacity = state.block(1);
        self.waiting = 0;
        self.unread = 8;
    }

    /// Absorbs what waits, padded with zeros.
    fn absorb_pending(&mut self) {
        let n = self.waiting;
        for i in 0..8 {
            if i >= n {
                self.pending[i] = Felt::ZERO;
            }
        }
        self.absorb(Slice::from_blocks([Block::new(self.pending)]), 1, n);
    }

    /// Makes sure that there is something to sample.
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
            // The digests once more, at the transcript's position: every lane is compared.
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
        // What does not fill a block waits.
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
            // Coefficient i is lane `unread - 1 - i`, which Horner's rule weights with `X^(8 - unread + i)`.
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
            // Lanes 2 to 0, and lanes 7 and 6 of the next output.
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

    fn hint_bits(word: [Felt; 2]) -> [Felt; 32] {
        advise_bits(word[0], 31);
        hint_bits::<31>()
    }

    fn assert_bits(word: [Felt; 2], bits: [Felt; 32], low: Felt, n: usize) {
        assert_canonical(word[0], bits, low, n);
    }

    fn grind(&mut self, bits: usize) {
        if bits > 0 {
            // Every nonce is admissible: what it must do is checked here.
            let nonce = hint_felt().any();
            self.observe(nonce);
            assert_low_bits_are_zero::<Self>(self.sample_word(), bits);
        }
    }
}
