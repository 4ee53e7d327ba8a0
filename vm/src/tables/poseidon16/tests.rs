use droste_native::F;
use droste_native::precompile::{poseidon16_compress, poseidon16_duplex, poseidon16_merkle};
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use proptest::prelude::*;

use super::trace::fill_permutation;
use super::{ChainCols, Poseidon16CallTable};
use crate::isa::id;
use crate::record::Execution;
use crate::tables::LANES;
use crate::tables::path::PathCols;
use crate::tables::testing::paths::{self, PathTable};
use crate::tables::testing::{self, Block, Tested, dense, forged};

impl Tested for Poseidon16CallTable {
    fn data() -> Vec<Block> {
        (0..32).map(dense).collect()
    }

    fn recompute(rows: &mut [&mut ChainCols<F>], execution: &mut Execution) {
        for row in rows {
            let inputs = row.permutation.inputs;
            let low = std::array::from_fn(|i| inputs[i]);
            let high = std::array::from_fn(|i| inputs[LANES + i]);
            fill_permutation(row, low, high, row.is_sponge == F::ZERO);
            let out = row.path.out_address.as_canonical_u32() as usize;
            let outputs = row.permutation.outputs();
            execution.memory.blocks[out] = std::array::from_fn(|i| outputs[i]);
            if row.is_sponge == F::ONE && row.is_hash == F::ZERO {
                execution.memory.blocks[out + 1] = std::array::from_fn(|i| outputs[LANES + i]);
            }
        }
    }
}

impl PathTable for Poseidon16CallTable {
    const COMPRESS: u32 = id::POSEIDON16_COMPRESS;
    const MERKLE: u32 = id::POSEIDON16_MERKLE;

    fn compress(left: &Block, right: &Block) -> Block {
        poseidon16_compress(left, right)
    }

    fn merkle(leaf: &Block, index: u32, path: &[Block]) -> Block {
        poseidon16_merkle(leaf, index, path).unwrap()
    }

    fn path(row: &mut ChainCols<F>) -> &mut PathCols<F> {
        &mut row.path
    }

    fn inputs(row: &mut ChainCols<F>) -> &mut [F; 2 * LANES] {
        &mut row.permutation.inputs
    }
}

type Run = testing::Run<Poseidon16CallTable>;

impl Run {
    fn sponge(&mut self, lanes: usize, capacity: u32) {
        self.duplex(lanes, capacity, 0);
    }

    /// Adds a sponge call whose capacity is not written.
    fn hash(&mut self, lanes: usize, capacity: u32) {
        self.sponge(lanes, capacity);
        self.blocks.pop();
        if let Some(call) = self.calls.last_mut() {
            call.0 = id::POSEIDON16_HASH;
        }
    }

    fn duplex(&mut self, lanes: usize, capacity: u32, tag: u32) {
        let mut data: Vec<Block> = (0..lanes.div_ceil(LANES) as u32)
            .map(|i| dense(100 + i))
            .collect();
        let capacity_block = &self.blocks[capacity as usize];
        let out = poseidon16_duplex(&data, lanes, capacity_block, F::from_u32(tag)).unwrap();
        *data.last_mut().unwrap() = out.last_block;
        let a = self.push(data);
        let c = self.push([out.rate[0], out.capacity]);
        self.calls
            .push((id::POSEIDON16_SPONGE, [a, capacity, c, tag, lanes as u32]));
    }
}

fn path(index: u32, depth: u32) -> Run {
    paths::path(index, depth)
}

fn mixed() -> Run {
    let mut run = Run::new();
    run.compress(0, 1);
    run.sponge(24, 2);
    run.sponge(11, 3);
    run.sponge(14, 3);
    run.duplex(16, 3, 8);
    run.duplex(19, 2, 3);
    run.hash(13, 3);
    run.hash(8, 1);
    run.path(4, 0b101, 5, 3);
    run.path(4, 0b0, 8, 1);
    run
}

// The accumulator, the call, and two columns of two block lookups each.
crate::tables::testing::common_tests!(Poseidon16CallTable: 179, 3, 20);

#[test]
fn every_length_of_sponge_agrees_with_the_native_function() {
    for lanes in 8..=33 {
        let mut run = Run::new();
        run.sponge(lanes, 0);
        run.hash(lanes, 1);
        run.assert_accepts();
    }
}

