use droste_air::blake3::{CHUNK_END, CHUNK_START, Compression, IV, PARENT, ROOT};
use droste_air::test_utils::{Rows, constraint_degree, largest_message};
use droste_native::F;
use droste_native::precompile::{blake3_chunk, blake3_merkle, blake3_parent};
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::columns::WORDS;
use super::{Blake3CallCols, Blake3CallTable, Blake3Table};
use crate::isa::id;
use crate::record::Execution;
use crate::tables::digest_chain::{DIGEST_LIMBS, DigestChainCols, limbs, word};
use crate::tables::testing::digests::{self, DigestTable};
use crate::tables::testing::{self, Block, Tested, assert_no_cell_changes, forge};

impl Tested for Blake3CallTable {
    fn data() -> Vec<Block> {
        digests::data()
    }

    fn recompute(rows: &mut [&mut Blake3CallCols<F>], execution: &mut Execution) {
        digests::follow::<Self>(rows, execution, true);
    }
}

impl DigestTable for Blake3CallTable {
    const HASH: u32 = id::BLAKE3_CHUNK;
    const MERKLE: u32 = id::BLAKE3_MERKLE;
    const ROW_WORDS: usize = WORDS;

    fn hash(blocks: &[Block], words: usize) -> [Block; 2] {
        blake3_chunk(blocks, words, 0, false).unwrap()
    }

    fn merkle(leaf: &[Block; 2], index: u32, path: &[[Block; 2]]) -> [Block; 2] {
        blake3_merkle(leaf, index, path).unwrap()
    }

    fn chain(row: &mut Blake3CallCols<F>) -> &mut DigestChainCols<F> {
        &mut row.chain
    }

    fn present(row: &mut Blake3CallCols<F>) -> &mut [F] {
        &mut row.present
    }

    fn lanes(row: &mut Blake3CallCols<F>) -> &mut [F] {
        &mut row.lanes
    }

    fn output(row: &Blake3CallCols<F>) -> [F; DIGEST_LIMBS] {
        row.output
    }

    fn is_active(row: &Blake3CallCols<F>) -> bool {
        row.chain.is_hash + row.chain.is_merkle::<F>() + row.is_parent == F::ONE
    }

    fn start(row: &mut Blake3CallCols<F>, above: Option<&Blake3CallCols<F>>) {
        row.chaining = above.map_or(limbs(&IV), |above| above.output);
    }

    fn compute(row: &mut Blake3CallCols<F>, is_last: bool) {
        let is_root = row.is_root == F::ONE;
        let mut flags = 0;
        if row.chain.is_hash == F::ONE {
            flags |= if row.chain.starts == F::ONE {
                CHUNK_START
            } else {
                0
            };
            flags |= if is_last { CHUNK_END } else { 0 };
            flags |= if is_last && is_root { ROOT } else { 0 };
        } else if row.is_parent == F::ONE {
            flags |= PARENT | if is_root { ROOT } else { 0 };
        } else {
            flags = CHUNK_START | CHUNK_END | ROOT;
        }
        row.flags = F::from_u8(flags);
        let present = row.present.map(|present| present.as_canonical_u32());
        let counter = row.chain.is_hash * row.chain.index;
        let compression = Compression {
            chaining: std::array::from_fn(|i| word(&row.chaining, i)),
            message: std::array::from_fn(|i| present[i] * word(&row.lanes, i)),
            counter: u64::from(counter.as_canonical_u32()),
            block_length: 4 * present.iter().sum::<u32>() as u8,
            flags,
        };
        row.output = limbs(&compression.output());
    }
}

impl Run {
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
}

type Run = testing::Run<Blake3CallTable>;

fn assert_accepts(run: &Run) {
    digests::assert_accepts(run, &Blake3Table);
}

#[test]
fn width_and_degree() {
    assert_eq!(Blake3CallCols::<u8>::WIDTH, 9 + 2 + 16 + 32 + 16 + 1 + 16);
    assert_eq!(constraint_degree(&Blake3CallTable), 3);
    assert!(largest_message(&Blake3CallTable, 50_000) < 1000);
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

/// A run with every mode, a partial block, and paths with nodes on both sides.
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
    let names = Blake3CallCols::<u8>::names();
    let free = [
        "chain.low_address",
        "chain.high_address",
        "chain.out_address",
        "chain.remaining",
        "chain.index",
        "is_root",
        "output",
    ];
    // A chunk of three rows, a chunk of one, a parent, a path of four rows, padding.
    let rows = Rows::listed((0..16).collect(), 9);
    assert_no_cell_changes::<Blake3CallTable>(&mixed().execution(), 1, &names, &free, &rows);
}

