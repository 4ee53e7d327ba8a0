//! Prints the intermediate representation and instructions as text.

use std::fmt::{self, Display, Formatter, Write};

use p3_field::PrimeField32;

use super::ir::*;
use super::output::{Compiled, Hint};
use crate::isa::{Instruction, Mode, Op as Code, Operand};
use crate::precompile;
use droste_native::F;

/// Prints a field element, as a negative number if it is minus a small one.
fn number(value: F) -> String {
    let value = i64::from(value.as_canonical_u32());
    let order = i64::from(F::ORDER_U32);
    if value > order - (1 << 24) {
        (value - order).to_string()
    } else {
        value.to_string()
    }
}

/// Returns the name of a built-in precompile.
fn precompile(identity: u32) -> &'static str {
    precompile::find(identity, &[]).map_or("unknown", |found| found.name)
}

impl Display for Word {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Const(value) => f.write_str(&number(*value)),
            Self::Var(var) => write!(f, "w{var}"),
            Self::Address(area, 0) => write!(f, "&b{area}"),
            Self::Address(area, offset) => write!(f, "&b{area}[{offset}]"),
        }
    }
}

impl Display for Ir {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (area, info) in self.areas.iter().enumerate() {
            match info.kind {
                AreaKind::Statement => writeln!(f, "b{area} = statement")?,
                AreaKind::Constant(index) => {
                    let lanes = self.constants[index as usize].map(number);
                    writeln!(f, "b{area} = constant [{}]", lanes.join(", "))?;
                }
                AreaKind::Tape(position) => {
                    writeln!(f, "b{area} = tape[{position}..][..{}]", info.size)?;
                }
                AreaKind::Local { .. } => {}
            }
        }
        for (index, function) in self.functions.iter().enumerate() {
            let params: Vec<_> = function
                .params
                .iter()
                .map(|var| format!("w{var}"))
                .collect();
            let (name, params) = (&function.name, params.join(", "));
            writeln!(f, "function {index} {name}({params}) {{")?;
            f.write_str(&list(&function.body, 1))?;
            let results = results(&function.words, &function.blocks);
            writeln!(f, "    return {results}\n}}")?;
        }
        writeln!(f, "main {{\n{}}}", list(&self.main, 1))
    }
}

fn list(ops: &[Op], depth: usize) -> String {
    let mut text = String::new();
    for op in ops {
        operation(&op.kind, depth, &mut text);
    }
    text
}

fn operation(kind: &OpKind, depth: usize, text: &mut String) {
    let pad = "    ".repeat(depth);
    let _ = match kind {
        OpKind::Relation(multiply, [a, b, c], def) => {
            let sign = if *multiply { '*' } else { '+' };
            let def = defined(def);
            writeln!(text, "{pad}{def}{a} {sign} {b} = {c}")
        }
        OpKind::Deref(pointer, displacement, value, def) => {
            let def = defined(def);
            match displacement {
                Displacement::Cell(var) => {
                    writeln!(text, "{pad}{def}({pointer}).w{var} = {value}")
                }
                Displacement::Zero => writeln!(text, "{pad}{def}word[{pointer}] = {value}"),
            }
        }
        OpKind::OuterAddress(pointer, area, offset, def) => {
            writeln!(text, "{pad}w{def}: &({pointer}).b{area}[{offset}]")
        }
        OpKind::WordsAddress(size, def) => writeln!(text, "{pad}w{def}: words[{size}]"),
        OpKind::LastFrame {
            first,
            count,
            frame,
            def,
            ..
        } => writeln!(text, "{pad}w{def}: w{first} + {count} * stride {frame}"),
        OpKind::Call(id, [a, b, c, d], e, def) => {
            let (def, name) = (defined(def), precompile(*id));
            writeln!(text, "{pad}{def}{name}({a}, {b}, {c}, {d}, {e})")
        }
        OpKind::Hint(hint) => writeln!(text, "{pad}hint {hint:?}"),
        OpKind::Print(message) => writeln!(text, "{pad}print {message}"),
        OpKind::Copy(to, from) => writeln!(text, "{pad}w{to}: copy {from}"),
        OpKind::CopyBlock(to, offset, from) => {
            writeln!(text, "{pad}b{to}[{offset}]: copy {from}")
        }
        OpKind::If(condition, then, otherwise) => {
            let (then, otherwise) = (list(then, depth + 1), list(otherwise, depth + 1));
            writeln!(
                text,
                "{pad}if {condition} {{\n{then}{pad}}} else {{\n{otherwise}{pad}}}"
            )
        }
        OpKind::Loop(inner) => {
            let body = list(&inner.body, depth + 1);
            writeln!(text, "{pad}{} {{\n{body}{pad}}}", loop_head(inner))
        }
        OpKind::Invoke(call) => {
            let args: Vec<_> = call.args.iter().map(ToString::to_string).collect();
            let (results, args) = (results(&call.words, &call.blocks), args.join(", "));
            writeln!(text, "{pad}{results}: call {}({args})", call.function)
        }
    };
}

