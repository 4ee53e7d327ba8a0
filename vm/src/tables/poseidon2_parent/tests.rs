use std::borrow::Borrow;

use droste_air::test_utils::constraint_degree;
use droste_native::F;
use droste_native::precompile::{poseidon2_compress, poseidon2_merkle};
use p3_air::BaseAir;
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_matrix::Matrix;
use proptest::prelude::*;

use super::trace::fill_permutation;
use super::{ParentCols, Poseidon2ParentTable};
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
        let [left, right] = [a, b].map(|address| self.blocks[address as usize]);
        let c = self.push(poseidon2_compress(&left, &right));
        self.calls.push((id::POSEIDON2_COMPRESS, [a, b, c, 0, 0]));
    }

    fn merkle(&mut self, leaf: u32, index: u32, siblings: u32, depth: u32) {
        let path = &self.blocks[siblings as usize..][..depth as usize];
        let root = poseidon2_merkle(&self.blocks[leaf as usize], index, path).unwrap();
        let d = self.push(root);
        self.calls
            .push((id::POSEIDON2_MERKLE, [d, index, siblings, leaf, depth]));
    }

    fn execution(&self) -> Execution {
        execution(self.blocks.clone(), &self.calls)
    }
}

fn assert_accepts(run: &Run) {
    Bench::new(&Poseidon2ParentTable, &run.execution()).assert_accepts();
}

fn mixed() -> Run {
    let mut run = Run::new();
    run.compress(0, 1);
    run.merkle(4, 0b101, 5, 3);
    run.merkle(4, 0b0, 8, 1);
    run
}

fn path(index: u32, depth: u32) -> Run {
    let mut run = Run::new();
    run.merkle(0, index, 1, depth);
    run
}

