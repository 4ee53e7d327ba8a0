//! Poseidon2 over KoalaBear (ePrint 2023/323), at widths 16 and 24: Plonky3's instances, with the
//! round constants that it has as defaults.
//!
//! Plonky3's examples commit with the same widths and modes (`prove_prime_field_31`), but they draw
//! their round constants from a random generator (`Poseidon2KoalaBear::new_from_rng_128`). So their
//! digests are others. [`Constants`] are for them.
//!
//! A leaf is the overwrite sponge of width 24 and rate 16, a parent the first 8 elements of the
//! permutation of width 16. The parent has no feed-forward, so it is no hash by itself: inverting
//! the permutation on a digest and any other 8 elements gives two children of that digest. It is
//! for trees of fixed depth over leaves that are hashed otherwise. The siblings of an opened path
//! are free, so an attacker can invert downwards from a digest as often as he likes, and needs one
//! of the nodes that he gets at the leaves' level to be the hash of a row: he meets it in the
//! middle after about 2^124 inversions and as many rows. With a feed-forward, as in Poseidon-16,
//! another row for a given digest takes 2^248; collisions take 2^124 in both.
//!
//! What is known of its cryptanalysis is in `docs/hashes.md`.

mod constants;

use std::sync::LazyLock;

use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_koala_bear::{
    KOALABEAR_POSEIDON2_HALF_FULL_ROUNDS, KOALABEAR_POSEIDON2_PARTIAL_ROUNDS_16,
    KOALABEAR_POSEIDON2_PARTIAL_ROUNDS_24, Poseidon2KoalaBear, default_koalabear_poseidon2_16,
    default_koalabear_poseidon2_24,
};
use p3_symmetric::{
    CryptographicHasher, CryptographicPermutation, PaddingFreeSponge, Permutation,
    PseudoCompressionFunction, TruncatedPermutation,
};

pub use constants::{Constants, Poseidon2With};

use super::poseidon16::{BYTES_PER_ELEMENT, BYTES_TAG};
use crate::field::{DIGEST, F};

/// Width of the permutation that makes parents.
pub const PARENT_WIDTH: usize = 16;

/// Width of the permutation of leaves and transcripts.
pub const SPONGE_WIDTH: usize = 24;

/// Elements that the sponge absorbs per permutation.
pub const RATE: usize = 16;

/// Number of full rounds before and after the partial rounds, at both widths.
pub const HALF_FULL_ROUNDS: usize = KOALABEAR_POSEIDON2_HALF_FULL_ROUNDS;

/// Number of partial rounds of the permutation of width 16.
pub const PARENT_PARTIAL_ROUNDS: usize = KOALABEAR_POSEIDON2_PARTIAL_ROUNDS_16;

/// Number of partial rounds of the permutation of width 24.
pub const SPONGE_PARTIAL_ROUNDS: usize = KOALABEAR_POSEIDON2_PARTIAL_ROUNDS_24;

/// The Poseidon2 permutation of `WIDTH` elements, 16 or 24. A zero-size handle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Poseidon2<const WIDTH: usize>;

/// Leaf hasher: the overwrite sponge of rate 16, for rows of one fixed width.
///
/// It does not bind the length, so it must not hash messages whose length an adversary chooses.
pub type Poseidon2LeafHasher =
    PaddingFreeSponge<Poseidon2<SPONGE_WIDTH>, SPONGE_WIDTH, RATE, DIGEST>;

/// The parent of two digests.
pub type Poseidon2Compression =
    TruncatedPermutation<Poseidon2<PARENT_WIDTH>, 2, DIGEST, PARENT_WIDTH>;

/// Returns a [`Poseidon2LeafHasher`].
pub const fn leaf_hasher() -> Poseidon2LeafHasher {
    PaddingFreeSponge::new(Poseidon2)
}

/// Returns a [`Poseidon2Compression`].
pub const fn compression() -> Poseidon2Compression {
    TruncatedPermutation::new(Poseidon2)
}

/// Returns the permutation of width 16 of a state.
pub fn permute_parent(state: [F; PARENT_WIDTH]) -> [F; PARENT_WIDTH] {
    Poseidon2.permute(state)
}

/// Returns the permutation of width 24 of a state.
pub fn permute_sponge(state: [F; SPONGE_WIDTH]) -> [F; SPONGE_WIDTH] {
    Poseidon2.permute(state)
}

/// Returns the parent of two digests.
pub fn compress_pair(left: [F; DIGEST], right: [F; DIGEST]) -> [F; DIGEST] {
    compression().compress([left, right])
}

/// Returns the digest of a row.
pub fn hash_row(row: &[F]) -> [F; DIGEST] {
    leaf_hasher().hash_slice(row)
}

