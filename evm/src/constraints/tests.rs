//! Compared with the native expressions.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use droste_native::EF;
use droste_native::whir::WhirSettings;
use droste_vm::key::KeyHeights;
use droste_vm::machine::StandardTables;
use droste_vm::tables::binary_products::BinaryProductsTable;
use droste_vm::whir::Verifier;
use droste_vm::whir::system::System;
use p3_field::PrimeCharacteristicRing;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::assembler::{Code, Expr, Op, Word, load};
use crate::field::{self, LANE_BITS, LANES, P, VALUE_MAX, decode, encode, lanes};
use crate::machine::{gas, return_words, words};

/// The tables of the recursion machine.
const TABLES: [&str; 7] = [
    "cpu",
    "ext",
    "poseidon16",
    "power_weights",
    "program",
    "words",
    "blocks",
];

fn system() -> &'static System {
    static VERIFIER: OnceLock<Verifier<StandardTables>> = OnceLock::new();
    let verifier = VERIFIER.get_or_init(|| {
        let heights = KeyHeights::Fixed(vec![14; TABLES.len()]);
        let names = TABLES.map(String::from);
        Verifier::of_machine(WhirSettings::proven_100(), &names, heights, 14).unwrap()
    });
    verifier.system()
}

/// The words that an evaluator reads, and where they are in memory.
struct Inputs {
    memory: Memory,
    words: Vec<Word>,
}

/// In front of the inputs are constants, and before, what the contract returns.
const CONSTANTS: u64 = 0x40;
const START: u64 = CONSTANTS + ELEMENT_BYTES * field::KEPT as u64;

impl Inputs {
    /// Inputs with opened values from one source of words, and the others from another.
    fn new(
        table: &TableSystem,
        mut opened: impl FnMut() -> Word,
        mut other: impl FnMut() -> Word,
    ) -> Self {
        let mut words = vec![];
        let mut place = |count: usize, source: &mut dyn FnMut() -> Word| {
            let place = word(START, words.len());
            words.extend((0..count).map(|_| source()));
            place
        };
        let widths =
            [&table.main, &table.preprocessed].map(|slots| slots.width() + slots.num_next());
        let memory = Memory {
            opened: place(widths.iter().sum(), &mut opened),
            public_values: place(system().num_public_values(), &mut other),
            selectors: place(3, &mut other),
            weights: place(table.buses.len(), &mut other),
            buses: place(
                table.buses.iter().max().map_or(0, |bus| bus + 1),
                &mut other,
            ),
            challenges: place(3, &mut other),
            sums: place(2, &mut other),
            registers: place(0, &mut other),
        };
        Self { memory, words }
    }

    fn data(&self) -> Vec<u8> {
        self.words
            .iter()
            .flat_map(|word| word.to_be_bytes())
            .collect()
    }

    fn value(&self, place: u64) -> EF {
        decode(self.words[((place - START) / ELEMENT_BYTES) as usize])
    }

    /// The accumulators after the table, by its expressions and by the definition.
    fn expected(&self, table: &TableSystem) -> [EF; 2] {
        let (expressions, memory) = (&table.expressions, &self.memory);
        let at = |place, index| self.value(word(place, index));
        let values = expressions.evaluate(&|leaf| self.value(memory.leaf(table, leaf)));
        let [alpha, beta, theta] = [0, 1, 2].map(|index| at(memory.challenges, index));
        let constraints = expressions.constraints().iter().map(|&node| values[node]);
        let constraints = constraints.fold(at(memory.sums, 0), |sum, value| sum * alpha + value);
        let messages = expressions.messages().iter().zip(&table.buses).enumerate();
        let message = |(index, (message, &bus)): (usize, (&Message, &usize))| {
            let powers = message.payload.iter().rev().zip(beta.powers());
            let combined: EF = powers.map(|(&node, power)| power * values[node]).sum();
            let value = values[message.multiplicity] + at(memory.buses, bus) - theta * combined;
            at(memory.weights, index) * value
        };
        let messages: EF = messages.map(message).sum();
        [constraints, at(memory.sums, 1) + messages]
    }
}

fn setup(a: &mut Assembler) {
    field::define(a);
    field::keep_constants(a, CONSTANTS);
    let length = Expr::Op(Op::CallDataSize, vec![]);
    a.run(Op::CallDataCopy, [START.into(), 0.into(), length]);
}

fn contract(table: &TableSystem, memory: &Memory) -> Code {
    let mut a = Assembler::new();
    setup(&mut a);
    evaluate(&mut a, table, memory).unwrap();
    let sums = [0, 1].map(|index| load(word(memory.sums, index)));
    return_words(&mut a, sums);
    a.assemble().unwrap()
}

fn random(max: u64, seed: u64) -> impl FnMut() -> Word {
    let mut rng = SmallRng::seed_from_u64(seed);
    move || Word::from_lanes(LANE_BITS, &[0; LANES].map(|_| rng.random_range(0..=max)))
}

