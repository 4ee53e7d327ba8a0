//! Where the cycles of a run go: by zk-DSL function, as folded stacks and as a flame graph.

use std::collections::HashMap;

use inferno::flamegraph::{Options, from_lines};
use p3_field::PrimeField32;
use thiserror::Error;

use crate::compiler::Compiled;
use crate::isa::{Op, id};
use crate::record::{Call, Execution};

/// What a flame graph counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// Instructions executed.
    Cycles,
    /// Instructions plus the rows of the precompiles they call, each row weighted with the number of
    /// columns given for its precompile (index = identity; index 0 weighs a cycle).
    Cells([u64; id::COUNT]),
}

/// The flame graph could not be drawn.
#[derive(Debug, Error)]
#[error("cannot draw the flame graph: {0}")]
pub struct ProfileError(String);

/// Rows that one call takes in its precompile's table.
pub fn rows(identity: u32, call: &Call) -> u64 {
    let e = u64::from(call.e.as_canonical_u32());
    match identity {
        id::HORNER => (u64::from(call.c.as_canonical_u32()) + e).div_ceil(8),
        id::UNPACK => {
            let count = u64::from(call.c.as_canonical_u32());
            // The last element's first lane; from lane 4 on it reaches into one more block.
            count + u64::from((e + 5 * (count - 1)) % 8 > 3)
        }
        id::POSEIDON16_SPONGE => e.div_ceil(8),
        id::POSEIDON16_MERKLE | id::BLAKE3_MERKLE | id::KECCAK_MERKLE | id::LIMBS => e,
        id::BLAKE3_CHUNK => e.div_ceil(16),
        id::KECCAK_HASH => e / 34 + 1,
        _ => 1,
    }
}

/// Weight of each stack of functions, innermost last, separated by `;`, in alphabetical order.
///
/// A function that is compiled out of line begins a stack of its own.
pub fn folded(compiled: &Compiled, execution: &Execution, weight: Weight) -> Vec<(String, u64)> {
    let map = &compiled.source_map;
    let mut by_site: HashMap<u32, u64> = HashMap::new();
    let mut next = [0usize; id::COUNT];
    for cycle in &execution.cycles {
        let pc = cycle.pc as usize;
        let site = map.locations.get(pc).map_or(0, |location| location.site);
        let cost = match weight {
            Weight::Cycles => 1,
            Weight::Cells(columns) => {
                let instruction = compiled.program.instructions.get(pc);
                let called = instruction.filter(|instruction| instruction.op == Op::Call);
                let precompile = called.map_or(0, |instruction| {
                    let identity = instruction.id as usize;
                    let call = &execution.calls[identity][next[identity]];
                    next[identity] += 1;
                    columns[identity] * rows(instruction.id, call)
                });
                columns[0] + precompile
            }
        };
        *by_site.entry(site).or_default() += cost;
    }
    let mut stacks: HashMap<String, u64> = HashMap::new();
    for (site, cost) in by_site {
        let mut names = Vec::new();
        let mut at = Some(site);
        while let Some(site) = at.and_then(|site| map.sites.get(site as usize)) {
            names.push(site.function.as_str());
            at = site.parent;
        }
        names.reverse();
        *stacks.entry(names.join(";")).or_default() += cost;
    }
    let mut stacks: Vec<_> = stacks.into_iter().collect();
    stacks.sort();
    stacks
}

/// The flame graph of a run, as SVG.
///
/// # Errors
///
/// If the drawing library refuses; it does for a run without cycles.
pub fn flame_graph(
    compiled: &Compiled,
    execution: &Execution,
    weight: Weight,
) -> Result<String, ProfileError> {
    let lines: Vec<String> = folded(compiled, execution, weight)
        .into_iter()
        .map(|(stack, cost)| format!("{stack} {cost}"))
        .collect();
    let mut options = Options::default();
    options.count_name = match weight {
        Weight::Cycles => "cycles".into(),
        Weight::Cells(_) => "cells".into(),
    };
    let mut svg = Vec::new();
    let lines = lines.iter().map(String::as_str);
    from_lines(&mut options, lines, &mut svg).map_err(|error| ProfileError(error.to_string()))?;
    String::from_utf8(svg).map_err(|error| ProfileError(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiler::compile;
    use crate::executor::{Tape, execute};
    use droste_native::F;
    use p3_field::PrimeCharacteristicRing;

    #[test]
    fn every_cycle_is_counted_once() {
        let source = "use droste_gadgets::prelude::*;
            fn twice(x: Block) -> Block { poseidon16_compress(x, poseidon16_compress(x, x)) }
            pub fn main() {
                let n = public_input();
                let mut block = Block::ZERO;
                for _i in count_to(n) { block = twice(block); }
                reveal(block.lane(0));
            }";
        let compiled = compile(source, &[]).unwrap();
        let execution = execute(&compiled, &[F::from_u32(5)], &Tape::default(), 1000).unwrap();
        let stacks = folded(&compiled, &execution, Weight::Cycles);
        let total: u64 = stacks.iter().map(|(_, cost)| cost).sum();
        assert_eq!(total, execution.cycles.len() as u64);
        // Five iterations of two compressions.
        assert!(
            stacks.contains(&("main;twice".to_owned(), 10)),
            "{stacks:?}"
        );
        let mut columns = [0; id::COUNT];
        columns[id::POSEIDON16_COMPRESS as usize] = 100;
        let cells = folded(&compiled, &execution, Weight::Cells(columns));
        assert!(
            cells.contains(&("main;twice".to_owned(), 1000)),
            "{cells:?}"
        );
        let svg = flame_graph(&compiled, &execution, Weight::Cycles).unwrap();
        assert!(svg.contains("<svg") && svg.contains("twice"));
    }
}
