//! Yul: the text of what is generated, statement by statement.

use super::expression::Expr;
use super::stack::Slot;

/// The names that are declared in blocks, from the outermost one on.
#[derive(Debug, Default)]
pub(super) struct Scopes(Vec<String>);

/// Number of names that are declared in front of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start(usize);

impl Scopes {
    /// Begins a block.
    pub fn open(&self) -> Start {
        Start(self.0.len())
    }

    /// Ends the block that began there.
    pub fn close(&mut self, start: Start) {
        self.0.truncate(start.0);
    }

    /// Declares a variable of this name, or of one that begins so if there is one already: in Yul
    /// no variable hides another.
    pub fn declare(&mut self, name: &str) -> String {
        let (mut declared, mut number) = (name.to_owned(), 1_u64);
        while self.0.contains(&declared) {
            number += 1;
            declared = format!("{name}_{number}");
        }
        self.0.push(declared.clone());
        declared
    }
}

/// An expression, with the variables that are on the stack.
pub(super) fn text(expression: &Expr, stack: &[Slot]) -> String {
    match expression {
        Expr::Word(word) => word.to_string(),
        Expr::Variable(name) | Expr::Take(name) => {
            let slot = stack.iter().rev().find(|slot| slot.name == *name);
            slot.map_or_else(String::new, |slot| slot.yul.clone())
        }
        Expr::Data(name) => format!("dataoffset(\"{name}\")"),
        Expr::Op(op, arguments) => call(&op.mnemonic(), arguments, stack),
        Expr::Call(name, arguments) => call(name, arguments, stack),
    }
}

/// A call of a function or an instruction.
pub(super) fn call(name: &str, arguments: &[Expr], stack: &[Slot]) -> String {
    let arguments = arguments.iter().map(|argument| text(argument, stack));
    format!("{name}({})", arguments.collect::<Vec<_>>().join(", "))
}
