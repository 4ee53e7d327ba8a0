//! Expressions and programs against the tables themselves, and tables that are not supported.

use droste_air::End;
use droste_air::test_utils::{RowBuilder, Window};
use droste_native::whir::WhirSettings;
use droste_native::{EF, F};
use p3_air::symbolic::SymbolicExpressionExt;
use p3_air::{Air, AirBuilder, BaseAir, ExtensionBuilder};
use p3_field::PrimeCharacteristicRing;
use p3_lookup::{Count, InteractionBuilder, InteractionSymbolicBuilder};
use p3_matrix::dense::RowMajorMatrix;
use proptest::prelude::*;

use super::challenges::LookupChallenges;
use super::expressions::{BusName, Expressions, Leaf, Row, Unsupported};
use super::program::{Operation, Program};
use super::system::{System, UnsupportedTable};
use super::{Key, Verifier};
use crate::key::KeyHeights;
use crate::machine::{MachineTables, StandardTables, standard_tables};
use crate::tables::{LookupCounts, PolynomialIdentity, Table, TraceInput};

/// What a table reads.
struct Evaluation {
    main: [Vec<F>; 2],
    preprocessed: [Vec<F>; 2],
    public_values: Vec<F>,
    selectors: [F; 3],
}

impl Evaluation {
    fn random<T: Table>(table: &T, seed: u64) -> Self {
        let mut state = seed;
        let mut next = || {
            // splitmix64
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut x = state;
            x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            F::from_u64(x ^ (x >> 31))
        };
        let mut list = |length: usize| -> Vec<F> { (0..length).map(|_| next()).collect() };
        Self {
            main: [list(table.width()), list(table.width())],
            preprocessed: [
                list(table.preprocessed_width()),
                list(table.preprocessed_width()),
            ],
            public_values: list(table.num_public_values()),
            selectors: [list(1)[0], list(1)[0], list(1)[0]],
        }
    }

    fn read(&self, leaf: Leaf) -> F {
        let row = |row| usize::from(row == Row::Next);
        match leaf {
            Leaf::Main(at, column) => self.main[row(at)][column],
            Leaf::Preprocessed(at, column) => self.preprocessed[row(at)][column],
            Leaf::Public(index) => self.public_values[index],
            Leaf::FirstRow => self.selectors[0],
            Leaf::LastRow => self.selectors[1],
            Leaf::Transition => self.selectors[2],
        }
    }
}

fn window([current, next]: &[Vec<F>; 2]) -> Window<F> {
    Window::new(current.as_slice().into(), next.as_slice().into())
}

