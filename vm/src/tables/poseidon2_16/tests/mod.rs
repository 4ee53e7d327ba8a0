//! Known answers, mutations and forgeries of calls. Those of constants are in `constants`.

mod constants;

use droste_native::F;
use droste_native::hash::poseidon2::Constants;
use droste_native::precompile::{Permutations, poseidon2_compress, poseidon16_compress};
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use proptest::prelude::*;

use super::columns::LOADS;
use super::trace::fill_permutation;
use super::{NarrowCols, Poseidon2NarrowTable};
use crate::isa::id;
use crate::record::Execution;
use crate::tables::LANES;
use crate::tables::path::PathCols;
use crate::tables::testing::paths::{self, PathTable};
use crate::tables::testing::{self, Block, Tested, dense, forge, forged};

/// Address of the constants, after the blocks that calls read.
const CONSTANTS: u32 = 32;

/// Constants of a seed's own.
fn drawn(seed: u32) -> Constants<16> {
    let mut elements = (seed..).flat_map(dense);
    Constants::<16>::drawn(|| elements.next().unwrap())
}

/// The native functions with the constants of every run.
fn native() -> Permutations {
    let mut permutations = Permutations::default();
    let blocks = drawn(500).blocks();
    permutations.poseidon2_16_constants(&blocks).unwrap();
    permutations
}

impl Tested for Poseidon2NarrowTable {
    fn data() -> Vec<Block> {
        let data = (0..CONSTANTS).map(dense);
        data.chain(drawn(500).blocks()).collect()
    }

    fn calls() -> Vec<(u32, [u32; 5])> {
        vec![(id::POSEIDON2_16_CONSTANTS, [CONSTANTS, 0, 0, 0, 0])]
    }

    fn recompute(rows: &mut [&mut NarrowCols<F>], execution: &mut Execution) {
        for row in rows {
            permute(row);
            let is_path = row.path.is_merkle::<F>() == F::ONE;
            if row.is_compress != F::ONE && row.is_sponge != F::ONE && !is_path {
                continue;
            }
            let out = row.path.out_address.as_canonical_u32() as usize;
            let outputs = row.permutation.outputs();
            execution.memory.blocks[out] = std::array::from_fn(|i| outputs[i]);
            if row.is_sponge == F::ONE && row.is_hash == F::ZERO {
                execution.memory.blocks[out + 1] = std::array::from_fn(|i| outputs[LANES + i]);
            }
        }
    }
}

/// Computes the permutation of a row's inputs, with the row's constants.
fn permute(row: &mut NarrowCols<F>) {
    let inputs = row.permutation.inputs;
    let low = std::array::from_fn(|i| inputs[i]);
    let high = std::array::from_fn(|i| inputs[LANES + i]);
    fill_permutation(row, low, high);
}

impl PathTable for Poseidon2NarrowTable {
    const COMPRESS: u32 = id::POSEIDON2_16_COMPRESS;
    const MERKLE: u32 = id::POSEIDON2_16_MERKLE;
    const FIRST: usize = LOADS;

    fn compress(left: &Block, right: &Block) -> Block {
        native().poseidon2_16_compress(left, right).unwrap()
    }

    fn merkle(leaf: &Block, index: u32, path: &[Block]) -> Block {
        native().poseidon2_16_merkle(leaf, index, path).unwrap()
    }

    fn path(row: &mut NarrowCols<F>) -> &mut PathCols<F> {
        &mut row.path
    }

    fn inputs(row: &mut NarrowCols<F>) -> &mut [F; 2 * LANES] {
        &mut row.permutation.inputs
    }
}

type Run = testing::Run<Poseidon2NarrowTable>;

impl Run {
    /// Adds a call of `duplex`, and the blocks of its data and its result. Returns the address of
    /// the data.
    fn duplex(&mut self, lanes: usize, capacity: u32, tag: u32) -> u32 {
        let blocks = lanes.div_ceil(LANES) as u32;
        let mut data: Vec<Block> = (100..100 + blocks).map(dense).collect();
        let start = self.blocks[capacity as usize];
        let out = native().poseidon2_16_duplex(&data, lanes, &start, F::from_u32(tag));
        let out = out.unwrap();
        *data.last_mut().unwrap() = out.last_block;
        let a = self.push(data);
        let c = self.push([out.rate[0], out.capacity]);
        let operands = [a, capacity, c, tag, lanes as u32];
        self.calls.push((id::POSEIDON2_16_DUPLEX, operands));
        a
    }

