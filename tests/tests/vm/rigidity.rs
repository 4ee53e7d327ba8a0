//! Whether the inputs of a run determine every cell of its tables, to first order.

use crate::common::{call, fibonacci, halt, run, statement};
use droste_air::End;
use droste_air::test_utils::{Harness, Part, Rigidity, Table as Traced};
use droste_native::hash::poseidon2::Constants;
use droste_native::{EF, EF4, F, precompile as native};
use droste_vm::isa::{Instruction, id};
use droste_vm::machine::{Machine, StandardTables, precompiles_of};
use droste_vm::tables::program::ProgramTable;
use droste_vm::tables::{
    LookupCounts, Table, TraceInput, binary_products::BinaryProductsCols, blake3::Blake3CallCols,
    blocks::BlockCols, carry_pairs::CarryPairsCols, cpu::CpuCols, ext::ExtCols, ext4::Ext4Cols,
    keccak::KeccakCallCols, keccak_sponge::KeccakSpongeCols, limbs::LimbsCols,
    low_24_bits::Low24BitsCols, poseidon2_16::NarrowCols, poseidon2_24::WideCols,
    poseidon2_parent::ParentCols, poseidon2_sponge::SpongeCols, poseidon16::ChainCols,
    poseidon16_tweaked::TweakedCols, power_weights::PowerWeightsCols, words::WordCols,
};
use p3_air::{Air, BaseAir, WindowAccess};
use p3_field::{BasedVectorSpace, Field, PrimeCharacteristicRing, PrimeField32, TwoAdicField};
use p3_lookup::{Count, InteractionBuilder};
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;

type Block = [F; 8];

/// Address of the first block that the run computes. All blocks before are given.
const RESULTS: u32 = 200;

/// Calls of precompiles, and the blocks that they take.
struct Calls {
    given: Vec<Block>,
    results: u32,
    instructions: Vec<Instruction>,
}

fn random(seed: u32) -> Block {
    std::array::from_fn(|lane| F::from_u32(seed * 77_777 + 5 * lane as u32 + 3).cube())
}

fn limbs(seed: u32) -> Block {
    random(seed).map(|value| F::from_u32(value.as_canonical_u32() & 0xffff))
}

fn element(seed: u32) -> EF {
    EF::from_basis_coefficients_fn(|index| random(seed)[index])
}

impl Calls {
    fn new() -> Self {
        Self {
            given: Vec::new(),
            results: RESULTS,
            instructions: Vec::new(),
        }
    }

    /// Appends given blocks, and returns the address of the first one.
    fn many(&mut self, blocks: Vec<Block>) -> u32 {
        // Block 0 is the statement.
        let at = 1 + self.given.len() as u32;
        self.given.extend(blocks);
        assert!(
            self.given.len() < RESULTS as usize,
            "{} blocks",
            self.given.len()
        );
        at
    }

    /// Appends a given block, and returns its address.
    fn one(&mut self, block: Block) -> u32 {
        self.many(vec![block])
    }

    /// Appends given blocks that a sponge absorbs, of which the last is as it absorbs it, and
    /// returns the address of the first one.
    fn absorbed(&mut self, mut blocks: Vec<Block>, last: Block) -> u32 {
        blocks.pop();
        blocks.push(last);
        self.many(blocks)
    }

    /// Returns the address of blocks that a call writes.
    fn results(&mut self, count: u32) -> u32 {
        self.results += count;
        self.results - count
    }

    fn call(&mut self, identity: u32, operands: [u32; 5]) {
        self.instructions.push(call(identity, operands));
    }

    /// Returns the address of a slice with so many lanes, which calls of `ext` write: whole blocks
    /// as copies of given ones, the lanes of the last one by themselves.
    fn slice(&mut self, lanes: usize, seed: u32) -> u32 {
        let at = self.results(lanes.div_ceil(8) as u32);
        for block in 0..(lanes / 8) as u32 {
            let from = self.one(random(seed + block));
            self.call(id::BLOCK_EQ, [from, at + block, 0, 0, 0]);
        }
        let last = random(seed + 90);
        for (lane, value) in last.iter().enumerate().take(lanes % 8) {
            let value = value.as_canonical_u32();
            self.call(
                id::LANE,
                [at + (lanes / 8) as u32, value, 0, 0, lane as u32],
            );
        }
        at
    }
}