/// The values of a table's expressions are those that the table computes itself, in any order of
/// operations.
fn check_values<T>(table: &T, seed: u64)
where
    T: Table + Air<InteractionSymbolicBuilder<F, EF>> + Air<RowBuilder<F>>,
{
    let expressions = Expressions::new(table).unwrap();
    let read = Evaluation::random(table, seed);
    let mut builder = RowBuilder::new(
        window(&read.main),
        window(&read.preprocessed),
        vec![],
        read.public_values.clone(),
        read.selectors,
    );
    table.eval(&mut builder);
    let values = expressions.evaluate(&|leaf| read.read(leaf));
    let mut expected = vec![F::ZERO; builder.constraints];
    for &(index, value) in &builder.failed {
        expected[index] = value;
    }
    assert_eq!(expressions.num_constraints(), expected.len());
    let constraints = expressions.constraints().iter();
    let constraints: Vec<F> = constraints.map(|&constraint| values[constraint]).collect();
    let (of_identities, others) = expected.split_at(expected.len() - constraints.len());
    assert_eq!(constraints, others, "{}", table.name());
    let alpha = read.selectors[0];
    let combined = of_identities
        .iter()
        .fold(F::ZERO, |sum, &value| sum * alpha + value);
    let identities = expressions.evaluate_identities(alpha, &|leaf| read.read(leaf));
    assert_eq!(identities, combined, "{}", table.name());
    let messages = expressions.messages().iter().map(|message| {
        let BusName::Global(bus) = &message.bus else {
            panic!("{:?}", message.bus);
        };
        let payload = message.payload.iter().map(|&element| values[element]);
        (
            bus.as_str(),
            values[message.multiplicity],
            payload.collect(),
        )
    });
    let messages: Vec<(&str, F, Vec<F>)> = messages.collect();
    let expected = builder.messages.iter();
    let expected = expected.map(|message| (&*message.bus, message.count, message.fields.clone()));
    assert_eq!(messages, expected.collect::<Vec<_>>(), "{}", table.name());

    let outputs: Vec<usize> = expressions.outputs().collect();
    let program = Program::new(expressions.nodes(), &outputs);
    let mut registers = vec![[F::ZERO; 2]; program.num_values()];
    for (register, &leaf) in registers.iter_mut().zip(program.inputs()) {
        *register = [read.read(leaf), F::ONE];
    }
    let mut emitted = vec![];
    program.run::<F, _, 2>(&mut registers, |output| emitted.push(output[0]));
    let expected: Vec<F> = outputs.iter().map(|&output| values[output]).collect();
    assert_eq!(emitted, expected, "{}", table.name());
    // Few registers are in use at any time: chunks of so many fit the first-level cache.
    let registers = program.num_values() - program.inputs().len();
    assert!(registers < 256, "{}: {registers}", table.name());
    let emissions = program.operations.iter().filter(|operation| {
        matches!(
            operation,
            Operation::Emit { .. } | Operation::EmitConstant { .. }
        )
    });
    assert_eq!(emissions.count(), outputs.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn values_are_those_of_the_tables(seed in any::<u64>()) {
        for table in standard_tables() {
            check_values(&table, seed);
        }
    }
}

/// Degrees are those that the tables declare, selectors counted.
#[test]
fn degrees_are_those_declared() {
    for table in standard_tables() {
        let expressions = Expressions::new(&table).unwrap();
        let degrees = expressions.constraints().iter();
        let degree = degrees
            .map(|&constraint| expressions.degrees()[constraint])
            .max();
        if let Some(declared) = BaseAir::<F>::max_constraint_degree(&table) {
            // Plonky3 does not count the selector of transitions.
            let degree = degree.unwrap();
            assert!(
                declared <= degree && degree <= declared + 1,
                "{}",
                table.name()
            );
        }
    }
}

/// Columns that are read in the next row come first, and as few as possible are opened there.
#[test]
fn slots_begin_with_the_columns_of_the_next_row() {
    let tables = standard_tables();
    let system = System::new(&tables).unwrap();
    // Those of a machine without precompiles.
    let (cpu, fixed) = (&tables[..1], &tables[tables.len() - 3..]);
    let without = [cpu, fixed].concat();
    assert_eq!(System::new(&without).unwrap().message_width(), 9);
    assert_eq!(system.num_public_values(), 8);
    for (table, of_system) in tables.iter().zip(system.tables()) {
        let slots = &of_system.main;
        assert_eq!(slots.width(), BaseAir::<F>::width(table));
        let leaves = of_system.expressions.leaves();
        let read: Vec<usize> = (0..slots.width())
            .filter(|&column| leaves.contains(&Leaf::Main(Row::Next, column)))
            .collect();
        let (next, others) = slots.columns().split_at(read.len());
        assert_eq!(next, read);
        assert!(others.is_sorted());
        for (slot, &column) in slots.columns().iter().enumerate() {
            assert_eq!(slots.slot(column), slot);
        }
        let opened = if read.is_empty() {
            0
        } else {
            read.len().next_power_of_two()
        };
        assert_eq!(slots.num_next(), opened.min(slots.width()));
        assert_eq!(
            slots.log_next().map(|log| 1 << log),
            (opened > 0).then_some(opened)
        );
        assert_eq!(of_system.preprocessed.num_next(), 0);
    }
    let names: Vec<&str> = system.tables().iter().map(|table| table.name).collect();
    let [cpu, .., program, words, blocks] = names[..] else {
        panic!("{names:?}");
    };
    let expected = ["cpu", "program", "words", "blocks"];
    assert_eq!([cpu, program, words, blocks], expected);
    assert_eq!(system.tables()[0].main.num_next(), 2);
    let program = &system.tables()[names.len() - 3];
    assert_eq!(program.main.log_next(), None);
}

/// A word and its address are no pair of carries, though these are two elements as well.
#[test]
fn messages_of_two_buses_have_other_denominators() {
    let system = System::new(&standard_tables()).unwrap();
    let [alpha, beta] = [5, 7].map(EF::from_u32);
    let challenges = LookupChallenges { alpha, beta };
    let denominators = ["word", "carry_pairs"].map(|name| {
        let name = BusName::Global(name.into());
        let mut tables = system.tables().iter();
        let bus = tables.find_map(|table| {
            let mut messages = table.expressions.messages().iter().zip(&table.buses);
            messages.find_map(|(message, &bus)| (message.bus == name).then_some(bus))
        });
        challenges.prefix(&system, bus.unwrap())
    });
    assert_ne!(denominators[0], denominators[1]);
}

/// Nothing but another program may be verified with what was computed for a key.
#[test]
fn programs_of_one_machine_share_its_verifier() {
    let tables = ["cpu", "program", "words", "blocks"].map(str::to_owned);
    let (settings, heights) = (WhirSettings::toy(), KeyHeights::Free);
    let verifier = Verifier::<StandardTables>::of_machine(settings, &tables, heights, 6).unwrap();
    let shares = |change: fn(&mut Key)| {
        let mut key = verifier.key().clone();
        change(&mut key);
        let shared = verifier.of_program(&key);
        shared.is_some_and(|shared| *shared.key() == key)
    };
    assert!(shares(|_| ()));
    assert!(shares(|key| key.program[0][7] += F::ONE));
    let others: [fn(&mut Key); 7] = [
        |key| key.settings.security_level += 1,
        |key| key.tables.swap(2, 3),
        |key| key.heights = KeyHeights::Fixed(vec![6; 4]),
        |key| key.program_log_height += 1,
        |key| key.program.push([F::ZERO; 8]),
        |key| key.program.clear(),
        |key| key.machine_id[0] += F::ONE,
    ];
    for change in others {
        assert!(!shares(change));
    }
}

/// A table that has what is not supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Strange {
    Ring,
    Periodic,
    Extension,
    Indexed,
    Exclusive,
    Empty,
    Lengths,
    LocalLengths,
    Preprocessed,
    Identity,
    LongIdentity,
    Nothing,
}

