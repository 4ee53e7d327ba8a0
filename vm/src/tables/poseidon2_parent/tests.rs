use droste_native::F;
use droste_native::precompile::{poseidon2_compress, poseidon2_merkle};
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use proptest::prelude::*;

use super::trace::fill_permutation;
use super::{ParentCols, Poseidon2ParentTable};
use crate::isa::id;
use crate::record::Execution;
use crate::tables::LANES;
use crate::tables::path::PathCols;
use crate::tables::testing::paths::{self, PathTable};
use crate::tables::testing::{self, Block, Tested, dense, forged};

impl Tested for Poseidon2ParentTable {
    fn data() -> Vec<Block> {
        (0..32).map(dense).collect()
    }

    fn recompute(rows: &mut [&mut ParentCols<F>], execution: &mut Execution) {
        for row in rows {
            let inputs = row.permutation.inputs;
            let low = std::array::from_fn(|i| inputs[i]);
            let high = std::array::from_fn(|i| inputs[LANES + i]);
            fill_permutation(row, low, high);
            let out = row.path.out_address.as_canonical_u32() as usize;
            let outputs = row.permutation.outputs();
            execution.memory.blocks[out] = std::array::from_fn(|i| outputs[i]);
        }
    }
}

impl PathTable for Poseidon2ParentTable {
    const COMPRESS: u32 = id::POSEIDON2_COMPRESS;
    const MERKLE: u32 = id::POSEIDON2_MERKLE;

    fn compress(left: &Block, right: &Block) -> Block {
        poseidon2_compress(left, right)
    }

    fn merkle(leaf: &Block, index: u32, path: &[Block]) -> Block {
        poseidon2_merkle(leaf, index, path).unwrap()
    }

    fn path(row: &mut ParentCols<F>) -> &mut PathCols<F> {
        &mut row.path
    }

    fn inputs(row: &mut ParentCols<F>) -> &mut [F; 2 * LANES] {
        &mut row.permutation.inputs
    }
}

type Run = testing::Run<Poseidon2ParentTable>;

fn path(index: u32, depth: u32) -> Run {
    paths::path(index, depth)
}

fn mixed() -> Run {
    let mut run = Run::new();
    run.compress(0, 1);
    run.path(4, 0b101, 5, 3);
    run.path(4, 0b0, 8, 1);
    run
}

// The accumulator, the call, and three block lookups in two columns.
crate::tables::testing::common_tests!(Poseidon2ParentTable: 173, 3, 20);

#[test]
fn paths_agree_with_the_native_function() {
    for (depth, index) in [(1, 0), (1, 1), (2, 3), (24, 0xa5_5a3c), (30, 0x3fff_ffff)] {
        path(index, depth).assert_accepts();
    }
}

/// The rows fill the table: its last row is the last row of a path, or a row of another mode.
#[test]
fn full_tables_are_accepted() {
    for ends_in_path in [true, false] {
        let mut run = Run::new();
        run.compress(0, 1);
        run.compress(1, 1);
        if ends_in_path {
            run.path(3, 2, 4, 2);
        } else {
            run.compress(3, 4);
            run.compress(3, 4);
        }
        run.assert_fills(4);
    }
}

#[test]
fn every_cell_that_matters_is_constrained() {
    mixed().assert_constrained(&ParentCols::<u8>::names(), ParentCols::free_columns);
}

#[test]
fn an_unedited_forgery_is_honest() {
    assert_eq!(forged(&path(2, 2), 2, |_, _| ()), None);
}

#[test]
fn a_chain_open_on_the_last_row_is_rejected() {
    // The call asks for one row more than the table has.
    assert!(forged(&path(2, 3), 2, |_, _| ()).is_some());
}

#[test]
fn a_chain_entered_in_the_middle_is_rejected() {
    paths::entered_in_the_middle::<Poseidon2ParentTable>();
}

#[test]
fn a_compression_for_a_path_is_rejected() {
    let fault = forged(&path(0, 1), 1, |rows, _| {
        (rows[0].path.is_left, rows[0].is_compress) = (F::ZERO, F::ONE);
    });
    assert!(fault.is_some());
    // A row of both modes.
    let fault = forged(&path(0, 1), 1, |rows, _| rows[0].is_compress = F::ONE);
    assert!(fault.is_some());
}

#[test]
fn another_node_or_index_is_rejected() {
    paths::another_node_or_index::<Poseidon2ParentTable>();
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

#[test]
fn other_siblings_are_rejected() {
    // The second sibling is read from another address, where memory has the same block.
    let mut run = path(0, 2);
    run.blocks[9] = run.blocks[2];
    let fault = forged(&run, 2, |rows, _| {
        rows[1].path.high_address = F::from_u32(9)
    });
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
            run.path(0, index, 2, 5);
        }
        run.assert_accepts();
    }
}
