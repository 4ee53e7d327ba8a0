//! The kernels that this build permutes with.

#[cfg(any(poseidon16 = "avx512", poseidon16 = "avx2"))]
pub(super) use super::double::{permute, permute_packed};
#[cfg(poseidon16 = "avx512ifma")]
pub(super) use super::ifma::{permute, permute_packed};
#[cfg(poseidon16 = "simd128")]
pub(super) use super::simd128::permute;
/// The permutation on one state, or on packed ones, one a lane.
#[cfg(poseidon16 = "portable")]
#[allow(unused_imports)] // The field packs itself on targets without vectors.
pub(super) use plonky3::{permute, permute as permute_packed};

#[cfg(poseidon16 = "portable")]
mod plonky3 {
    use std::sync::LazyLock;

    use p3_koala_bear::{Poseidon1KoalaBear, default_koalabear_poseidon1_16};
    use p3_symmetric::Permutation;

    use crate::WIDTH;

    static PLONKY3: LazyLock<Poseidon1KoalaBear<WIDTH>> =
        LazyLock::new(default_koalabear_poseidon1_16);

    #[inline]
    pub fn permute<P: Clone>(state: &mut [P; WIDTH])
    where
        Poseidon1KoalaBear<WIDTH>: Permutation<[P; WIDTH]>,
    {
        PLONKY3.permute_mut(state);
    }
}
