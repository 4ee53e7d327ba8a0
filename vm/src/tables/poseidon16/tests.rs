use std::borrow::Borrow;

use droste_air::test_utils::constraint_degree;
use droste_native::F;
use droste_native::precompile::{poseidon16_compress, poseidon16_duplex, poseidon16_merkle};
use p3_air::BaseAir;
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_matrix::Matrix;
use proptest::prelude::*;

use super::trace::fill_permutation;
use super::{ChainCols, Poseidon16CallTable};
use crate::isa::id;
use crate::record::Execution;
use crate::tables::LANES;
use crate::tables::testing::{Bench, execution, forge};

type Block = [F; LANES];

fn dense(seed: u32) -> Block {
    std::array::from_fn(|i| F::from_u32(seed * 77_777 + 5 * i as u32 + 3).cube())
}

/// A run: blocks 0 to 31 hold data, results follow from 32 on.
struct Run {
    blocks: Vec<Block>,
    calls: Vec<(u32, [u32; 5])>,
}

impl Run {
    fn new() -> Self {
        Self {
            blocks: (0..32).map(dense).collect(),
            calls: Vec::new(),
        }
    }

    fn push(&mut self, block: Block) -> u32 {
        self.blocks.push(block);
        self.blocks.len() as u32 - 1
    }

    fn compress(&mut self, a: u32, b: u32) {
        let c = self.push(poseidon16_compress(
            &self.blocks[a as usize],
            &self.blocks[b as usize],
        ));
        self.calls.push((id::POSEIDON16_COMPRESS, [a, b, c, 0, 0]));
    }

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
        let data: Vec<Block> = (0..lanes.div_ceil(LANES) as u32)
            .map(|i| dense(100 + i))
            .collect();
        let capacity_block = &self.blocks[capacity as usize];
        let out = poseidon16_duplex(&data, lanes, capacity_block, F::from_u32(tag)).unwrap();
        let a = self.blocks.len() as u32;
        self.blocks.extend(data);
        *self.blocks.last_mut().unwrap() = out.last_block;
        let c = self.push(out.rate);
        self.push(out.capacity);
        self.calls
            .push((id::POSEIDON16_SPONGE, [a, capacity, c, tag, lanes as u32]));
    }

    fn merkle(&mut self, leaf: u32, index: u32, siblings: u32, depth: u32) {
        let path = &self.blocks[siblings as usize..][..depth as usize];
        let root = poseidon16_merkle(&self.blocks[leaf as usize], index, path).unwrap();
        let d = self.push(root);
        self.calls
            .push((id::POSEIDON16_MERKLE, [d, index, siblings, leaf, depth]));
    }

    fn execution(&self) -> Execution {
        execution(self.blocks.clone(), &self.calls)
    }
}

fn assert_accepts(run: &Run) {
    Bench::new(&Poseidon16CallTable, &run.execution()).assert_accepts();
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
    run.merkle(4, 0b101, 5, 3);
    run.merkle(4, 0b0, 8, 1);
    run
}

#[test]
fn width_and_degree_are_pinned() {
    let run = Execution::default();
    let bench = Bench::new(&Poseidon16CallTable, &run);
    assert_eq!(BaseAir::<F>::width(&Poseidon16CallTable), 179);
    assert_eq!(constraint_degree::<F, _>(&Poseidon16CallTable), 3);
    // The accumulator, the call, and two columns of two block lookups each.
    assert_eq!(bench.lookup_width(), 20);
}

#[test]
fn no_calls_is_a_trace_of_padding() {
    assert_accepts(&Run::new());
}

#[test]
fn every_call_is_accepted() {
    assert_accepts(&mixed());
}

#[test]
fn every_length_of_sponge_agrees_with_the_native_function() {
    for lanes in 8..=33 {
        let mut run = Run::new();
        run.sponge(lanes, 0);
        run.hash(lanes, 1);
        assert_accepts(&run);
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
        run.merkle(0, index, 1, depth);
        assert_accepts(&run);
    }
}

#[test]
fn a_batch_proof_verifies() {
    assert!(Bench::new(&Poseidon16CallTable, &mixed().execution()).proves());
}

#[test]
fn a_batch_proof_of_a_wrong_result_is_rejected() {
    let run = mixed();
    let mut execution = run.execution();
    execution.memory.blocks[run.blocks.len() - 1][0] += F::ONE;
    assert!(!Bench::new(&Poseidon16CallTable, &execution).proves());
}

