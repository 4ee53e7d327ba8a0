//! The parameters of Poseidon-16, and its partial rounds in sparse form.

use std::sync::LazyLock;

pub use p3_koala_bear::KOALABEAR_POSEIDON1_RC_16 as ROUND_CONSTANTS;
use p3_koala_bear::MDSKoalaBearData;
use p3_monty_31::MDSUtils;
use p3_poseidon1::Poseidon1Constants;
#[cfg(any(test, not(poseidon16 = "portable")))]
use p3_poseidon1::utils::{circulant_to_dense, forward_constant_substitution};

use crate::field::F;

/// State width, in field elements.
pub const WIDTH: usize = 16;

/// Sponge rate: elements absorbed per permutation by every sponge and challenger in this crate.
///
/// The other 8 elements (248 bits) are the capacity: 124 bits against inner collisions.
pub const RATE: usize = 8;

/// Number of full rounds before the partial rounds, and again after them.
pub const HALF_FULL_ROUNDS: usize = 4;

/// Number of partial rounds.
pub const PARTIAL_ROUNDS: usize = 20;

/// Number of all rounds.
pub const ROUNDS: usize = 2 * HALF_FULL_ROUNDS + PARTIAL_ROUNDS;

/// First column of the circulant MDS matrix: `M[i][j] = MDS_COLUMN[(i - j) mod 16]`.
pub const MDS_COLUMN: [i64; WIDTH] = MDSKoalaBearData::MATRIX_CIRC_MDS_16_COL;

/// The partial rounds with the matrix factored into sparse ones (Poseidon, ePrint 2019/458,
/// appendix B).
///
/// The 20 rounds `x -> M * sbox0(x + c_r)` are equivalent to the following: add
/// [`Self::first_constants`], multiply by [`Self::transition`], then in each round `r` cube element
/// 0, add [`Self::constants`]`[r]` to it and multiply by the matrix whose row 0 is `first_row[r]`,
/// whose column 0 below row 0 is `first_column[r]`, and whose remaining block is the identity.
#[derive(Clone, Debug)]
pub struct SparsePartialRounds {
    /// The constants added to the whole state before the first partial round.
    pub first_constants: [F; WIDTH],
    /// The only dense matrix, by rows: `y[i] = sum_j transition[i][j] * x[j]`.
    pub transition: [[F; WIDTH]; WIDTH],
    /// The constants added to element 0 after the S-box of each round; the last one is zero.
    pub constants: [F; PARTIAL_ROUNDS],
    /// Row 0 of each round's sparse matrix.
    pub first_row: [[F; WIDTH]; PARTIAL_ROUNDS],
    /// Column 0 of each round's sparse matrix, from row 1 on: entry `i` belongs to row `i + 1`.
    pub first_column: [[F; WIDTH - 1]; PARTIAL_ROUNDS],
}

/// The sparse form of the partial rounds, computed once.
pub fn sparse_partial_rounds() -> &'static SparsePartialRounds {
    static SPARSE: LazyLock<SparsePartialRounds> = LazyLock::new(|| {
        let (_, partial) = Poseidon1Constants {
            rounds_f: 2 * HALF_FULL_ROUNDS,
            rounds_p: PARTIAL_ROUNDS,
            mds_circ_col: MDS_COLUMN,
            round_constants: ROUND_CONSTANTS.to_vec(),
        }
        .to_optimized();
        SparsePartialRounds {
            first_constants: partial.first_round_constants,
            transition: partial.m_i,
            constants: std::array::from_fn(|r| {
                partial.round_constants.get(r).copied().unwrap_or_default()
            }),
            first_row: std::array::from_fn(|r| partial.sparse_first_row[r]),
            first_column: std::array::from_fn(|r| std::array::from_fn(|i| partial.v[r][i])),
        }
    });
    &SPARSE
}

/// The constants that the partial rounds add to element 0 before each S-box, and those that remain
/// to be added to the state after the last round.
#[cfg(any(test, not(poseidon16 = "portable")))]
pub(super) fn partial_constants() -> ([F; PARTIAL_ROUNDS], [F; WIDTH]) {
    let rounds = &ROUND_CONSTANTS[HALF_FULL_ROUNDS..HALF_FULL_ROUNDS + PARTIAL_ROUNDS];
    let (scalars, residual) =
        forward_constant_substitution(&circulant_to_dense(&MDS_COLUMN), rounds);
    (std::array::from_fn(|round| scalars[round]), residual)
}