fn ext(calls: &mut Calls) {
    let elements = [1, 2, 3].map(|seed| native::ext_to_block(element(seed)));
    let [a, b, c] = elements.map(|block| calls.one(block));
    for mode in 0..5 {
        let (b, c) = match mode {
            0 | 4 => (b, c),
            1 => (9, c),
            2 => (b, 11),
            _ => (9, 11),
        };
        let d = calls.results(1);
        calls.call(id::EXT, [a, b, c, d, mode]);
    }
    calls.slice(11, 5);
    let data = calls.many((10..14).map(random).collect());
    for (skip, length) in [(3, 17), (0, 8), (7, 1), (2, 3)] {
        let d = calls.results(1);
        calls.call(id::HORNER, [data, b, length, d, skip]);
    }
    for (skip, count) in [(1, 4), (3, 1), (4, 1), (0, 3)] {
        let d = calls.results(count);
        calls.call(id::UNPACK, [data, 0, count, d, skip]);
    }
    for (x, count) in [
        (0x5aa5_1234, 4),
        (127 << 24, 4),
        (0, 4),
        (0x1234, 2),
        (200, 1),
        (0x00ab_cdef, 3),
    ] {
        let a = calls.results(count);
        calls.call(id::RIGHT_SHIFTS, [a, x, count, 0, 0]);
    }
}

fn poseidon16(calls: &mut Calls) {
    let capacity = calls.one(random(20));
    for (identity, lanes, tag) in [
        (id::POSEIDON16_SPONGE, 24, 0),
        (id::POSEIDON16_SPONGE, 11, 0),
        (id::POSEIDON16_HASH, 14, 0),
        (id::POSEIDON16_SPONGE, 19, 3),
        (id::POSEIDON16_SPONGE, 8, 8),
        (id::POSEIDON16_HASH, 12, 0),
    ] {
        sponge(calls, identity, 2, capacity, lanes, tag);
    }
    compressions(calls, id::POSEIDON16_COMPRESS, id::POSEIDON16_MERKLE);
}

/// A call of a sponge over so many lanes.
fn sponge(calls: &mut Calls, id: u32, results: u32, capacity: u32, lanes: usize, tag: u32) {
    let data = calls.slice(lanes, 100);
    let c = calls.results(results);
    calls.call(id, [data, capacity, c, tag, lanes as u32]);
}

fn compressions(calls: &mut Calls, compress: u32, merkle: u32) {
    let [a, b] = [21, 22].map(|seed| calls.one(random(seed)));
    let c = calls.results(1);
    calls.call(compress, [a, b, c, 0, 0]);
    let siblings = calls.many((30..33).map(random).collect());
    for (index, depth) in [(5, 3), (0, 1), (2, 2)] {
        let root = calls.results(1);
        calls.call(merkle, [root, index, siblings, a, depth]);
    }
}

fn poseidon2(calls: &mut Calls) {
    compressions(calls, id::POSEIDON2_COMPRESS, id::POSEIDON2_MERKLE);
    let capacity = calls.one(random(40));
    for (lanes, tag) in [(48, 16), (21, 0), (29, 7)] {
        sponge(calls, id::POSEIDON2_SPONGE, 3, capacity, lanes, tag);
    }
    for lanes in [16, 31, 17] {
        sponge(calls, id::POSEIDON2_HASH, 3, capacity, lanes, 0);
    }
}

fn tweaked(calls: &mut Calls) {
    let [p0, p1, p2, p3, ..] = random(50);
    let parameter = [p0, p1, p2, p3];
    for pairs in [
        &[(5, 7), (7, 6), (7, 7), (6, 5), (7, 6)][..],
        &[(6, 6)],
        &[(7, 7)],
        &[(7, 7), (4, 7), (6, 7), (7, 7)],
    ] {
        let mut digits = [F::ZERO; 8];
        for (index, (left, right)) in pairs.iter().enumerate() {
            digits[index / 4] += F::from_u32((left + 8 * right) << (6 * (index % 4)));
        }
        (digits[6], digits[7]) = (F::from_u32(3 << 10), F::from_u32(77));
        let mut held = [F::ZERO; 8];
        held[..4].copy_from_slice(&parameter);
        let steps: u32 = pairs.iter().map(|(left, right)| 14 - left - right).sum();
        let count = pairs.len() as u32;
        let starts = calls.many((60..60 + count).map(random).collect());
        let context = calls.many(vec![held, digits, random(51)]);
        let ends = calls.results(count + 1);
        calls.call(
            id::POSEIDON16_WINTERNITZ,
            [starts, context, ends, count, steps],
        );
    }
    for sides in [&[false, true, true][..], &[true]] {
        let leaf = random(70);
        let mut below = [leaf[0], leaf[1], leaf[2], leaf[3]];
        let (mut tweaks, mut children) = (vec![], vec![]);
        for (level, &is_right) in (0..).zip(sides) {
            let (mut tweak, mut pair) = (random(71 + level), random(81 + level));
            tweak[2] = F::from_bool(is_right);
            pair[4 * usize::from(is_right)..][..4].copy_from_slice(&below);
            below = native::poseidon16_tweaked([tweak[0], tweak[1]], parameter, pair);
            tweaks.push(tweak);
            children.push(pair);
        }
        let mut key = [F::ZERO; 8];
        key[..4].copy_from_slice(&below);
        key[4..].copy_from_slice(&parameter);
        let [key, leaf] = [key, leaf].map(|block| calls.one(block));
        let (tweaks, children) = (calls.many(tweaks), calls.many(children));
        let operands = [key, tweaks, children, leaf, sides.len() as u32];
        calls.call(id::POSEIDON16_TWEAKED_PATH, operands);
    }
}

