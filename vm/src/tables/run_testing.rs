//! Tests a run's calls and memory against the messages of the tables that serve it.

use std::collections::BTreeMap;

use droste_air::End;
use droste_air::test_utils::{Harness, RowBuilder, Table as Traced};
use droste_native::F;
use p3_air::Air;
use p3_field::PrimeField32;
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;

use super::{Table, TraceInput, bus};
use crate::isa::Program;
use crate::record::Execution;
use crate::tables::LookupCounts;

/// Returns the trace of a table for a run, and its lookups. Without a given height, it is the least
/// one.
pub fn generate(
    table: &impl Table,
    execution: &Execution,
    log_height: Option<usize>,
) -> (RowMajorMatrix<F>, LookupCounts) {
    let program = Program::default();
    let input = TraceInput {
        program: &program,
        execution,
    };
    let least = table.rows(&input).next_power_of_two().ilog2() as usize;
    let mut counts = LookupCounts::new(&input);
    let trace = table.trace(&input, log_height.unwrap_or(least), &mut counts);
    (trace, counts)
}

/// Asserts that the tables satisfy their constraints, that they receive exactly the calls of the
/// run that name their precompiles, that they look up blocks with the content that memory has and
/// as often as `counts` says, and that every other bus balances among them.
pub fn assert_serves<T: Table + Air<RowBuilder<F>>>(
    driver: &T,
    trace: RowMajorMatrix<F>,
    others: Vec<Traced<'_, F>>,
    execution: &Execution,
    counts: &LookupCounts,
) {
    let program = Program::default();
    let rows = driver.rows(&TraceInput {
        program: &program,
        execution,
    });
    if driver.is_sound_with(End::Repeat) && rows < trace.height() {
        let table = Traced::new(driver.name(), driver, trace.clone()).end(End::Repeat);
        let repeated = Harness::new(vec![table]).messages();
        let ring = Harness::new(vec![Traced::new(driver.name(), driver, trace.clone())]).messages();
        assert_eq!(repeated, ring);
    }
    let mut tables = others;
    tables.push(Traced::new(driver.name(), driver, trace));
    let mut messages = Harness::new(tables).messages().expect("constraints hold");

    let mut calls: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
    for (precompile, call) in super::calls(driver.precompiles(), execution) {
        let operands = [call.a, call.b, call.c, call.d, call.e];
        let fields = operands.map(|operand| operand.as_canonical_u32());
        let message = [&[precompile.identity], &fields[..]].concat();
        *calls.entry(message).or_default() += 1;
    }
    let received = messages.remove(bus::CALL.name()).unwrap_or_default();
    let received: BTreeMap<Vec<u32>, u32> = received
        .into_iter()
        .map(|(fields, count)| (fields, droste_native::field::MODULUS - count))
        .collect();
    assert_eq!(received, calls);

    let mut counted = vec![0; execution.memory.blocks.len()];
    for (fields, count) in messages.remove(bus::BLOCK.name()).unwrap_or_default() {
        let held = execution.memory.blocks[fields[0] as usize];
        assert_eq!(
            held.map(|lane| lane.as_canonical_u32()),
            fields[1..],
            "block {}",
            fields[0]
        );
        counted[fields[0] as usize] += count;
    }
    assert_eq!(counted, counts.blocks);
    for (bus, rest) in messages {
        assert!(rest.is_empty(), "bus {bus}: {rest:?}");
    }
}
