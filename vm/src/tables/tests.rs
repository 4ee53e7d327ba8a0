//! Tests that the documents list the buses and precompiles that the code declares.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use droste_air::byte_pairs::{BytePairMessage, LOW_BITS};
use droste_air::message::Declaration;
use droste_air::test_utils::largest_message;
use droste_air::{End, keccak, poseidon2, poseidon16};
use droste_native::EF;
use p3_lookup::{Kind, Lookups};
use p3_matrix::Matrix;

use super::blocks::BlocksTable;
use super::byte_pairs::BytePairsTable;
use super::cpu::CpuTable;
use super::program::ProgramTable;
use super::words::WordsTable;
use super::*;
use crate::machine::{MachineTables, StandardTables};
use crate::precompile::BUILT_IN;
use crate::stack::ProveError;
use crate::traces::traces_of;

fn tables() -> Vec<StandardTables> {
    let mut tables: Vec<StandardTables> = vec![CpuTable.into()];
    tables.extend(StandardTables::precompile_tables());
    let program = ProgramTable::of_height(6);
    tables.extend([program.into(), WordsTable.into(), BlocksTable.into()]);
    tables
}

/// Asserts that the table below a heading of a document has exactly these lines.
fn assert_lists(document: &str, heading: &str, lines: &[String]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let text = fs::read_to_string(path.join(document)).expect("readable document");
    let below = text.lines().skip_while(|line| *line != heading).skip(2);
    let listed: Vec<&str> = below.take_while(|line| line.starts_with('|')).collect();
    let list = lines.join("\n");
    assert!(
        listed == lines,
        "docs/{document} must have this list below `{heading}`:\n{list}"
    );
}

/// Returns the elements of a message as the documents write them.
fn elements(declaration: &Declaration) -> String {
    let fields = declaration.fields.iter();
    let fields = fields.map(|(name, elements)| match elements {
        1 => format!("`{name}`"),
        elements => format!("`{name}[{elements}]`"),
    });
    fields.collect::<Vec<_>>().join(", ")
}

/// docs/notes/whir.md says why.
#[test]
fn tables_are_sound_with_both_ends() {
    for end in [End::Ring, End::Repeat] {
        assert!(tables().iter().all(|table| table.is_sound_with(end)));
    }
}

/// A message that is packed by repeated doubling takes a verifier seconds.
#[test]
fn messages_are_small() {
    for table in tables() {
        let size = largest_message(&table, 50_000);
        assert!(size < 20_000, "{}: {size} nodes", table.name());
    }
}

#[test]
fn buses_are_listed() {
    let mut users: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for table in tables() {
        for lookup in Lookups::from_air::<EF, _>(&table).iter() {
            let Kind::Global(bus) = &lookup.kind else {
                continue;
            };
            let users = users.entry(bus.clone()).or_default();
            if users.last() != Some(&table.name()) {
                users.push(table.name());
            }
        }
    }
    let others = [
        keccak::sponge::AbsorbedMessage::<()>::DECLARATION,
        poseidon16::PermutationMessage::<()>::DECLARATION,
        poseidon2::ParentMessage::<()>::DECLARATION,
        poseidon2::SpongeMessage::<()>::DECLARATION,
    ];
    let lines = bus::DECLARATIONS.iter().chain(&others).map(|declaration| {
        let Declaration { bus, message, .. } = declaration;
        let users = users.remove(*bus).unwrap_or_default();
        let users: Vec<_> = users.iter().map(|name| format!("`{name}`")).collect();
        let users = if users.is_empty() {
            "none of a machine".into()
        } else {
            users.join(", ")
        };
        let elements = elements(declaration);
        format!("| `{bus}` | `{message}` | {elements} | {users} |")
    });
    let lines: Vec<String> = lines.collect();
    let heading = "| bus | message | elements | tables |";
    assert_lists("buses.md", heading, &lines);
    assert!(users.is_empty(), "buses without a declaration: {users:?}");
}

#[test]
fn precompiles_are_listed() {
    let tables = tables();
    let lines = BUILT_IN.iter().map(|precompile| {
        let functions = precompile.functions.iter();
        let functions: Vec<_> = functions.map(|function| format!("`{function}`")).collect();
        let functions = functions.join("<br>");
        let serves = |table: &&StandardTables| table.precompiles().contains(precompile);
        let names = tables.iter().filter(serves);
        let names: Vec<_> = names.map(|table| format!("`{}`", table.name())).collect();
        let (identity, name) = (precompile.identity, precompile.name);
        let names = names.join(", ");
        format!("| {identity} | `{name}` | {functions} | {names} |")
    });
    let lines: Vec<String> = lines.collect();
    let heading = "| identity | precompile | functions | tables |";
    assert_lists("precompiles.md", heading, &lines);
}

/// A table of one's own that looks up pairs of bytes, which `byte_pairs` counts no rows for.
enum WithPairs {
    Own(usize),
    Pairs,
}

impl BaseAir<F> for WithPairs {
    fn width(&self) -> usize {
        1
    }
}

impl Table for WithPairs {
    fn name(&self) -> &'static str {
        "with_pairs"
    }

    fn trace(&self, input: &TraceInput<'_>, log_height: usize, counts: &mut LookupCounts) -> Trace {
        let Self::Own(lookups) = self else {
            return BytePairsTable.trace(input, log_height, counts);
        };
        for byte in 0..*lookups {
            let [low_bits, x, y, high] = [LOW_BITS[0], 0, byte, 0].map(F::from_usize);
            let low = y;
            let message = BytePairMessage {
                low_bits,
                x,
                y,
                high,
                low,
            };
            counts.byte_pairs.add(&message);
        }
        RowMajorMatrix::new_col(F::zero_vec(1 << log_height))
    }
}

#[test]
fn lookups_of_unknown_tables_are_refused_if_they_do_not_fit() {
    let (program, execution) = (&Program::default(), &Execution::default());
    let input = TraceInput { program, execution };
    let traces = |lookups| {
        traces_of(
            &[WithPairs::Own(lookups), WithPairs::Pairs],
            &input,
            &[0, 1],
        )
    };
    assert_eq!(traces(2).unwrap()[1].height(), 2);
    let refused = traces(3).unwrap_err();
    assert!(matches!(
        refused,
        ProveError::Overfull {
            table: "byte_pairs"
        }
    ));
}
