use std::borrow::BorrowMut;

use droste_air::keccak::State;
use droste_air::keccak::sponge::{RATE, output};
use droste_air::spread::{self, SpreadTable};
use droste_air::test_utils::{
    Failure, Harness, Rows, Table as Traced, constraint_degree, largest_message,
};
use droste_native::F;
use droste_native::precompile::{keccak_hash, keccak_sponge, keccak_sponge_merkle};
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::{KeccakSpongeCallTable, KeccakSpongeCols};
use crate::isa::id;
use crate::record::Execution;
use crate::tables::LANES;
use crate::tables::digest_chain::{DIGEST_LIMBS, DigestChainCols};
use crate::tables::keccak::{KeccakCallTable, KeccakTable, Step, WORDS};
use crate::tables::testing::digests::{self, DigestTable, keccak_state};
use crate::tables::testing::{self, Block, Tested, assert_no_cell_changes, forge, generate};

/// Returns the state with the lanes of so many words at zero.
fn overwritten(mut state: State, present: usize) -> State {
    state[..present.div_ceil(2)].fill(0);
    state
}

fn present(row: &KeccakSpongeCols<F>) -> usize {
    let present: F = row.call.present.into_iter().sum();
    present.as_canonical_u32() as usize
}

impl Tested for KeccakSpongeCallTable {
    fn data() -> Vec<Block> {
        digests::data()
    }

    fn recompute(rows: &mut [&mut KeccakSpongeCols<F>], execution: &mut Execution) {
        digests::follow::<Self>(rows, execution, true);
    }
}

impl DigestTable for KeccakSpongeCallTable {
    const HASH: u32 = id::KECCAK_SPONGE;
    const MERKLE: u32 = id::KECCAK_SPONGE_MERKLE;
    const ROW_WORDS: usize = WORDS;

    fn hash(blocks: &[Block], words: usize) -> [Block; 2] {
        keccak_sponge(blocks, words).unwrap()
    }

    fn merkle(leaf: &[Block; 2], index: u32, path: &[[Block; 2]]) -> [Block; 2] {
        keccak_sponge_merkle(leaf, index, path).unwrap()
    }

    fn chain(row: &mut KeccakSpongeCols<F>) -> &mut DigestChainCols<F> {
        &mut row.call.chain
    }

    fn present(row: &mut KeccakSpongeCols<F>) -> &mut [F] {
        &mut row.call.present
    }

    fn lanes(row: &mut KeccakSpongeCols<F>) -> &mut [F] {
        &mut row.call.lanes
    }

    fn output(row: &KeccakSpongeCols<F>) -> [F; DIGEST_LIMBS] {
        row.call.block.digest
    }

    fn is_active(row: &KeccakSpongeCols<F>) -> bool {
        row.call.chain.is_hash + row.call.chain.is_merkle::<F>() == F::ONE
    }

    fn start(row: &mut KeccakSpongeCols<F>, above: Option<&KeccakSpongeCols<F>>) {
        let above = above.map_or([0; 25], |above| keccak_state(&output(&above.call.block)));
        let before = overwritten(above, present(row));
        row.call.block.fill(&[0; RATE], &before);
    }

    fn compute(row: &mut KeccakSpongeCols<F>, is_last: bool) {
        row.goes_on = row.call.chain.is_hash * F::from_bool(!is_last);
        let block = words(row);
        let before = keccak_state(&row.call.block.before);
        row.call.block.fill(&block, &before);
    }
}

/// Returns the bytes of the present words.
fn words(row: &KeccakSpongeCols<F>) -> [u8; RATE] {
    let mut block = Step::bytes(&row.call.lanes, WORDS);
    let words = block.as_chunks_mut::<4>().0.iter_mut();
    for (bytes, present) in words.zip(row.call.present) {
        if present == F::ZERO {
            *bytes = [0; 4];
        }
    }
    block
}

type Run = testing::Run<KeccakSpongeCallTable>;

fn assert_accepts(run: &Run) {
    digests::assert_accepts(run, &KeccakTable);
}

#[test]
fn width_and_degree() {
    assert_eq!(KeccakSpongeCols::<u8>::WIDTH, 1844 + 1);
    assert_eq!(constraint_degree(&KeccakSpongeCallTable), 3);
    assert!(largest_message(&KeccakSpongeCallTable, 50_000) < 20000);
}

#[test]
fn sponges_agree_with_the_native_function() {
    let mut run = Run::new();
    for words in [1, 2, 3, 16, 31, 32, 33, 34, 35, 36, 67, 68, 69] {
        run.hash(3, words);
    }
    assert_accepts(&run);
}

