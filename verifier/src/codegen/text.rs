//! Prints straight-line programs as zk-DSL text.

use std::fmt::{self, Display, Formatter, Write as _};

use droste_native::F;
use droste_native::field::EXTENSION_DEGREE;
use p3_field::PrimeField32;

use super::input::basis;
use super::whir::WhirTable;
use super::{Input, Instruction, StraightLine, Table, Value};

/// What every file of evaluators begins with.
const HEADER: &str = "//! Constraints of each table at one point, generated from the AIRs.\n\n\
                      use droste_gadgets::prelude::*;\n\
                      use droste_gadgets::verify::opened::{Challenges, Opened};\n";

/// Text of one file, with the evaluators of each table.
pub(super) fn file(tables: &[Table]) -> String {
    let mut text = String::from(HEADER);
    text.push('\n');
    for i in (1..EXTENSION_DEGREE).filter(|&i| any_reads(tables, Input::Basis(i))) {
        let _ = writeln!(
            text,
            "/// Element {i} of the extension's basis.\nconst X{i}: Ext = Ext::new({:?});",
            basis(i).map(|c| c.as_canonical_u32())
        );
    }
    for table in tables {
        let _ = functions(&mut text, table);
    }
    text
}

/// Text of one file, with the evaluators of each table of a proof over WHIR.
pub(super) fn whir_file(tables: &[WhirTable]) -> String {
    let mut text = String::from(HEADER);
    text.push_str("use droste_gadgets::verify::whir::constraints::Messages;\n");
    for table in tables {
        let _ = whir_functions(&mut text, table);
    }
    text
}

/// Prints the evaluators of one table of a proof over WHIR.
fn whir_functions(text: &mut String, table: &WhirTable) -> fmt::Result {
    folded(text, &table.name, table.num_constraints, &table.constraints)?;
    let (name, count, messages) = (&table.name, table.num_messages, &table.messages);
    writeln!(
        text,
        "\n/// Messages of table `{name}`: {count} messages, {} instructions.",
        messages.len()
    )?;
    evaluator(text, &format!("messages_{name}"), messages, "Messages")
}

/// Prints the evaluators of one table.
fn functions(text: &mut String, table: &Table) -> fmt::Result {
    let (name, periodic) = (&table.name, &table.periodic);
    folded(text, name, table.shape.num_constraints, &table.program)?;
    if periodic.results.is_empty() {
        return Ok(());
    }
    writeln!(
        text,
        "\n/// Periodic columns of table `{name}` at the point."
    )?;
    writeln!(text, "pub fn periodic_{name}(point: Ext) -> Vec<Ext> {{")?;
    steps(text, periodic, periodic.len())?;
    let results: Vec<String> = periodic.results.iter().map(Value::to_string).collect();
    writeln!(text, "    vec![{}]\n}}", results.join(", "))
}

/// Prints the evaluator of a table's constraints.
fn folded(text: &mut String, name: &str, count: usize, program: &StraightLine) -> fmt::Result {
    writeln!(
        text,
        "\n/// Folded constraints of table `{name}`: {count} constraints, {} instructions.",
        program.len()
    )?;
    evaluator(text, &format!("eval_{name}"), program, "Challenges")
}

/// Prints a function of opened values and challenges that returns the program's result.
fn evaluator(
    text: &mut String,
    name: &str,
    program: &StraightLine,
    challenges: &str,
) -> fmt::Result {
    writeln!(text, "pub fn {name}(")?;
    writeln!(text, "    {}v: &Opened,", unused(reads(program, false)))?;
    writeln!(
        text,
        "    {}c: &{challenges},",
        unused(reads(program, true))
    )?;
    writeln!(text, ") -> Ext {{")?;
    let result = program.results.first();
    match (result, program.instructions.split_last()) {
        // If the result is the last step, it is returned without a name.
        (Some(&Value::Result { index, .. }), Some((last, before))) if index == before.len() => {
            steps(text, program, index)?;
            writeln!(text, "    {last}\n}}")
        }
        (Some(value), _) => {
            steps(text, program, program.len())?;
            writeln!(text, "    {value}\n}}")
        }
        (None, _) => writeln!(text, "    Ext::ZERO\n}}"),
    }
}

/// Prints the first `count` steps, each as a `let` statement.
fn steps(text: &mut String, program: &StraightLine, count: usize) -> fmt::Result {
    for (i, instruction) in program.instructions.iter().take(count).enumerate() {
        writeln!(text, "    let t{i} = {instruction};")?;
    }
    Ok(())
}

fn unused(read: bool) -> &'static str {
    if read { "" } else { "_" }
}

fn any_reads(tables: &[Table], input: Input) -> bool {
    let instructions = tables.iter().flat_map(|t| &t.program.instructions);
    let mut operands = instructions.flat_map(Instruction::operands);
    operands.any(|value| value == Value::Input(input))
}

/// Whether the program reads any challenge (`challenge`), or else any opened value.
fn reads(program: &StraightLine, challenge: bool) -> bool {
    let is_challenge = |i: Input| {
        matches!(
            i,
            Input::Alpha | Input::Beta | Input::Bus(_) | Input::Combiner | Input::Weight(_)
        )
    };
    let operands = program.instructions.iter().flat_map(Instruction::operands);
    operands
        .chain(program.results.iter().copied())
        .any(|value| match value {
            Value::Input(Input::Basis(_)) => false,
            Value::Input(input) => is_challenge(input) == challenge,
            _ => false,
        })
}

impl Display for Instruction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::MultiplyAdd(a, b, c) => write!(f, "{a} * {b} + {c}"),
            Self::MultiplySubtract(c, a, b) => write!(f, "{c} - {a} * {b}"),
            Self::Multiply(a, b) => write!(f, "{a} * {b}"),
            Self::Add(a, b) => write!(f, "{a} + {b}"),
            Self::Subtract(a, b) => write!(f, "{a} - {b}"),
            Self::Lift(a) => write!(f, "Ext::from_felt({a})"),
        }
    }
}

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(c) => write!(f, "felt({})", F::as_canonical_u32(c)),
            Self::Input(input) => input.fmt(f),
            Self::Result { index, .. } => write!(f, "t{index}"),
        }
    }
}

impl Display for Input {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let row = |next: bool| if next { "_next" } else { "" };
        match *self {
            Self::Main { next, column } => write!(f, "v.main{}[{column}]", row(next)),
            Self::Preprocessed { next, column } => {
                write!(f, "v.preprocessed{}[{column}]", row(next))
            }
            Self::Permutation { next, column } => {
                write!(f, "v.permutation{}[{column}]", row(next))
            }
            Self::Periodic(i) => write!(f, "v.periodic[{i}]"),
            Self::Public(i) => write!(f, "v.public_values[{i}]"),
            Self::PublicElement(i) => write!(f, "v.public_elements[{i}]"),
            Self::IsFirstRow => f.write_str("v.is_first_row"),
            Self::IsLastRow => f.write_str("v.is_last_row"),
            Self::IsTransition => f.write_str("v.is_transition"),
            Self::Terminal => f.write_str("v.terminal"),
            Self::Bus(i) => write!(f, "c.buses[{i}]"),
            Self::Beta => f.write_str("c.beta"),
            Self::Alpha => f.write_str("c.alpha"),
            Self::Combiner => f.write_str("c.combiner"),
            Self::Weight(i) => write!(f, "c.weights[{i}]"),
            Self::Point => f.write_str("point"),
            Self::Basis(i) => write!(f, "X{i}"),
        }
    }
}
