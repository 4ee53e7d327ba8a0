//! The general sponge: messages of any length, which may arrive in pieces.

use super::{FIRST_PAD, LAST_PAD, RATE, digest, keccak_f};

/// Keccak-256 of a message that arrives in pieces.
#[derive(Clone, Debug)]
pub struct Keccak256Stream {
    state: [u64; 25],
    /// Bytes that are not absorbed yet: the first `pending` bytes of the block.
    block: [u8; RATE],
    pending: usize,
}

impl Default for Keccak256Stream {
    fn default() -> Self {
        Self {
            state: [0; 25],
            block: [0; RATE],
            pending: 0,
        }
    }
}

impl Keccak256Stream {
    /// Appends bytes to the message.
    pub fn update(&mut self, mut bytes: &[u8]) {
        if self.pending > 0 {
            let taken = bytes.len().min(RATE - self.pending);
            let (head, rest) = bytes.split_at(taken);
            self.block[self.pending..self.pending + taken].copy_from_slice(head);
            self.pending += taken;
            bytes = rest;
            if self.pending < RATE {
                return;
            }
            absorb(&mut self.state, &self.block);
            self.pending = 0;
        }
        let (blocks, rest) = bytes.as_chunks::<RATE>();
        for block in blocks {
            absorb(&mut self.state, block);
        }
        self.block[..rest.len()].copy_from_slice(rest);
        self.pending = rest.len();
    }

    /// Returns the digest of the message.
    pub fn finalize(mut self) -> [u8; 32] {
        self.block[self.pending..].fill(0);
        self.state[self.pending / 8] ^= FIRST_PAD << (8 * (self.pending % 8));
        self.state[16] ^= LAST_PAD;
        absorb(&mut self.state, &self.block);
        digest(&self.state)
    }
}

fn absorb(state: &mut [u64; 25], block: &[u8; RATE]) {
    for (word, bytes) in state.iter_mut().zip(block.as_chunks::<8>().0) {
        *word ^= u64::from_le_bytes(*bytes);
    }
    keccak_f(state);
}