#[test]
fn tables_are_evaluated_as_their_expressions_are() {
    for table in system().tables() {
        let memory = Inputs::new(table, || 0.into(), || 0.into()).memory;
        let code = contract(table, &memory);
        let mut sources: Vec<Inputs> = vec![
            Inputs::new(table, || lanes(P - 1), || lanes(VALUE_MAX)),
            Inputs::new(table, || lanes(P - 1), || lanes(P - 1)),
            Inputs::new(table, || 0.into(), || lanes(VALUE_MAX)),
            Inputs::new(table, || encode(EF::ONE), || encode(EF::NEG_ONE)),
        ];
        for seed in 0..4 {
            sources.push(Inputs::new(
                table,
                random(P - 1, seed),
                random(VALUE_MAX, seed + 10),
            ));
        }
        for inputs in sources {
            let found = words(&code, &inputs.data()).unwrap();
            assert_eq!(found.len(), 2);
            let found: Vec<EF> = found.into_iter().map(decode).collect();
            assert_eq!(found, inputs.expected(table), "{}", table.name);
        }
    }
}

/// There is no code for polynomial identities, and none is left out.
#[test]
fn tables_with_identities_are_refused() {
    let system = System::new(&[BinaryProductsTable]).unwrap();
    let [table] = system.tables() else {
        panic!("one table");
    };
    let memory = Inputs::new(table, || 0.into(), || 0.into()).memory;
    let verdict = evaluate(&mut Assembler::new(), table, &memory);
    let expected = ConstraintsError::Identities("binary_products");
    assert_eq!(verdict.unwrap_err().to_string(), expected.to_string());
}

#[test]
fn messages_and_nodes_that_are_missing_are_refused() {
    let table = &system().tables()[0];
    let memory = Inputs::new(table, || 0.into(), || 0.into()).memory;
    let mut changed = table.clone();
    changed.buses.pop();
    let verdict = evaluate(&mut Assembler::new(), &changed, &memory);
    let expected = table.buses.len();
    let refused = ConstraintsError::Buses {
        table: table.name,
        expected,
        found: expected - 1,
    };
    assert_eq!(verdict, Err(refused));
    let node = table.expressions.nodes().len();
    let graph = Graph::new(table, memory, 0, [0, node].into_iter());
    let refused = ConstraintsError::Node {
        table: table.name,
        node,
    };
    assert_eq!(graph.err(), Some(refused));
}

/// Words that an evaluator should read make a difference, and no others do.
#[test]
fn every_input_is_read() {
    for table in system().tables() {
        let mut inputs = Inputs::new(table, random(P - 1, 1), random(VALUE_MAX, 2));
        let code = contract(table, &inputs.memory);
        let before = words(&code, &inputs.data()).unwrap();
        let mut read = BTreeSet::new();
        for index in 0..inputs.words.len() {
            let kept = std::mem::replace(&mut inputs.words[index], encode(EF::TWO));
            if words(&code, &inputs.data()).unwrap() != before {
                read.insert(word(START, index));
            }
            inputs.words[index] = kept;
        }
        let memory = &inputs.memory;
        let leaves = table.expressions.leaves().into_iter();
        let mut expected: BTreeSet<u64> = leaves.map(|leaf| memory.leaf(table, leaf)).collect();
        let weights = 0..table.buses.len();
        expected.extend(weights.map(|index| word(memory.weights, index)));
        expected.extend(table.buses.iter().map(|&bus| word(memory.buses, bus)));
        let messages = table.expressions.messages();
        let are_long = messages.iter().any(|message| message.payload.len() > 1);
        let challenges = [!table.expressions.constraints().is_empty(), are_long, true];
        let challenges = (0..3).filter(|&index| challenges[index]);
        expected.extend(challenges.map(|index| word(memory.challenges, index)));
        expected.extend([0, 1].map(|index| word(memory.sums, index)));
        assert_eq!(read, expected, "{}", table.name);
    }
}

#[test]
fn gas_is_as_it_was() {
    let found: Vec<(&str, u64, usize)> = system()
        .tables()
        .iter()
        .map(|table| {
            let inputs = Inputs::new(table, random(P - 1, 1), random(VALUE_MAX, 2));
            let statements = |a: &mut Assembler| evaluate(a, table, &inputs.memory).unwrap();
            let gas = gas(setup, statements, &inputs.data());
            (table.name, gas, contract(table, &inputs.memory).bytes.len())
        })
        .collect();
    let expected = [
        ("cpu", 18186, 3111),
        ("ext", 128536, 14253),
        ("poseidon16", 320329, 10318),
        ("power_weights", 26743, 3710),
        ("program", 2011, 1283),
        ("words", 1288, 1235),
        ("blocks", 6969, 1777),
    ];
    assert_eq!(found, expected);
}