#[test]
fn paths_agree_with_the_native_function() {
    for (depth, index) in [
        (1, 0),
        (1, 1),
        (2, 0),
        (2, 3),
        (24, 0),
        (24, 0xff_ffff),
        (24, 0xa5_5a3c),
        (30, 0x3fff_ffff),
    ] {
        let mut run = Run::new();
        run.path(0, index, 1, depth);
        run.assert_accepts();
    }
}

/// The rows fill the table: its last row is the last row of a chain, or a row of another mode.
#[test]
fn full_tables_are_accepted() {
    for fill in 0..3 {
        let mut run = Run::new();
        run.compress(0, 1);
        run.compress(1, 1);
        match fill {
            0 => run.path(3, 2, 4, 2),
            1 => run.sponge(13, 2),
            _ => (0..2).for_each(|_| run.compress(3, 4)),
        }
        run.assert_fills(4);
        assert!(run.proves());
    }
}

#[test]
fn every_cell_that_matters_is_constrained() {
    mixed().assert_constrained(&ChainCols::<u8>::names(), ChainCols::free_columns);
}

fn sponge(lanes: usize) -> Run {
    let mut run = Run::new();
    run.sponge(lanes, 0);
    run
}

fn hash(lanes: usize) -> Run {
    let mut run = Run::new();
    run.hash(lanes, 0);
    // Data in the block to which a sponge would write its capacity.
    run.push([dense(7)]);
    run
}

#[test]
fn an_unedited_forgery_is_honest() {
    assert_eq!(forged(&path(2, 2), 2, |_, _| ()), None);
    assert_eq!(forged(&sponge(13), 2, |_, _| ()), None);
    assert_eq!(forged(&hash(13), 2, |_, _| ()), None);
}

/// If the rows of a `sponge` call did not write its capacity, that block could hold anything. If
/// the rows of a `hash` call wrote it, the block could not hold the program's other data.
#[test]
fn a_hash_for_a_sponge_is_rejected() {
    for row in 0..2 {
        let fault = forged(&sponge(13), 2, |rows, _| rows[row].is_hash = F::ONE);
        assert!(fault.is_some(), "row {row}");
        let fault = forged(&hash(13), 2, |rows, _| rows[row].is_hash = F::ZERO);
        assert!(fault.is_some(), "row {row}");
    }
    // `is_hash` changes on every row.
    let all = |flag: F| {
        move |rows: &mut [&mut ChainCols<F>], _: &mut Execution| {
            rows.iter_mut().for_each(|row| row.is_hash = flag)
        }
    };
    assert!(forged(&sponge(13), 2, all(F::ONE)).is_some());
    assert!(forged(&hash(13), 2, all(F::ZERO)).is_some());
    // `is_hash` is one on rows of other calls.
    assert!(forged(&path(2, 2), 2, all(F::ONE)).is_some());
}

#[test]
fn a_chain_open_on_the_last_row_is_rejected() {
    // The calls ask for one row more than the table has.
    assert!(forged(&path(2, 3), 2, |_, _| ()).is_some());
    assert!(forged(&sponge(24), 2, |_, _| ()).is_some());
}

#[test]
fn a_chain_entered_in_the_middle_is_rejected() {
    paths::entered_in_the_middle::<Poseidon16CallTable>();
    let mut run = Run::new();
    run.sponge(8, 0);
    run.path(0, 0, 1, 1);
    assert!(forged(&run, 2, |rows, _| rows[1].path.starts = F::ZERO).is_some());
}

#[test]
fn another_capacity_between_permutations_is_rejected() {
    for lane in 8..16 {
        let fault = forged(&sponge(16), 2, |rows, _| {
            rows[1].permutation.inputs[lane] += F::ONE;
        });
        assert!(fault.is_some());
    }
}

#[test]
fn other_lanes_past_the_end_are_rejected() {
    for lanes in 9..16 {
        for lane in lanes - 8..8 {
            let mut run = sponge(lanes);
            // Memory holds what the forger needs.
            run.blocks[33][lane] += F::ONE;
            let fault = forged(&run, 2, |rows, _| {
                rows[1].permutation.inputs[lane] = run.blocks[33][lane];
            });
            assert!(fault.is_some(), "{lanes} lanes, lane {lane}");
        }
    }
}

