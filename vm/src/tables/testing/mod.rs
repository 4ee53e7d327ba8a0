//! Finds what is wrong with the trace of one table: it checks constraints, and messages against the
//! calls and the memory of a run.

mod cores;
pub mod digests;
mod forge;
mod proof;

pub use forge::forge;

use std::collections::BTreeMap;

use droste_air::End;
use droste_air::test_utils::{Failure, Harness, RowBuilder, Table as Tested};
use droste_native::{EF, F};
use p3_air::Air;
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_lookup::{InteractionSymbolicBuilder, LogUpGadget, LookupProtocol, Lookups};
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;

use super::{LANES, Table, TraceInput, bus};
use crate::isa::Program;
use crate::record::{Call, Execution};
use crate::tables::LookupCounts;

/// Net number of times that a table takes each message, by bus.
type Messages = BTreeMap<String, BTreeMap<Vec<u32>, u32>>;

/// Returns a run without instructions that makes these calls and leaves these blocks in memory.
pub fn execution(blocks: Vec<[F; LANES]>, calls: &[(u32, [u32; 5])]) -> Execution {
    let mut execution = Execution::default();
    execution.memory.blocks = blocks;
    for &(identity, operands) in calls {
        let [a, b, c, d, e] = operands.map(F::from_u32);
        execution.calls[identity as usize].push(Call { a, b, c, d, e });
    }
    execution
}

/// A table with the run it serves.
pub struct Bench<'a, T> {
    table: &'a T,
    execution: &'a Execution,
}

