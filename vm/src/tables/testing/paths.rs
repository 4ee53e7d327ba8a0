//! Runs and forgeries of the tables that compress two blocks, and climb Merkle paths of single
//! blocks.

use droste_native::F;
use p3_field::PrimeCharacteristicRing;

use super::{Bench, Block, Run, Tested, forged};
use crate::tables::path::PathCols;
use crate::tables::{LANES, Row};

/// What a forger needs to know about a table of paths. Its data are at least 32 blocks.
pub trait PathTable: Tested {
    const COMPRESS: u32;
    const MERKLE: u32;

    /// Number of rows of the calls with which every run begins.
    const FIRST: usize = 0;

    fn compress(left: &Block, right: &Block) -> Block;
    fn merkle(leaf: &Block, index: u32, path: &[Block]) -> Block;

    fn path(row: &mut Self::Row) -> &mut PathCols<F>;
    fn inputs(row: &mut Self::Row) -> &mut [F; 2 * LANES];
}

impl<T: PathTable> Run<T> {
    pub fn compress(&mut self, a: u32, b: u32) {
        let [left, right] = [a, b].map(|address| self.blocks[address as usize]);
        let c = self.push([T::compress(&left, &right)]);
        self.calls.push((T::COMPRESS, [a, b, c, 0, 0]));
    }

    pub fn path(&mut self, leaf: u32, index: u32, siblings: u32, depth: u32) {
        let path = &self.blocks[siblings as usize..][..depth as usize];
        let root = T::merkle(&self.blocks[leaf as usize], index, path);
        let d = self.push([root]);
        self.calls
            .push((T::MERKLE, [d, index, siblings, leaf, depth]));
    }
}

/// Returns a path from block 0.
pub fn path<T: PathTable>(index: u32, depth: u32) -> Run<T> {
    let mut run = Run::new();
    run.path(0, index, 1, depth);
    run
}

/// The first row continues a call, and so does a row below one that cannot be continued.
pub fn entered_in_the_middle<T: PathTable>() {
    let first = T::FIRST;
    let fault = forged(&path::<T>(0, 1), first + 1, |rows, _| {
        T::path(rows[first]).starts = F::ZERO;
    });
    assert!(fault.is_some());
    let mut run = Run::<T>::new();
    run.compress(0, 1);
    run.path(0, 0, 1, 1);
    let fault = forged(&run, first + 2, |rows, _| {
        T::path(rows[first + 1]).starts = F::ZERO;
    });
    assert!(fault.is_some());
}

pub fn another_node_or_index<T: PathTable>() {
    let first = T::FIRST;
    // The node of level 1 is not the parent of level 0.
    for (index, child) in [(0, 0), (2, LANES)] {
        for lane in child..child + LANES {
            let fault = forged(&path::<T>(index, 2), first + 2, |rows, _| {
                T::inputs(rows[first + 1])[lane] += F::ONE;
            });
            assert!(fault.is_some());
        }
    }
    // The path of index 3 answers a call with index 1.
    let mut run = path::<T>(3, 2);
    let mut honest = Bench::<T>::new(&run.execution()).trace_of(first + 2);
    run.last_call()[1] = 1;
    let fault = forged(&run, first + 2, |rows, _| {
        for (row, honest) in rows.iter_mut().zip(honest.rows_mut()) {
            **row = *Row::of(honest);
        }
    });
    assert!(fault.is_some());
    // A bit that is not boolean: with one level, the index is 2 = 0 + 2 * 1.
    let mut run = path::<T>(0, 1);
    run.last_call()[1] = 2;
    let fault = forged(&run, first + 1, |rows, _| {
        let path = T::path(rows[first]);
        (path.is_left, path.is_right, path.index) = (-F::ONE, F::TWO, F::TWO);
    });
    assert!(fault.is_some());
}