fn weights(calls: &mut Calls) {
    let eighth = F::two_adic_generator(3).as_canonical_u32();
    for (count, base, exponent) in [
        (3, eighth, 6),
        (1, F::ORDER_U32 - 1, 1),
        (5, 3, 19),
        (4, eighth, 0),
    ] {
        let point = (90..90 + count).map(|seed| native::ext_to_block(element(seed)));
        let point = calls.many(point.collect());
        let d = calls.results(1);
        calls.call(id::POWER_WEIGHTS, [point, base, exponent, d, count]);
    }
}

fn arithmetic(calls: &mut Calls) {
    for (element, low) in [
        (0, 0),
        (0x1234_5678, 0x34_5678),
        ((127 << 24) - 1, 0xff_ffff),
    ] {
        calls.call(id::LOW_24_BITS, [element, low, 0, 0, 0]);
    }
    weights(calls);
    let data = calls.many((110..113).map(random).collect());
    for groups in [1, 3] {
        let c = calls.results(2 * groups);
        calls.call(id::LIMBS, [data, 0, c, 0, groups]);
    }
}

/// Products in GF(2^128), of any elements.
fn binary(calls: &mut Calls) {
    let mut element = |seed: u32| {
        let lanes = random(seed).map(|lane| lane.as_canonical_u32() & 0x3fff_ffff);
        let [a, b, c, d, e, ..] = lanes;
        let block = [a, b, c, d, e & 0xff, 0, 0, 0];
        calls.one(block.map(F::from_u32))
    };
    let elements: Vec<u32> = (120..126).map(&mut element).collect();
    let [a, b, c, d, ..] = elements[..] else {
        return;
    };
    for (identity, operands, distance) in [
        (id::BINARY_PRODUCT, [a, b, c], 0),
        (id::BINARY_PRODUCTS, [a, b, d], 3),
        (id::BINARY_PRODUCTS, [c, d, a], 0),
        (id::BINARY_PRODUCT, [c, c, d], 0),
    ] {
        let result = calls.results(1);
        let [left, right, added] = operands;
        calls.call(identity, [left, right, added, result, distance]);
    }
}

fn digests(calls: &mut Calls) {
    let data = calls.many((0..20).map(limbs).collect());
    for (words, flags) in [(40, 1), (16, 6), (5, 1), (33, 14)] {
        let c = calls.results(2);
        calls.call(id::BLAKE3_CHUNK, [data, flags, c, 0, words]);
    }
    for is_root in [0, 1] {
        let c = calls.results(2);
        calls.call(id::BLAKE3_PARENT, [data, data + 6, c, 0, is_root]);
    }
    for words in [3, 34, 40, 67] {
        let c = calls.results(2);
        calls.call(id::KECCAK_HASH, [data, 0, c, 0, words]);
    }
    for merkle in [id::BLAKE3_MERKLE, id::KECCAK_MERKLE] {
        for (index, depth) in [(5, 3), (0, 1), (2, 2)] {
            let d = calls.results(2);
            calls.call(merkle, [data + 2, index, data + 10, d, depth]);
        }
    }
}