#[test]
fn another_tag_is_rejected() {
    let duplex = |tag| {
        let mut run = Run::new();
        run.duplex(24, 0, tag);
        run
    };
    assert_eq!(forged(&duplex(8), 3, |_, _| ()), None);
    // The tag changes on every row, consistently, but the call has another tag.
    let add = |rows: &mut [&mut ChainCols<F>], from: usize| {
        for row in &mut rows[from..] {
            row.tag += F::ONE;
        }
        rows[from].permutation.inputs[LANES] += F::ONE;
    };
    assert!(forged(&duplex(8), 3, |rows, _| add(rows, 0)).is_some());
    // The tag is added from the second row on.
    assert!(forged(&duplex(8), 3, |rows, _| add(rows, 1)).is_some());
    // The tag is left out, or added, on one row.
    for row in 0..3 {
        let fault = forged(&duplex(8), 3, |rows, _| rows[row].tag = F::ZERO);
        assert!(fault.is_some(), "row {row}");
        let fault = forged(&duplex(8), 3, |rows, _| {
            rows[row].permutation.inputs[LANES] -= F::from_u32(8);
        });
        assert!(fault.is_some(), "row {row}");
    }
    // A compression hashes another right block than the one in memory.
    let mut run = Run::new();
    run.compress(0, 1);
    let fault = forged(&run, 1, |rows, _| {
        rows[0].tag = F::ONE;
        rows[0].permutation.inputs[LANES] += F::ONE;
    });
    assert!(fault.is_some());
}

#[test]
fn an_early_partial_block_is_rejected() {
    // 13 + 8 lanes are absorbed, with the 5 lanes past the end in the middle.
    let fault = forged(&sponge(21), 3, |rows, _| {
        rows[1].past_end = [F::ONE; 3];
        rows[2].past_end = [F::ZERO; 3];
        rows[2].path.index = F::ZERO;
    });
    assert!(fault.is_some());
    // The first block of a chain is partial, though no output precedes it.
    let mut run = Run::new();
    run.compress(0, 1);
    run.sponge(8, 0);
    run.calls[1].1[4] = 7;
    let fault = forged(&run, 2, |rows, _| {
        let carried = rows[0].permutation.outputs()[7];
        rows[1].permutation.inputs[7] = carried;
        rows[1].past_end = [F::ZERO, F::ZERO, F::ONE];
        rows[1].path.remaining = F::from_u32(7);
    });
    assert!(fault.is_some());
}

#[test]
fn another_node_or_index_is_rejected() {
    paths::another_node_or_index::<Poseidon16CallTable>();
}

/// Blocks are read from other addresses than those that follow the first one.
#[test]
fn other_blocks_are_rejected() {
    // The second and last block of data is the first one again.
    let fault = forged(&sponge(16), 2, |rows, _| {
        rows[1].path.low_address = rows[0].path.low_address;
        for lane in 0..LANES {
            rows[1].permutation.inputs[lane] = rows[0].permutation.inputs[lane];
        }
    });
    assert!(fault.is_some());
    // The second sibling is at another address, where memory has the same block.
    let mut run = path(0, 2);
    run.blocks[9] = run.blocks[2];
    let fault = forged(&run, 2, |rows, _| {
        rows[1].path.high_address = F::from_u32(9)
    });
    assert!(fault.is_some());
}

#[test]
fn the_index_must_be_used_up() {
    // The two levels have the bits of index 1, and nothing has the third bit of index 5.
    let mut run = path(1, 2);
    run.calls[0].1[1] = 5;
    let fault = forged(&run, 2, |rows, _| {
        (rows[0].path.index, rows[1].path.index) = (F::from_u32(5), F::TWO);
    });
    assert!(fault.is_some());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn mixtures_agree(
        lanes in prop::collection::vec(8usize..40, 0..4),
        indices in prop::collection::vec(0u32..32, 0..4),
        tag in 0..droste_native::field::MODULUS,
    ) {
        let mut run = Run::new();
        for lanes in lanes {
            run.sponge(lanes, 1);
            run.hash(lanes, 2);
        }
        for index in indices {
            run.path(0, index, 2, 5);
        }
        run.duplex(16, 4, tag);
        run.assert_accepts();
    }
}
