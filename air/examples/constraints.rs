//! Prints the constraints and messages of a hash table as expressions, one node per line, obtained
//! by evaluating the table's own code symbolically. `scripts/determined` reads the output.
//!
//! ```text
//! cargo run -p droste-air --example constraints -- keccak
//! ```
//!
//! The output has lines of the following kinds, in this order: `column NAME`, one per column; then
//! nodes, numbered from 0: `const VALUE`, `local COLUMN`, `next COLUMN`, `first`, `last`,
//! `transition`, `add X Y`, `sub X Y`, `mul X Y`, `neg X`, where `X` and `Y` are numbers of earlier
//! nodes; then `constraint NODE`; then `message BUS FIELDS.. count NODE`.

use std::collections::HashMap;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use droste_air::blake3::narrow::{NarrowTable, NarrowTableCols};
use droste_air::blake3::{Blake3Table, Blake3TableCols};
use droste_air::keccak::degree5::{Degree5Table, Degree5TableCols};
use droste_air::keccak::sponge::{SpongeCols, SpongeTable};
use droste_air::keccak::{KeccakTable, KeccakTableCols};
use droste_air::poseidon2::{
    Poseidon2ParentTable, Poseidon2ParentTableCols, Poseidon2SpongeTable, Poseidon2SpongeTableCols,
};
use droste_air::poseidon16::{Poseidon16Table, Poseidon16TableCols};
use droste_native::F;
use p3_air::Air;
use p3_air::symbolic::{AirLayout, BaseEntry, BaseLeaf, SymbolicExpr, SymbolicExpression};
use p3_field::PrimeField32;
use p3_lookup::InteractionSymbolicBuilder;

/// Numbers nodes as they are printed. A node that several expressions share, or that is built more
/// than once, is printed once.
struct Printer<W> {
    out: W,
    nodes: HashMap<*const SymbolicExpression<F>, usize>,
    lines: HashMap<String, usize>,
}

impl<W: Write> Printer<W> {
    fn line(&mut self, line: String) -> io::Result<usize> {
        if let Some(&number) = self.lines.get(&line) {
            return Ok(number);
        }
        writeln!(self.out, "{line}")?;
        let number = self.lines.len();
        self.lines.insert(line, number);
        Ok(number)
    }

    /// Prints a node that an expression owns. Its children are shared and live as long as the
    /// expression.
    fn node(&mut self, expression: &SymbolicExpression<F>) -> io::Result<usize> {
        let key = std::ptr::from_ref(expression);
        if let Some(&number) = self.nodes.get(&key) {
            return Ok(number);
        }
        let number = match expression {
            SymbolicExpr::Leaf(leaf) => self.line(name(leaf))?,
            SymbolicExpr::Neg { x, .. } => {
                let x = self.node(x)?;
                self.line(format!("neg {x}"))?
            }
            SymbolicExpr::Add { x, y, .. } => self.binary("add", x, y)?,
            SymbolicExpr::Sub { x, y, .. } => self.binary("sub", x, y)?,
            SymbolicExpr::Mul { x, y, .. } => self.binary("mul", x, y)?,
        };
        self.nodes.insert(key, number);
        Ok(number)
    }

    fn binary(
        &mut self,
        operation: &str,
        x: &SymbolicExpression<F>,
        y: &SymbolicExpression<F>,
    ) -> io::Result<usize> {
        let (x, y) = (self.node(x)?, self.node(y)?);
        self.line(format!("{operation} {x} {y}"))
    }
}

fn name(leaf: &BaseLeaf<F>) -> String {
    match leaf {
        BaseLeaf::Constant(value) => format!("const {}", value.as_canonical_u32()),
        BaseLeaf::IsFirstRow => "first".to_owned(),
        BaseLeaf::IsLastRow => "last".to_owned(),
        BaseLeaf::IsTransition => "transition".to_owned(),
        BaseLeaf::Variable(variable) => match variable.entry {
            BaseEntry::Main { offset: 0 } => format!("local {}", variable.index),
            BaseEntry::Main { offset: 1 } => format!("next {}", variable.index),
            // None of these tables has such columns; the script refuses lines that it does not
            // know.
            other => format!("other {other:?} {}", variable.index),
        },
    }
}

fn print<A: Air<InteractionSymbolicBuilder<F>>>(air: &A, columns: &[String]) -> io::Result<()> {
    let builder = InteractionSymbolicBuilder::from_air(air, AirLayout::from_air::<F>(air));
    let mut printer = Printer {
        out: BufWriter::new(io::stdout().lock()),
        nodes: HashMap::new(),
        lines: HashMap::new(),
    };
    for column in columns {
        writeln!(printer.out, "column {column}")?;
    }
    // All expressions live until the end of this function, so an address identifies a node.
    let constraints = builder.base_constraints();
    let interactions = builder.global_interactions();
    let mut lines = Vec::new();
    for constraint in &constraints {
        lines.push(format!("constraint {}", printer.node(constraint)?));
    }
    for interaction in interactions {
        let mut line = format!("message {}", interaction.bus_name);
        for field in &interaction.fields {
            line += &format!(" {}", printer.node(field)?);
        }
        lines.push(format!(
            "{line} count {}",
            printer.node(&interaction.count)?
        ));
    }
    for line in lines {
        writeln!(printer.out, "{line}")?;
    }
    printer.out.flush()
}

fn main() -> ExitCode {
    let table = std::env::args().nth(1).unwrap_or_default();
    let printed = match table.as_str() {
        "poseidon16" => print(&Poseidon16Table, &Poseidon16TableCols::<u8>::names()),
        "poseidon2-parent" => print(
            &Poseidon2ParentTable,
            &Poseidon2ParentTableCols::<u8>::names(),
        ),
        "poseidon2-sponge" => print(
            &Poseidon2SpongeTable,
            &Poseidon2SpongeTableCols::<u8>::names(),
        ),
        "blake3" => print(&Blake3Table, &Blake3TableCols::<u8>::names()),
        "blake3-narrow" => print(&NarrowTable, &NarrowTableCols::<u8>::names()),
        "keccak" => print(&KeccakTable, &KeccakTableCols::<u8>::names()),
        "keccak-degree5" => print(&Degree5Table, &Degree5TableCols::<u8>::names()),
        "keccak-sponge" => print(&SpongeTable, &SpongeCols::<u8>::names()),
        _ => {
            eprintln!(
                "usage: constraints poseidon16|poseidon2-parent|poseidon2-sponge|blake3|blake3-narrow|keccak|keccak-degree5|keccak-sponge"
            );
            return ExitCode::FAILURE;
        }
    };
    match printed {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("the constraints could not be printed: {error}");
            ExitCode::FAILURE
        }
    }
}
