//! Blocks of 8 lanes and slices of consecutive blocks.

use droste_native::{F, precompile};
use p3_field::PrimeField32;

use super::ext::Ext;
use super::felt::Felt;
use super::run;

/// Eight field elements at one address: a Poseidon-16 digest, half a byte-hash digest, data.
///
/// A block read from a slice may have lanes without a value; using such a lane fails.
#[derive(Clone, Copy, Debug)]
pub struct Block([Option<F>; 8]);

impl Block {
    /// Eight zeros.
    pub const ZERO: Self = Self([Some(F::new(0)); 8]);

    /// The block of these lanes.
    pub fn new(lanes: [Felt; 8]) -> Self {
        Self(lanes.map(|lane| Some(lane.0)))
    }

    /// Lane `i`, below 8.
    pub fn lane(self, i: usize) -> Felt {
        Felt(self.0[i].expect("a lane has no value"))
    }

    /// The extension element in this block. Fails if one of lanes 5 to 7 is not zero.
    pub fn as_ext(self) -> Ext {
        Ext::from_block(self)
    }

    pub(crate) fn native(self) -> precompile::Block {
        self.0.map(|lane| lane.expect("a lane has no value"))
    }

    pub(crate) fn from_native(block: precompile::Block) -> Self {
        Self(block.map(Some))
    }
}

impl PartialEq for Block {
    fn eq(&self, other: &Self) -> bool {
        self.native() == other.native()
    }
}

impl Eq for Block {}

impl Default for Block {
    fn default() -> Self {
        Self::ZERO
    }
}

/// A pointer to consecutive blocks.
#[derive(Clone, Copy, Debug)]
pub struct Slice {
    address: usize,
}

impl Slice {
    /// Block `i`.
    pub fn block(self, i: usize) -> Block {
        Block(run::block(self.address + i))
    }

    /// Block `i`, for an index known at run time.
    pub fn at(self, i: Felt) -> Block {
        self.skip_felt(i).block(0)
    }

    /// The slice from block `n` on.
    pub fn skip(self, n: usize) -> Self {
        Self {
            address: self.address + n,
        }
    }

    /// The slice from block `n` on, for a count known at run time.
    pub fn skip_felt(self, n: Felt) -> Self {
        self.skip(n.0.as_canonical_u32() as usize)
    }

    /// Copies blocks to consecutive addresses.
    pub fn from_blocks<const N: usize>(blocks: [Block; N]) -> Self {
        Self::from_native(&blocks.map(Block::native))
    }

    pub(crate) fn from_native(blocks: &[precompile::Block]) -> Self {
        let blocks: Vec<_> = blocks.iter().map(|block| block.map(Some)).collect();
        Self {
            address: run::allocate(&blocks),
        }
    }

    pub(crate) const fn from_address(address: usize) -> Self {
        Self { address }
    }

    pub(crate) const fn address(self) -> usize {
        self.address
    }

    /// The first `n` blocks.
    pub(crate) fn native(self, n: usize) -> Vec<precompile::Block> {
        run::read_blocks(self.address, n)
    }
}
