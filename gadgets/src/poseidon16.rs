//! The Poseidon-16 family: digests of one block, the duplex challenger of rate 8.

use crate::bits::canonical_bits;
use crate::hash::{Challenger, Hash};
use crate::prelude::*;

/// Digests, leaves and paths in Poseidon-16.
pub struct Poseidon16;

impl Hash for Poseidon16 {
    type Digest = Block;

    const RUN: usize = 8;
    const RUN_BLOCKS: usize = 1;
    const DIGEST_BLOCKS: usize = 1;

    fn digest(digests: Slice, i: Felt) -> Block {
        digests.at(i)
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
            let (digest, _capacity) = poseidon16_sponge(data, 8, Block::ZERO);
            digest
        } else {
            let (digest, _capacity) = poseidon16_sponge(data, n, Block::ZERO);
            digest
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
pub fn hash_blocks<const N: usize>(tag: Felt, blocks: [Block; N]) -> Block {
    let zero = Felt::ZERO;
    let capacity = Block::new([tag, felt(8 * N), zero, zero, zero, zero, zero, zero]);
    let (digest, _capacity) = poseidon16_sponge(Slice::from_blocks(blocks), 8 * N, capacity);
    digest
}

/// The duplex challenger: absorbs by overwriting the rate and adding the number of elements absorbed to
/// the first capacity element, squeezes the rate from its last element down.
#[derive(Clone, Copy)]
pub struct Poseidon16Challenger {
    rate: Block,
    capacity: Block,
    pending: [Felt; 8],
    /// Elements of `pending` that wait to be absorbed, below 8.
    waiting: usize,
    /// Elements of `rate` that have not been sampled.
    unread: usize,
}

impl Poseidon16Challenger {
    /// Absorbs the first block of `data`, of which `n` lanes are observed elements and the rest zero.
    fn absorb(&mut self, data: Slice, n: usize) {
        let old = self.capacity;
        let capacity = Block::new([
            old.lane(0) + felt(n),
            old.lane(1),
            old.lane(2),
            old.lane(3),
            old.lane(4),
            old.lane(5),
            old.lane(6),
            old.lane(7),
        ]);
        self.permute(data, capacity);
        self.waiting = 0;
    }

    fn permute(&mut self, data: Slice, capacity: Block) {
        let (rate, capacity) = poseidon16_sponge(data, 8, capacity);
        self.rate = rate;
        self.capacity = capacity;
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
        let data = Slice::from_blocks([Block::new(self.pending)]);
        self.absorb(data, n);
    }

    fn sample_element(&mut self) -> Felt {
        if self.waiting > 0 {
            self.absorb_pending();
        } else if self.unread == 0 {
            let data = Slice::from_blocks([self.rate]);
            let capacity = self.capacity;
            self.permute(data, capacity);
        }
        self.unread -= 1;
        self.rate.lane(self.unread)
    }
}

impl Challenger for Poseidon16Challenger {
    fn new() -> Self {
        Self {
            rate: Block::ZERO,
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
        for i in 0..n {
            if self.waiting == 0 {
                self.absorb(digests.skip(i), 8);
            } else {
                let digest = digests.block(i);
                for lane in 0..8 {
                    self.observe(digest.lane(lane));
                }
            }
        }
    }

    fn position(&self) -> usize {
        self.waiting
    }

    fn observe_slice(&mut self, data: Slice, n: usize) {
        let skip = self.waiting;
        for i in 0..skip {
            assert_eq!(data.block(0).lane(i), self.pending[i]);
        }
        let blocks = (skip + n) / 8;
        for i in 0..blocks {
            self.absorb(data.skip(i), 8);
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
        let c0 = self.sample_element();
        let c1 = self.sample_element();
        let c2 = self.sample_element();
        let c3 = self.sample_element();
        let c4 = self.sample_element();
        Ext::from_coeffs([c0, c1, c2, c3, c4])
    }

    fn sample_pair(&mut self) -> (Ext, Ext) {
        let first = self.sample();
        let second = self.sample();
        (first, second)
    }

    fn sample_word(&mut self) -> [Felt; 2] {
        [self.sample_element(), Felt::ZERO]
    }

    fn bits(word: [Felt; 2]) -> [Felt; 31] {
        canonical_bits(word[0])
    }

    fn grind(&mut self, bits: usize) {
        if bits > 0 {
            // Every nonce is admissible: what it must do is checked here.
            let nonce = hint_felt().any();
            self.observe(nonce);
            let sample = Self::bits(self.sample_word());
            for i in 0..bits {
                assert_eq!(sample[i], Felt::ZERO);
            }
        }
    }
}
