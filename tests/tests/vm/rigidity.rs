//! Whether the inputs of a run determine every cell of its tables, to first order.

use crate::common::{fibonacci, halt, run, statement};
use droste_air::End;
use droste_air::test_utils::{Harness, Part, Rigidity, Table as Traced};
use droste_native::F;
use droste_vm::machine::{Machine, StandardTables, precompiles_of};
use droste_vm::tables::program::ProgramTable;
use droste_vm::tables::{
    LookupCounts, Table, TraceInput, baby_bear::BabyBearCols, binary_products::BinaryProductsCols,
    blake3::Blake3CallCols, blocks::BlockCols, carry_pairs::CarryPairsCols, cpu::CpuCols,
    ext::ExtCols, ext4::Ext4Cols, keccak::KeccakCallCols, keccak_sponge::KeccakSpongeCols,
    limbs::LimbsCols, low_24_bits::Low24BitsCols, poseidon2_16::NarrowCols, poseidon2_24::WideCols,
    poseidon2_parent::ParentCols, poseidon2_sponge::SpongeCols, poseidon16::ChainCols,
    poseidon16_tweaked::TweakedCols, power_weights::PowerWeightsCols,
    word_products::WordProductsCols, words::WordCols,
};
use p3_air::{Air, BaseAir, WindowAccess};
use p3_field::{Field, PrimeCharacteristicRing};
use p3_lookup::{Count, InteractionBuilder};
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;

mod calls;

use calls::*;

/// Stands in for a table of compressions or permutations. To first order, its outputs are linear
/// functions of its inputs, each of which depends on all of them.
struct Function {
    bus: &'static str,
    inputs: usize,
    /// The length of a message: inputs and outputs are in one message, or in two.
    length: usize,
    /// The honest messages, those of a row each with the number of times that it is sent.
    messages: RowMajorMatrix<F>,
}

impl BaseAir<F> for Function {
    fn width(&self) -> usize {
        self.messages.width() - 1
    }

    fn preprocessed_trace(&self) -> Option<RowMajorMatrix<F>> {
        Some(self.messages.clone())
    }
}

impl<AB: InteractionBuilder<F = F>> Air<AB> for Function {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let honest = builder.preprocessed().current_slice().to_vec();
        let (row, count) = (main.current_slice(), honest[self.width()]);
        let change = |cell: usize| row[cell] - honest[cell];
        for output in self.inputs..self.width() {
            let inputs = (0..self.inputs).map(|input| {
                change(input) * F::from_usize(input + self.width() * output).inverse()
            });
            builder.assert_eq(change(output), inputs.sum::<AB::Expr>());
        }
        for message in row.chunks_exact(self.length) {
            let count = Count::bounded(count.into(), 1);
            builder.push_interaction(self.bus, message.to_vec(), count);
        }
    }
}

/// A run of a machine: its tables with their traces.
struct Case {
    given: u32,
    tables: Vec<(StandardTables, RowMajorMatrix<F>)>,
    functions: Vec<Function>,
}

impl Case {
    /// A run that computes Fibonacci numbers, then makes calls.
    fn new(kinds: &[fn(&mut Calls)]) -> Self {
        let mut calls = Calls::new();
        kinds.iter().for_each(|kind| kind(&mut calls));
        let given = calls.given.len() as u32;
        let mut compiled = fibonacci(3);
        compiled.program.instructions.pop();
        compiled.program.instructions.extend(calls.instructions);
        compiled.program.instructions.push(halt());
        compiled.globals = calls.results - 1 - given;
        compiled.constants = calls.given;
        let execution = run(&compiled, &statement());

        let program = &compiled.program;
        let log_height = (program.instructions.len() + 2).next_power_of_two().ilog2() as usize;
        let table = ProgramTable::new(program, log_height).unwrap();
        let machine: Machine<StandardTables> =
            Machine::new(table, &precompiles_of(program)).unwrap();
        let input = TraceInput {
            program,
            execution: &execution,
        };
        let mut counts = LookupCounts::new(&input);
        let tables = machine.tables().iter();
        // In their place are functions.
        let in_place = ["blake3", "byte_pairs", "keccak", "spread"];
        let tables = tables.filter(|table| !in_place.contains(&table.name()));
        let tables: Vec<_> = tables
            .map(|table| {
                // Two rows of padding at least.
                let log_height = (table.rows(&input) + 2).next_power_of_two().ilog2() as usize;
                (table.clone(), table.trace(&input, log_height, &mut counts))
            })
            .collect();
        assert_eq!(counts.outside, None);

        let mut functions = Vec::new();
        for (table, trace) in &tables {
            // The state before a permutation and the one after it, which follows in order of
            // messages, have a number each and say which it is.
            let (bus, inputs, in_row) = match table.name() {
                "blake3_calls" => ("blake3", 54, 1),
                "keccak_calls" | "keccak_sponge_calls" => ("keccak_f", 202, 2),
                _ => continue,
            };
            let alone = Harness::new(vec![Traced::new("calls", table, trace.clone())]);
            let messages: Vec<_> = alone
                .messages()
                .unwrap()
                .remove(bus)
                .unwrap()
                .into_iter()
                .collect();
            let length = messages[0].0.len();
            let sent = messages.chunks_exact(in_row).flat_map(|row| {
                let fields = row.iter().flat_map(|(fields, _)| fields);
                let (_, count) = row[0];
                fields
                    .map(|&field| F::from_u32(field))
                    .chain([-F::from_u32(count)])
            });
            functions.push(Function {
                bus,
                inputs,
                length,
                messages: RowMajorMatrix::new(sent.collect(), in_row * length + 1),
            });
        }
        Self {
            given,
            tables,
            functions,
        }
    }