impl BaseAir<F> for Strange {
    fn width(&self) -> usize {
        2
    }
    fn num_periodic_columns(&self) -> usize {
        usize::from(*self == Self::Periodic)
    }
    fn preprocessed_width(&self) -> usize {
        usize::from(*self == Self::Preprocessed)
    }
}

impl Table for Strange {
    fn name(&self) -> &'static str {
        "strange"
    }
    fn is_sound_with(&self, end: End) -> bool {
        *self != Self::Ring || end == End::Ring
    }
    /// The square of the first column less twice that column, of which the constraint is short; and
    /// one coefficient more than there are constraints.
    fn identities(&self) -> Vec<PolynomialIdentity> {
        let product = [
            vec![0],
            vec![0; 1 + usize::from(*self == Self::LongIdentity)],
        ];
        let identity = PolynomialIdentity {
            products: vec![product],
            summands: vec![(vec![0], vec![(0, -F::TWO)])],
        };
        match self {
            Self::Identity | Self::LongIdentity => vec![identity],
            _ => vec![],
        }
    }
    fn trace(&self, _: &TraceInput<'_>, _: usize, _: &mut LookupCounts) -> RowMajorMatrix<F> {
        RowMajorMatrix::new(vec![], 2)
    }
}

impl Air<InteractionSymbolicBuilder<F, EF>> for Strange {
    fn eval(&self, builder: &mut InteractionSymbolicBuilder<F, EF>) {
        use p3_air::WindowAccess;
        use p3_lookup::IndexedLookupBuilder;
        let main = builder.main();
        let (x, y) = (main.current_slice()[0], main.current_slice()[1]);
        match self {
            Self::Extension => builder.assert_zero_ext(SymbolicExpressionExt::from(x)),
            Self::Indexed => builder.push_indexed_read("table", 0, [1]),
            Self::Exclusive => {
                let branch = (x.into(), Count::bounded(x.into(), 1), vec![y.into()]);
                builder.push_exclusive_interaction("bus", [branch]);
            }
            Self::Empty => {
                let nothing: [InteractionSymbol; 0] = [];
                builder.push_interaction("bus", nothing, 1);
            }
            Self::Lengths => {
                builder.push_interaction("bus", [x], 1);
                builder.push_interaction("bus", [x, y], 1);
            }
            Self::LocalLengths => {
                let tuples = [vec![x.into()], vec![x.into(), y.into()]];
                builder.push_local_interaction(tuples.map(|tuple| (tuple, Count::from(1))));
            }
            Self::Nothing
            | Self::Ring
            | Self::Periodic
            | Self::Preprocessed
            | Self::Identity
            | Self::LongIdentity => builder.assert_bool(x),
        }
    }
}

