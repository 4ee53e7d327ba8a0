//! Hashing of Merkle leaves and parents, sixteen at a time.

use p3_symmetric::{CryptographicHasher, PaddingFreeSponge};

use super::{Poseidon16, RATE, WIDTH};
use crate::field::{DIGEST, F};
use crate::for_packed_field;

/// Leaf hasher: the overwrite sponge of rate 8 for rows of one fixed width, Plonky3's
/// `PaddingFreeSponge<Poseidon16, 16, 8, 8>`, with many rows hashed at once.
///
/// It does not bind the length, so it must not hash messages whose length an adversary chooses:
/// [`Poseidon16::hash`] is for those.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Poseidon16LeafHasher;

const SPONGE: PaddingFreeSponge<Poseidon16, WIDTH, RATE, DIGEST> =
    PaddingFreeSponge::new(Poseidon16);

impl CryptographicHasher<F, [F; DIGEST]> for Poseidon16LeafHasher {
    const LANES: usize = sixteen::LANES;

    fn hash_iter<I: IntoIterator<Item = F>>(&self, input: I) -> [F; DIGEST] {
        SPONGE.hash_iter(input)
    }

    fn hash_many(&self, input: &[F], out: &mut [[F; DIGEST]]) {
        if out.is_empty() {
            return;
        }
        assert!(
            input.len().is_multiple_of(out.len()),
            "{} elements do not make {} rows of one width",
            input.len(),
            out.len()
        );
        let width = input.len() / out.len();
        if width == 0 {
            out.fill(self.hash_iter([]));
            return;
        }
        sixteen::hash_rows(input, width, out);
    }
}

#[allow(unused_macros)] // The field packs itself on targets without vectors.
macro_rules! implement_packed {
    ($packed:ty) => {
        impl CryptographicHasher<$packed, [$packed; DIGEST]> for Poseidon16LeafHasher {
            fn hash_iter<I: IntoIterator<Item = $packed>>(&self, input: I) -> [$packed; DIGEST] {
                SPONGE.hash_iter(input)
            }
        }
    };
}
for_packed_field!(implement_packed);

pub(super) use sixteen::{LANES, compress_pairs};

#[cfg(any(poseidon16 = "avx512ifma", poseidon16 = "avx512"))]
mod sixteen {
    use p3_field::PrimeCharacteristicRing;
    use p3_koala_bear::PackedKoalaBearAVX512 as Packed;
    use p3_symmetric::{CryptographicHasher, Permutation};

    use super::super::rows::{ROWS, pack, unpack};
    use super::{DIGEST, F, Poseidon16, RATE, SPONGE, WIDTH};

    /// Number of rows hashed at once.
    pub const LANES: usize = ROWS;

    /// Smallest number of rows that is hashed at once; fewer rows are hashed one by one.
    const FEWEST: usize = 3;

    /// Hashes rows of `width` elements, which must be at least one.
    pub fn hash_rows(input: &[F], width: usize, out: &mut [[F; DIGEST]]) {
        for (rows, digests) in input.chunks(ROWS * width).zip(out.chunks_mut(ROWS)) {
            if digests.len() < FEWEST {
                for (row, digest) in rows.chunks_exact(width).zip(digests) {
                    *digest = SPONGE.hash_slice(row);
                }
            } else {
                let hashed = hash_sixteen(rows, width, digests.len());
                digests.copy_from_slice(&hashed[..digests.len()]);
            }
        }
    }

    /// Hashes `count` rows, at most sixteen.
    fn hash_sixteen(rows: &[F], width: usize, count: usize) -> [[F; DIGEST]; ROWS] {
        // The remaining lanes repeat the first row.
        let row = |lane: usize| {
            let index = if lane < count { lane } else { 0 };
            &rows[index * width..][..width]
        };
        let mut state = [Packed::ZERO; WIDTH];
        let blocks: [&[[F; RATE]]; ROWS] = std::array::from_fn(|lane| row(lane).as_chunks().0);
        for block in (0..width / RATE).map(|i| blocks.map(|blocks| &blocks[i])) {
            state[..RATE].copy_from_slice(&pack(block));
            Poseidon16.permute_mut(&mut state);
        }
        let rest = width % RATE;
        if rest > 0 {
            let tails: [[F; RATE]; ROWS] = std::array::from_fn(|lane| {
                let mut tail = [F::ZERO; RATE];
                tail[..rest].copy_from_slice(&row(lane)[width - rest..]);
                tail
            });
            let packed = pack(tails.each_ref());
            // A last block that is partial overwrites only the lanes that it has elements for.
            state[..rest].copy_from_slice(&packed[..rest]);
            Poseidon16.permute_mut(&mut state);
        }
        unpack(&std::array::from_fn(|i| state[i]))
    }