    fn rigidity(&self, end: End) -> Rigidity<'_> {
        let mut traced = Vec::new();
        for (table, trace) in &self.tables {
            let mut traced_table = Traced::new(table.name(), table, trace.clone()).end(end);
            if table.name() == "blocks" {
                traced_table = traced_table.public_values(trace.values[1..9].to_vec());
            }
            traced.push(match names(table.name()) {
                Some(names) => traced_table.names(names),
                None => traced_table,
            });
        }
        for function in &self.functions {
            let messages = &function.messages;
            let width = messages.width();
            let rows = messages
                .values
                .chunks(width)
                .flat_map(|row| &row[..width - 1]);
            let trace = RowMajorMatrix::new(rows.copied().collect(), width - 1);
            traced.push(Traced::new(function.bus, function, trace));
        }
        Rigidity::new(traced)
            .given("blocks", "lanes", 1..1 + self.given as usize)
            .given("cpu", "fp", [0])
    }
}

fn names(table: &str) -> Option<Vec<String>> {
    Some(match table {
        "cpu" => CpuCols::<u8>::names(),
        "ext" => ExtCols::<u8>::names(),
        "ext4" => Ext4Cols::<u8>::names(),
        "poseidon16" => ChainCols::<u8>::names(),
        "poseidon16_tweaked" => TweakedCols::<u8>::names(),
        "low_24_bits" => Low24BitsCols::<u8>::names(),
        "power_weights" => PowerWeightsCols::<u8>::names(),
        "binary_products" => BinaryProductsCols::<u8>::names(),
        "baby_bear" => BabyBearCols::<u8>::names(),
        "word_products" => WordProductsCols::<u8>::names(),
        "carry_pairs" => CarryPairsCols::<u8>::names(),
        "poseidon2_parent" => ParentCols::<u8>::names(),
        "poseidon2_sponge" => SpongeCols::<u8>::names(),
        "poseidon2_16" => NarrowCols::<u8>::names(),
        "poseidon2_24" => WideCols::<u8>::names(),
        "limbs" => LimbsCols::<u8>::names(),
        "blake3_calls" => Blake3CallCols::<u8>::names(),
        "keccak_calls" => KeccakCallCols::<u8>::names(),
        "keccak_sponge_calls" => KeccakSpongeCols::<u8>::names(),
        "words" => WordCols::<u8>::names(),
        "blocks" => BlockCols::<u8>::names(),
        _ => return None,
    })
}

/// What is free in the run that makes every kind of call: reasons, each above columns with rows.
const FREE: &str = include_str!("rigidity_data/free.txt");

/// What is free in the run that computes products in GF(2^128).
const FREE_OF_PRODUCTS: &str = include_str!("rigidity_data/products.txt");

/// What is free in the run that computes in the challenge field of proofs over BabyBear.
const FREE_OF_BABY_BEAR: &str = include_str!("rigidity_data/baby_bear.txt");

/// What is free in the run that computes products of words in GF(2^128).
const FREE_OF_WORDS: &str = include_str!("rigidity_data/words.txt");

/// What is free in the run that computes at degree 4 and by the Keccak sponge over lanes.
const FREE_OF_DEGREE_4: &str = include_str!("rigidity_data/degree_4.txt");

