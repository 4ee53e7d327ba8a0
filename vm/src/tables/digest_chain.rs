//! What the tables of the byte hashes share: chains of rows that hash data block by block or
//! compute the nodes of a Merkle path, with digests of two blocks of memory.
//!
//! A row has four blocks of memory, at `low_address`, `low_address + 1`, `high_address` and
//! `high_address + 1`. When it hashes data, they are consecutive. On a Merkle path they are the
//! left and the right child, and the flags `is_left` and `is_right` say which child is the node, so
//! that no constraint has to swap the two.
//!
//! # Soundness
//!
//! The rows form a ring: row 0 counts as the row below the last one. Since `starts` is one on row
//! 0, no chain continues across the end of the table. Where the last row is followed by itself it
//! cannot continue either, since `remaining` would have to be less than itself. The first row of
//! each chain is determined by the call that it receives. Lengths count down and must reach their
//! end on the last row.

use droste_native::F;
use p3_air::AirBuilder;
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_lookup::InteractionBuilder;

use crate::record::{Call, FinalMemory};
use crate::tables::{LANES, LookupCounts, block, bus};

/// Limbs of a digest.
pub const DIGEST_LIMBS: usize = 16;

droste_air::columns! {
    /// The chain that a row belongs to.
    pub struct DigestChainCols<T> {
        /// Zero on a row that continues the call of the row above; one on first rows and on
        /// padding.
        pub starts: T,
        /// One on a row of a hash over data.
        pub is_hash: T,
        /// One on a row of a Merkle path whose node is the left child: index bit 0.
        pub is_left: T,
        /// One on a row of a Merkle path whose node is the right child: index bit 1.
        pub is_right: T,
        /// Address of the first two blocks. Zero if they are the node that the row above computed.
        pub low_address: T,
        /// Address of the next two blocks. Zero if they are the node that the row above computed.
        pub high_address: T,
        /// Address of the result.
        pub out_address: T,
        /// In a hash: the number of words that this row and the rows below hash. On a Merkle path:
        /// the number of levels of this row and the rows below.
        pub remaining: T,
        /// On a Merkle path: the index, shifted so that this row's bit is its lowest. In a hash the
        /// table decides what it is.
        pub index: T,
    }
}

impl<V: Copy> DigestChainCols<V> {
    /// Returns one on a row of a Merkle path.
    pub fn is_merkle<E>(&self) -> E
    where
        V: std::ops::Add<V, Output = E>,
    {
        self.is_left + self.is_right
    }
}

/// How much data each row of a hash takes.
#[derive(Clone, Copy, Debug)]
pub struct Stride {
    /// Number of words that a row hashes if another row follows.
    pub words: usize,
    /// Distance in blocks from one row's data to the next row's.
    pub blocks: usize,
}

/// What the constraints of a chain need to know about a row.
pub struct Row<'a, V, E> {
    /// The chain columns of this row.
    pub local: &'a DigestChainCols<V>,
    /// The chain columns of the row below.
    pub next: &'a DigestChainCols<V>,
    /// Lanes of the four blocks of the row below.
    pub next_lanes: &'a [V],
    /// Limbs of the digest that this row computes.
    pub digest: &'a [V],
    /// Number of words that this row hashes.
    pub words: E,
}

/// Constrains chains of hashes and Merkle paths, with degree 3.
///
/// # Soundness
/// The table itself must constrain what a row computes, which rows are active, every cell that
/// these constraints leave free, and the messages.
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

    // In a hash the rows' data are consecutive.
    let mut hash = builder.when(local.is_hash);
    hash.assert_eq(local.high_address, local.low_address + F::TWO);
    hash.when(goes_on.clone()).assert_eq(
        next.low_address,
        local.low_address + F::from_usize(stride.blocks),
    );

    // On a Merkle path the siblings are consecutive, and the node is what the row above computed.
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

    // The index of the row below is this row's without its lowest bit.
    let index_above = local.index - local.is_right;
    let mut path = builder.when(merkle);
    path.when(goes_on)
        .assert_eq(next.index.into().double(), index_above.clone());
    path.when(next.starts).assert_zero(index_above);
}

/// Returns how often a row of a Merkle path reads its first and its last two blocks: the sibling on
/// every row, the node on the first row only.
pub fn reads<AB: AirBuilder<F = F>>(local: &DigestChainCols<AB::Var>) -> [AB::Expr; 2] {
    [
        local.is_left * local.starts + local.is_right,
        local.is_right * local.starts + local.is_left,
    ]
}