    /// Adds a call of `hash`, which does not write the capacity.
    fn hash(&mut self, lanes: usize, capacity: u32) {
        self.duplex(lanes, capacity, 0);
        self.blocks.pop();
        if let Some(call) = self.calls.last_mut() {
            call.0 = id::POSEIDON2_16_HASH;
        }
    }
}

fn path(index: u32, depth: u32) -> Run {
    paths::path(index, depth)
}

fn sponge(lanes: usize, tag: u32) -> Run {
    let mut run = Run::new();
    run.duplex(lanes, 0, tag);
    run
}

fn hash(lanes: usize) -> Run {
    let mut run = Run::new();
    run.hash(lanes, 0);
    // Data in the block to which a duplex would write its capacity.
    run.push([dense(7)]);
    run
}

fn compression() -> Run {
    let mut run = Run::new();
    run.compress(0, 1);
    run
}

fn mixed() -> Run {
    let mut run = Run::new();
    run.compress(0, 1);
    run.duplex(24, 2, 0);
    run.duplex(11, 3, 0);
    run.duplex(14, 3, 0);
    run.duplex(16, 3, 8);
    run.duplex(19, 2, 3);
    run.hash(13, 3);
    run.hash(8, 1);
    run.path(4, 0b101, 5, 3);
    run.path(4, 0b0, 8, 1);
    run
}

// The accumulator, the call, and two columns of two block lookups each.
crate::tables::testing::common_tests!(Poseidon2NarrowTable: 338, 3, 20);

#[test]
fn every_length_of_sponge_agrees_with_the_native_function() {
    for lanes in 8..=33 {
        let mut run = Run::new();
        run.duplex(lanes, 0, 3);
        run.hash(lanes, 1);
        run.assert_accepts();
    }
}

#[test]
fn paths_agree_with_the_native_function() {
    for (depth, index) in [(1, 0), (1, 1), (2, 3), (24, 0xa5_5a3c), (30, 0x3fff_ffff)] {
        path(index, depth).assert_accepts();
    }
}

/// With Plonky3's default constants, the results are those of the tables of Poseidon2.
#[test]
fn default_constants_are_constants() {
    let mut run = compression();
    let blocks = Constants::<16>::default().blocks();
    run.blocks[CONSTANTS as usize..][..blocks.len()].copy_from_slice(&blocks);
    let parent = poseidon2_compress(&run.blocks[0], &run.blocks[1]);
    *run.blocks.last_mut().unwrap() = parent;
    run.assert_accepts();
}

/// The rows fill the table: its last row is the last row of a chain, or a row of another mode.
#[test]
fn full_tables_are_accepted() {
    for fill in 0..3 {
        let mut run = Run::new();
        (0..4).for_each(|_| run.compress(0, 1));
        match fill {
            0 => run.path(3, 2, 4, 2),
            1 => _ = run.duplex(13, 2, 0),
            _ => (0..2).for_each(|_| run.compress(3, 4)),
        }
        run.assert_fills(16);
        assert!(run.proves());
    }
}

/// Two runs of 15 rows and one of padding, which together have rows of each kind.
#[test]
fn every_cell_that_matters_is_constrained() {
    let mut run = Run::new();
    run.compress(0, 1);
    run.duplex(11, 2, 3);
    run.hash(8, 1);
    run.path(4, 0, 8, 1);
    run.assert_constrained(&NarrowCols::<u8>::names(), NarrowCols::free_columns);
    let mut run = Run::new();
    run.hash(15, 2);
    run.path(4, 0b101, 5, 3);
    run.assert_constrained(&NarrowCols::<u8>::names(), NarrowCols::free_columns);
}

#[test]
fn an_unedited_forgery_is_honest() {
    for run in [path(2, 2), sponge(13, 0), sponge(16, 8), hash(13)] {
        assert_eq!(forged(&run, LOADS + 2, |_, _| ()), None);
    }
    assert_eq!(forged(&compression(), LOADS + 1, |_, _| ()), None);
}

