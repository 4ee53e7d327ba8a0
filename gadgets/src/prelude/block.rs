//! Blocks of 8 lanes and slices of consecutive blocks.

use droste_native::{F, precompile};

use super::ext::Ext;
use super::felt::Felt;
use super::index::Index;
use super::run;

/// Eight field elements at one address: a Poseidon-16 digest, half of a byte hash's digest, or
/// data.
///
/// A block read from a slice may have lanes without a value; using such a lane fails.
#[derive(Clone, Copy, Debug)]
pub struct Block([Option<F>; 8]);

impl Block {
    /// Eight zeros.
    pub const ZERO: Self = Self([Some(F::new(0)); 8]);

    /// Returns the block with these lanes.
    pub fn new(lanes: [Felt; 8]) -> Self {
        Self(lanes.map(|lane| Some(lane.0)))
    }

    /// Returns lane `i`, which must be below 8.
    pub fn lane(self, i: usize) -> Felt {
        Felt(self.0[i].expect("a lane is used that has no value"))
    }

    /// Returns the extension element in this block. Fails if a lane from lane [`Ext::degree`] on is
    /// not zero.
    pub fn as_ext(self) -> Ext {
        Ext::from_block(self)
    }

    pub(crate) fn native(self) -> precompile::Block {
        self.0
            .map(|lane| lane.expect("a lane is used that has no value"))
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

/// A reference to consecutive blocks: the address of the first one, and their number.
#[derive(Clone, Copy, Debug)]
pub struct Slice {
    address: usize,
    length: usize,
}

impl Slice {
    /// Returns block `i`. Fails if the slice has no such block.
    pub fn block(self, i: usize) -> Block {
        let length = self.length;
        assert!(
            i < length,
            "block {i} was read from a slice of {length} blocks"
        );
        Block(run::block(self.address + i))
    }

    /// Returns block `i`, an index known at run time. Fails if the slice has fewer than `N` blocks.
    pub fn at<const N: usize>(self, i: Index<N>) -> Block {
        let length = self.length;
        assert!(
            N <= length,
            "an Index<{N}> was used in a slice of {length} blocks"
        );
        self.block(i.native())
    }

    /// Returns the slice from block `n` on. Fails if the slice has fewer than `n` blocks.
    pub fn skip(self, n: usize) -> Self {
        let length = self.length;
        assert!(
            n <= length,
            "{n} blocks were skipped in a slice of {length} blocks"
        );
        Self {
            address: self.address + n,
            length: self.length - n,
        }
    }

    /// Returns the slice from block `i` on, an index known at run time. Its length is the one that
    /// remains for the largest index. Fails if the slice has fewer than `N - 1` blocks.
    pub fn skip_index<const N: usize>(self, i: Index<N>) -> Self {
        self.skip(N - 1);
        self.part(i.native(), self.length + 1 - N)
    }

    /// Copies blocks to consecutive addresses.
    pub fn from_blocks(blocks: impl AsRef<[Block]>) -> Self {
        let blocks: Vec<_> = blocks.as_ref().iter().map(|block| block.native()).collect();
        Self::from_native(&blocks)
    }

    /// Returns `length` blocks from block `from` on, which the slice must have.
    pub(crate) fn part(self, from: usize, length: usize) -> Self {
        let end = from.checked_add(length);
        assert!(
            end.is_some_and(|end| end <= self.length),
            "{length} blocks from block {from} on were taken from a slice of {} blocks",
            self.length
        );
        Self {
            address: self.address + from,
            length,
        }
    }

    pub(crate) fn from_native(blocks: &[precompile::Block]) -> Self {
        let blocks: Vec<_> = blocks.iter().map(|block| block.map(Some)).collect();
        Self::allocated(&blocks)
    }

    /// Stores the blocks at new addresses.
    pub(crate) fn allocated(blocks: &[[Option<F>; 8]]) -> Self {
        Self {
            address: run::allocate(blocks),
            length: blocks.len(),
        }
    }

    /// Returns the address of the first block. Fails if the slice has fewer than `blocks` blocks.
    pub(crate) fn address(self, blocks: usize) -> usize {
        self.skip(blocks);
        self.address
    }

    /// Returns the first `n` blocks.
    pub(crate) fn native(self, n: usize) -> Vec<precompile::Block> {
        run::read_blocks(self.address(n), n)
    }
}
