//! Profiles: how the cycles or costs of a run are distributed over zk-DSL functions, as folded
//! stacks and as a flame graph.

#[cfg(feature = "flame-graph")]
mod flame_graph;
mod lines;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use droste_native::{EF, F};
use p3_air::Air;
use p3_field::PrimeField32;
use p3_lookup::InteractionSymbolicBuilder;

use crate::compiler::{Compiled, Location, Span};
use crate::heights::padded_log_height;
use crate::isa::{Op, Program, id};
use crate::lookups::packed_lookups;
use crate::machine::{Machine, MachineError, MachineTables, precompiles_of};
use crate::precompile::{Operand, Parameter, Precompile};
use crate::record::{Call, Execution};
use crate::report::{TableReport, table_reports};
use crate::tables::program::ProgramTable;
use crate::tables::{TraceInput, calls};

#[cfg(feature = "flame-graph")]
pub use flame_graph::{ProfileError, flame_graph};
pub use lines::{cpu_profile, line_table};

/// What a flame graph counts.
#[derive(Clone, Debug, PartialEq)]
pub enum Weight {
    /// Executed instructions.
    Cycles,
    /// Cost of the tables' Fourier transforms, `w * h * log2(h)`.
    FftCost(FftWeights),
    /// Blocks of memory, each for the call of a precompile that is the first to read or write it.
    Blocks,
}

/// Cost of each cycle and each precompile row of a run. Over the whole run they sum, up to
/// rounding, to the `fft_cost` of its tables at their least heights, padding included.
#[derive(Clone, Debug, PartialEq)]
pub struct FftWeights {
    /// Cost per cycle: its share of the tables `cpu`, `program`, `words` and `blocks`.
    pub cycle: f64,
    /// Cost per row of each precompile, by its identity: its share of the tables that serve it.
    pub rows: BTreeMap<u32, f64>,
}

impl Weight {
    /// What is counted, in the plural.
    pub const fn unit(&self) -> &'static str {
        match self {
            Self::Cycles => "cycles",
            Self::FftCost(_) => "units of fft_cost",
            Self::Blocks => "blocks",
        }
    }
}

impl FftWeights {
    /// Computes the weights of a run on the machine of its program.
    ///
    /// # Errors
    /// If no table serves one of the precompiles that the program calls.
    pub fn new<T>(program: &Program, execution: &Execution) -> Result<Self, MachineError>
    where
        T: MachineTables + Air<InteractionSymbolicBuilder<F, EF>>,
    {
        let log_height = padded_log_height(program.instructions.len());
        let table = ProgramTable::of_height(log_height);
        let machine = Machine::<T>::new(table, &precompiles_of(program))?;
        let tables = machine.tables();
        let input = TraceInput { program, execution };
        let height = |table: &T| {
            let minimal = || padded_log_height(table.rows(&input));
            table.fixed_log_height().unwrap_or_else(minimal)
        };
        let lookups: Vec<_> = tables.iter().map(packed_lookups).collect();
        let log_heights: Vec<_> = tables.iter().map(height).collect();
        let costs = table_reports(tables, &lookups, &log_heights);
        let (mut shared, mut by_row) = (0.0, BTreeMap::new());
        for (table, cost) in tables.iter().zip(costs.iter().map(TableReport::fft_cost)) {
            let calls = calls(table.precompiles(), execution);
            match calls
                .map(|(precompile, call)| (precompile.rows)(call))
                .sum::<u64>()
            {
                0 => shared += cost as f64,
                rows => {
                    for precompile in table.precompiles() {
                        let weight = by_row.entry(precompile.identity).or_insert(0.0);
                        *weight += cost as f64 / rows as f64;
                    }
                }
            }
        }
        Ok(Self {
            cycle: shared / execution.cycles.len().max(1) as f64,
            rows: by_row,
        })
    }
}

/// Returns the weight of each stack of functions, in alphabetical order. A stack is written from
/// the outermost function to the innermost, separated by `;`. With `lines`, each name but the last
/// has the line of the call in it, and the last the line that runs: `main:12;twice:4`.
///
/// A function that is compiled out of line begins a stack of its own.
pub fn folded(
    compiled: &Compiled,
    execution: &Execution,
    weight: &Weight,
    lines: bool,
) -> Vec<(String, u64)> {
    let mut stacks: BTreeMap<String, f64> = BTreeMap::new();
    for (frames, cost) in stacks_of(compiled, execution, weight) {
        let frames = frames.iter().map(|frame| {
            if lines {
                format!("{}:{}", frame.function, frame.line)
            } else {
                frame.function.to_owned()
            }
        });
        let stack: Vec<_> = frames.collect();
        *stacks.entry(stack.join(";")).or_default() += cost;
    }
    let rounded = |(stack, cost): (String, f64)| (stack, cost.round() as u64);
    stacks.into_iter().map(rounded).collect()
}

