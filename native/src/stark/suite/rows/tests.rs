use p3_commit::Mmcs;
use p3_field::PrimeCharacteristicRing;
use p3_matrix::dense::RowMajorMatrix;
use p3_merkle_tree::{MerkleTreeError, PrunedMerklePaths};
use p3_symmetric::SerializingHasher;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::super::{Commitment, HashSuite, SuiteCap};
use super::*;
use crate::hash::blake3::Blake3;
use crate::hash::keccak::Keccak256;
use crate::hash::poseidon2;
use crate::hash::poseidon16::{Poseidon16, Poseidon16LeafHasher};
use crate::{Blake3Suite, KeccakSuite, Poseidon2Suite, Poseidon16Suite};

/// A random matrix.
fn matrix(rng: &mut SmallRng, height: usize, width: usize) -> RowMajorMatrix<F> {
    let cells = (0..height * width).map(|_| rng.random());
    RowMajorMatrix::new(cells.collect(), width)
}

/// Opened rows, and what proves them.
#[derive(Clone)]
struct Opened<D> {
    indices: Vec<usize>,
    rows: Vec<Vec<F>>,
    siblings: Vec<D>,
    dimensions: Dimensions,
    cap: Vec<D>,
}

impl<D: Copy> Opened<D> {
    /// Openings with one thing changed, where `other` returns another digest. Of whether it says,
    /// whether each is another opening for certain.
    fn changed(&self, rng: &mut SmallRng, other: fn(D) -> D) -> Vec<(Self, bool)> {
        let mut all = vec![];
        let mut add = |is_false: bool, change: &mut dyn FnMut(&mut Self)| {
            let mut changed = self.clone();
            change(&mut changed);
            all.push((changed, is_false));
        };
        for at in 0..self.siblings.len() {
            add(true, &mut |one| one.siblings[at] = other(one.siblings[at]));
            add(true, &mut |one| {
                one.siblings.remove(at);
            });
            add(true, &mut |one| one.siblings.insert(at, one.siblings[at]));
            add(false, &mut |one| one.siblings.swap(0, at));
        }
        add(true, &mut |one| one.siblings.push(one.cap[0]));
        for query in 0..self.rows.len() {
            let column = rng.random_range(0..self.dimensions.width);
            add(true, &mut |one| one.rows[query][column] += F::ONE);
            add(true, &mut |one| one.rows[query].push(F::ZERO));
            add(true, &mut |one| {
                one.rows[query].pop();
            });
            add(false, &mut |one| one.rows.swap(0, query));
            let index = rng.random_range(0..2 * self.dimensions.height);
            add(false, &mut |one| one.indices[query] = index);
            add(false, &mut |one| one.indices[query] ^= 1);
            add(true, &mut |one| {
                one.indices.remove(query);
            });
            add(true, &mut |one| {
                one.rows.remove(query);
            });
            // The query is made again, or not at all.
            add(false, &mut |one| {
                one.indices.push(one.indices[query]);
                one.rows.push(one.rows[query].clone());
            });
            add(false, &mut |one| {
                one.indices.remove(query);
                one.rows.remove(query);
            });
        }
        for at in 0..self.cap.len() {
            add(false, &mut |one| one.cap[at] = other(one.cap[at]));
        }
        add(false, &mut |one| one.dimensions.width += 1);
        add(false, &mut |one| one.dimensions.height *= 2);
        add(false, &mut |one| one.dimensions.height /= 2);
        all
    }
}