/// The rows fill the table: its last row is the last row of a chain, or a row of another mode.
#[test]
fn full_tables_are_accepted() {
    for fill in 0..3 {
        let mut run = Run::new();
        run.compress(0, 1);
        run.compress(1, 1);
        match fill {
            0 => run.merkle(3, 2, 4, 2),
            1 => run.sponge(13, 2),
            _ => (0..2).for_each(|_| run.compress(3, 4)),
        }
        let execution = run.execution();
        let bench = Bench::new(&Poseidon16CallTable, &execution);
        assert_eq!(bench.trace().0.height(), 4);
        bench.assert_accepts();
        assert!(bench.proves());
    }
}

#[test]
fn every_cell_that_matters_is_constrained() {
    let run = mixed();
    let execution = run.execution();
    let bench = Bench::new(&Poseidon16CallTable, &execution);
    let (trace, _) = bench.trace();
    let names = ChainCols::<u8>::names();
    for (row, column) in bench.free_cells() {
        let columns: &ChainCols<F> = trace.values[row * names.len()..][..names.len()].borrow();
        assert!(
            columns.free_columns().contains(&names[column].as_str()),
            "row {row}, column {}: {columns:?}",
            names[column],
        );
    }
}

/// Returns what is wrong with an edited trace of `height` rows, once everything that depends on the
/// edited cells has been recomputed: the permutations, and the results in memory.
fn forged(run: &Run, height: usize, edit: impl FnOnce(&mut [&mut ChainCols<F>])) -> Option<String> {
    forge(
        &Poseidon16CallTable,
        run.execution(),
        height,
        |rows, execution| {
            edit(rows);
            for row in rows {
                let inputs = row.permutation.inputs;
                let low = std::array::from_fn(|i| inputs[i]);
                let high = std::array::from_fn(|i| inputs[LANES + i]);
                fill_permutation(row, low, high, row.is_sponge == F::ZERO);
                let out = row.out_address.as_canonical_u32() as usize;
                let outputs = row.permutation.outputs();
                execution.memory.blocks[out] = std::array::from_fn(|i| outputs[i]);
                if row.is_sponge == F::ONE && row.is_hash == F::ZERO {
                    execution.memory.blocks[out + 1] = std::array::from_fn(|i| outputs[LANES + i]);
                }
            }
        },
    )
}

fn path(index: u32, depth: u32) -> Run {
    let mut run = Run::new();
    run.merkle(0, index, 1, depth);
    run
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
    run.push(dense(7));
    run
}

#[test]
fn an_unedited_forgery_is_honest() {
    assert_eq!(forged(&path(2, 2), 2, |_| ()), None);
    assert_eq!(forged(&sponge(13), 2, |_| ()), None);
    assert_eq!(forged(&hash(13), 2, |_| ()), None);
}

/// If the rows of a `sponge` call did not write its capacity, that block could hold anything. If
/// the rows of a `hash` call wrote it, the block could not hold the program's other data.
#[test]
fn a_hash_for_a_sponge_is_rejected() {
    for row in 0..2 {
        let fault = forged(&sponge(13), 2, |rows| rows[row].is_hash = F::ONE);
        assert!(fault.is_some(), "row {row}");
        let fault = forged(&hash(13), 2, |rows| rows[row].is_hash = F::ZERO);
        assert!(fault.is_some(), "row {row}");
    }
    // `is_hash` changes on every row.
    let all = |flag: F| {
        move |rows: &mut [&mut ChainCols<F>]| rows.iter_mut().for_each(|row| row.is_hash = flag)
    };
    assert!(forged(&sponge(13), 2, all(F::ONE)).is_some());
    assert!(forged(&hash(13), 2, all(F::ZERO)).is_some());
    // `is_hash` is one on rows of other calls.
    assert!(forged(&path(2, 2), 2, all(F::ONE)).is_some());
}

#[test]
fn a_chain_open_on_the_last_row_is_rejected() {
    // The calls ask for one row more than the table has.
    assert!(forged(&path(2, 3), 2, |_| ()).is_some());
    assert!(forged(&sponge(24), 2, |_| ()).is_some());
}

#[test]
fn a_chain_entered_in_the_middle_is_rejected() {
    // Row 0 continues a call, and so does a row below one that cannot be continued.
    assert!(forged(&path(0, 1), 1, |rows| rows[0].starts = F::ZERO).is_some());
    let mut run = Run::new();
    run.compress(0, 1);
    run.merkle(0, 0, 1, 1);
    assert!(forged(&run, 2, |rows| rows[1].starts = F::ZERO).is_some());
    let mut run = Run::new();
    run.sponge(8, 0);
    run.merkle(0, 0, 1, 1);
    assert!(forged(&run, 2, |rows| rows[1].starts = F::ZERO).is_some());
}