/// A function in a stack, and a line of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Frame<'a> {
    function: &'a str,
    path: &'a str,
    /// Line of the call of the next function or, in the innermost, the line that runs.
    line: usize,
}

/// Returns the weight of each stack of functions and lines, from the outermost function on.
fn stacks_of<'a>(
    compiled: &'a Compiled,
    execution: &Execution,
    weight: &Weight,
) -> BTreeMap<Vec<Frame<'a>>, f64> {
    let map = &compiled.source_map;
    let mut by_location: HashMap<Location, f64> = HashMap::new();
    let mut next: HashMap<u32, usize> = HashMap::new();
    let mut known: HashSet<u64> = HashSet::new();
    for cycle in &execution.cycles {
        let pc = cycle.pc as usize;
        let location = map.locations.get(pc).copied().unwrap_or_default();
        let instruction = compiled.program.instructions.get(pc);
        let called = instruction.filter(|instruction| instruction.op == Op::Call);
        let called = called.and_then(|instruction| {
            let identity = instruction.id;
            let number = next.entry(identity).or_default();
            let call = execution.calls[identity as usize].get(*number);
            *number += 1;
            Some((compiled.precompile(identity)?, call?))
        });
        let cost = match weight {
            Weight::Cycles => 1.0,
            Weight::FftCost(weights) => {
                let rows = called.and_then(|(precompile, call)| {
                    let weight = weights.rows.get(&precompile.identity)?;
                    Some(weight * (precompile.rows)(call) as f64)
                });
                weights.cycle + rows.unwrap_or(0.0)
            }
            Weight::Blocks => {
                let blocks = called.map(|(precompile, call)| blocks(precompile, call));
                let new = blocks.into_iter().flatten().flatten();
                new.filter(|&block| known.insert(block)).count() as f64
            }
        };
        *by_location.entry(location).or_default() += cost;
    }
    let mut known_lines: HashMap<Span, usize> = HashMap::new();
    let mut stacks: BTreeMap<Vec<Frame<'a>>, f64> = BTreeMap::new();
    for (location, cost) in by_location {
        let mut frames = Vec::new();
        let (mut span, mut at) = (location.span, Some(location.site));
        while let Some(site) = at.and_then(|site| map.sites.get(site as usize)) {
            let line = known_lines.entry(span);
            let file = map.files.get(span.file as usize);
            frames.push(Frame {
                function: &site.function,
                path: file.map_or("", |file| &file.path),
                line: *line.or_insert_with(|| map.line_column(span).0),
            });
            (span, at) = (site.call, site.parent);
        }
        frames.reverse();
        *stacks.entry(frames).or_default() += cost;
    }
    stacks
}

