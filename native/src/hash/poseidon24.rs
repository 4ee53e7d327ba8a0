//! Poseidon at width 24: rate 16, capacity 8. A native leaf hasher.
//!
//! This is the secure way to absorb more than 8 elements per permutation: the capacity remains 8
//! elements, 124 bits against collisions. The instance and its code are Plonky3's
//! `default_koalabear_poseidon1_24` (`x^3`, 8 full and 23 partial rounds).
//!
//! It is kept for measurement, since it saves no time. It takes half as many permutations, but each
//! of them multiplies by a matrix of 24 by 24 entries of 31 bits: a leaf of 64 elements takes 2.7
//! times as long as with the IFMA kernel of Poseidon-16 at rate 8. In-circuit it would need a
//! second table, which every query would open.

use std::sync::LazyLock;

use p3_koala_bear::{Poseidon1KoalaBear, default_koalabear_poseidon1_24};
use p3_symmetric::{CryptographicPermutation, PaddingFreeSponge, Permutation};

use crate::field::{DIGEST, F};

/// State width, in field elements.
pub const WIDTH: usize = 24;

/// Sponge rate: elements absorbed per permutation.
pub const RATE: usize = 16;

/// The Poseidon permutation of width 24. A zero-size handle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Poseidon24;

/// Leaf hasher: the overwrite sponge of rate 16, for rows of one fixed width.
pub type Poseidon24LeafHasher = PaddingFreeSponge<Poseidon24, WIDTH, RATE, DIGEST>;

/// Returns a [`Poseidon24LeafHasher`].
pub const fn leaf_hasher() -> Poseidon24LeafHasher {
    PaddingFreeSponge::new(Poseidon24)
}

fn plonky3() -> &'static Poseidon1KoalaBear<WIDTH> {
    static PLONKY3: LazyLock<Poseidon1KoalaBear<WIDTH>> =
        LazyLock::new(default_koalabear_poseidon1_24);
    &PLONKY3
}

impl Permutation<[F; WIDTH]> for Poseidon24 {
    fn permute_mut(&self, state: &mut [F; WIDTH]) {
        plonky3().permute_mut(state);
    }
}

impl CryptographicPermutation<[F; WIDTH]> for Poseidon24 {}

#[allow(unused_macros)] // The field packs itself on targets without vectors.
macro_rules! implement_packed {
    ($packed:ty) => {
        impl Permutation<[$packed; WIDTH]> for Poseidon24 {
            fn permute_mut(&self, state: &mut [$packed; WIDTH]) {
                plonky3().permute_mut(state);
            }
        }

        impl CryptographicPermutation<[$packed; WIDTH]> for Poseidon24 {}
    };
}
crate::field::for_packed_field!(implement_packed);

#[cfg(test)]
mod tests {
    use p3_commit::Mmcs;
    use p3_field::{Field, PackedValue, PrimeCharacteristicRing};
    use p3_matrix::dense::RowMajorMatrix;
    use p3_merkle_tree::MerkleTreeMmcs;
    use p3_symmetric::CryptographicHasher;

    use super::*;
    use crate::hash::poseidon16::Poseidon16;

    type Packed = <F as Field>::Packing;

    #[test]
    fn published_vector() {
        let output = Poseidon24.permute(std::array::from_fn(F::from_usize));
        let start = [511672087, 215882318, 237782537, 740528428].map(F::new);
        assert_eq!(output[..4], start);
        assert_eq!(output[23], F::new(433841551));
    }

    #[test]
    fn leaves_are_the_same_packed_and_alone() {
        let (height, width) = (2 * Packed::WIDTH, 37);
        let values: Vec<F> = (0..height * width).map(F::from_usize).collect();
        let hasher = leaf_hasher();
        for first in (0..height).step_by(Packed::WIDTH) {
            let packed: [Packed; DIGEST] = hasher.hash_iter(
                (0..width)
                    .map(|column| Packed::from_fn(|lane| values[(first + lane) * width + column])),
            );
            for lane in 0..Packed::WIDTH {
                let row = &values[(first + lane) * width..][..width];
                let alone: [F; DIGEST] = hasher.hash_slice(row);
                assert!((0..DIGEST).all(|i| packed[i].as_slice()[lane] == alone[i]));
            }
        }
        type Tree = MerkleTreeMmcs<Packed, Packed, Poseidon24LeafHasher, Poseidon16, 2, DIGEST>;
        let tree = Tree::new(hasher, Poseidon16, 0);
        tree.commit_matrix(RowMajorMatrix::new(values, width));
    }
}
