//! What the tables of the byte hashes share: chains of rows that hash data block by block or climb a
//! Merkle path, over digests of two blocks.
//!
//! A row holds the blocks at `low_address`, `low_address + 1`, `high_address`, `high_address + 1`.
//! Hashing, they are consecutive; on a Merkle path they are the left and the right child, and the
//! flags `is_left` and `is_right` say which one is the node, so that nothing is swapped.
//!
//! # Soundness
//!
//! Rows form a ring: the row below the last one is row 0, where `starts` is one. So every chain is
//! closed, and each chain's first row is forced by the call it receives. Lengths count down and must
//! be used up on the last row.

use droste_native::F;
use p3_air::AirBuilder;
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use crate::record::Call;

/// Limbs of a digest.
pub const DIGEST_LIMBS: usize = 16;

droste_air::columns! {
    /// The chain that a row belongs to.
    pub struct DigestChainCols<T> {
        /// Zero on a row that continues the call of the row above; one on first rows and on padding.
        pub starts: T,
        /// One on a row of a hash over data.
        pub is_hash: T,
        /// One on a row of a Merkle path whose node is the left child: index bit 0.
        pub is_left: T,
        /// One on a row of a Merkle path whose node is the right child: index bit 1.
        pub is_right: T,
        /// Address of the first two blocks. Zero where they are a node computed by the row above.
        pub low_address: T,
        /// Address of the next two blocks. Zero where they are a node computed by the row above.
        pub high_address: T,
        /// Address of the result.
        pub out_address: T,
        /// Hash: words of this row and the rows below. Merkle path: levels of this row and the rows
        /// below.
        pub remaining: T,
        /// Merkle path: the index from this row's bit up. Hash: what the table makes of it.
        pub index: T,
    }
}

impl<V: Copy> DigestChainCols<V> {
    /// One on a row of a Merkle path.
    pub fn is_merkle<E>(&self) -> E
    where
        V: std::ops::Add<V, Output = E>,
    {
        self.is_left + self.is_right
    }
}

/// How far a row of a hash goes.
#[derive(Clone, Copy, Debug)]
pub struct Stride {
    /// Words that a row hashes, if another one follows.
    pub words: usize,
    /// Blocks from one row's data to the next row's.
    pub blocks: usize,
}

/// What the chain's constraints need to know of the rest of the row.
pub struct Row<'a, V, E> {
    /// The chain columns of this row.
    pub local: &'a DigestChainCols<V>,
    /// The chain columns of the row below.
    pub next: &'a DigestChainCols<V>,
    /// Lanes of the four blocks of the row below.
    pub next_lanes: &'a [V],
    /// Digest that this row computes.
    pub digest: &'a [V],
    /// Words that this row hashes.
    pub words: E,
}

/// Constrains chains of hashes and Merkle paths: degree 3.
///
/// The table itself constrains what a row computes, which rows are active and what is free of that,
/// and the messages.
pub fn eval_chain<AB: AirBuilder<F = F>>(
    builder: &mut AB,
    row: &Row<'_, AB::Var, AB::Expr>,
    stride: Stride,
) {
    let (local, next) = (row.local, row.next);
    let merkle: AB::Expr = local.is_merkle();
    builder.assert_bools([local.starts, local.is_hash, local.is_left, local.is_right]);
    builder.when_first_row().assert_one(local.starts);

    let goes_on = AB::Expr::ONE - next.starts;
    let mut chain = builder.when(goes_on.clone());
    chain.assert_one(merkle.clone() + local.is_hash);
    chain.assert_eq(next.is_hash, local.is_hash);
    chain.assert_eq::<AB::Expr, _>(next.is_merkle(), merkle.clone());
    chain.assert_eq(next.out_address, local.out_address);
    let taken = local.is_hash * F::from_usize(stride.words) + merkle.clone();
    chain.assert_eq(next.remaining + taken, local.remaining);
    let mut last = builder.when(next.starts);
    last.when(local.is_hash)
        .assert_eq(local.remaining, row.words.clone());
    last.when(merkle.clone()).assert_one(local.remaining);

    // Hash: four blocks in a row, one row's after the other's.
    let mut hash = builder.when(local.is_hash);
    hash.assert_eq(local.high_address, local.low_address + F::TWO);
    hash.when(goes_on.clone()).assert_eq(
        next.low_address,
        local.low_address + F::from_usize(stride.blocks),
    );

    // Merkle path: siblings one after the other; the node is what the row above computed.
    let sibling = |row: &DigestChainCols<AB::Var>| -> AB::Expr {
        row.is_left * row.high_address + row.is_right * row.low_address
    };
    let mut chain = builder.when(goes_on.clone());
    chain.assert_eq(sibling(next), sibling(local) + merkle.double());
    for (lane, &limb) in row.digest[..DIGEST_LIMBS].iter().enumerate() {
        let node = next.is_left * row.next_lanes[lane]
            + next.is_right * row.next_lanes[DIGEST_LIMBS + lane];
        chain.assert_eq(node, merkle.clone() * limb);
    }
    builder
        .when(AB::Expr::ONE - local.starts)
        .assert_zero(local.is_left * local.low_address + local.is_right * local.high_address);

    // The index, low bit first.
    let index_above = local.index - local.is_right;
    let mut path = builder.when(merkle);
    path.when(goes_on)
        .assert_eq(next.index.into().double(), index_above.clone());
    path.when(next.starts).assert_zero(index_above);
}

