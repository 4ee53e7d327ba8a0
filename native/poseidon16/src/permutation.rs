//! The rounds of Poseidon-16.

use p3_field::Algebra;

use super::constants::{HALF_FULL_ROUNDS, PARTIAL_ROUNDS, ROUND_CONSTANTS, sparse_partial_rounds};
use super::{WIDTH, mds_multiply};
use crate::field::F;

#[cfg(not(poseidon16 = "avx512ifma"))]
pub(super) use super::double::permute;
#[cfg(any(poseidon16 = "avx512", poseidon16 = "avx2"))]
pub(super) use super::double::permute_packed;
#[cfg(poseidon16 = "avx512ifma")]
pub(super) use super::ifma::{permute, permute_packed};

/// The permutation on packed elements, one state per lane: Plonky3's, where the field is packed in
/// vectors that no kernel is for.
#[cfg(poseidon16 = "portable")]
#[allow(dead_code)] // The field packs itself on targets without vectors.
#[inline]
pub(super) fn permute_packed<P>(state: &mut [P; WIDTH])
where
    P: Clone,
    p3_koala_bear::Poseidon1KoalaBear<WIDTH>: p3_symmetric::Permutation<[P; WIDTH]>,
{
    use std::sync::LazyLock;

    use p3_koala_bear::{Poseidon1KoalaBear, default_koalabear_poseidon1_16};
    use p3_symmetric::Permutation;

    static PLONKY3: LazyLock<Poseidon1KoalaBear<WIDTH>> =
        LazyLock::new(default_koalabear_poseidon1_16);
    PLONKY3.permute_mut(state);
}

/// The permutation over any algebra of the base field: elements, packed elements, extension
/// elements, symbolic expressions.
///
/// It multiplies by the MDS matrix by FFT, in 50 multiplications, and computes the partial rounds
/// by sparse matrices.
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

/// One full round: adds the constants, cubes every element, multiplies by the MDS matrix.
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
