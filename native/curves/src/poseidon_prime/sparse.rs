//! Partial rounds with sparse matrices (ePrint 2019/458, appendix B), derived from the dense form.
//!
//! A partial round is `x -> M S(x + c)`, where `S` changes word 0 only. It is rewritten in two
//! steps:
//!
//! 1. `S` does not change what `c` adds to the other words, so that part of `c`, multiplied by `M`,
//!    is added to the constants of the next round. Each partial round keeps one constant.
//! 2. `M = M'' M'` with `M' = diag(1, N)`, where `N` is `M` without row 0 and column 0, and `M''`
//!    differs from the identity only in row 0 and column 0. `M'` commutes with `S` and with the
//!    constant of word 0, so it moves into the matrix of the previous round, which is then split in
//!    the same way. The `M'` of the first partial round ends in the matrix of the full round before
//!    it.

use ark_ff::PrimeField;

use super::parameters::{ParameterError, Parameters};

/// A partial round: the constant of word 0, and row 0 and column 0 of its matrix.
#[derive(Clone, Debug)]
pub struct SparseRound<F, const T: usize> {
    /// Added to word 0 before its S-box.
    pub constant: F,
    /// Row 0 of the matrix.
    pub row: [F; T],
    /// Column 0 of the matrix, from row 1 on; word 0 of this array is not used. The rest of the
    /// matrix is the identity.
    pub column: [F; T],
}

/// The constants and the matrix of a full round.
pub type FullRound<'a, F, const T: usize> = (&'a [F; T], &'a [[F; T]; T]);

/// All rounds between the S-boxes of the last full round of the first half and those of the first
/// full round of the second half.
#[derive(Clone, Debug)]
pub struct Sparse<F, const T: usize> {
    /// The matrix of the last full round before the partial rounds.
    pub entry: [[F; T]; T],
    /// The partial rounds.
    pub rounds: Vec<SparseRound<F, T>>,
    /// The constants of the first full round after the partial rounds.
    pub exit: [F; T],
}

impl<F: PrimeField, const T: usize> Sparse<F, T> {
    /// Derives the sparse form of parameters that have been checked.
    ///
    /// # Errors
    /// Returns [`ParameterError::Matrix`] if a minor is singular.
    pub fn new(parameters: &Parameters<F, T>) -> Result<Self, ParameterError> {
        let half = parameters.full_rounds / 2;
        let matrix = &parameters.matrix;

        let mut constants = vec![];
        let mut carried = [F::ZERO; T];
        for round in &parameters.constants[half..half + parameters.partial_rounds] {
            let mut sum: [F; T] = std::array::from_fn(|i| round[i] + carried[i]);
            constants.push(sum[0]);
            sum[0] = F::ZERO;
            carried = apply(matrix, &sum);
        }
        let after = &parameters.constants[half + parameters.partial_rounds];
        let exit = std::array::from_fn(|i| after[i] + carried[i]);

        let mut rounds = vec![];
        let mut entry = *matrix;
        for constant in constants.into_iter().rev() {
            let mut inverse = [[F::ZERO; T]; T];
            inverse_of_minor(entry.as_flattened().to_vec(), T, inverse.as_flattened_mut())
                .ok_or(ParameterError::Matrix)?;
            let mut row = [F::ZERO; T];
            row[0] = entry[0][0];
            for j in 1..T {
                row[j] = (1..T).map(|k| entry[0][k] * inverse[k][j]).sum();
            }
            rounds.push(SparseRound {
                constant,
                row,
                column: std::array::from_fn(|i| entry[i][0]),
            });
            let mut block = entry;
            block[0] = [F::ZERO; T];
            block.iter_mut().for_each(|row| row[0] = F::ZERO);
            block[0][0] = F::ONE;
            multiply(
                block.as_flattened(),
                matrix.as_flattened(),
                T,
                entry.as_flattened_mut(),
            );
        }
        rounds.reverse();
        Ok(Self {
            entry,
            rounds,
            exit,
        })
    }

    /// The constants and the matrix of each full round, before and after the partial rounds.
    pub fn full_rounds<'a>(
        &'a self,
        parameters: &'a Parameters<F, T>,
    ) -> [Vec<FullRound<'a, F, T>>; 2] {
        let (half, dense) = (parameters.full_rounds / 2, &parameters.matrix);
        let constants = &parameters.constants;
        let with_dense = |constants: &'a [[F; T]]| constants.iter().map(move |c| (c, dense));
        let mut halves = [&constants[..half], &constants[constants.len() - half..]]
            .map(|constants| with_dense(constants).collect::<Vec<_>>());
        if let [[.., last], [first, ..]] = halves.each_mut().map(Vec::as_mut_slice) {
            (last.1, first.0) = (&self.entry, &self.exit);
        }
        halves
    }
}

/// The product of a matrix and a vector.
#[inline]
pub fn apply<F: PrimeField, const T: usize>(matrix: &[[F; T]; T], state: &[F; T]) -> [F; T] {
    std::array::from_fn(|i| F::sum_of_products(&matrix[i], state))
}

// What runs only once is on slices of rows, so that it is compiled once for all widths.

/// The product of two matrices.
fn multiply<F: PrimeField>(a: &[F], b: &[F], width: usize, out: &mut [F]) {
    out.fill(F::ZERO);
    for (out, row) in out.chunks_exact_mut(width).zip(a.chunks_exact(width)) {
        for (factor, row) in row.iter().zip(b.chunks_exact(width)) {
            for (out, entry) in out.iter_mut().zip(row) {
                *out += *factor * entry;
            }
        }
    }
}

/// Writes the inverse of the matrix without row 0 and column 0, by Gauss-Jordan elimination.
fn inverse_of_minor<F: PrimeField>(mut left: Vec<F>, width: usize, right: &mut [F]) -> Option<()> {
    let at = |row: usize, column: usize| row * width + column;
    for row in 1..width {
        right[at(row, row)] = F::ONE;
    }
    for pivot in 1..width {
        let found = (pivot..width).find(|&row| !left[at(row, pivot)].is_zero())?;
        let scale = left[at(found, pivot)].inverse()?;
        for matrix in [&mut left[..], &mut *right] {
            for j in 1..width {
                matrix.swap(at(pivot, j), at(found, j));
                matrix[at(pivot, j)] *= scale;
            }
        }
        for row in (1..width).filter(|&row| row != pivot) {
            let factor = left[at(row, pivot)];
            for matrix in [&mut left[..], &mut *right] {
                for j in 1..width {
                    let product = factor * matrix[at(pivot, j)];
                    matrix[at(row, j)] -= product;
                }
            }
        }
    }
    Some(())
}