/// The verdict is Plonky3's on random trees, repeated indices, and everything that can be changed.
macro_rules! verdicts_are_plonky3s {
    ($name:ident: $suite:ty, $leaf:expr, $parent:expr, $other:expr) => {
        #[test]
        fn $name() {
            let mut rng = SmallRng::seed_from_u64(16);
            for (log_height, width) in [(0, 1), (1, 9), (3, 16), (6, 21)] {
                for (cap_height, queries) in [(0, 0), (0, 1), (0, 20), (1, 5), (2, 3), (7, 4)] {
                    let mmcs = <$suite>::val_mmcs(cap_height);
                    let height = 1 << log_height;
                    let matrix = matrix(&mut rng, height, width);
                    let (cap, tree) = <$suite>::commit_rows(&mmcs, matrix);
                    let indices = (0..queries).map(|_| rng.random_range(0..height));
                    let indices: Vec<usize> = indices.collect();
                    let (rows, proof) = <$suite>::open_rows(&mmcs, &indices, &tree);
                    let honest = Opened {
                        indices,
                        rows,
                        siblings: proof.sibling_hashes,
                        dimensions: Dimensions { width, height },
                        cap: cap.digests().to_vec(),
                    };
                    let accepts = |opened: &Opened<_>| {
                        let Opened {
                            indices,
                            rows,
                            siblings,
                            dimensions,
                            cap,
                        } = opened;
                        let committed = CommittedRows {
                            dimensions: *dimensions,
                            cap,
                            cap_height,
                        };
                        let found = committed.are(&$leaf, &$parent, indices, rows, siblings);
                        let cap: Commitment<$suite> = SuiteCap::from_digests(cap.clone());
                        let proof = PrunedMerklePaths {
                            sibling_hashes: siblings.clone(),
                        };
                        let slices = rows.iter().map(|row| vec![row.as_slice()]);
                        let slices: Vec<Vec<&[F]>> = slices.collect();
                        let expected =
                            mmcs.verify_multi_batch(&cap, &[*dimensions], indices, &slices, &proof);
                        assert_eq!(found, expected.is_ok(), "{expected:?}");
                        let verdict =
                            <$suite>::verify_rows(&mmcs, &cap, *dimensions, indices, rows, &proof);
                        assert_eq!(format!("{verdict:?}"), format!("{expected:?}"));
                        found
                    };
                    assert!(accepts(&honest), "2^{log_height}, {cap_height}, {queries}");
                    for (changed, is_false) in honest.changed(&mut rng, $other) {
                        assert!(!(accepts(&changed) && is_false));
                    }
                }
            }
        }
    };
}

verdicts_are_plonky3s! {
    verdicts_in_poseidon16_are_plonky3s:
    Poseidon16Suite, Poseidon16LeafHasher, Poseidon16, |digest: [F; 8]| digest.map(|x| x + F::ONE)
}

verdicts_are_plonky3s! {
    verdicts_in_poseidon2_are_plonky3s:
    Poseidon2Suite, poseidon2::leaf_hasher(), poseidon2::compression(),
    |digest: [F; 8]| digest.map(|x| x + F::ONE)
}

verdicts_are_plonky3s! {
    verdicts_in_blake3_are_plonky3s:
    Blake3Suite, SerializingHasher::new(Blake3), Blake3, |digest: [u8; 32]| digest.map(|x| !x)
}

verdicts_are_plonky3s! {
    verdicts_in_keccak_are_plonky3s:
    KeccakSuite, SerializingHasher::new(Keccak256), Keccak256, |digest: [u8; 32]| digest.map(|x| !x)
}

/// Rows that disagree are refused also where the first and the last of them are the same.
#[test]
fn repeated_leaves_must_agree() {
    let mmcs = Poseidon16Suite::val_mmcs(0);
    let matrix = matrix(&mut SmallRng::seed_from_u64(17), 4, 3);
    let dimensions = Dimensions {
        width: 3,
        height: 4,
    };
    let (cap, tree) = Poseidon16Suite::commit_rows(&mmcs, matrix);
    let (mut rows, proof) = Poseidon16Suite::open_rows(&mmcs, &[2, 2, 2], &tree);
    let verify = |rows: &[Vec<F>]| {
        Poseidon16Suite::verify_rows(&mmcs, &cap, dimensions, &[2, 2, 2], rows, &proof)
    };
    verify(&rows).unwrap();
    rows[1][0] += F::ONE;
    let refused = verify(&rows).unwrap_err();
    assert!(matches!(refused, MerkleTreeError::MalformedPrunedProof(_)));
}

/// Trees of other heights are verified by Plonky3.
#[test]
fn heights_that_are_no_powers_of_two_are_left_to_plonky3() {
    let mmcs = Poseidon16Suite::val_mmcs(1);
    let (width, height) = (3, 5);
    let matrix = matrix(&mut SmallRng::seed_from_u64(18), height, width);
    let dimensions = Dimensions { width, height };
    let (cap, tree) = Poseidon16Suite::commit_rows(&mmcs, matrix);
    let indices = [0, 4, 1];
    let (rows, proof) = Poseidon16Suite::open_rows(&mmcs, &indices, &tree);
    let committed = CommittedRows {
        dimensions,
        cap: cap.digests(),
        cap_height: 1,
    };
    let (leaf, parent, siblings) = (Poseidon16LeafHasher, Poseidon16, &proof.sibling_hashes);
    assert!(!committed.are(&leaf, &parent, &indices, &rows, siblings));
    let verdict = Poseidon16Suite::verify_rows(&mmcs, &cap, dimensions, &indices, &rows, &proof);
    verdict.unwrap();
}