impl<'a, T> Bench<'a, T>
where
    T: Table + Air<InteractionSymbolicBuilder<F, EF>> + Air<RowBuilder<F>>,
{
    pub fn new(table: &'a T, execution: &'a Execution) -> Self {
        Self { table, execution }
    }

    /// Returns the honest trace of the least height, and its lookup counts.
    pub fn trace(&self) -> (RowMajorMatrix<F>, LookupCounts) {
        self.generate(1)
    }

    /// Returns the honest trace of the least height that is at least `height`.
    pub fn trace_of(&self, height: usize) -> RowMajorMatrix<F> {
        self.generate(height).0
    }

    fn rows(&self) -> usize {
        let program = Program::default();
        let input = TraceInput {
            program: &program,
            execution: self.execution,
        };
        self.table.rows(&input)
    }

    fn generate(&self, height: usize) -> (RowMajorMatrix<F>, LookupCounts) {
        let program = Program::default();
        let input = TraceInput {
            program: &program,
            execution: self.execution,
        };
        let mut counts = LookupCounts::new(&input);
        let rows = self.table.rows(&input).max(height);
        let log_height = rows.next_power_of_two().ilog2() as usize;
        let trace = self.table.trace(&input, log_height, &mut counts);
        assert_eq!(trace.height(), 1 << log_height);
        assert_eq!(trace.width(), self.table.width());
        (trace, counts)
    }

    /// Returns the first thing that is wrong with a trace, if any: a constraint, a call that was
    /// not made or is not answered, a block that is not in memory, or a compression or permutation
    /// that is not right. How often a block is looked up is never wrong, since the prover chooses
    /// the multiplicities of memory.
    ///
    /// Rows form a ring here. A table that says that it is sound without one must refuse whatever
    /// it refuses with it, which is asserted.
    pub fn fault(&self, trace: &RowMajorMatrix<F>) -> Option<String> {
        let fault = self.fault_with(End::Ring, trace);
        if let Some(fault) = &fault
            && self.table.is_sound_with(End::Repeat)
        {
            let repeated = self.fault_with(End::Repeat, trace);
            assert!(
                repeated.is_some(),
                "only a ring refuses this trace: {fault}"
            );
        }
        fault
    }

    /// Returns the first thing that is wrong with a trace whose last row this follows.
    fn fault_with(&self, end: End, trace: &RowMajorMatrix<F>) -> Option<String> {
        let mut messages = match self.messages(end, trace) {
            Ok(messages) => messages,
            Err(failure) => return Some(failure.to_string()),
        };
        let blocks = messages.remove(bus::BLOCK.name()).unwrap_or_default();
        if let Some(fields) = blocks.into_keys().find(|fields| !self.holds(fields)) {
            return Some(format!("block {fields:?} is not in memory"));
        }
        let mut calls = messages.remove(bus::CALL.name()).unwrap_or_default();
        for (precompile, call) in super::calls(self.table.precompiles(), self.execution) {
            let mut message = vec![precompile.identity];
            let operands = [call.a, call.b, call.c, call.d, call.e];
            message.extend(operands.map(|operand| operand.as_canonical_u32()));
            let net = F::from_u32(calls.remove(&message).unwrap_or(0)) + F::ONE;
            if net != F::ZERO {
                calls.insert(message, net.as_canonical_u32());
            }
        }
        if let Some((call, count)) = calls.pop_first() {
            return Some(format!("call {call:?} has net count {count}"));
        }
        for (bus, messages) in messages {
            if let Some(message) = messages.into_keys().find(|m| !cores::is_true(&bus, m)) {
                return Some(format!("no table sends {message:?} on bus {bus}"));
            }
        }
        None
    }

    /// Returns whether memory holds the block of a message.
    fn holds(&self, message: &[u32]) -> bool {
        let block = self.execution.memory.blocks.get(message[0] as usize);
        block.is_some_and(|block| {
            block
                .iter()
                .map(PrimeField32::as_canonical_u32)
                .eq(message[1..].iter().copied())
        })
    }

    /// Asserts that the honest trace is accepted and that its multiplicities are the numbers of its
    /// lookups.
    pub fn assert_accepts(&self) {
        let (trace, counts) = self.trace();
        assert_eq!(self.fault(&trace), None);
        let mut counted = vec![0; counts.blocks.len()];
        if self.table.is_sound_with(End::Repeat) {
            // There, the last row must be padding.
            let height = trace.height();
            let (padded, _) = self.generate(self.rows() + 1);
            assert_eq!(
                self.fault_with(End::Repeat, &padded),
                None,
                "of {height} rows"
            );
        }
        let mut messages = self.messages(End::Ring, &trace).expect("accepted above");
        for (fields, count) in messages.remove(bus::BLOCK.name()).unwrap_or_default() {
            counted[fields[0] as usize] += count;
        }
        assert_eq!(counted, counts.blocks);
    }

    /// Changes every cell of the honest trace, one at a time, to several values. Returns the cells
    /// `(row, column)` of which a change was not noticed.
    pub fn free_cells(&self) -> Vec<(usize, usize)> {
        let (honest, _) = self.trace();
        let width = honest.width();
        let mut trace = honest.clone();
        let mut free = Vec::new();
        for (index, &value) in honest.values.iter().enumerate() {
            let others = [
                value + F::ONE,
                F::ONE - value,
                value.double() + F::from_u32(7),
            ];
            for other in others.into_iter().filter(|&other| other != value) {
                trace.values[index] = other;
                if self.fault(&trace).is_none() {
                    free.push((index / width, index % width));
                    break;
                }
            }
            trace.values[index] = value;
        }
        free
    }

    /// Returns the number of base field columns of the lookup argument at degree 3: the accumulator
    /// and one column per packed lookup.
    pub fn lookup_width(&self) -> usize {
        let packed = Lookups::from_air::<EF, T>(self.table).pack_same_bus(&LogUpGadget, 3);
        for lookup in packed.iter() {
            assert!(
                LogUpGadget.constraint_degree(lookup) <= 3,
                "degree of a lookup"
            );
        }
        (1 + packed.len()) * droste_native::field::EXTENSION_DEGREE
    }

    /// Returns the net number of times that the table takes each message, by bus, or the constraint
    /// that fails.
    fn messages(&self, end: End, trace: &RowMajorMatrix<F>) -> Result<Messages, Failure> {
        let table = Tested::new(self.table.name(), self.table, trace.clone()).end(end);
        Harness::new(vec![table]).messages()
    }
}