/// Adds the first half of a row's inputs to its outputs.
fn feed_forward(row: &mut NarrowCols<F>) {
    let inputs = row.permutation.inputs;
    let outputs = row.permutation.ending.last_mut().unwrap();
    let first_half = outputs.iter_mut().take(LANES).zip(inputs);
    first_half.for_each(|(output, input)| *output += input);
}

/// Parents and outputs as Poseidon-16 has them, `P(x) + x`.
#[test]
fn a_feed_forward_is_rejected() {
    for run in [compression(), path(0, 1), path(1, 1), sponge(8, 0)] {
        let fault = forge::<Poseidon2NarrowTable>(run.execution(), LOADS + 1, |rows, execution| {
            feed_forward(rows[LOADS]);
            let out = rows[LOADS].path.out_address.as_canonical_u32() as usize;
            let outputs = rows[LOADS].permutation.outputs();
            execution.memory.blocks[out] = std::array::from_fn(|lane| outputs[lane]);
        });
        assert!(fault.is_some());
    }
    // The result is that of Poseidon-16.
    let mut run = compression();
    let other = poseidon16_compress(&run.blocks[0], &run.blocks[1]);
    *run.blocks.last_mut().unwrap() = other;
    let fault = forge::<Poseidon2NarrowTable>(run.execution(), LOADS + 1, |_, _| ());
    assert!(fault.is_some());
}

/// If the rows of a `duplex` call did not write its capacity, that block could hold anything. If
/// the rows of a `hash` call wrote it, the block could not hold the program's other data.
#[test]
fn a_hash_for_a_sponge_is_rejected() {
    let all = |flag: F| {
        move |rows: &mut [&mut NarrowCols<F>], _: &mut Execution| {
            rows[LOADS..].iter_mut().for_each(|row| row.is_hash = flag)
        }
    };
    for row in LOADS..LOADS + 2 {
        let fault = forged(&sponge(13, 0), LOADS + 2, |rows, _| {
            rows[row].is_hash = F::ONE;
        });
        assert!(fault.is_some(), "row {row}");
        let fault = forged(&hash(13), LOADS + 2, |rows, _| rows[row].is_hash = F::ZERO);
        assert!(fault.is_some(), "row {row}");
    }
    assert!(forged(&sponge(13, 0), LOADS + 2, all(F::ONE)).is_some());
    assert!(forged(&hash(13), LOADS + 2, all(F::ZERO)).is_some());
    // `is_hash` is one on rows of other calls.
    assert!(forged(&path(2, 2), LOADS + 2, all(F::ONE)).is_some());
}

#[test]
fn a_chain_open_on_the_last_row_is_rejected() {
    // The calls ask for one row more than the table has.
    assert!(forged(&path(2, 3), LOADS + 2, |_, _| ()).is_some());
    assert!(forged(&sponge(24, 0), LOADS + 2, |_, _| ()).is_some());
}

#[test]
fn a_chain_entered_in_the_middle_is_rejected() {
    paths::entered_in_the_middle::<Poseidon2NarrowTable>();
    let mut run = sponge(8, 0);
    run.path(0, 0, 1, 1);
    let fault = forged(&run, LOADS + 2, |rows, _| {
        rows[LOADS + 1].path.starts = F::ZERO;
    });
    assert!(fault.is_some());
    // A sponge goes on from a row that loads.
    let fault = forged(&sponge(8, 0), LOADS + 1, |rows, _| {
        rows[LOADS].path.starts = F::ZERO;
        rows[LOADS - 1].path.out_address = rows[LOADS].path.out_address;
    });
    assert!(fault.is_some());
}

#[test]
fn another_capacity_between_permutations_is_rejected() {
    for lane in LANES..2 * LANES {
        let fault = forged(&sponge(16, 0), LOADS + 2, |rows, _| {
            rows[LOADS + 1].permutation.inputs[lane] += F::ONE;
        });
        assert!(fault.is_some());
    }
}

#[test]
fn other_lanes_past_the_end_are_rejected() {
    for lanes in 9..16 {
        for lane in lanes - 8..8 {
            let mut run = Run::new();
            let data = run.duplex(lanes, 0, 0);
            // Memory holds what the forger needs.
            let block = data as usize + 1;
            run.blocks[block][lane] += F::ONE;
            let fault = forged(&run, LOADS + 2, |rows, _| {
                rows[LOADS + 1].permutation.inputs[lane] = run.blocks[block][lane];
            });
            assert!(fault.is_some(), "{lanes} lanes, lane {lane}");
        }
    }
}