/// How often a row of a Merkle path reads its first and its last two blocks: the sibling always, the
/// node on the first row.
pub fn reads<AB: AirBuilder<F = F>>(local: &DigestChainCols<AB::Var>) -> [AB::Expr; 2] {
    [
        local.is_left * local.starts + local.is_right,
        local.is_right * local.starts + local.is_left,
    ]
}

/// Operands of a Merkle path's call, on its first row, zero on other rows: A, B, C, D.
pub fn merkle_operands<AB: AirBuilder<F = F>>(local: &DigestChainCols<AB::Var>) -> [AB::Expr; 4] {
    let merkle: AB::Expr = local.is_merkle();
    [
        local.is_left * local.low_address + local.is_right * local.high_address,
        merkle.clone() * local.index,
        local.is_left * local.high_address + local.is_right * local.low_address,
        merkle * local.out_address,
    ]
}

/// What a row does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Hashes data.
    Hash,
    /// Climbs a path, the node on the left.
    Left,
    /// Climbs a path, the node on the right.
    Right,
    /// Something of the table's own.
    Other,
}

/// A row of a chain.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// First row of its call.
    pub starts: bool,
    /// What the row does.
    pub kind: Kind,
    /// Address of the first two blocks.
    pub low: F,
    /// Address of the next two blocks.
    pub high: F,
    /// Address of the result.
    pub out: F,
    /// What remains.
    pub remaining: F,
    /// The index.
    pub index: F,
}

impl Link {
    /// Level `level` of a Merkle path of `depth` levels.
    pub fn merkle(call: &Call, index: u32, level: usize, depth: usize) -> Self {
        let starts = level == 0;
        let node = if starts { call.a } else { F::ZERO };
        let sibling = call.c + F::from_usize(2 * level);
        let rest = index >> level;
        let is_right = rest & 1 == 1;
        let (low, high) = if is_right {
            (sibling, node)
        } else {
            (node, sibling)
        };
        Self {
            starts,
            kind: if is_right { Kind::Right } else { Kind::Left },
            low,
            high,
            out: call.d,
            remaining: F::from_usize(depth - level),
            index: F::from_u32(rest),
        }
    }

    /// Fills the columns.
    pub fn fill(&self, columns: &mut DigestChainCols<F>) {
        *columns = DigestChainCols {
            starts: F::from_bool(self.starts),
            is_hash: F::from_bool(self.kind == Kind::Hash),
            is_left: F::from_bool(self.kind == Kind::Left),
            is_right: F::from_bool(self.kind == Kind::Right),
            low_address: self.low,
            high_address: self.high,
            out_address: self.out,
            remaining: self.remaining,
            index: self.index,
        };
    }
}

/// Word `index` of limb lanes, low limb first.
pub fn word(lanes: &[F], index: usize) -> u32 {
    let limb = |i: usize| lanes[i].as_canonical_u32() & 0xffff;
    limb(2 * index) | limb(2 * index + 1) << 16
}

/// The limbs of eight words.
pub fn limbs(words: &[u32; 8]) -> [F; DIGEST_LIMBS] {
    std::array::from_fn(|i| F::from_u32(words[i / 2] >> (16 * (i % 2)) & 0xffff))
}