fn loop_head(inner: &Loop) -> String {
    let trips = match inner.trips {
        Trips::Fixed(trips) => trips.to_string(),
        Trips::Counted { count, .. } => count.to_string(),
    };
    let name = |def: Def| match def {
        Def::None => String::new(),
        Def::Var(var) => format!("w{var}"),
        Def::Area(area) => format!("b{area}"),
    };
    let carried: Vec<_> = inner
        .carried
        .iter()
        .map(|carried| {
            let (param, result) = (name(carried.param), name(carried.result));
            format!("{param} = {} -> {} => {result}", carried.init, carried.next)
        })
        .collect();
    let (carried, counter) = (carried.join(", "), inner.counter);
    format!("loop w{counter} in 0..{trips} [{carried}]")
}

/// Returns the words and blocks that a function returns.
fn results(words: &[Var], blocks: &[Area]) -> String {
    let words = words.iter().map(|var| format!("w{var}"));
    let blocks = blocks.iter().map(|area| format!("b{area}"));
    let results: Vec<_> = words.chain(blocks).collect();
    results.join(", ")
}

fn defined(def: &Def) -> String {
    match def {
        Def::None => "assert ".into(),
        Def::Var(var) => format!("w{var}: "),
        Def::Area(area) => format!("b{area}: "),
    }
}

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let field = number(self.field);
        match self.mode {
            Mode::Imm => f.write_str(&field),
            Mode::Mem => write!(f, "[fp + {field}]"),
            Mode::Fp => write!(f, "fp + {field}"),
        }
    }
}

impl Display for Hint {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Felt { cell } => write!(f, "{cell} = element of the tape"),
            Self::Ext { block } => write!(f, "block {block} = extension element of the tape"),
            Self::Slice { cell, blocks, .. } => match cell {
                Some(cell) => write!(f, "{cell} = address of {blocks} blocks of the tape"),
                None => write!(f, "{blocks} blocks of the tape"),
            },
            Self::Inverse { cell, of } => write!(f, "{cell} = inverse of {of}"),
            Self::Equal { cell, a, b, negate } => {
                let sign = if *negate { "!=" } else { "==" };
                write!(f, "{cell} = {a} {sign} {b}")
            }
            Self::Reached {
                cell,
                counter,
                outer,
                count,
            } => write!(f, "{cell} = {counter} == {count} of frame {outer}"),
            Self::Bit { cell, of, bit } => write!(f, "{cell} = bit {bit} of {of}"),
            Self::Fresh {
                cell,
                stride,
                count,
            } => write!(f, "{cell} = address of {stride} * ({count} + 1) new cells"),
        }
    }
}

fn instruction(instruction: &Instruction) -> String {
    let Instruction { a, b, c, d, .. } = instruction;
    match instruction.op {
        Code::Add => format!("{a} + {b} = {c}"),
        Code::Mul => format!("{a} * {b} = {c}"),
        Code::Deref => format!("word[{a} + {d}] = {c}"),
        Code::Jump => format!("if {a} jump {b}, fp = {c}"),
        Code::Call => {
            let (name, e) = (precompile(instruction.id), number(instruction.e));
            format!("{name}({a}, {b}, {c}, {d}, {e})")
        }
    }
}

/// Returns the program as text, with one instruction per line and the line of source that each
/// comes from.
pub fn assembly(compiled: &Compiled) -> String {
    let mut text = String::new();
    let map = &compiled.source_map;
    let mut hints = compiled.hints.iter().peekable();
    for (pc, code) in compiled.program.instructions.iter().enumerate() {
        while let Some((_, hint)) = hints.next_if(|(at, _)| *at as usize == pc) {
            let _ = writeln!(text, "       hint {hint}");
        }
        let code = instruction(code);
        let place = map.locations.get(pc).map(|location| {
            let (line, _) = map.line_column(location.span);
            format!("{}:{line}", map.path(location.span))
        });
        let _ = writeln!(text, "{pc:5}  {code:48} ; {}", place.unwrap_or_default());
    }
    text
}
