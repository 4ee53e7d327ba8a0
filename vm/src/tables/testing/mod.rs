//! Finds what is wrong with the trace of one table: it checks constraints, and messages against the
//! calls and the memory of a run.

mod cores;
pub mod digests;
mod forge;
pub mod paths;
mod proof;
mod run;

pub use forge::{forge, forged};
pub use run::{Block, Run, dense, execution};

use std::collections::BTreeMap;

use droste_air::End;
use droste_air::test_utils::constraint_degree;
use droste_air::test_utils::{Failure, Harness, RowBuilder, Rows, Table as Traced};
use droste_native::{EF, F};
use p3_air::Air;
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_lookup::{InteractionSymbolicBuilder, LogUpGadget, LookupProtocol, Lookups};
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;

use super::{CallTable, Row, Table, TraceInput, bus};
use crate::isa::Program;
use crate::machine::StandardTables;
use crate::record::Execution;
use crate::tables::LookupCounts;

/// Net number of times that a table takes each message, by bus.
type Messages = BTreeMap<String, BTreeMap<Vec<u32>, u32>>;

/// A table under test.
pub trait Tested:
    CallTable
    + Default
    + Into<StandardTables>
    + Air<InteractionSymbolicBuilder<F, EF>>
    + Air<RowBuilder<F>>
{
    /// Returns the blocks with which every [`Run`] begins.
    fn data() -> Vec<Block> {
        Vec::new()
    }

    /// Returns the calls with which every [`Run`] begins.
    fn calls() -> Vec<(u32, [u32; 5])> {
        Vec::new()
    }

    /// Computes again everything that depends on the edited cells of rows: what rows carry over
    /// from the row above, what they compute, and the results in memory.
    fn recompute(rows: &mut [&mut Self::Row], execution: &mut Execution);
}

/// Asserts the number of columns of a table, the degree of its constraints, and the number of base
/// field columns of its lookup argument at degree 3: the accumulator and one column per packed
/// lookup.
pub fn assert_shape<T: Tested>(width: usize, degree: usize, lookup_width: usize) {
    let table = T::default();
    assert_eq!(table.width(), width);
    assert_eq!(constraint_degree(&table), degree);
    let packed = Lookups::from_air::<EF, T>(&table).pack_same_bus(&LogUpGadget, 3);
    for lookup in packed.iter() {
        assert!(
            LogUpGadget.constraint_degree(lookup) <= 3,
            "degree of a lookup"
        );
    }
    let columns = (1 + packed.len()) * droste_native::field::EXTENSION_DEGREE;
    assert_eq!(columns, lookup_width);
}

/// The tests that every table of calls has: of its shape ([`assert_shape`]), of no calls but those
/// of every run, and of the calls of `mixed()`.
macro_rules! common_tests {
    ($table:ty: $($shape:literal),+) => {
        #[test]
        fn width_and_degree_are_pinned() {
            $crate::tables::testing::assert_shape::<$table>($($shape),+);
        }

        #[test]
        fn no_calls_is_a_trace_of_padding() {
            $crate::tables::testing::Run::<$table>::new().assert_accepts();
        }

        #[test]
        fn every_call_is_accepted() {
            mixed().assert_accepts();
        }

        #[test]
        fn a_batch_proof_verifies() {
            assert!(mixed().proves());
        }

        #[test]
        fn a_batch_proof_of_a_wrong_result_is_rejected() {
            assert!(!mixed().with_wrong_result().proves());
        }
    };
}
pub(crate) use common_tests;

/// Returns the honest trace of the least height that is at least `height`, and its lookups.
pub fn generate(
    table: &impl Table,
    execution: &Execution,
    height: usize,
) -> (RowMajorMatrix<F>, LookupCounts) {
    let program = Program::default();
    let input = TraceInput {
        program: &program,
        execution,
    };
    let mut counts = LookupCounts::new(&input);
    let rows = table.rows(&input).max(height);
    let log_height = rows.next_power_of_two().ilog2() as usize;
    let trace = table.trace(&input, log_height, &mut counts);
    assert_eq!(trace.height(), 1 << log_height);
    assert_eq!(trace.width(), table.width());
    (trace, counts)
}