#[test]
fn paths_agree_with_the_native_function() {
    let mut run = Run::new();
    for (index, depth) in [(0, 1), (1, 1), (2, 2), (5, 3), (0b10_1101, 6)] {
        run.merkle(1, index, 20, depth);
    }
    assert_accepts(&run);
}

/// A run with a sponge of three rows, whose last word is the first of its lane, one of one row, and
/// a path with nodes on both sides.
fn mixed() -> Run {
    let mut run = Run::new();
    run.hash(3, 75);
    run.hash(9, 6);
    run.merkle(1, 0b010, 20, 3);
    run
}

#[test]
fn every_cell_is_constrained() {
    let names = KeccakSpongeCols::<u8>::names();
    let free = [
        "call.chain.low_address",
        "call.chain.high_address",
        "call.chain.out_address",
        "call.chain.remaining",
        "call.chain.index",
        "call.block.number",
        "call.block.output",
    ];
    // First, middle and last row of a sponge, a sponge of one row, a path, padding.
    let rows = Rows::listed(vec![0, 1, 2, 3, 4, 5, 6, 7, 15], 7);
    assert_no_cell_changes::<KeccakSpongeCallTable>(&mixed().execution(), 16, &names, &free, &rows);
}

#[test]
fn the_index_must_be_used_up() {
    digests::index_left_over(&mixed());
}

#[test]
fn full_tables_are_accepted() {
    digests::full_tables::<KeccakSpongeCallTable>();
}

#[test]
fn a_chain_open_on_the_last_row_is_rejected() {
    digests::open_on_the_last_row::<KeccakSpongeCallTable>();
}

#[test]
fn a_chain_entered_in_the_middle_is_rejected() {
    digests::entered_in_the_middle::<KeccakSpongeCallTable>();
}

#[test]
fn a_chain_cut_or_too_long_is_rejected() {
    digests::cut_or_too_long::<KeccakSpongeCallTable>();
}

#[test]
fn rows_moved_or_copied_are_rejected() {
    digests::rows_moved_or_copied::<KeccakSpongeCallTable>();
}

#[test]
fn another_node_or_index_is_rejected() {
    digests::another_node_or_index::<KeccakSpongeCallTable>();
}

#[test]
fn another_result_or_state_is_rejected() {
    digests::another_result_or_state::<KeccakSpongeCallTable>();
}

#[test]
fn other_words_are_rejected() {
    digests::other_words::<KeccakSpongeCallTable>();
}

/// Returns what is wrong with a sponge of `rows` rows whose last row absorbs `block` into `before`,
/// which are made from what it absorbs and from the state above it. Memory has its result.
fn absorbs(
    words: usize,
    rows: usize,
    change: impl FnOnce(&mut [u8; RATE], &mut State, &State),
) -> Option<String> {
    let mut run = Run::new();
    run.hash(0, words);
    forge::<KeccakSpongeCallTable>(run.execution(), rows, |rows, execution| {
        let above = match rows {
            [.., above, _] => keccak_state(&output(&above.call.block)),
            _ => [0; 25],
        };
        let Some(last) = rows.last_mut() else {
            return;
        };
        let mut block = self::words(last);
        let mut before = keccak_state(&last.call.block.before);
        change(&mut block, &mut before, &above);
        last.call.block.fill(&block, &before);
        let out = last.call.chain.out_address.as_canonical_u32() as usize;
        let digest = last.call.block.digest;
        execution.memory.blocks[out..][..2].copy_from_slice(digest.as_chunks::<LANES>().0);
    })
}

#[test]
fn an_unedited_forgery_is_honest() {
    for (words, rows) in [(5, 1), (34, 1), (39, 2), (40, 2)] {
        assert_eq!(absorbs(words, rows, |_, _, _| ()), None);
    }
}

#[test]
fn padding_is_rejected() {
    // As Keccak-256 has it, and of words that are zero but for one bit.
    for (words, rows) in [(5, 1), (39, 2)] {
        let fault = absorbs(words, rows, |block, _, _| {
            block[4 * 5] ^= 0x01;
            block[RATE - 1] ^= 0x80;
        });
        assert!(fault.is_some());
        let fault = absorbs(words, rows, |block, _, _| block[RATE - 1] ^= 0x80);
        assert!(fault.is_some());
    }
}

