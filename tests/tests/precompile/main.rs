//! A user's precompile takes one implementation, here that of the example, and one line in the list
//! of a machine.

#[path = "../../../droste/examples/precompile/squares.rs"]
mod table;

/// Declares a program as a module, for native runs, and its text, for the machine's compiler.
macro_rules! program {
    ($name:ident { $($text:tt)* }) => {
        mod $name {
            pub const SOURCE: &str = stringify!($($text)*);
            $($text)*
        }
    };
}

mod bytes;
mod recursion;

use std::collections::BTreeSet;

use bytes::{BytesTable, assert_bytes};
use droste::both_ways::{NativeTape, Program};
use droste_air::test_utils::{Harness, Part, Rigidity, Rows, Table as Traced};
use droste_native::{Blake3Suite, F, FriSettings};
use droste_vm::compiler::{Compiled, compile, compile_with};
use droste_vm::executor::{Fault, Tape, execute};
use droste_vm::fri::{Proof, ProvingKey, prove_traces, prove_with_key, traces, verify};
use droste_vm::heights::Heights;
use droste_vm::isa::id;
use droste_vm::machine::{Machine, MachineError, StandardTables, custom_precompiles};
use droste_vm::precompile::{self, Function, Operand, Output, Precompile};
use droste_vm::tables::blocks::{BlockCols, BlocksTable};
use droste_vm::tables::byte_pairs::BytePairsOf;
use droste_vm::tables::program::ProgramTable;
use droste_vm::tables::{LookupCounts, Table, Trace, TraceInput};
use droste_vm::verifier::{VerifyError, VerifyOptions};
use p3_air::{Air, BaseAir, BoundaryEnd, BoundaryPublic};
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_lookup::InteractionBuilder;
use p3_matrix::dense::RowMajorMatrix;
use table::{SQUARES, SquaresTable, squares};

droste_vm::machine! {
    /// A machine with a precompile of its own.
    pub enum Tables {
        /// Extension arithmetic, lanes, block equality.
        Ext(droste_vm::tables::ext::ExtTable),
        /// Squares of a block's lanes.
        Squares(SquaresTable),
        /// Blocks of bytes.
        Bytes(BytesTable),
        /// Pairs of bytes, which `bytes` looks up.
        BytePairs(BytePairsOf<BytesTable>),
    }
}

droste_vm::provable! { Tables: Blake3Suite }

type H = Blake3Suite;

/// Programs import native functions from the crate of this name.
extern crate self as my_crate;

program! {
    fourfold {
        use droste_gadgets::prelude::*;
        use my_crate::squares;

        pub fn main() {
            let x = public_input();
            let mut b = Block::new([x, felt(2), felt(3), x, x, x, x, felt(8)]);
            for _i in count(3) {
                b = squares(b);
            }
            assert_eq!(b.lane(1), felt(256));
            reveal(b.lane(0));
            reveal(squares(b).lane(2));
        }
    }
}

program! {
    four_bytes {
        use droste_gadgets::prelude::*;
        use my_crate::assert_bytes;

        pub fn main() {
            let x = public_input();
            assert_bytes(Block::new([x, felt(1), felt(2), felt(255), x, x, felt(0), felt(7)]));
            reveal(x);
        }
    }
}

program! {
    plain {
        use droste_gadgets::prelude::*;

        pub fn main() {
            let x = public_input();
            reveal(x * x);
        }
    }
}

fn compiled() -> Compiled {
    let precompiles = custom_precompiles::<Tables>();
    compile_with("main.rs", fourfold::SOURCE, &[], &precompiles).unwrap()
}

fn key(compiled: &Compiled) -> ProvingKey<H, Tables> {
    let settings = FriSettings {
        num_queries: 4,
        ..FriSettings::toy()
    };
    ProvingKey::new(&compiled.program, settings, Heights::Minimal).unwrap()
}

const PUBLIC: [F; 1] = [F::new(5)];