#[test]
fn another_tag_is_rejected() {
    let run = sponge(24, 8);
    assert_eq!(forged(&run, LOADS + 3, |_, _| ()), None);
    // The tag changes from a row on, consistently, but the call has another tag.
    for from in [LOADS, LOADS + 1] {
        let fault = forged(&run, LOADS + 3, |rows, _| {
            for row in &mut rows[from..] {
                row.tag += F::ONE;
            }
            rows[from].permutation.inputs[LANES] += F::ONE;
        });
        assert!(fault.is_some());
    }
    // The tag is left out, or not added, on one row.
    for row in LOADS..LOADS + 3 {
        assert!(forged(&run, LOADS + 3, |rows, _| rows[row].tag = F::ZERO).is_some());
        let fault = forged(&run, LOADS + 3, |rows, _| {
            rows[row].permutation.inputs[LANES] -= F::from_u32(8);
        });
        assert!(fault.is_some(), "row {row}");
    }
    // A compression, and a row that loads, take another right block than the one in memory.
    for row in [3, LOADS] {
        let fault = forged(&compression(), LOADS + 1, |rows, _| {
            rows[row].tag = F::ONE;
            rows[row].permutation.inputs[LANES] += F::ONE;
        });
        assert!(fault.is_some());
    }
}

#[test]
fn an_early_partial_block_is_rejected() {
    // 13 + 8 lanes are absorbed, with the 5 lanes past the end in the middle.
    let fault = forged(&sponge(21, 0), LOADS + 3, |rows, _| {
        rows[LOADS + 1].past_end = [F::ONE; 3];
        rows[LOADS + 2].past_end = [F::ZERO; 3];
        rows[LOADS + 2].path.index = F::ZERO;
    });
    assert!(fault.is_some());
    // The first block of a chain is partial, though no output precedes it.
    let mut run = compression();
    run.duplex(8, 0, 0);
    run.last_call()[4] = 7;
    let fault = forged(&run, LOADS + 2, |rows, _| {
        let carried = rows[LOADS].permutation.outputs()[7];
        let row = &mut rows[LOADS + 1];
        row.permutation.inputs[7] = carried;
        row.past_end = [F::ZERO, F::ZERO, F::ONE];
        row.path.remaining = F::from_u32(7);
    });
    assert!(fault.is_some());
}

#[test]
fn another_node_or_index_is_rejected() {
    paths::another_node_or_index::<Poseidon2NarrowTable>();
}

/// Blocks are read from other addresses than those that follow the first one.
#[test]
fn other_blocks_are_rejected() {
    // The second and last block of data is the first one again.
    let fault = forged(&sponge(16, 0), LOADS + 2, |rows, _| {
        let first = *rows[LOADS];
        let row = &mut rows[LOADS + 1];
        row.path.low_address = first.path.low_address;
        let inputs = first.permutation.inputs;
        row.permutation.inputs[..LANES].copy_from_slice(&inputs[..LANES]);
    });
    assert!(fault.is_some());
    // The second sibling is at another address, where memory has the same block.
    let mut run = path(0, 2);
    run.blocks[9] = run.blocks[2];
    let fault = forged(&run, LOADS + 2, |rows, _| {
        rows[LOADS + 1].path.high_address = F::from_u32(9);
    });
    assert!(fault.is_some());
}

#[test]
fn the_index_must_be_used_up() {
    // The two levels have the bits of index 1, and nothing has the third bit of index 5.
    let mut run = path(1, 2);
    run.last_call()[1] = 5;
    let fault = forged(&run, LOADS + 2, |rows, _| {
        let [first, second] = [F::from_u32(5), F::TWO];
        (rows[LOADS].path.index, rows[LOADS + 1].path.index) = (first, second);
    });
    assert!(fault.is_some());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn mixtures_agree(
        lanes in prop::collection::vec(8usize..40, 0..4),
        indices in prop::collection::vec(0u32..32, 0..4),
        tag in 0..droste_native::field::MODULUS,
    ) {
        let mut run = Run::new();
        for lanes in lanes {
            run.duplex(lanes, 1, 0);
            run.hash(lanes, 2);
        }
        for index in indices {
            run.path(0, index, 2, 5);
        }
        run.duplex(16, 4, tag);
        run.assert_accepts();
    }
}