/// Calls of the precompiles of degree 4.
fn ext4(calls: &mut Calls) {
    let element = |seed: u32| EF4::from_basis_coefficients_fn(|index| random(seed)[index]);
    let elements = [1, 2, 3].map(|seed| native::ext_to_block::<EF4>(element(seed)));
    let [a, b, c] = elements.map(|block| calls.one(block));
    for mode in 0..5 {
        let (b, c) = match mode {
            0 | 4 => (b, c),
            1 => (9, c),
            2 => (b, 11),
            _ => (9, 11),
        };
        let d = calls.results(1);
        calls.call(id::EXT4, [a, b, c, d, mode]);
    }
    let data = calls.many((10..14).map(random).collect());
    for (skip, length) in [(3, 17), (0, 8), (7, 1), (2, 3)] {
        let d = calls.results(1);
        calls.call(id::HORNER4, [data, b, length, d, skip]);
    }
    for (skip, count) in [(2, 4), (5, 1), (4, 1), (0, 3)] {
        let d = calls.results(count);
        calls.call(id::UNPACK4, [data, 0, count, d, skip]);
    }
}

/// Calls of the Keccak sponge over lanes.
fn keccak_sponge(calls: &mut Calls) {
    let data = calls.many((0..20).map(limbs).collect());
    for words in [3, 34, 40, 67] {
        let c = calls.results(2);
        calls.call(id::KECCAK_SPONGE, [data, 0, c, 0, words]);
    }
    for (index, depth) in [(5, 3), (0, 1), (2, 2)] {
        let d = calls.results(2);
        let operands = [data + 2, index, data + 10, d, depth];
        calls.call(id::KECCAK_SPONGE_MERKLE, operands);
    }
}

/// Calls of Poseidon2 of width 16 with round constants of the program's own.
fn poseidon2_16(calls: &mut Calls) {
    let mut elements = (130..).flat_map(random);
    let constants = Constants::<16>::drawn(|| elements.next().unwrap()).blocks();
    let mut functions = native::Permutations::default();
    functions.poseidon2_16_constants(&constants).unwrap();
    let at = calls.many(constants);
    calls.call(id::POSEIDON2_16_CONSTANTS, [at, 0, 0, 0, 0]);
    let start = random(40);
    let capacity = calls.one(start);
    for (identity, lanes, tag) in [
        (id::POSEIDON2_16_DUPLEX, 24, 0),
        (id::POSEIDON2_16_DUPLEX, 11, 0),
        (id::POSEIDON2_16_HASH, 14, 0),
        (id::POSEIDON2_16_DUPLEX, 19, 3),
        (id::POSEIDON2_16_DUPLEX, 8, 8),
        (id::POSEIDON2_16_HASH, 12, 0),
    ] {
        let data = message(lanes);
        let out = functions.poseidon2_16_duplex(&data, lanes, &start, F::from_u32(tag));
        let a = calls.absorbed(data, out.unwrap().last_block);
        let results = if identity == id::POSEIDON2_16_HASH {
            1
        } else {
            2
        };
        let c = calls.results(results);
        calls.call(identity, [a, capacity, c, tag, lanes as u32]);
    }
    compressions(calls, id::POSEIDON2_16_COMPRESS, id::POSEIDON2_16_MERKLE);
}

/// Calls of Poseidon2 of width 24 with round constants of the program's own.
fn poseidon2_24(calls: &mut Calls) {
    let mut elements = (160..).flat_map(random);
    let constants = Constants::<24>::drawn(|| elements.next().unwrap()).blocks();
    let mut functions = native::Permutations::default();
    functions.poseidon2_24_constants(&constants).unwrap();
    let at = calls.many(constants);
    calls.call(id::POSEIDON2_24_CONSTANTS, [at, 0, 0, 0, 0]);
    let start = random(40);
    let capacity = calls.one(start);
    for (identity, lanes, tag) in [
        (id::POSEIDON2_24_DUPLEX, 48, 16),
        (id::POSEIDON2_24_DUPLEX, 21, 0),
        (id::POSEIDON2_24_DUPLEX, 29, 7),
        (id::POSEIDON2_24_HASH, 16, 0),
        (id::POSEIDON2_24_HASH, 31, 0),
        (id::POSEIDON2_24_HASH, 17, 0),
    ] {
        let data = message(lanes);
        let out = functions.poseidon2_24_duplex(&data, lanes, &start, F::from_u32(tag));
        let a = calls.absorbed(data, out.unwrap().last_block);
        let results = if identity == id::POSEIDON2_24_HASH {
            1
        } else {
            3
        };
        let c = calls.results(results);
        calls.call(identity, [a, capacity, c, tag, lanes as u32]);
    }
}

/// Blocks with so many lanes.
fn message(lanes: usize) -> Vec<Block> {
    let blocks = lanes.div_ceil(8) as u32;
    (100..100 + blocks).map(random).collect()
}

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
