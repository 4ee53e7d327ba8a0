//! Prints the constraints and messages of a hash table as expressions, one node per line, obtained
//! by evaluating the table's own code symbolically. `scripts/determined` reads the output.
//!
//! ```text
//! cargo run -p droste-bench --no-default-features --features hashes --example constraints -- \
//!     keccak
//! ```
//!
//! The output has lines of the following kinds, in this order: `column NAME`, one per column; then
//! nodes, numbered from 0: `const VALUE`, `local COLUMN`, `next COLUMN`, `first`, `last`,
//! `transition`, `add X Y`, `sub X Y`, `mul X Y`, `neg X`, where `X` and `Y` are numbers of earlier
//! nodes; then `constraint NODE`; then `message BUS FIELDS.. count NODE`.
//!
//! A lookup of a pair of bytes is printed as what it says: constraints on the bits of the row that
//! answers it, which are columns `lookups` of the table here.

use std::collections::HashMap;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use droste_air::blake3::bytes::{BytesCols, BytesTable};
use droste_air::blake3::{Blake3Table, Blake3TableCols};
use droste_air::byte_pairs;
use droste_air::keccak::sponge::{SpongeCols, SpongeTable};
use droste_air::keccak::{KeccakAir, KeccakCols};
use droste_air::poseidon2::{
    Poseidon2ParentTable, Poseidon2ParentTableCols, Poseidon2SpongeTable, Poseidon2SpongeTableCols,
};
use droste_air::poseidon16::{Poseidon16Table, Poseidon16TableCols};
use droste_native::F;
use p3_air::Air;
use p3_air::symbolic::{
    AirLayout, BaseEntry, BaseLeaf, SymbolicExpr, SymbolicExpression, SymbolicVariable,
};
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_lookup::{InteractionSymbolicBuilder, SymbolicInteraction};

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

/// The bus of pairs of bytes.
const PAIRS: &str = byte_pairs::BytePairMessage::<()>::DECLARATION.bus;

/// What a lookup of a pair of bytes says, where the bits of the row that answers it are the sixteen
/// columns from `first` on.
fn answered(lookup: &SymbolicInteraction<F>, first: usize) -> Vec<SymbolicExpression<F>> {
    let bit = |i| {
        let entry = BaseEntry::Main { offset: 0 };
        SymbolicExpression::from(SymbolicVariable::new(entry, first + i))
    };
    let bits: Vec<SymbolicExpression<F>> = (0..16).map(bit).collect();
    let [low_bits, x, y, high, low] = &lookup.fields[..] else {
        panic!("a pair of bytes has five elements")
    };
    let SymbolicExpr::Leaf(BaseLeaf::Constant(low_bits)) = low_bits else {
        panic!("the kind of a lookup is a constant")
    };
    let low_bits = low_bits.as_canonical_u32() as usize;
    let one = SymbolicExpression::from(F::ONE);
    let booleans = bits
        .iter()
        .map(|bit| bit.clone() * (bit.clone() - one.clone()));
    let (xs, ys) = bits.split_at(8);
    let xors = xs.iter().zip(ys).map(|(x, y)| x.xor(y));
    let xors: Vec<SymbolicExpression<F>> = xors.collect();
    let sum = |bits: &[SymbolicExpression<F>]| -> SymbolicExpression<F> {
        let terms = bits.iter().enumerate();
        terms
            .map(|(i, bit)| bit.clone() * F::from_u32(1 << i))
            .sum()
    };
    let (low_xors, high_xors) = xors.split_at(low_bits);
    let values = [(x, xs), (y, ys), (high, high_xors), (low, low_xors)];
    let equal = values.into_iter().filter(|(_, bits)| !bits.is_empty());
    let equal = equal.map(|(value, bits)| lookup.count.clone() * (value.clone() - sum(bits)));
    booleans.chain(equal).collect()
}

fn print<A: Air<InteractionSymbolicBuilder<F>>>(air: &A, columns: &[String]) -> io::Result<()> {
    let builder = InteractionSymbolicBuilder::from_air(air, AirLayout::from_air::<F>(air));
    let mut printer = Printer {
        out: BufWriter::new(io::stdout().lock()),
        nodes: HashMap::new(),
        lines: HashMap::new(),
    };
    // All expressions live until the end of this function, so an address identifies a node.
    let mut constraints = builder.base_constraints();
    let interactions = builder.global_interactions();
    let (lookups, interactions): (Vec<_>, Vec<_>) = interactions
        .iter()
        .partition(|message| message.bus_name == PAIRS);
    for column in columns {
        writeln!(printer.out, "column {column}")?;
    }
    for (number, lookup) in lookups.into_iter().enumerate() {
        let bits = ["x", "y"]
            .into_iter()
            .flat_map(|byte| (0..8).map(move |bit| (byte, bit)));
        for (byte, bit) in bits {
            writeln!(printer.out, "column lookups[{number}].{byte}[{bit}]")?;
        }
        constraints.extend(answered(lookup, columns.len() + 16 * number));
    }
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
        "blake3-bytes" => print(&BytesTable, &BytesCols::<u8>::names()),
        "keccak" => print(&KeccakAir, &KeccakCols::<u8>::names()),
        "keccak-sponge" => print(&SpongeTable, &SpongeCols::<u8>::names()),
        _ => {
            eprintln!(
                "usage: constraints poseidon16|poseidon2-parent|poseidon2-sponge|blake3|blake3-bytes|keccak|keccak-sponge"
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
