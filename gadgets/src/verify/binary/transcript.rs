//! The transcript: a duplex sponge over Poseidon-16 of which everything that is observed is whole
//! blocks.
//!
//! Elements of GF(2^128) are observed as their blocks. One is sampled from five elements of the
//! field: the low 30 bits of each of four, and the low 8 of the fifth
//! (`droste_binary::tree_hash::Poseidon16`).

use crate::bits::Bits;
use crate::prelude::*;
use crate::suites::hash::Challenger;
use crate::suites::poseidon16::Poseidon16Challenger;

/// The transcript.
#[derive(Clone)]
pub struct Transcript {
    challenger: Poseidon16Challenger,
}

impl Transcript {
    /// Returns the transcript that has observed the block of the protocol's name.
    pub fn new(domain: &[u32]) -> Self {
        let mut challenger = Poseidon16Challenger::new();
        for i in 0..8 {
            challenger.observe(Felt::new(domain[i]));
        }
        Self { challenger }
    }

    /// Observes `n` blocks.
    pub fn observe(&mut self, blocks: Slice, n: usize) {
        self.challenger.observe_slice(blocks, 8 * n);
    }

    /// Reads `n` blocks from the tape, and observes them.
    pub fn read(&mut self, n: usize) -> Slice {
        // Any blocks: what is multiplied is known to be elements, and digests are compared.
        let blocks = hint_slice(n).any();
        self.observe(blocks, n);
        blocks
    }

    /// Samples an element of GF(2^128).
    pub fn sample(&mut self) -> Block {
        let mut lanes = [Felt::ZERO; 8];
        for i in 0..5 {
            let bits = Bits::new(self.sample_felt(), 4);
            lanes[i] = bits.part(0, if i < 4 { 30 } else { 8 });
        }
        // Written once, so that copies of it are copies of a block, not of lanes.
        Slice::from_blocks([Block::new(lanes)]).block(0)
    }

    /// Samples `n` elements.
    pub fn sample_point(&mut self, n: usize) -> Vec<Block> {
        let mut point = Vec::new();
        for _i in 0..n {
            point.push(self.sample());
        }
        point
    }

    /// Samples an element of the field.
    pub fn sample_felt(&mut self) -> Felt {
        self.challenger.sample_word()[0]
    }
}