/// Looks up the digest that a row has computed, if `flag` is one.
pub fn lookup_digest<AB: InteractionBuilder<F = F>>(
    builder: &mut AB,
    address: AB::Var,
    digest: &[AB::Var],
    flag: AB::Expr,
) {
    for (half, limbs) in digest[..DIGEST_LIMBS].chunks_exact(LANES).enumerate() {
        let limbs = std::array::from_fn(|lane| limbs[lane]);
        bus::lookup_block(builder, address + F::from_usize(half), limbs, flag.clone());
    }
}

/// Returns operands A to D of a Merkle path's call on its first row, and zeros on other rows.
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
    /// It hashes data.
    Hash,
    /// It computes a node of a path from the node on the left and its sibling.
    Left,
    /// It computes a node of a path from the node on the right and its sibling.
    Right,
    /// It does something that only this table knows.
    Other,
}

/// The chain columns of a row, before they are written.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// Whether this is the first row of its call.
    pub starts: bool,
    /// What the row does.
    pub kind: Kind,
    /// Address of the first two blocks.
    pub low: F,
    /// Address of the next two blocks.
    pub high: F,
    /// Address of the result.
    pub out: F,
    /// Value of `remaining`.
    pub remaining: F,
    /// Value of `index`.
    pub index: F,
}

impl Link {
    /// Returns row `row` of a hash of data that has `remaining` words left from `low` on. The four
    /// blocks of the row are consecutive.
    pub fn hash(call: &Call, row: usize, low: F, remaining: usize, index: u32) -> Self {
        Self {
            starts: row == 0,
            kind: Kind::Hash,
            low,
            high: low + F::TWO,
            out: call.c,
            remaining: F::from_usize(remaining),
            index: F::from_u32(index),
        }
    }

    /// Returns level `level` of a Merkle path with `depth` levels.
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

    /// Writes the columns.
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

/// Returns the digest at an address: two blocks.
pub fn digest(memory: &FinalMemory, address: F) -> [F; DIGEST_LIMBS] {
    let blocks = [block(memory, address), block(memory, address + F::ONE)];
    std::array::from_fn(|lane| blocks[lane / LANES][lane % LANES])
}

/// Returns the blocks from an address on that hold the first `words` words, then zeros.
pub fn data<const N: usize>(memory: &FinalMemory, address: F, words: usize) -> [F; N] {
    let mut data = [F::ZERO; N];
    let blocks = data.chunks_exact_mut(LANES).take(words.div_ceil(LANES / 2));
    for (index, lanes) in blocks.enumerate() {
        lanes.copy_from_slice(&block(memory, address + F::from_usize(index)));
    }
    data
}

/// Returns the rows of a Merkle path's call. `hash` makes each row, and the parent, from the chain
/// columns and the lanes of the left and the right child.
pub fn climb<S>(
    memory: &FinalMemory,
    call: &Call,
    hash: impl Fn(Link, [F; 2 * DIGEST_LIMBS]) -> (S, [F; DIGEST_LIMBS]),
) -> Vec<S> {
    let depth = call.e.as_canonical_u32() as usize;
    let index = call.b.as_canonical_u32();
    let mut node = digest(memory, call.a);
    let rows = (0..depth).map(|level| {
        let link = Link::merkle(call, index, level, depth);
        let sibling = digest(memory, call.c + F::from_usize(2 * level));
        let (left, right) = match link.kind {
            Kind::Right => (sibling, node),
            _ => (node, sibling),
        };
        let child = |lane: usize| left.get(lane).unwrap_or(&right[lane % DIGEST_LIMBS]);
        let (row, parent) = hash(link, std::array::from_fn(|lane| *child(lane)));
        node = parent;
        row
    });
    rows.collect()
}

/// Counts the lookups of a digest's two blocks.
pub fn count_digest(counts: &mut LookupCounts, address: F) {
    counts.block_range(address, 2);
}

/// Counts the lookups of a Merkle path's call.
pub fn count_path(counts: &mut LookupCounts, call: &Call) {
    counts.block_range(call.c, 2 * call.e.as_canonical_u32() as usize);
    count_digest(counts, call.a);
    count_digest(counts, call.d);
}

/// Returns word `index` of lanes that hold 16-bit limbs, low limb first.
pub fn word(lanes: &[F], index: usize) -> u32 {
    let limb = |i: usize| lanes[i].as_canonical_u32() & 0xffff;
    limb(2 * index) | limb(2 * index + 1) << 16
}

/// Returns the 16-bit limbs of eight words.
pub fn limbs(words: &[u32; 8]) -> [F; DIGEST_LIMBS] {
    std::array::from_fn(|i| F::from_u32(words[i / 2] >> (16 * (i % 2)) & 0xffff))
}