#[test]
fn it_is_proved_and_verified() {
    let compiled = compiled();
    let execution = execute(&compiled, &PUBLIC, &Tape::default(), 1 << 12).unwrap();
    assert_eq!(execution.statement[1], F::from_u32(390_625));
    assert_eq!(execution.calls[id::CUSTOM.start as usize].len(), 4);
    let key = key(&compiled);
    let proof = prove_with_key(&key, &execution).unwrap();
    let report =
        verify::<H, Tables>(key.key(), &PUBLIC, VerifyOptions::min_bits(0), &proof).unwrap();
    assert!(report.tables.iter().any(|table| table.name == "squares"));
    // A machine without this precompile rejects the proof.
    assert!(
        verify::<H, StandardTables>(key.key(), &PUBLIC, VerifyOptions::min_bits(0), &proof)
            .is_err()
    );
    let standard = Compiled {
        precompiles: vec![],
        ..compiled
    };
    let error = execute(&standard, &PUBLIC, &Tape::default(), 1 << 12).unwrap_err();
    assert!(matches!(error.fault, Fault::Precompile { .. }), "{error}");
    assert!(compile(fourfold::SOURCE, &[]).is_err());
}

#[test]
fn the_native_run_is_that_of_the_machine() {
    let precompiles = custom_precompiles::<Tables>();
    let program =
        Program::with_precompiles("fourfold", fourfold::SOURCE, &precompiles, fourfold::main);
    let statement = program.both(&NativeTape::default(), &[5]).unwrap();
    assert_eq!(statement[..3], [5, 390_625, 43_046_721]);
    program.mutate_hints(&NativeTape::default(), &[5]);
}

/// A proof is rejected if any cell of a call's row is changed, or if a call is missing.
#[test]
fn tampered_traces_are_rejected() {
    let compiled = compiled();
    let execution = execute(&compiled, &PUBLIC, &Tape::default(), 1 << 12).unwrap();
    let key = key(&compiled);
    let honest = traces(&key, &execution).unwrap();
    let index = key
        .machine()
        .tables()
        .iter()
        .position(|table| table.name() == "squares")
        .unwrap();
    let verdict = |traces: &[RowMajorMatrix<F>]| {
        let proof: Proof<H> = prove_traces(&key, execution.statement, traces).unwrap();
        verify::<H, Tables>(key.key(), &PUBLIC, VerifyOptions::min_bits(0), &proof)
    };
    verdict(&honest).unwrap();
    for column in 0..table::WIDTH {
        let mut changed = honest.clone();
        changed[index].values[column] += F::ONE;
        let rejection = verdict(&changed).unwrap_err();
        assert!(
            matches!(
                rejection,
                VerifyError::Constraints { table: "squares" } | VerifyError::Lookups(_)
            ),
            "column {column}: {rejection:?}"
        );
    }
    // A consistent change: another input and its squares.
    let mut changed = honest.clone();
    let row = &mut changed[index].values[..table::WIDTH];
    (row[3], row[11]) = (F::from_u32(6), F::from_u32(36));
    assert!(matches!(verdict(&changed), Err(VerifyError::Lookups(_))));
}

