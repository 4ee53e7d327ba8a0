//! Columns of the Keccak table.

/// Number of rounds of Keccak-f, and of rows per permutation.
pub const ROUNDS: usize = 24;

/// Number of lanes of the state, which are in the order `x + 5 y`.
pub const LANES: usize = 25;

/// Number of 16-bit limbs of a lane, which are stored low first.
pub const LIMBS: usize = 4;

/// Positions of the bits that are set in some round constant: `2^j - 1`.
pub const IOTA_BITS: [usize; 7] = [0, 1, 3, 7, 15, 31, 63];

crate::columns! {
    /// The bits of one round: 2,240 columns.
    pub struct RoundBits<T> {
        /// Column parities of the round's input `A`: `C[x] = xor over y of A[x, y]`.
        pub c: [[T; 64]; 5],
        /// Column parities after theta: `C'[x, z] = C[x, z] ^ C[x - 1, z] ^ C[x + 1, z - 1]`.
        pub c_prime: [[T; 64]; 5],
        /// The state after theta: `A'[x, y, z] = A[x, y, z] ^ C[x, z] ^ C'[x, z]`.
        pub a_prime: [[T; 64]; LANES],
    }
}

crate::columns! {
    /// One round: 2,471 columns.
    pub struct KeccakCols<T> {
        /// One-hot: the round of the row.
        pub steps: [T; ROUNDS],
        /// The input of the permutation, on each of its rows.
        pub preimage: [[T; LIMBS]; LANES],
        /// The bits of the round.
        pub bits: RoundBits<T>,
        /// The bits of lane 0 after chi that iota may change.
        pub iota: [T; IOTA_BITS.len()],
        /// The state after the round.
        pub output: [[T; LIMBS]; LANES],
    }
}
