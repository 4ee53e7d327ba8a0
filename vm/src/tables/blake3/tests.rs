use droste_air::blake3::Blake3Table;
use droste_air::test_utils::{Harness, Rows, Table as Traced, constraint_degree, largest_message};
use droste_native::F;
use droste_native::precompile::{blake3_chunk, blake3_merkle, blake3_parent};
use p3_field::PrimeCharacteristicRing;

use super::{Blake3CallTable, Blake3Cols};
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

    fn chunk(&mut self, a: u32, words: u32, counter: u32, root: bool) {
        let digest =
            blake3_chunk(&self.blocks[a as usize..], words as usize, counter, root).unwrap();
        let c = self.push(digest);
        let b = 2 * counter + u32::from(root);
        self.calls.push((id::BLAKE3_CHUNK, [a, b, c, 0, words]));
    }

    fn parent(&mut self, a: u32, b: u32, root: bool) {
        let c = self.push(blake3_parent(&self.digest(a), &self.digest(b), root).unwrap());
        self.calls
            .push((id::BLAKE3_PARENT, [a, b, c, 0, u32::from(root)]));
    }

    fn merkle(&mut self, leaf: u32, index: u32, siblings: u32, depth: u32) {
        let path: Vec<_> = (0..depth).map(|i| self.digest(siblings + 2 * i)).collect();
        let d = self.push(blake3_merkle(&self.digest(leaf), index, &path).unwrap());
        self.calls
            .push((id::BLAKE3_MERKLE, [leaf, index, siblings, d, depth]));
    }

    fn execution(&self) -> Execution {
        execution(self.blocks.clone(), &self.calls)
    }
}

fn assert_accepts(run: &Run) {
    let execution = run.execution();
    let (trace, uses) = generate(&Blake3CallTable, &execution, None);
    let (compressions, _) = generate(&Blake3Table, &execution, None);
    let core = Traced::new("blake3", &Blake3Table, compressions);
    assert_serves(&Blake3CallTable, trace, vec![core], &execution, &uses);
}

#[test]
fn width_and_degree() {
    assert_eq!(Blake3Cols::<u8>::WIDTH, 9 + 2 + 16 + 32 + 16 + 1 + 16);
    assert_eq!(constraint_degree(&Blake3CallTable), 3);
    assert!(largest_message::<F, _>(&Blake3CallTable, 50_000) < 1000);
}

#[test]
fn chunks_agree_with_the_reference() {
    let mut run = Run::new();
    for words in [1, 2, 15, 16, 17, 31, 32, 33, 100] {
        run.chunk(3, words, 0, true);
        run.chunk(5, words, 7 + words, false);
    }
    run.chunk(0, 256, 0, false);
    run.chunk(0, 255, 65_535, false);
    assert_accepts(&run);
}

#[test]
fn a_root_chunk_is_the_hash_of_its_bytes() {
    let mut run = Run::new();
    run.chunk(0, 40, 0, true);
    let c = run.calls[0].1[2] as usize;
    let bytes: Vec<u8> = run.blocks[..10]
        .as_flattened()
        .iter()
        .flat_map(|limb| {
            use p3_field::PrimeField32;
            (limb.as_canonical_u32() as u16).to_le_bytes()
        })
        .collect();
    let expected = droste_native::precompile::digest_to_limbs(*blake3::hash(&bytes).as_bytes());
    assert_eq!(run.blocks[c..c + 2], expected);
    assert_accepts(&run);
}

#[test]
fn parents_and_paths_agree_with_the_reference() {
    let mut run = Run::new();
    run.parent(2, 9, false);
    run.parent(9, 2, true);
    for (index, depth) in [(0, 1), (1, 1), (2, 2), (5, 3), (0b10_1101, 6)] {
        run.merkle(1, index, 20, depth);
    }
    assert_accepts(&run);
}

#[test]
fn a_full_table_is_accepted() {
    let mut run = Run::new();
    run.chunk(0, 64, 0, true);
    run.merkle(1, 9, 20, 4);
    assert_accepts(&run);
}

/// A run with every mode, a partial block and paths of both directions.
fn mixed() -> Run {
    let mut run = Run::new();
    run.chunk(3, 37, 3, false);
    run.chunk(9, 6, 0, true);
    run.parent(2, 9, true);
    run.merkle(1, 0b0110, 20, 4);
    run
}

#[test]
fn every_cell_is_constrained() {
    let execution = mixed().execution();
    let (trace, _) = generate(&Blake3CallTable, &execution, None);
    let table = Traced::new("calls", &Blake3CallTable, trace).names(Blake3Cols::<u8>::names());
    let mut harness = Harness::new(vec![table])
        .open_bus("call")
        .open_bus("block")
        .open_bus("blake3");
    for column in [
        "chain.low_address",
        "chain.high_address",
        "chain.out_address",
        "chain.remaining",
        "chain.index",
        "is_root",
        "output",
    ] {
        harness = harness.free_on_padding("calls", column, "no message on padding");
    }
    // Chunk of three rows, chunk of one, parent, path of four rows, padding.
    harness
        .mutate("calls", &Rows::listed((0..16).collect(), 9))
        .expect_caught();
}

#[test]
fn the_index_must_be_used_up() {
    // An index one bit longer than the path.
    let mut execution = mixed().execution();
    execution.calls[id::BLAKE3_MERKLE as usize][0].b += F::from_u32(16);
    let (trace, _) = generate(&Blake3CallTable, &execution, None);
    let table = Traced::new("calls", &Blake3CallTable, trace);
    assert!(Harness::new(vec![table]).messages().is_err());
}