/// Asserts that no change of a cell of these rows passes, whatever follows the last row, except
/// that of columns which are free on padding. The other side of every bus is honest.
pub fn assert_no_cell_changes<T: Tested>(
    execution: &Execution,
    height: usize,
    names: &[String],
    free_on_padding: &[&str],
    rows: &Rows,
) {
    let table = T::default();
    let (trace, _) = generate(&table, execution, height);
    for end in [End::Ring, End::Repeat] {
        let traced = Traced::new(T::NAME, &table, trace.clone()).names(names.to_vec());
        let mut harness = Harness::new(vec![traced.end(end)]);
        for bus in bus::DECLARATIONS {
            harness = harness.open_bus(bus.bus);
        }
        for column in free_on_padding {
            harness = harness.free_on_padding(T::NAME, column, "no message on padding");
        }
        harness.mutate(T::NAME, rows).expect_caught();
    }
}

/// A table with the run it serves.
pub struct Bench<'a, T> {
    table: T,
    execution: &'a Execution,
}

impl<'a, T: Tested> Bench<'a, T> {
    pub fn new(execution: &'a Execution) -> Self {
        let table = T::default();
        Self { table, execution }
    }

    /// Returns the honest trace of the least height that is at least `height`.
    pub fn trace_of(&self, height: usize) -> RowMajorMatrix<F> {
        generate(&self.table, self.execution, height).0
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
        for (precompile, call) in super::calls(T::PRECOMPILES, self.execution) {
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
            if let Some(message) = cores::refused(&bus, &messages) {
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
    /// lookups. Returns its height.
    pub fn assert_accepts(&self) -> usize {
        let (trace, counts) = generate(&self.table, self.execution, 1);
        assert_eq!(self.fault(&trace), None);
        if self.table.is_sound_with(End::Repeat) {
            // There, the last row must be padding.
            let rows = super::calls(T::PRECOMPILES, self.execution)
                .map(|(precompile, call)| super::call_rows(precompile, call))
                .sum::<usize>();
            let padded = self.trace_of(rows + 1);
            assert_eq!(
                self.fault_with(End::Repeat, &padded),
                None,
                "of {} rows",
                trace.height()
            );
        }
        let mut counted = vec![0; counts.blocks.len()];
        let mut messages = self.messages(End::Ring, &trace).expect("accepted above");
        for (fields, count) in messages.remove(bus::BLOCK.name()).unwrap_or_default() {
            counted[fields[0] as usize] += count;
        }
        assert_eq!(counted, counts.blocks);
        trace.height()
    }

    /// Changes every cell of the honest trace, one at a time, to several values. Asserts that every
    /// change is noticed, except those of columns that are free on such a row. A name without an
    /// index stands for all columns of an array.
    pub fn assert_constrained(
        &self,
        names: &[String],
        free: impl Fn(&T::Row) -> &'static [&'static str],
    ) {
        let mut trace = self.trace_of(1);
        let width = trace.width();
        for index in 0..trace.values.len() {
            let value = trace.values[index];
            let others = [
                value + F::ONE,
                F::ONE - value,
                value.double() + F::from_u32(7),
            ];
            let noticed = others.into_iter().all(|other| {
                trace.values[index] = other;
                other == value || self.fault(&trace).is_some()
            });
            trace.values[index] = value;
            if !noticed {
                let (row, name) = (index / width, names[index % width].as_str());
                let array = name.split('[').next().unwrap_or(name);
                let free = free(Row::of(&mut trace.values[row * width..][..width]));
                assert!(
                    free.contains(&name) || free.contains(&array),
                    "row {row}, column {name}"
                );
            }
        }
    }

    /// Returns the net number of times that the table takes each message, by bus, or the constraint
    /// that fails.
    fn messages(&self, end: End, trace: &RowMajorMatrix<F>) -> Result<Messages, Failure> {
        let table = Traced::new(T::NAME, &self.table, trace.clone()).end(end);
        Harness::new(vec![table]).messages()
    }
}
