use droste_air::keccak::sponge::{RATE, output};
use droste_air::test_utils::{Rows, constraint_degree, largest_message};
use droste_native::F;
use droste_native::precompile::{digest_to_limbs, keccak_hash, keccak_merkle};
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use sha3::{Digest, Keccak256};

use super::columns::WORDS;
use super::{KeccakCallCols, KeccakCallTable, KeccakTable};
use crate::isa::id;
use crate::record::Execution;
use crate::tables::digest_chain::{DIGEST_LIMBS, DigestChainCols, word};
use crate::tables::testing::digests::{self, DigestTable, keccak_state as state};
use crate::tables::testing::{self, Block, Tested, assert_no_cell_changes};

impl Tested for KeccakCallTable {
    fn data() -> Vec<Block> {
        digests::data()
    }

    fn recompute(rows: &mut [&mut KeccakCallCols<F>], execution: &mut Execution) {
        digests::follow::<Self>(rows, execution, true);
    }
}

impl DigestTable for KeccakCallTable {
    const HASH: u32 = id::KECCAK_HASH;
    const MERKLE: u32 = id::KECCAK_MERKLE;
    const ROW_WORDS: usize = WORDS;

    fn hash(blocks: &[Block], words: usize) -> [Block; 2] {
        keccak_hash(blocks, words).unwrap()
    }

    fn merkle(leaf: &[Block; 2], index: u32, path: &[[Block; 2]]) -> [Block; 2] {
        keccak_merkle(leaf, index, path).unwrap()
    }

    fn chain(row: &mut KeccakCallCols<F>) -> &mut DigestChainCols<F> {
        &mut row.chain
    }

    fn present(row: &mut KeccakCallCols<F>) -> &mut [F] {
        &mut row.present
    }

    fn lanes(row: &mut KeccakCallCols<F>) -> &mut [F] {
        &mut row.lanes
    }

    fn output(row: &KeccakCallCols<F>) -> [F; DIGEST_LIMBS] {
        row.block.digest
    }

    fn is_active(row: &KeccakCallCols<F>) -> bool {
        row.chain.is_hash + row.chain.is_merkle::<F>() == F::ONE
    }

    fn start(row: &mut KeccakCallCols<F>, above: Option<&KeccakCallCols<F>>) {
        let before = above.map_or([0; 25], |above| state(&output(&above.block)));
        row.block.fill(&[0; RATE], &before);
    }

    fn compute(row: &mut KeccakCallCols<F>, is_last: bool) {
        let mut block = [0; RATE];
        let words = block.as_chunks_mut().0;
        for (index, (bytes, present)) in words.iter_mut().zip(row.present).enumerate() {
            *bytes = (present.as_canonical_u32() * word(&row.lanes, index)).to_le_bytes();
        }
        if is_last || row.chain.is_hash == F::ZERO {
            let present: F = row.present.into_iter().sum();
            if let Some(byte) = block.get_mut(4 * present.as_canonical_u32() as usize) {
                *byte ^= 0x01;
            }
            block[RATE - 1] ^= 0x80;
        }
        let before = state(&row.block.before);
        row.block.fill(&block, &before);
    }
}

type Run = testing::Run<KeccakCallTable>;

fn assert_accepts(run: &Run) {
    digests::assert_accepts(run, &KeccakTable);
}

#[test]
fn width_and_degree() {
    assert_eq!(
        KeccakCallCols::<u8>::WIDTH,
        9 + 34 + 72 + 1 + (68 + 16) * 16 + 200 + 16 + 168
    );
    assert_eq!(constraint_degree(&KeccakCallTable), 3);
    assert!(largest_message(&KeccakCallTable, 50_000) < 20000);
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

/// A run with a hash of three rows, one of one row, and paths with nodes on both sides.
fn mixed() -> Run {
    let mut run = Run::new();
    run.hash(3, 75);
    run.hash(9, 6);
    run.merkle(1, 0b010, 20, 3);
    run
}

#[test]
fn every_cell_is_constrained() {
    let names = KeccakCallCols::<u8>::names();
    let free = [
        "chain.low_address",
        "chain.high_address",
        "chain.out_address",
        "chain.remaining",
        "chain.index",
        "block.number",
        "block.output",
    ];
    // First, middle and last row of a hash, a hash of one row, a path, padding.
    let rows = Rows::listed(vec![0, 1, 2, 3, 4, 5, 6, 7, 15], 7);
    assert_no_cell_changes::<KeccakCallTable>(&mixed().execution(), 16, &names, &free, &rows);
}

#[test]
fn the_index_must_be_used_up() {
    digests::index_left_over(&mixed());
}

#[test]
fn full_tables_are_accepted() {
    digests::full_tables::<KeccakCallTable>();
}

#[test]
fn a_chain_open_on_the_last_row_is_rejected() {
    digests::open_on_the_last_row::<KeccakCallTable>();
}

#[test]
fn a_chain_entered_in_the_middle_is_rejected() {
    digests::entered_in_the_middle::<KeccakCallTable>();
}

#[test]
fn a_chain_cut_or_too_long_is_rejected() {
    digests::cut_or_too_long::<KeccakCallTable>();
}

#[test]
fn rows_moved_or_copied_are_rejected() {
    digests::rows_moved_or_copied::<KeccakCallTable>();
}

#[test]
fn another_node_or_index_is_rejected() {
    digests::another_node_or_index::<KeccakCallTable>();
}

#[test]
fn another_result_or_state_is_rejected() {
    digests::another_result_or_state::<KeccakCallTable>();
}

#[test]
fn other_words_are_rejected() {
    digests::other_words::<KeccakCallTable>();
}