/// What is free in the run that computes Poseidon2 with round constants of its own.
const FREE_OF_ROUND_CONSTANTS: &str = include_str!("rigidity_data/round_constants.txt");

/// Declares what a list says to be free.
fn declare<'a>(mut rigidity: Rigidity<'a>, list: &'static str) -> Rigidity<'a> {
    let mut reason = "";
    for line in list.lines() {
        if let Some(text) = line.strip_prefix("# ") {
            reason = text;
            continue;
        }
        let (cells, rows) = line.split_once(": ").unwrap();
        let (table, column) = cells.split_once(", ").unwrap();
        let rows = rows.split(' ').flat_map(|range| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            first.parse().unwrap()..=last.parse().unwrap()
        });
        rigidity = rigidity.free(table, column, rows, reason);
    }
    rigidity
}

#[test]
fn inputs_determine_every_cell() {
    let case = Case::new(&[ext, poseidon16, poseidon2, tweaked, arithmetic, digests]);
    for end in [End::Ring, End::Repeat] {
        let report = declare(case.rigidity(end), FREE).check().unwrap();
        report.expect_rigid();
    }
}

/// Products by themselves, since they look up many pairs of carries.
#[test]
fn inputs_determine_every_cell_of_products() {
    let case = Case::new(&[binary]);
    for end in [End::Ring, End::Repeat] {
        let report = declare(case.rigidity(end), FREE_OF_PRODUCTS).check();
        report.unwrap().expect_rigid();
    }
}

/// Arithmetic over BabyBear by itself, since it looks up many pairs of bytes.
#[test]
fn inputs_determine_every_cell_over_baby_bear() {
    let case = Case::new(&[baby_bear]);
    for end in [End::Ring, End::Repeat] {
        let report = declare(case.rigidity(end), FREE_OF_BABY_BEAR).check();
        report.unwrap().expect_rigid();
    }
}

/// Products of words by themselves, likewise.
#[test]
fn inputs_determine_every_cell_of_products_of_words() {
    let case = Case::new(&[words]);
    for end in [End::Ring, End::Repeat] {
        let report = declare(case.rigidity(end), FREE_OF_WORDS).check();
        report.unwrap().expect_rigid();
    }
}

/// The tables of first wraps of other people's proofs, by themselves, since one function stands for
/// the permutations of one table of calls.
#[test]
fn inputs_determine_every_cell_at_degree_4() {
    let case = Case::new(&[ext4, keccak_sponge]);
    for end in [End::Ring, End::Repeat] {
        let report = declare(case.rigidity(end), FREE_OF_DEGREE_4).check();
        report.unwrap().expect_rigid();
    }
}

/// Poseidon2 with round constants of the program's own: what a program gives as data determines
/// them, on every row.
#[test]
fn inputs_determine_every_cell_with_round_constants() {
    let case = Case::new(&[poseidon2_16, poseidon2_24]);
    for end in [End::Ring, End::Repeat] {
        let report = declare(case.rigidity(end), FREE_OF_ROUND_CONSTANTS).check();
        report.unwrap().expect_rigid();
    }
}

/// Leaves out every constraint and every message of a table, one at a time. To first order, the
/// constraints that are not noticed follow from the others in this run: those of `cpu` say that
/// flags are boolean and what the program counter is, which fetches determine, and that a condition
/// is boolean; that of `blocks` says which address comes first, which calls determine. Those of
/// `power_weights` say that flags are boolean, that addresses go up by one (lookups determine
/// them), and what is left at the end of a chain, which follows from its call.
#[test]
fn what_is_left_out_is_noticed() {
    let case = Case::new(&[weights]);
    let cpu = (0..11).chain(16..20).collect();
    for (table, noticed, missed) in [
        ("power_weights", 28, vec![0, 1, 3, 10, 11, 12, 24, 25]),
        ("cpu", 12, cpu),
        ("words", 2, vec![]),
        ("blocks", 10, vec![0]),
    ] {
        let removals = case.rigidity(End::Ring).removals(table).unwrap();
        let unnoticed = removals.iter().filter(|(_, freed)| freed.is_empty());
        let unnoticed: Vec<Part> = unnoticed.map(|(part, _)| *part).collect();
        let missed: Vec<Part> = missed.into_iter().map(Part::Constraint).collect();
        assert_eq!(unnoticed, missed, "{table}");
        assert_eq!(removals.len() - missed.len(), noticed, "{table}");
    }
}
