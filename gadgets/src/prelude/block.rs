//! Blocks of 8 lanes and slices of consecutive blocks.

use droste_native::{F, precompile};

use super::ext::Ext;
use super::felt::Felt;
use super::index::Index;
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

/// A pointer to consecutive blocks, and how many there are.
#[derive(Clone, Copy, Debug)]
pub struct Slice {
    address: usize,
    length: usize,
}

impl Slice {
    /// Block `i`. Fails if the slice has no such block.
    pub fn block(self, i: usize) -> Block {
        assert!(
            i < self.length,
            "block {i} of a slice that has {}",
            self.length
        );
        Block(run::block(self.address + i))
    }

    /// Block `i`, for an index known at run time. Fails if the slice has fewer than `N` blocks.
    pub fn at<const N: usize>(self, i: Index<N>) -> Block {
        self.indexed::<N>();
        self.block(i.native())
    }

    /// The slice from block `n` on. Fails if the slice has fewer than `n` blocks.
    pub fn skip(self, n: usize) -> Self {
        assert!(
            n <= self.length,
            "{n} blocks of a slice that has {}",
            self.length
        );
        Self {
            address: self.address + n,
            length: self.length - n,
        }
    }

    /// The slice from block `i` on, for an index known at run time, as long as what the largest index
    /// leaves. Fails if the slice has fewer than `N - 1` blocks.
    pub fn skip_index<const N: usize>(self, i: Index<N>) -> Self {
        self.skip(N - 1);
        self.part(i.native(), self.length + 1 - N)
    }

    /// Copies blocks to consecutive addresses.
    pub fn from_blocks(blocks: impl AsRef<[Block]>) -> Self {
        let blocks: Vec<_> = blocks.as_ref().iter().map(|block| block.native()).collect();
        Self::from_native(&blocks)
    }

    fn indexed<const N: usize>(self) {
        let length = self.length;
        assert!(N <= length, "an Index<{N}> into a slice of {length} blocks");
    }

    /// `length` blocks from block `from` on, which the slice must have.
    pub(crate) fn part(self, from: usize, length: usize) -> Self {
        let end = from.checked_add(length);
        assert!(
            end.is_some_and(|end| end <= self.length),
            "{length} blocks from {from} on of a slice that has {}",
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

    /// Fresh blocks.
    pub(crate) fn allocated(blocks: &[[Option<F>; 8]]) -> Self {
        Self {
            address: run::allocate(blocks),
            length: blocks.len(),
        }
    }

    /// Address of the first block, of a slice that has at least `blocks`.
    pub(crate) fn address(self, blocks: usize) -> usize {
        self.skip(blocks);
        self.address
    }

    /// The first `n` blocks.
    pub(crate) fn native(self, n: usize) -> Vec<precompile::Block> {
        run::read_blocks(self.address(n), n)
    }
}