/// As docs/precompiles.md says: the honest traces of the table, and of the blocks that it looks up.
#[test]
fn no_cell_of_a_call_is_free() {
    let compiled = compiled();
    let run = execute(&compiled, &PUBLIC, &Tape::default(), 1 << 12).unwrap();
    let input = TraceInput {
        program: &compiled.program,
        execution: &run,
    };
    let mut counts = LookupCounts::new(&input);
    let squares = SquaresTable.trace(&input, 3, &mut counts);
    let log_blocks = run.memory.blocks.len().next_power_of_two().ilog2();
    let blocks = BlocksTable.trace(&input, log_blocks as usize, &mut counts);
    let calls = run.calls[id::CUSTOM.start as usize].len();

    let harness = Harness::new(vec![Traced::new("squares", &SquaresTable, squares.clone())])
        .open_bus("call")
        .open_bus("block")
        .free_on_padding("squares", "column 1", "padding reads nothing")
        .free_on_padding("squares", "column 2", "padding writes nothing");
    harness.check().unwrap();
    let caught = harness.mutate("squares", &Rows::of(calls, 8));
    caught.expect_caught();

    let addresses = |column: usize| -> BTreeSet<usize> {
        let rows = squares.values.chunks(table::WIDTH).take(calls);
        rows.map(|row| row[column].as_canonical_u32() as usize)
            .collect()
    };
    let given = &addresses(table::FROM) - &addresses(table::TO);
    let blocks = Traced::new("blocks", &BlocksTable, blocks)
        .names(BlockCols::<u8>::names())
        .public_values(run.statement.to_vec());
    let squares = Traced::new("squares", &SquaresTable, squares);
    let rigidity = Rigidity::new(vec![squares, blocks])
        .open_bus("call")
        .given("blocks", "lanes", given);
    let mut free = rigidity.check().unwrap().free.into_iter();
    let free = free.find(|cell| cell.table == "squares" && cell.row < calls);
    assert_eq!(free, None);
    // Without one of the constraints of the lanes, others would be.
    for (part, freed) in rigidity.removals("squares").unwrap() {
        let is_of_lane = matches!(part, Part::Constraint(1..));
        assert!(!(is_of_lane && freed.is_empty()), "{part:?}");
    }
}

/// A table that cannot be proved soundly as it is declared.
#[derive(Clone, Copy, Debug, Default)]
struct Odd<const WHAT: u32>(SquaresTable);

const BITS: u32 = 0;
const BOUNDARY: u32 = 1;
const CONTENT: u32 = 2;
const PERIODIC: u32 = 3;

impl<const WHAT: u32> BaseAir<F> for Odd<WHAT> {
    fn width(&self) -> usize {
        table::WIDTH
    }

    fn assumes_boolean_trace(&self) -> bool {
        WHAT == BITS
    }

    fn public_boundary_io(&self) -> &[BoundaryPublic] {
        const { &[BoundaryPublic::new(0, BoundaryEnd::First, 0)] }
            .get(..usize::from(WHAT == BOUNDARY))
            .unwrap_or_default()
    }

    fn preprocessed_width(&self) -> usize {
        usize::from(WHAT == CONTENT)
    }

    fn num_periodic_columns(&self) -> usize {
        usize::from(WHAT == PERIODIC)
    }
}

impl<const WHAT: u32, AB: InteractionBuilder<F = F>> Air<AB> for Odd<WHAT> {
    fn eval(&self, builder: &mut AB) {
        self.0.eval(builder);
    }
}

impl<const WHAT: u32> Table for Odd<WHAT> {
    fn name(&self) -> &'static str {
        ["bits", "boundary", "content", "periodic"][WHAT as usize]
    }

    fn precompiles(&self) -> &'static [Precompile] {
        const {
            &[Precompile {
                identity: id::CUSTOM.start + WHAT,
                ..SQUARES
            }]
        }
    }

    fn trace(&self, input: &TraceInput<'_>, log_height: usize, uses: &mut LookupCounts) -> Trace {
        self.0.trace(input, log_height, uses)
    }
}

droste_vm::machine! {
    /// Tables whose soundness needs more than their constraints, a table without a height, and one
    /// with periodic columns.
    enum OddTables {
        Bits(Odd<BITS>),
        Boundary(Odd<BOUNDARY>),
        Content(Odd<CONTENT>),
        Periodic(Odd<PERIODIC>),
    }
}

