//! Columns of the Keccak table over bytes.

use droste_native::hash::keccak::ROTATIONS;

use crate::keccak::columns::{LANES, ROUNDS};

/// Number of rows of a permutation: one for its input and one for each round.
pub const ROWS: usize = ROUNDS + 1;

/// Number of bytes of a lane, which are stored low first.
pub(super) const LANE_BYTES: usize = 8;

/// Number of bytes of a state.
pub const STATE_BYTES: usize = LANES * LANE_BYTES;

/// The lanes that rho does not rotate by whole bytes, so that it splits their bytes.
pub(super) const SPLIT_LANES: [usize; 22] = {
    let (mut lanes, mut count) = ([0; 22], 0);
    let mut lane = 0;
    while lane < LANES {
        if !ROTATIONS[lane].is_multiple_of(8) {
            lanes[count] = lane;
            count += 1;
        }
        lane += 1;
    }
    assert!(count == lanes.len());
    lanes
};

/// The bytes of lane 0 that a round constant may change.
pub(super) const IOTA_BYTES: [usize; 4] = [0, 1, 3, 7];

/// Number of columns that are read of the next row, which come first.
pub(super) const NEXT: usize = ROWS + 1 + 5 * LANE_BYTES + SPLIT_LANES.len() * 8 + STATE_BYTES;

crate::columns! {
    /// A byte in two parts.
    pub struct SplitCols<T> {
        /// The top bit.
        pub high: T,
        /// The other bits.
        pub low: T,
    }
}

crate::columns! {
    /// One row: 726 columns. All bytes are spread, and low first.
    pub struct BytesCols<T> {
        /// One-hot: the position of the row in its permutation, 0 for the row of the input.
        pub steps: [T; ROWS],
        /// The number of the permutation, which the rows of its rounds have.
        pub number: T,
        /// What theta changes: `D[x] = C[x - 1] ^ rot(C[x + 1], 1)`.
        pub d: [[T; LANE_BYTES]; 5],
        /// The state after theta, `A'[x, y] = A[x, y] ^ D[x]`: of bytes that rho splits, the high
        /// part.
        pub a_high: [[T; LANE_BYTES]; SPLIT_LANES.len()],
        /// The low part of each byte, or all of it.
        pub a_low: [[T; LANE_BYTES]; LANES],
        /// Column parities of the round's input: `C[x] = xor over y of A[x, y]`.
        pub c: [[SplitCols<T>; LANE_BYTES]; 5],
        /// What chi changes, with `B` for the state after rho and pi: of lane (x, y), `B[x + 2, y]`
        /// and not `B[x + 1, y]`.
        pub chi: [[T; LANE_BYTES]; LANES],
        /// The bytes of lane 0 after the round that a round constant may change.
        pub iota: [T; IOTA_BYTES.len()],
    }
}