#[test]
fn another_capacity_between_permutations_is_rejected() {
    for lane in 8..16 {
        let fault = forged(&sponge(16), 2, |rows| {
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
            let fault = forged(&run, 2, |rows| {
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
    assert_eq!(forged(&duplex(8), 3, |_| ()), None);
    // The tag changes on every row, consistently, but the call has another tag.
    let add = |rows: &mut [&mut ChainCols<F>], from: usize| {
        for row in &mut rows[from..] {
            row.tag += F::ONE;
        }
        rows[from].permutation.inputs[LANES] += F::ONE;
    };
    assert!(forged(&duplex(8), 3, |rows| add(rows, 0)).is_some());
    // The tag is added from the second row on.
    assert!(forged(&duplex(8), 3, |rows| add(rows, 1)).is_some());
    // The tag is left out, or added, on one row.
    for row in 0..3 {
        let fault = forged(&duplex(8), 3, |rows| rows[row].tag = F::ZERO);
        assert!(fault.is_some(), "row {row}");
        let fault = forged(&duplex(8), 3, |rows| {
            rows[row].permutation.inputs[LANES] -= F::from_u32(8);
        });
        assert!(fault.is_some(), "row {row}");
    }
    // A compression hashes another right block than the one in memory.
    let mut run = Run::new();
    run.compress(0, 1);
    let fault = forged(&run, 1, |rows| {
        rows[0].tag = F::ONE;
        rows[0].permutation.inputs[LANES] += F::ONE;
    });
    assert!(fault.is_some());
}

#[test]
fn an_early_partial_block_is_rejected() {
    // 13 + 8 lanes are absorbed, with the 5 lanes past the end in the middle.
    let fault = forged(&sponge(21), 3, |rows| {
        rows[1].past_end = [F::ONE; 3];
        rows[2].past_end = [F::ZERO; 3];
        rows[2].index_or_half = F::ZERO;
    });
    assert!(fault.is_some());
    // The first block of a chain is partial, though no output precedes it.
    let mut run = Run::new();
    run.compress(0, 1);
    run.sponge(8, 0);
    run.calls[1].1[4] = 7;
    let fault = forged(&run, 2, |rows| {
        let carried = rows[0].permutation.outputs()[7];
        rows[1].permutation.inputs[7] = carried;
        rows[1].past_end = [F::ZERO, F::ZERO, F::ONE];
        rows[1].remaining = F::from_u32(7);
    });
    assert!(fault.is_some());
}

#[test]
fn another_node_or_index_is_rejected() {
    // The node of level 1 is not the parent of level 0.
    for lane in 0..8 {
        let fault = forged(&path(0, 2), 2, |rows| {
            rows[1].permutation.inputs[lane] += F::ONE;
        });
        assert!(fault.is_some());
    }
    // The path of index 3 answers a call with index 1.
    let mut run = path(3, 2);
    run.calls[0].1[1] = 1;
    let honest = {
        let execution = path(3, 2).execution();
        Bench::new(&Poseidon16CallTable, &execution).trace().0
    };
    let fault = forged(&run, 2, |rows| {
        for (row, honest) in rows
            .iter_mut()
            .zip(honest.values.chunks_exact(honest.width()))
        {
            **row = *honest.borrow();
        }
    });
    assert!(fault.is_some());
    // A bit that is not boolean: with one level, the index is 2 = 0 + 2 * 1.
    let mut run = path(0, 1);
    run.calls[0].1[1] = 2;
    let fault = forged(&run, 1, |rows| {
        rows[0].is_left = -F::ONE;
        rows[0].is_right = F::TWO;
        rows[0].index_or_half = F::TWO;
    });
    assert!(fault.is_some());
}

/// Blocks are read from other addresses than those that follow the first one.
#[test]
fn other_blocks_are_rejected() {
    // The second and last block of data is the first one again.
    let fault = forged(&sponge(16), 2, |rows| {
        rows[1].low_address = rows[0].low_address;
        for lane in 0..LANES {
            rows[1].permutation.inputs[lane] = rows[0].permutation.inputs[lane];
        }
    });
    assert!(fault.is_some());
    // The second sibling is at another address, where memory has the same block.
    let mut run = path(0, 2);
    run.blocks[9] = run.blocks[2];
    let fault = forged(&run, 2, |rows| rows[1].high_address = F::from_u32(9));
    assert!(fault.is_some());
}

#[test]
fn the_index_must_be_used_up() {
    // The two levels have the bits of index 1, and nothing has the third bit of index 5.
    let mut run = path(1, 2);
    run.calls[0].1[1] = 5;
    let fault = forged(&run, 2, |rows| {
        (rows[0].index_or_half, rows[1].index_or_half) = (F::from_u32(5), F::TWO);
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
            run.merkle(0, index, 2, 5);
        }
        run.duplex(16, 4, tag);
        assert_accepts(&run);
    }
}
