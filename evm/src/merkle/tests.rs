//! Compared with the native trees.

use std::collections::BTreeSet;

use droste_native::{F, HashSuite, KeccakSuite};
use p3_commit::Mmcs;
use p3_field::{PrimeCharacteristicRing, RawDataSerializable};
use p3_matrix::Dimensions;
use p3_matrix::dense::RowMajorMatrix;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::assembler::Code;
use crate::machine::{gas, return_words, run, words};

/// Where leaves are hashed, and where the list is.
const SCRATCH: u64 = 0x100;
const NODES: u64 = 0x1000;

/// Elements of a leaf.
const WIDTH: usize = 5;
const LEAF_BYTES: u64 = 4 * WIDTH as u64;

/// An opening of leaves with ascending indices: root, indices, leaves, digests.
#[derive(Clone)]
struct Opening {
    root: [u8; 32],
    indices: Vec<usize>,
    leaves: Vec<Vec<F>>,
    digests: Vec<[u8; 32]>,
}

impl Opening {
    fn new(depth: usize, indices: &[usize], seed: u64) -> Self {
        let mut rng = SmallRng::seed_from_u64(seed);
        let cells: Vec<F> = (0..WIDTH << depth).map(|_| rng.random()).collect();
        let mmcs = KeccakSuite::val_mmcs(0);
        let (cap, tree) = mmcs.commit(vec![RowMajorMatrix::new(cells, WIDTH)]);
        let (rows, proof) = mmcs.open_multi_batch(indices, &tree);
        let leaves = rows.into_iter().map(|mut row| row.remove(0)).collect();
        let digests = proof.sibling_hashes.clone();
        let opening = Self {
            root: cap.roots()[0],
            indices: indices.to_vec(),
            leaves,
            digests,
        };
        let dimensions = Dimensions {
            width: WIDTH,
            height: 1 << depth,
        };
        let checked =
            KeccakSuite::verify_rows(&mmcs, &cap, dimensions, indices, &opening.leaves, &proof);
        checked.unwrap();
        opening
    }

    /// The root, the indices as words, leaves, digests.
    fn data(&self) -> Vec<u8> {
        let indices = self.indices.iter().map(|&index| Word::from(index as u64));
        let mut data = self.root.to_vec();
        data.extend(indices.flat_map(Word::to_be_bytes));
        data.extend(F::into_byte_stream(self.leaves.iter().flatten().copied()));
        data.extend(self.digests.as_flattened());
        data
    }
}

fn statements(a: &mut Assembler, depth: usize, leaves: usize) -> Expr {
    let indices = DIGEST_BYTES;
    let start = indices + 32 * leaves as u64;
    a.bind("end", NODES);
    for leaf in 0..leaves as u64 {
        let index = Expr::from(indices + 32 * leaf).calldata();
        let place = start + LEAF_BYTES * leaf;
        append_leaf(a, "end", index, place.into(), LEAF_BYTES, SCRATCH);
    }
    let digests = start + LEAF_BYTES * leaves as u64;
    verified(
        var("end"),
        digests.into(),
        depth as u64,
        Expr::from(0).calldata(),
    )
}

/// A contract that returns the place behind the digests.
fn contract(depth: usize, leaves: usize) -> Code {
    let mut a = Assembler::new();
    define(&mut a, NODES);
    let end = statements(&mut a, depth, leaves);
    return_words(&mut a, [end]);
    a.assemble().unwrap()
}

fn random_indices(depth: usize, count: usize, rng: &mut SmallRng) -> Vec<usize> {
    let mut indices = BTreeSet::new();
    while indices.len() < count {
        indices.insert(rng.random_range(0..1 << depth));
    }
    indices.into_iter().collect()
}

#[test]
fn leaves_are_accepted_with_the_native_digests() {
    let mut rng = SmallRng::seed_from_u64(1);
    for (depth, count) in [(0, 1), (1, 1), (1, 2), (3, 8), (3, 3), (5, 7), (9, 20)] {
        for seed in 0..3 {
            let indices = random_indices(depth, count, &mut rng);
            let opening = Opening::new(depth, &indices, seed);
            let data = opening.data();
            let found = words(&contract(depth, count), &data);
            assert_eq!(found, Some(vec![Word::from(data.len() as u64)]));
        }
    }
}

fn without(digests: &[[u8; 32]], index: usize) -> Vec<[u8; 32]> {
    let (before, rest) = digests.split_at(index);
    [before, &rest[1..]].concat()
}

#[test]
fn changed_openings_are_refused() {
    let opening = Opening::new(5, &[0, 1, 6, 17, 30, 31], 9);
    let code = contract(5, opening.indices.len());
    let refused = |change: &dyn Fn(&mut Opening)| {
        let mut changed = opening.clone();
        change(&mut changed);
        assert_eq!(run(&code, &changed.data()), None);
    };
    assert!(run(&code, &opening.data()).is_some());
    refused(&|opening| opening.root[7] ^= 1);
    for leaf in 0..opening.leaves.len() {
        for element in 0..WIDTH {
            refused(&|opening| opening.leaves[leaf][element] += F::ONE);
        }
        refused(&|opening| opening.indices[leaf] ^= 1);
        refused(&|opening| opening.indices[leaf] ^= 8);
    }
    for digest in 0..opening.digests.len() {
        refused(&|opening| opening.digests[digest][31] ^= 1);
        refused(&|opening| opening.digests = without(&opening.digests, digest));
    }
    // Leaves for digests of inner nodes: the tree of a lower depth has another root.
    let lower = contract(4, opening.indices.len());
    assert_eq!(run(&lower, &opening.data()), None);
}

#[test]
fn gas_is_as_it_was() {
    let mut rng = SmallRng::seed_from_u64(2);
    let (depth, count) = (12, 32);
    let indices = random_indices(depth, count, &mut rng);
    let opening = Opening::new(depth, &indices, 3);
    // Every node of the tree is hashed once that has a leaf below it.
    let hashes: usize = (1..=depth)
        .map(|level| {
            let nodes: BTreeSet<usize> = indices.iter().map(|index| index >> level).collect();
            nodes.len()
        })
        .sum();
    let all = |a: &mut Assembler| {
        let place = statements(a, depth, count);
        a.push(place);
    };
    let leaves = |a: &mut Assembler| {
        statements(a, depth, count);
    };
    let setup = |a: &mut Assembler| define(a, NODES);
    let data = opening.data();
    let (all, leaves) = (gas(setup, all, &data), gas(setup, leaves, &data));
    let found = [
        ("leaf", leaves / count as u64),
        ("hash", (all - leaves) / hashes as u64),
    ];
    assert_eq!(found, [("leaf", 115), ("hash", 248)]);
}