    /// Compresses pairs of digests.
    pub fn compress_pairs(pairs: &[[[F; DIGEST]; 2]], out: &mut [[F; DIGEST]]) {
        for (pairs, parents) in pairs.chunks(ROWS).zip(out.chunks_mut(ROWS)) {
            if parents.len() < FEWEST {
                for (&[left, right], parent) in pairs.iter().zip(parents) {
                    *parent = Poseidon16.compress_pair(left, right);
                }
                continue;
            }
            let pair = |lane: usize| &pairs[if lane < pairs.len() { lane } else { 0 }];
            let left = pack(std::array::from_fn(|lane| &pair(lane)[0]));
            let right = pack(std::array::from_fn(|lane| &pair(lane)[1]));
            let mut state: [Packed; WIDTH] = std::array::from_fn(|i| {
                if i < DIGEST {
                    left[i]
                } else {
                    right[i - DIGEST]
                }
            });
            Poseidon16.permute_mut(&mut state);
            let digests = unpack(&std::array::from_fn(|i| state[i] + left[i]));
            parents.copy_from_slice(&digests[..parents.len()]);
        }
    }
}

/// Without AVX-512, rows are hashed one by one; Plonky3's trees then pack the rows themselves.
#[cfg(not(any(poseidon16 = "avx512ifma", poseidon16 = "avx512")))]
mod sixteen {
    use p3_symmetric::CryptographicHasher;

    use super::{DIGEST, F, Poseidon16, SPONGE};

    /// Number of rows hashed at once.
    pub const LANES: usize = 1;

    /// Hashes rows of `width` elements, which must be at least one.
    pub fn hash_rows(input: &[F], width: usize, out: &mut [[F; DIGEST]]) {
        for (row, digest) in input.chunks_exact(width).zip(out) {
            *digest = SPONGE.hash_slice(row);
        }
    }

    /// Compresses pairs of digests.
    pub fn compress_pairs(pairs: &[[[F; DIGEST]; 2]], out: &mut [[F; DIGEST]]) {
        for (&[left, right], parent) in pairs.iter().zip(out) {
            *parent = Poseidon16.compress_pair(left, right);
        }
    }
}

#[cfg(test)]
mod tests {
    use p3_field::PrimeCharacteristicRing;
    use p3_symmetric::PseudoCompressionFunction;
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    #[test]
    fn many_rows_hash_as_each_alone() {
        let mut rng = SmallRng::seed_from_u64(8);
        for width in (0..=33).chain([64, 100]) {
            for count in [1, 2, 3, 15, 16, 17, 35] {
                let rows: Vec<F> = (0..width * count).map(|_| rng.random()).collect();
                let mut digests = vec![[F::ONE; DIGEST]; count];
                Poseidon16LeafHasher.hash_many(&rows, &mut digests);
                for (i, digest) in digests.iter().enumerate() {
                    assert_eq!(*digest, SPONGE.hash_slice(&rows[i * width..][..width]));
                }
            }
        }
        Poseidon16LeafHasher.hash_many(&[F::ONE], &mut []);
    }

    #[test]
    fn many_pairs_compress_as_each_alone() {
        let mut rng = SmallRng::seed_from_u64(9);
        for count in [0, 1, 2, 3, 16, 17, 40] {
            let pairs: Vec<[[F; DIGEST]; 2]> = (0..count)
                .map(|_| std::array::from_fn(|_| std::array::from_fn(|_| rng.random())))
                .collect();
            let mut parents = vec![[F::ZERO; DIGEST]; count];
            Poseidon16.compress_many(&pairs, &mut parents);
            for (&[left, right], parent) in pairs.iter().zip(parents) {
                assert_eq!(parent, Poseidon16.compress_pair(left, right));
            }
        }
    }
}
