//! The Poseidon permutation, in dense and in sparse form.

use ark_ff::PrimeField;

use super::kernel::Kernel;
use super::parameters::{ParameterError, Parameters};
use super::sparse::{Sparse, apply};

/// A Poseidon permutation of width `T`, ready to run.
#[derive(Clone, Debug)]
pub struct Poseidon<F, const T: usize> {
    parameters: Parameters<F, T>,
    sparse: Sparse<F, T>,
    kernel: Option<Kernel<T>>,
}

impl<F: PrimeField, const T: usize> Poseidon<F, T> {
    /// Checks parameters and derives the sparse form.
    ///
    /// # Errors
    /// Returns [`ParameterError`] if the parameters are inconsistent or the matrix is not MDS.
    pub fn new(parameters: Parameters<F, T>) -> Result<Self, ParameterError> {
        let mut poseidon = Self::without_kernel(parameters)?;
        poseidon.kernel = Kernel::new(&poseidon.parameters, &poseidon.sparse);
        Ok(poseidon)
    }

    /// The permutation in arkworks' arithmetic alone.
    pub(super) fn without_kernel(parameters: Parameters<F, T>) -> Result<Self, ParameterError> {
        if T < 2 {
            let (min, max) = (2, usize::MAX);
            return Err(ParameterError::Width { width: T, min, max });
        }
        parameters.check()?;
        let sparse = Sparse::new(&parameters)?;
        Ok(Self {
            parameters,
            sparse,
            kernel: None,
        })
    }

    #[cfg(test)]
    pub(super) fn kernel(&self) -> Option<&Kernel<T>> {
        self.kernel.as_ref()
    }

    /// The parameters that define this permutation.
    pub fn parameters(&self) -> &Parameters<F, T> {
        &self.parameters
    }

    /// The permutation as published: every round multiplies by the full matrix.
    pub fn permute_dense(&self, state: &mut [F; T]) {
        let Parameters {
            alpha,
            full_rounds,
            partial_rounds,
            constants,
            matrix,
        } = &self.parameters;
        for (round, constants) in constants.iter().enumerate() {
            add(state, constants);
            if (full_rounds / 2..full_rounds / 2 + partial_rounds).contains(&round) {
                state[0] = power(state[0], *alpha);
            } else {
                powers(state, *alpha);
            }
            *state = apply(matrix, state);
        }
    }

    /// The same permutation with sparse partial rounds. It runs in this crate's own arithmetic if
    /// that supports the field and the width, and in arkworks' otherwise.
    pub fn permute(&self, state: &mut [F; T]) {
        if let Some(kernel) = &self.kernel
            && kernel.permute(state)
        {
            return;
        }
        self.permute_sparse(state);
    }

    /// The sparse form in arkworks' arithmetic.
    pub(super) fn permute_sparse(&self, state: &mut [F; T]) {
        let Parameters {
            alpha,
            full_rounds,
            constants,
            matrix,
            ..
        } = &self.parameters;
        let half = full_rounds / 2;
        for (round, constants) in constants[..half].iter().enumerate() {
            let last = round + 1 == half;
            let matrix = if last { &self.sparse.entry } else { matrix };
            full_round(state, constants, *alpha, matrix);
        }
        for round in &self.sparse.rounds {
            let first = power(state[0] + round.constant, *alpha);
            state[0] = first;
            let sum = F::sum_of_products(&round.row, state);
            for (word, factor) in state.iter_mut().zip(&round.column).skip(1) {
                *word += first * factor;
            }
            state[0] = sum;
        }
        full_round(state, &self.sparse.exit, *alpha, matrix);
        for constants in &constants[constants.len() - half + 1..] {
            full_round(state, constants, *alpha, matrix);
        }
    }
}

#[inline]
fn full_round<F: PrimeField, const T: usize>(
    state: &mut [F; T],
    constants: &[F; T],
    alpha: u64,
    matrix: &[[F; T]; T],
) {
    add(state, constants);
    powers(state, alpha);
    *state = apply(matrix, state);
}

#[inline]
fn add<F: PrimeField, const T: usize>(state: &mut [F; T], constants: &[F; T]) {
    state.iter_mut().zip(constants).for_each(|(s, c)| *s += c);
}

#[inline]
fn powers<F: PrimeField, const T: usize>(state: &mut [F; T], alpha: u64) {
    state.iter_mut().for_each(|s| *s = power(*s, alpha));
}

/// `x^alpha`; `x^5` takes 3 multiplications, `x^17` takes 5.
#[inline]
fn power<F: PrimeField>(x: F, alpha: u64) -> F {
    match alpha {
        5 => x.square().square() * x,
        17 => x.square().square().square().square() * x,
        _ => x.pow([alpha]),
    }
}