#[test]
fn the_index_must_be_used_up() {
    digests::index_left_over(&mixed());
}

#[test]
fn full_tables_are_accepted() {
    digests::full_tables::<Blake3CallTable>();
}

#[test]
fn a_chain_open_on_the_last_row_is_rejected() {
    digests::open_on_the_last_row::<Blake3CallTable>();
}

#[test]
fn a_chain_entered_in_the_middle_is_rejected() {
    digests::entered_in_the_middle::<Blake3CallTable>();
}

#[test]
fn a_chain_cut_or_too_long_is_rejected() {
    digests::cut_or_too_long::<Blake3CallTable>();
}

#[test]
fn rows_moved_or_copied_are_rejected() {
    digests::rows_moved_or_copied::<Blake3CallTable>();
}

#[test]
fn another_node_or_index_is_rejected() {
    digests::another_node_or_index::<Blake3CallTable>();
}

#[test]
fn another_result_or_state_is_rejected() {
    digests::another_result_or_state::<Blake3CallTable>();
}

#[test]
fn other_words_are_rejected() {
    digests::other_words::<Blake3CallTable>();
}

/// Returns what is wrong with a chunk of 18 words (counter 3, not a root) and a parent (not a root)
/// after an edit, once everything that depends on the edited cells has been recomputed.
fn forged(edit: impl FnOnce(&mut [&mut Blake3CallCols<F>], &mut Execution)) -> Option<String> {
    let mut run = Run::new();
    run.chunk(0, 18, 3, false);
    run.parent(30, 40, false);
    forge::<Blake3CallTable>(run.execution(), 4, |rows, execution| {
        edit(rows, execution);
        for index in 0..3 {
            let above = (index == 1).then(|| *rows[0]);
            if let Some(above) = &above {
                Blake3CallTable::start(rows[1], Some(above));
            }
            Blake3CallTable::compute(rows[index], index > 0);
        }
        for row in &rows[1..3] {
            let out = row.chain.out_address.as_canonical_u32() as usize;
            let digest = row.output.as_chunks().0;
            execution.memory.blocks[out..][..2].copy_from_slice(digest);
        }
    })
}

#[test]
fn another_counter_or_root_flag_is_rejected() {
    assert_eq!(forged(|_, _| ()), None);
    // The edited rows: one row of the chunk, all of them, the parent.
    for rows_changed in [0..1, 1..2, 0..2, 2..3] {
        let fault = forged(|rows, _| {
            for row in &mut rows[rows_changed.clone()] {
                row.is_root = F::ONE;
            }
        });
        assert!(fault.is_some(), "is_root on rows {rows_changed:?}");
        let fault = forged(|rows, _| {
            for row in &mut rows[rows_changed.clone()] {
                row.chain.index += F::ONE;
            }
        });
        assert!(fault.is_some(), "index on rows {rows_changed:?}");
    }
    // A counter that is one less and a root flag of two make the operand that the call has.
    let fault = forged(|rows, _| {
        for row in &mut rows[..2] {
            (row.chain.index, row.is_root) = (F::TWO, F::TWO);
        }
    });
    assert!(fault.is_some());
}

#[test]
fn a_parent_is_no_link_of_a_chain() {
    // The parent as part of a chunk: below it, in its place, or with words left out.
    let fault = forged(|rows, _| rows[2].chain.starts = F::ZERO);
    assert!(fault.is_some());
    let fault = forged(|rows, _| {
        (rows[1].is_parent, rows[1].chain.is_hash) = (F::ONE, F::ZERO);
    });
    assert!(fault.is_some());
    let fault = forged(|rows, _| rows[2].present[15] = F::ZERO);
    assert!(fault.is_some());
    // Both modes are on.
    let fault = forged(|rows, _| rows[2].chain.is_hash = F::ONE);
    assert!(fault.is_some());
}