/// Returns the hash of bytes, as `droste hash poseidon2` prints it.
///
/// Bytes become elements, and the digest becomes bytes, as in
/// [`Poseidon16::hash_bytes`](super::poseidon16::Poseidon16::hash_bytes), under the same tag. The
/// sponge of rate 16 overwrites its rate with blocks of 16 elements, of which the last is filled up
/// with zeros; its capacity begins with the tag and the number of bytes, so padding is injective.
pub fn hash_bytes(bytes: &[u8]) -> [u8; 4 * DIGEST] {
    let (low, high) = (bytes.len() & 0x3fff_ffff, bytes.len() >> 30);
    let start = [BYTES_TAG, F::from_usize(low), F::from_usize(high)];
    let mut state = [F::ZERO; SPONGE_WIDTH];
    let capacity = state.iter_mut().skip(RATE);
    capacity.zip(start).for_each(|(lane, x)| *lane = x);
    let mut absorb = |block: &[u8]| {
        let words = block.chunks(BYTES_PER_ELEMENT).map(|bytes| {
            let word = bytes.iter().rev();
            F::from_u32(word.fold(0, |word, &byte| word << 8 | u32::from(byte)))
        });
        let rate = state.iter_mut().take(RATE);
        rate.zip(words.chain(std::iter::repeat(F::ZERO)))
            .for_each(|(lane, x)| *lane = x);
        Poseidon2.permute_mut(&mut state);
    };
    if bytes.is_empty() {
        absorb(&[]);
    }
    bytes.chunks(RATE * BYTES_PER_ELEMENT).for_each(&mut absorb);
    let mut output = [0; 4 * DIGEST];
    for (bytes, element) in output.chunks_exact_mut(4).zip(state) {
        bytes.copy_from_slice(&element.as_canonical_u32().to_le_bytes());
    }
    output
}

/// Plonky3's permutations.
struct Plonky3 {
    parent: Poseidon2KoalaBear<PARENT_WIDTH>,
    sponge: Poseidon2KoalaBear<SPONGE_WIDTH>,
}

fn plonky3() -> &'static Plonky3 {
    static PLONKY3: LazyLock<Plonky3> = LazyLock::new(|| Plonky3 {
        parent: default_koalabear_poseidon2_16(),
        sponge: default_koalabear_poseidon2_24(),
    });
    &PLONKY3
}

macro_rules! implement {
    ($element:ty, $width:expr, $permutation:ident) => {
        impl Permutation<[$element; $width]> for Poseidon2<$width> {
            fn permute_mut(&self, state: &mut [$element; $width]) {
                plonky3().$permutation.permute_mut(state);
            }
        }

        impl CryptographicPermutation<[$element; $width]> for Poseidon2<$width> {}
    };
}
implement!(F, PARENT_WIDTH, parent);
implement!(F, SPONGE_WIDTH, sponge);

#[allow(unused_macros)] // The field packs itself on targets without vectors.
macro_rules! implement_packed {
    ($packed:ty) => {
        implement!($packed, PARENT_WIDTH, parent);
        implement!($packed, SPONGE_WIDTH, sponge);
    };
}
crate::field::for_packed_field!(implement_packed);

#[cfg(test)]
mod tests {
    use p3_commit::Mmcs;
    use p3_field::Field;
    use p3_matrix::dense::RowMajorMatrix;
    use p3_merkle_tree::MerkleTreeMmcs;

    use super::*;

    type Packed = <F as Field>::Packing;

    #[test]
    fn trees_are_those_of_the_functions() {
        let (height, width) = (4, 21);
        let values: Vec<F> = (0..height * width).map(F::from_usize).collect();
        let row = |i: usize| hash_row(&values[i * width..][..width]);
        let root = compress_pair(compress_pair(row(0), row(1)), compress_pair(row(2), row(3)));
        type Tree =
            MerkleTreeMmcs<Packed, Packed, Poseidon2LeafHasher, Poseidon2Compression, 2, DIGEST>;
        let tree = Tree::new(leaf_hasher(), compression(), 0);
        let (commitment, _) = tree.commit_matrix(RowMajorMatrix::new(values.clone(), width));
        assert_eq!(commitment.roots(), [root]);
    }

    #[test]
    fn lengths_of_bytes_are_bound() {
        let mut digests: Vec<_> = (0..=100).map(|n| hash_bytes(&vec![0; n])).collect();
        digests.sort_unstable();
        digests.dedup();
        assert_eq!(digests.len(), 101);
        // One block: the state is the elements, the tag and the length.
        let mut state = [F::ZERO; SPONGE_WIDTH];
        (state[0], state[1]) = (F::from_u32(0x030201), F::from_u32(4));
        (state[RATE], state[RATE + 1]) = (BYTES_TAG, F::from_u32(4));
        let digest = Poseidon2.permute(state)[0].as_canonical_u32();
        assert_eq!(hash_bytes(&[1, 2, 3, 4])[..4], digest.to_le_bytes());
    }
}
