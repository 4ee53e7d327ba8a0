//! What the tables of Poseidon compressions share: rows that compress two blocks, and Merkle paths
//! whose nodes are one block.
//!
//! A row of a path does not swap node and sibling. Instead, the flags `is_left` and `is_right` say
//! which of its two blocks is the node, and the addresses swap their meaning. So every message to
//! block memory has degree 1, and two messages share one auxiliary column.

use droste_native::F;
use p3_air::AirBuilder;
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use crate::record::{Call, FinalMemory};
use crate::tables::bus::CallMessage;
use crate::tables::{LANES, LookupCounts, block};

droste_air::columns! {
    /// The two blocks that a row compresses, and the path that it is a level of.
    pub struct PathCols<T> {
        /// One on a row of `merkle` whose node is the left child: index bit 0.
        pub is_left: T,
        /// One on a row of `merkle` whose node is the right child: index bit 1.
        pub is_right: T,
        /// Zero on a row that continues the call of the row above; one on first rows and on
        /// padding.
        pub starts: T,
        /// Address of the block in inputs 0 to 7, if the row reads it.
        pub low_address: T,
        /// Address of the block in inputs 8 to 15, if the row reads it.
        pub high_address: T,
        /// Address of the result.
        pub out_address: T,
        /// `merkle`: the number of levels of this row and the rows below.
        pub remaining: T,
        /// `merkle`: the index, shifted so that this row's bit is its lowest.
        pub index: T,
    }
}

impl<V: Copy> PathCols<V> {
    /// Returns one on a row of a Merkle path.
    pub fn is_merkle<E>(&self) -> E
    where
        V: std::ops::Add<V, Output = E>,
    {
        self.is_left + self.is_right
    }

    /// Returns the address of the sibling on a row of a Merkle path, zero on other rows.
    pub fn sibling_address<E>(&self) -> E
    where
        V: std::ops::Mul<V, Output = E>,
        E: std::ops::Add<E, Output = E>,
    {
        self.is_left * self.high_address + self.is_right * self.low_address
    }
}

impl PathCols<F> {
    /// Returns the columns of a compression.
    pub fn compress(call: &Call) -> Self {
        Self {
            is_left: F::ZERO,
            is_right: F::ZERO,
            starts: F::ONE,
            low_address: call.a,
            high_address: call.b,
            out_address: call.c,
            remaining: F::ZERO,
            index: F::ZERO,
        }
    }

    /// Names of the columns that are free on such a row, beside those that only one table has.
    pub fn free_columns(&self, is_compress: F, is_active: F) -> &'static [&'static str] {
        let continues = self.starts == F::ZERO;
        if is_active == F::ZERO {
            // The permutation's inputs are fixed by the outputs of the same row alone.
            &[
                "path.low_address",
                "path.high_address",
                "path.out_address",
                "path.remaining",
                "path.index",
            ]
        } else if is_compress == F::ONE {
            &["path.index"]
        } else if continues && self.is_left == F::ONE {
            // The address of a node or a capacity that comes from the row above, not from memory.
            &["path.low_address"]
        } else if continues {
            &["path.high_address"]
        } else {
            &[]
        }
    }
}

/// Constrains the bits of a path to be those of the index, low first, and the path to end when no
/// level remains.
pub fn eval_index<AB: AirBuilder<F = F>>(
    builder: &mut AB,
    local: &PathCols<AB::Var>,
    next: &PathCols<AB::Var>,
) {
    let mut merkle = builder.when::<AB::Expr>(local.is_merkle());
    let index_above = local.index - local.is_right;
    merkle
        .when(AB::Expr::ONE - next.starts)
        .assert_eq(next.index.into().double(), index_above.clone());
    merkle.when(next.starts).assert_zero(index_above);
    merkle.when(next.starts).assert_one(local.remaining);
}

/// Returns the call of a path, or of another precompile whose operands A to C are the addresses of
/// the row's two blocks and of the result.
pub fn call<AB: AirBuilder<F = F>>(
    path: &PathCols<AB::Var>,
    id: AB::Expr,
    is_other: AB::Expr,
) -> CallMessage<AB::Expr> {
    let merkle: AB::Expr = path.is_merkle();
    CallMessage {
        id,
        a: is_other.clone() * path.low_address + merkle.clone() * path.out_address,
        b: is_other.clone() * path.high_address + merkle * path.index,
        c: is_other * path.out_address
            + path.is_left * path.high_address
            + path.is_right * path.low_address,
        d: path.is_left * path.low_address + path.is_right * path.high_address,
        e: path.remaining.into(),
    }
}

/// Fills the rows of a Merkle path's call. `compress` writes each row, and returns the parent.
pub fn climb<'a, R: 'a>(
    memory: &FinalMemory,
    call: &Call,
    rows: impl Iterator<Item = &'a mut R>,
    compress: impl Fn(&mut R, PathCols<F>, [[F; LANES]; 2]) -> [F; LANES],
) {
    let depth = call.e.as_canonical_u32() as usize;
    let mut index = call.b.as_canonical_u32();
    let mut node = block(memory, call.d);
    for (level, row) in rows.enumerate() {
        let sibling_address = call.c + F::from_usize(level);
        let sibling = block(memory, sibling_address);
        let is_right = index & 1 == 1;
        let (mut addresses, mut children) = ([call.d, sibling_address], [node, sibling]);
        if is_right {
            addresses.reverse();
            children.reverse();
        }
        let path = PathCols {
            is_left: F::from_bool(!is_right),
            is_right: F::from_bool(is_right),
            starts: F::from_bool(level == 0),
            low_address: addresses[0],
            high_address: addresses[1],
            out_address: call.a,
            remaining: F::from_usize(depth - level),
            index: F::from_u32(index),
        };
        node = compress(row, path, children);
        index >>= 1;
    }
}

/// Counts the lookups of a compression.
pub fn count_compress(call: &Call, counts: &mut LookupCounts) {
    for address in [call.a, call.b, call.c] {
        counts.block(address);
    }
}

/// Counts the lookups of a Merkle path of so many levels.
pub fn count_path(call: &Call, levels: usize, counts: &mut LookupCounts) {
    counts.block_range(call.c, levels);
    counts.block(call.a);
    counts.block(call.d);
}