#[test]
fn tables_that_cannot_be_proved_are_refused() {
    let machine_of = |identity: u32| {
        let precompiles = BTreeSet::from([identity]);
        Machine::<OddTables>::new(ProgramTable::of_height(6), &precompiles)
    };
    let machine = |what: u32| machine_of(id::CUSTOM.start + what);
    let refused = [
        (BITS, "bits"),
        (BOUNDARY, "boundary"),
        (CONTENT, "content"),
        (PERIODIC, "periodic"),
    ];
    for (what, name) in refused {
        let refusal = machine(what).unwrap_err();
        assert!(
            matches!(refusal, MachineError::Table { table, .. } if table == name),
            "{refusal}"
        );
    }
    // A built-in precompile needs its tables in the list, too.
    let refusal = machine_of(id::KECCAK_HASH).unwrap_err().to_string();
    assert_eq!(
        refusal,
        "the program calls `keccak_hash` (precompile 11), which no table of this machine serves: \
         list `tables::keccak::KeccakCallTable`, `tables::keccak::KeccakTable`, \
         `tables::spread::SpreadTable` in `machine!`"
    );
    let refusal = machine_of(id::CUSTOM.end - 1).unwrap_err().to_string();
    assert!(refusal.contains("list its table in"), "{refusal}");
}

/// A table whose precompile has the identity of another one.
#[derive(Clone, Copy, Debug, Default)]
struct Taken(SquaresTable);

impl BaseAir<F> for Taken {
    fn width(&self) -> usize {
        table::WIDTH
    }
}

impl<AB: InteractionBuilder<F = F>> Air<AB> for Taken {
    fn eval(&self, builder: &mut AB) {
        self.0.eval(builder);
    }
}

impl Table for Taken {
    fn name(&self) -> &'static str {
        "taken"
    }

    fn precompiles(&self) -> &'static [Precompile] {
        const {
            &[Precompile {
                identity: id::EXT,
                ..SQUARES
            }]
        }
    }

    fn trace(&self, input: &TraceInput<'_>, log_height: usize, uses: &mut LookupCounts) -> Trace {
        self.0.trace(input, log_height, uses)
    }
}

droste_vm::machine! {
    /// A machine with this table.
    enum TakenTables {
        Taken(Taken),
    }
}

/// The compiler says so, and not that there is no such function.
#[test]
fn a_precompile_with_a_taken_identity_is_named() {
    let precompiles = custom_precompiles::<TakenTables>();
    let error = compile_with("main.rs", fourfold::SOURCE, &[], &precompiles).unwrap_err();
    let built_in = "precompile squares (1): its identity is that of the built-in `ext`";
    assert!(error.message.contains(built_in), "{error}");
}

#[test]
fn precompiles_that_do_not_fit_are_refused() {
    let custom = custom_precompiles::<Tables>()[0];
    let wrong = |list: &[Precompile], text: &str| {
        let error = compile_with("main.rs", fourfold::SOURCE, &[], list).unwrap_err();
        assert!(error.message.contains(text), "{error}");
    };
    let identity = id::EXT;
    let built_in = "is that of the built-in `ext`, expected one of `id::CUSTOM`, 256 to 1023";
    wrong(&[Precompile { identity, ..custom }], built_in);
    let identity = id::CUSTOM.end;
    wrong(
        &[Precompile { identity, ..custom }],
        "none of a user's, expected",
    );
    wrong(&[custom, custom], "also another precompile's");
    let identity = id::CUSTOM.start + 1;
    let twin = Precompile { identity, ..custom };
    const HORNER: &[Function] = precompile::HORNER.functions;
    const WITHOUT_OPERAND: &[Function] = &[Function {
        output: Output::Block(Operand::E),
        ..SQUARES.functions[0]
    }];
    const REVEAL: &[Function] = &[Function {
        name: "reveal",
        ..SQUARES.functions[0]
    }];
    let functions = |functions| Precompile {
        functions,
        ..custom
    };
    wrong(&[functions(REVEAL)], "name of another function");
    wrong(&[functions(HORNER)], "name of another function");
    wrong(&[functions(WITHOUT_OPERAND)], "operand E");
    wrong(&[custom, twin], "name of another function");
}