/// The addresses of the blocks that a call reads or writes.
fn blocks(precompile: &Precompile, call: &Call) -> Vec<Range<u64>> {
    let operand = |operand| {
        let value = match operand {
            Operand::A => call.a,
            Operand::B => call.b,
            Operand::C => call.c,
            Operand::D => call.d,
            Operand::E => call.e,
        };
        u64::from(value.as_canonical_u32())
    };
    let slice = |at, length: u64| operand(at)..operand(at) + length;
    let Some(function) = precompile.functions.first() else {
        // What operators become: `ext` and `ext4` have scalars where bits 0 and 1 of E are set,
        // `baby_bear` has none.
        let scalars = operand(Operand::E);
        let (b, c, d) = match precompile.identity {
            id::EXT | id::EXT4 | id::BABY_BEAR => (scalars & 1 == 0, scalars & 2 == 0, true),
            id::BLOCK_EQ => (true, false, false),
            _ => (false, false, false),
        };
        let read = [
            (Operand::A, true),
            (Operand::B, b),
            (Operand::C, c),
            (Operand::D, d),
        ];
        let read = read.into_iter().filter(|(_, is_block)| *is_block);
        return read.map(|(at, _)| slice(at, 1)).collect();
    };
    let mut integers = [0; 3];
    let given = function
        .parameters
        .iter()
        .filter(|parameter| parameter.is_integer());
    for (integer, parameter) in integers.iter_mut().zip(given) {
        *integer = operand(parameter.operand());
    }
    let parameters = function
        .parameters
        .iter()
        .filter_map(|parameter| match *parameter {
            Parameter::Ext(at) | Parameter::Block(at) => Some(slice(at, 1)),
            Parameter::Slice(at, length) => Some(slice(at, length(integers))),
            _ => None,
        });
    let output = function.output.operand();
    let output = output.map(|at| slice(at, function.output.blocks(integers)));
    parameters.chain(output).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use droste_native::{Blake3Suite, FriSettings};
    use p3_field::PrimeCharacteristicRing;

    use crate::compiler::compile;
    use crate::executor::{Tape, execute};
    use crate::fri::{ProveOptions, prove, verify};
    use crate::heights::Heights;
    use crate::machine::StandardTables;
    use crate::verifier::VerifyOptions;

    #[test]
    fn structs_at_fixed_addresses_have_functions_of_their_own() {
        let source = "use droste_gadgets::prelude::*;
            #[derive(Clone, Copy)]
            struct Pair { x: Ext, y: Ext }
            #[inline(never)]
            fn product(pair: Pair, z: Felt) -> Ext { pair.x * pair.y + z }
            pub fn main() {
                let z = public_input();
                let x = (Ext::new([1, 2, 3, 4, 5]) * z).pin();
                let pair = Pair { x, y: Ext::new([7, 0, 0, 0, 0]) };
                reveal((product(pair, z) + product(pair, z + z)).coeff(1));
            }";
        let compiled = compile(source, &[]).unwrap();
        let execution = execute(&compiled, &[F::from_u32(3)], &Tape::default(), 1000).unwrap();
        assert_eq!(execution.statement[1], F::from_u32(2 * 2 * 7 * 3));
        let stacks = folded(&compiled, &execution, &Weight::Cycles, false);
        let product = stacks.iter().find(|(stack, _)| stack.ends_with("product"));
        assert!(product.is_some(), "{stacks:?}");
    }

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
        let stacks = folded(&compiled, &execution, &Weight::Cycles, false);
        let total: u64 = stacks.iter().map(|(_, cost)| cost).sum();
        assert_eq!(total, execution.cycles.len() as u64);
        // The program does five iterations of two compressions each.
        assert!(
            stacks.contains(&("main;twice".to_owned(), 10)),
            "{stacks:?}"
        );
        #[cfg(feature = "flame-graph")]
        {
            let svg = flame_graph(&compiled, &execution, &Weight::Cycles).unwrap();
            assert!(svg.contains("<svg") && svg.contains("twice:2"));
        }
        // The five iterations run both calls of the second line.
        let table = line_table(&compiled, &execution, &Weight::Cycles);
        let row = table.lines().find(|row| row.contains("main.rs:2")).unwrap();
        let cells: Vec<&str> = row.split_whitespace().collect();
        assert_eq!((cells[0], cells[4]), ("10", "twice"), "{table}");
        let profile = cpu_profile(&compiled, &execution, &Weight::Cycles);
        assert_eq!(profile.matches(r#""functionName":"twice""#).count(), 1);
        assert!(profile.contains(r#"{"line":2,"ticks":10}"#), "{profile}");

        // Each compression writes one.
        let blocks = folded(&compiled, &execution, &Weight::Blocks, false);
        let total: u64 = blocks.iter().map(|(_, blocks)| blocks).sum();
        assert!((11..=execution.memory.blocks.len() as u64).contains(&total));
        assert!(
            blocks
                .iter()
                .any(|(stack, blocks)| stack == "main;twice" && *blocks >= 10)
        );

        // By cost, the weights sum to the cost of the tables, most of which is that of the
        // compressions.
        let program = &compiled.program;
        let weights = FftWeights::new::<StandardTables>(program, &execution).unwrap();
        let columns = weights.rows[&id::POSEIDON16_COMPRESS] * 10.0;
        let stacks = folded(&compiled, &execution, &Weight::FftCost(weights), false);
        let total: u64 = stacks.iter().map(|(_, cost)| cost).sum();
        let options = ProveOptions {
            settings: FriSettings::toy(),
            heights: Heights::Minimal,
        };
        let proof = prove::<Blake3Suite>(program, &execution, &options).unwrap();
        let report = verify::<Blake3Suite, StandardTables>(
            &proof.key,
            &[],
            VerifyOptions::min_bits(0),
            &proof,
        )
        .unwrap();
        let expected: u64 = report.tables.iter().map(TableReport::fft_cost).sum();
        assert!(total.abs_diff(expected) <= stacks.len() as u64);
        let twice = stacks.iter().find(|(stack, _)| stack == "main;twice");
        assert!(twice.unwrap().1 as f64 >= columns);
    }
}
