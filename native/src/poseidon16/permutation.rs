//! The rounds of Poseidon-16.

use p3_field::Algebra;

use super::constants::{HALF_FULL_ROUNDS, PARTIAL_ROUNDS, ROUND_CONSTANTS, sparse_partial_rounds};
use super::{WIDTH, mds_multiply};
use crate::field::F;

/// The permutation on one state of base field elements.
#[cfg(all(
    target_arch = "x86_64",
    target_feature = "avx512f",
    target_feature = "avx512ifma"
))]
pub(super) use super::ifma::permute;

/// The permutation on one state of base field elements: Plonky3's, where the processor has no 52-bit
/// multiplier.
#[cfg(not(all(
    target_arch = "x86_64",
    target_feature = "avx512f",
    target_feature = "avx512ifma"
)))]
#[inline]
pub(super) fn permute(state: &mut [F; WIDTH]) {
    plonky3().permute_mut(state);
}

/// The permutation on one state per lane of the packed field.
#[cfg(all(
    target_arch = "x86_64",
    target_feature = "avx512f",
    target_feature = "avx512ifma"
))]
pub(super) use super::ifma::permute_packed;

/// The permutation on one state per lane of the packed field: Plonky3's, where the processor has no
/// 52-bit multiplier.
#[cfg(any(
    all(
        target_arch = "x86_64",
        target_feature = "avx2",
        not(all(target_feature = "avx512f", target_feature = "avx512ifma"))
    ),
    all(target_arch = "aarch64", target_feature = "neon")
))]
#[inline]
pub(super) fn permute_packed(state: &mut [<F as p3_field::Field>::Packing; WIDTH]) {
    plonky3().permute_mut(state);
}

#[cfg(not(all(
    target_arch = "x86_64",
    target_feature = "avx512f",
    target_feature = "avx512ifma"
)))]
use p3_symmetric::Permutation;

#[cfg(not(all(
    target_arch = "x86_64",
    target_feature = "avx512f",
    target_feature = "avx512ifma"
)))]
fn plonky3() -> &'static p3_koala_bear::Poseidon1KoalaBear<WIDTH> {
    use std::sync::LazyLock;

    static PLONKY3: LazyLock<p3_koala_bear::Poseidon1KoalaBear<WIDTH>> =
        LazyLock::new(p3_koala_bear::default_koalabear_poseidon1_16);
    &PLONKY3
}

/// The permutation over any algebra of the base field: elements, packed elements, extension
/// elements, expressions.
///
/// The MDS matrix is applied by FFT in 50 multiplications, the partial rounds by sparse matrices.
pub fn permute_generic<A: Algebra<F>>(state: &mut [A; WIDTH]) {
    let (first, last) = ROUND_CONSTANTS.split_at(HALF_FULL_ROUNDS + PARTIAL_ROUNDS);
    for constants in &first[..HALF_FULL_ROUNDS] {
        full_round(state, constants);
    }
    partial_rounds(state);
    for constants in last {
        full_round(state, constants);
    }
}

/// Adds the constants, cubes every element, multiplies by the MDS matrix.
#[inline]
fn full_round<A: Algebra<F>>(state: &mut [A; WIDTH], constants: &[F; WIDTH]) {
    for (value, &constant) in state.iter_mut().zip(constants) {
        *value = (value.clone() + constant).cube();
    }
    mds_multiply(state);
}

/// All partial rounds, in the sparse form.
#[inline]
fn partial_rounds<A: Algebra<F>>(state: &mut [A; WIDTH]) {
    let sparse = sparse_partial_rounds();
    for (value, &constant) in state.iter_mut().zip(&sparse.first_constants) {
        *value += constant;
    }
    let input = state.clone();
    for (value, row) in state.iter_mut().zip(&sparse.transition) {
        *value = A::mixed_dot_product(&input, row);
    }
    for round in 0..PARTIAL_ROUNDS {
        state[0] = state[0].cube() + sparse.constants[round];
        let first = A::mixed_dot_product(state, &sparse.first_row[round]);
        let column = &sparse.first_column[round];
        let (head, tail) = state.split_at_mut(1);
        for (value, &entry) in tail.iter_mut().zip(column) {
            *value += head[0].clone() * entry;
        }
        head[0] = first;
    }
}
