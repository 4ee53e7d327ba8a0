//! Runs without instructions: calls of one table, and the memory that they leave behind.

use std::marker::PhantomData;

use droste_native::F;
use p3_field::PrimeCharacteristicRing;

use super::{Bench, Tested};
use crate::record::{Call, Execution};
use crate::tables::LANES;

pub type Block = [F; LANES];

/// Returns a block of large elements.
pub fn dense(seed: u32) -> Block {
    std::array::from_fn(|i| F::from_u32(seed * 77_777 + 5 * i as u32 + 3).cube())
}

/// Returns a run that makes these calls and leaves these blocks in memory.
pub fn execution(blocks: Vec<Block>, calls: &[(u32, [u32; 5])]) -> Execution {
    let mut execution = Execution::default();
    execution.memory.blocks = blocks;
    for &(identity, operands) in calls {
        let [a, b, c, d, e] = operands.map(F::from_u32);
        execution.calls[identity as usize].push(Call { a, b, c, d, e });
    }
    execution
}

/// Calls of a table, those of every run first, and blocks: the table's data, then those that calls
/// add.
#[derive(Clone)]
pub struct Run<T> {
    pub blocks: Vec<Block>,
    pub calls: Vec<(u32, [u32; 5])>,
    table: PhantomData<T>,
}

impl<T: Tested> Run<T> {
    pub fn new() -> Self {
        Self {
            blocks: T::data(),
            calls: T::calls(),
            table: PhantomData,
        }
    }

    /// Adds blocks, and returns the address of the first.
    pub fn push(&mut self, blocks: impl IntoIterator<Item = Block>) -> u32 {
        let address = self.blocks.len() as u32;
        self.blocks.extend(blocks);
        address
    }

    /// Returns the operands of the last call.
    pub fn last_call(&mut self) -> &mut [u32; 5] {
        &mut self.calls.last_mut().expect("a call").1
    }

    pub fn execution(&self) -> Execution {
        execution(self.blocks.clone(), &self.calls)
    }

    /// Asserts that the honest trace is accepted, with the multiplicities of its lookups.
    pub fn assert_accepts(&self) {
        Bench::<T>::new(&self.execution()).assert_accepts();
    }

    /// Asserts the same of calls that take so many rows, without padding.
    pub fn assert_fills(&self, height: usize) {
        let height_of_trace = Bench::<T>::new(&self.execution()).assert_accepts();
        assert_eq!(height_of_trace, height);
    }

    /// Asserts that every cell is constrained but those of columns that are free on such a row.
    pub fn assert_constrained(
        &self,
        names: &[String],
        free: impl Fn(&T::Row) -> &'static [&'static str],
    ) {
        Bench::<T>::new(&self.execution()).assert_constrained(names, free);
    }

    /// Returns whether Plonky3's verifier accepts a proof of the honest trace.
    pub fn proves(&self) -> bool {
        Bench::<T>::new(&self.execution()).proves()
    }

    /// Returns the same run with another element in its last block, which is a result.
    pub fn with_wrong_result(mut self) -> Self {
        if let Some(block) = self.blocks.last_mut() {
            block[0] += F::ONE;
        }
        self
    }
}
