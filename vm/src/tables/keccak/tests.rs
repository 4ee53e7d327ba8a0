use droste_air::keccak::KeccakTable;
use droste_air::test_utils::{Harness, Rows, Table as Traced, constraint_degree, largest_message};
use droste_native::F;
use droste_native::precompile::{digest_to_limbs, keccak_hash, keccak_merkle};
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use sha3::{Digest, Keccak256};

use super::{KeccakCallTable, KeccakCols};
use crate::isa::id;
use crate::record::Execution;
use crate::tables::LANES;
use crate::tables::run_testing::{assert_serves, generate};
use crate::tables::testing::execution;

/// Data in blocks 0 to 63, results after it.
struct Run {
    blocks: Vec<[F; LANES]>,
    calls: Vec<(u32, [u32; 5])>,
}

impl Run {
    fn new() -> Self {
        let limb = |i: u32| F::from_u32(i.wrapping_mul(2_654_435_761) >> 16);
        Self {
            blocks: (0..64)
                .map(|block| std::array::from_fn(|lane| limb(8 * block + lane as u32 + 1)))
                .collect(),
            calls: Vec::new(),
        }
    }

    fn push(&mut self, digest: [[F; LANES]; 2]) -> u32 {
        self.blocks.extend(digest);
        self.blocks.len() as u32 - 2
    }

    fn digest(&self, address: u32) -> [[F; LANES]; 2] {
        [
            self.blocks[address as usize],
            self.blocks[address as usize + 1],
        ]
    }

    fn hash(&mut self, a: u32, words: u32) {
        let c = self.push(keccak_hash(&self.blocks[a as usize..], words as usize).unwrap());
        self.calls.push((id::KECCAK_HASH, [a, 0, c, 0, words]));
    }

    fn merkle(&mut self, leaf: u32, index: u32, siblings: u32, depth: u32) {
        let path: Vec<_> = (0..depth).map(|i| self.digest(siblings + 2 * i)).collect();
        let d = self.push(keccak_merkle(&self.digest(leaf), index, &path).unwrap());
        self.calls
            .push((id::KECCAK_MERKLE, [leaf, index, siblings, d, depth]));
    }

    fn execution(&self) -> Execution {
        execution(self.blocks.clone(), &self.calls)
    }
}

fn assert_accepts(run: &Run) {
    let execution = run.execution();
    let (trace, uses) = generate(&KeccakCallTable, &execution, None);
    let (permutations, _) = generate(&KeccakTable, &execution, None);
    let core = Traced::new("keccak", &KeccakTable, permutations);
    assert_serves(&KeccakCallTable, trace, vec![core], &execution, &uses);
}

#[test]
fn width_and_degree() {
    assert_eq!(
        KeccakCols::<u8>::WIDTH,
        9 + 34 + 72 + 2 * 68 * 16 + 32 + 100
    );
    assert_eq!(constraint_degree(&KeccakCallTable), 3);
    assert!(largest_message::<F, _>(&KeccakCallTable, 50_000) < 20000);
}

#[test]
fn hashes_agree_with_the_reference() {
    let mut run = Run::new();
    for words in [1, 2, 4, 16, 31, 32, 33, 34, 35, 67, 68, 69] {
        run.hash(3, words);
    }
    assert_accepts(&run);
}

#[test]
fn a_hash_is_keccak_256_of_its_bytes() {
    let mut run = Run::new();
    run.hash(0, 30);
    let c = run.calls[0].1[2] as usize;
    let limbs = &run.blocks[..8].as_flattened()[..60];
    let bytes: Vec<u8> = limbs
        .iter()
        .flat_map(|limb| (limb.as_canonical_u32() as u16).to_le_bytes())
        .collect();
    let expected = digest_to_limbs(Keccak256::digest(&bytes).into());
    assert_eq!(run.blocks[c..c + 2], expected);
    assert_accepts(&run);
}

#[test]
fn paths_agree_with_the_reference() {
    let mut run = Run::new();
    for (index, depth) in [(0, 1), (1, 1), (2, 2), (5, 3), (0b10_1101, 6)] {
        run.merkle(1, index, 20, depth);
    }
    assert_accepts(&run);
}

#[test]
fn a_full_table_is_accepted() {
    let mut run = Run::new();
    run.hash(0, 34);
    run.merkle(1, 2, 20, 2);
    assert_accepts(&run);
}

/// A run with a hash of three rows, one of one row, and a path in both directions.
fn mixed() -> Run {
    let mut run = Run::new();
    run.hash(3, 75);
    run.hash(9, 6);
    run.merkle(1, 0b010, 20, 3);
    run
}

#[test]
fn every_cell_is_constrained() {
    let execution = mixed().execution();
    let (trace, _) = generate(&KeccakCallTable, &execution, Some(4));
    let table = Traced::new("calls", &KeccakCallTable, trace).names(KeccakCols::<u8>::names());
    let mut harness = Harness::new(vec![table])
        .open_bus("call")
        .open_bus("block")
        .open_bus("keccak_f");
    for column in [
        "chain.low_address",
        "chain.high_address",
        "chain.out_address",
        "chain.remaining",
        "chain.index",
        "block.output",
    ] {
        harness = harness.free_on_padding("calls", column, "no message on padding");
    }
    // First, middle and last row of a hash, a hash of one row, a path, padding.
    harness
        .mutate("calls", &Rows::listed(vec![0, 1, 2, 3, 4, 5, 6, 7, 15], 7))
        .expect_caught();
}

#[test]
fn the_index_must_be_used_up() {
    // An index one bit longer than the path.
    let mut execution = mixed().execution();
    execution.calls[id::KECCAK_MERKLE as usize][0].b += F::from_u32(8);
    let (trace, _) = generate(&KeccakCallTable, &execution, None);
    let table = Traced::new("calls", &KeccakCallTable, trace);
    assert!(Harness::new(vec![table]).messages().is_err());
}