type InteractionSymbol = <InteractionSymbolicBuilder<F, EF> as AirBuilder>::Expr;

#[test]
fn tables_that_are_not_supported_are_refused() {
    System::new(&[Strange::Nothing]).unwrap();
    let global = |found| Unsupported::MessageLength {
        bus: BusName::Global("bus".to_owned()),
        expected: 1,
        found,
    };
    let local = Unsupported::MessageLength {
        bus: BusName::Local(0),
        expected: 1,
        found: 2,
    };
    for (table, reason) in [
        (Strange::Ring, Unsupported::End),
        (Strange::Preprocessed, Unsupported::PreprocessedHeight),
        (Strange::Periodic, Unsupported::PeriodicColumns),
        (Strange::Extension, Unsupported::ExtensionConstraints),
        (Strange::Indexed, Unsupported::IndexedLookups),
        (Strange::Exclusive, Unsupported::ExclusiveLookups),
        (Strange::Empty, Unsupported::EmptyMessage),
        (Strange::Identity, Unsupported::Identities),
        (Strange::LongIdentity, Unsupported::Identities),
        (Strange::Lengths, global(2)),
        (Strange::LocalLengths, local),
    ] {
        let table_name = "strange";
        let error = UnsupportedTable {
            table: table_name,
            reason,
        };
        assert_eq!(System::new(&[table]).unwrap_err(), error);
    }
    for table in StandardTables::precompile_tables() {
        System::new(std::slice::from_ref(&table)).unwrap();
    }
}

/// A table whose first constraint is that of its identity and a linear form of other cells.
struct Deceptive;

/// With these weights, the pseudo-random elements of columns 2 to 7 once added up to zero, at which
/// constraints and identities were compared.
const HIDDEN: [u32; 6] = [
    571_572_322,
    1_236_312_344,
    506_377_966,
    1_449_595_000,
    1_693_264_318,
    1,
];

impl BaseAir<F> for Deceptive {
    fn width(&self) -> usize {
        8
    }
}

impl Table for Deceptive {
    fn name(&self) -> &'static str {
        "deceptive"
    }
    fn is_sound_with(&self, _: End) -> bool {
        true
    }
    fn identities(&self) -> Vec<PolynomialIdentity> {
        vec![PolynomialIdentity {
            products: vec![[vec![0], vec![1]]],
            summands: vec![],
        }]
    }
    fn trace(&self, _: &TraceInput<'_>, _: usize, _: &mut LookupCounts) -> RowMajorMatrix<F> {
        RowMajorMatrix::new(vec![], 8)
    }
}

impl<AB: AirBuilder<F = F>> Air<AB> for Deceptive {
    fn eval(&self, builder: &mut AB) {
        use p3_air::WindowAccess;
        let main = builder.main();
        let row = main.current_slice();
        let hidden = row[2..].iter().zip(HIDDEN);
        let hidden = hidden.map(|(&cell, weight)| cell * F::from_u32(weight));
        let sum = row[0] * row[1] + hidden.sum::<AB::Expr>();
        builder.assert_zero(sum);
    }
}

/// Other proofs would show another statement about such a table.
#[test]
fn constraints_that_hide_what_identities_do_not_say_are_refused() {
    let error = UnsupportedTable {
        table: "deceptive",
        reason: Unsupported::Identities,
    };
    assert_eq!(System::new(&[Deceptive]).unwrap_err(), error);
}