#[test]
fn a_state_of_another_sponge_is_rejected() {
    for words in [39, 40] {
        // A short last block clears the rest of the rate.
        let fault = absorbs(words, 2, |_, before, _| before[3..17].fill(0));
        assert!(fault.is_some());
        // It clears one lane of the rate, or the capacity.
        assert!(absorbs(words, 2, |_, before, _| before[16] = 0).is_some());
        assert!(absorbs(words, 2, |_, before, _| before[17..].fill(0)).is_some());
        // It adds to the state, as Keccak-256 does, in all of its lanes or in the last one.
        assert!(absorbs(words, 2, |_, before, above| *before = *above).is_some());
        let fault = absorbs(words, 2, |_, before, above| before[2] = above[2]);
        assert!(fault.is_some());
    }
    // A row of another call goes on from a state.
    assert!(absorbs(5, 1, |_, before, _| before[20] = 1).is_some());
}

#[test]
fn an_odd_last_word_clears_the_other_half_of_its_lane() {
    let high = u64::MAX << 32;
    let fault = absorbs(39, 2, |_, before, above| before[2] = above[2] & high);
    assert!(fault.is_some());
    // The half is absorbed instead.
    let fault = absorbs(39, 2, |block, _, above| {
        block[20..24].copy_from_slice(&above[2].to_le_bytes()[4..]);
    });
    assert!(fault.is_some());
}

/// A call of 34 words with a second row, which permutes the state as it is.
#[test]
fn a_row_that_absorbs_nothing_is_rejected() {
    let mut run = Run::new();
    run.hash(0, WORDS + 1);
    let fault = testing::forged(&run, 2, |rows, execution| {
        execution.calls[id::KECCAK_SPONGE as usize][0].e = F::from_usize(WORDS);
        rows[0].call.chain.remaining = F::from_usize(WORDS);
        rows[1].call.chain.remaining = F::ZERO;
        rows[1].call.present = [F::ZERO; WORDS];
        rows[1].call.lanes.fill(F::ZERO);
    });
    assert!(fault.is_some());
    // A call of no words.
    let mut run = Run::new();
    run.hash(0, 1);
    let fault = testing::forged(&run, 1, |rows, execution| {
        execution.calls[id::KECCAK_SPONGE as usize][0].e = F::ZERO;
        rows[0].call.chain.remaining = F::ZERO;
        rows[0].call.present[0] = F::ZERO;
        rows[0].call.lanes.fill(F::ZERO);
    });
    assert!(fault.is_some());
}

/// No lookup would bind the 17th word of a path's row.
#[test]
fn a_path_of_seventeen_words_is_rejected() {
    let mut run = Run::new();
    run.merkle(1, 0, 20, 1);
    let fault = testing::forged(&run, 1, |rows, _| {
        rows[0].call.present[16] = F::ONE;
        rows[0].call.lanes[32] = F::from_u32(5);
    });
    assert!(fault.is_some());
}

/// Calls of Keccak-256 and of the sponge have permutations in one table, each its own.
#[test]
fn both_tables_of_calls_have_one_table_of_permutations() {
    let mut run = mixed();
    let digest = keccak_hash(&run.blocks[3..], 40).unwrap();
    let c = run.push(digest);
    run.calls.push((id::KECCAK_HASH, [3, 0, c, 0, 40]));
    let execution = run.execution();
    // The first row of the sponge has the permutation of this number.
    let check = |number: u32| -> Result<(), Failure> {
        let (mut sponges, _) = generate(&KeccakSpongeCallTable, &execution, 1);
        let width = KeccakSpongeCols::<u8>::WIDTH;
        let row: &mut KeccakSpongeCols<F> = sponges.values[..width].borrow_mut();
        row.call.block.number = F::from_u32(number);
        let (calls, _) = generate(&KeccakCallTable, &execution, 1);
        let (permutations, counts) = generate(&KeccakTable, &execution, 1);
        let spread = spread::generate_table(&counts.spread, None).unwrap();
        let tables = vec![
            Traced::new("keccak_calls", &KeccakCallTable, calls),
            Traced::new("keccak_sponge_calls", &KeccakSpongeCallTable, sponges),
            Traced::new("keccak", &KeccakTable, permutations),
            Traced::new("spread", &SpreadTable, spread),
        ];
        let harness = Harness::new(tables).open_bus("call").open_bus("block");
        harness.check()
    };
    check(3).unwrap();
    // One of the other table.
    assert!(check(1).is_err());
    // One that there is not.
    assert!(check(100).is_err());
}