#[test]
fn width_and_degree_are_pinned() {
    let run = Execution::default();
    let bench = Bench::new(&Poseidon2ParentTable, &run);
    assert_eq!(BaseAir::<F>::width(&Poseidon2ParentTable), 173);
    assert_eq!(constraint_degree::<F, _>(&Poseidon2ParentTable), 3);
    // The accumulator, the call, and three block lookups in two columns.
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
fn paths_agree_with_the_native_function() {
    for (depth, index) in [(1, 0), (1, 1), (2, 3), (24, 0xa5_5a3c), (30, 0x3fff_ffff)] {
        assert_accepts(&path(index, depth));
    }
}

#[test]
fn a_batch_proof_verifies_and_one_of_a_wrong_result_does_not() {
    let run = mixed();
    let mut execution = run.execution();
    assert!(Bench::new(&Poseidon2ParentTable, &execution).proves());
    execution.memory.blocks[run.blocks.len() - 1][0] += F::ONE;
    assert!(!Bench::new(&Poseidon2ParentTable, &execution).proves());
}

/// The rows fill the table: its last row is the last row of a path, or a row of another mode.
#[test]
fn full_tables_are_accepted() {
    for ends_in_path in [true, false] {
        let mut run = Run::new();
        run.compress(0, 1);
        run.compress(1, 1);
        if ends_in_path {
            run.merkle(3, 2, 4, 2);
        } else {
            run.compress(3, 4);
            run.compress(3, 4);
        }
        let execution = run.execution();
        let bench = Bench::new(&Poseidon2ParentTable, &execution);
        assert_eq!(bench.trace().0.height(), 4);
        bench.assert_accepts();
    }
}

#[test]
fn every_cell_that_matters_is_constrained() {
    let run = mixed();
    let execution = run.execution();
    let bench = Bench::new(&Poseidon2ParentTable, &execution);
    let (trace, _) = bench.trace();
    let names = ParentCols::<u8>::names();
    for (row, column) in bench.free_cells() {
        let columns: &ParentCols<F> = trace.values[row * names.len()..][..names.len()].borrow();
        assert!(
            columns.free_columns().contains(&names[column].as_str()),
            "row {row}, column {}: {columns:?}",
            names[column],
        );
    }
}

/// Returns what is wrong with an edited trace of `height` rows, once everything that depends on the
/// edited cells has been recomputed: the permutations, and the results in memory.
fn forged(
    run: &Run,
    height: usize,
    edit: impl FnOnce(&mut [&mut ParentCols<F>]),
) -> Option<String> {
    forge(
        &Poseidon2ParentTable,
        run.execution(),
        height,
        |rows, execution| {
            edit(rows);
            for row in rows {
                let inputs = row.permutation.inputs;
                let low = std::array::from_fn(|i| inputs[i]);
                let high = std::array::from_fn(|i| inputs[LANES + i]);
                fill_permutation(row, low, high);
                let out = row.out_address.as_canonical_u32() as usize;
                let outputs = row.permutation.outputs();
                execution.memory.blocks[out] = std::array::from_fn(|i| outputs[i]);
            }
        },
    )
}

#[test]
fn an_unedited_forgery_is_honest() {
    assert_eq!(forged(&path(2, 2), 2, |_| ()), None);
}

#[test]
fn a_chain_open_on_the_last_row_is_rejected() {
    // The call asks for one row more than the table has.
    assert!(forged(&path(2, 3), 2, |_| ()).is_some());
}

#[test]
fn a_chain_entered_in_the_middle_is_rejected() {
    // Row 0 continues a call, and so does a row below one that cannot be continued.
    assert!(forged(&path(0, 1), 1, |rows| rows[0].starts = F::ZERO).is_some());
    let mut run = Run::new();
    run.compress(0, 1);
    run.merkle(0, 0, 1, 1);
    assert!(forged(&run, 2, |rows| rows[1].starts = F::ZERO).is_some());
}

#[test]
fn a_compression_for_a_path_is_rejected() {
    let fault = forged(&path(0, 1), 1, |rows| {
        (rows[0].is_left, rows[0].is_compress) = (F::ZERO, F::ONE);
    });
    assert!(fault.is_some());
    // A row of both modes.
    let fault = forged(&path(0, 1), 1, |rows| rows[0].is_compress = F::ONE);
    assert!(fault.is_some());
}

#[test]
fn another_node_or_index_is_rejected() {
    // The node of level 1 is not the parent of level 0.
    for (index, first) in [(0, 0), (2, LANES)] {
        for lane in first..first + LANES {
            let fault = forged(&path(index, 2), 2, |rows| {
                rows[1].permutation.inputs[lane] += F::ONE;
            });
            assert!(fault.is_some());
        }
    }
    // The path of index 3 answers a call with index 1.
    let honest = {
        let execution = path(3, 2).execution();
        Bench::new(&Poseidon2ParentTable, &execution).trace().0
    };
    let mut run = path(3, 2);
    run.calls[0].1[1] = 1;
    let fault = forged(&run, 2, |rows| {
        let honest = honest.values.chunks_exact(honest.width());
        for (row, honest) in rows.iter_mut().zip(honest) {
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
        rows[0].index = F::TWO;
    });
    assert!(fault.is_some());
}

#[test]
fn the_index_must_be_used_up() {
    // The two levels have the bits of index 1, and nothing has the third bit of index 5.
    let mut run = path(1, 2);
    run.calls[0].1[1] = 5;
    let fault = forged(&run, 2, |rows| {
        (rows[0].index, rows[1].index) = (F::from_u32(5), F::TWO);
    });
    assert!(fault.is_some());
}

#[test]
fn other_siblings_are_rejected() {
    // The second sibling is read from another address, where memory has the same block.
    let mut run = path(0, 2);
    run.blocks[9] = run.blocks[2];
    let fault = forged(&run, 2, |rows| rows[1].high_address = F::from_u32(9));
    assert!(fault.is_some());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn mixtures_agree(
        pairs in prop::collection::vec((0u32..32, 0u32..32), 0..4),
        indices in prop::collection::vec(0u32..32, 0..4),
    ) {
        let mut run = Run::new();
        for (left, right) in pairs {
            run.compress(left, right);
        }
        for index in indices {
            run.merkle(0, index, 2, 5);
        }
        assert_accepts(&run);
    }
}
