//! The kernels that this build permutes with.

#[cfg(poseidon16 = "portable")]
use super::WIDTH;

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
